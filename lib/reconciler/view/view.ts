// The view of one workload: observations merged by uid and by the resourceVersion at which they were observed (R2). Applying them in any
// order, any number of times, gives the same view.
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import { compareResourceVersions, isNewer, newest } from '../../objects/values/resource-version.ts';
import type { OwnerObservation, PodEntry, PodObservation, ViewPart, WholeList } from '../../wire/words/observations.ts';
import { slotOf } from '../../wire/words/view-layout.ts';

/** Observations for one view part. `byPass`: from the answer to a pass's own call or list (R7). */
export interface News {
  owner?: OwnerObservation;
  pods: readonly PodObservation[];
  whole?: WholeList;
  byPass: boolean;
}

export interface Merged {
  part: ViewPart;
  changed: boolean;
  /** A pass had observed all of it already, in this state or a later one, so no wake is needed (R9). */
  observedByPass: boolean;
}

export const emptyPart = ({ era, floor }: { era: number; floor: string }): ViewPart => ({ era, floor, pods: new Map() });

/** Returns a new part and leaves the given one unchanged. */
export function mergeNews(part: ViewPart, news: News): Merged {
  const merged: ViewPart = { ...part, pods: new Map(part.pods) };
  return { part: merged, ...mergeInto(merged, news) };
}

/** Called for every pod that changes. @param now undefined: the view no longer remembers it */
export type OnChange = (was: PodEntry | undefined, now: PodEntry | undefined) => void;

/** Changes the part itself. Only for a caller that alone holds the part: a large part is not copied for each observed pod. */
export function mergeInto(part: ViewPart, news: News, onChange?: OnChange): Omit<Merged, 'part'> {
  let changed = false;
  let observedByPass = true;

  if (news.owner) {
    const known = part.owner;
    if (!known || isNewer(news.owner.heardAt, known.heardAt)) {
      part.owner = { ...news.owner, byPass: news.byPass };
      changed = true;
      observedByPass = false;
    } else if (!known.byPass) observedByPass = false;
  }
  for (const observation of news.pods) {
    // Look in the merged state, because one report may name a pod twice.
    const known = part.pods.get(observation.pod.uid);
    if (supersedes(observation, known, part.floor, news.whole !== undefined)) {
      const entry = { ...observation, byPass: news.byPass };
      part.pods.set(observation.pod.uid, entry);
      onChange?.(known, entry);
      changed = true;
      observedByPass = false;
    } else if (!known?.byPass) observedByPass = false;
  }
  if (news.whole && applyWholeList(part, news.whole, news.pods, onChange)) {
    changed = true;
    observedByPass = false;
  }
  return { changed, observedByPass };
}

/** A uid does not come back, so deletion is final, even if a pass that saw it does not know at which version (R19). */
export function isLater(one: Pick<PodObservation, 'heardAt' | 'deleted'>, than: Pick<PodObservation, 'heardAt' | 'deleted'>): boolean {
  return one.deleted === than.deleted ? isNewer(one.heardAt, than.heardAt) : one.deleted;
}

function supersedes(observation: PodObservation, known: PodEntry | undefined, floor: string, listed: boolean): boolean {
  if (known && !isLater(observation, known)) return false;
  if (known && observation.deleted && !known.deleted) return true;
  // At or below the floor only the list itself may change the view (R2, R19).
  return listed ? compareResourceVersions(observation.heardAt, floor) >= 0 : isNewer(observation.heardAt, floor);
}

/**
 * Removes the pods that the list proves absent (R19) and raises the floor. A list at the present floor may be the next range of the same
 * list.
 * @returns whether that changed anything
 */
function applyWholeList(part: ViewPart, whole: WholeList, told: readonly PodObservation[], onChange: OnChange | undefined): boolean {
  const floorBefore = part.floor;
  if (isNewer(floorBefore, whole.floor)) return false;
  const raises = isNewer(whole.floor, floorBefore);
  let changed = raises;
  // An observation from before the list may come in the same report. It is not one of the pods that the list names.
  const named = new Set(told.flatMap(({ heardAt, pod }) => (isNewer(whole.floor, heardAt) ? [] : [pod.uid])));
  for (const [uid, entry] of part.pods) {
    if (isNewer(entry.heardAt, whole.floor)) continue;
    if (entry.deleted) {
      // A tombstone stays over at least one whole list, so that a pass has seen its number before it goes (R5).
      if (raises && !isNewer(entry.heardAt, floorBefore)) {
        part.pods.delete(uid);
        onChange?.(entry, undefined);
      }
    } else if (!named.has(uid) && isWithin(slotOf(entry.pod), whole.slots)) {
      const gone = { ...entry, heardAt: whole.floor, deleted: true, byPass: false };
      part.pods.set(uid, gone);
      onChange?.(entry, gone);
      changed = true;
    }
  }
  part.floor = whole.floor;
  return changed;
}

const isWithin = (slot: number, slots: WholeList['slots']): boolean => slots === 'all' || (slot >= slots.from && slot < slots.to);

/**
 * Takes over entries that lay elsewhere until now. They are not new observations, so the floor at which they were observed does not keep
 * them out. @returns the part itself if it had them all
 */
export function adopt(part: ViewPart, entries: readonly PodEntry[]): ViewPart {
  const pods = new Map(part.pods);
  for (const entry of entries) {
    const known = pods.get(entry.pod.uid);
    if (known ? isLater(entry, known) : !isNewer(part.floor, entry.heardAt)) pods.set(entry.pod.uid, entry);
  }
  return entries.some(({ pod }) => pods.get(pod.uid) !== part.pods.get(pod.uid)) ? { ...part, pods } : part;
}

/** Joins several parts of one workload. If a pod is in two of them (its slot changed), the later observation counts. */
export function joinParts(parts: readonly ViewPart[], era: number): ViewPart {
  const joined = emptyPart({ era, floor: '0' });
  for (const part of parts) {
    joined.floor = newest(joined.floor, part.floor);
    if (part.owner && (!joined.owner || isNewer(part.owner.heardAt, joined.owner.heardAt))) joined.owner = part.owner;
    for (const [uid, entry] of part.pods) {
      const known = joined.pods.get(uid);
      if (!known || isLater(entry, known)) joined.pods.set(uid, entry);
    }
  }
  return joined;
}

/** The pods that exist. */
export function* livingIn({ pods }: ViewPart): Generator<PodFacts, void> {
  for (const { deleted, pod } of pods.values()) if (!deleted) yield pod;
}

/** Versions are ordered per resource only (R3). Compare the version of a list of pods with this one. */
export function newestPodObserved({ floor, pods }: ViewPart): string {
  let version = floor;
  for (const { heardAt } of pods.values()) version = newest(version, heardAt);
  return version;
}
