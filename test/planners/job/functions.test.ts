// The functions that have tables of their own: indexes, backoff, finish times, removal order, counts in annotations.
import { describe, expect, test } from '@jest/globals';
import { indexSetOf, parseIndexes } from '../../../lib/objects/index-text.ts';
import { completionIndexOf, type PodFacts } from '../../../lib/objects/pod-facts.ts';
import { finishTimeOf, nextBackoff, remainingBackoffMs } from '../../../lib/planners/job/backoff.ts';
import { nextIndexes } from '../../../lib/planners/job/indexes.ts';
import { failureCountOf } from '../../../lib/planners/job/per-index-backoff.ts';
import { compareForRemoval } from '../../../lib/planners/job/removal-order.ts';
import { tallyOf } from '../../../lib/planners/job/tally.ts';
import { termsOf } from '../../../lib/planners/job/terms.ts';
import { aJob, aPod, at, ended, NOW, podsOf } from './builders.ts';

describe('choosing indexes', () => {
  test.each([
    [5, 3, [], '', '', [0, 1, 2]],
    [5, 3, [1], '0', '', [2, 3, 4]],
    [3, 5, [], '', '', [0, 1, 2]],
    [5, 0, [], '', '', []],
    [20, 6, [3, 5, 9, 10], '0-2,6,8', '', [4, 7, 11, 12, 13, 14]],
    [4, 4, [], '0', '2', [1, 3]],
    [1_000_000_000, 2, [], '0-499999999,500000001-999999998', '', [500_000_000, 999_999_999]],
  ])('of %d completions %d more, active %j, completed %j, failed %j: %j', (completions, count, active, completed, failed, wanted) => {
    const held = indexSetOf(active);
    const sets = { completed: parseIndexes(completed, completions), failed: parseIndexes(failed, completions) };
    expect(nextIndexes({ ...sets, held, count, completions })).toEqual(wanted);
  });

  test.each([
    ['0', 0],
    ['007', 7],
    ['+1', 1],
    ['123456789', 123_456_789],
    ['12345678901', 12_345_678_901],
    ['', undefined],
    ['abc', undefined],
    ['-1', undefined],
    ['1.0', undefined],
    [' 1', undefined],
    ['1e0', undefined],
    ['0x1', undefined],
    ['99999999999999999999', undefined],
    [undefined, undefined],
  ])('the annotation %j is index %j', (index, wanted) => {
    expect(completionIndexOf(aPod(index === undefined ? {} : { index }))).toBe(wanted);
  });
});

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

const restarted = (restarts: number, role: 'container' | 'sidecar' = 'container') => [{ name: 'main', role, restarts }];

const ready = (minutes: number, facts: Partial<PodFacts> = {}) => aPod({ ready: 'True', readySince: NOW - minutes * 60, ...facts });

test('removal order', () => {
  const wanted = [
    aPod({ phase: 'Pending', assigned: false }),
    aPod({ phase: 'Pending' }),
    aPod({ phase: 'Unknown' }),
    aPod({ containers: restarted(3) }),
    aPod({ containers: restarted(3, 'sidecar') }),
    aPod({ createdAt: NOW - 1 }),
    aPod({ createdAt: NOW - 100 }),
    ready(1),
    ready(10, { createdAt: NOW - 1 }),
    ready(10, { createdAt: NOW - 100 }),
  ];
  for (const shuffled of [wanted.toReversed(), [...wanted.slice(5), ...wanted.slice(0, 5)]]) {
    expect(shuffled.toSorted(compareForRemoval).map(({ uid }) => uid)).toEqual(wanted.map(({ uid }) => uid));
  }
});

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

test.each([
  [undefined, 0],
  ['', 0],
  ['a', 0],
  ['-1', 0],
  ['2147483648', 0],
  ['1.5', 0],
  ['5', 5],
  ['+2', 2],
  ['007', 7],
])('the failure count %j reads as %d', (text, wanted) => expect(failureCountOf(text)).toBe(wanted));

test('sets of indexes are never expanded', () => expect(indexSetOf([3, 1, 2])).toEqual([{ first: 1, last: 3 }]));
