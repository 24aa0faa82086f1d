// One step of a run: state, answers of the provider and the time → the next state, what is to be done, and when to look again. It may be
// repeated at any moment: an action that was ordered and not answered is ordered again under the same name.
import type { Pod } from '../../objects/kubernetes.ts';
import { rejectedStatus, rejectionEvent } from '../preemption/checks/rejection.ts';
import { admissionsOf, type Cannot } from './admission.ts';
import { orderRoom, takeList, waitFor } from './making-room.ts';
import { afterLook, afterSync, finish, isDue, orderSync, pastDeadline, taskOf, timerAtMs, type PodStep } from './pod-step.ts';
import { failedPodsOf } from './results.ts';
import { isOver, type RunPod, type RunState } from './run.ts';
import type { OthersOnNode, RunAction, RunSeen } from './step-words.ts';
import { afterStop, isStopping, orderStops, stopLook } from './stopping.ts';
import { CANCELLED, podsFailed, wasRejected } from './texts.ts';

export interface StepGiven {
  run: RunState;
  /** Manifests, by the place of the pod. */
  pods: readonly Pod[];
  /** Fields that the provider cannot carry out. */
  cannot?: Cannot;
  seen?: RunSeen;
  /** Places of pods whose tasks have changed: they are looked at though they wait. */
  changed?: ReadonlySet<number>;
}

export interface RunStep {
  run: RunState;
  /** Store it before anything is done. */
  isChanged: boolean;
  actions: RunAction[];
  /** Unix milliseconds of the next step though nothing happens. */
  dueAtMs?: number;
}

export function stepOf({ run: before, pods, cannot = [], seen = {}, changed }: StepGiven, now: Date): RunStep {
  if (isOver(before)) return { run: before, isChanged: false, actions: [] };
  const run = structuredClone(before);
  const actions: RunAction[] = [];
  const steps = run.pods.map((state, index): PodStep => ({ index, pod: pods[index] as Pod, state, run, now, actions }));
  takeAnswers(steps, seen);
  if (run.stage === 'admitting') decide(steps, { run, pods, cannot, seen });
  if (run.stage !== 'admitting') goOn(steps, run, changed);
  const dueAtMs = nextDueMs(steps, run);
  return {
    run,
    isChanged: JSON.stringify(run) !== JSON.stringify(before),
    actions,
    ...(dueAtMs !== undefined && { dueAtMs: timerAtMs(dueAtMs, now) }),
  };
}

function takeAnswers(steps: readonly PodStep[], { others, looks, syncs, stops }: RunSeen): void {
  for (const step of steps) takeList(step, others);
  // By the time of their answers: completion numbers are given in that order.
  for (const [index, look] of looks ?? [])
    withStep(steps, index, (step) => (isStopping(step) ? stopLook(step, look) : afterLook(step, look)));
  for (const [index, outcome] of syncs ?? [])
    withStep(steps, index, (step) => {
      if (step.state.phase === 'sync') afterSync(step, outcome);
    });
  for (const [index, outcome] of stops ?? []) withStep(steps, index, (step) => afterStop(step, outcome));
}

function withStep(steps: readonly PodStep[], index: number, run: (step: PodStep) => void): void {
  const step = steps[index];
  if (step) run(step);
}

/** All pods at once, so that no pod is decided on twice. */
function decide(steps: readonly PodStep[], { run, pods, cannot, seen }: Required<Omit<StepGiven, 'changed'>>): void {
  const others = run.options.capacity === 'node' ? othersOn(steps, run, seen) : { pods: [] };
  if (!others) return;
  const admissions = admissionsOf({ node: run.node, pods, others: withoutVictims(others, run), cannot });
  for (const step of steps) {
    const { state, index, pod } = step;
    const { refusal, victims = [] } = admissions[index] ?? {};
    delete state.dueAtMs;
    state.phase = refusal ? 'final' : 'queued';
    if (victims.length > 0) waitFor(step, victims);
    if (!refusal) continue;
    const { phase = 'Failed', reason = '', message = '' } = rejectedStatus(pod, refusal);
    state.rejected = refusal;
    state.status = { phase, reason, message, containers: [] };
    if (run.options.rejected === 'fail') state.error = wasRejected(state, refusal);
    step.actions.push({ verb: 'event', index, ...rejectionEvent(refusal), why: `its node rejects it: ${refusal.message}` });
  }
  run.stage = 'waiting';
}

const withoutVictims = ({ pods, evictable }: OthersOnNode, { options }: RunState): OthersOnNode =>
  options.preempt && evictable ? { pods, evictable } : { pods };

const LIST_AGAIN_MS = 1_000;

/** @returns undefined while the provider has not listed them. A rejection would last, so the list is asked for again until the run's deadline */
function othersOn([first]: readonly PodStep[], run: RunState, { others }: RunSeen): OthersOnNode | undefined {
  if (!first) return { pods: [] };
  if (others && 'pods' in others) return others;
  if (others) first.state.dueAtMs = first.now.getTime() + LIST_AGAIN_MS;
  if (first.now.getTime() >= run.deadlineAtMs) run.stage = 'waiting';
  else if (isDue(first)) first.actions.push({ verb: 'list', why: 'pods of the node take room' });
  return undefined;
}

function goOn(steps: readonly PodStep[], run: RunState, changed: ReadonlySet<number> | undefined): void {
  const isLate = run.deadlineAtMs <= (steps[0]?.now.getTime() ?? 0);
  for (const step of steps) if (isLate && isOpen(step.state)) pastDeadline(step);
  beginQueued(steps, run);
  for (const step of steps) orderNext(step, changed);
  const isEnd = steps.every(({ state }) => state.phase === 'final');
  if (isEnd) noteOutcome(run);
  orderStops(steps, run, isEnd);
  if (!isEnd) return;
  if (steps.every(({ state }) => state.stop === undefined || state.stop.isOver)) close(run, steps);
}

export const isOpen = ({ phase }: RunPod): boolean => phase !== 'failing' && phase !== 'final';

/** As many as may be started at once. */
function beginQueued(steps: readonly PodStep[], { options: { parallelism = Infinity } }: RunState): void {
  let begun = steps.filter(({ state }) => isOpen(state) && state.phase !== 'queued' && state.phase !== 'room').length;
  for (const { state } of steps) {
    if (state.phase !== 'queued' || begun >= parallelism) continue;
    state.phase = 'check';
    begun += 1;
  }
}

function orderNext(step: PodStep, changed: ReadonlySet<number> | undefined): void {
  const { state, index, actions } = step;
  const look = (why: string): void => void actions.push({ verb: 'look', index, task: taskOf(step), why });
  if (state.phase === 'room') orderRoom(step);
  if (state.phase === 'wait' && isDue(step)) {
    state.phase = 'check';
    delete state.dueAtMs;
  }
  if (state.phase === 'check' && isDue(step)) look('its status is due');
  else if (state.phase === 'wait' && changed?.has(index)) look('its task has changed');
  else if (state.phase === 'failing') look('it has failed: its containers are named');
  // Its outcome is not known: in this process it was answered, so a crash has lost the answer, or the same call is due again.
  else if (state.phase === 'sync' && isDue(step) && !actions.some((action) => action.verb === 'sync' && action.index === index))
    orderSync(step, 'the outcome of its start is not known: the same start is sent again');
}

/** Once; the run fails if a pod has. */
function noteOutcome(run: RunState): void {
  const failed = failedPodsOf(run);
  if (failed.length > 0) run.error ??= podsFailed(failed);
}

function close(run: RunState, steps: readonly PodStep[]): void {
  run.finishedAtMs = steps[0]?.now.getTime() ?? run.createdAtMs;
  if (run.stage !== 'cancelled') run.stage = 'done';
}

/** Open pods fail at once; their tasks are stopped by the next step. A finished run stays as it is. */
export function cancelled(before: RunState, now: Date): RunState {
  if (isOver(before) || before.stage === 'cancelled') return before;
  const run = structuredClone(before);
  run.stage = 'cancelled';
  for (const [index, state] of run.pods.entries()) {
    if (!isOpen(state)) continue;
    finish({ index, state, run, now, actions: [], pod: NO_POD }, CANCELLED);
    // Nobody asks for the names of its containers.
    state.phase = 'final';
  }
  return run;
}

const NO_POD: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: '' }, spec: { containers: [] } };

function nextDueMs(steps: readonly PodStep[], run: RunState): number | undefined {
  if (isOver(run)) return undefined;
  const dues = steps.flatMap(({ state }) => (state.dueAtMs === undefined || state.stop?.isOver ? [] : [state.dueAtMs]));
  const isWaiting = steps.some(({ state }) => isOpen(state));
  const next = Math.min(...dues, ...(isWaiting ? [run.deadlineAtMs] : []));
  return next === Infinity ? undefined : next;
}
