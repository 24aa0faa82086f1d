// The word for where a workload stands, as lists and `up --apply` print it.
import { expect, test } from '@jest/globals';
import type { WorkloadSummary } from '../../../lib/api/told-workload.ts';
import { standingText } from '../../../lib/cli/queries/standing-text.ts';

test.each<[Pick<WorkloadSummary, 'state' | 'reason' | 'removedTime'>, string]>([
  [{ state: 'Running' }, 'Running'],
  [{ state: 'Running', reason: '1 of 3: Unschedulable' }, 'Running (1 of 3: Unschedulable)'],
  [{ state: 'Waiting', reason: 'ImagePullBackOff' }, 'Waiting (ImagePullBackOff)'],
  [{ state: 'Failed', reason: 'BackoffLimitExceeded' }, 'Failed (BackoffLimitExceeded)'],
  [{ state: 'Succeeded', reason: 'CompletionsReached' }, 'Succeeded'],
  [{ state: 'Running', removedTime: '2026-05-01T10:00:00Z' }, 'Running (removed)'],
  [{ state: 'Failed', reason: 'BackoffLimitExceeded', removedTime: '2026-05-01T10:00:00Z' }, 'Failed (BackoffLimitExceeded, removed)'],
])('%j is shown as %s', (workload, shown) => {
  expect(standingText(workload)).toBe(shown);
});
