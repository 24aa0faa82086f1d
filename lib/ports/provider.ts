// A place outside the clusters that runs tasks for the pods of one virtual node. It keeps no truth of ours: what it runs is asked of it, and
// each call may be repeated.
import type { Duplex } from 'node:stream';
import type { ResolvedPod } from '../objects/environment/sources.ts';
import type { PodAddresses } from '../objects/environment/downward-fields.ts';
import type { LogRequest } from '../objects/log-request.ts';
import type { Task, TaskName } from '../objects/task.ts';
import type { Deadline } from './clock.ts';

/** Fields that no pod of this provider can have, as data: an admission rests on it before anything is called. */
export interface Limits {
  /** Fields of a pod that cannot be carried out where they are set. A step `*` stands for each entry of a list. */
  cannot: readonly { field: string; why: string }[];
}

export interface Health {
  /** Why no task can be started now, for people; absent: it is well. */
  problem?: string;
}

/** A command in a container that runs. Streams that are not wanted are absent. */
export interface ExecRequest {
  container: string;
  command: readonly string[];
  /** Its output comes on `stdout` alone, as from a terminal. */
  tty: boolean;
  stdin?: AsyncIterable<Uint8Array>;
  /** Resolves once more may come: a slow reader holds up the command, and nothing is kept meanwhile. */
  stdout?: (bytes: Uint8Array) => Promise<void>;
  stderr?: (bytes: Uint8Array) => Promise<void>;
  /** Sizes of the caller's terminal, the first at the start; with `tty` alone. */
  sizes?: AsyncIterable<{ columns: number; rows: number }>;
}

/** A container's use of the machine. A figure that is not known is absent. */
export interface ContainerFigures {
  name: string;
  startedAtMs?: number;
  /** Since it started: of all its processes, those included that have ended. */
  cpuSeconds?: number;
  /** Cores that it uses now. */
  cpuCores?: number;
  /** Working set. */
  memoryBytes?: number;
}

/** Something that a pod does without here. It becomes an event of the pod. */
export interface PodWarning {
  reason: string;
  message: string;
}

export interface TaskFigures {
  uid: string;
  /** Unix milliseconds of the measurement. */
  atMs: number;
  containers: readonly ContainerFigures[];
}

/** Most tasks of one `look`. */
export const MOST_TASKS_OF_A_LOOK = 100;

/**
 * A call is not repeated by the adapter and not sent after its deadline (R17).
 * @throws the errors of errors.ts and no others: a TerminalError is the provider's final word about this pod; after an UnknownOutcomeError the
 * call may have taken effect
 */
export interface Provider {
  /** Seconds after which the tasks that run are looked at again. Absent: it tells of their changes. */
  readonly lookAgainSeconds?: number;
  /** It lists what runs of other nodes, too, and cannot say which that is. */
  readonly sharesTasks?: true;
  /** Returns once the request is accepted; running comes later, as a state. @param pod as the API server has it, environment and volumes written out */
  start(task: TaskName, pod: ResolvedPod, deadline: Deadline): Promise<void>;
  /** Of labels, annotations, images, tolerations and the deadline. @throws NotFoundError */
  update(task: TaskName, pod: ResolvedPod, deadline: Deadline): Promise<void>;
  /** Begins to end it; repeated, a shorter grace shortens the wait. @throws NotFoundError nothing of that name is known */
  stop(task: TaskName, how: { graceSeconds: number }, deadline: Deadline): Promise<void>;
  /** In the order of the names; undefined: unknown here. @param tasks at most MOST_TASKS_OF_A_LOOK */
  look(tasks: readonly TaskName[], deadline: Deadline): Promise<(Task | undefined)[]>;
  /** All tasks of this node, those included that ended lately. */
  list(page: { limit: number; after?: string }, deadline: Deadline): Promise<{ tasks: Task[]; next?: string }>;
  /** Nothing of this task is asked for any more. What it is kept for is gone. Never fails; absent: nothing has to be done. */
  forget?(task: TaskName, deadline: Deadline): Promise<void>;
  /**
   * The bytes of a container's log, as they come, until the log's end; with `follow` until the container has ended. Nothing is read ahead of
   * a slow reader. Ends early, without an error, when the signal fires. Absent: this provider keeps no logs.
   * @throws NotFoundError no such task, or no log of that run; at the first step of the iteration at the latest
   */
  logs?(task: TaskName, wanted: LogRequest, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Resolves once the command has ended; fired, the signal ends it. Absent: not offered. @throws NotFoundError the container does not run */
  exec?(task: TaskName, wanted: ExecRequest, signal: AbortSignal): Promise<{ exitCode: number }>;
  /** Of a task that is yet to be started: variables of its pod may name them. Absent: known once it runs. */
  addressesOf?(task: TaskName): PodAddresses;
  /** A connection to a port of the pod. Absent: not offered. @throws NotFoundError no such task runs; UnknownOutcomeError nothing listens there */
  connect?(task: TaskName, port: number, signal: AbortSignal): Promise<Duplex>;
  /** Of all tasks of this node that run. Absent: it measures nothing. */
  figures?(deadline: Deadline): Promise<TaskFigures[]>;
  health(deadline: Deadline): Promise<Health>;
  limits(): Limits;
  /** Of a pod that was just started. Absent: no pod does without anything. */
  warningsOf?(pod: ResolvedPod): readonly PodWarning[];
}

/** Tasks of one page of a list that is read whole. */
const TASKS_OF_A_PAGE = 500;

/** The pages of all tasks of a node. @param deadlineOf of each page, when it is asked for. @throws as `list` */
export async function* taskPages(provider: Pick<Provider, 'list'>, deadlineOf: () => Deadline): AsyncGenerator<Task[]> {
  let after: string | undefined;
  do {
    const page = await provider.list({ limit: TASKS_OF_A_PAGE, ...(after !== undefined && { after }) }, deadlineOf());
    yield page.tasks;
    after = page.next;
  } while (after !== undefined);
}
