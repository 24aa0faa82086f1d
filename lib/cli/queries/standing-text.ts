// Where a workload stands, in a list or a line.
import type { WorkloadSummary } from '../../api/told-workload.ts';

/** The word, and what a person would ask next: `Waiting (ImagePullBackOff)`, `Running (2 of 4: ImagePullBackOff)`, `Failed (BackoffLimitExceeded)`. */
export const standingText = ({ state, reason }: Pick<WorkloadSummary, 'state' | 'reason'>): string =>
  reason !== undefined && ['Waiting', 'BackingOff', 'Running', 'Failed'].includes(state) ? `${state} (${reason})` : state;
