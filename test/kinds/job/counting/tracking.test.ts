// Worked cases of counting exactly once: uids in the status, finalizers, counters, over the deaths of a pass.
import { describe, expect, test } from '@jest/globals';
import type { JobStatus } from '../../../../lib/objects/kubernetes.ts';
import type { PodFacts } from '../../../../lib/objects/pods/pod-facts.ts';
import { aCondition, aJob, aPod, at, ended, NOW } from '../builders.ts';
import { orderOf, outcomeOf, planOf, stripsOf, writtenBy } from '../outcome.ts';

const a = (facts: Partial<PodFacts> = {}) => aPod({ uid: 'a', phase: 'Succeeded', containers: [ended(0)], ...facts });
const b = (facts: Partial<PodFacts> = {}) => aPod({ uid: 'b', phase: 'Failed', containers: [ended(1)], ...facts });
const running = (uid: string, facts: Partial<PodFacts> = {}) => aPod({ uid, ...facts });
const deleting = { deletedAt: NOW - 100, deletionGraceSeconds: 30 };
const uids = (status: JobStatus | undefined) => [
  status?.uncountedTerminatedPods?.succeeded ?? [],
  status?.uncountedTerminatedPods?.failed ?? [],
];
const counters = (status: JobStatus | undefined) => [status?.succeeded ?? 0, status?.failed ?? 0];
const failing = { conditions: [aCondition('FailureTarget', 'True', 'BackoffLimitExceeded', 'over')] };
const succeeding = { conditions: [aCondition('SuccessCriteriaMet', 'True', 'CompletionsReached', 'enough')] };
const job = (status: JobStatus = {}) => aJob({ completions: 50, parallelism: 2 }, { status });

describe('tracking', () => {
  test('case 85: new terminations', () => {
    const pods = [
      a(),
      b(),
      a({ uid: 'c', ...deleting }),
      b({ uid: 'd', ...deleting }),
      running('e', { phase: 'Pending', ...deleting }),
      running('f'),
      running('g'),
    ];
    const plan = planOf({ job: job(), pods });
    const [first, second] = writtenBy(plan);
    expect(uids(first)).toEqual([
      ['a', 'c'],
      ['b', 'd', 'e'],
    ]);
    expect(stripsOf(plan).map(({ uid }) => uid)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect([counters(second), uids(second)]).toEqual([
      [2, 3],
      [[], []],
    ]);
    expect(orderOf(plan)).toEqual(['status', 'strip', 'status']);
  });

  test('case 86: old and new ones', () => {
    const status = { succeeded: 2, failed: 3, uncountedTerminatedPods: { succeeded: ['a', 'e'], failed: ['b', 'f'] } };
    const plan = planOf({ job: job(status), pods: [a(), b(), a({ uid: 'c' }), b({ uid: 'd' })] });
    const [first, second] = writtenBy(plan);
    expect([counters(first), uids(first)]).toEqual([
      [3, 4],
      [
        ['a', 'c'],
        ['b', 'd'],
      ],
    ]);
    expect(stripsOf(plan)).toHaveLength(4);
    expect([counters(second), uids(second)]).toEqual([
      [5, 6],
      [[], []],
    ]);
  });

  test('case 87: a finalizer that was asked off counts as off', () => {
    const status = { uncountedTerminatedPods: { succeeded: ['a'], failed: ['b'] } };
    const head = { expectations: { create: [], delete: [], strip: ['a', 'b'] } };
    const plan = planOf({ job: job(status), pods: [a(), b(), a({ uid: 'c' })], head });
    const [first, second] = writtenBy(plan);
    expect([counters(first), uids(first)]).toEqual([
      [1, 1],
      [['c'], []],
    ]);
    expect(stripsOf(plan).map(({ uid }) => uid)).toEqual(['c']);
    expect(counters(second)).toEqual([2, 1]);
  });

  test('case 88: of a succeeding Job what still runs is not counted', () => {
    const plan = planOf({ job: job(succeeding), pods: [a(), running('b')] });
    expect(outcomeOf(plan)).toMatchObject({ strips: 2, deletes: 1, status: '0/0/1/0/1' });
  });

  test('case 89: of a failing Job it has failed', () => {
    const plan = planOf({ job: job(failing), pods: [a(), b(), running('c')] });
    const [first, second] = writtenBy(plan);
    expect(uids(first)).toEqual([['a'], ['b', 'c']]);
    expect(stripsOf(plan)).toHaveLength(3);
    expect(counters(second)).toEqual([1, 2]);
    expect(orderOf(plan)).toEqual(['delete', 'status', 'strip', 'status']);
  });

  test('case 90: a Job that is being deleted', () => {
    const plan = planOf({ job: aJob({ completions: 50 }, { metadata: { deletionTimestamp: at(-1) } }), pods: [a(), b(), running('c')] });
    const [first, second] = writtenBy(plan);
    expect(uids(first)).toEqual([['a'], ['b']]);
    expect(stripsOf(plan)).toHaveLength(3);
    expect(counters(second)).toEqual([1, 1]);
  });

  test('case 94: a phase that flips after it was recorded as failed', () => {
    const status = { uncountedTerminatedPods: { failed: ['a', 'b'] } };
    const plan = planOf({ job: job(status), pods: [a(), b()] });
    expect(outcomeOf(plan)).toMatchObject({ strips: 2 });
    expect(counters(plan.status)).toEqual([0, 2]);
  });

  test('case 95: at most 500 uncounted', () => {
    const many = Array.from({ length: 500 }, (_, index) => a({ uid: `s${index}` }));
    const status = { uncountedTerminatedPods: { failed: ['a', 'b'] } };
    const plan = planOf({ job: aJob({ parallelism: 500, completions: 500 }, { status }), pods: [...many, b()] });
    const [first, second] = writtenBy(plan);
    expect(counters(first)).toEqual([0, 1]);
    expect(uids(first).map(({ length }) => length)).toEqual([499, 1]);
    expect(stripsOf(plan)).toHaveLength(499);
    expect([counters(second), uids(second)]).toEqual([
      [499, 1],
      [[], ['b']],
    ]);
    expect(outcomeOf(plan).conditions).not.toContain('Complete');
  });

  test('case 96: the end waits for pods that terminate', () => {
    const plan = planOf({ job: job(failing), pods: [running('a', deleting)] });
    expect(outcomeOf(plan)).toMatchObject({ conditions: ['FailureTarget'], status: '0/0/0/1/1' });
    expect(outcomeOf(planOf({ job: job({ ...failing, failed: 1, terminating: 1 }) })).conditions).toEqual(['FailureTarget', 'Failed']);
  });

  test('case 98: an entry that is False becomes True', () => {
    const plan = planOf({ job: aJob({ backoffLimit: 0 }, { status: { failed: 1, conditions: [aCondition('Failed', 'False')] } }) });
    expect(plan.status.conditions).toMatchObject([
      { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' },
      { type: 'FailureTarget', status: 'True' },
    ]);
  });

  test('case 99: a pass died between the first write and the patch', () => {
    const status = { ready: 0, terminating: 0, active: 2, uncountedTerminatedPods: { succeeded: ['a'] } };
    const plan = planOf({ job: job(status), pods: [a(), running('b'), running('c')] });
    expect(orderOf(plan)).toEqual(['strip', 'status']);
    expect([counters(plan.status), uids(plan.status)]).toEqual([
      [1, 0],
      [[], []],
    ]);
  });

  test('case 100: a pass died between the patch and the second write', () => {
    const status = { ready: 0, terminating: 0, active: 2, uncountedTerminatedPods: { succeeded: ['a'] } };
    const plan = planOf({ job: job(status), pods: [a({ tracked: false }), running('b'), running('c')] });
    expect(orderOf(plan)).toEqual(['status']);
    expect([counters(plan.status), uids(plan.status)]).toEqual([
      [1, 0],
      [[], []],
    ]);
  });
});
