// One apply: the configuration over the live object, what it no longer says taken out, and a refusal where others own what changes.
import { isSame } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { ObjectType } from '../schema/notation.ts';
import { compare, fieldsSaid, withNamedFields } from './comparison.ts';
import { problemsOf } from './configuration-problems.ts';
import { difference, intersection, isNothing, pathsOf, union, withoutBranches } from '../objects/field-set.ts';
import type { FieldSet } from '../objects/field-set.ts';
import { claimsBeforeFirstApply, differencesOf, isBy, ownable, parsedFields } from './managed-fields.ts';
import type { Claim, View, Writer } from './managed-fields.ts';
import { merged, withoutFields } from './merging.ts';

export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** kubectl's own name: what it applied on the client's side before counts as its own. */
const kubectl = 'kubectl';

/** A field that somebody else owns. */
export interface OwnershipConflict {
  claim: Claim;
  path: string;
}

/** @param live undefined for an object that is to be created */
export interface Application {
  view: View;
  views: readonly View[];
  live: ApiObject | undefined;
  claims: readonly Claim[];
  config: Fields;
  writer: Writer;
  /** Take what others own. */
  isForced: boolean;
  /** Fields that this way of writing cannot change, as `status` in a write of the object itself. */
  cut: FieldSet;
}

export type Applied = { object: Fields; claims: Claim[] } | { conflicts: OwnershipConflict[] };

/** The object after an apply, and who owns it; or who is in the way. */
export function applied(application: Application): Applied {
  const { views, live, claims, cut, writer, view } = application;
  const known = claims.length > 0 || !live ? claims : claimsBeforeFirstApply(views, live, cut, writer);
  const result = attempt({ ...application, claims: known });
  if (!('conflicts' in result) || writer.manager !== kubectl || !live) return result;
  const own = lastAppliedOf(view, live);
  if (!own) return result;
  const conflicts = result.conflicts.filter(({ path }) => !own.includes(path));
  return conflicts.length > 0 ? { conflicts } : attempt({ ...application, claims: known, isForced: true });
}

function attempt({ view, views, live, claims, config, writer, isForced, cut }: Application): Applied {
  const { type } = view;
  const before = live ? view.read(live) : {};
  const own = claims.find((claim) => isBy(claim, writer, 'Apply'));
  const others = claims.filter((claim) => claim !== own);
  const said = withoutBranches(fieldsSaid(type, config), cut);
  const { kind: _, apiVersion: __, ...whole } = merged(type, before, config);
  const after = own ? pruned(type, whole, { last: withoutBranches(own.fields, cut), said, others }) : whole;
  const differences = differencesOf(views, live, view.write({ metadata: {}, ...after }), cut);

  const conflicts: OwnershipConflict[] = [];
  const left = others.flatMap((claim) => {
    const comparison = differences(claim.apiVersion);
    if (!comparison) return [];
    const taken = intersection(claim.fields, comparison.written);
    for (const path of pathsOf(taken)) conflicts.push({ claim, path });
    const fields = difference(difference(claim.fields, taken), comparison.removed);
    return isNothing(fields) ? [] : [{ ...claim, fields }];
  });
  if (conflicts.length > 0 && !isForced) return { conflicts };
  const owned = ownable(said, {});
  // A manager that applied nothing new keeps the time of its last change, which may be never.
  const time = live && isSame(before, after) ? (own?.time ?? '') : writer.time;
  const claim: Claim = { ...writer, time, operation: 'Apply', fields: owned };
  return { object: after, claims: isNothing(owned) ? left : [...left, claim] };
}

/** The merged object without what this manager applied last time, does not say now, and nobody else owns. */
function pruned(
  type: ObjectType,
  whole: Fields,
  { last, said, others }: { last: FieldSet; said: FieldSet; others: readonly Claim[] },
): Fields {
  if (isNothing(last)) return whole;
  const named = (set: FieldSet): FieldSet => withNamedFields(type, set);
  const all = named(fieldsSaid(type, whole));
  const lastSet = named(last);
  const setOf = (object: Fields): FieldSet => named(fieldsSaid(type, object));
  const owned = others.reduce((sum, claim) => union(sum, claim.fields), said);
  const narrowed = setOf(withoutFields(type, whole, lastSet));
  const kept = withoutFields(type, whole, difference(all, union(narrowed, named(owned))));
  // Fields that went with their parent, though this manager never applied them, come back.
  return withoutFields(type, whole, intersection(difference(all, setOf(kept)), lastSet));
}

/** Paths that client-side apply set and that still stand as it set them. */
function lastAppliedOf(view: View, live: ApiObject): string[] | undefined {
  const text = live.metadata.annotations?.[lastAppliedAnnotation];
  const config = text ? parsedFields(text) : undefined;
  if (!config || config['apiVersion'] !== view.apiVersion || problemsOf(view.type, config).length > 0) return undefined;
  const { written, removed } = compare(view.type, config, view.read(live));
  return pathsOf(difference(difference(fieldsSaid(view.type, config), written), removed));
}
