// An expression as it was parsed, macros replaced by the loops that they stand for.
import type { Overload } from './functions/declare.ts';
import type { Type } from './types.ts';
import type { Value } from './values.ts';

interface Node {
  /** Where it stands in the text, in characters; the column of messages. */
  readonly at: number;
  /** Set by the check. */
  type?: Type;
}

export type Expression = Node &
  (
    | { readonly is: 'literal'; readonly value: Value }
    | { readonly is: 'identifier'; readonly name: string; /** A type's name, such as `int`. */ isType?: boolean }
    /** `isTest`: asks whether the field is there; `isOptional`: gives an optional. */
    | {
        readonly is: 'select';
        readonly operand: Expression;
        readonly field: string;
        readonly isTest: boolean;
        readonly isOptional: boolean;
      }
    | Call
    | { readonly is: 'list'; readonly elements: readonly Expression[] }
    | { readonly is: 'map'; readonly entries: readonly (readonly [Expression, Expression])[] }
    | Fold
    | { readonly is: 'bind'; readonly name: string; readonly value: Expression; readonly result: Expression }
  );

export type Call = Node & {
  readonly is: 'call';
  /** As declared: `_+_`, `size`, `ip.isCanonical` */
  function: string;
  /** Undefined for a function of its arguments alone, and once the name turned out to be qualified. */
  target: Expression | undefined;
  readonly args: readonly Expression[];
  /** Those that the arguments fit, set by the check. */
  overloads?: readonly Overload[];
};

/** A loop over a list or a map's keys, with an accumulator. */
export type Fold = Node & {
  readonly is: 'fold';
  readonly range: Expression;
  readonly variable: string;
  /** With it, the first variable is the key or index and this one the value. */
  readonly second: string | undefined;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
};

export const accumulatorName = '@result';
