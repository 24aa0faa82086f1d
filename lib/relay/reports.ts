// Reports as they go into messages: made from the marks of a workload and from what is known of it at that moment.
import { newest } from '../objects/resource-version.ts';
import type { ChildObservation, OutgoingReport, OwnerName, OwnerObservation, WholeChildren } from '../wire/observations.ts';
import type { News, RelayCache } from './cache.ts';
import type { GonePod, Workload } from './workload.ts';
import type { ChildNews, ChildTable } from './children.ts';
import { expand } from './compact-pod.ts';
import type { PodRow } from './pod-table.ts';
import type { Told } from './telling.ts';
import { inRanges, Telling } from './telling.ts';

/** What of a workload is to be sent. */
export interface Marks {
  workload: Workload;
  pods: Set<PodRow>;
  /** By uid. */
  gone: Map<string, GonePod>;
  /** What was observed of the owner is to be sent. */
  owner: boolean;
  /** All of it is to be sent as a whole list. */
  whole: boolean;
  /** Of kinds with children other than pods. */
  children?: { news: Map<string, ChildNews>; whole: Set<ChildTable> };
  /** What was told of the owner in the last draft. */
  told?: Workload['unsent'];
}

export interface Report extends OutgoingReport {
  pods: Telling;
}

export interface ReportsSetup {
  cache: Pick<RelayCache, 'podsOf' | 'podOf' | 'isRowOf' | 'isPodOf' | 'childTablesOf'>;
  /** Version of the last whole list of the pods of a namespace: each of them was observed then. */
  podFloor: (namespace: string) => string;
  /** Version of the last whole list of the owners of its kind. */
  ownerFloor: (owner: OwnerName) => string;
  /** Version of the last whole list of those children; `0` before. */
  childFloor: (table: ChildTable, namespace: string) => string;
  /** Pods of one whole list in one message; more are split by slots. */
  wholePods: number;
}

export const marksOf = (workload: Workload): Marks => ({ workload, pods: new Set(), gone: new Map(), owner: false, whole: false });

export function markNews(marks: Marks, { pod, gone, child }: News): void {
  if (pod !== undefined) marks.pods.add(pod);
  else if (gone) marks.gone.set(gone.facts.uid, gone);
  else if (child) childMarksOf(marks).news.set(`${child.table.resource} ${child.uid}`, child);
  else marks.owner = true;
}

/** Whether a list under way is told by it. */
export const isOfList = ({ whole, children }: Marks): boolean => whole || (children !== undefined && children.whole.size > 0);

export const markWholeChildren = (marks: Marks, table: ChildTable): void => void childMarksOf(marks).whole.add(table);

/** What was marked before is marked again; of what is gone whoever sent before told. */
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

  /** One report, or several of a whole list that one message would not hold. */
  of(marks: Marks): Report[] {
    const { workload, owner, whole } = marks;
    if (workload.known?.foreign) return [];
    const observed = owner ? this.#observedOf(workload) : undefined;
    marks.told = observed && workload.unsent;
    const children = this.#childrenOf(marks);
    const told = { owner: workload.owner, ...(observed && { observed }), ...children };
    if (!whole) {
      const news = this.#tellingOf(marks, marks.pods);
      const hasChildren = children !== undefined && (children.children.length > 0 || children.wholeChildren !== undefined);
      return observed || news.told.length > 0 || hasChildren ? [{ ...told, pods: news }] : [];
    }
    // Pods that are gone were heard of since the list: they are named beside those that are there.
    const telling = this.#tellingOf(marks, this.#setup.cache.podsOf(workload));
    const floor = this.#setup.podFloor(workload.owner.namespace);
    const ranges = inRanges(telling.told, this.#setup.wholePods, (each) => telling.slotOf(each));
    return ranges.map(({ slots, pods: within }, at) => ({
      ...(at === 0 ? told : { owner: workload.owner, ...(children && { children: [] }) }),
      pods: telling.of(within),
      whole: { floor, slots },
    }));
  }

  /** A pod that is there was heard in the last list too; of one that is not, only its own version tells. */
  #tellingOf({ workload, gone }: Marks, rows: Iterable<PodRow>): Telling {
    const { cache, podFloor } = this.#setup;
    const { owner } = workload;
    const floor = podFloor(owner.namespace);
    const told: Told[] = [];
    // Another pod may stand there by now, and what became of this one has been noted for itself.
    for (const row of rows) if (cache.isRowOf(workload, row)) told.push(row);
    // The others have come back.
    for (const [uid, pod] of gone) if (!cache.isPodOf(workload, uid)) told.push(pod);
    return new Telling(told, (each) => {
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
    return { heardAt: unsent.deleted ? version : newest(version, this.#setup.ownerFloor(owner)), deleted: unsent.deleted, object };
  }

  /** @returns undefined for a kind that has none but pods */
  #childrenOf({ workload, whole, children }: Marks): { children: ChildObservation[]; wholeChildren?: WholeChildren[] } | undefined {
    const { cache, childFloor } = this.#setup;
    const tables = cache.childTablesOf(workload.owner.kind);
    if (tables.length === 0) return undefined;
    const { namespace } = workload.owner;
    const listed = tables.filter((table) => (whole || children?.whole.has(table)) && childFloor(table, namespace) !== '0');
    const news = listed.flatMap((table) => [...table.uidsOf(workload)].map((uid): ChildNews => ({ table, uid })));
    for (const one of children?.news.values() ?? [])
      // Those that are there are among the listed.
      if (!listed.includes(one.table) || !one.table.stateOf(workload, one.uid)) news.push(one);
    const wholeChildren = listed
      .filter((table) => table.isWhole(workload))
      .map((table) => ({
        resource: table.resource,
        floor: childFloor(table, namespace),
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
      const floor = this.#setup.childFloor(table, workload.owner.namespace);
      return { heardAt: newest(state.resourceVersion, floor), presence: 'there', child: state };
    }
    return gone && { heardAt: gone.state.resourceVersion, presence: gone.presence, child: gone.state };
  }
}
