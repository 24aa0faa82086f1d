// The words that every planner speaks: what it is given, what it answers. A planner is a pure function of these.
import { resourceKeyOf, type ChildState } from '../../objects/child-state.ts';
import type { WantedFields } from '../../objects/field-mask.ts';
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import type { KindOptions } from '../../objects/kind-options.ts';
import type { Manages } from '../../objects/manages.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import type { PatchType, Resource } from '../../objects/resources.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import type { Pods } from './pod-set.ts';

/** Durable state of a workload that no object on the cluster shows. */
export interface PlanHead {
  /** Intents of unknown outcome: names to create, uids to delete, uids whose finalizer is to come off. */
  expectations: { create: readonly string[]; delete: readonly string[]; strip: readonly string[] };
  backoff: { failures: number; lastFailureTime?: string };
  /** Lowest number that no vanished child ever held (R5). */
  ordinal: number;
  /** Creating pods waits until then (Unix milliseconds): the API server refused one a moment ago. */
  holdUntilMs?: number;
  /** Deleting pods does, for the same reason. */
  deleteHoldUntilMs?: number;
  /** No pod is started before all else that can be done is done. */
  createsLast?: true;
  /** Why it fails: the verdict of an earlier pass that is not in the status yet. Pods that were deleted for it since decide nothing. */
  failure?: Failure;
}

/** Why a workload fails: reason and message of its condition. */
export interface Failure {
  reason: string;
  message: string;
  /** Its kind's own entries beside them. */
  [detail: string]: string;
}

export const EMPTY_HEAD: PlanHead = { expectations: { create: [], delete: [], strip: [] }, backoff: { failures: 0 }, ordinal: 0 };

export interface Snapshot<Owner extends KubernetesObject, Kept extends object = object> {
  owner: Owner;
  /** Pods controlled by the owner and, where they were listed, orphans in its namespace; order is the caller's. */
  pods: Pods;
  /** Pods of the owner that are gone, and that had succeeded when they were observed last; for kinds with `successOutlivesPod` alone. */
  ended?: readonly PodFacts[];
  /** Children other than pods, by `resourceKeyOf`: an entry for each resource of its kind. Absent for a kind without such children. */
  children?: ReadonlyMap<string, readonly ChildState[]>;
  /** Names that objects of somebody else have, as creates of this pass met them; by `nameKeyOf`. */
  held?: ReadonlyMap<string, HeldName>;
  head: PlanHead;
  /** Which kinds are managed, and what of each. */
  manages: Manages;
  /** Options of kinds that the cluster is registered with. */
  options?: KindOptions | undefined;
  /** The owner was read live in this pass, with all that a view leaves out. */
  isWhole?: boolean;
  /** Answers to the sights that plans of this pass wanted, by `sightKeyOf`; null: there is no such thing. */
  sights?: ReadonlyMap<string, unknown>;
  /** A call of the provider that failed a moment ago in this pass. */
  failedCall?: FailedCall;
  /** Calls that the provider has taken in this pass. */
  calls?: readonly ProviderCall[];
  /** Objects that plans of this pass wanted, by `readKeyOf`. `objects` undefined: absent, or the API server serves no such resource. */
  read?: ReadonlyMap<string, { objects: readonly KubernetesObject[] | undefined }>;
  /** Its kind's part of the head, by the kind's own schema. */
  kept?: Kept | undefined;
}

/** An object of somebody else that has the name of a child. It holds that child's place only (R5). */
export interface HeldName {
  uid: string;
  /** It is being deleted, so the name will be free. */
  isTerminating: boolean;
}

export const nameKeyOf = (resource: Pick<Resource, 'apiVersion' | 'plural'>, name: string): string => `${resourceKeyOf(resource)}/${name}`;

/** Objects that a plan wants to see: one by its name, or all of the namespace. */
export interface ReadWant {
  resource: Resource;
  /** Absent: the owner's. Empty: all. */
  namespace?: string;
  name?: string;
  /** Of a list. */
  fieldSelector?: string;
  /** The fields that are read of each; absent: whole objects. */
  fields?: WantedFields;
}

/** A plan's question about something that is no object of the cluster. */
export type SightWant =
  /** The pod's task: a `Task`. */
  | { sight: 'task'; node: string; uid: string; attempt: number }
  /** All tasks of the node: `Task[]`. */
  | { sight: 'tasks'; node: string }
  /** Of the node's provider: `ProviderState`. */
  | { sight: 'provider'; node: string }
  /** The kept parts of other workloads' heads, by uid: an empty object if one keeps nothing, null if it has no head. */
  | { sight: 'workloads'; workloads: readonly WorkloadName[] };

export interface ProviderState {
  /** Why it can start nothing now; absent: it is well. */
  problem?: string;
  /** It gave no answer, so it tells nothing of its tasks either. */
  isSilent?: true;
  cannot: readonly { field: string; why: string }[];
  /** Nobody tells of its tasks' changes: seconds after which they are looked at again. */
  lookAgainSeconds?: number;
  /** It lists what runs of other nodes, too. */
  sharesTasks?: true;
  /** Where API servers reach the node; absent: nowhere, or it is not known now. */
  endpoint?: { address: string; port: number };
}

export type Want = { owner: 'whole' } | ReadWant | SightWant;

export function sightKeyOf(want: SightWant): string {
  switch (want.sight) {
    case 'task':
      return `task ${want.node} ${want.uid} ${want.attempt}`;
    case 'tasks':
    case 'provider':
      return `${want.sight} ${want.node}`;
    case 'workloads':
      return `workloads ${want.workloads.map(({ uid }) => uid).join(' ')}`;
  }
}

/** How a call of a provider failed. */
export interface FailedCall {
  call: ProviderCall;
  /** The provider's words. */
  message: string;
  /**
   * - `refused`: its final word about this pod.
   * - `unknown`: it may have taken effect (R6).
   * - `notDone`: it certainly did not.
   * - `notFound`: it knows no such task.
   * - `unresolved`: it was not called, for the pod's environment names something that is not there.
   */
  outcome: 'refused' | 'unknown' | 'notDone' | 'notFound' | 'unresolved';
  /** It asks to be called again no sooner. */
  retryAfterSeconds?: number;
}

export type ProviderCall = 'start' | 'update' | 'stop' | 'forget';

/** @param ownNamespace the owner's */
export const readKeyOf = (
  { resource: { plural, apiVersion }, namespace, name, fieldSelector = '' }: ReadWant,
  ownNamespace: string,
): string => `${plural} ${apiVersion} ${namespace ?? ownNamespace}/${name ?? ''}${fieldSelector && ` ${fieldSelector}`}`;

/** Another workload of the same cluster. */
export type WorkloadName = Omit<WorkloadKey, 'cluster'>;

/** One that must look. */
export interface ToldWorkload extends WorkloadName {
  /** Also if nothing is known of it: its pass finds out what became of its owner. */
  evenUnknown?: true;
}

/** Where an action is aimed: enough to build the request. */
export interface Target {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
}

/** The place that a child's name stands for (R5). */
export interface ChildPlace {
  slot: number;
  number: number;
}

/** For an action that all others depend on. If the API server refuses it, the workload is parked and the event is emitted. */
export interface IfRefused {
  /** The loop appends the API server's words to `problem` and to the event's message. */
  problem: string;
  event?: { reason: string; message: string };
}

/** Few verbs, so that the executor stays a short switch. Every one says why. */
export type Action =
  /**
   * `child`: the place and number of its name. Of a pod the create is an intent (R5). A create of another object is repeated, which its
   * name makes safe; its number distinguishes it from an earlier object of that name.
   * `needs`: another create of this plan, by `aboutOf`. It comes first, and where it made nothing this one is not sent.
   */
  | { verb: 'create'; resource: Resource; object: KubernetesObject; child?: ChildPlace; needs?: string; ifRefused?: IfRefused; why: string }
  /**
   * `active`: the pod is taken to be active, or it is the owner itself, so its resourceVersion must be a precondition too (R8); that of another
   * pod may be. The loop reads the owner live before the delete of an active pod, and before that of any other object (R10).
   * `evenTracked`: delete the pod even if the API server refuses to take its finalizer off first.
   * `propagationPolicy`: of the owner, whose children go first.
   */
  | ({
      verb: 'delete';
      resource: Resource;
      active: boolean;
      resourceVersion?: string;
      evenTracked?: true;
      propagationPolicy?: 'Foreground';
      /** Of the owner: 0 removes an object whose grace has begun. */
      gracePeriodSeconds?: number;
      why: string;
    } & Target)
  /**
   * `purpose`: one word, for logs and records.
   * `canBeTakenBack`: if not, the loop reads the owner live first (R10).
   * `isIntended`: a later count depends on it, so it is an intent (R5).
   * `isDebounced`: it follows counts of running pods, so it waits with a status in which only these differ.
   */
  | ({
      verb: 'patch';
      resource: Resource;
      purpose: string;
      canBeTakenBack: boolean;
      isIntended?: true;
      isDebounced?: true;
      /** Only if it is still at this version (R8). */
      resourceVersion?: string;
      ifRefused?: IfRefused;
      type: PatchType;
      patch: object;
      why: string;
    } & Target)
  /**
   * A call of the provider behind the owner's node. What must be known of it later is in `head.kept`, which is durable before (R5). It takes
   * nothing from the cluster's write budget. A start reads the owner live first: the provider gets that pod, whole (R10).
   */
  | { verb: 'call'; call: ProviderCall; node: string; uid: string; attempt: number; graceSeconds?: number; why: string }
  /** `isFinal`: later writes keep what it holds, an end or a time of the cluster's clock. The loop reads the owner live first (R10, R12). */
  | { verb: 'status'; status: object; isFinal?: true; why: string }
  /**
   * Emitted once the actions before it are done. `about`: it depends on the create or delete of this one object alone, see `aboutOf`.
   * `evenUnanswered`: emitted too if the outcome of the status write before it is unknown.
   */
  | {
      verb: 'event';
      type: 'Normal' | 'Warning';
      reason: string;
      message: string;
      regarding: Target;
      about?: string;
      evenUnanswered?: true;
      why: string;
    };

/** An object as `about` of an event names it: a pod by its name, others by kind and name. */
export const aboutOf = ({ kind }: Pick<Resource, 'kind'>, name: string): string => (kind === 'Pod' ? name : `${kind}/${name}`);

export type Outcome = 'acted' | 'waiting' | 'converged' | 'parked' | 'notOurs';

/** A plan's change of the number of pods, by the names of upstream's metrics. `reconciling`: the plan did not get that far. */
export type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

export interface Plan<Status> {
  /** In order of execution; neighbours of one verb may run at the same time. */
  actions: Action[];
  /** The workload's status at the end of the pass, if every action succeeds. */
  status: Status;
  /** When to look again though nothing happens; above 0. */
  requeueAfterSeconds?: number;
  outcome: Outcome;
  /** Of a parked plan: nothing but a change of the spec brings the workload back, and only its own events report it. */
  untilChanged?: true;
  why: string[];
  /** Absent: `reconciling`. */
  syncAction?: SyncAction;
  /** Why it creates pods, by the names of upstream's metrics. Absent if it creates none. */
  creationReason?: string;
  /** Why it fails, until its status says so. The pass stores it before it deletes pods for it. */
  failure?: Failure;
  /** Durable state after the pass; stored once the pass's first status write is through. */
  head: {
    backoff: PlanHead['backoff'];
    ordinal: number;
    /** Its kind's part of the head from now on; absent: unchanged. Stored with the intents, before the first action. JSON: 600 bytes of a usual workload, 16 KB at most. */
    kept?: object;
  };
  /** Read live in this pass, which then plans again: two rounds and 64 reads at most. Until then nothing of this plan is carried out. */
  wants?: readonly Want[];
  /** Its findings in the objects that it wanted, for people. It is no part of the recorded plan: a replay has no reads. */
  whyRead?: readonly string[];
  /** Other workloads of the cluster that must look: stored with `kept`, woken before the pass is done. */
  tells?: readonly ToldWorkload[];
  /** Another controller at work on the same workload, by the manager of its writes. Nothing is written beside it. */
  yieldsTo?: string;
  /** A step that all else rests on: once it is carried out, the same pass plans again. */
  continues?: true;
}

/**
 * A plan as a planner answers it, without what follows from the rest. `outcome` absent: `acted` with any action, else `waiting` if a time or an
 * object is waited for, else `converged`. `requeueAfterSeconds`: no later than a hold ends. `status` absent: the owner's. `head` absent, or a
 * part of it: as it is.
 */
export type NewPlan<Status, Kept extends object = object> = Pick<Plan<Status>, 'actions' | 'why'> &
  Partial<Omit<Plan<Status>, 'head'>> & { head?: Partial<Plan<Status>['head']> & { kept?: Kept } };

/** Objects that a deleted owner has left, as listed live. */
export interface LeftBehind {
  pods: readonly PodFacts[];
  children: ReadonlyMap<string, readonly ChildState[]>;
  kept?: object | undefined;
  /** As in `Snapshot`. */
  sights?: ReadonlyMap<string, unknown>;
  options?: KindOptions | undefined;
  key: WorkloadName;
  /** The cluster's time. */
  nowMs: number;
}

export interface AfterOwner {
  actions: Action[];
  /** Nothing is left to do once these actions are carried out. If not, the workload is looked at again when its children change. */
  isDone: boolean;
  /** As in `Plan`. Until they are seen nothing else of this answer counts. */
  wants?: readonly SightWant[];
  kept?: object;
  tells?: readonly ToldWorkload[];
  /** When to look again, if it is not done; absent: in a minute. */
  requeueAfterSeconds?: number;
  /** Absent: its pods are released. */
  why?: string;
}

export interface Planner<Owner extends KubernetesObject, Status> {
  plan(snapshot: Snapshot<Owner>, now: Date): Plan<Status>;
  /** The owner is gone. Decides about what it left. The workload is forgotten once that is done. */
  afterOwner(left: LeftBehind): AfterOwner;
}
