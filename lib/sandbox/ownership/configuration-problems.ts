// Problems of an applied configuration: fields that its type does not have, values of another type, elements twice.
import { isFields } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import { goText } from '../objects/go-text.ts';
import { fieldIn } from '../schema/free-form.ts';
import type { FieldType, ObjectType } from '../schema/notation.ts';
import { textOfStep } from '../objects/field-set.ts';
import { NamelessElementError, stepOf } from './steps.ts';

/** All problems, each with its path; nothing for a configuration that fits. Of unknown fields one is reported for each object. */
export function problemsOf(type: ObjectType, config: Fields): string[] {
  return inObject(type, config).map(({ path, message }) => `${path}: ${message}`);
}

interface Problem {
  path: string;
  message: string;
}

const at = (prefix: string, problems: Problem[]): Problem[] => problems.map(({ path, message }) => ({ path: prefix + path, message }));

const problem = (message: string): Problem[] => [{ path: '', message }];

function inObject(type: ObjectType, value: Fields): Problem[] {
  const problems: Problem[] = [];
  for (const [name, item] of Object.entries(value)) {
    const field = fieldIn(type, name);
    if (!field) return [...problems, ...at(`.${name}`, problem('field not declared in schema'))];
    problems.push(...at(`.${name}`, inValue(field.type, item)));
  }
  return problems;
}

function inValue(type: FieldType, value: unknown): Problem[] {
  if (value === null || value === undefined) return [];
  const unless = (isGood: boolean, wanted: string): Problem[] => (isGood ? [] : problem(`expected ${wanted}, got ${goText(value)}`));
  switch (type.is) {
    case 'object':
      return isFields(value) ? inObject(type, value) : unless(false, 'map');
    case 'map':
      if (!isFields(value)) return unless(false, 'map');
      return Object.entries(value).flatMap(([key, item]) => at(`.${key}`, inValue(type.of, item)));
    case 'list': {
      if (!Array.isArray(value)) return unless(false, 'list');
      const seen = new Set<string>();
      const problems: Problem[] = [];
      for (const [index, item] of value.entries()) {
        let step = `i:${index}`;
        try {
          if (type.ownership !== 'atomic') step = stepOf(type, item);
        } catch (error) {
          // Nothing is said of what comes after an element without a name.
          if (error instanceof NamelessElementError) return [...problems, ...problem(`element ${index}: ${error.message}`)];
          throw error;
        }
        if (seen.has(step)) problems.push(...problem(`duplicate entries for key ${textOfStep(step)}`));
        seen.add(step);
        problems.push(...at(textOfStep(step), inValue(type.of, item)));
      }
      return problems;
    }
    case 'int32':
    case 'int64':
    case 'number':
      return unless(typeof value === 'number', 'numeric (int or float)');
    case 'boolean':
      return unless(typeof value === 'boolean', 'boolean');
    case 'quantity':
    case 'intOrString':
      return unless(!isFields(value) && !Array.isArray(value), 'any scalar');
    case 'string':
    case 'time':
    case 'microTime':
    case 'bytes':
      return unless(typeof value === 'string', 'string');
    case 'any':
    case 'free':
      return [];
    default:
      return type satisfies never;
  }
}
