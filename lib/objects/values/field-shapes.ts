// Shapes of fields that are said once: their type, the check of such a value from outside, and their schema in a definition follow from one value.
import * as checks from './fact-checks.ts';
import type { Check } from './fact-checks.ts';

interface Notes {
  /** For people, in the schema. */
  description?: string;
  /** Further members of the schema. */
  further?: object;
  /** Readers of such a value take nothing for granted. */
  isUnchecked?: true;
}

export type Shape = Notes &
  (
    | { is: 'text' | 'flag' | 'int32' | 'int64' | 'count' | 'time' }
    | { is: 'word'; words: readonly string[] }
    | { is: 'list' | 'map'; of: Shape }
    | { is: 'object'; fields: Readonly<Record<string, Shape>>; needed: readonly string[] }
    | { is: 'upstream'; name: string }
  );

/** Has the schema of a type of Kubernetes, which is never checked here. */
interface Upstream<Type, Name extends string> {
  is: 'upstream';
  name: Name;
  isUnchecked: true;
  /** Never there: it carries the type. */
  type?: Type;
}

export const text = { is: 'text' } as const;
export const flag = { is: 'flag' } as const;
export const int32 = { is: 'int32' } as const;
export const int64 = { is: 'int64' } as const;
/** Of pods, of tries: 0 or more. */
export const count = { is: 'count' } as const;
export const time = { is: 'time' } as const;
export const wordOf = <const Words extends readonly string[]>(...words: Words) => ({ is: 'word', words }) as const;
export const upstream = <Type, const Name extends string>(name: Name): Upstream<Type, Name> => ({
  is: 'upstream',
  name,
  isUnchecked: true,
});
export const listOf = <const Item extends Shape>(of: Item) => ({ is: 'list', of }) as const;
export const mapOf = <const Value extends Shape>(of: Value) => ({ is: 'map', of }) as const;
type ShapedFields = Readonly<Record<string, Shape>>;
interface ObjectShape<Of extends ShapedFields, Needed extends string> {
  readonly is: 'object';
  readonly fields: Of;
  readonly needed: readonly Needed[];
}

/** @param needed the fields that each such object has */
export function objectOf<const Of extends ShapedFields>(fields: Of): ObjectShape<Of, never>;
export function objectOf<const Of extends ShapedFields, const Needed extends string & keyof Of>(
  fields: Of,
  needed: readonly Needed[],
): ObjectShape<Of, Needed>;
export function objectOf<Of extends ShapedFields>(fields: Of, needed: readonly string[] = []): ObjectShape<Of, string> {
  return { is: 'object', fields, needed };
}

export const about = <const Described extends Shape>(shape: Described, description: string, further: object = {}) => ({
  ...shape,
  description,
  further,
});
export const unchecked = <const Described extends Shape>(shape: Described) => ({ ...shape, isUnchecked: true as const });

/** The type of values of a shape. */
export type TypeOf<Of> = Of extends { is: 'text' | 'time' }
  ? string
  : Of extends { is: 'int32' | 'int64' | 'count' }
    ? number
    : Of extends { is: 'flag' }
      ? boolean
      : Of extends { is: 'word'; words: readonly (infer Word)[] }
        ? Word
        : Of extends { is: 'list'; of: infer Item }
          ? TypeOf<Item>[]
          : Of extends { is: 'map'; of: infer Value }
            ? Record<string, TypeOf<Value>>
            : Of extends { is: 'object'; fields: infer Fields; needed: readonly (infer Needed)[] }
              ? { -readonly [Name in keyof Fields as Name extends Needed ? Name : never]: TypeOf<Fields[Name]> } & {
                  -readonly [Name in keyof Fields as Name extends Needed ? never : Name]?: TypeOf<Fields[Name]>;
                }
              : Of extends { is: 'upstream'; type?: infer Type }
                ? Type
                : never;

const PLAIN = { text: checks.text, flag: checks.flag, int32: checks.int32, int64: checks.int64, count: checks.count, time: checks.time };

/** Fields that a shape does not name are passed over, and so are null values of a map. */
export function checkOf(shape: Shape): Check {
  if (shape.isUnchecked) return () => undefined;
  switch (shape.is) {
    case 'list':
      return checks.list(checkOf(shape.of));
    case 'map':
      return checks.map(checkOf(shape.of));
    case 'object':
      return checks.object(checksOf(shape));
    case 'word':
      return checks.oneOf(shape.words);
    case 'upstream':
      return () => undefined;
    case 'text':
    case 'flag':
    case 'int32':
    case 'int64':
    case 'count':
    case 'time':
      return PLAIN[shape.is];
  }
}

/** By field, of those that are checked. */
export const checksOf = ({ fields, needed }: Extract<Shape, { is: 'object' }>): Record<string, Check> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, { isUnchecked }]) => !isUnchecked)
      .map(([name, field]) => [name, needed.includes(name) ? checkOf(field) : checks.optional(checkOf(field))]),
  );

/** As in a CustomResourceDefinition. @param upstreamSchema by the names of upstream's shapes */
export function schemaOf<Schema extends object>(shape: Shape, upstreamSchema: (name: string) => Schema | undefined): Schema {
  const inner = (of: Shape): Schema => schemaOf(of, upstreamSchema);
  const { description, further } = shape;
  return { ...(description !== undefined && { description }), ...plainSchemaOf(shape, inner, upstreamSchema), ...further } as Schema;
}

function plainSchemaOf(shape: Shape, inner: (of: Shape) => object, upstreamSchema: (name: string) => object | undefined): object {
  switch (shape.is) {
    case 'text':
      return { type: 'string' };
    case 'flag':
      return { type: 'boolean' };
    case 'int32':
    case 'int64':
      return { type: 'integer', format: shape.is };
    case 'count':
      return { type: 'integer', format: 'int32', minimum: 0 };
    case 'word':
      return { type: 'string', enum: shape.words };
    case 'time':
      return { type: 'string', format: 'date-time' };
    case 'list':
      return { type: 'array', items: inner(shape.of) };
    case 'map':
      return { type: 'object', additionalProperties: inner(shape.of) };
    case 'object': {
      const { fields, needed } = shape;
      const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, inner(field)]));
      return { type: 'object', ...(needed.length > 0 && { required: needed }), properties };
    }
    case 'upstream':
      return upstreamSchema(shape.name) ?? {};
  }
}
