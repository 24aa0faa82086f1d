// Trap 1, R19: a label that somebody takes off hides an object from lists and watches, and does not delete it.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Resource } from '../../../lib/objects/resources.ts';
import { PODS } from '../../../lib/objects/resources.ts';
import { CONFIG_MAPS, SERVICES } from '../../world/kinds/ensemble/ensemble.ts';
import { allOf, ensembleOf, openEnsembleWorld, playing } from '../../world/kinds/ensemble/world.ts';
import { expectQuiet } from '../../world/right.ts';
import type { World } from '../../world/world.ts';

let world: World;
beforeEach(async () => {
  world = await openEnsembleWorld();
  await playing(world);
});
afterEach(() => world.close());

const metadataOf = async (resource: Resource, name: string) =>
  (await world.all(resource)).find(({ metadata }) => metadata.name === name)?.metadata;

async function unlabel(resource: Resource, name: string): Promise<void> {
  await world.as('PATCH', resource, {
    namespace: 'default',
    name,
    type: 'application/merge-patch+json',
    body: { metadata: { labels: { 'example.com/ensemble': null } } },
  });
}

/** No event tells of the change. */
async function loseEvents(): Promise<void> {
  await world.settle();
  world.loseHeard();
}

const LOSSES = [
  {
    name: 'events and head are lost',
    lose: async () => {
      await loseEvents();
      await world.store.updateHead(await world.keyOf('demo', 'Ensemble'), {}, { era: -1 });
    },
  },
  {
    name: 'events and table are lost',
    lose: async () => {
      await loseEvents();
      world.store.wipe();
    },
  },
  { name: 'nothing is lost', lose: async () => {} },
];

describe.each(LOSSES)('while $name', ({ lose }) => {
  test.each([
    { resource: PODS, name: 'demo-winds-0' },
    { resource: SERVICES, name: 'demo-winds-0' },
    { resource: CONFIG_MAPS, name: 'demo-order' },
  ])('$resource.plural: the object lives on, and nothing is made in its place', async ({ resource, name }) => {
    const before = await metadataOf(resource, name);
    await unlabel(resource, name);
    await lose();
    await world.reconciler.reconcile(await world.keyOf('demo', 'Ensemble'));
    await world.elapse(45, { play: false });
    expect((await metadataOf(resource, name))?.uid).toBe(before?.uid);
    if (resource !== PODS) expect((await metadataOf(resource, name))?.labels).toMatchObject({ 'example.com/ensemble': 'demo' });
    expect((await ensembleOf(world)).status).toMatchObject({ phase: 'Playing', ready: { strings: 2, winds: 1 } });
    expect((await allOf(world)).order).toHaveLength(3);
    expect(world.passes.filter(({ outcome }) => outcome === 'failed' || outcome === 'parked')).toEqual([]);
    await expectQuiet(world, 2);
  });
});
