// The view of a workload's children other than pods, resource by resource: observations merged by uid and by the resourceVersion at which
// they were observed (R2). Each resource has a floor of its own, because versions are ordered per resource (R3).
import { childText, isSameChild, type ChildState } from '../../objects/child-state.ts';
import { compareResourceVersions, isNewer, newest } from '../../objects/values/resource-version.ts';
import { digestOf } from '../../wire/words/digest.ts';
import type { ChildEntry, ChildObservation, ChildrenPart, PartsDigest, WholeChildren } from '../../wire/words/observations.ts';

/** Of one resource. */
export interface ChildrenNews {
  children: readonly ChildObservation[];
  whole?: WholeChildren | undefined;
  byPass: boolean;
}

export interface MergedChildren {
  part: ChildrenPart;
  /** A child came, changed or went. A newer version alone is not a change, and neither is a floor. */
  isNews: boolean;
  /** Whether the part must be written, even if only its floor differs. */
  changed: boolean;
  /** Every observation was known from a pass's own calls. */
  observedByPass: boolean;
}

export const emptyChildren = (resource: string, { era, floor }: { era: number; floor: string }): ChildrenPart => ({
  era,
  resource,
  floor,
  children: new Map(),
});

type Told = Pick<ChildObservation, 'heardAt' | 'presence'>;

/**
 * A uid does not come back, so `deleted` is final. A child that left the selection exists again as soon as that is observed (trap 1). A pass
 * observes it by name, at the very version at which it left.
 */
export function isLaterChild(one: Told, than: Told): boolean {
  if ((one.presence === 'deleted') !== (than.presence === 'deleted')) return one.presence === 'deleted';
  if (one.heardAt === than.heardAt) return one.presence === 'there' && than.presence === 'left';
  return isNewer(one.heardAt, than.heardAt);
}

/** Returns a new part and leaves the given one unchanged. */
export const mergeChildren = (before: ChildrenPart, news: ChildrenNews): MergedChildren =>
  mergeIntoChildren({ ...before, children: new Map(before.children) }, news);

/** Changes the part itself. Only for a caller that alone holds the part: a large part is not copied for each observed child. */
export function mergeIntoChildren(part: ChildrenPart, { children, whole, byPass }: ChildrenNews): MergedChildren {
  const merged = { part, isNews: false, changed: false, observedByPass: true };
  for (const observation of children) {
    const known = part.children.get(observation.child.uid);
    if (!isTaken(observation, known, { floor: part.floor, isInclusive: byPass || whole !== undefined })) {
      if (!known?.byPass) merged.observedByPass = false;
      continue;
    }
    // Keep the version even if nothing else differs. Otherwise an older observation that arrives late would count as a change (R2).
    const isSame = known?.presence === observation.presence && isSameChild(known.child, observation.child);
    part.children.set(observation.child.uid, { ...observation, byPass: byPass || (isSame && known.byPass) });
    merged.changed = true;
    if (!isSame) {
      merged.isNews = true;
      merged.observedByPass = false;
    }
  }
  if (whole) applyWhole(part, whole, children, merged);
  return merged;
}

/**
 * `isInclusive`: an observation at the floor itself counts. The list of that floor made it, or a pass read the object by name, which shows
 * objects outside every selection.
 */
function isTaken(
  { heardAt, presence }: ChildObservation,
  known: ChildEntry | undefined,
  { floor, isInclusive }: { floor: string; isInclusive: boolean },
): boolean {
  if (known && !isLaterChild({ heardAt, presence }, known)) return false;
  if (known && presence === 'deleted') return true;
  return isInclusive ? compareResourceVersions(heardAt, floor) >= 0 : isNewer(heardAt, floor);
}

/** A child that the list does not name is gone, or has left the selection (R19, trap 1). The floor of this resource rises. */
function applyWhole(
  part: ChildrenPart,
  { floor, isSelected }: WholeChildren,
  told: readonly ChildObservation[],
  merged: MergedChildren,
): void {
  if (isNewer(part.floor, floor)) return;
  const raises = isNewer(floor, part.floor);
  const named = new Set(told.flatMap(({ heardAt, child }) => (isNewer(floor, heardAt) ? [] : [child.uid])));
  for (const [uid, entry] of part.children) {
    if (isNewer(entry.heardAt, floor) || named.has(uid)) continue;
    if (entry.presence === 'deleted') {
      // A tombstone stays over at least one whole list, so that a pass has seen it.
      if (!raises || isNewer(entry.heardAt, part.floor)) continue;
      part.children.delete(uid);
      merged.changed = true;
    } else if (entry.presence === 'there') {
      part.children.set(uid, { ...entry, heardAt: floor, presence: isSelected ? 'left' : 'deleted', byPass: false });
      merged.changed = true;
      merged.isNews = true;
    }
  }
  if (!raises) return;
  part.floor = floor;
  merged.changed = true;
  merged.observedByPass = false;
}

/** Joins several parts of one resource. */
export function joinChildren(
  resource: string,
  parts: readonly ChildrenPart[],
  { era, floor }: { era: number; floor: string },
): ChildrenPart {
  const joined = emptyChildren(resource, { era, floor });
  for (const part of parts) {
    joined.floor = newest(joined.floor, part.floor);
    for (const [uid, entry] of part.children) {
      const known = joined.children.get(uid);
      if (!known || isLaterChild(entry, known)) joined.children.set(uid, entry);
    }
  }
  return joined;
}

/** The children that exist. */
export const livingChildren = ({ children }: ChildrenPart): ChildState[] =>
  [...children.values()].filter(({ presence }) => presence === 'there').map(({ child }) => child);

/** The digest of the children of one resource, if all their parts are of that revision. */
export const partsDigestOf = (resource: string, revision: number, children: Iterable<ChildState>): PartsDigest => ({
  resource,
  revision,
  digest: digestOf([...children].map((child) => ({ uid: child.uid, resourceVersion: childText(child) }))),
});

/**
 * The same digests from a view, for comparison with a relay's. If a resource has a part of another revision, the two cannot be compared, so
 * it counts as equal (trap 10).
 */
export const comparableParts = (view: readonly ChildrenPart[], told: readonly PartsDigest[]): PartsDigest[] =>
  told.map((digest) => {
    const living = view.filter(({ resource }) => resource === digest.resource).flatMap(livingChildren);
    const isComparable = living.every(({ part }) => part.revision === digest.revision);
    return isComparable ? partsDigestOf(digest.resource, digest.revision, living) : digest;
  });

/** The text of a digest mismatch. A later look makes it anew from the view. */
export const digestText = (digest: string, parts: readonly PartsDigest[] | undefined): string =>
  [digest, ...(parts ?? []).map((part) => `${part.resource}=${part.revision}:${part.digest}`)].join(' ');

/** The digests of parts in the text of a digest mismatch. */
export const partsIn = (text: string): PartsDigest[] =>
  text
    .split(' ')
    .slice(1)
    .flatMap((each) => {
      const [, resource, revision, digest] = /^([^=]+)=(\d+):([0-9a-f]{16})$/.exec(each) ?? [];
      return resource === undefined || digest === undefined ? [] : [{ resource, revision: Number(revision), digest }];
    });
