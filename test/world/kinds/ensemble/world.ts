// Worlds in which ensembles play.
import type { KubernetesObject, Pod } from '../../../../lib/objects/kubernetes.ts';
import { World, type WorldOptions } from '../../world.ts';
import { TEST_ROWS } from '../table.ts';
import { CONFIG_MAPS, ENSEMBLES, SERVICES, type Ensemble } from './ensemble.ts';

/** A world with the tests' kinds, which manages ensembles alone. */
export const anEnsembleWorld = (options: WorldOptions = {}): World => new World({ manages: ['ensembles'], rows: TEST_ROWS, ...options });

/** Its watches are open. */
export async function openEnsembleWorld(options: WorldOptions = {}): Promise<World> {
  const world = anEnsembleWorld(options);
  await world.watch();
  return world;
}

export const anEnsemble = (name: string, spec: Ensemble['spec'] = { strings: 2, winds: 1 }): Ensemble => ({
  apiVersion: ENSEMBLES.apiVersion,
  kind: ENSEMBLES.kind,
  metadata: { name, namespace: 'default' },
  spec,
});

export const ensembleOf = async (world: World, name = 'demo'): Promise<Ensemble> =>
  await world.as<Ensemble>('GET', ENSEMBLES, { namespace: 'default', name });

/** Pods, services and the order, by name. */
export async function allOf(world: World): Promise<{ pods: string[]; services: string[]; order: string[] | undefined }> {
  const names = (objects: readonly KubernetesObject[]): string[] => objects.map(({ metadata }) => metadata.name ?? '').toSorted();
  const [map] = await world.all<KubernetesObject & { data?: { order?: string } }>(CONFIG_MAPS);
  return {
    pods: names(await world.pods()),
    services: names(await world.all(SERVICES)),
    order: map?.data?.order?.split('\n').filter((name) => name !== ''),
  };
}

/** All pods run, and everything beside them follows. */
export async function playing(world: World, spec?: Ensemble['spec'], name = 'demo'): Promise<Ensemble> {
  await world.apply(anEnsemble(name, spec));
  await world.elapse(3, { play: false });
  for (const pod of await world.pods()) if (pod.status?.phase === 'Pending') await world.startPod(pod);
  await world.elapse(6, { play: false });
  return await ensembleOf(world, name);
}

export async function podNamed(world: World, name: string): Promise<Pod> {
  const pod = (await world.pods()).find(({ metadata }) => metadata.name === name);
  if (!pod) throw new Error(`there is no pod ${name}`);
  return pod;
}

/** Its Events, as `reason: message`. */
export const eventsOf = async (world: World): Promise<string[]> => {
  const events = await world.all<KubernetesObject & { reason?: string; note?: string; message?: string }>({
    apiVersion: 'v1',
    kind: 'Event',
    plural: 'events',
    namespaced: true,
  });
  return events.map(({ reason = '', message = '' }) => `${reason}: ${message}`);
};
