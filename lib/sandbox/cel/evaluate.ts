// A checked expression → a function of its variables. What each step costs is counted as it runs, and ends it beyond its limit.
import { ownEntry } from '../../objects/values/untyped-fields.ts';
import { actualCost } from './actual-cost.ts';
import type { ActualCost } from './actual-cost.ts';
import { accumulatorName } from './expression.ts';
import type { Call, Expression, Fold } from './expression.ts';
import { accepts } from './functions/declare.ts';
import type { Overload } from './functions/declare.ts';
import { elementAt, entryAt, shownKey } from './functions/operators.ts';
import { isOpen } from './types.ts';
import type { Type } from './types.ts';
import { BudgetError, CelMap, EvaluationError, List, ListOfValues, MapOfValues, Optional, TypeValue, typeName } from './values.ts';
import type { Value } from './values.ts';
import { countStep } from './work.ts';

export interface Frame {
  /** By slot; an error that a loop's accumulator holds may yet be passed over. */
  slots: (Value | EvaluationError | undefined)[];
  cost: number;
  limit: number;
}

export type Evaluate = (frame: Frame) => Value;

/** Where the variables of an expression lie in a frame. */
export class Layout {
  readonly #slots = new Map<string, number>();
  size = 0;

  constructor(names: Iterable<string>) {
    for (const name of names) this.#slots.set(name, this.#next());
  }

  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }

  /** The slot of a new variable, for as long as a part of the expression is compiled. */
  within<Result>(name: string, body: (slot: number) => Result): Result {
    const [outer, slot] = [this.#slots.get(name), this.#next()];
    this.#slots.set(name, slot);
    const result = body(slot);
    if (outer === undefined) this.#slots.delete(name);
    else this.#slots.set(name, outer);
    return result;
  }

  #next(): number {
    this.size += 1;
    return this.size - 1;
  }
}

function charge(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > frame.limit) throw new BudgetError();
  countStep();
}

const listCost = 10;
const mapCost = 30;

export function compile(node: Expression, layout: Layout): Evaluate {
  switch (node.is) {
    case 'literal': {
      const { value } = node;
      return () => value;
    }
    case 'identifier':
      return identifier(node, layout);
    case 'select':
      return select(node, layout);
    case 'list': {
      const elements = node.elements.map((element) => compile(element, layout));
      return (frame) => {
        charge(frame, listCost);
        return new ListOfValues(elements.map((element) => element(frame)));
      };
    }
    case 'map': {
      const entries = node.entries.map(([key, value]) => [compile(key, layout), compile(value, layout)] as const);
      return (frame) => {
        charge(frame, mapCost);
        return new MapOfValues(entries.map(([key, value]) => [key(frame), value(frame)] as const));
      };
    }
    case 'call':
      return call(node, layout);
    case 'fold':
      return fold(node, layout);
    case 'bind': {
      const value = compile(node.value, layout);
      return layout.within(node.name, (slot) => {
        const result = compile(node.result, layout);
        return (frame) => {
          charge(frame, listCost);
          frame.slots[slot] = value(frame);
          return result(frame);
        };
      });
    }
  }
}

const typeNames: Readonly<Record<string, string>> = { bool: 'bool', int: 'int', null_type: 'null_type' };

function identifier({ name, isType }: Expression & { is: 'identifier' }, layout: Layout): Evaluate {
  if (isType) {
    const value = new TypeValue(typeNames[name] ?? name);
    return (frame) => {
      charge(frame, 1);
      return value;
    };
  }
  const slot = layout.slotOf(name) ?? -1;
  return (frame) => {
    charge(frame, 1);
    const value = frame.slots[slot];
    if (value === undefined) throw new EvaluationError(`no such attribute(s): ${name}`);
    if (value instanceof EvaluationError) throw value;
    return value;
  };
}

function select(node: Expression & { is: 'select' }, layout: Layout): Evaluate {
  const operand = compile(node.operand, layout);
  const { field, isTest, isOptional } = node;
  const read = (container: Value): Value | undefined => {
    if (container instanceof CelMap) return container.get(field);
    // A value without fields lacks this one.
    if (isTest || isOptional) return undefined;
    throw new EvaluationError(`no such key: ${field}`);
  };
  if (isTest)
    return (frame) => {
      const container = operand(frame);
      const whole = container instanceof Optional ? container.value : container;
      return whole !== undefined && read(whole) !== undefined;
    };
  return (frame) => {
    const container = operand(frame);
    charge(frame, 1);
    if (container instanceof Optional) return container.value === undefined ? container : new Optional(read(container.value));
    if (isOptional) return new Optional(read(container));
    const value = read(container);
    if (value === undefined) throw new EvaluationError(`no such key: ${field}`);
    return value;
  };
}

function call(node: Call, layout: Layout): Evaluate {
  // Before its arguments are compiled: the appended element would be compiled twice, and so at each level of loops in loops.
  if (node.function === '_+_' && isAppending(node)) return appending(node, layout);
  const args = [...(node.target ? [node.target] : []), ...node.args].map((argument) => compile(argument, layout));
  const [first, second, third] = args;
  if (first && second) {
    switch (node.function) {
      case '_&&_':
        return logical(first, second, false);
      case '_||_':
        return logical(first, second, true);
      case '_?_:_':
        return (frame) => {
          const condition = first(frame);
          if (typeof condition !== 'boolean') throw new EvaluationError('no such overload');
          return (condition ? second : (third ?? second))(frame);
        };
      case 'or':
      case 'orValue':
        return alternative(first, second, node.function);
      default:
    }
  }
  if (node.function === '@not_strictly_false' && first) return notStrictlyFalse(first);
  return dispatched(node, args);
}

/** `&&` and `||` ask the right side where the left one fails, and pass over a failure where the other side decides. */
function logical(left: Evaluate, right: Evaluate, decisive: boolean): Evaluate {
  return (frame) => {
    const one = attempt(left, frame);
    if (one === decisive) return decisive;
    const other = attempt(right, frame);
    if (other === decisive) return decisive;
    for (const value of [one, other]) {
      if (value instanceof EvaluationError) throw value;
      if (typeof value !== 'boolean') throw new EvaluationError('no such overload');
    }
    return !decisive;
  };
}

function attempt(evaluate: Evaluate, frame: Frame): Value | EvaluationError {
  try {
    return evaluate(frame);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

function notStrictlyFalse(value: Evaluate): Evaluate {
  return (frame) => {
    const answer = attempt(value, frame);
    charge(frame, 1);
    return answer !== false;
  };
}

/** `optional.or(…)` and `optional.orValue(…)` look at the second only where the first has nothing. */
function alternative(first: Evaluate, second: Evaluate, name: 'or' | 'orValue'): Evaluate {
  return (frame) => {
    const value = first(frame);
    charge(frame, 1);
    if (!(value instanceof Optional)) return value;
    if (value.value === undefined) return second(frame);
    return name === 'or' ? value : value.value;
  };
}

function dispatched(node: Call, args: readonly Evaluate[]): Evaluate {
  const overloads = node.overloads ?? [];
  const [only] = overloads;
  const costs = new Map(overloads.map((overload) => [overload, actualCost(node.function, overload.id)]));
  const types = [...(node.target ? [node.target] : []), ...node.args].map(({ type }) => type);
  const isCertain = overloads.length === 1 && types.every((type) => type !== undefined && isClosed(type));
  if (only && isCertain) {
    const cost = costs.get(only) ?? 1;
    return (frame) => {
      const values = args.map((argument) => argument(frame));
      return run(only, values, cost, frame);
    };
  }
  return (frame) => {
    const values = args.map((argument) => argument(frame));
    // The container decides by itself which keys it takes.
    const [container, key] = values;
    if (node.function === '_[_]' && key !== undefined && (container instanceof List || container instanceof CelMap)) {
      charge(frame, 1);
      return container instanceof List ? elementAt(container, key) : entryAt(container, key);
    }
    const fitting = overloads.find(({ parameters }) => parameters.every((type, index) => accepts(type, values[index] ?? null)));
    if (fitting) return run(fitting, values, costs.get(fitting) ?? 1, frame);
    throw noOverload(node, values);
  };
}

const numeric = ['int', 'uint', 'double'];
const moments = ['google.protobuf.Timestamp', 'google.protobuf.Duration'];
/** Which types know an operator at all. */
const knowing: Readonly<Record<string, readonly string[]>> = {
  '_+_': [...numeric, ...moments, 'string', 'bytes', 'list'],
  '_-_': [...numeric, ...moments],
  '_*_': numeric,
  '_/_': numeric,
  '_%_': ['int', 'uint'],
};
const plainlyRefused = ['contains', 'startsWith', 'endsWith', 'matches', 'find'];

function noOverload({ function: name }: Call, values: readonly Value[]): EvaluationError {
  const [first = null, key = null] = values;
  if (name === '_[_]') return new EvaluationError(`no such key: ${shownKey(key)}`);
  if (name === 'size' || ownEntry(knowing, name)?.includes(typeName(first)) === false)
    return new EvaluationError(`no such overload: ${name}`);
  if (!/^[a-z]\w*$/i.test(name) || plainlyRefused.includes(name)) return new EvaluationError('no such overload');
  return new EvaluationError(`no such overload: ${name}(${values.map(typeName).join(', ')})`);
}

function run(overload: Overload, values: readonly Value[], cost: ActualCost, frame: Frame): Value {
  // Charge the part that depends on the arguments alone first: no call may be dear before it is counted.
  if (typeof cost === 'number') charge(frame, cost);
  else charge(frame, cost(values));
  return (overload.run as (...args: readonly Value[]) => Value)(...values);
}

/** Nothing within it is known at run time only. */
function isClosed(type: Type): boolean {
  switch (type.kind) {
    case 'list':
    case 'optional':
    case 'type':
      return isClosed(type.of);
    case 'map':
      return isClosed(type.key) && isClosed(type.of);
    default:
      return !isOpen(type) && type.kind !== 'param' && type.kind !== 'null';
  }
}

/** The accumulator of a loop: nobody else sees it, so that it may grow in place. */
class GrowingList extends List {
  readonly items: Value[] = [];
  get size(): number {
    return this.items.length;
  }
}

function isAppending({ args: [left, right] }: Call): boolean {
  return left?.is === 'identifier' && left.name === accumulatorName && right?.is === 'list' && right.elements.length === 1;
}

function appending({ args: [left, right] }: Call, layout: Layout): Evaluate {
  const missing: Expression = { is: 'literal', at: 0, value: null };
  const accumulator = compile(left ?? missing, layout);
  const element = compile(right?.is === 'list' && right.elements[0] ? right.elements[0] : missing, layout);
  return (frame) => {
    const list = accumulator(frame);
    const value = element(frame);
    charge(frame, listCost + 1);
    if (!(list instanceof GrowingList)) throw new EvaluationError('no such overload');
    list.items.push(value);
    return list;
  };
}

function fold(node: Fold, layout: Layout): Evaluate {
  const range = compile(node.range, layout);
  const isList = node.initial.is === 'list';
  const initial: Evaluate = isList
    ? (frame) => {
        charge(frame, listCost);
        return new GrowingList();
      }
    : compile(node.initial, layout);
  // Only all and exists may pass over an error of one element.
  const mayFail = node.condition.is === 'call';
  return layout.within(node.accumulator, (accumulator) =>
    layout.within(node.variable, (first) =>
      layout.within(node.second ?? '@unused', (second) => {
        const condition = mayFail ? compile(node.condition, layout) : undefined;
        const step = compile(node.step, layout);
        const result = compile(node.result, layout);
        return (frame) => {
          const items = range(frame);
          // A rule within a rule of the same text would share the slots.
          const outer = [frame.slots[accumulator], frame.slots[first], frame.slots[second]] as const;
          frame.slots[accumulator] = initial(frame);
          for (const [one, other] of elementsOf(items, node.second !== undefined)) {
            frame.slots[first] = one;
            frame.slots[second] = other;
            if (condition && condition(frame) === false) break;
            frame.slots[accumulator] = mayFail ? attempt(step, frame) : step(frame);
          }
          const value = result(frame);
          [frame.slots[accumulator], frame.slots[first], frame.slots[second]] = outer;
          return value;
        };
      }),
    ),
  );
}

/** As a Go server calls the type of a value that cannot be gone through. */
function goName(value: Value): string {
  const name = typeName(value)
    .replace(/^google\.protobuf\./, '')
    .replace('null_type', 'null');
  return `types.${name[0]?.toUpperCase()}${name.slice(1)}`;
}

function* elementsOf(range: Value, hasTwo: boolean): Generator<readonly [Value, Value]> {
  if (range instanceof List) {
    for (const [index, item] of range.items.entries()) yield hasTwo ? [BigInt(index), item] : [item, null];
    return;
  }
  if (!(range instanceof CelMap)) throw new EvaluationError(`got '${goName(range)}', expected iterable type`);
  for (const key of range.keys()) yield [key, hasTwo ? (range.get(key) ?? null) : null];
}
