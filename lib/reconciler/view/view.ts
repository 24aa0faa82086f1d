// What is known of one workload: observations merged by uid and the resourceVersion at which they were heard (R2).
// Applying them in any order, any number of times, gives the same view.
import type { PodFacts } from '../../objects/pod-facts.ts';
import { compareResourceVersions, isNewer, newest } from '../../objects/resource-version.ts';
import type { OwnerObservation, PodEntry, PodObservation, ViewPart, WholeList } from '../../wire/observations.ts';
import { slotOf } from '../../wire/view-layout.ts';

/** News for one view part. `byPass`: heard as the answer to a pass's own call or list (R7). */
export interface News {
  owner?: OwnerObservation;
  pods: readonly PodObservation[];
  whole?: WholeList;
  byPass: boolean;
}

export interface Merged {
  part: ViewPart;
  changed: boolean;
  /** Every observation had been heard by a pass already, in this state or a later one: nobody need be woken (R9). */
  heardByPass: boolean;
}

export const emptyPart = ({ era, floor }: { era: number; floor: string }): ViewPart => ({ era, floor, pods: new Map() });

/** A new part; the one given stays as it is. */
export function mergeNews(part: ViewPart, news: News): Merged {
  const merged: ViewPart = { ...part, pods: new Map(part.pods) };
  return { part: merged, ...mergeInto(merged, news) };
}

/** Told of every pod that changes. @param now undefined: nothing is remembered of it any more */
export type OnChange = (was: PodEntry | undefined, now: PodEntry | undefined) => void;

/** Changes the part itself: for whoever alone holds it, since a large one is not copied for each pod that is heard of. */
export function mergeInto(part: ViewPart, news: News, onChange?: OnChange): Omit<Merged, 'part'> {
  let changed = false;
  let heardByPass = true;

  if (news.owner) {
    const known = part.owner;
    if (!known || isNewer(news.owner.heardAt, known.heardAt)) {
      part.owner = { ...news.owner, byPass: news.byPass };
      changed = true;
      heardByPass = false;
    } else if (!known.byPass) heardByPass = false;
  }
  for (const observation of news.pods) {
    // Of what was merged so far: one piece of news may tell of a pod twice.
    const known = part.pods.get(observation.pod.uid);
    if (supersedes(observation, known, part.floor, news.whole !== undefined)) {
      const entry = { ...observation, byPass: news.byPass };
      part.pods.set(observation.pod.uid, entry);
      onChange?.(known, entry);
      changed = true;
      heardByPass = false;
    } else if (!known?.byPass) heardByPass = false;
  }
  if (news.whole && applyWholeList(part, news.whole, news.pods, onChange)) {
    changed = true;
    heardByPass = false;
  }
  return { changed, heardByPass };
}

/** A uid does not come back: gone is the last word, also where a pass that saw it go cannot tell at which version (R19). */
export function isLater(one: Pick<PodObservation, 'heardAt' | 'deleted'>, than: Pick<PodObservation, 'heardAt' | 'deleted'>): boolean {
  return one.deleted === than.deleted ? isNewer(one.heardAt, than.heardAt) : one.deleted;
}

function supersedes(observation: PodObservation, known: PodEntry | undefined, floor: string, listed: boolean): boolean {
  if (known && !isLater(observation, known)) return false;
  if (known && observation.deleted && !known.deleted) return true;
  // At or below the floor only the list itself is believed (R2, R19).
  return listed ? compareResourceVersions(observation.heardAt, floor) >= 0 : isNewer(observation.heardAt, floor);
}

/**
 * Removes what the list proves absent (R19) and raises the floor. At the floor already, it may be the next range of the same list.
 * @returns whether that changed anything
 */
function applyWholeList(part: ViewPart, whole: WholeList, told: readonly PodObservation[], onChange: OnChange | undefined): boolean {
  const floorBefore = part.floor;
  if (isNewer(floorBefore, whole.floor)) return false;
  const raises = isNewer(whole.floor, floorBefore);
  let changed = raises;
  // What was heard before the list may be told beside it, and is none of what it names.
  const named = new Set(told.flatMap(({ heardAt, pod }) => (isNewer(whole.floor, heardAt) ? [] : [pod.uid])));
  for (const [uid, entry] of part.pods) {
    if (isNewer(entry.heardAt, whole.floor)) continue;
    if (entry.deleted) {
      // Kept over one whole list at least, so that a pass has seen which number it held before it goes (R5).
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

/** Takes entries over that lay elsewhere until now: no news, so a floor that they were told with does not keep them out. @returns the part itself when it knew them all */
export function adopt(part: ViewPart, entries: readonly PodEntry[]): ViewPart {
  const pods = new Map(part.pods);
  for (const entry of entries) {
    const known = pods.get(entry.pod.uid);
    if (known ? isLater(entry, known) : !isNewer(part.floor, entry.heardAt)) pods.set(entry.pod.uid, entry);
  }
  return entries.some(({ pod }) => pods.get(pod.uid) !== part.pods.get(pod.uid)) ? { ...part, pods } : part;
}

/** Several parts of one workload as one; a pod known to two of them (its slot changed) counts as heard last. */
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

/** The pods that are there. */
export function* livingIn({ pods }: ViewPart): Generator<PodFacts, void> {
  for (const { deleted, pod } of pods.values()) if (!deleted) yield pod;
}

/** Versions are ordered per resource only (R3): that of a list of pods is compared with this one. */
export function newestPodHeard({ floor, pods }: ViewPart): string {
  let version = floor;
  for (const { heardAt } of pods.values()) version = newest(version, heardAt);
  return version;
}
