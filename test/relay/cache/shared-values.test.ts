// Texts about pods in a relay's memory: each once, and only so many of them.
import { expect, test } from '@jest/globals';
import { DICTIONARY_FACTS } from '../../../lib/objects/pods/fact-table.ts';
import { SharedValues } from '../../../lib/relay/cache/shared-values.ts';

const REASONS = DICTIONARY_FACTS.find(({ name }) => name === 'reasons')?.dictionary ?? {};

test('each text is one object for all its pods, and goes with the last of them', () => {
  const shared = new SharedValues(REASONS);
  for (let row = 0; row < 1_000; row += 1) shared.put(row, [{ reason: 'Unschedulable', message: '0/3 nodes' }]);
  expect(shared.of(999)).toBe(shared.of(0));
  for (let row = 0; row < 1_000; row += 1) shared.delete(row);
  expect(shared.of(0)).toBeUndefined();
  expect([shared.size, shared.texts]).toEqual([0, 0]);
});

test('of texts that all differ only so many are kept; then the words alone, then nothing', () => {
  const shared = new SharedValues(REASONS);
  for (let row = 0; row < 20_000; row += 1) shared.put(row, [{ reason: 'Evicted', message: `of ${row}` }]);
  expect(shared.of(0)).toEqual([{ reason: 'Evicted', message: 'of 0' }]);
  expect(shared.of(19_999)).toEqual([{ reason: 'Evicted' }]);
  for (let row = 20_000; row < 40_000; row += 1) shared.put(row, [{ reason: `Odd${row}`, message: 'x' }]);
  expect(shared.of(39_999)).toBeUndefined();
  expect(shared.texts).toBeLessThanOrEqual(6_000);
});
