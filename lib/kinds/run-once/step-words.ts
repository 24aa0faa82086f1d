// The words of a step: what it is given of the provider, and what it orders.
import type { Pod } from '../../objects/kubernetes.ts';
import type { Task, TaskName } from '../../objects/task.ts';
import type { Victim } from './run.ts';

/** How a call failed. */
export interface Problem {
  message: string;
  /** Throttling or an outage: the same call may succeed in a moment. */
  passes?: true;
  /** The provider asks for so long a pause. */
  againInMs?: number;
  /** It may have taken effect. */
  isUnknown?: true;
  /** The provider knows no such task. */
  isNotFound?: true;
}

/** `task` undefined: the provider knows none. */
export type Look = { task: Task | undefined } | { problem: Problem };

export interface CallOutcome {
  problem?: Problem;
}

export interface OthersOnNode {
  pods: readonly Pod[];
  /** Uids of those that may be evicted: pods of the cluster, by what its API server shows of them. */
  evictable?: ReadonlySet<string>;
}

/** Answers to the actions of the step before, by the place of the pod. */
export interface RunSeen {
  /** Pods that take room on the node and are none of this run's. */
  others?: OthersOnNode | { problem: Problem };
  looks?: ReadonlyMap<number, Look>;
  syncs?: ReadonlyMap<number, CallOutcome>;
  stops?: ReadonlyMap<number, CallOutcome>;
}

export type RunAction =
  | { verb: 'list'; why: string }
  | { verb: 'look'; index: number; task: TaskName; why: string }
  | { verb: 'mirror'; index: number; why: string }
  | { verb: 'evict'; index: number; victim: Pick<Victim, 'uid' | 'namespace' | 'name'>; why: string }
  /** The state that names it is stored before it is sent. */
  | { verb: 'sync'; index: number; task: TaskName; starts: boolean; why: string }
  | { verb: 'stop'; index: number; task: TaskName; graceSeconds: number; why: string }
  | { verb: 'event'; index: number; type: 'Warning'; reason: string; message: string; why: string };
