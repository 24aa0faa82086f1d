// Where a field stands in a manifest of YAML in block style: its line, for sentences about it.
import { stepsOf } from './field-steps.ts';

interface Line {
  /** Columns before the key or the element. */
  indent: number;
  /** Without the indent. */
  text: string;
  /** From 1. */
  number: number;
}

/**
 * The line of the field, or of the last step on the way to it that is found: an absent field is reported where it would stand.
 * @param text of the whole file
 * @param first line of the document, from 1
 * @param path such as `spec.template.spec.containers[0].image`
 */
export function lineOfField(text: string, first: number, path: string): number {
  let within = linesOf(text, first);
  let found = first;
  for (const step of stepsOf(path)) {
    const next = typeof step === 'number' ? elementOf(within, step) : fieldIn(within, step);
    if (!next) return found;
    found = next.number;
    within = next.below;
  }
  return found;
}

/** Of the document that begins at this line. */
function linesOf(text: string, first: number): Line[] {
  const lines: Line[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (at + 1 < first) continue;
    if (/^---(\s|$)/.test(line)) {
      if (lines.length > 0) break;
      continue;
    }
    const trimmed = line.trimStart();
    if (trimmed.trim() !== '' && !trimmed.startsWith('#'))
      lines.push({ indent: line.length - trimmed.length, text: trimmed, number: at + 1 });
  }
  return lines;
}

interface Found {
  number: number;
  below: Line[];
}

function fieldIn(lines: readonly Line[], name: string): Found | undefined {
  const [first] = lines;
  if (!first) return undefined;
  const isKey = ({ indent, text }: Line): boolean =>
    indent === first.indent && [`${name}:`, `"${name}":`, `'${name}':`].some((key) => text.startsWith(key));
  const at = lines.findIndex(isKey);
  const line = lines[at];
  if (!line) return undefined;
  const rest = lines.slice(at + 1);
  // Elements of a list may stand as far left as the key that holds them.
  const end = rest.findIndex(({ indent, text }) => indent < line.indent || (indent === line.indent && !text.startsWith('-')));
  return { number: line.number, below: end < 0 ? rest : rest.slice(0, end) };
}

function elementOf(lines: readonly Line[], place: number): Found | undefined {
  const [first] = lines;
  if (!first) return undefined;
  const starts = lines.flatMap(({ indent, text }, at) => (indent === first.indent && /^-(\s|$)/.test(text) ? [at] : []));
  const from = starts[place];
  if (from === undefined) return undefined;
  const [own, ...rest] = lines.slice(from, starts[place + 1] ?? lines.length);
  if (!own) return undefined;
  // The first field of an element stands behind its dash.
  const text = own.text.slice(1).trimStart();
  const moved = { indent: own.indent + own.text.length - text.length, text, number: own.number };
  return { number: own.number, below: text === '' ? rest : [moved, ...rest] };
}
