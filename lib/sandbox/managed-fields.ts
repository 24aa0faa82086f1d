// Who wrote which field last: `metadata.managedFields` of plain writes. Server-side apply would add its own operation.
import type { ManagedFieldsEntry } from '../objects/kubernetes.ts';
import { isFields, isSame } from './api-object.ts';
import type { ApiObject, Fields } from './api-object.ts';
import type { FieldType, ListType, ObjectType } from './schema/notation.ts';

/** Paths as nested objects: `f:name`, `k:{"name":"x"}` and `v:"x"` lead on, `.` is the thing itself. */
interface FieldSet {
  [step: string]: FieldSet;
}

/** Who writes, when, through what. */
export interface Writer {
  manager: string;
  apiVersion: string;
  subresource?: string;
  /** RFC 3339. */
  time: string;
}

/** Set by the server alone; nobody owns them. */
const ownerless = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
  'generateName',
]);

/**
 * The entries after a write.
 * @param previous the object before it, undefined when it is created
 * @param next the object as it will be stored; its own managedFields are not looked at
 */
export function managedFieldsAfter(
  type: ObjectType,
  previous: ApiObject | undefined,
  next: ApiObject,
  writer: Writer,
): ManagedFieldsEntry[] {
  const written: FieldSet = {};
  const removed: FieldSet = {};
  compareObjects(type, previous ? ownable(previous, writer) : {}, ownable(next, writer), written, removed);
  const before = previous?.metadata.managedFields ?? [];
  if (isNothing(written) && isNothing(removed)) return before;
  const entries: ManagedFieldsEntry[] = [];
  let isFound = false;
  for (const entry of before) {
    const fields = isFieldSet(entry.fieldsV1) ? entry.fieldsV1 : {};
    const isOwn =
      entry.manager === writer.manager &&
      entry.operation === 'Update' &&
      entry.subresource === writer.subresource &&
      entry.apiVersion === writer.apiVersion;
    const left = minus(minus(fields, removed), isOwn ? {} : written);
    if (isOwn) {
      isFound = true;
      entries.push(entryOf(union(left, written), writer));
    } else if (!isNothing(left)) entries.push({ ...entry, fieldsV1: left });
  }
  if (!isFound && !isNothing(written)) entries.push(entryOf(written, writer));
  return entries;
}

function ownable({ metadata, ...object }: ApiObject, { subresource }: Writer): Fields {
  const meta = Object.fromEntries(Object.entries(metadata).filter(([name]) => !ownerless.has(name)));
  if (subresource === undefined) delete object.status;
  return { ...object, ...(Object.keys(meta).length > 0 && { metadata: meta }) };
}

const entryOf = (fields: FieldSet, { manager, apiVersion, subresource, time }: Writer): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  apiVersion,
  time,
  fieldsType: 'FieldsV1',
  fieldsV1: fields,
  ...(subresource !== undefined && { subresource }),
});

function compareObjects(type: ObjectType, before: Fields, after: Fields, written: FieldSet, removed: FieldSet): void {
  for (const name of Object.keys(after)) {
    const field = type.fields.get(name);
    if (!field || isSame(before[name], after[name])) continue;
    compare(field.atomic ? undefined : field.type, before[name], after[name], `f:${name}`, written, removed);
  }
  for (const name of Object.keys(before)) if (!(name in after)) removed[`f:${name}`] = {};
}

/** @param type undefined where nobody looks inside */
function compare(type: FieldType | undefined, before: unknown, after: unknown, step: string, written: FieldSet, removed: FieldSet): void {
  const here: FieldSet = {};
  const gone: FieldSet = {};
  if (type?.is === 'object' && isFields(after) && Object.keys(after).length > 0) {
    compareObjects(type, isFields(before) ? before : {}, after, here, gone);
  } else if (type?.is === 'map' && isFields(after)) {
    if (before === undefined) here['.'] = {};
    const old = isFields(before) ? before : {};
    for (const key of Object.keys(after)) if (!isSame(old[key], after[key])) here[`f:${key}`] = {};
    for (const key of Object.keys(old)) if (!(key in after)) gone[`f:${key}`] = {};
  } else if (type?.is === 'list' && type.ownership !== 'atomic' && Array.isArray(after)) {
    if (before === undefined) here['.'] = {};
    compareLists(type, Array.isArray(before) ? before : [], after, here, gone);
  } else {
    written[step] = {};
    return;
  }
  if (!isNothing(here)) written[step] = here;
  if (!isNothing(gone)) removed[step] = gone;
}

function compareLists(type: ListType, before: readonly unknown[], after: readonly unknown[], written: FieldSet, removed: FieldSet): void {
  const old = new Map(before.map((item) => [stepOf(type, item), item]));
  const fresh = new Map(after.map((item) => [stepOf(type, item), item]));
  for (const [step, item] of fresh) {
    const known = old.get(step);
    if (known !== undefined && isSame(known, item)) continue;
    if (type.of.is !== 'object' || !isFields(item)) {
      written[step] = {};
      continue;
    }
    const here: FieldSet = known === undefined ? { '.': {} } : {};
    const gone: FieldSet = {};
    compareObjects(type.of, isFields(known) ? known : {}, item, here, gone);
    if (!isNothing(here)) written[step] = here;
    if (!isNothing(gone)) removed[step] = gone;
  }
  for (const step of old.keys()) if (!fresh.has(step)) removed[step] = {};
}

function stepOf(type: ListType, item: unknown): string {
  if (type.ownership === 'set' || !isFields(item)) return `v:${JSON.stringify(item)}`;
  return `k:${JSON.stringify(Object.fromEntries(type.ownerKeys.toSorted().flatMap((key) => (key in item ? [[key, item[key]]] : []))))}`;
}

const isNothing = (set: FieldSet): boolean => {
  for (const _ in set) return false;
  return true;
};

/** Without the paths of `other` and all below them. */
function minus(set: FieldSet, other: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const [step, below] of Object.entries(set)) {
    const cut = other[step];
    if (cut === undefined) result[step] = below;
    else if (!isNothing(cut)) {
      const left = minus(below, cut);
      if (!isNothing(left)) result[step] = left;
    }
  }
  return result;
}

function union(a: FieldSet, b: FieldSet): FieldSet {
  const result: FieldSet = { ...a };
  for (const [step, below] of Object.entries(b)) {
    const known = result[step];
    result[step] = known ? union(known, below) : below;
  }
  return result;
}

/** Only this file writes them, so nobody looks inside again. */
const isFieldSet = (value: unknown): value is FieldSet => isFields(value);
