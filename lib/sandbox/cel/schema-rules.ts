// Whether the rules of a definition's schema can be evaluated, and cheaply enough; what the API server says of those that cannot.
import type { FieldError } from '../../objects/field-error.ts';
import { forbidden, invalid, invalidValue, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import { compiledRule } from './compiled-rules.ts';
import { fieldPathIn } from './field-paths.ts';
import { declaredOf, itemsOf, largestRequest, valuesOf } from './schema-types.ts';
import type { RuleSchema, ValidationRule } from './schema-types.ts';

const mostForOneRule = 10_000_000;
const mostForSchema = 100_000_000;
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** A place in the schema. */
interface Place {
  schema: RuleSchema;
  /** The schema of the value that the rules are about: that around `allOf`, for its parts. */
  about: RuleSchema;
  path: string;
  isResourceRoot: boolean;
  /** How often the value may occur in one object; undefined without a bound. */
  cardinality: number | undefined;
  /** The part of the schema in which old and new values cannot be matched with each other. */
  unmatched: string | undefined;
}

interface Total {
  cost: number;
  expensive: { path: string; cost: number }[];
}

/**
 * Problems of the rules of a schema, at all its levels.
 * @param schema structural, without other problems
 * @param path where the schema stands in the definition: `spec.versions[0].schema.openAPIV3Schema`
 */
export function ruleProblemsOfSchema(schema: RuleSchema, path: string): FieldError[] {
  if (!hasRules(schema)) return [];
  const total: Total = { cost: 0, expensive: [] };
  const found = problemsAt({ schema, about: schema, path, isResourceRoot: true, cardinality: 1, unmatched: undefined }, total);
  const problems = [...found.texts, ...found.programs];
  if (total.cost <= mostForSchema) return problems;
  const dearest = total.expensive.toSorted((left, right) => right.cost - left.cost).slice(0, 4);
  return [
    ...problems,
    ...dearest.map((rule) =>
      forbidden(rule.path, 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'),
    ),
    forbidden(path, costText('x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema', total.cost, mostForSchema)),
  ];
}

/** Whether a schema has a rule at any level. */
export function hasRules(schema: RuleSchema): boolean {
  if ((schema['x-kubernetes-validations'] ?? []).length > 0) return true;
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  return (
    (items !== undefined && hasRules(items)) ||
    (values !== undefined && hasRules(values)) ||
    Object.values(schema.properties ?? {}).some(hasRules) ||
    (schema.allOf ?? []).some(hasRules)
  );
}

/** Those of the rules' texts, which keep the programs at the same level and above from being looked at. */
interface Found {
  texts: FieldError[];
  programs: FieldError[];
}

function problemsAt(place: Place, total: Total): Found {
  const below = childrenOf(place).map((child) => problemsAt(child, total));
  const rules = place.schema['x-kubernetes-validations'] ?? [];
  const texts = [
    ...below.flatMap((found) => found.texts),
    ...rules.flatMap((rule, index) => problemsOfTexts(rule, place.schema, `${place.path}.x-kubernetes-validations[${index}]`)),
  ];
  const programs = below.flatMap((found) => found.programs);
  if (texts.length > 0) return { texts, programs };
  return { texts, programs: [...programs, ...rules.flatMap((rule, index) => problemsOfProgram(place, rule, index, total))] };
}

function childrenOf(place: Place): Place[] {
  const { schema, path, unmatched } = place;
  const cardinality = childCardinality(place);
  const child = (part: RuleSchema, at: string, within = unmatched): Place => ({
    schema: part,
    about: part,
    path: `${path}.${at}`,
    isResourceRoot: part['x-kubernetes-embedded-resource'] === true,
    cardinality,
    unmatched: within,
  });
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  return [
    ...(values ? [child(values, 'additionalProperties')] : []),
    ...Object.entries(schema.properties ?? {}).map(([name, property]) => child(property, `properties[${name}]`)),
    // A rule of `allOf` is about the same value.
    ...(schema.allOf ?? []).map((part, index): Place => ({
      ...place,
      schema: { ...part, properties: undefined, items: undefined, additionalProperties: undefined },
      path: `${path}.allOf[${index}]`,
    })),
    ...(items ? [child(items, 'items', schema['x-kubernetes-list-type'] === 'map' ? unmatched : path)] : []),
  ];
}

function childCardinality({ schema, cardinality }: Place): number | undefined {
  const factor =
    schema.type === 'array' ? schema.maxItems : schema.type === 'object' && schema.additionalProperties ? schema.maxProperties : 1;
  return cardinality === undefined || factor === undefined ? undefined : cardinality * Math.max(0, factor);
}

const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);

function problemsOfTexts(rule: ValidationRule, schema: RuleSchema, path: string): FieldError[] {
  const { message = '', messageExpression = '', fieldPath = '', reason } = rule;
  const [text, told] = [rule.rule.trim(), message.trim()];
  const problems: FieldError[] = [];
  if (text === '') problems.push(requiredValue(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && told === '') problems.push(invalidValue(`${path}.message`, message, 'must be non-empty if specified'));
  else if (hasLineBreak(told)) problems.push(invalidValue(`${path}.message`, message, 'must not contain line breaks'));
  else if (hasLineBreak(text) && told === '')
    problems.push(requiredValue(`${path}.message`, 'message must be specified if rule contains line breaks'));
  if (messageExpression !== '' && messageExpression.trim() === '')
    problems.push(requiredValue(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  if (reason !== undefined && !reasons.includes(reason)) problems.push(unsupportedValue(`${path}.reason`, reason, reasons));
  if (fieldPath !== '' && fieldPath.trim() === '')
    problems.push(invalidValue(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified'));
  if (hasLineBreak(fieldPath)) problems.push(invalidValue(`${path}.fieldPath`, fieldPath, 'must not contain line breaks'));
  if (fieldPath !== '' && fieldPathIn(schema, fieldPath) === undefined)
    problems.push(invalidValue(`${path}.fieldPath`, fieldPath, 'must be a valid path'));
  return problems;
}

function problemsOfProgram(place: Place, source: ValidationRule, index: number, total: Total): FieldError[] {
  const path = `${place.path}.x-kubernetes-validations[${index}]`;
  const shown = shownRule(source);
  const declared = declaredOf(place.about, place.isResourceRoot, 'selfType');
  if (!declared) return [invalidRule(`${path}.rule`, shown, 'the schema has no type here, so that expressions cannot see the value')];
  const { rule, message } = compiledRule(source, declared);
  if ('problem' in rule) return [invalidRule(`${path}.rule`, shown, rule.problem)];
  const occurrences = place.cardinality ?? Math.floor(largestRequest / (declared.minSize + 1));
  const problems = tooDear(`${path}.rule`, 'estimated rule cost', rule.cost * occurrences, total);
  if (message && 'problem' in message) problems.push(invalidRule(`${path}.messageExpression`, shown, message.problem));
  else if (message) problems.push(...tooDear(`${path}.messageExpression`, 'estimated messageExpression cost', message.cost, total));
  if (rule.program.uses.has('oldSelf')) {
    if (place.unmatched !== undefined)
      problems.push(
        invalidValue(
          `${path}.rule`,
          source.rule,
          `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.unmatched}`,
        ),
      );
  } else if (source.optionalOldSelf !== undefined)
    problems.push(invalidValue(`${path}.optionalOldSelf`, source.optionalOldSelf, 'may not be set if oldSelf is not used in rule'));
  return problems;
}

/** As a Go server writes the rule: by its own names, with signs of HTML escaped. */
function shownRule({ rule, message = '', messageExpression = '', reason, fieldPath = '', optionalOldSelf }: ValidationRule): string {
  const shown = {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason ?? null,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf ?? null,
  };
  return JSON.stringify(shown).replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

const invalidRule = (path: string, shown: string, detail: string): FieldError => invalid(path, `${shown}: ${detail}`);

function tooDear(path: string, name: string, cost: number, total: Total): FieldError[] {
  total.cost += cost;
  if (cost >= mostForSchema / 100) total.expensive.push({ path, cost });
  return cost > mostForOneRule ? [forbidden(path, costText(name, cost, mostForOneRule))] : [];
}

function costText(name: string, cost: number, limit: number): string {
  const times = cost / limit;
  const factor = times > 100 ? 'more than 100x' : times < 1.5 ? `${times.toFixed(6)}x` : `${times.toFixed(1)}x`;
  const advice = 'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `${name} exceeds budget by factor of ${factor} (${advice})`;
}
