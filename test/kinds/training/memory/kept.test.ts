// What a job keeps in the head: its next pass can read it, whatever the number and order of its replicas.
import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { failuresIn, KEPT } from '../../../../lib/kinds/training/memory/kept.ts';
import { packedSlots, slotSetIn } from '../../../../lib/kinds/training/memory/slot-sets.ts';
import { keptToStore } from '../../../../lib/reconciler/head/kept.ts';
import { aTraining, planFor, podsOf, reasonsTold, snapshotOf, type Situation } from '../builders.ts';
import { tensorflow } from '../../../../lib/kinds/training/frameworks/tensorflow.ts';

const scattered = (count: number, state: string): string =>
  `Worker: ${Array.from({ length: count }, (_, index) => (index % 2 === 0 ? state : 'R')).join(' ')}`;

describe('every second replica', () => {
  test.each([
    ['has succeeded', 'S(0)', {}, 256, 600],
    ['has succeeded', 'S(0)', {}, 5_000, 4_000],
    ['is made anew', 'F(137)', { backoffLimit: 10_000 }, 256, 600],
    ['is made anew', 'F(137)', { backoffLimit: 10_000 }, 2_000, 2_000],
  ])('%s (%s, %j): %i replicas take %i bytes at most', (_, state, runPolicy, count, bytes) => {
    const job = { replicas: { Worker: count }, policy: 'ExitCode', runPolicy, pods: scattered(count, state) };
    const { kept = {} } = planFor(job).head;
    const read = v.parse(KEPT, keptToStore(kept));
    expect(JSON.stringify(kept).length).toBeLessThanOrEqual(bytes);
    const again = planFor({ ...job, pods: [...snapshotOf(job).pods], kept: read });
    expect(again.head.kept).toEqual(kept);
  });
});

test.each([
  [[], ''],
  [[0, 1, 2, 1_000_005], '0:0-2;1:5'],
  [[0, 2, 4, 6, 8, 10], '0:*VQU'],
  [[999_990, 999_999], '0:999990,999999'],
])('the slots %j are the text %j', (slots, text) => {
  expect([packedSlots(slots), [...slotSetIn(text)]]).toEqual([text, slots]);
});

describe('256 replicas that alternate among three states', () => {
  const base: Situation = { replicas: { Worker: 256 }, policy: 'ExitCode', runPolicy: { backoffLimit: 1_000_000 } };
  /** Not periodic: whether a replica fails, waits, or is done differs from pass to pass, so that their counts of failures do. */
  const stateOf = (index: number, round: number): 'F(137)' | 'P' | 'R' =>
    (['F(137)', 'P', 'R'] as const)[(Math.imul(index * 16 + round + 1, 2_654_435_761) >>> 9) % 3] ?? 'R';
  const wordsOf = ['ImagePullBackOff', 'ErrImagePull', 'CreateContainerConfigError', 'CrashLoopBackOff', 'RunContainerError', 'Unknown'];

  test('however they do so, what is kept takes 600 bytes at most, and every failure is counted once', () => {
    let kept: object = {};
    let failures = 0;
    let longest = 0;
    for (let round = 0; round < 24; round += 1) {
      const text = `Worker: ${Array.from({ length: 256 }, (_, index) => stateOf(index, round)).join(' ')}`;
      const counts = failuresIn(kept).bySlot;
      const pods = podsOf(aTraining(base), tensorflow, text).map((pod, index) => ({
        ...pod,
        slotFailures: counts.get(index + 1_000_000) ?? 0,
        ...(pod.phase === 'Pending' && {
          containerWords: [
            { container: 'tensorflow', state: 'waiting' as const, reason: wordsOf[index % wordsOf.length] ?? '', message: 'no' },
          ],
        }),
      }));
      failures += pods.filter(({ phase }) => phase === 'Failed').length;
      const once = planFor({ ...base, pods, kept });
      const again = planFor({ ...base, pods, kept: v.parse(KEPT, keptToStore(once.head.kept ?? {})) });
      expect(again.head.kept).toEqual(once.head.kept);
      expect(reasonsTold(again).filter((reason) => reason !== 'SuccessfulDeletePod')).toEqual([]);
      kept = once.head.kept ?? {};
      longest = Math.max(longest, JSON.stringify(kept).length);
      expect(kept).toMatchObject({ failed: failures });
    }
    expect(new Set(failuresIn(kept).bySlot.values()).size).toBeGreaterThanOrEqual(8);
    expect(longest).toBeLessThanOrEqual(600);
  });
});
