// Problems of a value by a schema, in the API server's words and with its habits.
import type { RE2JS } from 're2js';
import { requiredValue, tooLong, tooMany, typeInvalid, unsupportedValue } from '../../objects/refusals.ts';
import { isFields, isSame } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import { compiledPattern } from '../cel/functions/patterns.ts';
import { isIntOrString, itemsOf, propertyOf, valuesOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { quoted } from '../objects/go-text.ts';
import { Findings, invalidFinding, textFinding } from './findings.ts';
import type { Finding } from './findings.ts';
import { formatIn, isOfFormat, isTextFormat } from './formats.ts';
import { isWhole, numberProblems } from './number-bounds.ts';
import type { Previous } from './previous.ts';
import { sorted } from './sorted-keys.ts';

/** A schema, and what is worked out of it once. */
interface Prepared {
  schema: JsonSchema;
  types: readonly string[];
  /** Empty where the schema names none, or one that the server does not know for the type. */
  format: string;
  pattern: RE2JS | undefined;
  /** For bounds of numbers, which have a range only where the type is certain. */
  bounds: JsonSchema;
}

const known = new WeakMap<JsonSchema, Prepared>();

function prepared(schema: JsonSchema): Prepared {
  let found = known.get(schema);
  if (!found) known.set(schema, (found = prepare(schema)));
  return found;
}

function prepare(schema: JsonSchema): Prepared {
  const { type, pattern } = schema;
  const types = isIntOrString(schema) ? ['integer', 'string'] : type ? [type] : [];
  return {
    schema,
    types,
    format: formatIn(types.length === 1 ? types[0] : undefined, schema.format ?? ''),
    pattern: pattern ? compiledPattern(pattern) : undefined,
    bounds: types.length === 1 ? schema : { ...schema, type: undefined },
  };
}

/** The type of a JSON value, as schemas name it. */
function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isWhole(value) ? 'integer' : 'number';
  return typeof value;
}

/**
 * @param path of the value within what is checked, '' for that itself
 * @param previous undefined for what is new: all of it is checked
 */
export function findingsOf(value: unknown, schema: JsonSchema, path: string, previous: Previous | undefined): Findings {
  const findings = allFindings(value, schema, path, previous);
  return previous && !findings.isEmpty && previous.isUnchanged ? withoutFound(findings) : findings;
}

/** Those of the value itself even where it is as it was. The counts of passed checks are the API server's. */
function allFindings(value: unknown, schema: JsonSchema, path: string, previous: Previous | undefined): Findings {
  const findings = new Findings();
  const { types, format, pattern, bounds } = prepared(schema);
  const type = typeOf(value);
  const ofType = types.length > 0 || format !== '' ? typeProblems(type, types, format, schema, path) : [];
  findings.add(...ofType);
  if (type === 'null') {
    if (ofType.length === 0) findings.passed += 1;
    findings.add(...enumProblems(value, schema, path));
    return findings;
  }
  if (types.length > 0 || format !== '') findings.passed += ofType.length === 0 ? 2 : 1;
  checkCombined(value, schema, path, previous, findings);
  if (typeof value === 'string') {
    findings.add(...textProblems(value, schema, pattern, path));
    findings.passed += 1;
    if (isTextFormat(format)) {
      if (!isOfFormat(value, format)) findings.add(typeFinding(path, format, value));
      findings.passed += 1;
    }
  } else if (typeof value === 'number') {
    findings.add(...numberProblems(value, bounds, path));
    findings.passed += 2;
  } else if (Array.isArray(value)) checkList(value, schema, path, previous, findings);
  findings.add(...enumProblems(value, schema, path));
  findings.passed += 1;
  if (isFields(value)) checkFields(value, schema, path, previous, findings);
  findings.passed += 1;
  return findings;
}

function withoutFound({ passed }: Findings): Findings {
  const findings = new Findings();
  findings.passed = passed;
  return findings;
}

/** @param shown the value where it is a text of the wrong format, else the name of its type */
const typeFinding = (path: string, wanted: string, shown: string): Finding => {
  const text = `${path} in body must be of type ${wanted}: ${quoted(shown)}`;
  return { name: path, text, toProblem: (field) => typeInvalid(field, shown, text) };
};

function typeProblems(type: string, types: readonly string[], format: string, schema: JsonSchema, path: string): Finding[] {
  const joined = types.join(',');
  if (type === 'null') return types.length > 0 && schema.nullable !== true ? [typeFinding(path, joined, 'null')] : [];
  const isNumeric = types.includes('integer') || types.includes('number');
  const isNumber = type === 'integer' || type === 'number';
  const fits = types.includes(type) || (type === 'integer' && isNumeric);
  // The server leaves texts and lists to their format.
  if (format !== '' && (type === 'string' || type === 'array')) return isNumeric && !fits ? [typeFinding(path, joined, type)] : [];
  if (fits) return [];
  if (format === '') return [typeFinding(path, joined, type)];
  const inferred = isNumber ? (type === 'integer' ? 'int64' : 'float64') : '';
  return [inferred === format ? typeFinding(path, joined, type) : typeFinding(path, format, inferred)];
}

function enumProblems(value: unknown, { enum: values }: JsonSchema, path: string): Finding[] {
  if (!values || values.length === 0 || values.some((allowed) => allowed !== null && isAmong(value, allowed))) return [];
  const texts = values.map((allowed) => (typeof allowed === 'string' ? allowed : JSON.stringify(sorted(allowed))));
  const text = `${path} in body should be one of [${texts.join(' ')}]`;
  return [{ name: path, text, toProblem: (field) => unsupportedValue(field, sorted(value), texts) }];
}

/** The server compares a fraction with a whole number by what is whole of it. */
const isAmong = (value: unknown, allowed: unknown): boolean =>
  typeof value === 'number' && typeof allowed === 'number' && isWhole(allowed) ? Math.trunc(value) === allowed : isSame(value, allowed);

function textProblems(
  value: string,
  { minLength, maxLength, pattern = '' }: JsonSchema,
  compiled: RE2JS | undefined,
  path: string,
): Finding[] {
  const characters = (): number => Array.from(value).length;
  if (maxLength !== undefined && value.length > maxLength && characters() > maxLength) {
    const text = `${path} in body should be at most ${maxLength} chars long`;
    return [{ name: path, text, toProblem: (field) => tooLong(field, maxLength) }];
  }
  if (minLength !== undefined && characters() < minLength)
    return [invalidFinding(path, `${path} in body should be at least ${minLength} chars long`, value)];
  if (compiled && !compiled.matcher(value).find()) return [invalidFinding(path, `${path} in body should match '${pattern}'`, value)];
  return [];
}

function checkList(list: readonly unknown[], schema: JsonSchema, path: string, previous: Previous | undefined, findings: Findings): void {
  const { minItems, maxItems } = schema;
  const items = itemsOf(schema);
  if (items)
    for (const [index, item] of list.entries()) findings.merge(findingsOf(item, items, `${path}[${index}]`, previous?.element(index)));
  const size = list.length;
  if (minItems !== undefined && size < minItems)
    findings.add(invalidFinding(path, `${path} in body should have at least ${minItems} items`, size));
  if (maxItems !== undefined && size > maxItems) findings.add(tooManyFinding(path, 'items', size, maxItems));
  findings.passed += 2;
}

const tooManyFinding = (path: string, what: string, count: number, limit: number): Finding => ({
  name: path,
  text: `${path} in body should have at most ${limit} ${what}`,
  toProblem: (field) => tooMany(field, { count, limit }),
});

function checkFields(value: Fields, schema: JsonSchema, path: string, previous: Previous | undefined, findings: Findings): void {
  const { minProperties, maxProperties, required = [], additionalProperties } = schema;
  const keys = Object.keys(value);
  if (minProperties !== undefined && keys.length < minProperties)
    findings.add(invalidFinding(path, `${path} in body should have at least ${minProperties} properties`, keys.length));
  if (maxProperties !== undefined && keys.length > maxProperties)
    findings.add(tooManyFinding(path, 'properties', keys.length, maxProperties));
  const values = valuesOf(schema);
  for (const key of keys) {
    const named = propertyOf(schema, key);
    const below = named ?? values;
    const at = named && path === '' ? key : `${path}.${key}`;
    const isOfType = path === '' && (key === 'kind' || key === 'apiVersion');
    if (below) findings.merge(findingsOf(value[key], below, at, isOfType ? undefined : previous?.field(key)));
    else if (additionalProperties === false) findings.add(invalidFinding(path, `${path}.${key} in body is a forbidden property`, key));
  }
  for (const name of required)
    if (!Object.hasOwn(value, name))
      findings.add({ name: `${path}.${name}`, text: `${path}.${name} in body is required`, toProblem: (field) => requiredValue(field) });
  findings.passed += 1;
}

/** `anyOf`, `oneOf`, `allOf` and `not`: schemas of the same value. */
function checkCombined(value: unknown, schema: JsonSchema, path: string, previous: Previous | undefined, findings: Findings): void {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  findings.passed += 2;
  if (anyOf.length + oneOf.length + allOf.length === 0 && !not) return;
  const of = (part: JsonSchema): Findings => allFindings(value, part, path, previous);
  const place = quoted(path);
  if (anyOf.length > 0) {
    const tried: Findings[] = [];
    for (const part of anyOf) {
      tried.push(of(part));
      if (tried.at(-1)?.isEmpty) break;
    }
    const fitting = tried.find(({ isEmpty }) => isEmpty);
    if (!fitting) findings.add(textFinding(`${place} must validate at least one schema (anyOf)`));
    const told = fitting ?? nearest(tried);
    if (told) findings.merge(told);
  }
  if (oneOf.length > 0) {
    const tried = oneOf.map(of);
    const fitting = tried.filter(({ isEmpty }) => isEmpty);
    if (fitting.length !== 1) {
      const found = fitting.length === 0 ? 'Found none valid' : `Found ${fitting.length} valid alternatives`;
      findings.add(textFinding(`${place} must validate one and only one schema (oneOf). ${found}`));
    }
    const told = fitting.length === 0 ? nearest(tried) : fitting.length === 1 ? fitting[0] : undefined;
    if (told) findings.merge(told);
  }
  if (allOf.length > 0) {
    const tried = allOf.map(of);
    for (const each of tried) findings.merge(each);
    const fitting = tried.filter(({ isEmpty }) => isEmpty).length;
    if (fitting < tried.length)
      findings.add(textFinding(`${place} must validate all the schemas (allOf)${fitting === 0 ? '. None validated' : ''}`));
  }
  if (not && of(not).isEmpty) findings.add(textFinding(`${place} must not validate the schema (not)`));
}

/** The first of those with the most passed checks. */
function nearest(tried: readonly Findings[]): Findings | undefined {
  let best: Findings | undefined;
  for (const each of tried) if (!best || each.passed > best.passed) best = each;
  return best;
}
