// The macros of CEL as Kubernetes has them: loops of one variable and of two, the test whether a field is there, and those of optional values.
// The library has some of them; these count their steps, so that a loop ends with its budget, and take any expression before a field.
import { Optional } from '@marcbachmann/cel-js';
import { ownEntry } from '../../objects/values/untyped-fields.ts';
import { sortedBy } from './functions/lists.ts';
import type { Checker, Context, Evaluator, Macro, Node, StaticType } from './syntax-tree.ts';
import { SyntaxProblem } from './problem.ts';
import { BudgetError, EvaluationError, isList, isMap } from './values/values.ts';
import type { CelMap, Value } from './values/values.ts';
import { countSteps } from './values/work.ts';

/** @returns undefined for a call that is not a macro. @throws SyntaxProblem for arguments that a macro does not take */
export function macroOf(name: string, target: Node | undefined, args: readonly Node[]): Macro | undefined {
  const [first, second] = args;
  if (!first) return undefined;
  if (!target) return name === 'has' && args.length === 1 ? presence(first) : undefined;
  if (args.length === 1 && (name === 'or' || name === 'orValue')) return alternative(name, target, first);
  if (!second) return undefined;
  if (args.length === 2 && (name === 'optMap' || name === 'optFlatMap')) return optionalMap(name, target, nameOf(first), second);
  if (args.length === 2 && name === 'sortBy') return sorting(target, nameOf(first), second);
  const loop = ownEntry(loops, name);
  if (loop?.ofOne.includes(args.length)) return looping(loop, target, [nameOf(first)], args.slice(1));
  if (loop?.ofTwo.includes(args.length)) return looping(loop, target, [nameOf(first), nameOf(second)], args.slice(2));
  return undefined;
}

function nameOf(node: Node): string {
  if (node.op !== 'id') throw new SyntaxProblem(node.start, 'argument must be a simple name');
  return node.args as string;
}

/** Filled while a loop runs. */
interface Gathered {
  list: Value[];
  map: Map<Value, Value>;
  count: number;
  failure: unknown;
}

interface Loop {
  /** The numbers of arguments with which it has one variable, and two. */
  ofOne: readonly number[];
  ofTwo: readonly number[];
  /** Its last argument is true or false, as those before the last one always are. */
  isQuestion: boolean;
  /** A truth value at which it ends; an element that fails is passed over when another one decides. */
  decisive?: boolean;
  gather: (gathered: Gathered, value: Value, key: Value, item: Value) => void;
  result: (gathered: Gathered) => Value;
  typeOf: (checker: Checker, last: StaticType, key: StaticType, item: StaticType) => StaticType;
}

const isBool = (checker: Checker): StaticType => checker.getType('bool');
const nothing = (): void => undefined;
const count = (gathered: Gathered, value: Value): void => void (gathered.count += Number(value));
const append = ({ list }: Gathered, value: Value): void => void list.push(value);
const listOf = ({ list }: Gathered): Value => list;
const mapOf = ({ map }: Gathered): Value => map;

function insert(map: Map<Value, Value>, key: Value, value: Value): void {
  if (map.has(key)) throw new EvaluationError('insert failed: a key exists already');
  map.set(key, value);
}

const question = { isQuestion: true, typeOf: isBool };
const one: Loop = { ...question, ofOne: [2], ofTwo: [3], gather: count, result: (gathered) => gathered.count === 1 };
const listing = {
  isQuestion: false,
  gather: append,
  result: listOf,
  typeOf: (checker: Checker, last: StaticType) => checker.registry.getListType(last),
};

const loops: Readonly<Record<string, Loop>> = {
  all: { ...question, ofOne: [2], ofTwo: [3], decisive: false, gather: nothing, result: () => true },
  exists: { ...question, ofOne: [2], ofTwo: [3], decisive: true, gather: nothing, result: () => false },
  exists_one: one,
  existsOne: { ...one, ofOne: [] },
  map: { ...listing, ofOne: [2, 3], ofTwo: [] },
  filter: {
    ofOne: [2],
    ofTwo: [],
    isQuestion: true,
    gather: ({ list }, value, key) => void (value === true && list.push(key)),
    result: listOf,
    typeOf: (checker, _, key) => checker.registry.getListType(key),
  },
  transformList: { ...listing, ofOne: [], ofTwo: [3, 4] },
  transformMap: {
    ofOne: [],
    ofTwo: [3, 4],
    isQuestion: false,
    gather: ({ map }, value, key) => insert(map, key, value),
    result: mapOf,
    typeOf: (checker, last, key) => checker.registry.getMapType(key, last),
  },
  transformMapEntry: {
    ofOne: [],
    ofTwo: [3, 4],
    isQuestion: false,
    gather({ map }, value) {
      for (const [key, item] of value as CelMap) insert(map, key, item);
    },
    result: mapOf,
    typeOf: (_, last) => last,
  },
};

/** @param parts what stands after the variables: conditions, and the last one, whose value is gathered */
function looping(loop: Loop, range: Node, names: readonly [string] | readonly [string, string], parts: readonly Node[]): Macro {
  let outer: Context | undefined;
  let inner: Context | undefined;
  return {
    async: false,
    typeCheck(checker, _, context) {
      const [key, item] = elementTypes(checker, range, context, names.length === 2);
      outer = inner = context.forkWithVariable(names[0], key);
      if (names[1] !== undefined) inner = outer.forkWithVariable(names[1], item);
      const types = parts.map((part) => checker.check(part, inner ?? context));
      for (const [index, type] of types.entries())
        if ((loop.isQuestion || index < parts.length - 1) && !type.isDynOrBool())
          throw checker.createError('type', `expected type 'bool' but found '${type.name}'`, parts[index] ?? range);
      return loop.typeOf(checker, types.at(-1) ?? key, key, item);
    },
    evaluate(evaluator, _, context) {
      const within = outer?.reuse(context) ?? context;
      const innermost = inner === outer ? within : (inner?.reuse(within) ?? within);
      const gathered: Gathered = { list: [], map: new Map(), count: 0, failure: undefined };
      for (const [key, item] of elementsOf(evaluator.run(range, context), names.length === 2)) {
        countSteps();
        try {
          within.setIterValue(key, evaluator);
          if (innermost !== within) innermost.setIterValue(item, evaluator);
          const value = valueOfParts(evaluator, parts, innermost, loop.isQuestion);
          if (value === undefined) continue;
          if (value === loop.decisive) return value;
          loop.gather(gathered, value, key, item);
        } catch (error) {
          if (loop.decisive === undefined || error instanceof BudgetError) throw error;
          gathered.failure ??= error;
        }
      }
      if (gathered.failure !== undefined) throw gathered.failure;
      return loop.result(gathered);
    },
  };
}

/** @returns undefined where a condition does not hold */
function valueOfParts(evaluator: Evaluator, parts: readonly Node[], context: Context, isQuestion: boolean): Value | undefined {
  let value: Value = null;
  for (const [index, part] of parts.entries()) {
    value = evaluator.run(part, context);
    const isLast = index === parts.length - 1;
    if (isLast && !isQuestion) return value;
    if (typeof value !== 'boolean') throw new EvaluationError('no such overload');
    if (!isLast && !value) return undefined;
  }
  return value;
}

/** The types of a loop's variables; the first one of a list is the index where there are two. */
function elementTypes(checker: Checker, range: Node, context: Context, hasTwo: boolean): [StaticType, StaticType] {
  const type = checker.check(range, context);
  if (type.kind === 'list') return hasTwo ? [checker.getType('int'), type.valueType] : [type.valueType, type.valueType];
  if (type.kind === 'map') return [type.keyType, type.valueType];
  if (type.kind === 'dyn') return [type, type];
  const problem = `expression of type '${type.name}' cannot be range of a comprehension (must be list, map, or dynamic)`;
  throw checker.createError('type', problem, range);
}

function* elementsOf(range: Value, hasTwo: boolean): Generator<readonly [Value, Value]> {
  if (isMap(range)) yield* range;
  else if (!isList(range)) throw new EvaluationError('got a value that is no list and no map, expected iterable type');
  else for (const [index, item] of range.entries()) yield hasTwo ? [BigInt(index), item] : [item, item];
}

/** `has(a.b)`: of an expression of any kind that ends in a field. */
function presence(field: Node): Macro {
  if (field.op !== '.' && field.op !== '.?') throw new SyntaxProblem(field.start, 'invalid argument to has() macro');
  const [owner, name] = field.args as [Node, string];
  return {
    async: false,
    typeCheck(checker, _, context) {
      checker.check(field, context);
      return isBool(checker);
    },
    evaluate(evaluator, _, context) {
      const value = evaluator.run(owner, context);
      const whole = value instanceof Optional ? (value.orValue(null) as Value) : value;
      return isMap(whole) && whole.get(name) !== undefined;
    },
  };
}

/** `optional.or(…)` and `optional.orValue(…)` look at the second only where the first has nothing. */
function alternative(name: 'or' | 'orValue', target: Node, other: Node): Macro {
  return {
    async: false,
    typeCheck(checker, _, context) {
      const [type, otherType] = [checker.check(target, context), checker.check(other, context)];
      if (type.kind === 'dyn') return type;
      const wanted = name === 'or' ? type : type.valueType;
      if (type.kind === 'optional' && wanted.matches(otherType)) return wanted.kind === 'param' ? otherType : wanted;
      throw checker.createError('type', `found no matching overload for '${name}' applied to '${type.name}.(${otherType.name})'`, target);
    },
    evaluate(evaluator, _, context) {
      const value = evaluator.run(target, context);
      if (!(value instanceof Optional)) return value;
      if (!value.hasValue()) return evaluator.run(other, context);
      return name === 'or' ? value : (value.value() as Value);
    },
  };
}

/** `value.optMap(name, expression)`: the expression of what is there, or nothing. */
function optionalMap(name: 'optMap' | 'optFlatMap', target: Node, variable: string, expression: Node): Macro {
  let within: Context | undefined;
  return {
    async: false,
    typeCheck(checker, _, context) {
      const type = checker.check(target, context);
      within = context.forkWithVariable(variable, type.kind === 'optional' ? type.valueType : checker.getType('dyn'));
      const result = checker.check(expression, within);
      return name === 'optMap' ? checker.registry.getOptionalType(result) : result;
    },
    evaluate(evaluator, _, context) {
      const value = evaluator.run(target, context);
      if (!(value instanceof Optional)) throw new EvaluationError(`no such overload: ${name}`);
      if (!value.hasValue() || !within) return value;
      const result = evaluator.run(expression, within.reuse(context).setIterValue(value.value() as Value, evaluator));
      return name === 'optMap' ? Optional.of(result) : result;
    },
  };
}

/** `list.sortBy(name, key)`: the elements in the order of their keys. */
function sorting(list: Node, variable: string, key: Node): Macro {
  let within: Context | undefined;
  return {
    async: false,
    typeCheck(checker, _, context) {
      const [item] = elementTypes(checker, list, context, false);
      within = context.forkWithVariable(variable, item);
      checker.check(key, within);
      return checker.check(list, context);
    },
    evaluate(evaluator, _, context) {
      const items = evaluator.run(list, context);
      if (!isList(items)) throw new EvaluationError('no such overload: sortBy');
      const each = within?.reuse(context) ?? context;
      return sortedBy(
        items,
        items.map((item) => evaluator.run(key, each.setIterValue(item, evaluator))),
      );
    },
  };
}
