// The static check: gives every part of an expression its type and every call the overloads that fit, or says what is wrong and where.
import type { Call, Expression, Fold } from './expression.ts';
import type { Declarations, Overload } from './functions/declare.ts';
import type { ExpressionProblem } from './problem.ts';
import {
  boolType,
  dyn,
  errorType,
  fits,
  intType,
  isOpen,
  isSameType,
  listOf,
  mapOf,
  optionalOf,
  plainType,
  stringType,
  substituted,
  typeOf,
  typeText,
  widerOf,
} from './types.ts';
import type { Bindings, Type } from './types.ts';
import { Uint } from './values.ts';
import type { Value } from './values.ts';
import { countStep } from './work.ts';

/** Names of types that expressions may use as values, as in `type(x) == string`. */
const namedTypes = new Map<string, Type>([
  ...(['bool', 'int', 'uint', 'double', 'string', 'bytes'] as const).map((name) => [name, plainType(name)] as const),
  ['null_type', plainType('null')],
  ['list', listOf(dyn)],
  ['map', mapOf(dyn, dyn)],
  ['type', typeOf(dyn)],
  ['optional_type', optionalOf(dyn)],
  ['google.protobuf.Timestamp', plainType('timestamp')],
  ['google.protobuf.Duration', plainType('duration')],
]);

/** @param variables the names that the expression may use. @returns what is wrong, in the order of the text */
export function check(root: Expression, variables: ReadonlyMap<string, Type>, functions: Declarations): ExpressionProblem[] {
  const checker = new Checker(variables, functions);
  checker.visit(root);
  checker.settle(root);
  return checker.problems.toSorted((left, right) => left.at - right.at);
}

class Checker {
  readonly problems: ExpressionProblem[] = [];
  readonly #functions: Declarations;
  #variables: ReadonlyMap<string, Type>;
  #bindings: Bindings = new Map();
  #parameters = 0;
  readonly #visited: Expression[] = [];

  constructor(variables: ReadonlyMap<string, Type>, functions: Declarations) {
    this.#variables = variables;
    this.#functions = functions;
  }

  visit(node: Expression): Type {
    // Macros repeat parts of the text, those within others many times over.
    countStep();
    const type = this.#typeOf(node);
    node.type = type;
    this.#visited.push(node);
    return type;
  }

  /** Unbound type parameters become dyn. */
  settle(root: Expression): void {
    for (const node of [root, ...this.#visited]) node.type = substituted(node.type ?? dyn, this.#bindings, dyn);
  }

  #typeOf(node: Expression): Type {
    switch (node.is) {
      case 'literal':
        return literalType(node.value);
      case 'identifier':
        return this.#identifier(node);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return listOf(this.#joined(node.elements));
      case 'map':
        return mapOf(this.#joined(node.entries.map(([key]) => key)), this.#joined(node.entries.map(([, value]) => value)));
      case 'fold':
        return this.#fold(node);
      case 'bind': {
        const bound = this.visit(node.value);
        return this.#within([[node.name, bound]], () => this.visit(node.result));
      }
    }
  }

  #report(at: number, message: string): Type {
    this.problems.push({ at, message });
    return errorType;
  }

  #identifier(node: Expression & { is: 'identifier' }): Type {
    const known = this.#variables.get(node.name);
    if (known) return known;
    const named = namedTypes.get(node.name);
    if (!named) return this.#report(node.at, `undeclared reference to '${node.name}' (in container '')`);
    node.isType = true;
    return typeOf(named);
  }

  #select(node: Expression & { is: 'select' }): Type {
    const given = this.#substituted(this.visit(node.operand));
    const isWrapped = given.kind === 'optional';
    const target = isWrapped ? given.of : given;
    const field = this.#fieldType(node, target);
    if (node.isTest) return boolType;
    return isWrapped || node.isOptional ? optionalOf(field) : field;
  }

  #fieldType({ at, field }: Expression & { is: 'select' }, target: Type): Type {
    switch (target.kind) {
      case 'map':
        return target.of;
      case 'object':
        return target.fields.get(field) ?? this.#report(at, `undefined field '${field}'`);
      case 'param':
        fits(dyn, target, this.#bindings);
        return dyn;
      default:
        if (!isOpen(target)) this.#report(at, `type '${typeText(target)}' does not support field selection`);
        return dyn;
    }
  }

  #call(node: Call): Type {
    const { target } = node;
    const args = node.args.map((argument) => this.visit(argument));
    if (target) {
      const prefix = qualifiedName(target);
      const qualified = prefix === undefined ? undefined : `${prefix}.${node.function}`;
      if (qualified !== undefined && this.#functions.has(qualified)) {
        node.function = qualified;
        node.target = undefined;
        return this.#resolved(node, args);
      }
    }
    if (!node.target) return this.#resolved(node, args);
    const targetType = this.visit(node.target);
    return this.#resolved(node, [targetType, ...args]);
  }

  #resolved(node: Call, args: readonly Type[]): Type {
    const declared = this.#functions.get(node.function);
    if (!declared) return this.#report(node.at, `undeclared reference to '${node.function}' (in container '')`);
    if (node.function === '_&&_' || node.function === '_||_') {
      node.overloads = declared;
      const wrong = args.flatMap((type, index) => (fits(boolType, type, this.#bindings) ? [] : [{ type, index }]));
      for (const { type, index } of wrong)
        this.#report(node.args[index]?.at ?? node.at, `expected type 'bool' but found '${typeText(this.#substituted(type, dyn))}'`);
      return wrong.length > 0 ? errorType : boolType;
    }
    const matching: Overload[] = [];
    let result: Type | undefined;
    for (const overload of declared) {
      if (overload.isMember !== (node.target !== undefined) || overload.parameters.length !== args.length) continue;
      const trial = new Map(this.#bindings);
      const fresh = this.#freshParameters(overload);
      if (!args.every((type, index) => fits(substituted(overload.parameters[index] ?? dyn, fresh), type, trial))) continue;
      this.#bindings = trial;
      matching.push(overload);
      const own = this.#substituted(substituted(overload.result, fresh));
      result = result === undefined || isSameType(result, own) ? own : dyn;
    }
    node.overloads = matching;
    if (result) return result;
    const shown = args.map((type) => typeText(this.#substituted(type, dyn)));
    const signature = node.target ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
    return this.#report(node.at, `found no matching overload for '${node.function}' applied to '${signature}'`);
  }

  /** The parameters of an overload under names that no other call has. */
  #freshParameters({ parameters, result }: Overload): Bindings {
    const fresh: Bindings = new Map();
    for (const name of new Set([...parameters, result].flatMap(parameterNames))) {
      fresh.set(name, { kind: 'param', name: `_var${this.#parameters}` });
      this.#parameters += 1;
    }
    return fresh;
  }

  #joined(elements: readonly Expression[]): Type {
    let joined: Type | undefined;
    for (const element of elements) {
      const type = this.visit(element);
      if (joined === undefined) joined = type;
      else if (fits(joined, type, this.#bindings)) joined = widerOf(this.#substituted(joined), this.#substituted(type));
      else joined = dyn;
    }
    if (joined) return joined;
    this.#parameters += 1;
    return { kind: 'param', name: `_var${this.#parameters - 1}` };
  }

  #fold(node: Fold): Type {
    const range = this.#substituted(this.visit(node.range));
    const accumulated = this.visit(node.initial);
    const [first, second] = this.#elementTypes(node, range);
    return this.#within([[node.accumulator, accumulated]], () => {
      const variables: [string, Type][] = [[node.variable, first]];
      if (node.second !== undefined) variables.push([node.second, second]);
      this.#within(variables, () => {
        this.#expect(node.condition, boolType);
        this.#expect(node.step, accumulated);
        return boolType;
      });
      return this.#substituted(this.visit(node.result));
    });
  }

  /** The types of a loop's variables; of the first alone where it has one. */
  #elementTypes(node: Fold, range: Type): [Type, Type] {
    switch (range.kind) {
      case 'list':
        return node.second === undefined ? [range.of, dyn] : [intType, range.of];
      case 'map':
        return [range.key, range.of];
      case 'dyn':
      case 'error':
        return [dyn, dyn];
      case 'param':
        fits(dyn, range, this.#bindings);
        return [dyn, dyn];
      default: {
        const problem = `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
        this.#report(node.range.at, problem);
        return [errorType, errorType];
      }
    }
  }

  #expect(node: Expression, wanted: Type): void {
    const type = this.visit(node);
    if (fits(wanted, type, this.#bindings)) return;
    const [expected, found] = [wanted, type].map((each) => typeText(this.#substituted(each, dyn)));
    this.#report(node.at, `expected type '${expected}' but found '${found}'`);
  }

  #within(variables: readonly (readonly [string, Type])[], body: () => Type): Type {
    const outer = this.#variables;
    this.#variables = new Map([...outer, ...variables]);
    const type = body();
    this.#variables = outer;
    return type;
  }

  #substituted(type: Type, free?: Type): Type {
    return substituted(type, this.#bindings, free);
  }
}

function literalType(value: Value): Type {
  if (value === null) return plainType('null');
  if (value instanceof Uint) return plainType('uint');
  if (value instanceof Uint8Array) return plainType('bytes');
  switch (typeof value) {
    case 'boolean':
      return boolType;
    case 'bigint':
      return intType;
    case 'number':
      return plainType('double');
    default:
      return stringType;
  }
}

function parameterNames(type: Type): string[] {
  switch (type.kind) {
    case 'param':
      return [type.name];
    case 'list':
    case 'optional':
    case 'type':
      return parameterNames(type.of);
    case 'map':
      return [...parameterNames(type.key), ...parameterNames(type.of)];
    default:
      return [];
  }
}

/** `ip` or `a.b` of a plain chain of names, which may be the first part of a function's name. */
function qualifiedName(node: Expression): string | undefined {
  if (node.is === 'identifier') return node.name;
  if (node.is !== 'select' || node.isTest || node.isOptional) return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}
