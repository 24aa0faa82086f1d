// What the reference counts of a pod whose finalizer came off.
import { describe, expect, test } from '@jest/globals';
import { countsOfStrip } from '../../../../lib/kinds/job/counting/counts.ts';
import type { JobSpec } from '../../../../lib/objects/kubernetes.ts';
import { aCondition, aJob, aPod, ended } from '../builders.ts';
import { planOf } from '../outcome.ts';

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

describe('why pods are created', () => {
  const perIndex: JobSpec = { ...aJob({ parallelism: 2, completions: 2, completionMode: 'Indexed' }).spec, backoffLimitPerIndex: 1 };
  test.each<[string, Partial<JobSpec>, string, string | undefined]>([
    ['none is', { parallelism: 2, completions: 5 }, '2A', undefined],
    ['for the first time', { parallelism: 2, completions: 5 }, '1A', 'new'],
    ['in the place of one that failed', { parallelism: 2, completions: 5 }, '1A 1F', 'recreate_terminating_or_failed'],
    ['in the place of one that terminates', { parallelism: 2, completions: 5 }, '1A 1T', 'recreate_terminating_or_failed'],
    [
      'in the place of one that has failed at last',
      { parallelism: 2, completions: 5, podReplacementPolicy: 'Failed' },
      '1A 1F',
      'recreate_failed',
    ],
    [
      'beside one that holds its place',
      { parallelism: 3, completions: 5, podReplacementPolicy: 'Failed' },
      '1A 1T',
      'recreate_terminating_or_failed',
    ],
    ['for an index whose failed pod no status counts before that', perIndex, 'F0 R1', 'recreate_terminating_or_failed'],
  ])('%s', (_, spec, pods, wanted) => expect(planOf({ job: aJob(spec), pods }).creationReason).toBe(wanted));
});
