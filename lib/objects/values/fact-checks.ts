// Checks of facts that came from outside: what a reader of them takes for granted, and no more. They copy nothing, and end at the first
// fault, for each event of a relay passes through them. A check also has the schema of its values, so that a kind says the shape of its
// owners once: `Checked` is their type, and its definition is made of the schemas.
import type { JsonSchema } from '../json-schema.ts';
import { LARGEST_INT32, LEAST_INT32 } from './integers.ts';
import { isTime } from './time.ts';

export interface Fault {
  /** As a path, `status.conditions[2].type`; empty: the value itself. */
  field: string;
  expected: string;
}

export interface Check<Value = unknown> {
  (value: unknown): Fault | undefined;
  /** Absent: its values may be anything. */
  readonly schema?: JsonSchema;
  /** Never there: it carries the type. */
  readonly value?: Value;
}

/** The type of the values that pass a check. */
export type Checked<Of> = Of extends { readonly value?: infer Value } ? Value : unknown;

const withSchema = <Value>(schema: JsonSchema, check: (value: unknown) => Fault | undefined): Check<Value> =>
  Object.assign(check, { schema });

const own = (expected: string): Fault => ({ field: '', expected });
const below = (field: string, { field: rest, expected }: Fault): Fault => ({
  field: rest === '' || rest.startsWith('[') ? `${field}${rest}` : `${field}.${rest}`,
  expected,
});

const isMap = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

export const text: Check<string> = withSchema({ type: 'string' }, (value) => (typeof value === 'string' ? undefined : own('a text')));

export const textLike = (pattern: RegExp, expected: string): Check<string> =>
  withSchema({ type: 'string', pattern: pattern.source }, (value) =>
    typeof value === 'string' && pattern.test(value) ? undefined : own(expected),
  );

/** One of a few words. */
export const oneOf = <Word extends string>(...words: readonly Word[]): Check<Word> =>
  withSchema({ type: 'string', enum: words }, (value) =>
    words.some((word) => word === value) ? undefined : own(`one of ${words.join(', ')}`),
  );

export const flag: Check<boolean> = withSchema({ type: 'boolean' }, (value) =>
  typeof value === 'boolean' ? undefined : own('true or false'),
);

export const wholeNumber = (least: number, most: number): Check<number> => numberOf({ type: 'integer', minimum: least, maximum: most });

function numberOf(schema: JsonSchema & { minimum: number; maximum: number }, shown: JsonSchema = schema): Check<number> {
  const { minimum, maximum } = schema;
  return withSchema(shown, (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum
      ? undefined
      : own(`a whole number from ${minimum} to ${maximum}`),
  );
}

export const int32 = numberOf({ minimum: LEAST_INT32, maximum: LARGEST_INT32 }, { type: 'integer', format: 'int32' });
/** A count of pods, of tries, of seconds. */
export const count = numberOf({ minimum: 0, maximum: LARGEST_INT32 }, { type: 'integer', format: 'int32', minimum: 0 });
/** A number holds the largest ones only roughly. */
export const int64 = numberOf({ minimum: -(2 ** 63), maximum: 2 ** 63 }, { type: 'integer', format: 'int64' });

export const time: Check<string> = withSchema({ type: 'string', format: 'date-time' }, (value) =>
  typeof value === 'string' && isTime(value) ? undefined : own('an RFC 3339 time'),
);

const optionalChecks = new WeakSet<Check>();

/** Absent, or null, as Go writes lists and times that are empty. */
export function optional<Value>(check: Check<Value>): Check<Value | undefined> {
  const made: Check<Value | undefined> = Object.assign(
    (value: unknown) => (value === undefined || value === null ? undefined : check(value)),
    check.schema && { schema: check.schema },
  );
  optionalChecks.add(made);
  return made;
}

export const list = <Item>(check: Check<Item>): Check<Item[]> =>
  withSchema({ type: 'array', items: schemaOf(check) }, (value) => {
    if (!Array.isArray(value)) return own('a list');
    for (let at = 0; at < value.length; at += 1) {
      const fault = check(value[at]);
      if (fault) return below(`[${at}]`, fault);
    }
    return undefined;
  });

export const texts: Check<Record<string, string>> = withSchema({ type: 'object', additionalProperties: { type: 'string' } }, (value) => {
  if (!isMap(value)) return own('a map of texts');
  for (const key in value) if (typeof value[key] !== 'string') return below(key, own('a text'));
  return undefined;
});

type Optional<Fields> = { [Field in keyof Fields]: undefined extends Checked<Fields[Field]> ? Field : never }[keyof Fields];
type Flat<Fields> = { [Field in keyof Fields]: Fields[Field] };
/** An object whose fields pass these checks. */
export type CheckedFields<Fields> = Flat<
  { [Field in Exclude<keyof Fields, Optional<Fields>>]: Checked<Fields[Field]> } & {
    [Field in Optional<Fields>]?: Exclude<Checked<Fields[Field]>, undefined>;
  }
>;

/** Other fields are passed over. */
export function object<Fields extends Record<string, Check>>(fields: Fields): Check<CheckedFields<Fields>> {
  const checks = Object.entries<Check>(fields);
  const required = checks.filter(([, check]) => !optionalChecks.has(check)).map(([field]) => field);
  const properties = Object.fromEntries(checks.map(([field, check]) => [field, schemaOf(check)]));
  return withSchema({ type: 'object', ...(required.length > 0 && { required }), properties }, (value) => {
    if (!isMap(value)) return own('an object');
    for (const [field, check] of checks) {
      const fault = check(value[field]);
      if (fault) return below(field, fault);
    }
    return undefined;
  });
}

/** The schema of the values that pass; anything where the check says nothing of them. */
export const schemaOf = ({ schema }: Check): JsonSchema => schema ?? { 'x-kubernetes-preserve-unknown-fields': true };
