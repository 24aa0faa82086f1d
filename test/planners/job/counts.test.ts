// What the reference counts of a pod whose finalizer came off.
import { describe, expect, test } from '@jest/globals';
import { countsOfStrip } from '../../../lib/planners/job/counts.ts';
import { aCondition, aJob, aPod, ended } from './builders.ts';

const rules = [{ action: 'Count', onExitCodes: { operator: 'In', values: [3] } }];

interface Case {
  of: string;
  phase: 'Failed' | 'Running' | 'Succeeded';
  isIndexed?: boolean;
  fails?: boolean;
  counts: boolean;
}

const cases: Case[] = [
  { of: 'a failed pod', phase: 'Failed', counts: true },
  { of: 'a failed pod without an index, which nobody counts', phase: 'Failed', isIndexed: true, counts: false },
  { of: 'a pod that still runs', phase: 'Running', counts: false },
  { of: 'a pod that still runs while its Job fails', phase: 'Running', fails: true, counts: true },
  { of: 'a pod that succeeded while its Job fails', phase: 'Succeeded', fails: true, counts: false },
];

describe('the rule that a failure matched', () => {
  test.each(cases)('of $of: $counts', ({ phase, isIndexed = false, fails = false, counts }) => {
    const conditions = fails ? [aCondition('FailureTarget', 'True', 'BackoffLimitExceeded', '')] : [];
    const indexed = isIndexed ? { completionMode: 'Indexed', completions: 2 } : {};
    const job = aJob({ podFailurePolicy: { rules }, ...indexed }, { status: { conditions } });
    const counted = countsOfStrip(job, aPod({ phase, containers: [ended(3, 1)] }));
    expect(counted.map(({ labels }) => labels)).toEqual(counts ? [{ action: 'Count' }] : []);
  });
});
