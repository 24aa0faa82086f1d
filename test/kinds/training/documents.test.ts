// `farloop plan` of a training job from documents: alone, with all that it has, and where the documents are no good.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseManifests } from '../../../lib/cli/manifests/manifest-files.ts';
import { planManifests, type ManifestPlan } from '../../../lib/kinds/planning/manifest-plan.ts';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';

const NOW = new Date('2026-05-01T10:00:00Z');
const file = join(import.meta.dirname, '../../../examples/training/pytorch.yaml');
const example = (): KubernetesObject => parseManifests(readFileSync(file, 'utf8'), file)[0]?.document as KubernetesObject;

function planned(objects: readonly object[]): ManifestPlan {
  return planManifests(
    objects.map((document, at) => ({ document: JSON.parse(JSON.stringify(document)) as object, source: `document ${at}` })),
    { now: NOW },
  );
}
const createdBy = ({ actions }: ManifestPlan): KubernetesObject[] =>
  actions.flatMap((action) => (action.verb === 'create' ? [action.object] : []));
const namesOf = (objects: readonly KubernetesObject[]): string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();

const stored = (): KubernetesObject => {
  const job = example();
  return { ...job, metadata: { ...job.metadata, namespace: 'default', uid: 'uid-of-job', resourceVersion: '7', generation: 1 } };
};
const made = (objects: readonly KubernetesObject[]): object[] =>
  objects.map((object, at) => ({
    ...object,
    metadata: { ...object.metadata, uid: `uid-${at}`, resourceVersion: '9', creationTimestamp: '2026-05-01T09:59:00Z' },
    ...(object.kind === 'Pod' && { status: { phase: 'Running', startTime: '2026-05-01T09:59:01Z' } }),
  }));

describe('what people write', () => {
  const withSpec = (spec: object): object => ({ ...example(), spec: { ...(example() as { spec?: object }).spec, ...spec } });

  test('fields without a value are as if they were not there', () => {
    const plan = planned([withSpec({ runPolicy: null, elasticPolicy: { minReplicas: 1, maxReplicas: 3, rdzvConf: [null] } })]);
    expect(plan.outcome).toBe('acted');
  });

  test.each([
    [{ pytorchReplicaSpecs: { Worker: 5 } }, 'spec.pytorchReplicaSpecs.Worker: expected an object, found 5'],
    [
      { pytorchReplicaSpecs: { Worker: { replicas: '2' } } },
      'spec.pytorchReplicaSpecs.Worker.replicas: expected a whole number from -2147483648 to 2147483647, found "2"',
    ],
  ])('%j is refused with what was found', (spec, problem) => {
    expect(() => planned([withSpec(spec)])).toThrow(problem);
  });
});

describe('documents of a training job', () => {
  const names = ['master-0', 'worker-0', 'worker-1'].flatMap((slot) => [`Pod pytorch-${slot}`, `Service pytorch-${slot}`]).toSorted();

  test('alone: its pods and services are made', () => {
    const plan = planned([example()]);
    expect(namesOf(createdBy(plan))).toEqual(names);
    expect(plan).toMatchObject({ outcome: 'acted', workload: { kind: 'PyTorchJob', namespace: 'default', name: 'pytorch' } });
  });

  test('with all that it has: nothing is made', () => {
    const children = made(createdBy(planned([stored()])));
    expect(createdBy(planned([stored(), ...children]))).toEqual([]);
  });

  test('a service that is missing, or another owner’s, is made', () => {
    const children = made(createdBy(planned([stored()])));
    const without = children.filter((child) => !/Service.*worker-1/.test(JSON.stringify(child)));
    expect(namesOf(createdBy(planned([stored(), ...without])))).toEqual(['Service pytorch-worker-1']);
    const foreign = JSON.parse(JSON.stringify(children).replaceAll('uid-of-job', 'uid-of-another')) as object[];
    expect(namesOf(createdBy(planned([stored(), ...foreign])))).toEqual(names);
  });

  test('an invalid one is told as such, and nothing is made', () => {
    const job = stored() as KubernetesObject & { spec: { pytorchReplicaSpecs: { Master: { replicas: number } } } };
    job.spec.pytorchReplicaSpecs.Master.replicas = 2;
    const { actions, why } = planned([job]);
    expect(actions.filter(({ verb }) => verb === 'create')).toEqual([]);
    expect(actions).toContainEqual(expect.objectContaining({ verb: 'event', reason: 'PyTorchJobFailedValidation' }));
    expect(why.join(' ')).toContain('There must be only 1 master replica');
  });

  test('a service without a name: one sentence with document and field', () => {
    expect(() => planned([stored(), { apiVersion: 'v1', kind: 'Service', metadata: {} }])).toThrow(
      /^document 1: metadata\.name: expected text/,
    );
  });
});
