// The words that every planner speaks: what it is given, what it answers. A planner is a pure function of these.
import type { KubernetesObject } from '../objects/kubernetes.ts';
import type { Manages } from '../objects/manages.ts';
import type { PodFacts } from '../objects/pod-facts.ts';
import type { PatchType, Resource } from '../objects/resources.ts';
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
  /** Indexes that had failed for good by then, as a status writes them. Absent if there were none, or too many to keep. */
  failedIndexes?: string;
}

export const EMPTY_HEAD: PlanHead = { expectations: { create: [], delete: [], strip: [] }, backoff: { failures: 0 }, ordinal: 0 };

export interface Snapshot<Owner extends KubernetesObject> {
  owner: Owner;
  /** Pods controlled by the owner and, where they were listed, orphans in its namespace; order is the caller's. */
  pods: Pods;
  head: PlanHead;
  /** Which kinds are managed, and what of each. */
  manages: Manages;
  /** The group that new pods are scheduled with (alpha). */
  schedulingGroup?: { name: string; uid: string };
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
  /** `child`: the child has a place, so its create is an intent (R5). A create without it is repeated, which its name makes safe. */
  | { verb: 'create'; resource: Resource; object: KubernetesObject; child?: ChildPlace; ifRefused?: IfRefused; why: string }
  /**
   * `active`: the pod is taken to be active, or it is the owner itself, so its resourceVersion is a precondition too (R8).
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
      why: string;
    } & Target)
  /**
   * `purpose`: one word, for logs and records.
   * `canBeTakenBack`: if not, the loop reads the owner live first (R10).
   * `isIntended`: a later count depends on it, so it is an intent (R5).
   */
  | ({
      verb: 'patch';
      resource: Resource;
      purpose: string;
      canBeTakenBack: boolean;
      isIntended?: true;
      /** Only if it is still at this version (R8). */
      resourceVersion?: string;
      ifRefused?: IfRefused;
      type: PatchType;
      patch: object;
      why: string;
    } & Target)
  /** `isFinal`: later writes keep what it holds, an end or a time of the cluster's clock. The loop reads the owner live first (R10, R12). */
  | { verb: 'status'; status: object; isFinal?: true; why: string }
  /**
   * Emitted once the actions before it are done. `about`: it is about this pod alone, and depends on this pod's action alone.
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

export type Outcome = 'acted' | 'waiting' | 'converged' | 'parked' | 'notOurs';

/** What a plan does about the number of pods, by the names of upstream's metrics. `reconciling`: the plan did not get that far. */
export type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

export interface Plan<Status> {
  /** In order of execution; neighbours of one verb may run at the same time. */
  actions: Action[];
  /** The workload's status at the end of the pass, if every action succeeds. */
  status: Status;
  /** When to look again though nothing happens; above 0. */
  requeueAfterSeconds?: number;
  outcome: Outcome;
  why: string[];
  /** Absent: `reconciling`. */
  syncAction?: SyncAction;
  /** Why it creates pods, by the names of upstream's metrics. Absent if it creates none. */
  creationReason?: string;
  /** Why it fails, until its status says so. The pass stores it before it deletes pods for it. */
  failure?: Failure;
  /** Durable state after the pass; stored once the pass's first status write is through. */
  head: { backoff: PlanHead['backoff']; ordinal: number };
}

export interface Planner<Owner extends KubernetesObject, Status> {
  plan(snapshot: Snapshot<Owner>, now: Date): Plan<Status>;
  /** The actions for pods whose owner is gone or finished: finalizers come off. */
  orphans(pods: readonly PodFacts[]): Action[];
}
