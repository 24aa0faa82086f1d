// One pod of a run: what a look or a sync changes (spec section 4, as passes of 10.4). Waits are due times, so nothing sleeps.
import type { Pod } from '../../objects/kubernetes.ts';
import type { Task, TaskName } from '../../objects/task.ts';
import { areRunning, failedContainerOf, failedContainersOf, haveStarted, shownStatusOf } from './containers.ts';
import { LONGEST_TIMER_MS, POLL_MS, type RunOptions } from './options.ts';
import type { RunPod, RunState } from './run.ts';
import type { CallOutcome, Look, Problem, RunAction } from './step-words.ts';
import { exited, hasFailed, neverEnded, neverRan, syncFailed, unreadable } from './texts.ts';

/** A call that fails by throttling or an outage is sent again so often before the failure counts. */
const MOST_TRIES = 3;
const TRY_AGAIN_MS = 200;
/** Two looks, so far apart, must miss a task that had been seen. */
const LOST_AFTER_MS = 10_000;
/** After so long no call of the former attempt can still be on its way (R17). */
export const SENDING_MS = 30_000;
const DEADLINE_EXCEEDED = { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' };
const LOST = { reason: 'NotFound', message: 'The pod status was not found and may have been deleted from the provider' };

/** A pod of a run within one step; `state` is its own copy. */
export interface PodStep {
  readonly index: number;
  readonly pod: Pod;
  readonly state: RunPod;
  readonly run: RunState;
  readonly now: Date;
  readonly actions: RunAction[];
}

export const taskOf = ({ state: { uid, attempt } }: Pick<PodStep, 'state'>): TaskName => ({ uid, attempt });

const setDue = ({ state, now }: PodStep, delayMs: number): void => {
  state.dueAtMs = now.getTime() + delayMs;
};

export const isDue = ({ state: { dueAtMs = 0 }, now }: Pick<PodStep, 'state' | 'now'>): boolean => now.getTime() >= dueAtMs;

/** The pod's outcome; the next completion number is its own. */
export function finish({ state, run }: PodStep, error?: string): void {
  run.completions += 1;
  state.completion = run.completions;
  delete state.dueAtMs;
  delete state.tries;
  if (error !== undefined) state.error = error;
  state.phase = error === undefined ? 'final' : 'failing';
}

/** A failure that passes by itself is met by the same call, up to three times. @returns whether the call is sent again */
function triesAgain(step: PodStep, { passes, againInMs = 0 }: Problem): boolean {
  const { state } = step;
  const tries = (state.tries ?? 0) + 1;
  if (passes !== true || tries > MOST_TRIES) return false;
  state.tries = tries;
  setDue(step, Math.max(againInMs, TRY_AGAIN_MS * 2 ** (tries - 1)));
  return true;
}

/** The answer to a look. In `wait` it is an extra pass after a change at the provider: it spends no retry and changes no delay. */
export function afterLook(step: PodStep, look: Look): void {
  const { state } = step;
  if (state.phase === 'failing') afterLastLook(step, look);
  else if (state.phase === 'wait') extraPass(step, look);
  else if (state.phase === 'check') checked(step, look);
}

function checked(step: PodStep, look: Look): void {
  const { state } = step;
  if ('problem' in look) {
    if (!triesAgain(step, look.problem)) finish(step, unreadable(state, look.problem.message));
    return;
  }
  delete state.tries;
  if (isFinished(step, look.task)) return;
  sync(step, look.task);
}

function extraPass(step: PodStep, look: Look): void {
  if (!('problem' in look) && look.task !== undefined) isFinished(step, look.task);
}

/** A failed pod is looked at once more for the names of its containers. An error here changes nothing. */
function afterLastLook({ state }: PodStep, look: Look): void {
  state.phase = 'final';
  if ('problem' in look || !look.task) return;
  state.status = shownStatusOf(look.task.status);
  state.isSeen = true;
  state.failedContainers = failedContainersOf(look.task.status);
}

/** Finishes the pod where the option `until` is met. @returns whether it has an outcome now */
function isFinished(step: PodStep, task: Task | undefined): boolean {
  const { state, pod, run } = step;
  note(step, task);
  const status = task?.status;
  switch (run.options.until) {
    case 'running':
      if (!areRunning(pod, status)) return false;
      finish(step);
      return true;
    case 'started': {
      const failed = pod.spec.restartPolicy === 'Never' ? failedContainerOf(pod, status) : undefined;
      if (failed) finish(step, exited(state, failed.name, failed.exitCode));
      else if (haveStarted(pod, status)) finish(step);
      else return false;
      return true;
    }
    case 'completed':
      return isCompleted(step, task);
  }
}

/** A final phase counts only once nothing of the task runs. */
function isCompleted(step: PodStep, task: Task | undefined): boolean {
  const { state, pod, now } = step;
  if (pod.spec.containers.length === 0) finish(step);
  else if (task?.hasEnded) finish(step, task.status.phase === 'Succeeded' ? undefined : hasFailed(state, reasonOf(pod, task)));
  else if (task && isPastActiveDeadline(step)) {
    finish(step, hasFailed(state, DEADLINE_EXCEEDED));
    state.phase = 'final';
    state.failedContainers = failedContainersOf(task.status);
    state.stop = { atMs: now.getTime() };
  } else if (state.goneSinceMs !== undefined && hasPassed(state.goneSinceMs, LOST_AFTER_MS, now)) finish(step, hasFailed(state, LOST));
  else return false;
  return true;
}

/** By the time of the order: a provider may count from a later one, and end the task itself. */
function isPastActiveDeadline({ pod, state: { orderedAtMs }, now }: PodStep): boolean {
  const seconds = pod.spec['activeDeadlineSeconds'];
  return typeof seconds === 'number' && orderedAtMs !== undefined && now.getTime() >= orderedAtMs + seconds * 1_000;
}

/** As the provider says it; else by the first container that failed. */
function reasonOf(pod: Pod, { status }: Task): { reason: string; message: string } {
  const failed = failedContainerOf(pod, status);
  const reason = failed && status.containerStatuses?.find(({ name }) => name === failed.name)?.state?.terminated?.reason;
  return {
    reason: status.reason || reason || 'Error',
    message: status.message || (failed ? `container "${failed.name}" exited with code ${failed.exitCode}` : 'its task has ended'),
  };
}

function note({ state, now }: PodStep, task: Task | undefined): void {
  if (task) {
    state.isSeen = true;
    state.status = shownStatusOf(task.status);
    delete state.goneSinceMs;
    delete state.isUnsettled;
  } else if (state.isSeen) state.goneSinceMs ??= now.getTime();
}

/** Hands the pod to its provider. A task that is there restarts its own containers, so nothing is called for it. */
function sync(step: PodStep, task: Task | undefined): void {
  const { state, run, now, index, actions } = step;
  if (run.options.mirror) actions.push({ verb: 'mirror', index, why: 'the API server shows the pod' });
  const isMissed = task === undefined && state.goneSinceMs !== undefined;
  // One look may miss a task that runs. A second task beside it would run the command twice.
  const isGone = isMissed && hasPassed(state.goneSinceMs, LOST_AFTER_MS, now) && hasPassed(state.orderedAtMs, SENDING_MS, now);
  if (task || (isMissed && !isGone)) {
    actions.push({ verb: 'sync', index, task: taskOf(step), starts: false, why: 'containers not running: syncing' });
    afterSync(step, {});
    return;
  }
  if (isGone) {
    state.attempt += 1;
    delete state.isSeen;
    delete state.goneSinceMs;
  }
  state.phase = 'sync';
  state.orderedAtMs = now.getTime();
  state.isUnsettled = true;
  delete state.dueAtMs;
  orderSync(step, isGone ? 'its task is gone: it is started again' : 'containers not running: syncing');
}

const hasPassed = (sinceMs: number | undefined, ms: number, now: Date): boolean => now.getTime() - (sinceMs ?? 0) >= ms;

/** Also for a start whose outcome a crash has lost: its name makes it the same. */
export function orderSync(step: PodStep, why: string): void {
  step.actions.push({ verb: 'sync', index: step.index, task: taskOf(step), starts: true, why });
}

/** The outcome of a sync. The limit of retries counts after it, so an error of the last sync is reported as such. */
export function afterSync(step: PodStep, { problem }: CallOutcome): void {
  const { state, run } = step;
  const { until, maxRetries } = run.options;
  if (problem) {
    if (!problem.isUnknown) delete state.isUnsettled;
    if (triesAgain(step, problem)) return;
    state.syncs += 1;
    finish(step, syncFailed(state, problem.message));
    return;
  }
  delete state.tries;
  delete state.isUnsettled;
  state.syncs += 1;
  if (until !== 'completed' && state.retry >= maxRetries) {
    finish(step, neverRan(state, maxRetries));
    return;
  }
  state.phase = 'wait';
  setDue(step, state.delayMs);
  const nextMs = state.delayMs * (until === 'completed' ? 2 : run.options.backoffFactor);
  state.delayMs = until === 'completed' ? Math.min(nextMs, POLL_MS.most) : nextMs;
  if (until !== 'completed') state.retry += 1;
}

/** Messages were lost, or the provider never answered. */
export function pastDeadline(step: PodStep): void {
  const { state, run } = step;
  const seconds = Math.round((run.deadlineAtMs - run.createdAtMs) / 1_000);
  finish(step, run.options.until === 'completed' ? neverEnded(state, seconds) : neverRan(state, run.options.maxRetries));
}

export const firstDelayMs = ({ until, retryDelayMs }: RunOptions): number => (until === 'completed' ? POLL_MS.first : retryDelayMs);

/** A timer for a due time: one piece of at most 900 s, after which the step sees that the time has not come. */
export const timerAtMs = (dueAtMs: number, now: Date): number => Math.min(dueAtMs, now.getTime() + LONGEST_TIMER_MS);
