// What must hold at every step of every run. Each row names the rule it comes from and is asked at the moments that it speaks of.
import type { Deadline } from '../../../lib/ports/clock.ts';
import type { Call } from '../calls.ts';
import type { ObjectChange } from '../history.ts';
import type { Simulation } from '../simulation.ts';
import { AT_THE_END } from './end.ts';
import { OF_CALLS } from './calls.ts';
import { OF_CHILDREN } from './children.ts';
import { SIMULATED_KINDS } from '../kinds/table.ts';
import { OF_STORE_AND_QUEUES } from './store-and-queues.ts';

export type Outcome = { value: unknown } | { error: unknown };

/** @returns what is wrong, undefined while it holds */
export type Check<Subject> = (subject: Subject, simulation: Simulation) => string | undefined;

export interface Invariant {
  name: string;
  rule: string;
  /** An API server committed a change. */
  onChange?: Check<ObjectChange>;
  /** A call leaves its process. */
  onSent?: Check<{ call: Call; deadline: Deadline | undefined }>;
  onEffect?: Check<{ call: Call; value: unknown }>;
  onOutcome?: Check<{ call: Call; outcome: Outcome }>;
  onStep?: (simulation: Simulation) => string | undefined;
  atEnd?: (simulation: Simulation) => Promise<string | undefined> | string | undefined;
  /** Asked too where a story does not come to its end: it may say why. */
  isPartOfTheEnd?: true;
}

/** Asked by the run itself, with what they need of it. */
export const OF_THE_RUN: readonly Pick<Invariant, 'name' | 'rule'>[] = [
  { name: 'ends in time', rule: 'R9' },
  { name: 'a converged workload costs nothing', rule: 'R16' },
  { name: 'a further pass plans nothing', rule: 'R2' },
  { name: 'recovers in time', rule: 'R9' },
];

export const INVARIANTS: readonly Invariant[] = [
  ...SIMULATED_KINDS.flatMap(({ invariants }) => invariants),
  ...OF_CHILDREN,
  ...OF_CALLS,
  ...OF_STORE_AND_QUEUES,
  ...AT_THE_END,
];

export const INVARIANT_NAMES = [...OF_THE_RUN, ...INVARIANTS].map(({ name }) => name);
