// What every Telemetry promises: it takes whatever it is given, and never throws.
import { describe, expect, test } from '@jest/globals';
import type { Telemetry } from '../../lib/ports/telemetry.ts';

export interface TelemetryUnderTest {
  telemetry: Telemetry;
  /** Everything said so far, as one text each; undefined where nothing is kept. */
  said?: () => string[];
  /** Sum of what was counted under the name; undefined where nothing is kept. */
  sum?: (metric: string, dimensions: Record<string, string>) => number;
}

export function telemetryContract(name: string, open: () => TelemetryUnderTest): void {
  describe(`telemetry contract: ${name}`, () => {
    test('a line carries its message and its fields', () => {
      const { telemetry, said } = open();
      telemetry.info('reconciled', { namespace: 'n', durationMs: 12 });
      const lines = said?.() ?? ['reconciled n 12'];
      expect(lines).toHaveLength(1);
      for (const part of ['reconciled', 'n', '12']) expect(lines[0]).toContain(part);
    });

    test('whatever the fields hold, nothing is thrown', () => {
      const { telemetry } = open();
      const circle: Record<string, unknown> = {};
      circle['self'] = circle;
      const fields = {
        circle,
        big: 12345678901234567890n,
        nothing: undefined,
        none: null,
        error: new Error('outer', { cause: new Error('inner') }),
        run: () => {},
        symbol: Symbol('s'),
        date: new Date(NaN),
      };
      for (const level of ['debug', 'info', 'warn', 'error'] as const) expect(() => telemetry[level]('odd', fields)).not.toThrow();
      expect(() => telemetry.info('bare')).not.toThrow();
    });

    test('counts add up by name and dimensions', () => {
      const { telemetry, sum } = open();
      telemetry.count('Passes', 2, 'Count', { kind: 'Job', outcome: 'acted' });
      telemetry.count('Passes', 3, 'Count', { outcome: 'acted', kind: 'Job' });
      telemetry.count('Passes', 10, 'Count', { kind: 'Job', outcome: 'parked' });
      telemetry.count('Other', 1, 'Milliseconds');
      expect(sum?.('Passes', { kind: 'Job', outcome: 'acted' }) ?? 5).toBe(5);
      expect(sum?.('Other', {}) ?? 1).toBe(1);
    });
  });
}
