// The pods of one workload as planners read them. A set made by place caches the counts of each group of neighbours. A set that differs in ten
// pods shares all other groups with the one before, counts included, so that a plan walks only what has changed.
import { completionIndexOf, type PodFacts } from '../../objects/pods/pod-facts.ts';

/** How pods are counted. Groups cache their counts by this object: use a new one as soon as the counts mean something else. */
export interface Fold<Counts> {
  /** @param group which group of `PLACES_PER_GROUP` neighbours it is; undefined where the set keeps the order given */
  ofPods(pods: readonly PodFacts[], group: number | undefined): Counts;
  /** A new sum of nothing. */
  none(): Counts;
  /** Puts a part into a sum. */
  add(sum: Counts, part: Counts): void;
}

/** A list, or a set that caches counts. In both, the order decides between equals. */
export type Pods = readonly PodFacts[] | PodSet;

const BITS = 3;
const FAN_OUT = 1 << BITS;
const MASK = FAN_OUT - 1;
/** Neighbours counted together. */
export const PLACES_PER_GROUP = FAN_OUT;
/** Places are below this. */
export const MOST_PLACES = 1 << 30;

/** A group of pods, or a branch with groups below. Immutable once its set is made; an edit changes only what it made itself. */
interface Node {
  readonly edit: object;
  pods: PodFacts[] | undefined;
  children: (Node | undefined)[] | undefined;
  fold: Fold<unknown> | undefined;
  counts: unknown;
}

const nodeOf = (edit: object, pods: PodFacts[] | undefined, children: (Node | undefined)[] | undefined): Node => ({
  edit,
  pods,
  children,
  fold: undefined,
  counts: undefined,
});

/** The latest fold, shared by a set and all sets made from it. */
interface Remembered {
  key: string;
  fold: Fold<unknown> | undefined;
}

/** A pod's place: its completion index, else its number, else a hash of its uid. */
export function placeOf(pod: PodFacts): number {
  const place = completionIndexOf(pod) ?? pod.number;
  if (place !== undefined && place < MOST_PLACES) return place;
  let hash = 0x811c9dc5;
  for (let at = 0; at < pod.uid.length; at += 1) hash = Math.imul(hash ^ pod.uid.charCodeAt(at), 0x01000193);
  return (hash >>> 0) & 0xfffff;
}

export class PodSet {
  /** Whether each pod lies at its place, so that those of an index can be found; else the order is the one given. */
  readonly isPlaced: boolean;
  readonly size: number;
  /** How many of them cannot be read. */
  readonly unreadable: number;
  readonly #root: Node | undefined;
  /** Branches above the groups. */
  readonly #depth: number;
  readonly #remembered: Remembered;

  private constructor(given: {
    isPlaced: boolean;
    size: number;
    unreadable: number;
    root: Node | undefined;
    depth: number;
    remembered: Remembered;
  }) {
    this.isPlaced = given.isPlaced;
    this.size = given.size;
    this.unreadable = given.unreadable;
    this.#root = given.root;
    this.#depth = given.depth;
    this.#remembered = given.remembered;
  }

  /** In the order given, all of it one group: nothing is remembered from one set to the next. */
  static inOrder(pods: readonly PodFacts[]): PodSet {
    const root = pods.length > 0 ? nodeOf({}, [...pods], undefined) : undefined;
    const unreadable = pods.filter(isUnreadable).length;
    return new PodSet({ isPlaced: false, size: pods.length, unreadable, root, depth: 0, remembered: { key: '', fold: undefined } });
  }

  /** Ordered by place. */
  static byPlace(pods: Iterable<PodFacts>): PodSet {
    const empty = new PodSet({
      isPlaced: true,
      size: 0,
      unreadable: 0,
      root: undefined,
      depth: 0,
      remembered: { key: '', fold: undefined },
    });
    return empty.with(function* () {
      for (const pod of pods) yield { now: pod };
    });
  }

  /**
   * The set with some pods put in, replaced or taken out. This one stays as it is.
   * @param changes `was`: as this set holds it, unset for a new pod; `now`: unset for one that is gone
   */
  with(changes: Iterable<PodChange> | (() => Iterable<PodChange>)): PodSet {
    if (!this.isPlaced) throw new Error('only a set ordered by place can be changed');
    const edit = {};
    let [root, depth, size, unreadable] = [this.#root, this.#depth, this.size, this.unreadable];
    for (const { was, now } of typeof changes === 'function' ? changes() : changes) {
      if (was && isUnreadable(was)) unreadable -= 1;
      if (now && isUnreadable(now)) unreadable += 1;
      const place = now && placeOf(now);
      const before = was && placeOf(was);
      if (was && before !== undefined && before !== place) {
        if (root) {
          root = ownedBy(edit, root);
          putIntoGroup(groupAt(root, depth, before), before, { was, now: undefined });
        }
        size -= 1;
      }
      const replaces = before !== undefined && before === place;
      if (now && place !== undefined) {
        root ??= nodeOf(edit, [], undefined);
        for (; place >= FAN_OUT * 2 ** (BITS * depth); depth += 1) root = nodeOf(edit, undefined, [root]);
        root = ownedBy(edit, root);
        putIntoGroup(groupAt(root, depth, place), place, { was: replaces ? was : undefined, now });
        if (!replaces) size += 1;
      }
    }
    return new PodSet({ isPlaced: true, size, unreadable, root, depth, remembered: this.#remembered });
  }

  /** The cached fold if it has that key, else a new one. */
  foldOf<Counts>(key: string, make: () => Fold<Counts>): Fold<Counts> {
    const remembered = this.#remembered;
    if (remembered.fold === undefined || remembered.key !== key) {
      remembered.fold = make();
      remembered.key = key;
    }
    return remembered.fold as Fold<Counts>;
  }

  /** The counts of all pods. */
  counts<Counts>(fold: Fold<Counts>): Counts {
    return this.#root ? (countsOf(this.#root, this.#depth, this.isPlaced ? 0 : undefined, fold) as Counts) : fold.none();
  }

  /**
   * Walks the counts in order: of all pods, of each part of them, and so on down to the groups.
   * @param goesOn is given the counts; returns whether to walk their parts too
   */
  walk<Counts>(fold: Fold<Counts>, goesOn: (counts: Counts) => boolean): void {
    this.counts(fold);
    if (this.#root) walkBelow(this.#root, goesOn as (counts: unknown) => boolean);
  }

  /** The pods for which `isSo`, in order. @param has how many of them a group has: groups without any are not walked */
  select<Counts>(fold: Fold<Counts>, has: (counts: Counts) => number, isSo: (pod: PodFacts) => boolean): PodFacts[] {
    const selected: PodFacts[] = [];
    this.counts(fold);
    if (this.#root) selectBelow(this.#root, has as (counts: unknown) => number, isSo, selected);
    return selected;
  }

  /** The pods in the group of this place: its own and its neighbours'. Only for a set ordered by place. */
  near(place: number): readonly PodFacts[] {
    let node = this.#root;
    if (!this.isPlaced || place < 0 || place >= FAN_OUT * 2 ** (BITS * this.#depth)) return [];
    for (let depth = this.#depth; depth > 0 && node; depth -= 1) node = node.children?.[(place >>> (BITS * depth)) & MASK];
    return node?.pods ?? [];
  }

  /** All of them, in order. */
  *[Symbol.iterator](): Generator<PodFacts, void> {
    const waiting = this.#root ? [this.#root] : [];
    for (let node = waiting.pop(); node; node = waiting.pop()) {
      if (node.pods) yield* node.pods;
      const children = node.children ?? [];
      for (let at = children.length - 1; at >= 0; at -= 1) {
        const child = children[at];
        if (child) waiting.push(child);
      }
    }
  }
}

export interface PodChange {
  was?: PodFacts | undefined;
  now?: PodFacts | undefined;
}

const isUnreadable = (pod: PodFacts): boolean => pod.unreadable !== undefined;

export const podSetOf = (pods: Pods): PodSet => (pods instanceof PodSet ? pods : PodSet.inOrder(pods));

const groupBelow = (group: number | undefined, at: number): number | undefined => (group === undefined ? undefined : group * FAN_OUT + at);

function countsOf(node: Node, depth: number, group: number | undefined, fold: Fold<unknown>): unknown {
  if (node.fold === fold) return node.counts;
  if (node.pods) node.counts = fold.ofPods(node.pods, group);
  else {
    const sum = fold.none();
    const children = node.children ?? [];
    for (let at = 0; at < children.length; at += 1) {
      const child = children[at];
      if (child) fold.add(sum, countsOf(child, depth - 1, groupBelow(group, at), fold));
    }
    node.counts = sum;
  }
  node.fold = fold;
  return node.counts;
}

/** Of a node whose counts are there. */
function selectBelow(node: Node, has: (counts: unknown) => number, isSo: (pod: PodFacts) => boolean, selected: PodFacts[]): void {
  if (has(node.counts) === 0) return;
  if (node.pods) for (const pod of node.pods) if (isSo(pod)) selected.push(pod);
  const { children } = node;
  if (children) for (const child of children) if (child) selectBelow(child, has, isSo, selected);
}

/** Of a node whose counts are there. */
function walkBelow({ counts, children }: Node, goesOn: (counts: unknown) => boolean): void {
  if (!goesOn(counts) || !children) return;
  for (const child of children) if (child) walkBelow(child, goesOn);
}

/** The node itself if this edit made it, else a copy. */
const ownedBy = (edit: object, node: Node): Node =>
  node.edit === edit ? node : nodeOf(edit, node.pods && [...node.pods], node.children && [...node.children]);

/** The pods of this place's group, for changing them. Every node on the way to them belongs to the root's edit. */
function groupAt(root: Node, rootDepth: number, place: number): PodFacts[] {
  const { edit } = root;
  let node = root;
  for (let depth = rootDepth; depth > 0; depth -= 1) {
    const children = (node.children ??= []);
    const at = (place >>> (BITS * depth)) & MASK;
    while (children.length <= at) children.push(undefined);
    const child = children[at];
    node = child ? ownedBy(edit, child) : nodeOf(edit, undefined, undefined);
    children[at] = node;
  }
  return (node.pods ??= []);
}

function putIntoGroup(pods: PodFacts[], place: number, { was, now }: PodChange): void {
  if (was) {
    // Most groups are full, one pod at each place.
    const likely = place & MASK;
    const at = pods[likely]?.uid === was.uid ? likely : pods.findIndex(({ uid }) => uid === was.uid);
    if (at < 0) throw new Error(`pod ${was.name} is not where it was said to be`);
    if (now) pods[at] = now;
    else pods.splice(at, 1);
  } else if (now) {
    let at = pods.length;
    for (; at > 0; at -= 1) {
      const neighbour = pods[at - 1];
      if (neighbour && placeOf(neighbour) <= place) break;
    }
    pods.splice(at, 0, now);
  }
}
