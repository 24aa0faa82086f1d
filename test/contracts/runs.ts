// What every Runs promises.
import { describe, expect, test } from '@jest/globals';
import { MOST_PART_CHARACTERS, type RunRecord, type Runs } from '../../lib/ports/runs.ts';
import { failureOf } from '../claims.ts';

export const aRun = (id: string, change: Partial<RunRecord> = {}): Omit<RunRecord, 'version'> => ({
  id,
  manifestHash: 'hash',
  createdAtMs: 1_000,
  state: '{"pods":[]}',
  ...change,
});

export function runsContract(name: string, open: () => Promise<Runs>): void {
  describe(`runs contract: ${name}`, () => {
    test('a new record gets version 1, the next one more, and comes back whole', async () => {
      const runs = await open();
      expect(await runs.get('one')).toBeUndefined();
      expect(await runs.put(aRun('one', { dueAtMs: 5 }), 0)).toEqual({ ...aRun('one', { dueAtMs: 5 }), version: 1 });
      const changed = aRun('one', { state: '{"é":"☃"}', keptUntilMs: 99 });
      expect(await runs.put(changed, 1)).toEqual({ ...changed, version: 2 });
      expect(await runs.get('one')).toEqual({ ...changed, version: 2 });
    });

    test('R8: a record that changed meanwhile is not overwritten; what stands there comes with the refusal', async () => {
      const runs = await open();
      await runs.put(aRun('one', { state: 'first' }), 0);
      for (const expectedVersion of [0, 2])
        expect(await failureOf(runs.put(aRun('one', { state: 'other' }), expectedVersion))).toMatchObject({
          name: 'StaleWriteError',
          current: { state: 'first', version: 1 },
        });
      expect(await failureOf(runs.put(aRun('two'), 4))).toMatchObject({ name: 'StaleWriteError', current: undefined });
      expect(await runs.get('two')).toBeUndefined();
    });

    test('of ten that create the same run at once, one does', async () => {
      const runs = await open();
      const made = await Promise.allSettled(
        Array.from({ length: 10 }, async (_, at) => await runs.put(aRun('one', { state: String(at) }), 0)),
      );
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    test('all are listed by id, page by page', async () => {
      const runs = await open();
      for (const id of ['b', 'a', 'c']) await runs.put(aRun(id), 0);
      const first = await runs.list({ limit: 2 });
      expect([first.runs.map(({ id }) => id), first.next]).toEqual([['a', 'b'], 'b']);
      const second = await runs.list({ limit: 2, ...(first.next !== undefined && { after: first.next }) });
      expect(second.runs).toEqual([{ ...aRun('c'), version: 1 }]);
    });

    test('open runs are found by their next step, the longest due first; finished ones are not', async () => {
      const runs = await open();
      await runs.put(aRun('late', { dueAtMs: 30 }), 0);
      await runs.put(aRun('early', { dueAtMs: 10 }), 0);
      await runs.put(aRun('later', { dueAtMs: 50 }), 0);
      await runs.put(aRun('done', { keptUntilMs: 5 }), 0);
      expect(await runs.dueBefore(40, 10)).toEqual(['early', 'late']);
      expect(await runs.dueBefore(100, 1)).toEqual(['early']);
      await runs.put(aRun('early', { keptUntilMs: 5 }), 1);
      expect(await runs.dueBefore(40, 10)).toEqual(['late']);
    });

    test('parts belong to their run, may come before its record, and go by the beginning of their names', async () => {
      const runs = await open();
      await runs.putPart('one', 'manifest-0', 'm0');
      await runs.putPart('one', 'manifest-1', 'm1');
      await runs.putPart('one', 'log-0', 'l');
      await runs.putPart('other', 'manifest-0', 'o');
      await runs.putPart('one', 'manifest-1', 'again');
      expect(await runs.readPart('one', 'manifest-1')).toBe('again');
      await runs.removeParts('one', 'manifest-');
      expect(await Promise.all(['manifest-0', 'manifest-1', 'log-0'].map(async (part) => await runs.readPart('one', part)))).toEqual([
        undefined,
        undefined,
        'l',
      ]);
      expect(await runs.readPart('other', 'manifest-0')).toBe('o');
      const long = 'x'.repeat(MOST_PART_CHARACTERS);
      await runs.putPart('one', 'long', long);
      expect(await runs.readPart('one', 'long')).toBe(long);
      expect(await failureOf(runs.putPart('one', 'longer', `${long}x`))).toBeInstanceOf(RangeError);
    });

    test('a run is removed with its parts, and not once it has changed', async () => {
      const runs = await open();
      await runs.put(aRun('one'), 0);
      await runs.putPart('one', 'log-0', 'l');
      await runs.put(aRun('one', { state: 'new' }), 1);
      expect(await runs.remove('one', 1)).toBe(false);
      expect(await runs.readPart('one', 'log-0')).toBe('l');
      expect(await runs.remove('one', 2)).toBe(true);
      expect([await runs.get('one'), await runs.readPart('one', 'log-0')]).toEqual([undefined, undefined]);
      expect(await runs.remove('one', 2)).toBe(true);
    });
  });
}
