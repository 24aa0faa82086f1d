// Two workloads of different kinds may have one name in one namespace.
import { afterEach, expect, test } from '@jest/globals';
import { pytorch } from '../../lib/kinds/training/frameworks/pytorch.ts';
import { mpi } from '../../lib/kinds/training/frameworks/mpi.ts';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import type { Job, Pod } from '../../lib/objects/kubernetes.ts';
import { controllerOf } from '../../lib/objects/pods/pod-facts.ts';
import { decodeState } from '../../lib/reconciler/head/pass-state.ts';
import { definedRows } from '../sandbox/defined-rows.ts';
import { aJobOf } from '../world/kinds/training/world.ts';
import { aJob, World } from '../world/world.ts';

const NAME = 'same';
let world: World;
afterEach(() => world.close());

test('each head keeps its own kind’s part, and each workload has its own pods', async () => {
  world = new World({ manages: ['all-jobs', 'training-jobs'], rows: [...definedRows('MPIJob'), ...definedRows('PyTorchJob')] });
  await world.apply(aJobOf(mpi, NAME, { replicas: { Launcher: 1, Worker: 1 } }));
  await world.apply(aJobOf(pytorch, NAME, { replicas: { Master: 1 } }));
  await world.apply(aJob(NAME, { completions: 1, parallelism: 1 }));
  await world.startRelay();
  await world.elapse(10);
  const keptOf = async (kind: string): Promise<object | undefined> => {
    const head = await world.store.readHead(await world.keyOf(NAME, kind));
    return head && decodeState(head.state)?.kept;
  };
  expect(await keptOf('MPIJob')).toMatchObject({ checked: { hasOwnAccount: true } });
  const torch = await keptOf('PyTorchJob');
  expect(torch).toMatchObject({ checked: { generation: 1 } });
  expect(torch).not.toHaveProperty('checked.hasOwnAccount');
  expect(await keptOf('Job')).toBeUndefined();
  const owners = (await world.all<Pod>(PODS)).map(({ metadata }) => controllerOf(metadata.ownerReferences)?.kind);
  expect(new Set(owners)).toEqual(new Set(['Job', 'MPIJob', 'PyTorchJob']));
  const { status } = await world.as<Job>('GET', JOBS, { namespace: 'default', name: NAME });
  expect(status?.active ?? 0).toBe(1);
});
