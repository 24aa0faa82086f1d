// The loop's part of a kind in addition to its facts: its planner, the writing of its status, its metrics, its back-off.
import type { KindOptions } from '../../objects/kind-options.ts';
import type { GenericSchema } from 'valibot';
import type { SnapshotTexts } from '../../objects/values/frequent-texts.ts';
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import type { Counted } from '../../objects/upstream-metrics.ts';
import type { Resource } from '../../objects/resources.ts';
import type { Action, AfterOwner, LeftBehind, NewPlan, Plan, Planner, PlanHead, Snapshot } from './plan.ts';

/** The node that a pod is handed to, as the pod's environment and volumes may tell of it. */
export interface HandingNode {
  /** Amounts by resource. */
  allocatable: Readonly<Record<string, string>>;
  /** Whether its provider may have tokens of service accounts. */
  getsTokens: boolean;
}

export interface PlannerRow<Owner extends WorkloadObject = WorkloadObject, Status extends object = object> {
  planner: Planner<Owner, Status>;
  status: KindStatus<Owner, Status>;
  metrics: KindMetrics<Owner, Status>;
  backoff: KindBackoff<Owner, Status>;
  /** The kind's own durable state in its workloads' heads; absent: none. */
  kept?: KindKept;
  /**
   * For people alone: how long its parts ran that succeeded. Pure; given again what it was given before, it counts none twice. Absent: nothing
   * is remembered.
   */
  runLengths?(
    known: RunsRemembered | undefined,
    owners: { before: Owner | undefined; after: Owner },
    pods: Iterable<PodFacts>,
  ): RunsRemembered | undefined;
  /** The part that its passes want of what another workload keeps (a `workloads` sight); absent: all. @param uid of the one that asks */
  heardOf?(kept: object, uid: string): object;
  /** The node that a pod is handed to. Undefined: there is no such node. */
  nodeOf?(options: KindOptions | undefined, name: string): HandingNode | undefined;
  /** The part of a live owner that the flight recorder stores, if it is more than the facts: further fields that its planner reads. */
  recordedFactsOf?(owner: Owner): Owner;
  /** Texts that nearly every snapshot of a pass holds. They make it smaller. */
  recordedTexts?: SnapshotTexts;
}

export interface KindStatus<Owner extends WorkloadObject, Status extends object> {
  /** A whole status as a merge patch, which keeps every field that it does not name. */
  patchOf(status: Status): object;
  /** Uids of children in the status. A pass relies on them only if it knows all of them (R18). */
  childrenIn(owner: Owner): readonly string[];
  /** A status that differs in these fields alone is debounced. */
  debouncedFields: readonly string[];
  /** Writes that may wait for the next wave's status while many creates are under way; absent: none. */
  amidCreates?: AmidCreates<Owner>;
}

export interface RunsRemembered {
  /** How many had succeeded by the status that was counted last. */
  of: number;
  /** As `runLengthsText` writes them. */
  lengths: string;
}

export interface AmidCreates<Owner extends WorkloadObject> {
  /** A status that differs in these fields alone waits. */
  fields: readonly string[];
  /** How a write to a pod waits. `now`: it does not. `later`: until a status counts the pod. `withStatus`: it ends the status's wait. */
  timing(
    owner: Owner,
  ): (action: Extract<Action, { verb: 'patch' | 'delete' }>, pod: PodFacts | undefined) => 'now' | 'later' | 'withStatus';
}

/** Labels of a pass that upstream's metrics count as a sync. */
export type SyncLabels = Readonly<Record<string, string>>;

/** The counts of each confirmed write, under upstream's names. A kind has a member for each write that it counts. */
export interface KindMetrics<Owner extends WorkloadObject, Status extends object> {
  /** Undefined if this plan does not make the pass a sync. Of the plans of a pass, the first with labels decides. */
  syncOf?(plan: Plan<Status>, owner: Owner): SyncLabels | undefined;
  /** Called at the end of a pass that was a sync. */
  ofSync?(sync: SyncLabels, end: { isGood: boolean; seconds: number }): Counted[];
  /** @param before and `after`: the owner before the status write, and in the API server's answer */
  ofStatus?(before: Owner, after: Owner): Counted[];
  /** @param plan the plan with this create */
  ofCreate?(plan: Plan<Status>, result: 'succeeded' | 'failed'): Counted[];
  /** Of an object other than a pod. */
  ofOtherCreate?(resource: Resource, result: 'succeeded' | 'failed'): Counted[];
  /** Of an object other than a pod. */
  ofOtherDelete?(resource: Resource): Counted[];
  /** Of an event that is emitted, also if the cluster has no room for it. */
  ofEvent?(event: Extract<Action, { verb: 'event' }>): Counted[];
  ofPatch?(action: Extract<Action, { verb: 'patch' }>, about: { owner: Owner; pod: PodFacts }): Counted[];
  /** @param at when the API server accepted the delete of the owner */
  ofOwnerDelete?(owner: Owner, at: Date): Counted[];
  /** A read was older than an earlier observation. */
  ofStaleRead?(resource: Resource): Counted[];
}

/** Failures in a row. The loop stores them; the kind defines them. */
export interface KindBackoff<Owner extends WorkloadObject, Status extends object> {
  /** The failures that count for this owner. */
  known(stored: StoredBackoff, owner: Owner | undefined): PlanHead['backoff'];
  /** The failures to store after a pass. @param owner after the pass */
  toStore(backoff: PlanHead['backoff'], owner: Owner | undefined): StoredBackoff;
  /** Whether a status of this plan counts these failures. They are then stored with that write, even if the rest of the plan stopped. */
  isCountedByStatus(given: Snapshot<Owner>, plan: Plan<Status>): boolean;
}

export interface KindKept {
  /** Reads `kept` before the planner gets it. */
  schema: GenericSchema<object>;
  /** Of JSON; absent: 16 KB. */
  mostBytes?: number;
  /** Fields of the head itself in which the build before stored the same. */
  fieldsBefore?: readonly string[];
  /** Fields that a pass works out again from what it sees. They need not be durable before a plan that changes them is carried out. */
  seenAgain?: readonly string[];
}

export interface StoredBackoff {
  failures: number;
  lastFailureTime?: string | undefined;
  /** Further values that the kind stores. */
  [detail: string]: string | number | undefined;
}

/** The decisions of a kind. */
export interface Decisions<Owner extends WorkloadObject, Status extends object, Kept extends object = object> {
  /** A pure function of what it is given. */
  plan(this: void, snapshot: Snapshot<Owner, Kept>, now: Date): NewPlan<Status, Kept>;
  /** Absent: nothing is to be done. The API server deletes what the owner's reference is on. */
  afterOwner?(this: void, left: LeftBehind): AfterOwner;
}

/** A kind's own part of its planner row. `kept` is for a kind that keeps something in the head. */
export interface NewPlanner<Owner extends WorkloadObject, Status extends object, Kept extends object>
  extends Decisions<Owner, Status, Kept>, Partial<Omit<PlannerRow<Owner, Status>, 'planner' | 'kept'>> {
  kept?: Omit<KindKept, 'schema'> & { schema: GenericSchema<Kept> };
}

/** Puts into each plan what follows from the rest. */
export const plannerOf = <Owner extends WorkloadObject, Status extends object, Kept extends object = object>({
  plan,
  afterOwner = NOTHING_LEFT,
}: Decisions<Owner, Status, Kept>): Planner<Owner, Status> => ({
  plan: (snapshot, now) => wholePlan(plan(snapshot as Snapshot<Owner, Kept>, now), snapshot, now),
  afterOwner,
});

/**
 * Erases the owner's type, once. The loop passes a row only owners of its kind. Omitted members get the defaults of a kind without them.
 */
export function definePlanner<Owner extends WorkloadObject, Status extends object, Kept extends object = object>(
  said: NewPlanner<Owner, Status, Kept>,
): PlannerRow {
  const { plan, afterOwner = NOTHING_LEFT, ...others } = said as unknown as NewPlanner<WorkloadObject, object, object>;
  return {
    status: { patchOf: (status) => status, childrenIn: () => [], debouncedFields: [] },
    metrics: {},
    backoff: {
      known: knownBackoff,
      toStore: (backoff) => ({ ...backoff }),
      isCountedByStatus: () => true,
    },
    ...others,
    planner: plannerOf({ plan, afterOwner }),
  };
}

const NOTHING_LEFT = (): AfterOwner => ({ actions: [], isDone: true });

/** The failures as they are stored. */
export const knownBackoff = ({ failures, lastFailureTime }: StoredBackoff): PlanHead['backoff'] => ({
  failures,
  ...(lastFailureTime !== undefined && { lastFailureTime }),
});

function wholePlan<Status extends object>(
  plan: NewPlan<Status>,
  { owner, head }: Pick<Snapshot<WorkloadObject>, 'owner' | 'head'>,
  now: Date,
): Plan<Status> {
  const { actions, wants } = plan;
  const { backoff, ordinal } = head;
  const isLeft = plan.outcome === 'notOurs' || plan.outcome === 'parked';
  const requeueAfterSeconds = isLeft ? plan.requeueAfterSeconds : soonerOf(plan.requeueAfterSeconds, heldSeconds(head, now));
  const isWaiting = requeueAfterSeconds !== undefined || wants !== undefined;
  return {
    status: (owner.status ?? {}) as Status,
    outcome: actions.length > 0 ? 'acted' : isWaiting ? 'waiting' : 'converged',
    ...plan,
    ...(requeueAfterSeconds !== undefined && { requeueAfterSeconds }),
    head: { backoff, ordinal, ...plan.head },
  };
}

/** Nothing tells of the end of a hold: what a plan leaves out for it would never be done. */
function heldSeconds({ holdUntilMs, deleteHoldUntilMs }: PlanHead, now: Date): number | undefined {
  const ms = Math.max(holdUntilMs ?? 0, deleteHoldUntilMs ?? 0) - now.getTime();
  return ms > 0 ? ms / 1000 : undefined;
}

const soonerOf = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
