// How the plan of a pass is put together.
import { inWaves } from '../../rows/actions.ts';
import type { Action, Want } from '../../rows/plan.ts';
import { eventAction, type NewEvent } from '../objects/actions.ts';
import { decisionIn } from './decision.ts';
import type { TrainingStatus } from '../terms/job-types.ts';
import type { Kept } from '../memory/kept.ts';
import { isSameStatus, storedStatus } from '../status/replica-statuses.ts';
import type { Given, Situation, TrainingPlan } from './situation.ts';

export function idle({ owner, head }: Given, outcome: TrainingPlan['outcome'], why: string): TrainingPlan {
  return { actions: [], status: owner.status ?? {}, outcome, why: [why], head: { backoff: head.backoff, ordinal: head.ordinal } };
}

export const wanting = (given: Given, wants: readonly Want[], why: string): TrainingPlan => ({ ...idle(given, 'waiting', why), wants });

export interface Writing {
  /** Before the status is written. */
  actions: readonly Action[];
  status: TrainingStatus;
  /** Once it is. */
  events?: readonly NewEvent[];
  isFinal?: boolean;
  /** The state of the job. The plan adds what it decides. */
  why: string;
  requeueAfterSeconds?: number | undefined;
  kept: Kept;
  failure?: TrainingPlan['failure'];
  problem?: string | undefined;
}

/** The plan of a pass: the status is written if it has changed, and its events follow. */
export function planOf({ given, terms, kept: { operator } }: Situation, writing: Writing): TrainingPlan {
  const { owner, head } = given;
  const { actions: before, events = [], isFinal, why, requeueAfterSeconds, kept, failure, problem } = writing;
  const status = storedStatus(writing.status);
  const isChanged = !isSameStatus(status, owner.status ?? {}) || owner.status?.conditions === undefined;
  const write: Action[] = isChanged
    ? [{ verb: 'status', status, ...(isFinal && { isFinal: true as const }), why: 'its conditions or counts have changed' }]
    : [];
  const actions = [...inWaves(before), ...write, ...events.map((event) => eventAction(terms, event))];
  const isWaiting = requeueAfterSeconds !== undefined;
  return {
    actions,
    status,
    ...(isWaiting && { requeueAfterSeconds: Math.max(requeueAfterSeconds, 1) }),
    outcome: problem !== undefined ? 'parked' : actions.length > 0 ? 'acted' : isWaiting ? 'waiting' : 'converged',
    // A parked job shows this to the person who must act: the problem alone.
    why: problem === undefined ? [why, ...decisionIn(actions)] : [problem],
    ...(failure && { failure }),
    head: { backoff: head.backoff, ordinal: head.ordinal, kept: { ...kept, ...(operator !== undefined && { operator }) } },
  };
}
