// Cores in use, worked out from CPU time.
import { expect, test } from '@jest/globals';
import { CpuRates } from '../../lib/node-api/cpu-rates.ts';
import type { ContainerFigures, TaskFigures } from '../../lib/ports/provider.ts';

const START_MS = 1_000_000;
const read = (seconds: number, cpuSeconds: number, more: Partial<ContainerFigures> = {}, uid = 'a'): TaskFigures => ({
  uid,
  atMs: START_MS + seconds * 1_000,
  containers: [{ name: 'main', startedAtMs: 1, cpuSeconds, ...more }],
});
const coresIn = (rates: CpuRates, figures: TaskFigures): number | undefined => rates.completed([figures])[0]?.containers[0]?.cpuCores;

test('of a first reading nothing follows; from two follows what was used between them', () => {
  const rates = new CpuRates();
  expect(coresIn(rates, read(0, 10))).toBeUndefined();
  expect(coresIn(rates, read(10, 15))).toBe(0.5);
  expect(coresIn(rates, read(20, 15))).toBe(0);
});

test('readings at short intervals tell what the last ones that were apart told', () => {
  const rates = new CpuRates();
  coresIn(rates, read(0, 0));
  expect(coresIn(rates, read(0.5, 0.5))).toBeUndefined();
  expect(coresIn(rates, read(2, 1))).toBe(0.5);
  expect(coresIn(rates, read(2.1, 9))).toBe(0.5);
  // Of none of them the time that was used is lost.
  expect(coresIn(rates, read(4, 3))).toBe(1);
});

test.each([
  ['a container that was started anew', read(10, 20, { startedAtMs: 5_000 })],
  ['a time that runs backwards', read(10, 1)],
  ['a reading an hour later', read(3_600, 100)],
  ['a reading that is older', read(-5, 20)],
])('nothing follows from %s', (_name, second) => {
  const rates = new CpuRates();
  coresIn(rates, read(0, 10));
  expect(coresIn(rates, second)).toBeUndefined();
});

test("a provider's own cores stay as they are, and no time no cores", () => {
  const rates = new CpuRates();
  coresIn(rates, read(0, 0, { cpuCores: 3 }));
  expect(coresIn(rates, read(10, 5, { cpuCores: 3 }))).toBe(3);
  expect(rates.completed([{ uid: 'b', atMs: 0, containers: [{ name: 'main', memoryBytes: 1 }] }])[0]?.containers).toEqual([
    { name: 'main', memoryBytes: 1 },
  ]);
});

test('what was not read last is forgotten, so that tasks that come and go leave nothing', () => {
  const rates = new CpuRates();
  coresIn(rates, read(0, 0));
  coresIn(rates, read(1, 0, {}, 'b'));
  expect(coresIn(rates, read(10, 5))).toBeUndefined();
});
