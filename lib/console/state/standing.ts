// Questions about a workload's state that several pages ask.
import type { WorkloadSummary } from './answers.ts';

/** Worst first, as lists show them. */
export const BY_URGENCY = [
  'Parked',
  'Unreadable',
  'Failed',
  'Waiting',
  'BackingOff',
  'Unknown',
  'Orphan',
  'Terminating',
  'Running',
  'Pending',
  'Suspended',
  'Succeeded',
] as const;

/** In the order of urgency. */
export const countsOf = (totals: Readonly<Record<string, number>>): (readonly [string, number])[] =>
  BY_URGENCY.flatMap((state) => (totals[state] === undefined || totals[state] === 0 ? [] : [[state, totals[state]] as const]));

/** Of a workload that runs the reason tells how much of it does not. */
export const troubleOf = ({ state, reason }: Pick<WorkloadSummary, 'state' | 'reason'>): string | undefined =>
  state === 'Running' ? reason : undefined;
