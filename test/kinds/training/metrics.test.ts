// Section 21: what a stored status counts.
import { expect, test } from '@jest/globals';
import type { ConditionType } from '../../../lib/kinds/training/conditions.ts';
import { jax } from '../../../lib/kinds/training/frameworks/jax.ts';
import { trainingMetrics } from '../../../lib/kinds/training/metrics.ts';
import { upstreamMetric } from '../../../lib/objects/upstream-metrics.ts';
import { aCondition, aTraining } from './builders.ts';

const metrics = trainingMetrics(jax);

const having = (...types: ConditionType[]) =>
  aTraining({ framework: jax, status: { conditions: types.map((type) => aCondition(jax, type)) } });

test.each<[string, ConditionType[], ConditionType[], string[]]>([
  ['B-24: created, once it is stored', [], ['Created'], ['created']],
  ['nothing new', ['Created', 'Running'], ['Created', 'Running'], []],
  ['succeeded', ['Created'], ['Created', 'Succeeded'], ['successful']],
  ['B-18: failed, by a limit too', ['Created'], ['Created', 'Failed'], ['failed']],
])('%s', (_, before, after, names) => {
  const counts = metrics.ofStatus?.(having(...before), having(...after));
  const labels = { job_namespace: 'default', framework: 'jax' };
  expect(counts).toEqual(names.map((name) => ({ metric: `training_operator_jobs_${name}_total`, value: 1, labels })));
});

test('every count has a metric of its labels', () => {
  const counts = [
    ...(metrics.ofStatus?.(having(), having('Created', 'Failed')) ?? []),
    ...(metrics.ofOwnerDelete?.(having(), new Date(0)) ?? []),
  ];
  expect(counts).toHaveLength(3);
  for (const { metric, labels } of counts) expect(upstreamMetric(metric)?.labels).toEqual(Object.keys(labels));
});
