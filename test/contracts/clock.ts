// What every Clock promises.
import { describe, expect, test } from '@jest/globals';
import type { Clock } from '../../lib/ports/clock.ts';

export interface ClockUnderTest {
  clock: Clock;
  /** Lets so much time go by. */
  pass: (ms: number) => Promise<void>;
}

export function clockContract(name: string, open: () => ClockUnderTest): void {
  describe(`clock contract: ${name}`, () => {
    test('a wait ends when its time has come, not before', async () => {
      const { clock, pass } = open();
      const startMs = clock.monotonicMs();
      const waited = clock.wait(30).then(() => clock.monotonicMs() - startMs);
      await pass(40);
      // A timer may be a millisecond early by another clock.
      expect(await waited).toBeGreaterThanOrEqual(29);
    });

    test('a signal ends a wait at once, also one that has fired already', async () => {
      const { clock } = open();
      const controller = new AbortController();
      const startMs = clock.monotonicMs();
      const waited = clock.wait(600_000, controller.signal);
      controller.abort();
      await waited;
      await clock.wait(600_000, controller.signal);
      expect(clock.monotonicMs() - startMs).toBeLessThan(25_000);
    });

    test('a wait of nothing ends', async () => {
      const { clock } = open();
      await clock.wait(0);
      await clock.wait(-5);
      expect(clock.monotonicMs()).toBeGreaterThanOrEqual(0);
    });

    test('both times go on together', async () => {
      const { clock, pass } = open();
      const [wallMs, monotonicMs] = [clock.nowMs(), clock.monotonicMs()];
      await pass(50);
      expect(clock.monotonicMs() - monotonicMs).toBeGreaterThanOrEqual(49);
      expect(clock.nowMs() - wallMs).toBeGreaterThanOrEqual(40);
      expect(Number.isInteger(clock.nowMs())).toBe(true);
    });

    test('ids are 22 characters for URLs, and all different', () => {
      const { clock } = open();
      const ids = Array.from({ length: 2_000 }, () => clock.randomId());
      expect(ids.filter((id) => !/^[\w-]{22}$/.test(id))).toEqual([]);
      expect(new Set(ids).size).toBe(ids.length);
    });

    test('chance lies in [0, 1) and spreads', () => {
      const { clock } = open();
      const numbers = Array.from({ length: 2_000 }, () => clock.random());
      expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
      expect(numbers.filter((number) => number < 0.5).length).toBeGreaterThan(800);
      expect(numbers.filter((number) => number >= 0.5).length).toBeGreaterThan(800);
    });
  });
}
