// Makes the reports of messages from the marks of a workload and its cached state at that moment.
import type { ChildFacts } from '../../kinds/rows/kind.ts';
import { newest } from '../../objects/values/resource-version.ts';
import type { ChildObservation, OutgoingReport, OwnerObservation, WholeChildren } from '../../wire/words/observations.ts';
import type { News, RelayCache } from '../cache/cache.ts';
import type { GonePod, Workload } from '../cache/cached-workload.ts';
import type { ChildNews, ChildTable } from '../cache/child-cache.ts';
import { expand } from '../cache/compact-pod.ts';
import type { PodRow } from '../cache/pod-table.ts';
import type { ReportedPod } from './report-pods.ts';
import { inRanges, ReportPods } from './report-pods.ts';

/** The parts of a workload to send. */
export interface Marks {
  workload: Workload;
  pods: Set<PodRow>;
  /** By uid. */
  gone: Map<string, GonePod>;
  /** Send the observation of the owner. */
  owner: boolean;
  /** Send all pods as a whole list. */
  whole: boolean;
  /** For kinds with children other than pods. */
  children?: { news: Map<string, ChildNews>; whole: Set<ChildTable> };
  /** The observation of the owner in the last draft. */
  told?: Workload['unsent'];
}

export interface Report extends OutgoingReport {
  pods: ReportPods;
}

/** Versions of the last whole lists in one namespace, `0` before the first. Each listed object was observed at its list's version. */
export interface Floors {
  readonly pods: string;
  ownersOf: (kind: string) => string;
  childrenOf: (child: ChildFacts) => string;
}

export interface ReportsSetup {
  cache: Pick<RelayCache, 'podsOf' | 'podOf' | 'isRowOf' | 'isPodOf' | 'childTablesOf'>;
  /** Of the lists of that namespace; undefined if it is not watched. */
  floorsIn: (namespace: string) => Floors | undefined;
  /** Most pods of one whole list in one message. A longer list is split by slots. */
  wholePods: number;
}

export const marksOf = (workload: Workload): Marks => ({ workload, pods: new Set(), gone: new Map(), owner: false, whole: false });

export function markNews(marks: Marks, { pod, gone, child }: News): void {
  if (pod !== undefined) marks.pods.add(pod);
  else if (gone) marks.gone.set(gone.facts.uid, gone);
  else if (child) childMarksOf(marks).news.set(`${child.table.resource} ${child.uid}`, child);
  else marks.owner = true;
}

/** Whether it reports a list under way. */
export const isOfList = ({ whole, children }: Marks): boolean => whole || (children !== undefined && children.whole.size > 0);

export const markWholeChildren = (marks: Marks, table: ChildTable): void => void childMarksOf(marks).whole.add(table);

/** Marks the earlier changes again, without removed objects: the replica that led before has reported those. */
export function markAgain(marks: Marks, before: Marks): void {
  for (const pod of before.pods) marks.pods.add(pod);
  marks.owner ||= before.owner;
  for (const [key, child] of before.children?.news ?? []) childMarksOf(marks).news.set(key, child);
}

const childMarksOf = (marks: Marks): NonNullable<Marks['children']> => (marks.children ??= { news: new Map(), whole: new Set() });

export class Reports {
  readonly #setup: ReportsSetup;

  constructor(setup: ReportsSetup) {
    this.#setup = setup;
  }

  /** One report, or several for a whole list that does not fit into one message. */
  of(marks: Marks): Report[] {
    const { workload, owner, whole } = marks;
    if (workload.known?.foreign) return [];
    const observed = owner ? this.#observedOf(workload) : undefined;
    marks.told = observed && workload.unsent;
    const children = this.#childrenOf(marks);
    const told = { owner: workload.owner, ...(observed && { observed }), ...children };
    if (!whole) {
      const news = this.#podsOf(marks, marks.pods);
      const hasChildren = children !== undefined && (children.children.length > 0 || children.wholeChildren !== undefined);
      return observed || news.pods.length > 0 || hasChildren ? [{ ...told, pods: news }] : [];
    }
    // Include the pods removed since the list, beside the present ones.
    const reported = this.#podsOf(marks, this.#setup.cache.podsOf(workload));
    const floor = this.#podFloorOf(workload);
    const ranges = inRanges(reported.pods, this.#setup.wholePods, (each) => reported.slotOf(each));
    return ranges.map(({ slots, pods: within }, at) => ({
      ...(at === 0 ? told : { owner: workload.owner, ...(children && { children: [] }) }),
      pods: reported.of(within),
      whole: { floor, slots },
    }));
  }

  /** A present pod was also observed by the last list. For a removed pod only its own version counts. */
  #podsOf({ workload, gone }: Marks, rows: Iterable<PodRow>): ReportPods {
    const { cache } = this.#setup;
    const { owner } = workload;
    const floor = this.#podFloorOf(workload);
    const reported: ReportedPod[] = [];
    // The row may hold another pod by now. The removal of the earlier pod has a mark of its own.
    for (const row of rows) if (cache.isRowOf(workload, row)) reported.push(row);
    // Skip pods that have come back.
    for (const [uid, pod] of gone) if (!cache.isPodOf(workload, uid)) reported.push(pod);
    return new ReportPods(reported, (each) => {
      if (typeof each === 'number') {
        const pod = cache.podOf(workload, each);
        return pod && { heardAt: newest(pod.version, floor), deleted: false, pod: expand(pod, owner) };
      }
      const { facts, owner: teller, state } = each;
      const heardAt = state === 'moved' ? newest(facts.version, floor) : facts.version;
      return { heardAt, deleted: state === 'deleted', pod: expand(facts, teller) };
    });
  }

  #observedOf({ owner, unsent }: Workload): OwnerObservation | undefined {
    if (!unsent) return undefined;
    const object: OwnerObservation['object'] = JSON.parse(unsent.body);
    const version = object.metadata.resourceVersion ?? '0';
    const floor = this.#setup.floorsIn(owner.namespace)?.ownersOf(owner.kind) ?? '0';
    return { heardAt: unsent.deleted ? version : newest(version, floor), deleted: unsent.deleted, object };
  }

  #podFloorOf({ owner }: Workload): string {
    return this.#setup.floorsIn(owner.namespace)?.pods ?? '0';
  }

  #childFloorOf({ owner }: Workload, { child }: ChildTable): string {
    return this.#setup.floorsIn(owner.namespace)?.childrenOf(child) ?? '0';
  }

  /** @returns undefined for a kind without children other than pods */
  #childrenOf({ workload, whole, children }: Marks): { children: ChildObservation[]; wholeChildren?: WholeChildren[] } | undefined {
    const tables = this.#setup.cache.childTablesOf(workload.owner.kind);
    if (tables.length === 0) return undefined;
    const listed = tables.filter((table) => (whole || children?.whole.has(table)) && this.#childFloorOf(workload, table) !== '0');
    const news = listed.flatMap((table) => [...table.uidsOf(workload)].map((uid): ChildNews => ({ table, uid })));
    for (const one of children?.news.values() ?? [])
      // Present children are already among the listed ones.
      if (!listed.includes(one.table) || !one.table.stateOf(workload, one.uid)) news.push(one);
    const wholeChildren = listed
      .filter((table) => table.isWhole(workload))
      .map((table) => ({
        resource: table.resource,
        floor: this.#childFloorOf(workload, table),
        ...(table.isSelected && { isSelected: true as const }),
      }));
    return {
      children: news.flatMap((one) => this.#childOf(workload, one) ?? []),
      ...(wholeChildren.length > 0 && { wholeChildren }),
    };
  }

  #childOf(workload: Workload, { table, uid, gone }: ChildNews): ChildObservation | undefined {
    const state = table.stateOf(workload, uid);
    if (state) {
      return { heardAt: newest(state.resourceVersion, this.#childFloorOf(workload, table)), presence: 'there', child: state };
    }
    return gone && { heardAt: gone.state.resourceVersion, presence: gone.presence, child: gone.state };
  }
}
