// The life of a workload whose kind is not Job: pods at names that are taken again, a service for each, a config map with what runs.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { allOf, ensembleOf, openEnsembleWorld, playing, podNamed, eventsOf } from '../../world/kinds/ensemble/world.ts';
import { CONFIG_MAPS, ENSEMBLES, SERVICES } from '../../world/kinds/ensemble/ensemble.ts';
import { expectQuiet } from '../../world/right.ts';
import type { World } from '../../world/world.ts';

let world: World;
beforeEach(async () => {
  world = await openEnsembleWorld();
});
afterEach(() => world.close());

const TRIO = ['demo-strings-0', 'demo-strings-1', 'demo-winds-0'];

describe('from its creation to its end', () => {
  test('pods, services and the order follow; its end is counted once, and what it needs no more goes', async () => {
    const owner = await playing(world);
    expect(owner.status).toMatchObject({ phase: 'Playing', ready: { strings: 2, winds: 1 }, restarts: 0 });
    expect(await allOf(world)).toEqual({ pods: TRIO, services: TRIO, order: TRIO });

    for (const name of TRIO.slice(0, 2)) await world.end(await podNamed(world, name), 0);
    await world.elapse(5);
    const { status } = await ensembleOf(world);
    expect(status?.conditions).toMatchObject([{ type: 'Playing' }, { type: 'Complete', status: 'True' }]);
    expect(await allOf(world)).toMatchObject({ pods: TRIO.slice(0, 2), services: [] });
    expect(world.metrics.filter(({ metric }) => metric === 'ensembles_finished_total')).toEqual([
      { metric: 'ensembles_finished_total', value: 1, dimensions: { result: 'Complete' } },
    ]);
    expect(new Set(await eventsOf(world))).toEqual(
      new Set([...TRIO.map((name) => `SuccessfulCreatePod: Created pod: ${name}`), 'EnsembleComplete: restarts: 0']),
    );
    await expectQuiet(world);
  });

  test('a failed pod gives way to another of its name and the next number; the order follows those that run', async () => {
    await playing(world);
    await world.end(await podNamed(world, 'demo-winds-0'), 1);
    await world.elapse(4, { play: false });
    expect((await podNamed(world, 'demo-winds-0')).metadata).toMatchObject({
      annotations: { 'farloop.dev/number': '1' },
      labels: { 'example.com/restarts': '1' },
    });
    expect((await allOf(world)).order).toEqual(TRIO.slice(0, 2));
    expect((await ensembleOf(world)).status).toMatchObject({ restarts: 1, ready: { winds: 0 } });
  });

  test('more failures than it makes good end it', async () => {
    await playing(world, { strings: 1, restartLimit: 1 });
    for (let failure = 0; failure < 2; failure++) {
      await world.end(await podNamed(world, 'demo-strings-0'), 1);
      await world.elapse(4, { play: false });
      for (const pod of await world.pods()) if (pod.status?.phase === 'Pending') await world.startPod(pod);
      await world.elapse(4, { play: false });
    }
    expect((await ensembleOf(world)).status).toMatchObject({ phase: 'Failed', restarts: 2 });
    expect((await eventsOf(world)).filter((event) => event.startsWith('EnsembleFailed'))).toHaveLength(1);
  });

  test('a suspended one has no pods', async () => {
    await playing(world);
    await world.as('PATCH', ENSEMBLES, {
      namespace: 'default',
      name: 'demo',
      type: 'application/merge-patch+json',
      body: { spec: { suspend: true } },
    });
    await world.elapse(5);
    expect(await allOf(world)).toEqual({ pods: [], services: TRIO, order: [] });
    expect((await ensembleOf(world)).status?.phase).toBe('Suspended');
  });
});

describe('what stands beside the pods', () => {
  test('a deleted service comes back', async () => {
    await playing(world);
    await world.as('DELETE', SERVICES, { namespace: 'default', name: 'demo-winds-0' });
    expect((await allOf(world)).services).toHaveLength(2);
    await world.elapse(3, { play: false });
    expect((await allOf(world)).services).toEqual(TRIO);
  });

  test('trap 1: a service whose label was taken off is read by name, and gets it back: it was never gone', async () => {
    await playing(world);
    const serviceOf = async () => (await world.all(SERVICES)).find(({ metadata }) => metadata.name === 'demo-winds-0')?.metadata;
    const before = await serviceOf();
    await world.as('PATCH', SERVICES, {
      namespace: 'default',
      name: 'demo-winds-0',
      type: 'application/merge-patch+json',
      body: { metadata: { labels: { 'example.com/ensemble': null } } },
    });
    const writes = world.cluster.writes.length;
    await world.elapse(3, { play: false });
    expect(world.cluster.writes.slice(writes).map(({ verb, plural, name }) => `${verb} ${plural} ${name}`)).toEqual([
      'patch services demo-winds-0',
    ]);
    expect(await serviceOf()).toMatchObject({ uid: before?.uid, labels: { 'example.com/ensemble': 'demo' } });
    // No tombstone: it is deleted for good later on, and made once more.
    await world.as('DELETE', SERVICES, { namespace: 'default', name: 'demo-winds-0' });
    await world.elapse(3, { play: false });
    expect(await serviceOf()).toMatchObject({ labels: { 'example.com/ensemble': 'demo' } });
    await expectQuiet(world);
  });

  test('what somebody writes into the order is put right', async () => {
    await playing(world);
    await world.as('PATCH', CONFIG_MAPS, {
      namespace: 'default',
      name: 'demo-order',
      type: 'application/merge-patch+json',
      body: { data: { order: 'somebody-else' } },
    });
    await world.elapse(3, { play: false });
    expect((await allOf(world)).order).toEqual(TRIO);
  });
});
