// Spans of time as people spell them: `90s`, `5m`, `1h30m`.

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SPAN = /^(\d{1,9}(\.\d{1,3})?(ms|s|m|h|d))+$/;

/** @returns milliseconds, 0 or more; undefined for a text that is none */
export function spanMsOf(text: string): number | undefined {
  if (!SPAN.test(text)) return undefined;
  return [...text.matchAll(/(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)/g)].reduce(
    (sum, [, number, unit = '']) => sum + Number(number) * (UNITS[unit] ?? 0),
    0,
  );
}
