// Makes the reports of messages from the marks of a workload and its cached state at that moment.
import type { OutgoingReport, OwnerObservation, WholeList } from '../../wire/words/observations.ts';
import { newest } from '../../objects/values/resource-version.ts';
import type { RelayCache } from '../cache/cache.ts';
import type { CachedChildren, ChildKey, GoneChild, News } from '../cache/cached-children.ts';
import type { Workload } from '../cache/cached-workload.ts';
import { ReportedChildren } from './reported-children.ts';

/** The parts of a workload to send. */
export interface Marks {
  workload: Workload;
  /** Send the observation of the owner. */
  owner: boolean;
  /** Send all children as whole lists. */
  whole: boolean;
  children: Map<CachedChildren, ChildMarks>;
  /** The observation of the owner in the last draft. */
  told?: Workload['unsent'];
}

/** The children of one resource to send. */
interface ChildMarks {
  present: Set<ChildKey>;
  /** By uid. */
  gone: Map<string, GoneChild>;
  /** Send all of them as a whole list. */
  whole: boolean;
}

export interface Report extends OutgoingReport {
  children: readonly ReportedChildren[];
}

/** Versions of the last whole lists in one namespace, `0` before the first. Each listed object was observed at its list's version. */
export interface Floors {
  ownersOf: (kind: string) => string;
  childrenOf: (table: CachedChildren) => string;
}

export interface ReportsSetup {
  cache: Pick<RelayCache, 'tablesOf'>;
  /** Of the lists of that namespace; undefined if it is not watched. */
  floorsIn: (namespace: string) => Floors | undefined;
  /** Most pods of one whole list in one message. A longer list is split by slots. */
  wholePods: number;
}

export const marksOf = (workload: Workload): Marks => ({ workload, owner: false, whole: false, children: new Map() });

export function markNews(marks: Marks, { table, key, gone }: News): void {
  if (!table) marks.owner = true;
  else if (gone) childMarksOf(marks, table).gone.set(gone.uid, gone);
  else if (key !== undefined) childMarksOf(marks, table).present.add(key);
}

/** Whether it reports a list under way. */
export function isOfList({ whole, children }: Marks): boolean {
  if (whole) return true;
  for (const marks of children.values()) if (marks.whole) return true;
  return false;
}

/** Marks a whole list. Pods are listed with their owner, and with all other children. */
export function markWhole(marks: Marks, table: CachedChildren): void {
  if (table.isCounted) marks.whole = marks.owner = true;
  else childMarksOf(marks, table).whole = true;
}

/** Marks the earlier changes again, without removed objects: the replica that led before has reported those. */
export function markAgain(marks: Marks, before: Marks): void {
  marks.owner ||= before.owner;
  for (const [table, { present }] of before.children) for (const key of present) childMarksOf(marks, table).present.add(key);
}

function childMarksOf({ children }: Marks, table: CachedChildren): ChildMarks {
  const known = children.get(table);
  if (known) return known;
  const marks: ChildMarks = { present: new Set(), gone: new Map(), whole: false };
  children.set(table, marks);
  return marks;
}

const NONE: readonly [] = [];

export class Reports {
  readonly #setup: ReportsSetup;

  constructor(setup: ReportsSetup) {
    this.#setup = setup;
  }

  /** One report, or several for a whole list that does not fit into one message. */
  of(marks: Marks): Report[] {
    const { workload } = marks;
    const { owner } = workload;
    if (workload.known?.foreign) return [];
    const observed = marks.owner ? this.#observedOf(workload) : undefined;
    marks.told = observed && workload.unsent;
    const children = this.#setup.cache.tablesOf(owner.kind).map((table) => this.#childrenOf(marks, table));
    if (!observed && children.every(({ isEmpty }) => isEmpty)) return [];
    const ranges = children.map((each) => each.inRanges(this.#setup.wholePods));
    const count = Math.max(...ranges.map(({ length }) => length));
    return Array.from({ length: count }, (_, at) => ({
      owner,
      ...(observed && at === 0 && { observed }),
      children: children.map((each, which) => ranges[which]?.[at] ?? each.of(NONE)),
    }));
  }

  #childrenOf({ workload, whole, children }: Marks, table: CachedChildren): ReportedChildren {
    const marks = children.get(table);
    const floor = this.#setup.floorsIn(workload.owner.namespace)?.childrenOf(table) ?? '0';
    const isListed = (whole || marks?.whole === true) && floor !== '0';
    const { isSelected } = table;
    const list: WholeList = { floor, slots: 'all', ...(isSelected && { isSelected }) };
    // Include the children removed since the list, beside the present ones.
    const each: (ChildKey | GoneChild)[] = isListed ? [...table.keysOf(workload)] : [];
    // Skip children that are gone, whose removal has a mark of its own.
    if (!isListed) for (const key of marks?.present ?? NONE) if (table.holds(workload, key)) each.push(key);
    // Skip children that have come back.
    for (const [uid, gone] of marks?.gone ?? NONE) if (!table.holds(workload, uid)) each.push(gone);
    return new ReportedChildren({ workload, table, floor, whole: isListed && table.isWhole(workload) ? list : undefined }, each);
  }

  #observedOf({ owner, unsent }: Workload): OwnerObservation | undefined {
    if (!unsent) return undefined;
    const object: OwnerObservation['object'] = JSON.parse(unsent.body);
    const version = object.metadata.resourceVersion ?? '0';
    const floor = this.#setup.floorsIn(owner.namespace)?.ownersOf(owner.kind) ?? '0';
    return { heardAt: unsent.deleted ? version : newest(version, floor), deleted: unsent.deleted, object };
  }
}
