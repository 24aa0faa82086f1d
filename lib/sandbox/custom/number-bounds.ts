// Bounds of numbers, with the API server's habits: it compares whole numbers with what is whole of a bound.
import { floatText, numberText } from '../objects/go-text.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { textFinding } from './findings.ts';
import type { Finding } from './findings.ts';

const largestFloat = 3.402_823_466_385_288_6e38;

/** With 64 bits. */
export const isWhole = (value: number): boolean => Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;

/** @param type integer, number, or empty where a value may be of several types */
function rangeProblem(value: number, { type, format }: JsonSchema, what: string, path: string): Finding[] {
  const fits =
    type === 'integer'
      ? isWhole(value) && (format !== 'int32' || value === (value | 0))
      : type !== 'number' || format !== 'float' || Math.abs(value) <= largestFloat;
  if (fits) return [];
  const known = (type === 'integer' ? ['int32', 'int64'] : ['float', 'double']).includes(format ?? '');
  return [textFinding(`${what} value must be of type ${type} ${known ? `with format ${format}` : '(default format)'} in ${path}`)];
}

const refused = (path: string, value: number, text: string): Finding => ({
  name: path,
  text,
  toProblem: (field) => ({ reason: 'FieldValueInvalid', field, message: `Invalid value: ${numberText(value)}: ${text}` }),
});

/** Problems of a number. @param schema its type left out where it may be of several */
export function numberProblems(value: number, schema: JsonSchema, path: string): Finding[] {
  const { multipleOf, minimum, maximum } = schema;
  return [
    ...rangeProblem(value, schema, 'Checked', path),
    ...(multipleOf === undefined ? [] : multipleProblems(value, multipleOf, schema, path)),
    ...(minimum === undefined ? [] : boundProblems(value, minimum, schema, path, 'minimum')),
    ...(maximum === undefined ? [] : boundProblems(value, maximum, schema, path, 'maximum')),
  ];
}

function boundProblems(value: number, given: number, schema: JsonSchema, path: string, side: 'minimum' | 'maximum'): Finding[] {
  const problems = rangeProblem(given, schema, side === 'minimum' ? 'Minimum boundary' : 'Maximum boundary', path);
  const isByWholes = problems.length === 0 && isWhole(value);
  const bound = isByWholes ? Math.trunc(given) : given;
  const isExclusive = (side === 'minimum' ? schema.exclusiveMinimum : schema.exclusiveMaximum) === true;
  const isWithin = side === 'minimum' ? value > bound : value < bound;
  if (isWithin || (value === bound && !isExclusive)) return problems;
  const words = `should be ${side === 'minimum' ? 'greater' : 'less'} than ${isExclusive ? '' : 'or equal to '}${(isByWholes ? numberText : floatText)(bound)}`;
  return [...problems, refused(path, value, `${path} in body ${words}`)];
}

function multipleProblems(value: number, given: number, schema: JsonSchema, path: string): Finding[] {
  const problems = rangeProblem(given, schema, 'MultipleOf', path);
  const isByWholes = problems.length === 0 && isWhole(value);
  const factor = isByWholes ? Math.trunc(given) : given;
  const text = (isByWholes ? numberText : floatText)(factor);
  if (factor <= 0) return [...problems, refused(path, factor, `factor MultipleOf declared for ${path} must be positive: ${text}`)];
  const isMultiple = isByWholes ? value % factor === 0 : isNearlyWhole(factor < 1 ? (1 / factor) * value : value / factor);
  return isMultiple ? problems : [...problems, refused(path, value, `${path} in body should be a multiple of ${text}`)];
}

/** A quotient of fractions misses a whole number by a little. */
function isNearlyWhole(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  return value > 1 && (value - Math.trunc(value)) / (value + Math.trunc(value)) < 1e-9;
}
