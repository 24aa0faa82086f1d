// Deletes a run's tasks at the provider, after the run or because it was cancelled. A run is not over before they have ended.
import { shownStatusOf } from './containers.ts';
import { isDue, SENDING_MS, taskOf, type PodStep } from './pod-step.ts';
import type { RunPod, RunState } from './run.ts';
import type { CallOutcome, Look } from './step-words.ts';
import { notDeleted, stillEnding } from './texts.ts';

const LOOK_AGAIN_MS = 1_000;
const STOP_AGAIN_MS = 10_000;
/** Beyond its grace: then the run goes on without it. */
const PATIENCE_MS = 30_000;
const USUAL_GRACE_SECONDS = 30;

/** Its stop has begun and is not over. */
export const isStopping = ({ state: { stop } }: PodStep): boolean => stop !== undefined && !stop.isOver;

const deletesTasks = ({ options: { cleanup }, stage, error }: RunState): boolean =>
  stage === 'cancelled' ? cleanup !== 'keep' : cleanup === 'always' || (cleanup === 'onFailure' && error !== undefined);

const mayHaveTask = ({ orderedAtMs, isSeen }: RunPod): boolean => orderedAtMs !== undefined || isSeen === true;

/** Once all outcomes are known, unless it has been deleted. */
export const isToBeDeleted = (pod: RunPod, run: RunState): boolean => mayHaveTask(pod) && deletesTasks(run) && !pod.stop?.isOver;

const graceSecondsOf = ({ pod: { spec } }: PodStep): number => Math.max(1, spec.terminationGracePeriodSeconds ?? USUAL_GRACE_SECONDS);

/** Goes on with stops that have begun. @param isEnd all outcomes are known: tasks that are to be deleted then are stopped, too */
export function orderStops(steps: readonly PodStep[], run: RunState, isEnd: boolean): void {
  for (const step of steps) {
    const { state, now } = step;
    if (isEnd && isToBeDeleted(state, run)) state.stop ??= { atMs: now.getTime() };
    if (isStopping(step)) order(step);
  }
}

function order(step: PodStep): void {
  const { state, now, index, actions } = step;
  const { stop } = state;
  if (!stop || !isDue(step)) return;
  const graceSeconds = graceSecondsOf(step);
  // Since the provider took it: a process that dies before it calls, and comes back late, has not waited for anything.
  const waitedMs = now.getTime() - (stop.acceptedAtMs ?? now.getTime());
  if (waitedMs >= graceSeconds * 1_000 + PATIENCE_MS) {
    giveUp(step, stillEnding(state, Math.round(waitedMs / 1_000)));
    return;
  }
  delete state.dueAtMs;
  if (stop.isAccepted) actions.push({ verb: 'look', index, task: taskOf(step), why: 'its task is being deleted' });
  else actions.push({ verb: 'stop', index, task: taskOf(step), graceSeconds, why: 'its task is deleted' });
}

export function afterStop(step: PodStep, { problem }: CallOutcome): void {
  const { state, now } = step;
  const { stop } = state;
  if (!stop || stop.isOver) return;
  if (!problem) {
    stop.isAccepted = true;
    stop.acceptedAtMs ??= now.getTime();
    delete state.tries;
    state.dueAtMs = now.getTime();
  } else if (problem.isNotFound) isGone(step);
  else if (problem.passes && (state.tries ?? 0) < MOST_TRIES) {
    state.tries = (state.tries ?? 0) + 1;
    state.dueAtMs = now.getTime() + LOOK_AGAIN_MS;
  } else giveUp(step, notDeleted(state, problem.message));
}

const MOST_TRIES = 3;

/** A start that may still be on its way could make the task after all. */
function isGone({ state, now }: PodStep): void {
  const { stop, orderedAtMs = 0 } = state;
  if (!stop) return;
  if (state.isUnsettled && now.getTime() < orderedAtMs + SENDING_MS) {
    delete stop.isAccepted;
    state.dueAtMs = orderedAtMs + SENDING_MS;
  } else stop.isOver = true;
}

/** The answer to a look at a task that is being deleted. */
export function stopLook(step: PodStep, look: Look): void {
  const { state, now } = step;
  const { stop } = state;
  if (!stop) return;
  if (!('problem' in look)) {
    if (!look.task) {
      isGone(step);
      return;
    }
    state.status = shownStatusOf(look.task.status);
    if (look.task.hasEnded) {
      stop.isOver = true;
      return;
    }
    // A repeated stop is harmless, and the first one may have been lost on its way.
    if (now.getTime() - stop.atMs >= STOP_AGAIN_MS) delete stop.isAccepted;
  }
  state.dueAtMs = now.getTime() + LOOK_AGAIN_MS;
}

function giveUp({ state, run }: PodStep, warning: string): void {
  if (state.stop) state.stop.isOver = true;
  run.warnings.push(warning);
}
