// What every Recorder promises.
import { describe, expect, test } from '@jest/globals';
import type { PassRecord, Recorder } from '../../lib/ports/recorder.ts';

export interface RecorderUnderTest {
  recorder: Recorder;
  nowMs: () => number;
  /** Lets so much time go by; undefined where that cannot be. */
  pass?: (ms: number) => Promise<void>;
}

export const aPass = (startedAtMs: number, change: Partial<PassRecord> = {}): PassRecord => ({
  key: { cluster: 'c', kind: 'Job', namespace: 'n', name: 'j', uid: 'u' },
  passId: 'fence',
  startedAtMs,
  durationMs: 12,
  outcome: 'acted',
  why: ['2 pods are missing'],
  saw: { pods: 3, digest: 'abc', live: true },
  actions: [{ verb: 'create', target: 'Pod n/j-0-abcde', why: 'index 0 is missing', result: 'done', count: 2 }],
  nextWakeAtMs: startedAtMs + 6_000,
  ...change,
});

export function recorderContract(name: string, open: () => Promise<RecorderUnderTest>): void {
  describe(`recorder contract: ${name}`, () => {
    test('passes come back whole, the newest first, no more than asked for', async () => {
      const { recorder, nowMs } = await open();
      const passes = Array.from({ length: 5 }, (_, index) => aPass(nowMs() - 1_000 + index, { passId: `pass-${index}` }));
      for (const pass of passes) await recorder.append(pass);
      expect(await recorder.passes(aPass(0).key, 3)).toEqual(passes.slice(2).toReversed());
      expect(await recorder.passes(aPass(0).key, 1_000)).toHaveLength(5);
    });

    test('passes that began in the same millisecond keep their order', async () => {
      const { recorder, nowMs } = await open();
      for (const passId of ['one', 'two']) await recorder.append(aPass(nowMs(), { passId }));
      expect((await recorder.passes(aPass(0).key, 10)).map(({ passId }) => passId)).toEqual(['two', 'one']);
    });

    test('a workload is found by its name, whatever its uid; others are not', async () => {
      const { recorder, nowMs } = await open();
      const { key } = aPass(0);
      await recorder.append(aPass(nowMs(), { key: { ...key, uid: 'older' } }));
      await recorder.append(aPass(nowMs(), { key }));
      await recorder.append(aPass(nowMs(), { key: { ...key, namespace: 'other' } }));
      expect((await recorder.passes(key, 10)).map((pass) => pass.key.uid)).toEqual(['u', 'older']);
      expect(await recorder.passes({ ...key, name: 'nobody' }, 10)).toEqual([]);
    });

    test('a failed pass keeps its error', async () => {
      const { recorder, nowMs } = await open();
      const { nextWakeAtMs: _none, ...pass } = aPass(nowMs(), { outcome: 'failed', error: 'no way there', actions: [] });
      await recorder.append(pass);
      expect(await recorder.passes(pass.key, 1)).toEqual([pass]);
    });

    test('a pass is found by its id, with what its planner saw where that was kept', async () => {
      const { recorder, nowMs } = await open();
      const [one, other] = [aPass(nowMs() - 2_000, { passId: 'one' }), aPass(nowMs() - 1_000, { passId: '_other-one_' })];
      await recorder.append(one, () => Uint8Array.of(1, 2, 255));
      await recorder.append(other, () => undefined);
      const found = await recorder.pass('one');
      expect(found?.pass).toEqual(one);
      expect([...(found?.snapshot ?? [])]).toEqual([1, 2, 255]);
      expect(await recorder.pass('_other-one_')).toEqual({ pass: other });
      expect(await recorder.pass('none')).toBeUndefined();
      expect(await recorder.pass('" || $.x = "')).toBeUndefined();
    });

    test('passes are kept for 7 days', async () => {
      const { recorder, nowMs } = await open();
      const dayMs = 24 * 3_600_000;
      await recorder.append(aPass(nowMs() - 8 * dayMs, { passId: 'old' }));
      await recorder.append(aPass(nowMs() - 6 * dayMs, { passId: 'young' }));
      expect((await recorder.passes(aPass(0).key, 10)).map(({ passId }) => passId)).toEqual(['young']);
      expect(await recorder.pass('old')).toBeUndefined();
    });
  });
}
