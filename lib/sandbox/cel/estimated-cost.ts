// The worst that an expression may cost, estimated from the sizes that its schema allows; in the API server's units and by its way of counting.
import { accumulatorName } from './expression.ts';
import type { Call, Expression, Fold } from './expression.ts';
import type { Declared } from './schema-types.ts';
import type { Type } from './types.ts';
import { characterCount } from './values.ts';

/** As large as the API server counts. */
const unbounded = 2 ** 64;

const capped = (value: number): number => Math.min(value, unbounded);
const times = (left: number, right: number): number => (left === 0 || right === 0 ? 0 : capped(left * right));
const plus = (...values: number[]): number => capped(values.reduce((sum, value) => sum + value, 0));
const scaled = (value: number, factor: number): number => capped(Math.ceil(value * factor));

interface Range {
  min: number;
  max: number;
}

const exactly = (size: number): Range => ({ min: size, max: size });
const anySize: Range = { min: 0, max: unbounded };
const union = (left: Range, right: Range): Range => ({ min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) });

/** Known sizes of the elements of a list or map that the expression itself makes. */
interface Elements {
  isList: boolean;
  key: Range;
  value: Range;
}

interface Variable {
  path: readonly string[];
  size: Range | undefined;
  elements: Elements | undefined;
}

const perCharacter = 0.1;
const perPatternCharacter = 0.25;
const listCost = 10;
const mapCost = 30;

/** @param root the declaration of `self`, which paths are followed in */
export const estimatedCost = (expression: Expression, root: Declared): number => new Estimator(root).cost(expression);

class Estimator {
  readonly #root: Declared;
  readonly #variables = new Map<string, Variable>();
  readonly #paths = new Map<Expression, readonly string[]>();
  readonly #sizes = new Map<Expression, Range>();
  readonly #elements = new Map<Expression, Elements>();

  constructor(root: Declared) {
    this.#root = root;
  }

  cost(node: Expression): number {
    switch (node.is) {
      case 'literal':
        return 0;
      case 'identifier':
        this.#paths.set(node, this.#variables.get(node.name)?.path ?? [node.name]);
        return 1;
      case 'select':
        return this.#select(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'call':
        return this.#call(node);
      case 'fold':
        return this.#fold(node);
      case 'bind': {
        const value = this.cost(node.value);
        const result = this.#within(
          [[node.name, { path: this.#pathOf(node.value), size: this.#sizeOf(node.value), elements: this.#elementsOf(node.value) }]],
          () => this.cost(node.result),
        );
        this.#copy(node, node.result);
        return plus(listCost, value, result);
      }
    }
  }

  #select(node: Expression & { is: 'select' }): number {
    const operand = this.cost(node.operand);
    if (node.isTest) return operand;
    // An optional selection is a call of its own, and its path is not followed.
    if (node.isOptional) return plus(operand, 1);
    this.#paths.set(node, [...this.#pathOf(node.operand), node.field]);
    const kind = node.operand.type?.kind;
    return plus(operand, kind === 'map' || kind === 'object' || kind === 'param' ? 1 : 0);
  }

  #list(node: Expression & { is: 'list' }): number {
    const costs = node.elements.map((element) => this.cost(element));
    const sizes = node.elements.map((element) => this.#sizeOf(element) ?? anySize);
    const value = sizes.length === 0 ? exactly(0) : sizes.reduce(union);
    this.#elements.set(node, { isList: true, key: exactly(1), value });
    return plus(...costs, listCost);
  }

  #map(node: Expression & { is: 'map' }): number {
    const costs = node.entries.flat().map((part) => this.cost(part));
    const sizes = (index: 0 | 1): Range =>
      node.entries.length === 0 ? exactly(0) : node.entries.map((entry) => this.#sizeOf(entry[index]) ?? anySize).reduce(union);
    this.#elements.set(node, { isList: false, key: sizes(0), value: sizes(1) });
    return plus(...costs, mapCost);
  }

  #fold(node: Fold): number {
    const before = plus(this.cost(node.range), this.cost(node.initial));
    const elements = this.#elementsOf(node.range);
    const isList = elements ? elements.isList : node.range.type?.kind === 'list';
    const path = this.#pathOf(node.range);
    const key: Variable = { path: [...path, isList ? '@indices' : '@keys'], size: elements?.key, elements: undefined };
    const value: Variable = { path: [...path, isList ? '@items' : '@values'], size: elements?.value, elements: undefined };
    const variables: [string, Variable][] =
      node.second === undefined
        ? [[node.variable, isList ? value : key]]
        : [
            [node.variable, key],
            [node.second, value],
          ];
    const accumulator: Variable = {
      path: this.#pathOf(node.initial),
      size: this.#sizeOf(node.initial),
      elements: this.#elementsOf(node.initial),
    };
    return this.#within([[node.accumulator, accumulator]], () => {
      const step = this.#within(variables, () => plus(this.cost(node.condition), this.cost(node.step)));
      const result = this.cost(node.result);
      const count = this.#sizeOf(node.range) ?? anySize;
      if (node.initial.is === 'list' || node.initial.is === 'map') {
        this.#sizes.set(node, count);
        const made = this.#elementsOf(node.step);
        if (made) this.#elements.set(node, made);
      } else this.#sizes.set(node, exactly(1));
      return plus(before, result, times(count.max, step));
    });
  }

  #call(node: Call): number {
    const args = node.args.map((argument) => this.cost(argument));
    const target = node.target ? this.cost(node.target) : 0;
    if (node.function === 'dyn') {
      const [argument] = node.args;
      if (argument) this.#copy(node, argument);
      return plus(1, ...args);
    }
    let most = 0;
    let size: Range | undefined;
    for (const { id } of node.overloads ?? []) {
      const { cost, result } = this.#overload(node, id, args);
      most = Math.max(most, cost);
      if (result) size = size ? union(size, result) : result;
      const [container] = node.args;
      if (container && (id === 'index_list' || id === 'index_map')) {
        size = this.#elementsOf(container)?.value;
        this.#paths.set(node, [...this.#pathOf(container), id === 'index_list' ? '@items' : '@values']);
      }
      size ??= this.#sizeOf(node);
    }
    if (size) this.#sizes.set(node, size);
    return plus(target, most);
  }

  /** The cost of a call with its arguments, and the size of what it gives. */
  #overload(node: Call, id: string, args: readonly number[]): { cost: number; result?: Range | undefined } {
    const given = plus(...args);
    const [first, second, third] = node.args;
    const own = this.#functionCost(node, id);
    if (own) return { cost: plus(own.cost, given), result: own.result };
    switch (id) {
      case 'conditional': {
        const result = union(this.#sizeOrAny(second), this.#sizeOrAny(third));
        const elements = [second, third].map((branch) => branch && this.#elementsOf(branch));
        if (elements[0] && elements[1]) this.#elements.set(node, joinedElements(elements[0], elements[1]));
        return { cost: plus(args[0] ?? 0, Math.max(args[1] ?? 0, args[2] ?? 0)), result };
      }
      case 'add_string':
      case 'add_bytes':
      case 'add_list': {
        const [left, right] = [this.#sizeOrAny(first), this.#sizeOrAny(second)];
        const result = { min: plus(left.min, right.min), max: plus(left.max, right.max) };
        const elements = [first, second].map((operand) => operand && this.#elementsOf(operand));
        if (elements[0] && elements[1]) this.#elements.set(node, joinedElements(elements[0], elements[1]));
        return { cost: plus(id === 'add_list' ? 1 : scaled(result.max, perCharacter), given), result };
      }
      case 'logical_and':
      case 'logical_or':
        return { cost: given };
      case 'in_list':
        return { cost: plus(this.#sizeOrAny(second).max, given) };
      case 'equals':
      case 'not_equals':
        return { cost: plus(this.#equality(node), given) };
      default:
        if (/^(less|greater)(_equals)?_(string|bytes)$/.test(id)) return { cost: plus(this.#equality(node), given) };
        return { cost: plus(1, given) };
    }
  }

  #equality({ args: [left, right] }: Call): number {
    if (left?.type?.kind === 'opaque' && right?.type?.kind === 'opaque') return 1;
    return scaled(Math.min(this.#sizeOrAny(left).max, this.#sizeOrAny(right).max), perCharacter);
  }

  /** Functions whose cost depends on the sizes of what they are given. */
  #functionCost({ function: name, target, args }: Call, id: string): { cost: number; result?: Range } | undefined {
    const [first] = args;
    const own = this.#sizeOrAny(target);
    const given = this.#sizeOrAny(first);
    switch (name) {
      case 'isSorted':
      case 'sum':
      case 'max':
      case 'min':
      case 'indexOf':
      case 'lastIndexOf': {
        const element = target?.type?.kind === 'list' ? target.type.of : undefined;
        if (!target || !element) return { cost: scaled(own.max, perCharacter) };
        if (element.kind !== 'string' && element.kind !== 'bytes') return { cost: own.max };
        return { cost: times(own.max, plus(1, scaled(this.#elementSize(target).max, perCharacter))) };
      }
      case 'url':
        return { cost: scaled(given.max, perCharacter), result: given };
      case 'lowerAscii':
      case 'upperAscii':
      case 'substring':
      case 'trim':
        return { cost: scaled(own.max, perCharacter), result: own };
      case 'replace':
        return { cost: scaled(own.max, 2 * perCharacter), result: replacedSize(own, given, this.#sizeOrAny(args[1])) };
      case 'split':
        return { cost: scaled(own.max, 2 * perCharacter), result: { min: 0, max: own.max } };
      case 'join': {
        const element = target ? this.#elementSize(target) : anySize;
        const between = first ? times(given.max, Math.max(0, own.max - 1)) : 0;
        const max = plus(times(own.max, element.max), between);
        return { cost: scaled(max, perCharacter), result: { min: 0, max } };
      }
      case 'find':
      case 'findAll':
        return { cost: this.#pattern(own, given), result: { min: 0, max: own.max } };
      case 'matches':
        return target ? { cost: this.#pattern(own, given) } : undefined;
      case 'cidr':
      case 'isIP':
      case 'isCIDR':
      case 'quantity':
      case 'isQuantity':
      case 'semver':
      case 'isSemver':
        return { cost: scaled(given.max, perCharacter) };
      case 'ip':
        return { cost: id === 'cidr_ip' ? 1 : scaled(given.max, perCharacter) };
      case 'ip.isCanonical':
        return { cost: scaled(given.max, 2 * perCharacter) };
      case 'containsIP':
        return { cost: plus(4, id === 'cidr_contains_ip_string' ? scaled(given.max, perCharacter) : 0) };
      case 'containsCIDR':
        return { cost: plus(7, id === 'cidr_contains_cidr_string' ? scaled(given.max, perCharacter) : 0) };
      case 'validate':
        return { cost: scaled(scaled(given.max, perCharacter), 128 * perPatternCharacter) };
      case 'startsWith':
      case 'endsWith':
        return { cost: scaled(given.max, perCharacter) };
      case 'contains':
        return { cost: times(scaled(own.max, perCharacter), scaled(given.max, perCharacter)) };
      case 'format':
        return { cost: scaled(own.max, perCharacter) };
      case 'sets.contains':
      case 'sets.equivalent':
      case 'sets.intersects': {
        const pairs = times(given.max, this.#sizeOrAny(args[1]).max);
        return { cost: plus(1, name === 'sets.equivalent' ? times(pairs, 2) : pairs) };
      }
      case 'slice':
      case 'reverse':
      case 'flatten':
        return { cost: plus(listCost + 1, own.max), result: { min: 0, max: own.max } };
      case 'distinct':
      case 'sort':
      case '@sortByAssociatedKeys':
        return { cost: plus(listCost + 1, times(own.max, own.max)), result: { min: 0, max: own.max } };
      case 'lists.range': {
        const count = first?.is === 'literal' && typeof first.value === 'bigint' ? Number(first.value) : unbounded;
        return { cost: plus(listCost + 1, count), result: exactly(count) };
      }
      default:
        return undefined;
    }
  }

  /** An empty text may still meet an expensive pattern. */
  #pattern(text: Range, pattern: Range): number {
    return times(scaled(plus(text.max, 1), perCharacter), scaled(pattern.max, perPatternCharacter));
  }

  #elementSize(list: Expression): Range {
    const path = this.#pathOf(list);
    return (path.length === 0 ? undefined : this.#declaredSize([...path, '@items'])) ?? anySize;
  }

  #within<Result>(variables: readonly (readonly [string, Variable])[], body: () => Result): Result {
    const outer = variables.map(([name]) => [name, this.#variables.get(name)] as const);
    for (const [name, variable] of variables) this.#variables.set(name, variable);
    const result = body();
    for (const [name, variable] of outer) {
      if (variable) this.#variables.set(name, variable);
      else this.#variables.delete(name);
    }
    return result;
  }

  #pathOf(node: Expression): readonly string[] {
    if (node.is === 'identifier') {
      const variable = this.#variables.get(node.name);
      if (variable) return variable.path;
    }
    return this.#paths.get(node) ?? [];
  }

  #sizeOrAny(node: Expression | undefined): Range {
    return (node && this.#sizeOf(node)) ?? anySize;
  }

  #sizeOf(node: Expression): Range | undefined {
    const known = this.#sizes.get(node) ?? literalSize(node);
    if (known) return known;
    const declared = this.#declaredSize(this.#pathOf(node));
    if (declared) {
      this.#sizes.set(node, declared);
      return declared;
    }
    if (node.type && isScalar(node.type)) return exactly(1);
    return node.is === 'identifier' ? this.#variables.get(node.name)?.size : undefined;
  }

  #elementsOf(node: Expression): Elements | undefined {
    return this.#elements.get(node) ?? (node.is === 'identifier' ? this.#variables.get(node.name)?.elements : undefined);
  }

  /** Of what a path from `self` leads to. */
  #declaredSize(path: readonly string[]): Range | undefined {
    if (path.length === 0 || path[0] === accumulatorName) return undefined;
    let current: Declared | undefined = this.#root;
    for (const name of path.slice(1)) {
      if (name === '@items' || name === '@values') current = current.element;
      // The schema does not bound a key: it may be as long as a request.
      else if (name === '@keys') return current.element ? { min: 0, max: 0 } : undefined;
      else current = current.fields?.get(name);
      if (!current) return undefined;
    }
    return { min: 0, max: current.maxElements };
  }

  #copy(to: Expression, from: Expression): void {
    const [size, elements] = [this.#sizeOf(from), this.#elementsOf(from)];
    if (size) this.#sizes.set(to, size);
    if (elements) this.#elements.set(to, elements);
  }
}

const joinedElements = (left: Elements, right: Elements): Elements => ({
  isList: left.isList,
  key: union(left.key, right.key),
  value: union(left.value, right.value),
});

/** The longest that a text may become. */
function replacedSize(text: Range, part: Range, by: Range): Range {
  if (part.min === 0) return { min: 0, max: plus(times(plus(text.max, 1), by.max), text.max) };
  if (by.max <= part.min) return { min: 0, max: text.max };
  return { min: 0, max: times(capped(Math.ceil(text.max / part.min)), by.max) };
}

function literalSize(node: Expression): Range | undefined {
  switch (node.is) {
    case 'literal':
      if (typeof node.value === 'string') return exactly(characterCount(node.value));
      return exactly(node.value instanceof Uint8Array ? node.value.length : 1);
    case 'list':
      return exactly(node.elements.length);
    case 'map':
      return exactly(node.entries.length);
    default:
      return undefined;
  }
}

function isScalar(type: Type): boolean {
  if (type.kind === 'optional') return isScalar(type.of);
  return ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].includes(type.kind);
}
