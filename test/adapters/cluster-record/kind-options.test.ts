// Options of kinds in a cluster's record, as they are stored.
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { optionsFromStored, optionsToStored, StoredOptions } from '../../../lib/adapters/cluster-record/kind-options.ts';

const through = (options: Record<string, string>): unknown => optionsFromStored(v.parse(StoredOptions, optionsToStored({ options })));

test('come back as they were; the switch of before is stored as before', () => {
  const options = { 'workload-with-job': 'on', 'gang-scheduler': 'volcano', 'of-a-later-build': 'x' };
  expect(through(options)).toEqual({ options });
  expect(optionsToStored({ name: 'west', options: { 'workload-with-job': 'on' } })).toEqual({ name: 'west', workloadWithJob: true });
  expect(optionsFromStored({ workloadWithJob: true as const })).toEqual({ options: { 'workload-with-job': 'on' } });
  const without: { name: string; options?: Record<string, string> } = { name: 'west' };
  expect(optionsToStored(without)).toEqual({ name: 'west' });
  expect(optionsFromStored({})).toEqual({});
});

test('a name that is no flag is refused', () => {
  expect(v.safeParse(StoredOptions, { options: { 'Not A Flag': 'x' } }).success).toBe(false);
});
