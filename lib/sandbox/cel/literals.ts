// Problems of the literals of a checked expression: texts that no function could read, and lists and maps of mixed types.
import { ownEntry } from '../../objects/values/untyped-fields.ts';
import type { Call, Expression } from './expression.ts';
import { clausesOf } from './functions/format.ts';
import { compiledPattern } from './functions/patterns.ts';
import { durationOf, timestampOf } from './functions/time.ts';
import type { ExpressionProblem } from './problem.ts';
import { isOpen, isSameType, typeText } from './types.ts';
import type { Type } from './types.ts';
import { EvaluationError } from './values.ts';

type ChildrenOf = (node: Expression) => readonly Expression[];

/** @returns what is wrong, in the order of the text */
export function problemsOfLiterals(root: Expression, childrenOf: ChildrenOf): ExpressionProblem[] {
  return problemsIn(root, childrenOf, false).toSorted((left, right) => left.at - right.at);
}

/** @param isFormatted within a formatting, whose values may be of any types */
function problemsIn(node: Expression, childrenOf: ChildrenOf, isFormatted: boolean): ExpressionProblem[] {
  const within = isFormatted || (node.is === 'call' && node.function === 'format');
  return [
    ...(node.is === 'call' ? problemsOfCall(node) : []),
    ...(isFormatted ? [] : problemsOfMixture(node)),
    ...childrenOf(node).flatMap((child) => problemsIn(child, childrenOf, within)),
  ];
}

function problemsOfMixture(node: Expression): ExpressionProblem[] {
  if (node.is === 'list') return mixtureIn(node.elements).slice(0, 1);
  if (node.is !== 'map') return [];
  return [...mixtureIn(node.entries.map(([key]) => key)), ...mixtureIn(node.entries.map(([, value]) => value))];
}

function mixtureIn([first, ...others]: readonly Expression[]): ExpressionProblem[] {
  const wanted = first?.type;
  if (!wanted) return [];
  return others.flatMap(({ at, type }) =>
    type && !isSameType(wanted, type) ? [{ at, message: `expected type '${typeText(wanted)}' but found '${typeText(type)}'` }] : [],
  );
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

/** Problems of the patterns that are looked for, which the API server finds only when it makes the program. */
export function problemOfPattern(node: Expression): string | undefined {
  if (node.is !== 'call' || (node.function !== 'find' && node.function !== 'findAll')) return undefined;
  return problemOf(node.args[0], compiledPattern);
}

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  matches: compiledPattern,
  duration: durationOf,
  timestamp: timestampOf,
};

function problemsOfCall(call: Call): ExpressionProblem[] {
  const { function: name, args } = call;
  const [first] = args;
  const read = ownEntry(readers, name);
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
    const problem = problemOfClause(letter, argument);
    if (problem) return [problem];
  }
  if (list.elements.length <= clauses.length) return [];
  return [{ at, message: `too many arguments supplied to string.format (expected ${clauses.length}, got ${list.elements.length})` }];
}

interface Clause {
  kinds: readonly Type['kind'][];
  sentence: string;
}

const asHex: Clause = {
  kinds: ['int', 'uint', 'string', 'bytes'],
  sentence: 'only integers, byte buffers, and strings can be formatted as hex',
};

const fitting: Readonly<Record<string, Clause>> = {
  s: {
    kinds: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
    sentence: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  },
  d: { kinds: ['int', 'uint'], sentence: 'decimal clause can only be used on integers' },
  f: { kinds: ['double', 'string'], sentence: 'fixed-point clause can only be used on doubles' },
  e: { kinds: ['double', 'string'], sentence: 'scientific clause can only be used on doubles' },
  b: { kinds: ['int', 'uint', 'bool'], sentence: 'only integers and bools can be formatted as binary' },
  x: asHex,
  X: asHex,
  o: { kinds: ['int', 'uint'], sentence: 'octal clause can only be used on integers' },
};

function problemOfClause(letter: string, argument: Expression): ExpressionProblem | undefined {
  const clause = fitting[letter];
  const { type, at } = argument;
  if (!clause || !type) return undefined;
  if (!isOpen(type) && !clause.kinds.includes(type.kind))
    return { at, message: `error during formatting: ${clause.sentence}, was given ${typeText(type).replace(/\(.*/, '')}` };
  if (letter !== 's') return undefined;
  const within = argument.is === 'list' ? argument.elements : argument.is === 'map' ? argument.entries.flat() : [];
  for (const part of within) {
    const problem = problemOfClause(letter, part);
    if (problem) return problem;
  }
  return undefined;
}
