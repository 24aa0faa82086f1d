// JSON from outside: measured before it is parsed, checked by its schema before it is used.
import * as v from 'valibot';
import { TooMuchError, UndecodableMessageError } from './undecodable.ts';

/** No message of ours is deeper; Kubernetes objects may be. */
const DEEPEST = 16;
/** Of an object of Kubernetes, `managedFields` of a deep template included. */
export const DEEPEST_OBJECT = 64;

/**
 * Values of one text, or of several texts of one message. A few bytes of JSON may parse to a hundred bytes of heap, so a limit of bytes is not
 * enough.
 * The largest honest header, a heartbeat of 2,000 digests, has 16,000; a Job's facts of 64 K characters have at most 33,000.
 */
export const VALUES_MAX = 100_000;
/** A value and its separator take two characters at least. So a short enough text need not be counted. */
export const CHARACTERS_PER_VALUE = 2;

/** Values left for the texts of one message. */
export interface ValueBudget {
  left: number;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];

/** A key `__proto__`, each of its letters as it is or escaped. Only a key has a colon behind its closing quote. */
const PROTO_KEY =
  /"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"[\t\n\r ]*:/;

/**
 * @param budget what the text's values are taken from
 * @throws UndecodableMessageError too deep, too many values, no JSON, `__proto__` among its keys, or not of that schema
 */
export function parseGuarded<Value>(
  text: string,
  schema: v.GenericSchema<unknown, Value>,
  what: string,
  deepest = DEEPEST,
  budget: ValueBudget = { left: VALUES_MAX },
): Value {
  measure(text, what, deepest, budget);
  // Not with a reviver: it would visit each key, and take several times as long as parsing.
  if ((text.includes('__proto__') || text.includes('\\u00')) && PROTO_KEY.test(text))
    throw new UndecodableMessageError(`the ${what} has a key "__proto__"`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new UndecodableMessageError(`the ${what} is no JSON`, { cause: error });
  }
  // Stop at the first fault: a description of each would take many times the memory of the message.
  const checked = v.safeParse(schema, parsed, { abortEarly: true });
  if (checked.success) return checked.output;
  const [issue] = checked.issues;
  throw new UndecodableMessageError(`the ${what} has an unusable ${v.getDotPath(issue) ?? 'form'}: ${issue.message}`);
}

/** How many values a text of ours has. Writers use it, so that they do not write more than readers take. */
export function valuesIn(text: string): number {
  return measure(text, 'text', Infinity, { left: Infinity });
}

/** Each value but the outermost stands behind a comma, or is the first within its brackets. */
function measure(text: string, what: string, deepest: number, budget: ValueBudget): number {
  const allowed = budget.left;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === COMMA) values++;
    else if (code === 0x7b || code === 0x5b) {
      values++;
      if (++depth > deepest) throw new UndecodableMessageError(`the ${what} is nested deeper than ${deepest}`);
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  budget.left = allowed - values;
  if (budget.left < 0) throw new TooMuchError(`the ${what} has ${values} values; at most ${allowed} are read`);
  return values;
}

/** Where the text that begins at this quote ends: most of a message may be one. A quote behind an odd number of backslashes is part of it. */
function endOfText(text: string, from: number): number {
  const end = text.indexOf('"', from + 1);
  if (end < 0) return text.length;
  if (text.charCodeAt(end - 1) !== BACKSLASH) return end;
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}
