// What a job keeps in the head: its next pass can read it, whatever the number and order of its replicas.
import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { KEPT, packedSlots, slotSetIn } from '../../../lib/kinds/training/kept.ts';
import { keptToStore } from '../../../lib/reconciler/head/kept.ts';
import { planFor, snapshotOf } from './builders.ts';

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
