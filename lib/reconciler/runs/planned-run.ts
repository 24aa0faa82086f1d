// The next step of a run, foreseen for people. Nothing is asked of its provider, and nothing is done.
import type { Cannot } from '../../kinds/run-once/admission.ts';
import { nextStepOf, type NextStep } from '../../kinds/run-once/next-step.ts';
import { whyOf } from '../../kinds/run-once/standing.ts';
import { isOver, type RunStage, type RunState } from '../../kinds/run-once/run.ts';
import type { RunAction } from '../../kinds/run-once/step-words.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runs } from '../../ports/runs.ts';
import { readManifest } from './run-parts.ts';

export interface PlannedAction {
  verb: RunAction['verb'];
  pod?: { namespace: string; name: string; uid: string };
  why: string;
}

export interface RunPlan {
  runId: string;
  state: RunStage;
  /** Why it stands so, in a line. */
  why: string;
  /** Of the step, unless a task changes before; absent: the run is over. */
  at?: string;
  actions: PlannedAction[];
  /** The run is over after it. */
  isLast: boolean;
}

interface Planning {
  records: Runs;
  clock: Pick<Clock, 'nowMs'>;
  /** Fields that no pod of the provider can have. */
  cannotOf(this: void, run: { provider: string; node: string }): Promise<Cannot>;
}

export async function plannedRun(run: RunState, { records, clock, cannotOf }: Planning): Promise<RunPlan> {
  const { id, stage, provider, node, manifestHash } = run;
  const pods = isOver(run) ? [] : ((await readManifest(records, id, manifestHash)) ?? []);
  // They count in admission alone, and a provider may be asked for them.
  const cannot = stage === 'admitting' && !isOver(run) ? await cannotOf({ provider, node: node.metadata.name ?? '' }) : [];
  // It was ended meanwhile, and its manifest removed.
  const isGone = !isOver(run) && pods.length < run.pods.length;
  const next: NextStep = isGone ? { actions: [], isLast: true } : nextStepOf({ run, pods, cannot }, new Date(clock.nowMs()));
  return {
    runId: id,
    state: stage,
    why: whyOf(run),
    ...(next.atMs !== undefined && { at: new Date(next.atMs).toISOString() }),
    actions: next.actions.map((action) => plannedAction(action, run)),
    isLast: next.isLast,
  };
}

function plannedAction(action: RunAction, { pods }: RunState): PlannedAction {
  const pod = 'index' in action ? pods[action.index] : undefined;
  return {
    verb: action.verb,
    ...(pod && { pod: { namespace: pod.namespace, name: pod.name, uid: pod.uid } }),
    why: action.why,
  };
}
