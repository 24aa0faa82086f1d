// JSON as it is sent to an API server, or by one: numbers of 64 bits are larger than those here.

/** 2 ** 63 in JSON, which is how the largest numbers of 64 bits are read here, and the least with a minus. An API server takes neither for one. */
const AS_READ = '9223372036854776000';
const AS_MEANT = new Map([
  [AS_READ, '9223372036854775807'],
  [`-${AS_READ}`, '-9223372036854775808'],
]);
/** One of those numbers, or a text, in which it is but letters. */
const NUMBER_OR_TEXT = /"(?:[^"\\]|\\.)*"|(?<![\d.-])-?9223372036854776000(?![\d.eE])/g;

/** As `JSON.stringify` has it, but where a number of 64 bits is as large as can be, or as small, it is told as that one. */
export function jsonText(value: object): string {
  const text = JSON.stringify(value);
  if (!text.includes(AS_READ)) return text;
  return text.replaceAll(NUMBER_OR_TEXT, (found) => AS_MEANT.get(found) ?? found);
}
