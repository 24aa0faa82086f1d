// An object against the rules of its schema: at each level, for the new value and for the change from the old one.
import { isDeepStrictEqual } from 'node:util';
import { Optional } from '@marcbachmann/cel-js';
import type { FieldError } from '../../objects/field-error.ts';
import { duplicateValue, forbidden, invalid, invalidValue, requiredValue } from '../../objects/refusals.ts';
import { isFields } from '../objects/api-object.ts';
import { compiledRule, viewOf } from './compiled-rules.ts';
import type { CompiledRule, View } from './compiled-rules.ts';
import { fieldPathIn } from './field-paths.ts';
import { hasRules } from './schema-rules.ts';
import { itemsOf, valuesOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { BudgetError } from './values/values.ts';
import type { Value } from './values/values.ts';

/** About a second. */
const mostStepsForObject = 3_000_000;
const longestMessageBytes = 5 * 1024;

export interface RuleOutcome {
  problems: FieldError[];
  /** Collects rules that the object broke before and that this write leaves broken. */
  warnings: string[];
}

/** Said in place of the rules where the object has other problems that keep rules from being looked at. */
export const rulesNotLookedAt: FieldError = invalidValue(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

/** The value at a place now, and the one before. */
interface Node {
  path: string;
  value: unknown;
  /** Undefined where there is nothing to compare with. */
  previous: unknown;
  /** The nearest value around it that has a counterpart is as it was, so that broken rules are passed over. */
  isUnchanged: () => boolean;
}

/** Rules at a level, and the levels below that have some. */
interface Level {
  schema: JsonSchema;
  /** Undefined where there are no rules. */
  view: View | undefined;
  rules: readonly CompiledRule[];
  items: Level | undefined;
  values: Level | undefined;
  properties: ReadonlyMap<string, Level>;
  allOf: readonly Level[];
}

const levels = new WeakMap<JsonSchema, Level | null>();

/**
 * The rules that an object breaks.
 * @param previous the object before an update; undefined for a new one
 */
export function ruleProblems(schema: JsonSchema, object: unknown, previous?: unknown): RuleOutcome {
  let level = levels.get(schema);
  if (level === undefined) levels.set(schema, (level = hasRules(schema) ? levelOf(schema, true) : null));
  if (level === null) return { problems: [], warnings: [] };
  const run = new Run();
  run.visit(level, { path: '', value: object, previous, isUnchanged: () => previous !== undefined && isDeepStrictEqual(object, previous) });
  return { problems: run.problems, warnings: run.warnings };
}

function levelOf(schema: JsonSchema, isResourceRoot: boolean): Level {
  const below = (child: JsonSchema | undefined): Level | undefined =>
    child && hasRules(child) ? levelOf(child, child['x-kubernetes-embedded-resource'] === true) : undefined;
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]): [string, Level][] => {
    const level = below(property);
    return level ? [[name, level]] : [];
  });
  const sources = schema['x-kubernetes-validations'] ?? [];
  const view = sources.length > 0 || schema.allOf?.some(hasRules) ? viewOf(schema, isResourceRoot) : undefined;
  const compiledIn = ({ 'x-kubernetes-validations': rules = [] }: JsonSchema): CompiledRule[] =>
    view ? rules.map((rule) => compiledRule(rule, view)) : [];
  return {
    schema,
    view,
    rules: compiledIn(schema),
    items: below(itemsOf(schema)),
    values: below(valuesOf(schema)),
    properties: new Map(properties),
    // The parts of `allOf` speak of the same value.
    allOf: (schema.allOf ?? []).filter(hasRules).map((part) => ({
      schema,
      view,
      rules: compiledIn(part),
      items: undefined,
      values: undefined,
      properties: new Map<string, Level>(),
      allOf: [],
    })),
  };
}

class Run {
  readonly problems: FieldError[] = [];
  readonly warnings: string[] = [];
  #budget = mostStepsForObject;
  #isOver = false;

  visit(level: Level, node: Node): void {
    if (this.#isOver || node.value === null || node.value === undefined) return;
    this.#rules(level, node);
    for (const part of level.allOf) this.#rules(part, node);
    const { value, previous, path } = node;
    if (Array.isArray(value)) this.#items(level, value, node);
    else if (isFields(value)) {
      const before = isFields(previous) ? previous : undefined;
      for (const [name, child] of Object.entries(value)) {
        const below = level.values ?? level.properties.get(name);
        if (!below) continue;
        const place = level.values ? `${path}[${name}]` : `${path && `${path}.`}${name}`;
        this.visit(below, childNode(node, place, child, before?.[name]));
      }
    }
  }

  #items(level: Level, items: readonly unknown[], node: Node): void {
    if (!level.items) return;
    const { schema } = level;
    const before = Array.isArray(node.previous) ? node.previous : [];
    const keys = schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : undefined;
    const keyOf = (item: unknown): string => JSON.stringify(keys?.map((key) => (isFields(item) ? item[key] : undefined)));
    const known = new Map(keys ? before.map((item: unknown) => [keyOf(item), item]) : []);
    for (const [index, item] of items.entries())
      this.visit(level.items, childNode(node, `${node.path}[${index}]`, item, known.get(keyOf(item))));
  }

  #rules({ rules, schema, view }: Level, node: Node): void {
    if (!view || this.#isOver) return;
    const { read } = view;
    const self = read(node.value);
    let before: Value | undefined;
    const oldSelf = (): Value | undefined =>
      node.previous === undefined || node.previous === null ? undefined : (before ??= read(node.previous));
    for (const compiled of rules) {
      if (this.#isOver) return;
      this.#rule(compiled, node, schema, self, oldSelf);
    }
  }

  #rule({ source, rule, message }: CompiledRule, node: Node, schema: JsonSchema, self: Value, oldSelf: () => Value | undefined): void {
    const { path } = node;
    const told = (text: string): void => {
      this.problems.push(invalidValue(path || '<nil>', schema.type ?? '', text));
    };
    if ('problem' in rule) {
      told(`rule compile error: ${rule.problem}`);
      return;
    }
    const variables = new Map<string, Value>([['self', self]]);
    const usesOld = rule.uses.has('oldSelf');
    if (usesOld) {
      const value = oldSelf();
      if (source.optionalOldSelf === true) variables.set('oldSelf', Optional.of(value));
      else if (value === undefined) return;
      else variables.set('oldSelf', value);
    }
    const outcome = rule.run(variables);
    if (outcome.cost > this.#budget) {
      this.#isOver = true;
      told('validation failed due to running out of cost budget, no further validation rules will be run');
      return;
    }
    this.#budget -= outcome.cost;
    if ('error' in outcome) {
      this.#isOver = outcome.error instanceof BudgetError;
      told(`${outcome.error.message} evaluating rule: ${source.message?.trim() || source.rule.trim()}`);
      return;
    }
    if (outcome.value === true) return;
    const detail = (message && 'run' in message ? this.#message(message.run(variables)) : undefined) ?? defaultMessage(source);
    const relative = source.fieldPath ? fieldPathIn(schema, source.fieldPath) : undefined;
    const problem = problemFor(source.reason, joinedPath(path, relative), node.value, schema, detail);
    if (!usesOld && node.isUnchanged()) this.warnings.push(`${problem.field}: ${problem.message}`);
    else this.problems.push(problem);
  }

  /** @returns undefined where the expression gives nothing fit for a message */
  #message(outcome: { cost: number; value?: Value }): string | undefined {
    this.#budget -= Math.min(outcome.cost, this.#budget);
    const text = typeof outcome.value === 'string' ? outcome.value.trim() : '';
    return text === '' || text.includes('\n') || Buffer.byteLength(text) > longestMessageBytes ? undefined : text;
  }
}

/** Where a value has no counterpart, that of what is around it decides. */
function childNode(parent: Node, path: string, value: unknown, previous: unknown): Node {
  return { path, value, previous, isUnchanged: previous === undefined ? parent.isUnchanged : () => isDeepStrictEqual(value, previous) };
}

const joinedPath = (path: string, relative = ''): string =>
  [path, relative]
    .filter((part) => part !== '')
    .join('.')
    .replaceAll('.[', '[') || '<nil>';

const defaultMessage = ({ message, rule }: { message?: string | undefined; rule: string }): string =>
  message ? message.trim() : `failed rule: ${rule.trim()}`;

function problemFor(reason: string | undefined, path: string, value: unknown, { type }: JsonSchema, detail: string): FieldError {
  // A whole object would only hide what is wrong.
  const isWhole = type === 'object' || type === 'array';
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(path, detail);
    case 'FieldValueRequired':
      return requiredValue(path, detail);
    case 'FieldValueDuplicate':
      return isWhole ? { ...duplicateValue(path, ''), message: 'Duplicate value' } : duplicateValue(path, value);
    default:
      return isWhole ? invalid(path, detail) : invalidValue(path, value, detail);
  }
}
