// Problems of an applied configuration: fields that its type does not have, values of another type, elements twice.
import { isFields } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import { goSyntax, goText } from '../objects/go-text.ts';
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
  switch (type.is) {
    case 'object':
      return isFields(value) ? inObject(type, value) : problem(`expected map, got &{${goText(value)}}`);
    case 'map':
      if (!isFields(value)) return problem(`expected map, got &{${goText(value)}}`);
      return Object.entries(value).flatMap(([key, item]) => at(`.${key}`, inValue(type.of, item)));
    case 'list': {
      if (!Array.isArray(value)) return problem(`expected list, got &{${goText(value)}}`);
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
      return typeof value === 'number' ? [] : problem(`expected numeric (int or float), got ${goTypeOf(value)}`);
    case 'boolean':
      return typeof value === 'boolean' ? [] : problem(`expected boolean, got &{${goText(value)}}`);
    case 'quantity':
    case 'intOrString':
      return isFields(value) || Array.isArray(value) ? problem(`expected any scalar, got &{${goText(value)}}`) : [];
    case 'string':
    case 'time':
    case 'microTime':
    case 'bytes':
      return typeof value === 'string' ? [] : problem(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
    case 'any':
    case 'free':
      return [];
    default:
      return type satisfies never;
  }
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isFields(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
