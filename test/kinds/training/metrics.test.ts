// Section 21: what a stored status counts.
import { expect, test } from '@jest/globals';
import type { ConditionType } from '../../../lib/kinds/training/conditions.ts';
import { jax } from '../../../lib/kinds/training/frameworks/jax.ts';
import { countsOfDeletion, countsOfStatus, TRAINING_METRICS } from '../../../lib/kinds/training/metrics.ts';
import { aCondition, aTraining } from './builders.ts';

const having = (...types: ConditionType[]) =>
  aTraining({ framework: jax, status: { conditions: types.map((type) => aCondition(jax, type)) } });

test.each<[string, ConditionType[], ConditionType[], string[]]>([
  ['B-24: created, once it is stored', [], ['Created'], ['created']],
  ['nothing new', ['Created', 'Running'], ['Created', 'Running'], []],
  ['succeeded', ['Created'], ['Created', 'Succeeded'], ['successful']],
  ['B-18: failed, by a limit too', ['Created'], ['Created', 'Failed'], ['failed']],
])('%s', (_, before, after, names) => {
  const counts = countsOfStatus(jax, having(...before), having(...after));
  const labels = { job_namespace: 'default', framework: 'jax' };
  expect(counts).toEqual(names.map((name) => ({ metric: `training_operator_jobs_${name}_total`, value: 1, labels })));
});

test('every count has a metric of its labels', () => {
  const counts = [...countsOfStatus(jax, having(), having('Created', 'Failed')), ...countsOfDeletion(jax, having())];
  expect(counts).toHaveLength(3);
  for (const { metric, labels } of counts)
    expect(TRAINING_METRICS.find(({ name }) => name === metric)?.labels).toEqual(Object.keys(labels));
});
