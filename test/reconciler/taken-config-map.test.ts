// An MPIJob whose config map's name belongs to somebody else, through relay and loop.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mpi } from '../../lib/kinds/training/frameworks/mpi.ts';
import { ROLE_BINDINGS, ROLES } from '../../lib/kinds/training/names/launcher-objects.ts';
import { CONFIG_MAPS, EVENTS, SERVICE_ACCOUNTS } from '../../lib/objects/resources.ts';
import { aJobOf, aTrainingWorld } from '../world/kinds/training/world.ts';
import type { World } from '../world/world.ts';

let world: World;
beforeEach(async () => {
  world = aTrainingWorld(mpi);
  await world.startRelay();
});
afterEach(() => world.close());

test('nothing that would mount or need it is made; once the name is free, everything is', async () => {
  const foreign = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mpi-config' }, data: { whose: 'somebody' } };
  await world.as('POST', CONFIG_MAPS, { namespace: 'default', body: foreign });
  await world.apply(aJobOf(mpi, 'mpi', { replicas: { Launcher: 1, Worker: 2 } }));
  const told = async (): Promise<boolean> =>
    (await world.all(EVENTS)).some((event) => 'reason' in event && event.reason === 'ErrResourceExists');
  await world.until(told, { seconds: 30, play: false });
  await world.elapse(30, { play: false });
  const countOf = async (): Promise<number[]> => [
    (await world.pods()).length,
    (await world.all(ROLES)).length,
    (await world.all(ROLE_BINDINGS)).length,
    (await world.all(SERVICE_ACCOUNTS)).length,
  ];
  expect(await countOf()).toEqual([0, 0, 0, 1]);
  // The reason that a person reads of a parked job is what the person must mend, and nothing else.
  const parked = world.passes.filter(({ outcome }) => outcome === 'parked').map(({ why }) => why.at(-1));
  expect(new Set(parked)).toEqual(new Set(['Resource "mpi-config" of MPIJobKind "ConfigMap" already exists and is not managed by MPIJob']));
  expect(await world.all(CONFIG_MAPS)).toMatchObject([{ data: { whose: 'somebody' } }]);

  await world.as('DELETE', CONFIG_MAPS, { namespace: 'default', name: 'mpi-config' });
  await world.until(async () => (await world.pods()).length === 3, { seconds: 60 });
  expect(await countOf()).toEqual([3, 1, 1, 1]);
});
