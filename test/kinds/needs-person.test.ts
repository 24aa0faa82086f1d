// Which workloads need a person.
import { expect, test } from '@jest/globals';
import { needsPerson, type NeedingPerson } from '../../lib/kinds/needs-person.ts';

const NOW_MS = 10_000_000;
const ago = (seconds: number): number => NOW_MS - seconds * 1_000;

const cases: { name: string; workload: NeedingPerson; needs: boolean }[] = [
  { name: 'parked', workload: { state: 'Parked', sinceMs: ago(1) }, needs: true },
  { name: 'unreadable', workload: { state: 'Unreadable', sinceMs: ago(1) }, needs: true },
  { name: 'failed within the hour', workload: { state: 'Failed', sinceMs: ago(3_599) }, needs: true },
  { name: 'failed before', workload: { state: 'Failed', sinceMs: ago(3_601) }, needs: false },
  { name: 'failed and removed', workload: { state: 'Failed', sinceMs: ago(60), isRemoved: true }, needs: true },
  { name: 'waiting for five minutes', workload: { state: 'Waiting', sinceMs: ago(9), troubledSinceMs: ago(301) }, needs: true },
  { name: 'waiting for less', workload: { state: 'Waiting', sinceMs: ago(9), troubledSinceMs: ago(299) }, needs: false },
  { name: 'running without trouble', workload: { state: 'Running', sinceMs: ago(9_000) }, needs: false },
  { name: 'removed while it waited', workload: { state: 'Waiting', sinceMs: 0, troubledSinceMs: 0, isRemoved: true }, needs: false },
];

test.each(cases)('$name: $needs', ({ workload, needs }) => {
  expect(needsPerson(workload, { nowMs: NOW_MS })).toBe(needs);
});
