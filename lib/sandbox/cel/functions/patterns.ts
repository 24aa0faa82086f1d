// Regular expressions in the syntax of RE2, matched in time linear in the text whatever the pattern is.
import { RE2JS, RE2JSException } from 're2js';
import { EvaluationError } from '../values/values.ts';

/** Rules name few patterns; one made from an object's own text may be new each time. */
const mostKept = 500;
const kept = new Map<string, RE2JS>();

/** @throws EvaluationError for a text that is no pattern */
export function compiledPattern(pattern: string): RE2JS {
  const known = kept.get(pattern);
  if (known) return known;
  const compiled = compile(pattern);
  if (kept.size >= mostKept) kept.clear();
  kept.set(pattern, compiled);
  return compiled;
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (cause) {
    if (!(cause instanceof RE2JSException)) throw cause;
    throw new EvaluationError(cause.message, { cause });
  }
}
