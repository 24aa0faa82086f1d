// Who fell first: the earliest end of a run, kept while containers are started again and forget it.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fallOf, fallsAfter, fallsText, type Falls } from '../../../lib/objects/detail/falls.ts';
import type { PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import { podFactsOf } from '../../../lib/objects/pods/pod-facts.ts';
import type { Pod } from '../../../lib/objects/kubernetes.ts';

const AT = 1_790_000_284;

const podOf = (name: string, status: Pod['status']): PodFacts =>
  podFactsOf({
    metadata: { name, namespace: 'nlp', uid: name, resourceVersion: '1' },
    spec: { containers: [] },
    status: { phase: 'Running', ...status },
  });
const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();
/** It runs or waits again. */
const again = (name: string, { at, exitCode = 1, reason = 'Error' }: { at: number; exitCode?: number; reason?: string }): PodFacts =>
  podOf(name, {
    containerStatuses: [
      {
        name: 'main',
        restartCount: 1,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode, reason, finishedAt: timeOf(at) } },
      },
    ],
  });
const failed = (name: string, at: number, exitCode = 1): PodFacts =>
  podOf(name, {
    phase: 'Failed',
    containerStatuses: [{ name: 'main', state: { terminated: { exitCode, reason: 'Error', finishedAt: timeOf(at) } } }],
  });

describe('the fall of a pod', () => {
  test('of a container that is started again, of one that is over, and of none', () => {
    expect(fallOf(again('a', { at: AT, exitCode: 137, reason: 'OOMKilled' }))).toEqual({
      pod: 'a',
      container: 'main',
      exitCode: 137,
      reason: 'OOMKilled',
      at: AT,
    });
    expect(fallOf(failed('b', AT))).toEqual({ pod: 'b', container: 'main', exitCode: 1, at: AT });
    expect(fallOf(podOf('c', { containerStatuses: [{ name: 'main', state: { running: {} } }] }))).toBeUndefined();
    expect(fallOf(again('d', { at: AT, exitCode: 0, reason: 'Completed' }))).toBeUndefined();
  });
});

const WORKERS = [
  again('llama-oom-worker-3', { at: AT, exitCode: 137, reason: 'OOMKilled' }),
  ...[0, 1, 2, 4, 5, 6].map((at) => again(`llama-oom-worker-${at}`, { at: AT + 3 + at })),
];

test('seven workers: the first, and how the others followed', () => {
  const falls = fallsAfter(undefined, WORKERS);
  expect(falls && fallsText(falls, 'llama-oom')).toBe(
    'worker-3 fell first: OOMKilled, exit code 137, 14:18:04. Six others followed within 9 s, exit code 1.',
  );
});

test('it is kept while containers are started again, and followers too', () => {
  const first = fallsAfter(undefined, WORKERS);
  const later = WORKERS.map((pod, at) => again(pod.name, { at: AT + 200 + at }));
  const second = fallsAfter(first, later);
  expect(second?.first).toEqual(first?.first);
  expect(second?.followed).toBe(6);
  expect(second?.lastAt).toBe(AT + 206);
});

test('after ten minutes without a fall the next one is another matter; falls before the run began are none of it', () => {
  const first = fallsAfter(undefined, WORKERS);
  const later = [...WORKERS.slice(1), again('llama-oom-worker-3', { at: AT + 700 })];
  expect(fallsAfter(first, later)).toMatchObject({ first: { pod: 'llama-oom-worker-3', at: AT + 700 }, followed: 0 });
  expect(fallsAfter(first, [], AT + 1)).toBeUndefined();
  expect(fallsAfter(first, [])).toEqual(first);
});

test('one that is heard late may have been the first', () => {
  const late = fallsAfter(fallsAfter(undefined, WORKERS.slice(1)), WORKERS);
  expect(late).toEqual(fallsAfter(undefined, WORKERS));
});

test('a repeated pass finds the same, and the order of pods does not matter', () => {
  const falling = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e'), at: fc.integer({ min: 0, max: 3_000 }) });
  const pods = fc.uniqueArray(falling, { selector: ({ name }) => name }).map((each) => each.map(({ name, at }) => failed(name, AT + at)));
  fc.assert(
    fc.property(fc.array(pods, { maxLength: 4 }), (passes) => {
      let [once, twice]: (Falls | undefined)[] = [undefined, undefined];
      for (const seen of passes) {
        once = fallsAfter(once, seen);
        twice = fallsAfter(fallsAfter(twice, seen), seen.toReversed());
      }
      expect(twice).toEqual(once);
    }),
  );
});

test('one alone is told alone, by its whole name where it has no owner before it', () => {
  const falls = fallsAfter(undefined, [failed('other', AT, 3)]);
  expect(falls && fallsText(falls, 'demo')).toBe('other fell: exit code 3, 14:18:04.');
});
