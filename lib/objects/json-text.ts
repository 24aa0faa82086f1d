// JSON as it is sent to an API server, or by one: numbers of 64 bits are larger than those here.

/** 2 ** 63 in JSON, which is how the largest numbers of 64 bits are read here. An API server takes it for none: it is one too large. */
const AS_READ = '9223372036854776000';
const LARGEST_INT64 = '9223372036854775807';
/** That number, or a text, in which it is but letters. */
const NUMBER_OR_TEXT = /"(?:[^"\\]|\\.)*"|(?<![\d.-])9223372036854776000(?![\d.eE])/g;

/** As `JSON.stringify` has it, but where a number of 64 bits is as large as can be it is told as the largest of them. */
export function jsonText(value: object): string {
  const text = JSON.stringify(value);
  if (!text.includes(AS_READ)) return text;
  return text.replaceAll(NUMBER_OR_TEXT, (found) => (found === AS_READ ? LARGEST_INT64 : found));
}
