// When a workload that its cluster's budget refused comes again.
import { expect, test } from '@jest/globals';
import type { PassRecord } from '../../../lib/ports/recorder.ts';
import { turnOf } from '../../../lib/reconciler/steps/turn.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';

const clock = new VirtualClock({ seed: 1 });
const turn = (attempt: number, { isEarly = false, result }: { isEarly?: boolean; result?: PassRecord['actions'][number]['result'] } = {}) =>
  turnOf(
    { attempt, isEarly, decided: { actions: result ? [{ verb: 'create', target: 'a', why: '', result }] : [] } as never },
    8_000,
    clock,
  );

test('R14: its wait doubles with each turn that got nothing, and not with news that comes before its turn', () => {
  expect([1, 2, 3].map((attempt) => turn(attempt).attempt)).toEqual([1, 2, 3]);
  // Five events while it waits for its first turn.
  let attempt = 1;
  for (let nth = 0; nth < 5; nth++) ({ attempt } = turn(attempt + 1, { isEarly: true }));
  expect(attempt).toBe(1);
  expect(turn(1, { isEarly: true }).attempt).toBe(1);
  expect(turn(5, { result: 'done' })).toEqual({ againInMs: 8_000, attempt: 0 });
  expect(turn(2, { isEarly: true }).againInMs).toBeLessThanOrEqual(9_000);
});
