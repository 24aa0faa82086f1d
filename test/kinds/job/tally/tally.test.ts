// Pods that have finished since the status was written (sections 9.3, 23.10).
import { describe, expect, test } from '@jest/globals';
import { tallyOf } from '../../../../lib/kinds/job/tally/tally.ts';
import { termsOf } from '../../../../lib/kinds/job/terms/terms.ts';
import { aJob, podsOf } from '../builders.ts';

describe('newly finished pods', () => {
  const pods = podsOf('2S 1F');
  const uids = pods.map(({ uid }) => uid);
  const count = (uncounted: { succeeded?: string[]; failed?: string[] }, stripping: string[]) => {
    const job = aJob({}, { status: { succeeded: 2, failed: 1, uncountedTerminatedPods: uncounted } });
    const { succeeded, failed } = tallyOf(job, termsOf(job), { pods, stripping });
    return [succeeded, failed];
  };

  test('are counted', () => expect(count({}, [])).toEqual([4, 2]));
  test('are counted once where the status lists them', () =>
    expect(count({ succeeded: uids.slice(0, 2), failed: uids.slice(2) }, [])).toEqual([4, 2]));
  test('are not counted where their finalizer was asked off', () => expect(count({}, uids)).toEqual([2, 1]));
});
