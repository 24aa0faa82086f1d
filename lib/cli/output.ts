// How commands print: data on standard output as text, JSON or YAML; logs on standard error; colour only where a person reads.
import { Option } from 'commander';

export type OutputFormat = 'text' | 'json' | 'yaml';

export const outputOption = (): Option =>
  new Option('-o, --output <format>', 'how data is printed').choices(['text', 'json', 'yaml']).default('text');

/** @param text made only when it is asked for; ends without a line break */
export async function print(data: unknown, format: OutputFormat, text: () => string): Promise<void> {
  const { stdout } = process;
  if (format === 'json') stdout.write(`${JSON.stringify(data, null, 2)}\n`);
  else if (format === 'yaml') {
    const { dump } = await import('js-yaml');
    // Through JSON once: absent fields are left out, as there.
    stdout.write(dump(JSON.parse(JSON.stringify(data)), { lineWidth: -1, noRefs: true }));
  } else stdout.write(`${text()}\n`);
}

/** Columns as wide as their widest cell. @param rows each as long as the header */
export function tableText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (at === cells.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join('   ')
      .trimEnd();
  return [line(header), ...rows.map(line)].join('\n');
}

const COLOURS = { green: 32, red: 31, yellow: 33, bold: 1, dim: 2 } as const;

/** Colour repeats what the text says; it is left away where nobody sees it, or where NO_COLOR is set. */
export function paint(text: string, colour: keyof typeof COLOURS | undefined): string {
  const { isTTY } = process.stdout;
  if (colour === undefined || !isTTY || process.env['NO_COLOR'] || process.env['TERM'] === 'dumb') return text;
  return `\u001B[${COLOURS[colour]}m${text}\u001B[0m`;
}

/** `12s`, `3m`, `2h`, `5d`. */
export function spanText(ms: number): string {
  const seconds = Math.max(Math.round(ms / 1000), 0);
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
