// Numbers as they were written, where that says more than what JavaScript makes of them: Go takes `1.0` and `1e2` for no integer, keeps
// the text of a quantity, and knows one integer of 64 bits from the next.

/** Of the value of a key, or of an element: with a fraction, an exponent, or more digits than JavaScript can hold. */
const TELLING = /(?:"\s*:|[[,])\s*-?\d+(?:[.eE]|\d{15})/;
const IS_TELLING = /[.eE]|\d{16}/;

const texts = new WeakMap<object, Map<string, string>>();

/** As JSON.parse; what was written is known of the objects and lists that come of it. @throws SyntaxError */
export function parseKeepingNumbers(text: string): unknown {
  if (!TELLING.test(text)) return JSON.parse(text);
  const keep = function (this: object, key: string, value: unknown, context?: { source?: string }): unknown {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || !IS_TELLING.test(source)) return value;
    const known = texts.get(this) ?? new Map<string, string>();
    texts.set(this, known.set(key, source));
    return value;
  };
  return JSON.parse(text, keep);
}

/** By key or place, how the numbers in an object or list were written, of those where that says more than their value. */
export const numberTextsIn = (holder: object): ReadonlyMap<string, string> | undefined => texts.get(holder);

/** Of an object into which the values of another were put. */
export function carryNumberTexts(from: object, into: object): void {
  const known = texts.get(from);
  if (known) texts.set(into, known);
}
