// Trees, checks and evaluations of the library from within: its README describes them to those who write macros, but its types do not.
import type { Environment } from '@marcbachmann/cel-js';
import type { Value } from './values/values.ts';

export type Evaluate = (evaluator: Evaluator, node: Node, context: Context) => Value;
export type Check = (checker: Checker, node: Node, context: Context) => StaticType;

export interface Node {
  op: string;
  args: unknown;
  start: number;
  end: number;
  evaluate: Evaluate;
  /** Applies the operator to its operands; there once it is checked. */
  handle: (left: Value, right: Value, node: Node, evaluator: Evaluator) => Value;
  /** How an operator is checked and evaluated, until the first evaluation; a macro or an alternative takes the place of both. */
  meta: { check: Check; evaluate: Evaluate };
  setMeta: <Key extends keyof Meta>(key: Key, value: Meta[Key]) => this;
}

interface Meta {
  check: Check;
  evaluate: Evaluate;
  macro: Macro;
  alternate: undefined;
  async: false;
}

export interface Macro {
  typeCheck: (checker: Checker, macro: Macro, context: Context) => StaticType;
  evaluate: (evaluator: Evaluator, macro: Macro, context: Context) => Value;
  async?: false;
}

export interface StaticType {
  kind: string;
  name: string;
  keyType: StaticType;
  valueType: StaticType;
  isDynOrBool: () => boolean;
  matches: (other: StaticType) => boolean;
}

export interface Checker {
  check: (node: Node, context: Context) => StaticType;
  getType: (name: string) => StaticType;
  /** @throws for a field that the type has not */
  checkAccessOnType: (node: Node, context: Context, type: StaticType) => StaticType;
  registry: {
    getListType: (of: StaticType) => StaticType;
    getMapType: (key: StaticType, of: StaticType) => StaticType;
    getOptionalType: (of: StaticType) => StaticType;
  };
  createError: (code: string, message: string, node: Node) => Error;
}

export interface Evaluator {
  run: (node: Node, context: Context) => Value;
}

/** Variables within an expression. */
export interface Context {
  getValue: (name: string) => Value | undefined;
  forkWithVariable: (name: string, type: StaticType) => Context;
  /** The same variables around other ones. */
  reuse: (parent: Context) => Context;
  setIterValue: (value: Value, evaluator: Evaluator) => Context;
}

export const treeOf = (parsed: ReturnType<Environment['parse']>): Node => parsed.ast as unknown as Node;
