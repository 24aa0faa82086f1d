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

const PERSON_STATES: readonly string[] = ['Parked', 'Unreadable', 'Failed', 'Waiting', 'BackingOff'];

/** Whether somebody should look at it: see docs/console.md. */
export const needsPerson = (workload: WorkloadSummary): boolean =>
  PERSON_STATES.includes(workload.state) || (workload.state === 'Running' && workload.reason !== undefined);

export function countsOf(items: readonly WorkloadSummary[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { state } of items) counts.set(state, (counts.get(state) ?? 0) + 1);
  return BY_URGENCY.flatMap((state) => (counts.has(state) ? [[state, counts.get(state) ?? 0] as [string, number]] : []));
}

/** Of a workload that runs the reason tells how much of it does not. */
export const troubleOf = ({ state, reason }: Pick<WorkloadSummary, 'state' | 'reason'>): string | undefined =>
  state === 'Running' ? reason : undefined;

const urgencyOf = ({ state }: WorkloadSummary): number => BY_URGENCY.indexOf(state);
const timeOf = ({ creationTime }: WorkloadSummary): string => creationTime ?? '';
const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

export const SORTS: Readonly<Record<string, (one: WorkloadSummary, other: WorkloadSummary) => number>> = {
  urgency: (one, other) => urgencyOf(one) - urgencyOf(other) || compareTexts(timeOf(other), timeOf(one)),
  name: (one, other) => compareTexts(one.name, other.name) || compareTexts(one.namespace, other.namespace),
  state: (one, other) => urgencyOf(one) - urgencyOf(other) || compareTexts(one.name, other.name),
  age: (one, other) => compareTexts(timeOf(other), timeOf(one)),
};

/** @param sort a name of SORTS, or one with a dash before it for the other way round */
export function sorted(items: readonly WorkloadSummary[], sort: string): readonly WorkloadSummary[] {
  const isReversed = sort.startsWith('-');
  const name = sort.replace(/^-/, '');
  const compare = Object.hasOwn(SORTS, name) ? SORTS[name] : SORTS['urgency'];
  if (!compare) return items;
  return items.toSorted((one, other) => (isReversed ? -compare(one, other) : compare(one, other)) || compareTexts(one.uid, other.uid));
}
