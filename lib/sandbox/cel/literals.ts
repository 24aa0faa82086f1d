// Texts that are written out in an expression and that no function could read: told when the expression is compiled.
import type { Call, Expression } from './expression.ts';
import { clausesOf } from './functions/format.ts';
import { compiledPattern } from './functions/patterns.ts';
import { durationOf, timestampOf } from './functions/time.ts';
import type { ExpressionProblem } from './problem.ts';
import { isOpen, typeText } from './types.ts';
import type { Type } from './types.ts';
import { EvaluationError } from './values.ts';

/** @returns what is wrong with the texts of a checked expression */
export function problemsOfLiterals(root: Expression, childrenOf: (node: Expression) => readonly Expression[]): ExpressionProblem[] {
  const own = root.is === 'call' ? problemsOfCall(root) : [];
  return [...own, ...childrenOf(root).flatMap((child) => problemsOfLiterals(child, childrenOf))];
}

/** @returns what is wrong with the patterns that are looked for, which the API server finds only when it makes the program */
export function problemOfPatterns(root: Expression, childrenOf: (node: Expression) => readonly Expression[]): string | undefined {
  if (root.is === 'call' && (root.function === 'find' || root.function === 'findAll')) {
    const problem = problemOf(root.args[0], compiledPattern);
    if (problem !== undefined) return problem;
  }
  for (const child of childrenOf(root)) {
    const problem = problemOfPatterns(child, childrenOf);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Of a literal text alone: what else there may be is not known yet. */
function problemOf(node: Expression | undefined, read: (text: string) => unknown): string | undefined {
  if (node?.is !== 'literal' || typeof node.value !== 'string') return undefined;
  try {
    read(node.value);
    return undefined;
  } catch (error) {
    if (error instanceof EvaluationError) return error.message;
    throw error;
  }
}

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  matches: compiledPattern,
  duration: durationOf,
  timestamp: timestampOf,
};

function problemsOfCall(call: Call): ExpressionProblem[] {
  const { function: name, args } = call;
  const [first] = args;
  const read = readers[name];
  if (read && first && problemOf(first, read) !== undefined) return [{ at: first.at, message: `invalid ${name} argument` }];
  return name === 'format' ? problemsOfFormat(call) : [];
}

function problemsOfFormat({ at, target, args: [list] }: Call): ExpressionProblem[] {
  if (target?.is !== 'literal' || typeof target.value !== 'string' || list?.is !== 'list') return [];
  let clauses: readonly string[];
  try {
    clauses = clausesOf(target.value);
  } catch (error) {
    if (error instanceof EvaluationError) return [{ at, message: error.message }];
    throw error;
  }
  for (const [index, letter] of clauses.entries()) {
    const argument = list.elements[index];
    if (!argument) return [{ at, message: `index ${index} out of range` }];
    const problem = argument.type && problemOfClause(letter, argument.type);
    if (problem !== undefined) return [{ at: argument.at, message: `error during formatting: ${problem}` }];
  }
  if (list.elements.length <= clauses.length) return [];
  return [{ at, message: `too many arguments supplied to string.format (expected ${clauses.length}, got ${list.elements.length})` }];
}

const fitting: Readonly<Record<string, { kinds: readonly Type['kind'][]; sentence: string }>> = {
  d: { kinds: ['int', 'uint'], sentence: 'decimal clause can only be used on integers' },
  f: { kinds: ['double', 'string'], sentence: 'fixed-point clause can only be used on doubles' },
  e: { kinds: ['double', 'string'], sentence: 'scientific clause can only be used on doubles' },
  b: { kinds: ['int', 'uint', 'bool'], sentence: 'only integers and bools can be formatted as binary' },
  x: { kinds: ['int', 'uint', 'string', 'bytes'], sentence: 'only integers, byte buffers, and strings can be formatted as hex' },
  X: { kinds: ['int', 'uint', 'string', 'bytes'], sentence: 'only integers, byte buffers, and strings can be formatted as hex' },
  o: { kinds: ['int', 'uint'], sentence: 'octal clause can only be used on integers' },
};

function problemOfClause(letter: string, type: Type): string | undefined {
  const clause = fitting[letter];
  if (!clause || isOpen(type) || clause.kinds.includes(type.kind)) return undefined;
  return `${clause.sentence}, was given ${typeText(type)}`;
}
