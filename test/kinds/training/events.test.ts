// Events that belong to no write: they are told, and once.
import { afterEach, expect, test } from '@jest/globals';
import { FRAMEWORKS } from '../../../lib/kinds/training/frameworks/all.ts';
import { pytorch } from '../../../lib/kinds/training/frameworks/pytorch.ts';
import type { KubernetesObject, Pod } from '../../../lib/objects/kubernetes.ts';
import { EVENTS, PODS, type Resource } from '../../../lib/objects/resources.ts';
import { definedRows } from '../../sandbox/defined-rows.ts';
import { World } from '../../world/world.ts';
import { planFor } from './builders.ts';

const JOBS: Resource = { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', plural: 'pytorchjobs', namespaced: true };
const job: KubernetesObject & Record<string, unknown> = {
  apiVersion: JOBS.apiVersion,
  kind: JOBS.kind,
  metadata: { name: 'demo', namespace: 'default' },
  spec: {
    pytorchReplicaSpecs: { Worker: { replicas: 2, template: { spec: { containers: [{ name: 'pytorch', image: 'example.com/train' }] } } } },
  },
};

const rows = FRAMEWORKS.flatMap(({ kind }) => definedRows(kind));

let world: World;
afterEach(() => world.close());

const toldOf = async (reason: string): Promise<string[]> =>
  (await world.all<KubernetesObject & { reason?: string; message?: string }>(EVENTS))
    .filter((event) => event.reason === reason)
    .map(({ message = '' }) => message);
const report = async (name: string, status: Pod['status']): Promise<unknown> =>
  await world.as('PATCH', PODS, {
    namespace: 'default',
    name,
    subresource: 'status',
    body: { status },
    type: 'application/merge-patch+json',
  });
const containerWith = (state: object): Pod['status'] => ({
  containerStatuses: [{ name: 'pytorch', image: 'example.com/train', imageID: '', ready: false, restartCount: 0, state }],
});

test('a container that waits is told of though nothing else changes, and once', async () => {
  world = new World({ manages: ['training-jobs'], rows });
  await world.watch();
  await world.apply(job);
  await world.elapse(10, { play: false });
  await report('demo-worker-0', containerWith({ waiting: { reason: 'ImagePullBackOff', message: 'no such image' } }));
  await world.elapse(10, { play: false });
  const message = 'Error pod demo-worker-0 container pytorch waiting message: no such image';
  expect(await toldOf('ImagePullBackOff')).toEqual([message]);
  await report('demo-worker-1', { phase: 'Running', ...containerWith({ running: {} }) });
  await world.elapse(30, { play: false });
  expect(await toldOf('ImagePullBackOff')).toEqual([message]);
});

test('an exit code is told of before the end of the job', async () => {
  world = new World({ manages: ['training-jobs'], rows });
  await world.watch();
  await world.apply(job);
  await world.elapse(10, { play: false });
  await report('demo-worker-1', { phase: 'Succeeded', ...containerWith({ terminated: { exitCode: 0 } }) });
  await world.elapse(10, { play: false });
  expect(await toldOf('ExitedWithCode')).toEqual(['Pod: default.demo-worker-1 exited with code 0']);
});

test('B-45: creates stand next to each other, so that they go out side by side', () => {
  const verbs = planFor({ framework: pytorch, replicas: { Worker: 3 } }).actions.map(({ verb }) => verb);
  expect(verbs.lastIndexOf('create') - verbs.indexOf('create')).toBe(5);
});
