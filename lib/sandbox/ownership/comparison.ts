// The differences between two states of an object, as sets of fields; and the set of all its fields.
import { isFields, isSame } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import { fieldIn, shapeOf } from '../schema/free-form.ts';
import type { FieldType, ListType, MapType, ObjectType } from '../schema/notation.ts';
import { insert, isNothing, withoutBranches } from '../objects/field-set.ts';
import type { FieldSet } from '../objects/field-set.ts';
import { areBothEmpty, byAllSteps, byStep, emptyOf, isWhole, namesIn, stepOf, valueOf } from './steps.ts';

export interface Comparison {
  /** Added or changed: the author of the change now owns them. */
  written: FieldSet;
  removed: FieldSet;
}

/** The difference from one state to the next. @param before undefined for an object that did not exist */
export function compare(type: ObjectType, before: Fields | undefined, after: Fields): Comparison {
  const comparison: Comparison = { written: {}, removed: {} };
  compareObjects(type, before ?? emptyOf(type), after, comparison);
  return comparison;
}

/** The same without what lies at or below the given paths. */
export const without = ({ written, removed }: Comparison, cut: FieldSet): Comparison => ({
  written: withoutBranches(written, cut),
  removed: withoutBranches(removed, cut),
});

/** @param before, after undefined where the object is not there */
function compareObjects(type: ObjectType, before: Fields | undefined, after: Fields | undefined, out: Comparison): void {
  const names = new Set([...(before ? namesIn(type, before) : []), ...(after ? namesIn(type, after) : [])]);
  for (const name of names) {
    const field = fieldIn(type, name);
    if (!field) continue;
    const was = before && valueOf(field, before);
    const is = after && valueOf(field, after);
    if (was === is) continue;
    compareValues(field.type, field.atomic, was, is, `f:${name}`, out);
  }
}

function compareValues(type: FieldType, atomic: boolean, was: unknown, is: unknown, step: string, out: Comparison): void {
  if (type.is === 'free') return compareFree(was, is, step, out);
  if (isWhole(type, atomic) || areBothEmpty(type, was, is)) {
    if (is === undefined) out.removed[step] = {};
    else if (was === undefined || !isSame(was, is)) out.written[step] = {};
    return;
  }
  const below: Comparison = { written: {}, removed: {} };
  if (type.is === 'object') compareObjects(type, fieldsIn(was), fieldsIn(is), below);
  else if (type.is === 'map') compareMaps(type, fieldsIn(was) ?? {}, fieldsIn(is) ?? {}, below);
  else if (type.is === 'list') compareLists(type, listIn(was), listIn(is), below);
  insert(out.written, step, below.written, was === undefined);
  insert(out.removed, step, below.removed, is === undefined);
}

/** A map that became another value went with all that was in it, and the other way round. */
function compareFree(was: unknown, is: unknown, step: string, out: Comparison): void {
  const free: FieldType = { is: 'free' };
  const [before, after] = [shapeOf(free, was ?? is), shapeOf(free, is ?? was)];
  if (before === after) return compareValues(before, false, was, is, step, out);
  compareValues(before, false, was, undefined, step, out);
  compareValues(after, false, undefined, is, step, out);
}

function compareMaps({ of }: MapType, before: Fields, after: Fields, out: Comparison): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (before[key] !== after[key]) compareValues(of, false, before[key], after[key], `f:${key}`, out);
  }
}

function compareLists(type: ListType, before: readonly unknown[], after: readonly unknown[], out: Comparison): void {
  const old = byStep(type, before);
  const fresh = byStep(type, after);
  const areSome = old.size < before.length || fresh.size < after.length;
  const repeated = areSome ? { old: byAllSteps(type, before), fresh: byAllSteps(type, after) } : undefined;
  for (const step of new Set([...old.keys(), ...fresh.keys()])) {
    const [was, is] = [old.get(step), fresh.get(step)];
    const [allOld = [], allFresh = []] = [repeated?.old.get(step), repeated?.fresh.get(step)];
    if (allOld.length > 1 || allFresh.length > 1) {
      // Nobody owns what is in them: they are compared, and owned, whole.
      if (is === undefined) out.removed[step] = {};
      else if (!isSame(allOld, allFresh)) out.written[step] = {};
    } else if (was !== is) compareValues(type.of, false, was, is, step, out);
  }
}

const fieldsIn = (value: unknown): Fields | undefined => (isFields(value) ? value : value === null ? {} : undefined);
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Every field that an object sets: its applier owns them. */
export function fieldsSaid(type: ObjectType, object: Fields): FieldSet {
  const set: FieldSet = {};
  for (const [name, value] of Object.entries(object)) {
    const field = fieldIn(type, name);
    if (field && value !== undefined) say(field.type, field.atomic, value, `f:${name}`, !type.fields.has(name), set);
  }
  return set;
}

/** @param isElement an element of a list or a map, as is an undeclared field, is owned itself; a field only through what is in it */
function say(of: FieldType, atomic: boolean, value: unknown, step: string, isElement: boolean, out: FieldSet): void {
  const type = shapeOf(of, value);
  const isEmpty = value === null || (isFields(value) && Object.keys(value).length === 0);
  if (isWhole(type, atomic) || value === null) {
    out[step] = {};
    return;
  }
  let below: FieldSet = {};
  if (type.is === 'object' && isFields(value)) below = fieldsSaid(type, value);
  else if (type.is === 'map' && isFields(value)) {
    for (const [key, item] of Object.entries(value)) say(type.of, false, item, `f:${key}`, true, below);
  } else if (type.is === 'list' && Array.isArray(value)) {
    for (const item of value) say(type.of, false, item, stepOf(type, item), true, below);
  }
  insert(out, step, below, isElement || isEmpty);
}

/** A set with every named field that leads to one of its paths among them: not the maps and the lists on the way. */
export function withNamedFields(type: FieldType | undefined, set: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const [step, below] of Object.entries(set)) {
    if (step === '.') {
      result['.'] = {};
      continue;
    }
    const field = type?.is === 'object' ? type.fields.get(step.slice(2)) : undefined;
    const undeclared = type?.is === 'list' || type?.is === 'map' ? type.of : type?.is === 'free' ? type : undefined;
    const kept = type?.is === 'object' ? fieldIn(type, step.slice(2))?.type : undefined;
    const inside = kept ?? undeclared;
    const deeper = withNamedFields(inside, below);
    if (field && !isNothing(deeper)) deeper['.'] = {};
    result[step] = deeper;
  }
  return result;
}
