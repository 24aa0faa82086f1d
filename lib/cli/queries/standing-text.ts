// Where a workload stands, in a list or a line.
import type { WorkloadSummary } from '../../api/told-workload.ts';

/**
 * The word, and what a person would ask next: `Waiting (ImagePullBackOff)`, `Running (2 of 4: ImagePullBackOff)`, `Failed (BackoffLimitExceeded)`. Of one that
 * was removed the word is the last one: nothing of it runs any more.
 */
export function standingText({ state, reason, removedTime }: Pick<WorkloadSummary, 'state' | 'reason' | 'removedTime'>): string {
  const isTold = reason !== undefined && ['Waiting', 'BackingOff', 'Running', 'Failed'].includes(state);
  const words = [...(isTold ? [reason] : []), ...(removedTime === undefined ? [] : ['removed'])];
  return words.length === 0 ? state : `${state} (${words.join(', ')})`;
}
