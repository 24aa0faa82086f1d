// The API server's types, asked of manifests before anything is planned from them: what it could not even read, no planner shall read.
import { isTime } from '../objects/time.ts';
import { isFields } from '../objects/untyped-fields.ts';
import type { ShapeProblem } from '../planners/manifest-shapes.ts';
import { schemaOf } from '../sandbox/schema/notation.ts';
import type { FieldType, Scalar } from '../sandbox/schema/notation.ts';

/**
 * The first field, known to the API server, whose value has another type than it has there. Nulls are as good as nothing, and fields that
 * the API server does not know are passed over, as it does unless it is asked to be strict.
 */
export const typeProblem = (kind: 'Job' | 'Pod', document: object): ShapeProblem | undefined => problemAt(schemaOf(kind), document, '');

/** Paths of the fields that the API server does not know, such as `spec.paralelism`: it drops them, which is seldom what was meant. */
export const unknownFields = (kind: 'Job' | 'Pod', document: object): string[] => [...unknownAt(schemaOf(kind), document, '')];

/** Of a value that has its type. */
function* unknownAt(type: FieldType, value: unknown, field: string): Generator<string> {
  if (type.is === 'object' && isFields(value))
    for (const [name, given] of Object.entries(value)) {
      const of = type.fields.get(name)?.type;
      const path = field === '' ? name : `${field}.${name}`;
      if (of) yield* unknownAt(of, given, path);
      else yield path;
    }
  if (type.is === 'list' && Array.isArray(value))
    for (const [at, item] of value.entries()) yield* unknownAt(type.of, item, `${field}[${at}]`);
}

function problemAt(type: FieldType, value: unknown, field: string): ShapeProblem | undefined {
  if (type.is === 'object') {
    if (!isFields(value)) return misfit(value, field, 'an object');
    for (const name of Object.keys(value)) {
      const of = type.fields.get(name)?.type;
      const given = value[name];
      const problem = of && given !== null && given !== undefined && problemAt(of, given, field === '' ? name : `${field}.${name}`);
      if (problem) return problem;
    }
    return undefined;
  }
  if (type.is === 'list') {
    if (!Array.isArray(value)) return misfit(value, field, 'a list');
    for (const [at, item] of value.entries()) {
      const problem = problemAt(type.of, item, `${field}[${at}]`);
      if (problem) return problem;
    }
    return undefined;
  }
  if (type.is === 'map') {
    if (!isFields(value)) return misfit(value, field, 'a map');
    for (const [key, item] of Object.entries(value)) {
      const problem = item !== null && problemAt(type.of, item, `${field}.${key}`);
      if (problem) return problem;
    }
    return undefined;
  }
  const expected = EXPECTED[type.is](value);
  return expected === undefined ? undefined : misfit(value, field, expected);
}

const misfit = (value: unknown, field: string, expected: string): ShapeProblem => ({
  field,
  expected,
  found: (JSON.stringify(value) ?? 'nothing').slice(0, 80),
});

type Expected = (value: unknown) => string | undefined;

const unless =
  (fits: (value: unknown) => boolean, expected: string): Expected =>
  (value) =>
    fits(value) ? undefined : expected;

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isInt32 = (value: unknown): boolean => isNumber(value) && Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
/** The largest one is 2 ** 63 here: nothing between the two can be held. */
const isInt64 = (value: unknown): boolean => isNumber(value) && Number.isInteger(value) && Math.abs(value) <= 2 ** 63;
const aTime = unless((value) => isText(value) && isTime(value), 'an RFC 3339 time');

/** What is expected of a scalar that does not fit. */
const EXPECTED: Readonly<Record<Scalar, Expected>> = {
  string: unless(isText, 'text'),
  boolean: unless((value) => typeof value === 'boolean', 'true or false'),
  int32: (value) => (!Number.isInteger(value) ? 'a whole number' : isInt32(value) ? undefined : 'a number of 32 bits'),
  int64: (value) => (!Number.isInteger(value) ? 'a whole number' : isInt64(value) ? undefined : 'a number of 64 bits'),
  number: unless(isNumber, 'a number'),
  time: aTime,
  microTime: aTime,
  bytes: unless(isText, 'text in base64'),
  quantity: unless((value) => isText(value) || isNumber(value), 'a quantity'),
  intOrString: unless((value) => isText(value) || isInt32(value), 'a whole number or text'),
  any: () => undefined,
};
