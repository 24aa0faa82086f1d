// What a plan comes to, in the words of the worked cases: pods created and deleted, finalizers off, counters, conditions.
import type { Job, JobStatus } from '../../../lib/objects/kubernetes.ts';
import { COMPLETION_INDEX, type PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import { jobPlanner } from '../../../lib/kinds/job/plan.ts';
import type { Action, Plan, PlanHead } from '../../../lib/kinds/rows/plan.ts';
import { aSnapshot, now as defaultNow, podsOf } from './builders.ts';

export interface Outcome {
  /** Completion indexes of the pods created; of a Job without indexes, how many. */
  creates: number | number[];
  deletes: number;
  /** Pods that lose the finalizer. */
  strips: number;
  /** active/ready/succeeded/failed/terminating at the end, unset ones as `-`. */
  status: string;
  completed: string;
  failedIndexes: string | undefined;
  /** Types of the conditions that are True, in their order. */
  conditions: string[];
  /** Reasons of the events but those of single pods. */
  events: string[];
  requeue: number | undefined;
  writes: number;
}

export interface Case extends Partial<Outcome> {
  /** Number in the table of worked cases, and its claim. */
  name: string;
  job: Job;
  /** Shorthand of builders.ts, or whole pods. */
  pods?: string | readonly PodFacts[];
  head?: Partial<PlanHead>;
}

export function planOf({ job, pods = '', head }: Pick<Case, 'job' | 'pods' | 'head'>, now = defaultNow): Plan<JobStatus> {
  return jobPlanner.plan(aSnapshot(job, typeof pods === 'string' ? podsOf(pods) : pods, head), now);
}

export function outcomeOf(plan: Plan<JobStatus>): Outcome {
  const created = actionsOf(plan, 'create').map(({ object }) => object.metadata.annotations?.[COMPLETION_INDEX]);
  const stripped = new Set(stripsOf(plan).map(({ uid }) => uid));
  const { active, ready, succeeded, failed, terminating, completedIndexes, failedIndexes, conditions } = plan.status;
  return {
    creates: created.some((index) => index !== undefined) ? created.map(Number) : created.length,
    deletes: actionsOf(plan, 'delete').length,
    strips: stripped.size,
    status: [active ?? 0, ready ?? '-', succeeded ?? 0, failed ?? 0, terminating ?? '-'].join('/'),
    completed: completedIndexes ?? '',
    failedIndexes,
    conditions: (conditions ?? []).filter(({ status }) => status === 'True').map(({ type }) => type),
    events: actionsOf(plan, 'event')
      .map(({ reason }) => reason)
      .filter((reason) => reason !== 'SuccessfulCreate' && reason !== 'SuccessfulDelete'),
    requeue: plan.requeueAfterSeconds,
    writes: actionsOf(plan, 'status').length,
  };
}

/** What the case claims, of what the plan comes to. */
export function claimed(
  { name: _name, job: _job, pods: _pods, head: _head, ...claims }: Case,
  plan: Plan<JobStatus>,
): [Partial<Outcome>, Partial<Outcome>] {
  const outcome = outcomeOf(plan);
  const found = Object.fromEntries(Object.entries(outcome).filter(([key]) => key in claims));
  return [found, claims];
}

export const actionsOf = <Verb extends Action['verb']>(plan: Plan<JobStatus>, verb: Verb): Extract<Action, { verb: Verb }>[] =>
  plan.actions.filter((action): action is Extract<Action, { verb: Verb }> => action.verb === verb);

export const stripsOf = (plan: Plan<JobStatus>) => actionsOf(plan, 'patch').filter(({ purpose }) => purpose === 'strip');

/** Verbs in their order, neighbours joined; patches by their purpose. */
export function orderOf(plan: Plan<JobStatus>): string[] {
  const verbs = plan.actions
    .filter(({ verb }) => verb !== 'event')
    .map((action) => (action.verb === 'patch' ? action.purpose : action.verb));
  return verbs.filter((verb, at) => verb !== verbs[at - 1]);
}

/** The statuses that the plan writes, first to last. */
export const writtenBy = (plan: Plan<JobStatus>): JobStatus[] => actionsOf(plan, 'status').map(({ status }) => status);
