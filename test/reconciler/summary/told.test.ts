// When a summary is written, and since when a workload has had its state.
import { expect, test } from '@jest/globals';
import type { Summary } from '../../../lib/reconciler/summary/summary.ts';
import { decodeSummary, encodeSummary } from '../../../lib/reconciler/summary/summary.ts';
import { decodeTold, encodeTold, stepOf, type Told } from '../../../lib/reconciler/summary/told.ts';

const START_MS = 1_700_000_000_000;
const running = (succeeded: number, change: Partial<Summary> = {}): Summary => ({
  state: 'Running',
  figures: [{ name: 'succeeded', value: succeeded, of: 10 }],
  fields: { succeeded },
  labels: { team: 'a' },
  creationTime: '2026-05-01T10:00:00Z',
  ...change,
});
const at = (seconds: number): { nowMs: number } => ({ nowMs: START_MS + seconds * 1_000 });

test('the first summary is written; one that does not differ is not', () => {
  const first = stepOf(undefined, running(0), at(0));
  expect(first.write).toMatchObject({ summary: { state: 'Running', sinceMs: START_MS } });
  expect(stepOf(first.told, running(0), at(900))).toEqual({ told: first.told });
});

test('another state is written at once, figures alone a minute after the last summary, by one timer for a whole burst', () => {
  const { told } = stepOf(undefined, running(0), at(0));
  const early = stepOf(told, running(1), at(5));
  expect(early).toMatchObject({ told: { isBehind: true }, behindUntilMs: START_MS + 60_000 });
  expect(early.write).toBeUndefined();
  expect(stepOf(early.told, running(2), at(9)).behindUntilMs).toBeUndefined();
  expect(stepOf(early.told, running(2), at(60)).write?.summary.figures).toEqual([{ name: 'succeeded', value: 2, of: 10 }]);
  const ended = stepOf(early.told, running(10, { state: 'Succeeded' }), { ...at(9), isEndedAtMs: START_MS + 8_000 });
  expect(ended.write?.summary).toMatchObject({ state: 'Succeeded', sinceMs: START_MS + 8_000 });
  expect(ended.told.isBehind).toBe(false);
});

test('partial trouble waits like figures, and counts from its beginning though it comes and goes', () => {
  const { told } = stepOf(undefined, running(0), at(0));
  const troubled = stepOf(told, running(0, { reason: '1 of 2: CrashLoopBackOff' }), at(30));
  expect(troubled.write).toBeUndefined();
  const calm = stepOf(troubled.told, running(0), at(40));
  const again = stepOf(calm.told, running(0, { state: 'BackingOff', reason: 'CrashLoopBackOff' }), at(300));
  expect(again.write?.summary).toMatchObject({ troubledSinceMs: START_MS + 30_000, sinceMs: START_MS + 300_000 });
  const muchLater = stepOf(calm.told, running(0, { state: 'BackingOff' }), at(2_000));
  expect(muchLater.write?.summary.troubledSinceMs).toBe(START_MS + 2_000_000);
});

test('each entry is later than the one before, whatever the clock says', () => {
  const { told } = stepOf(undefined, running(0), at(100));
  expect(stepOf(told, running(0, { state: 'Failed' }), at(0)).told.atMs).toBe(told.atMs + 1);
});

test('the entry of a settled workload is removed by the next one; others go by themselves', () => {
  const { told } = stepOf(undefined, running(0), at(0));
  const suspended = stepOf(told, running(0, { state: 'Suspended' }), at(1));
  expect(suspended.write?.replacesAtMs).toBeUndefined();
  expect(stepOf(suspended.told, running(0), at(2)).write?.replacesAtMs).toBe(suspended.told.atMs);
});

test('marks and summaries read as they were written; what no version wrote is none', () => {
  const told: Told = stepOf(undefined, running(0, { state: 'Waiting', reason: 'Unschedulable' }), at(0)).told;
  for (const each of [told, { ...told, isBehind: true, calmSinceMs: START_MS + 5_000 }])
    expect(decodeTold(encodeTold(each))).toEqual({ calmSinceMs: undefined, ...each });
  expect(encodeTold(told).length).toBeLessThan(25);
  for (const text of [undefined, '', 'a.b', 'x.y.z.!', 'mi8o2k1a.abcdef.ghij.1t9x2aa']) expect(decodeTold(text)).toBeUndefined();
  const summary = { ...running(3), reason: 'x', why: 'y', yieldsToDrain: true as const, sinceMs: START_MS, removedAtMs: START_MS + 1 };
  expect(decodeSummary(encodeSummary(summary))).toEqual(summary);
  for (const body of ['', '[]', '{"s":"Running"}', '{"s":1,"t":2}']) expect(decodeSummary(body)).toBeUndefined();
});
