// Two states of one object put together, or parts of it taken out, as the types say which lists and maps have parts.
import { isFields, isSame } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import { fieldIn, shapeOf } from '../schema/free-form.ts';
import type { FieldType, ListType, ObjectType } from '../schema/notation.ts';
import { isMember } from '../objects/field-set.ts';
import type { FieldSet } from '../objects/field-set.ts';
import { areBothEmpty, byStep, isWhole, NamelessElementError, stepOf } from './steps.ts';

/** The live object with what a configuration says put over it. Both stay as they are. */
export function merged(type: ObjectType, live: Fields, config: Fields): Fields {
  const result: Fields = { ...live };
  for (const name of Object.keys(config)) {
    const field = fieldIn(type, name);
    if (field) result[name] = mergedValue(field.type, field.atomic, live[name], config[name]);
  }
  return result;
}

function mergedValue(of: FieldType, atomic: boolean, live: unknown, config: unknown): unknown {
  // Free-form values are merged where both are maps.
  const type = shapeOf(of, isFields(live) ? config : live);
  if (config === undefined) return live;
  if (live === undefined || isWhole(type, atomic) || areBothEmpty(type, live, config)) return config;
  if (type.is === 'list') return mergedList(type, listIn(live), listIn(config));
  const [old, said] = [fieldsIn(live), fieldsIn(config)];
  if (type.is === 'object') return merged(type, old, said);
  const result: Fields = { ...old };
  if (type.is === 'map') for (const key of Object.keys(said)) result[key] = mergedValue(type.of, false, old[key], said[key]);
  return result;
}

/**
 * Elements that only the live list has keep their place; those of the configuration follow its order, together with what the live
 * list says of them.
 */
function mergedList(type: ListType, live: readonly unknown[], config: readonly unknown[]): unknown[] {
  const [known, said] = [byStep(type, live), byStep(type, config)];
  const liveSteps = [...known.keys()];
  const saidSteps = [...said.keys()];
  const shared = saidSteps.filter((step) => known.has(step));
  const placed = new Set<string>();
  const result: unknown[] = [];
  const place = (step: string): void => {
    placed.add(step);
    if (shared[0] === step) shared.shift();
    result.push(said.has(step) ? mergedValue(type.of, false, known.get(step), said.get(step)) : known.get(step));
  };
  let at = 0;
  for (const step of saidSteps) {
    // Elements before it that only the live list has stay before it.
    for (; at < liveSteps.length; at += 1) {
      const next = liveSteps[at] ?? '';
      if (!said.has(next)) place(next);
      else if (!placed.has(next) && (next === step || next === shared[0])) break;
    }
    place(step);
    if (liveSteps[at] === step) at += 1;
  }
  for (const step of liveSteps.slice(at)) if (!said.has(step)) place(step);
  return result;
}

/** An object without the fields and elements of a set. @returns a copy of what changed */
export function withoutFields(type: ObjectType, object: Fields, set: FieldSet): Fields {
  const result: Fields = {};
  for (const [name, value] of Object.entries(object)) {
    const below = set[`f:${name}`];
    if (isMember(below)) continue;
    const field = fieldIn(type, name);
    result[name] = below && field ? withoutIn(field.type, field.atomic, value, below) : value;
  }
  return result;
}

/** @returns null where nothing is left */
function withoutIn(of: FieldType, atomic: boolean, value: unknown, set: FieldSet): unknown {
  const type = shapeOf(of, value);
  if (isWhole(type, atomic)) return value;
  if (type.is === 'object' && isFields(value)) return orNull(withoutFields(type, value, set));
  if (type.is === 'map' && isFields(value)) {
    const left = Object.entries(value).filter(([key]) => !isMember(set[`f:${key}`]));
    return orNull(Object.fromEntries(left.map(([key, item]) => [key, deeper(type.of, item, set[`f:${key}`])])));
  }
  if (type.is !== 'list' || !Array.isArray(value)) return value;
  const left = value.flatMap((item: unknown) => {
    const below = set[nameOf(type, item)];
    return isMember(below) ? [] : [deeper(type.of, item, below)];
  });
  return left.length > 0 ? left : null;
}

const deeper = (type: FieldType, value: unknown, below: FieldSet | undefined): unknown =>
  below ? withoutIn(type, false, value, below) : value;

const orNull = (fields: Fields): Fields | null => (isSame(fields, {}) ? null : fields);

/** An element's step, '' for one that has none and so is in no set. */
function nameOf(type: ListType, item: unknown): string {
  try {
    return stepOf(type, item);
  } catch (error) {
    if (error instanceof NamelessElementError) return '';
    throw error;
  }
}

const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {});
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
