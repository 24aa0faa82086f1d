// Pods and services that nobody controls, and a training job with their labels, through relay and loop.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { pytorch } from '../../lib/kinds/training/frameworks/pytorch.ts';
import { JOB_NAME, slotLabels } from '../../lib/kinds/training/names/slots.ts';
import type { KubernetesObject, ObjectMeta, OwnerReference } from '../../lib/objects/kubernetes.ts';
import { PODS, SERVICES } from '../../lib/objects/resources.ts';
import { aTorch, aTrainingWorld } from '../world/kinds/training/world.ts';
import type { World } from '../world/world.ts';

let world: World;
beforeEach(async () => {
  world = aTrainingWorld(pytorch);
  await world.startRelay();
});
afterEach(() => world.close());

const metadataOf = (type: string, index: number, name: string, more: ObjectMeta = {}): ObjectMeta => ({
  name,
  labels: slotLabels(pytorch, 'torch', { type, index }),
  ...more,
});
const makePod = async (metadata: ObjectMeta): Promise<KubernetesObject> =>
  await world.as('POST', PODS, {
    namespace: 'default',
    body: { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'pytorch', image: 'example.com/train' }] } },
  });
const makeService = async (metadata: ObjectMeta): Promise<KubernetesObject> =>
  await world.as('POST', SERVICES, {
    namespace: 'default',
    body: { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: 'None', ports: [{ name: 'pytorchjob-port', port: 23456 }] } },
  });
/** `name uid controller`, by name. */
async function standing(resource: typeof PODS): Promise<string[]> {
  const all = await world.all(resource);
  return all
    .map(({ metadata: { name, uid, ownerReferences = [] } }) => `${name} ${uid} ${ownerReferences.map(({ name: owner }) => owner).join()}`)
    .toSorted();
}
const controlledBy = async (resource: typeof PODS, name: string, owner: string): Promise<boolean> =>
  (await world.all(resource)).some(
    ({ metadata }) => metadata.name === name && metadata.ownerReferences?.some((reference) => reference.name === owner),
  );

describe('adoption', () => {
  test('what an earlier job of the name left is taken over as it is; a foreign pod with the labels is not', async () => {
    const elsewhere: OwnerReference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid: 'elsewhere', controller: true };
    const master = await makePod(metadataOf('Master', 0, 'torch-master-0'));
    const service = await makeService(metadataOf('Worker', 0, 'torch-worker-0'));
    const further = await makeService(metadataOf('Worker', 7, 'torch-worker-7'));
    const foreign = await makePod(metadataOf('Worker', 1, 'of-a-set', { ownerReferences: [elsewhere] }));
    await world.apply(aTorch({ Master: 1, Worker: 1 }));
    await world.until(async () => (await world.all(SERVICES)).length === 2, { seconds: 30, play: false });

    expect(await standing(PODS)).toEqual([
      `of-a-set ${foreign.metadata.uid} set`,
      `torch-master-0 ${master.metadata.uid} torch`,
      expect.stringMatching(/^torch-worker-0 \S+ torch$/),
    ]);
    // That of a slot which the job does not have is adopted, and then removed as any service of its own would be.
    const services = await standing(SERVICES);
    expect(services).toEqual([expect.stringMatching(/^torch-master-0 \S+ torch$/), `torch-worker-0 ${service.metadata.uid} torch`]);
    expect(services.join(' ')).not.toContain(further.metadata.uid);
  });

  test('a pod that comes while the job runs is told of by the relay', async () => {
    await world.apply(aTorch({ Master: 1 }, { suspend: true }));
    await world.elapse(5, { play: false });
    await makePod(metadataOf('Master', 0, 'torch-master-0'));
    // A suspended job has no pods: it is adopted, and deleted.
    await world.until(async () => (await world.pods()).length === 0, { seconds: 30 });
    expect(await world.pods()).toEqual([]);
  });

  test('one of its pods and one of its services that lose the label are let go, and stay', async () => {
    await world.apply(aTorch({ Master: 1, Worker: 1 }));
    await world.until(async () => (await world.all(SERVICES)).length === 2, { seconds: 30, play: false });
    const off = { metadata: { labels: { [JOB_NAME]: null } } };
    for (const resource of [PODS, SERVICES])
      await world.as('PATCH', resource, {
        namespace: 'default',
        name: 'torch-worker-0',
        body: off,
        type: 'application/merge-patch+json',
      });
    const isFree = async (): Promise<boolean> =>
      !(await controlledBy(PODS, 'torch-worker-0', 'torch')) && !(await controlledBy(SERVICES, 'torch-worker-0', 'torch'));
    await world.until(isFree, { seconds: 60, play: false });
    expect(await isFree()).toBe(true);
    expect((await standing(PODS)).map((line) => line.split(' ')[0])).toEqual(['torch-master-0', 'torch-worker-0']);
  });
});
