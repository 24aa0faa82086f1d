// Values as Go prints them: messages of a real server hold some.
import { isFields } from './api-object.ts';

/** JSON's values as `%v` shows them: `map[a:1 b:[x y]]`. */
export function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (isFields(value)) {
    const pairs = Object.keys(value)
      .toSorted()
      .map((key) => `${key}:${goText(value[key])}`);
    return `map[${pairs.join(' ')}]`;
  }
  if (value === null || value === undefined) return '<nil>';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const named: ReadonlyMap<string, string> = new Map(
  Object.entries({ '\x07': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\' }),
);

/** Printable ASCII, without quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** A text as `%q` shows it: quoted, and what no printer has escaped. */
export function quoted(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  const shown = Array.from(text, (character) => {
    const name = named.get(character);
    if (name !== undefined) return `\\${name}`;
    if (/^[ \p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character)) return character;
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length <= 2 && character < '\x80'
      ? `\\x${code.padStart(2, '0')}`
      : code.length <= 4
        ? `\\u${code.padStart(4, '0')}`
        : `\\U${code.padStart(8, '0')}`;
  });
  return `"${shown.join('')}"`;
}

/** A number of JSON as `%v` shows it: whole ones plainly, others as `floatText`. */
export const numberText = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value).toString() : floatText(value);

/** A floating-point number as `%v` shows it, whole or not: with an exponent from seven digits on. */
export function floatText(value: number): string {
  const text = value.toExponential();
  const exponent = Number(text.split('e')[1]);
  return exponent >= -4 && exponent < 6 ? String(value) : text.replace(/e([-+])(\d)$/, 'e$10$2');
}
