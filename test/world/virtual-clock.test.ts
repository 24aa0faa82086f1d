// The virtual clock: the contract, and what only a clock can do that nobody but the test moves.
import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from './virtual-clock.ts';
import { clockContract } from '../contracts/clock.ts';

clockContract('virtual', () => {
  const clock = new VirtualClock({ seed: 7 });
  return { clock, pass: (ms) => clock.advance(ms) };
});

const draw = (seed: number): unknown[] => {
  const clock = new VirtualClock({ seed });
  return [clock.randomId(), clock.random(), clock.randomId()];
};

describe('virtual clock', () => {
  test('nothing moves until it is told', async () => {
    const clock = new VirtualClock({ startMs: 1_000 });
    const before = clock.nowMs();
    await new Promise((resolve) => setImmediate(resolve));
    expect([before, clock.nowMs(), clock.nextTimerInMs]).toEqual([1_000, 1_000, undefined]);
  });

  test('timers fire in order, each at its own moment, those set on the way too', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    const seen: [string, number][] = [];
    const waitThen = async (name: string, ms: number): Promise<void> => {
      await clock.wait(ms);
      seen.push([name, clock.nowMs()]);
    };
    const all = [waitThen('late', 500), waitThen('early', 20).then(() => waitThen('after early', 30)), waitThen('first', 10)];
    await clock.advance(1_000);
    await Promise.all(all);
    expect(seen).toEqual([
      ['first', 10],
      ['early', 20],
      ['after early', 50],
      ['late', 500],
    ]);
    expect(clock.nowMs()).toBe(1_000);
  });

  test('steps from timer to timer', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    const waits = [clock.wait(70), clock.wait(30)];
    expect(clock.nextTimerInMs).toBe(30);
    expect([await clock.advanceToNextTimer(), clock.nowMs()]).toEqual([true, 30]);
    expect([await clock.advanceToNextTimer(), clock.nowMs()]).toEqual([true, 70]);
    expect(await clock.advanceToNextTimer()).toBe(false);
    await Promise.all(waits);
  });

  test('the same seed gives the same chance', () => {
    expect(draw(5)).toEqual(draw(5));
    expect(draw(5)).not.toEqual(draw(6));
  });

  test('R17: the wall may jump, the monotonic clock does not', () => {
    const clock = new VirtualClock({ startMs: 10_000 });
    clock.jumpWall(-4_000);
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([6_000, 0]);
  });
});
