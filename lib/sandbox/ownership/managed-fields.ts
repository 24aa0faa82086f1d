// Who owns which field: `metadata.managedFields` after a write. Plain writes take what they change, applies what they say.
import type { ManagedFieldsEntry } from '../../objects/kubernetes.ts';
import { isFields, isSame } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { ObjectType } from '../schema/notation.ts';
import { compare, without } from './comparison.ts';
import type { Comparison } from './comparison.ts';
import { difference, isNothing, ordered, readFieldSet, union, withoutBranches } from '../objects/field-set.ts';
import type { FieldSet } from '../objects/field-set.ts';

/** Who writes, when, through what. */
export interface Writer {
  manager: string;
  apiVersion: string;
  subresource?: string;
  /** RFC 3339. */
  time: string;
}

/** An object as one of the versions that show it: managers own fields by the names of the version through which they wrote. */
export interface View {
  apiVersion: string;
  type: ObjectType;
  /** From the object as it is stored, and back. */
  read: (object: ApiObject) => Fields;
  write: (object: ApiObject) => ApiObject;
}

/** One entry stands in for managers beyond this number. */
const mostUpdaters = 10;
const ancient = 'ancient-changes';
const beforeFirstApply = 'before-first-apply';

/** Set by the server alone; nobody owns them. */
const ownerless: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': Object.fromEntries([
    ['.', {}],
    ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation', 'managedFields', 'resourceVersion'].map(
      (name) => [`f:${name}`, {}] as const,
    ),
  ]),
};

/** One manager's claim, read. */
export interface Claim extends Writer {
  operation: 'Apply' | 'Update';
  fields: FieldSet;
}

/** The difference between two states, by the version that a manager speaks; undefined for a version that is no longer served. */
export type Differences = (apiVersion: string) => Comparison | undefined;

/**
 * The differences of two states.
 * @param before undefined for an object that did not exist
 * @param cut what the write cannot change: nobody gains or loses it
 */
export function differencesOf(views: readonly View[], before: ApiObject | undefined, after: ApiObject, cut: FieldSet): Differences {
  const found = new Map<string, Comparison | undefined>();
  return (apiVersion) => {
    if (found.has(apiVersion)) return found.get(apiVersion);
    const view = views.find((each) => each.apiVersion === apiVersion);
    const differences = view && without(compare(view.type, before && view.read(before), view.read(after)), cut);
    found.set(apiVersion, differences);
    return differences;
  };
}

/** The claims of an object's entries. @returns undefined if one of them is invalid */
export function claimsOf(entries: readonly ManagedFieldsEntry[]): Claim[] | undefined {
  const claims: Claim[] = [];
  for (const { manager = '', operation, apiVersion, time = '', fieldsType, fieldsV1, subresource } of entries) {
    const fields = readFieldSet(fieldsV1 ?? {});
    if ((operation !== 'Apply' && operation !== 'Update') || !apiVersion || fieldsType !== 'FieldsV1' || !fields) return undefined;
    claims.push({ manager, operation, apiVersion, time, fields, ...(subresource && { subresource }) });
  }
  return claims;
}

/**
 * The claims from which a plain write goes on: those that its body brings, where it brings good ones, else the stored ones.
 * @param brought undefined for a write that cannot touch them
 */
export function claimsBefore(stored: readonly ManagedFieldsEntry[], brought: readonly ManagedFieldsEntry[] | undefined): Claim[] {
  if (brought && brought !== stored) {
    const isReset = brought.length === 0 || (brought.length === 1 && isSame(brought[0], {}));
    if (isReset) return [];
    const claims = claimsOf(brought);
    if (claims) return claims;
  }
  return claimsOf(stored) ?? [];
}

/** The claims after a plain write: the writer owns what it added or changed, nobody owns what is gone. */
export function claimsAfterUpdate(claims: readonly Claim[], differences: Differences, writer: Writer): Claim[] {
  const left = claims.flatMap((claim) => {
    const comparison = differences(claim.apiVersion);
    if (!comparison) return [];
    const fields = difference(difference(claim.fields, comparison.written), comparison.removed);
    return isNothing(fields) ? [] : [{ ...claim, fields }];
  });
  const gained = difference(differences(writer.apiVersion)?.written ?? {}, ownerless);
  if (isNothing(gained)) return left;
  const before = claims.find((claim) => isBy(claim, writer, 'Update'));
  const own = left.find((claim) => isBy(claim, writer, 'Update'));
  const claim: Claim = { ...(own ?? before), ...writer, operation: 'Update', fields: own ? union(gained, own.fields) : gained };
  return capped([...left.filter((each) => each !== own), claim]);
}

/** The claims that a first apply finds when nobody owned anything: the object as it stands is somebody's. */
export function claimsBeforeFirstApply(views: readonly View[], live: ApiObject, cut: FieldSet, writer: Writer): Claim[] {
  return claimsAfterUpdate([], differencesOf(views, undefined, live, cut), { ...writer, manager: beforeFirstApply });
}

export const isBy = (claim: Claim, writer: Writer, operation: Claim['operation']): boolean =>
  claim.operation === operation &&
  claim.manager === writer.manager &&
  claim.subresource === writer.subresource &&
  (operation === 'Apply' || claim.apiVersion === writer.apiVersion);

/** A set without what nobody can own and what a write cannot change. */
export const ownable = (fields: FieldSet, cut: FieldSet): FieldSet => difference(withoutBranches(fields, cut), ownerless);

/** The oldest of too many updaters are put together, those of each version under one name. */
function capped(claims: Claim[]): Claim[] {
  const updaters = claims.filter(({ operation }) => operation === 'Update').toSorted(inOrder);
  let tooMany = updaters.length - mostUpdaters;
  if (tooMany <= 0) return claims;
  const buckets = new Map<string, Claim[]>();
  for (const claim of updaters) {
    if (tooMany <= 0) break;
    const bucket = buckets.get(claim.apiVersion);
    if (bucket) {
      bucket.push(claim);
      tooMany -= 1;
    } else buckets.set(claim.apiVersion, [claim]);
  }
  const gone = new Set([...buckets.values()].filter((bucket) => bucket.length > 1).flat());
  const put = [...buckets].flatMap(([apiVersion, bucket]): Claim[] => {
    if (bucket.length < 2) return [];
    const fields = bucket.reduce<FieldSet>((all, claim) => union(all, claim.fields), {});
    return [{ manager: ancient, operation: 'Update', apiVersion, time: bucket.at(-1)?.time ?? '', fields }];
  });
  return [...claims.filter((claim) => !gone.has(claim)), ...put];
}

const compareTexts = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);

const inOrder = (a: Claim, b: Claim): number =>
  compareTexts(a.operation, b.operation) ||
  compareTexts(a.time, b.time) ||
  compareTexts(a.manager, b.manager) ||
  compareTexts(a.apiVersion, b.apiVersion) ||
  compareTexts(a.subresource, b.subresource);

/** Claims as an object carries them. */
export const entriesOf = (claims: readonly Claim[]): ManagedFieldsEntry[] =>
  claims.toSorted(inOrder).map(({ manager, operation, apiVersion, time, fields, subresource }) => ({
    manager,
    operation,
    apiVersion,
    ...(time && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: ordered(fields),
    ...(subresource !== undefined && { subresource }),
  }));

/** The same claims, whatever their times. */
export function isSameOwnership(a: readonly ManagedFieldsEntry[], b: readonly ManagedFieldsEntry[]): boolean {
  const timeless = (entries: readonly ManagedFieldsEntry[]): unknown[] => entries.map((entry) => ({ ...entry, time: '' }));
  return a.length === b.length && isSame(timeless(a), timeless(b));
}

/** A path as a set, e.g. `metadata.ownerReferences`. */
export const fieldsNamed = (paths: readonly string[]): FieldSet =>
  paths.reduce<FieldSet>(
    (all, path) =>
      union(
        all,
        path.split('.').reduceRight<FieldSet>((below, name) => ({ [`f:${name}`]: below }), {}),
      ),
    {},
  );

/** The object in a text, such as an annotation that a manager wrote. @returns undefined for anything else */
export function parsedFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
