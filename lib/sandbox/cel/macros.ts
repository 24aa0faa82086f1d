// The macros of CEL: loops over lists and maps, and the test whether a field is there.
import { ownEntry } from '../../objects/values/untyped-fields.ts';
import { accumulatorName } from './expression.ts';
import type { Expression } from './expression.ts';
import { SyntaxProblem } from './problem.ts';

export interface MacroCall {
  at: number;
  name: string;
  target: Expression | undefined;
  args: readonly Expression[];
}

/** @returns undefined for a call that is not a macro. @throws SyntaxProblem for arguments that a macro does not take */
export function macroOf(call: MacroCall): Expression | undefined {
  const { name, target, args } = call;
  const [first, second] = args;
  if (!target) return name === 'has' && args.length === 1 && first ? presence(call.at, first) : undefined;
  if (!first || !second) return undefined;
  if (args.length === 2 && (name === 'optMap' || name === 'optFlatMap')) return optionalMap(call, target, first, second);
  if (args.length === 2 && name === 'sortBy') return sortedBy(call, target);
  if (ownEntry(oneVariable, name)?.includes(args.length) === true) {
    const isQuantifier = args.length === 2 && name !== 'map' && name !== 'filter';
    const variable = nameOf(first, isQuantifier ? 'argument must be a simple name' : 'argument is not an identifier');
    return loop(call, target, { variable, second: undefined, rest: args.slice(1) });
  }
  if (ownEntry(twoVariables, name)?.includes(args.length) === true) {
    const variable = nameOf(first, 'argument must be a simple name');
    const other = nameOf(second, 'argument must be a simple name');
    if (variable === other) throw new SyntaxProblem(second.at, `duplicate variable name: ${variable}`);
    return loop(call, target, { variable, second: other, rest: args.slice(2) });
  }
  return undefined;
}

const oneVariable: Readonly<Record<string, readonly number[]>> = {
  all: [2],
  exists: [2],
  exists_one: [2],
  map: [2, 3],
  filter: [2],
};

const twoVariables: Readonly<Record<string, readonly number[]>> = {
  all: [3],
  exists: [3],
  exists_one: [3],
  existsOne: [3],
  transformList: [3, 4],
  transformMap: [3, 4],
  transformMapEntry: [3, 4],
};

function presence(at: number, argument: Expression): Expression {
  if (argument.is !== 'select' || argument.isTest) throw new SyntaxProblem(argument.at, 'invalid argument to has() macro');
  return { ...argument, at, isTest: true };
}

function nameOf(argument: Expression, problem: string): string {
  if (argument.is !== 'identifier') throw new SyntaxProblem(argument.at, problem);
  if (argument.name === '__result__') throw new SyntaxProblem(argument.at, 'iteration variable overwrites accumulator variable');
  return argument.name;
}

interface Variables {
  variable: string;
  second: string | undefined;
  /** Arguments after the variables. */
  rest: readonly Expression[];
}

function loop({ at, name }: MacroCall, range: Expression, { variable, second, rest }: Variables): Expression {
  const accumulator: Expression = { is: 'identifier', at, name: accumulatorName };
  const literal = (value: boolean | bigint): Expression => ({ is: 'literal', at, value });
  const called = (operator: string, ...args: Expression[]): Expression => ({ is: 'call', at, function: operator, target: undefined, args });
  const fold = (initial: Expression, condition: Expression, step: Expression, result: Expression = { ...accumulator }): Expression => ({
    is: 'fold',
    at,
    range,
    variable,
    second,
    accumulator: accumulatorName,
    initial,
    condition,
    step,
    result,
  });
  const [predicate = literal(true), transform] = rest;
  /** The step, for the elements that the predicate holds for. */
  const filtered = (step: (value: Expression) => Expression): Expression =>
    transform ? called('_?_:_', predicate, step(transform), { ...accumulator }) : step(predicate);
  const listed = (value: Expression): Expression => called('_+_', { ...accumulator }, { is: 'list', at, elements: [value] });

  switch (name) {
    case 'all':
      return fold(literal(true), called('@not_strictly_false', { ...accumulator }), called('_&&_', { ...accumulator }, predicate));
    case 'exists':
      return fold(
        literal(false),
        called('@not_strictly_false', called('!_', { ...accumulator })),
        called('_||_', { ...accumulator }, predicate),
      );
    case 'exists_one':
    case 'existsOne':
      return fold(
        literal(0n),
        literal(true),
        called('_?_:_', predicate, called('_+_', { ...accumulator }, literal(1n)), { ...accumulator }),
        called('_==_', { ...accumulator }, literal(1n)),
      );
    case 'filter':
      return fold(
        { is: 'list', at, elements: [] },
        literal(true),
        called('_?_:_', predicate, listed({ is: 'identifier', at, name: variable }), { ...accumulator }),
      );
    case 'transformMap':
      return fold(
        { is: 'map', at, entries: [] },
        literal(true),
        filtered((value) => called('cel.@mapInsert', { ...accumulator }, { is: 'identifier', at, name: variable }, value)),
      );
    case 'transformMapEntry':
      return fold(
        { is: 'map', at, entries: [] },
        literal(true),
        filtered((value) => called('cel.@mapInsert', { ...accumulator }, value)),
      );
    default:
      return fold({ is: 'list', at, elements: [] }, literal(true), filtered(listed));
  }
}

/** `value.optMap(name, expression)`: the expression of what is there, or nothing. */
function optionalMap({ at, name }: MacroCall, target: Expression, variable: Expression, expression: Expression): Expression {
  if (variable.is !== 'identifier') throw new SyntaxProblem(variable.at, `${name}() variable name must be a simple identifier`);
  const called = (operation: string, of: Expression | undefined, args: readonly Expression[] = []): Expression => ({
    is: 'call',
    at,
    function: operation,
    target: of,
    args,
  });
  const bound: Expression = { is: 'bind', at, name: variable.name, value: called('value', target), result: expression };
  return called('_?_:_', undefined, [
    called('hasValue', target),
    name === 'optMap' ? called('optional.of', undefined, [bound]) : bound,
    called('optional.none', undefined),
  ]);
}

/** `list.sortBy(name, key)`: the keys of all elements, then the elements in the order of their keys. */
function sortedBy(call: MacroCall, target: Expression): Expression {
  const { at } = call;
  const input: Expression = { is: 'identifier', at, name: '@__sortBy_input__' };
  const keys = macroOf({ ...call, name: 'map', target: input }) ?? input;
  const result: Expression = { is: 'call', at, function: '@sortByAssociatedKeys', target: { ...input }, args: [keys] };
  return { is: 'bind', at, name: input.name, value: target, result };
}
