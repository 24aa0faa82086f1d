// Plain data as YAML, for reading and copying. What a cluster wrote cannot act on whoever reads it: such characters are escapes of YAML itself,
// so that the copy is still the same data.

/** Texts that YAML would not read as what they are. */
const WORDS = /^(?:~|null|true|false|yes|no|on|off|y|n|\.nan|[-+]?\.inf)$/i;
const NUMBER_LIKE = /^[-+.]?\d|^0[xob]/i;
const PLAIN = /^[\w/$(.][\w ./$()@+=,;-]*$/;
/** An escape, or a mark that reorders what follows. */
const ACTING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\uFEFF\p{Cs}]/u;
const ACTING_BUT_LINES = /[^\n\P{Cc}]|[\p{Bidi_Control}\u2028\u2029\uFEFF\p{Cs}]/u;
const DEEPEST = 100;

function quoted(text: string): string {
  const escaped = JSON.stringify(text).replaceAll(
    /[\p{Bidi_Control}\u007F-\u009F\u2028\u2029\uFEFF]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
  return escaped;
}

const isPlain = (text: string): boolean =>
  PLAIN.test(text) && !WORDS.test(text) && !NUMBER_LIKE.test(text) && !text.endsWith(' ') && !text.includes(' #') && !ACTING.test(text);

/** Several lines as they are, where nothing in them acts. @returns undefined: they must be quoted */
function block(text: string, indent: string): string | undefined {
  if (!text.includes('\n') || ACTING_BUT_LINES.test(text) || /^[\s]|\n\n$|[ \t]$/.test(text)) return undefined;
  const lines = text.replace(/\n$/, '').split('\n');
  return `|${text.endsWith('\n') ? '' : '-'}\n${lines.map((line) => (line === '' ? '' : `${indent}${line}`)).join('\n')}`;
}

const scalar = (value: unknown, indent: string): string => {
  if (typeof value === 'string') return isPlain(value) ? value : (block(value, indent) ?? quoted(value));
  return JSON.stringify(value) ?? 'null';
};

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isEmpty = (value: unknown): boolean => (isList(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0);
const isNested = (value: unknown): boolean => (isList(value) || isObject(value)) && !isEmpty(value);

export const yamlText = (value: unknown): string => `${linesOf(value, '', 0).join('\n')}\n`;

function linesOf(value: unknown, indent: string, depth: number): string[] {
  if (depth > DEEPEST) return [`${indent}${quoted('(deeper than is shown)')}`];
  if (isList(value) && !isEmpty(value))
    return value.flatMap((item) => {
      if (!isNested(item)) return [`${indent}- ${leaf(item, `${indent}  `)}`];
      const [first = '', ...rest] = linesOf(item, `${indent}  `, depth + 1);
      return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
    });
  if (isObject(value) && !isEmpty(value))
    return Object.entries(value).flatMap(([name, item]) => {
      const key = isPlain(name) && !name.includes(' ') ? name : quoted(name);
      if (!isNested(item)) return [`${indent}${key}: ${leaf(item, `${indent}  `)}`];
      return [`${indent}${key}:`, ...linesOf(item, isList(item) ? indent : `${indent}  `, depth + 1)];
    });
  return [`${indent}${leaf(value, `${indent}  `)}`];
}

const leaf = (value: unknown, indent: string): string => (isList(value) ? '[]' : isObject(value) ? '{}' : scalar(value, indent));
