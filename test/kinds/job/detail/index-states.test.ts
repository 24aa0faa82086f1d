// The state of each index of a Job, which of them lag, and how long those ran that succeeded.
import { describe, expect, test } from '@jest/globals';
import type { Job } from '../../../../lib/objects/kubernetes.ts';
import { indexStatesOf } from '../../../../lib/kinds/job/detail/index-states.ts';
import { jobRunLengths } from '../../../../lib/kinds/job/detail/run-lengths.ts';
import { INDEX_LETTERS } from '../../../../lib/objects/detail/packed-states.ts';
import { countOfRuns, readRunLengths } from '../../../../lib/objects/detail/run-lengths.ts';
import type { PodFacts } from '../../../../lib/objects/pods/pod-facts.ts';
import { anIndexedJob, aPod, ended, NOW, podsOf } from '../builders.ts';

const NOW_MS = NOW * 1000;
const lettersOf = (job: Job, pods: PodFacts[], lengths?: string): string =>
  [...(indexStatesOf(job, pods, { nowMs: NOW_MS, lengths })?.codes ?? [])].map((code) => INDEX_LETTERS[code]).join('');

describe('states', () => {
  test('by pods and status: the status decides what has ended', () => {
    const job = anIndexedJob({ completions: 9, parallelism: 9 }, { status: { completedIndexes: '0,1', failedIndexes: '2' } });
    const crashing: Partial<PodFacts> = {
      containers: [{ name: 'main', role: 'container', restarts: 3 }],
      reasons: [{ reason: 'CrashLoopBackOff', container: 'main' }],
    };
    const pods = [
      ...podsOf('S1 F2 R3 F4 P5 T6'),
      aPod({ index: '7', ...crashing }),
      aPod({ index: '8', phase: 'Pending', assigned: false, reasons: [{ reason: 'Unschedulable' }] }),
    ];
    expect(lettersOf(job, pods)).toBe('SSFRBPTBW');
  });

  test('an index whose pod failed is tried again, unless the Job has ended; a new pod of it decides', () => {
    const job = anIndexedJob({ completions: 2, parallelism: 2 });
    expect(lettersOf(job, podsOf('F0 F1 R1'))).toBe('BR');
    const failed = anIndexedJob(
      { completions: 2, parallelism: 2 },
      { status: { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] } },
    );
    expect(lettersOf(failed, podsOf('F0'))).toBe('F-');
  });

  test('pods of indexes that the Job has not, or that cannot be read, are none of it', () => {
    expect(lettersOf(anIndexedJob({ completions: 2, parallelism: 2 }), podsOf('R7 Rx R?'))).toBe('--');
    expect(indexStatesOf(anIndexedJob({ parallelism: 2 }), [], { nowMs: NOW_MS })).toBeUndefined();
  });
});

const running = (index: number, seconds: number): PodFacts =>
  aPod({ index: String(index), startedAt: NOW - seconds, createdAt: NOW - seconds - 5, ready: 'True' });
const succeeded = (index: number, seconds: number): PodFacts =>
  aPod({
    index: String(index),
    phase: 'Succeeded',
    tracked: false,
    startedAt: NOW - 4_000,
    createdAt: NOW - 4_002,
    containers: [ended(0, 4_000 - seconds)],
  });

describe('lagging', () => {
  const job = (status: Job['status'] = {}): Job => anIndexedJob({ completions: 10, parallelism: 10 }, { status });
  const lengthsOf = (...pods: PodFacts[]): string =>
    jobRunLengths(undefined, { before: undefined, after: job({ succeeded: pods.length, completedIndexes: `0-${pods.length - 1}` }) }, pods)
      ?.lengths ?? '';
  const lagging = (lengths: string, ...seconds: number[]): unknown =>
    indexStatesOf(
      job(),
      seconds.map((each, at) => running(5 + at, each)),
      { nowMs: NOW_MS, lengths },
    )?.lagging.map(({ index }) => index);

  test('an index lags beyond three times the median and two minutes, the longest first', () => {
    const lengths = lengthsOf(succeeded(0, 100), succeeded(1, 100), succeeded(2, 100));
    expect(lagging(lengths, 290, 340, 900)).toEqual([7, 6]);
    const short = lengthsOf(succeeded(0, 10), succeeded(1, 10), succeeded(2, 10));
    expect(lagging(short, 100, 119, 121)).toEqual([7]);
  });

  test('before three have succeeded none lags', () => {
    expect(lagging(lengthsOf(succeeded(0, 10), succeeded(1, 10)), 9_000)).toEqual([]);
    expect(lagging('unreadable', 9_000)).toEqual([]);
  });
});

describe('lengths of runs are counted once for each index (R18)', () => {
  const job = (completedIndexes: string, count: number): Job =>
    anIndexedJob({ completions: 10, parallelism: 10 }, { status: { succeeded: count, completedIndexes } });
  const pods = Array.from({ length: 6 }, (_, index) => succeeded(index, 60 + index));
  const countIn = (remembered: { lengths: string } | undefined): number => {
    const read = readRunLengths(remembered?.lengths ?? '');
    return read ? countOfRuns(read) : 0;
  };
  const first = jobRunLengths(undefined, { before: job('', 0), after: job('0-2', 3) }, pods);

  test('with the status that names it, not before', () => {
    expect([first?.of, countIn(first)]).toEqual([3, 3]);
    const next = jobRunLengths(first, { before: job('0-2', 3), after: job('0-4', 5) }, pods);
    expect([next?.of, countIn(next)]).toEqual([5, 5]);
  });

  test('a pass that finds nothing new counts nothing, and says the same', () => {
    expect(jobRunLengths(first, { before: job('0-2', 3), after: job('0-2', 3) }, pods)).toBe(first);
  });

  test('those whose pods are gone since stay counted', () => {
    const next = jobRunLengths(first, { before: job('0-2', 3), after: job('0-3', 4) }, pods.slice(3));
    expect(countIn(next)).toBe(4);
  });

  test('after a status whose pass died before its head was written, all is counted anew from what is there', () => {
    const next = jobRunLengths(first, { before: job('0-4', 5), after: job('0-5', 6) }, pods);
    expect([next?.of, countIn(next)]).toEqual([6, 6]);
    const lost = jobRunLengths(undefined, { before: job('0-4', 5), after: job('0-4', 5) }, pods.slice(1));
    expect([lost?.of, countIn(lost)]).toEqual([5, 4]);
  });

  test('two pods of one index count once; Jobs of few indexes, and without any, cost nothing', () => {
    expect(countIn(jobRunLengths(undefined, { before: undefined, after: job('0', 1) }, [succeeded(0, 5), succeeded(0, 6)]))).toBe(1);
    const few = anIndexedJob({ completions: 3, parallelism: 3 }, { status: { succeeded: 3, completedIndexes: '0-2' } });
    expect(jobRunLengths(undefined, { before: undefined, after: few }, pods)).toBeUndefined();
    expect(jobRunLengths(undefined, { before: undefined, after: anIndexedJob({ completions: 9 }) }, pods)).toBeUndefined();
  });
});
