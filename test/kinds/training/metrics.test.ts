// Section 21: what a stored status counts.
import { expect, test } from '@jest/globals';
import type { ConditionType } from '../../../lib/kinds/training/status/conditions.ts';
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

test('B-38: services, groups of pods and restarts have counts of their own', () => {
  const [services, groups] = [{ kind: 'Service' }, { kind: 'PodGroup' }].map((row) => ({
    apiVersion: 'v1',
    plural: '',
    namespaced: true,
    ...row,
  }));
  if (!services || !groups) throw new Error('two resources were asked for');
  const namesOf = (counts: readonly { metric: string }[] = []): string[] => counts.map(({ metric }) => metric);
  expect(namesOf(metrics.ofOtherCreate?.(services, 'succeeded'))).toEqual(['succeeded_service_creation_total']);
  expect(namesOf(metrics.ofOtherCreate?.(services, 'failed'))).toEqual(['failed_service_creation_total']);
  expect(namesOf(metrics.ofOtherCreate?.(groups, 'succeeded'))).toEqual(['created_pod_groups_total']);
  expect(namesOf(metrics.ofOtherDelete?.(groups))).toEqual(['deleted_pod_groups_total']);
  expect([metrics.ofOtherCreate?.(groups, 'failed'), metrics.ofOtherDelete?.(services)]).toEqual([[], []]);
});

test('every count has a metric of its labels', () => {
  const counts = [
    ...(metrics.ofStatus?.(having(), having('Created', 'Failed')) ?? []),
    ...(metrics.ofOwnerDelete?.(having(), new Date(0)) ?? []),
  ];
  expect(counts).toHaveLength(3);
  for (const { metric, labels } of counts) expect(upstreamMetric(metric)?.labels).toEqual(Object.keys(labels));
});
