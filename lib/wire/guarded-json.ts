// JSON from outside: measured before it is parsed, checked before it is believed.
import * as v from 'valibot';
import { UndecodableMessageError } from './undecodable.ts';

/** Deeper than this nothing of ours goes; objects of Kubernetes may. */
const DEEPEST = 16;
/** Of an object of Kubernetes, `managedFields` of a deep template included. */
export const DEEPEST_OBJECT = 64;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** @throws UndecodableMessageError too deep, no JSON, `__proto__` among its keys, or not of that schema */
export function parseGuarded<Value>(text: string, schema: v.GenericSchema<unknown, Value>, what: string, deepest = DEEPEST): Value {
  checkDepth(text, what, deepest);
  const refuseProto = (key: string, value: unknown): unknown => {
    if (key === '__proto__') throw new UndecodableMessageError(`the ${what} has a key "__proto__"`);
    return value;
  };
  let parsed: unknown;
  try {
    // A look at each key takes several times as long as parsing: only where there may be such a key, spelled out or escaped.
    parsed = text.includes('__proto__') || text.includes('\\u') ? JSON.parse(text, refuseProto) : JSON.parse(text);
  } catch (error) {
    if (error instanceof UndecodableMessageError) throw error;
    throw new UndecodableMessageError(`the ${what} is no JSON`, { cause: error });
  }
  const checked = v.safeParse(schema, parsed);
  if (checked.success) return checked.output;
  const [issue] = checked.issues;
  throw new UndecodableMessageError(`the ${what} has an unusable ${v.getDotPath(issue) ?? 'form'}: ${issue.message}`);
}

function checkDepth(text: string, what: string, deepest: number): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > deepest) throw new UndecodableMessageError(`the ${what} is nested deeper than ${deepest}`);
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
}

/** Where the text that begins at this quote ends: most of a message may be one. A quote behind an odd number of backslashes is part of it. */
function endOfText(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes--;
    if ((end - escapes) % 2 === 0) return end;
  }
  return text.length;
}
