// A place outside the clusters that runs tasks for the pods of one virtual node. It keeps no truth of ours: what it runs is asked of it, and
// each call may be repeated.
import type { Pod } from '../objects/kubernetes.ts';
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

/** Most tasks of one `look`. */
export const MOST_TASKS_OF_A_LOOK = 100;

/**
 * A call is not repeated by the adapter and not sent after its deadline (R17).
 * @throws the errors of errors.ts and no others: a TerminalError is the provider's final word about this pod; after an UnknownOutcomeError the
 * call may have taken effect
 */
export interface Provider {
  /** Returns once the request is accepted; running comes later, as a state. @param pod as the API server has it, with the environment */
  start(task: TaskName, pod: Pod, deadline: Deadline): Promise<void>;
  /** Of labels, annotations, images, tolerations and the deadline. @throws NotFoundError */
  update(task: TaskName, pod: Pod, deadline: Deadline): Promise<void>;
  /** Begins to end it; repeated, a shorter grace shortens the wait. @throws NotFoundError nothing of that name is known */
  stop(task: TaskName, how: { graceSeconds: number }, deadline: Deadline): Promise<void>;
  /** In the order of the names; undefined: unknown here. @param tasks at most MOST_TASKS_OF_A_LOOK */
  look(tasks: readonly TaskName[], deadline: Deadline): Promise<(Task | undefined)[]>;
  /** All tasks of this node, those included that ended lately. */
  list(page: { limit: number; after?: string }, deadline: Deadline): Promise<{ tasks: Task[]; next?: string }>;
  health(deadline: Deadline): Promise<Health>;
  limits(): Limits;
}
