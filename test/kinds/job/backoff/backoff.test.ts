// The pod failure back-off of a whole Job: the record, how long is still to wait, when a pod finished (sections 14, 23.2, 23.10).
import { describe, expect, test } from '@jest/globals';
import type { PodFacts } from '../../../../lib/objects/pods/pod-facts.ts';
import { finishTimeOf, nextBackoff, remainingBackoffMs } from '../../../../lib/kinds/job/backoff/backoff.ts';
import { aJob, aPod, at, ended, NOW } from '../builders.ts';
import { claimed, planOf, type Case } from '../outcome.ts';

const fresh = (): PodFacts[] => [aPod({ phase: 'Failed', containers: [ended(1, 0)] })];

const cases: Case[] = [
  {
    name: 'case 33: in backoff',
    job: aJob({ parallelism: 1, completions: 1 }),
    head: { backoff: { failures: 1, lastFailureTime: at(0) } },
    creates: 0,
    status: '0/0/0/0/0',
    requeue: 10,
  },
  {
    name: 'case 34: no failures recorded',
    job: aJob({ parallelism: 1, completions: 1 }),
    head: { backoff: { failures: 0 } },
    creates: 1,
    status: '1/0/0/0/0',
  },
  {
    name: 'case 35: in backoff with running pods',
    job: aJob({ parallelism: 3, completions: 5 }),
    pods: '1R',
    head: { backoff: { failures: 2, lastFailureTime: at(-5) } },
    creates: 0,
    status: '1/1/0/0/0',
    requeue: 15,
  },
  {
    name: 'case 36: a fresh failure',
    job: aJob({ parallelism: 1, completions: 1 }),
    pods: fresh(),
    creates: 0,
    strips: 1,
    status: '0/0/0/1/0',
    requeue: 10,
  },
];

const finished = (seconds: number) => aPod({ containers: [{ ...ended(1), finishedAt: NOW + seconds }] });

function at10(name: string) {
  return { ...ended(0, 0, name), finishedAt: NOW + 10 };
}

function at20(name: string) {
  return { ...ended(0, 0, name), finishedAt: NOW + 20 };
}

function still(name: string) {
  return { name, role: 'container', restarts: 0 } as const;
}

describe('backoff', () => {
  test.each(cases)('$name', (row) => {
    const [found, wanted] = claimed(row, planOf(row));
    expect(found).toEqual(wanted);
  });

  test('case 36: the record after a fresh failure', () => {
    expect(planOf({ job: aJob({ parallelism: 1, completions: 1 }), pods: fresh() }).head.backoff).toEqual({
      failures: 1,
      lastFailureTime: at(0),
    });
  });

  test.each([
    [1, [], [5], 2, 5],
    [3, [10], [], 0, undefined],
    [3, [10], [5, 15, 20], 2, 20],
    [3, [10], [5], 0, undefined],
    [0, [], [4, 9], 2, 9],
    [2, [], [], 2, undefined],
  ])('record: %d stored, successes at %j, failures at %j: %d, %j', (stored, successes, failures, wanted, time) => {
    const record = nextBackoff({ failures: stored }, { succeeded: successes.map(finished), failed: failures.map(finished) });
    expect(record).toEqual({ failures: wanted, ...(time !== undefined && { lastFailureTime: at(time) }) });
  });

  test.each([
    [0, 0, 0],
    [1, 0, 10],
    [1, 4, 6],
    [2, 5, 15],
    [3, 40, 0],
    [7, 0, 600],
    [1000, 0, 600],
  ])('after %d failures and %d s there remain %d s', (failures, elapsed, wanted) => {
    expect(remainingBackoffMs(failures, NOW - elapsed, NOW * 1000)).toBe(wanted * 1000);
  });

  test.each<[string, Partial<PodFacts>, number]>([
    ['all containers terminated', { containers: [at10('a'), at20('b')] }, 20],
    ['one still runs, not ready since', { containers: [at10('a'), still('b')], ready: 'False', readySince: NOW + 15 }, 15],
    ['ready, being deleted', { ready: 'True', readySince: NOW + 1, deletedAt: NOW + 50, deletionGraceSeconds: 30 }, 20],
    ['nothing of it: creation', { createdAt: NOW - 7 }, -7],
    ['a sidecar ended last', { containers: [at10('a'), at10('b'), { ...at20('s'), role: 'sidecar', finishedAt: NOW + 30 }] }, 30],
    ['a sidecar still runs', { createdAt: NOW - 3, containers: [at10('a'), { ...still('s'), role: 'sidecar' }] }, -3],
    ['only sidecars ended', { containers: [still('a'), { ...at20('s'), role: 'sidecar' }] }, 20],
    ['init containers do not matter', { containers: [at10('a'), { ...still('i'), role: 'init' }] }, 10],
  ])('finish time: %s', (_, facts, wanted) => expect(finishTimeOf(aPod(facts))).toBe(NOW + wanted));
});
