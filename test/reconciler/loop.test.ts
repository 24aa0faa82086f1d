// The loop against the real API server stand-in, queue and store: what is seen at the API.
import { afterEach, describe, expect, test } from '@jest/globals';
import { aJob, conditionsOf, World } from '../world/world.ts';

let world: World;
afterEach(() => world.close());

async function begin(): Promise<World> {
  world = new World();
  await world.watch();
  return world;
}

describe('a Job from start to end', () => {
  test('NonIndexed: runs to Complete, every pod counted once, no finalizer left, nothing afterwards (R16)', async () => {
    await begin();
    await world.apply(aJob('demo', { completions: 5, parallelism: 2 }));
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'));
    await world.until(async () => (await world.pods()).every(({ metadata }) => metadata.finalizers === undefined));
    const job = await world.job('demo');
    expect(job.status).toMatchObject({ succeeded: 5, uncountedTerminatedPods: {} });
    expect(job.status?.failed).toBeUndefined();
    expect(await world.pods()).toHaveLength(5);
    await world.until(() => true);
    const writes = world.cluster.writes.length;
    const passes = world.passes.length;
    for (let minute = 0; minute < 10; minute++) {
      await world.clock.advance(60_000);
      await world.report();
      await world.run();
    }
    expect(world.cluster.writes.length).toBe(writes);
    expect(world.passes.length).toBe(passes);
  });

  test('Indexed with a failure: the index runs again', async () => {
    await begin();
    await world.apply(aJob('demo', { completions: 3, parallelism: 3, completionMode: 'Indexed' }));
    let failed = false;
    await world.until(
      async () => {
        await world.play(({ metadata }) => {
          if (metadata.labels?.['batch.kubernetes.io/job-completion-index'] !== '1' || failed) return 0;
          failed = true;
          return 1;
        });
        return conditionsOf(await world.job('demo')).includes('Complete');
      },
      { play: false },
    );
    const { status } = await world.job('demo');
    expect(status).toMatchObject({ succeeded: 3, failed: 1, completedIndexes: '0-2' });
  });
});
