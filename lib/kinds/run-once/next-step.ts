// Foresees the next step of a run, by the step itself. Nothing is asked of its provider, so an action's answer is not foreseen.
import { isOver } from './run.ts';
import { stepOf, type StepGiven } from './step.ts';
import type { RunAction } from './step-words.ts';

export interface NextStep {
  /** Unix milliseconds; undefined: the run is over. A change of a task comes before. */
  atMs?: number;
  actions: readonly RunAction[];
  /** Nothing follows it. */
  isLast: boolean;
}

/** Timers come in pieces of 900 s, and no run lasts longer than a day. */
const MOST_PIECES = 200;

export function nextStepOf(given: Omit<StepGiven, 'seen' | 'changed'>, now: Date): NextStep {
  if (isOver(given.run)) return { actions: [], isLast: true };
  let { run } = given;
  let atMs = now.getTime();
  for (let pieces = 0; pieces < MOST_PIECES; pieces += 1) {
    const step = stepOf({ ...given, run }, new Date(atMs));
    const isLast = isOver(step.run);
    if (step.actions.length > 0 || isLast || step.dueAtMs === undefined) return { atMs, actions: step.actions, isLast };
    ({ run } = step);
    atMs = step.dueAtMs;
  }
  return { atMs, actions: [], isLast: false };
}
