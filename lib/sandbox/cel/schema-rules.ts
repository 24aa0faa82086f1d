// Whether the rules of a definition's schema can be evaluated; what the API server says of those that cannot.
import type { FieldError } from '../../objects/field-error.ts';
import { forbidden, invalidValue, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import { compiledRule, viewOf } from './compiled-rules.ts';
import type { View } from './compiled-rules.ts';
import { fieldPathIn } from './field-paths.ts';
import { itemsOf, valuesOf } from '../schema/json-schema.ts';
import type { JsonSchema, ValidationRule } from '../schema/json-schema.ts';

/** Ten times what any definition takes that people write. */
const longestMs = 5_000;
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** A place in the schema. */
interface Place {
  schema: JsonSchema;
  /** The schema of the value that the rules are about: that around `allOf`, for its parts. */
  about: JsonSchema;
  path: string;
  isResourceRoot: boolean;
  /** The part of the schema in which old and new values cannot be matched with each other. */
  unmatched: string | undefined;
  /** Rules that are not compiled by then are refused: the process answers nobody else meanwhile. */
  endsAtMs: number;
}

/**
 * Problems of the rules of a schema, at all its levels.
 * @param schema structural, without other problems
 * @param path where the schema stands in the definition: `spec.versions[0].schema.openAPIV3Schema`
 */
export function ruleProblemsOfSchema(schema: JsonSchema, path: string): FieldError[] {
  if (!hasRules(schema)) return [];
  const endsAtMs = performance.now() + longestMs;
  const { texts, programs } = problemsAt({ schema, about: schema, path, isResourceRoot: true, unmatched: undefined, endsAtMs });
  return [...texts, ...programs];
}

/** Whether a schema has a rule at any level. */
export function hasRules(schema: JsonSchema): boolean {
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

function problemsAt(place: Place): Found {
  const below = childrenOf(place).map((child) => problemsAt(child));
  const rules = place.schema['x-kubernetes-validations'] ?? [];
  const texts = [
    ...below.flatMap((found) => found.texts),
    ...rules.flatMap((rule, index) => problemsOfTexts(rule, place.schema, `${place.path}.x-kubernetes-validations[${index}]`)),
  ];
  const programs = below.flatMap((found) => found.programs);
  if (texts.length > 0) return { texts, programs };
  if (rules.length > 0 && performance.now() > place.endsAtMs)
    return {
      texts,
      programs: [...programs, forbidden(`${place.path}.x-kubernetes-validations`, 'the rules of the schema take too long to compile')],
    };
  const view = rules.length > 0 ? viewOf(place.about, place.isResourceRoot) : undefined;
  return { texts, programs: [...programs, ...rules.flatMap((rule, index) => problemsOfProgram(place, view, rule, index))] };
}

function childrenOf(place: Place): Place[] {
  const { schema, path, unmatched } = place;
  const child = (part: JsonSchema, at: string, within = unmatched): Place => ({
    ...place,
    schema: part,
    about: part,
    path: `${path}.${at}`,
    isResourceRoot: part['x-kubernetes-embedded-resource'] === true,
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

const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);

function problemsOfTexts(rule: ValidationRule, schema: JsonSchema, path: string): FieldError[] {
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

function problemsOfProgram(place: Place, view: View | undefined, source: ValidationRule, index: number): FieldError[] {
  const path = `${place.path}.x-kubernetes-validations[${index}]`;
  if (!view) return [invalidValue(`${path}.rule`, source.rule, 'the schema has no type here, so that expressions cannot see the value')];
  const { rule, message } = compiledRule(source, view);
  if ('problem' in rule) return [invalidValue(`${path}.rule`, source.rule, rule.problem)];
  const problems =
    message && 'problem' in message ? [invalidValue(`${path}.messageExpression`, source.messageExpression, message.problem)] : [];
  if (rule.uses.has('oldSelf')) {
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
