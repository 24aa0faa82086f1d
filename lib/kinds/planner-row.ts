// What a kind is to the loop beside its facts: its planner, how its status is written, what its metrics count, how its back-off is kept.
import type { GenericSchema } from 'valibot';
import type { WorkloadObject } from '../objects/kubernetes.ts';
import type { PodFacts } from '../objects/pod-facts.ts';
import type { Counted } from '../objects/reference-metrics.ts';
import type { Resource } from '../objects/resources.ts';
import type { Action, Plan, Planner, PlanHead, Snapshot } from './plan.ts';

export interface PlannerRow<Owner extends WorkloadObject = WorkloadObject, Status extends object = object> {
  planner: Planner<Owner, Status>;
  status: KindStatus<Owner, Status>;
  metrics: KindMetrics<Owner, Status>;
  backoff: KindBackoff<Owner, Status>;
  /** Durable state of the kind's own in its workloads' heads; absent: it keeps none. */
  kept?: KindKept;
  /** What the flight recorder keeps of an owner that was read live: its facts, and what its planner asks of the rest. */
  recordedFactsOf(owner: Owner): Owner;
}

export interface KindStatus<Owner extends WorkloadObject, Status extends object> {
  /** A whole status as a merge patch, which keeps every field that it does not name. */
  patchOf(status: Status): object;
  /** Uids of children that the status names: a pass counts on them only where it knows all of them (R18). */
  childrenIn(owner: Owner): readonly string[];
  /** A status in which these alone differ is debounced. */
  debouncedFields: readonly string[];
  /** Which writes may wait for the next wave's status, in the middle of many creates; absent: none may. */
  amidCreates?: AmidCreates<Owner>;
}

export interface AmidCreates<Owner extends WorkloadObject> {
  /** A status in which nothing else differs waits. */
  fields: readonly string[];
  /** When a write to a pod is due: `now`; `later`: once a status counts it; `withStatus`: the status may not wait because of it. */
  timing(
    owner: Owner,
  ): (action: Extract<Action, { verb: 'patch' | 'delete' }>, pod: PodFacts | undefined) => 'now' | 'later' | 'withStatus';
}

/** Labels of a pass that upstream's metrics count as a sync. */
export type SyncLabels = Readonly<Record<string, string>>;

/** What each confirmed write counts, under upstream's names. A kind counts what it has a member for. */
export interface KindMetrics<Owner extends WorkloadObject, Status extends object> {
  /** Undefined where this plan makes the pass no sync; the first plan of a pass that does gives its labels. */
  syncOf?(plan: Plan<Status>, owner: Owner): SyncLabels | undefined;
  /** The end of a pass that was a sync. */
  ofSync?(sync: SyncLabels, end: { isGood: boolean; seconds: number }): Counted[];
  /** @param before and `after`: the owner as it stood, and as the API server answered the status write */
  ofStatus?(before: Owner, after: Owner): Counted[];
  /** @param plan that the create is part of */
  ofCreate?(plan: Plan<Status>, result: 'succeeded' | 'failed'): Counted[];
  ofPatch?(action: Extract<Action, { verb: 'patch' }>, about: { owner: Owner; pod: PodFacts }): Counted[];
  /** @param at when the API server took the delete of the owner */
  ofOwnerDelete?(owner: Owner, at: Date): Counted[];
  /** A read was behind what had been observed before. */
  ofStaleRead?(resource: Resource): Counted[];
}

/** Failures in a row: the loop stores them, the kind says what they are. */
export interface KindBackoff<Owner extends WorkloadObject, Status extends object> {
  /** As it holds for this owner. */
  known(stored: StoredBackoff, owner: Owner | undefined): PlanHead['backoff'];
  /** As it is stored once a pass is through. @param owner as it stands then */
  toStore(backoff: PlanHead['backoff'], owner: Owner | undefined): StoredBackoff;
  /** Whether a status of this plan counts the failures in it: then it is stored with that write though the rest of the plan stopped. */
  isCountedByStatus(given: Snapshot<Owner>, plan: Plan<Status>): boolean;
}

export interface KindKept {
  /** What a planner is given as `kept` is read by it. */
  schema: GenericSchema<object>;
  /** Fields of the head itself in which the build before held the same. */
  fieldsBefore?: readonly string[];
}

export interface StoredBackoff {
  failures: number;
  lastFailureTime?: string | undefined;
  /** What its kind keeps beside them. */
  [detail: string]: string | number | undefined;
}

/** Types are erased here, once: the loop gives a row owners of its kind. What is left out has the default of a kind without it. */
export const definePlanner = <Owner extends WorkloadObject, Status extends object>(
  row: Pick<PlannerRow<Owner, Status>, 'planner'> & Partial<PlannerRow<Owner, Status>>,
): PlannerRow => ({
  status: { patchOf: (status) => status, childrenIn: () => [], debouncedFields: [] },
  metrics: {},
  backoff: {
    known: ({ failures, lastFailureTime }) => ({ failures, ...(lastFailureTime !== undefined && { lastFailureTime }) }),
    toStore: (backoff) => ({ ...backoff }),
    isCountedByStatus: () => true,
  },
  recordedFactsOf: (owner) => owner,
  ...(row as Partial<PlannerRow> & Pick<PlannerRow, 'planner'>),
});
