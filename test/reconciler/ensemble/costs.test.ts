// R16: what a workload with other children than pods costs in writes of the table, and that it costs nothing at rest.
import { expect, test } from '@jest/globals';
import { anEnsemble, ensembleOf, openEnsembleWorld } from '../../world/kinds/ensemble/world.ts';
import { playLarge } from '../../world/large.ts';

/** Of head and view, from creation to end; the cluster's budget is not the workload's. */
async function writeUnitsFor(strings: number): Promise<number> {
  const world = await openEnsembleWorld();
  try {
    await world.apply(anEnsemble('demo', { strings }));
    await world.elapse(3, { play: false });
    for (let step = 0; step < 2; step++) {
      await playLarge(world);
      await world.elapse(6, { play: false });
    }
    expect((await ensembleOf(world)).status).toMatchObject({ phase: 'Complete' });
    const { writeUnits, byOperation } = world.store.meter;
    return writeUnits - (byOperation['putNote']?.writeUnits ?? 0);
  } finally {
    world.close();
  }
}

test.each([
  // Twelve for the replica with its service, two for the config map, three for the summaries of its start, its work and its end.
  { strings: 1, most: 17 },
  { strings: 256, most: 63 },
])('trap 15: a life of $strings replicas, each with a service, and a config map: $most write units at most', async ({ strings, most }) => {
  expect(await writeUnitsFor(strings)).toBeLessThanOrEqual(most);
});
