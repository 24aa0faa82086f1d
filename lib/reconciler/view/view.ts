// The view of one workload: observations merged by uid and by the resourceVersion at which they were observed (R2). Applying them in any
// order, any number of times, gives the same view. A part holds the children of one resource, because versions are ordered per resource (R3).
import type { ChildState } from '../../objects/child-state.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import { compareResourceVersions, isNewer, newest } from '../../objects/values/resource-version.ts';
import { codecOf, isOfPods, POD_RESOURCE } from '../../wire/packing/codecs.ts';
import type {
  AnyChild,
  Entry,
  Observation,
  OwnerObservation,
  ResourceReport,
  ViewPart,
  WholeList,
  WorkloadReport,
} from '../../wire/words/observations.ts';
import { slotOf } from '../../wire/words/view-layout.ts';

/** Observations for one view part. `byPass`: from the answer to a pass's own call or list (R7). */
export interface News<Child extends AnyChild> extends ResourceReport<Child> {
  owner?: OwnerObservation | undefined;
  byPass: boolean;
  /** A pass read them by name, which shows objects outside every selection: one at the floor itself counts. */
  isByName?: boolean | undefined;
}

/** A report by where it goes: owner and pods may lie in the head, the other children lie beside it. */
export interface ReportedNews {
  own: News<PodFacts>;
  others: News<ChildState>[];
}

export function newsOf({ observed, children }: WorkloadReport): ReportedNews {
  const filled = children.filter((told) => told.whole || told.children.length > 0);
  const news = filled.map((told): News<AnyChild> => ({ ...told, byPass: false }));
  const ofPods = news.find(({ resource }) => isOfPods(resource)) ?? { resource: POD_RESOURCE, children: [], byPass: false };
  // Safe: the resource says which sort its children are.
  return { own: { ...ofPods, owner: observed } as News<PodFacts>, others: news.filter((each) => each !== ofPods) as News<ChildState>[] };
}

export interface Merged {
  /** The part must be written, even if only its floor or a version differs. */
  changed: boolean;
  /** The owner or a child came, changed or went. A newer version alone is not a change, and neither is a floor. */
  isNews: boolean;
  /** A pass had observed all of it already, in this state or a later one, so no wake is needed (R9). */
  observedByPass: boolean;
}

export const emptyPart = <Child extends AnyChild>(resource: string, { era, floor }: { era: number; floor: string }): ViewPart<Child> => ({
  era,
  resource,
  floor,
  children: new Map(),
});

/** Returns a new part and leaves the given one unchanged. */
export function mergeNews<Child extends AnyChild>(part: ViewPart<Child>, news: News<Child>): Merged & { part: ViewPart<Child> } {
  const merged: ViewPart<Child> = { ...part, children: new Map(part.children) };
  return { part: merged, ...mergeInto(merged, news) };
}

/** Called for every child that changes. @param now undefined: the view no longer remembers it */
export type OnChange<Child extends AnyChild> = (was: Entry<Child> | undefined, now: Entry<Child> | undefined) => void;

/** Changes the part itself. Only for a caller that alone holds the part: a large part is not copied for each observed child. */
export function mergeInto<Child extends AnyChild>(part: ViewPart<Child>, news: News<Child>, onChange?: OnChange<Child>): Merged {
  const { owner, children, whole, byPass } = news;
  let [changed, isNews, observedByPass] = [false, false, true];
  if (owner) {
    const known = part.owner;
    if (!known || isNewer(owner.heardAt, known.heardAt)) {
      part.owner = { ...owner, byPass };
      changed = isNews = true;
    } else if (!known.byPass) observedByPass = false;
  }
  const { isSame } = codecOf<Child>(part.resource);
  const isInclusive = whole !== undefined || news.isByName === true;
  for (const observation of children) {
    const { uid } = observation.child;
    // Look in the merged state, because one report may name a child twice.
    const known = part.children.get(uid);
    if (!supersedes(observation, known, part.floor, isInclusive)) {
      if (!known?.byPass) observedByPass = false;
      continue;
    }
    // Keep the version even if nothing else differs. Otherwise an older observation that arrives late would count as a change (R2).
    const isKnown = known?.presence === observation.presence && isSame(known.child, observation.child);
    const entry = { ...observation, byPass: byPass || (isKnown && known.byPass) };
    part.children.set(uid, entry);
    onChange?.(known, entry);
    changed = true;
    if (!isKnown) isNews = true;
  }
  if (whole) {
    const listed = applyWholeList(part, whole, children, onChange);
    if (listed.removes) isNews = true;
    if (listed.raises) observedByPass = false;
    if (listed.removes || listed.raises) changed = true;
  }
  return { changed, isNews, observedByPass: observedByPass && !isNews };
}

type Told = Pick<Observation, 'heardAt' | 'presence'>;

/**
 * A uid does not come back, so deletion is final, even if a pass that saw it does not know at which version (R19). A child that left the
 * selection exists again as soon as that is observed (trap 1). A pass observes it by name, at the very version at which it left.
 */
export function isLater(one: Told, than: Told): boolean {
  if ((one.presence === 'deleted') !== (than.presence === 'deleted')) return one.presence === 'deleted';
  if (one.heardAt === than.heardAt) return one.presence === 'there' && than.presence === 'left';
  return isNewer(one.heardAt, than.heardAt);
}

/** Puts an observation among those of other children, in place of an earlier one of the same child. */
export function keepLatest<Each extends Observation>(observations: Map<string, Each>, observation: Each): void {
  const known = observations.get(observation.child.uid);
  if (!known || isLater(observation, known)) observations.set(observation.child.uid, observation);
}

/** @param isInclusive an observation at the floor itself counts, because the list of that floor made it, or a read by name */
function supersedes(observation: Told, known: Told | undefined, floor: string, isInclusive: boolean): boolean {
  if (known && !isLater(observation, known)) return false;
  if (known && observation.presence === 'deleted' && known.presence !== 'deleted') return true;
  // Below the floor only the list itself may change the view (R2, R19).
  return isInclusive ? compareResourceVersions(observation.heardAt, floor) >= 0 : isNewer(observation.heardAt, floor);
}

/**
 * Removes the children that the list proves absent (R19), or out of its selection (trap 1), and raises the floor. A list at the present floor
 * may be the next range of the same list.
 */
function applyWholeList<Child extends AnyChild>(
  part: ViewPart<Child>,
  { floor, slots, isSelected }: WholeList,
  told: readonly Observation<Child>[],
  onChange: OnChange<Child> | undefined,
): { raises: boolean; removes: boolean } {
  const floorBefore = part.floor;
  if (isNewer(floorBefore, floor)) return { raises: false, removes: false };
  const raises = isNewer(floor, floorBefore);
  let removes = false;
  // An observation from before the list may come in the same report. It is not one of the children that the list names.
  const named = new Set(told.flatMap(({ heardAt, child }) => (isNewer(floor, heardAt) ? [] : [child.uid])));
  for (const [uid, entry] of part.children) {
    if (isNewer(entry.heardAt, floor)) continue;
    if (entry.presence === 'deleted') {
      // A tombstone stays over at least one whole list, so that a pass has seen its number before it goes (R5).
      if (raises && !isNewer(entry.heardAt, floorBefore)) {
        part.children.delete(uid);
        onChange?.(entry, undefined);
      }
    } else if (entry.presence === 'there' && !named.has(uid) && isWithin(slotOf(entry.child), slots)) {
      const gone: Entry<Child> = { ...entry, heardAt: floor, presence: isSelected ? 'left' : 'deleted', byPass: false };
      part.children.set(uid, gone);
      onChange?.(entry, gone);
      removes = true;
    }
  }
  part.floor = floor;
  return { raises, removes };
}

const isWithin = (slot: number, slots: WholeList['slots']): boolean => slots === 'all' || (slot >= slots.from && slot < slots.to);

/**
 * Takes over entries that lay elsewhere until now. They are not new observations, so the floor at which they were observed does not keep
 * them out. @returns the part itself if it had them all
 */
export function adopt<Child extends AnyChild>(part: ViewPart<Child>, entries: readonly Entry<Child>[]): ViewPart<Child> {
  const children = new Map(part.children);
  for (const entry of entries) {
    const known = children.get(entry.child.uid);
    if (known ? isLater(entry, known) : !isNewer(part.floor, entry.heardAt)) children.set(entry.child.uid, entry);
  }
  return entries.some(({ child }) => children.get(child.uid) !== part.children.get(child.uid)) ? { ...part, children } : part;
}

/** Joins several parts of one resource. If a child is in two of them (its slot changed), the later observation counts. */
export function joinParts<Child extends AnyChild>(
  resource: string,
  parts: readonly ViewPart<Child>[],
  first: { era: number; floor: string },
): ViewPart<Child> {
  const joined = emptyPart<Child>(resource, first);
  for (const part of parts) {
    joined.floor = newest(joined.floor, part.floor);
    if (part.owner && (!joined.owner || isNewer(part.owner.heardAt, joined.owner.heardAt))) joined.owner = part.owner;
    for (const entry of part.children.values()) keepLatest(joined.children, entry);
  }
  return joined;
}

/** The children that exist. */
export function* livingIn<Child extends AnyChild>({ children }: Pick<ViewPart<Child>, 'children'>): Generator<Child, void> {
  for (const { presence, child } of children.values()) if (presence === 'there') yield child;
}

/** Versions are ordered per resource only (R3). Compare the version of a list of the same resource with this one. */
export function newestObserved<Child extends AnyChild>({ floor, children }: Pick<ViewPart<Child>, 'floor' | 'children'>): string {
  let version = floor;
  for (const { heardAt } of children.values()) version = newest(version, heardAt);
  return version;
}
