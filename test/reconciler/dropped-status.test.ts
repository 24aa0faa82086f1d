// A definition that drops the status which Farloop writes: it is named, and not fought.
import { afterEach, expect, test } from '@jest/globals';
import { pytorch } from '../../lib/kinds/training/frameworks/pytorch.ts';
import { fieldsOf, listOf } from '../../lib/objects/values/untyped-fields.ts';
import { aTorch, aTrainingWorld } from '../world/kinds/training/world.ts';
import type { World } from '../world/world.ts';

let world: World;
afterEach(() => world.close());

test.each([
  {
    name: 'its schema has no status',
    change: (spec: Record<string, unknown>) => {
      for (const version of listOf(spec['versions'])) {
        const { properties } = fieldsOf(fieldsOf(version['schema'])['openAPIV3Schema']);
        delete fieldsOf(properties)['status'];
      }
    },
    why: /pytorchjobs\.kubeflow\.org drops the status that Farloop writes \(.*conditions.*\): apply one that keeps it/,
  },
  {
    name: 'it has no subresource status',
    change: (spec: Record<string, unknown>) => {
      for (const version of listOf(spec['versions'])) delete version['subresources'];
    },
    why: /pytorchjobs\.kubeflow\.org drops the status that Farloop writes \(there is no subresource status\)/,
  },
])('$name: the job is parked with a reason, and its status is written seldom', async ({ change, why }) => {
  world = aTrainingWorld(pytorch, change);
  await world.startRelay();
  await world.apply(aTorch({ Master: 1, Worker: 1 }));
  await world.elapse(120, { play: false });
  const { passes } = world;
  expect(passes.filter(({ outcome }) => outcome === 'parked').flatMap(({ why: reasons }) => reasons)).toContainEqual(
    expect.stringMatching(why),
  );
  const writes = passes.flatMap(({ actions }) => actions).filter(({ verb }) => verb === 'status');
  expect(writes.length).toBeLessThanOrEqual(8);
});
