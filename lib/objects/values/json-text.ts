// JSON to and from an API server. It has integers of 64 bits, which a number here cannot hold exactly.

/** 2 ** 63 in JSON: how the largest integer of 64 bits is read here, and with a minus the smallest. An API server rejects both texts. */
const AS_READ = '9223372036854776000';
const AS_MEANT = new Map([
  [AS_READ, '9223372036854775807'],
  [`-${AS_READ}`, '-9223372036854775808'],
]);
/** Matches those numbers. Also matches texts, whose content stays unchanged. */
const NUMBER_OR_TEXT = /"(?:[^"\\]|\\.?)*(?:"|$)|(?<![\d.-])-?9223372036854776000(?![\d.eE])/g;

/** Like `JSON.stringify`, but writes 2 ** 63 as the largest integer of 64 bits, and −2 ** 63 as the smallest. */
export function jsonText(value: object): string {
  const text = JSON.stringify(value);
  if (!text.includes(AS_READ)) return text;
  return text.replaceAll(NUMBER_OR_TEXT, (found) => AS_MEANT.get(found) ?? found);
}
