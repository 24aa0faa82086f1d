// A Job of 2,500 indexes through the whole loop: waves, the view in chunks, texts as intervals, few statuses, exact counts.
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { JOBS } from '../../lib/objects/resources.ts';
import { playLarge } from '../world/large.ts';
import { aJob, World } from '../world/world.ts';

jest.setTimeout(300_000);

let world: World;
afterEach(() => world.close());

const statusWrites = (): number => world.cluster.writes.filter(({ subresource }) => subresource === 'status').length;

describe('a large Job', () => {
  test('starts in waves, is counted as intervals, and its status is hardly written more often than there are waves', async () => {
    const indexes = 2_500;
    world = new World({ writesPerSecond: 100_000 });
    await world.watch();
    await world.apply(aJob('large', { completions: indexes, parallelism: indexes, completionMode: 'Indexed' }));
    const texts = new Set<string>();
    let finished: Job | undefined;
    await world.until(
      async () => {
        await playLarge(world);
        const job = await world.job('large');
        texts.add(job.status?.completedIndexes ?? '');
        if (isJobFinished(job)) finished = job;
        return finished !== undefined && (await world.report()) === 0;
      },
      { seconds: 200, play: false },
    );
    expect(finished?.status).toMatchObject({ succeeded: indexes, completedIndexes: `0-${indexes - 1}` });
    expect(finished?.status?.failed).toBeUndefined();
    expect(Math.max(...[...texts].map((text) => text.length))).toBeLessThan(200);
    // Every pod is created once and let go once.
    const writes = world.cluster.writes.filter(({ plural }) => plural === 'pods');
    expect(writes.filter(({ verb }) => verb === 'create')).toHaveLength(indexes);
    expect(new Set(writes.filter(({ verb }) => verb === 'create').map(({ name }) => name)).size).toBe(indexes);
    expect(writes.filter(({ verb }) => verb === 'patch')).toHaveLength(indexes);
    const waves = world.passes.filter(({ actions }) => actions.some(({ verb }) => verb === 'create'));
    for (const { actions } of waves)
      expect(actions.filter(({ verb }) => verb === 'create').reduce((sum, { count }) => sum + (count ?? 1), 0)).toBeLessThanOrEqual(500);
    expect(waves.length).toBeGreaterThanOrEqual(indexes / 500);
    expect(statusWrites()).toBeLessThanOrEqual(waves.length + 2);
  });

  test('is taken down in one go when it is suspended, and counts what had succeeded', async () => {
    const indexes = 400;
    world = new World({ writesPerSecond: 100_000 });
    await world.watch();
    await world.apply(aJob('large', { completions: indexes, parallelism: indexes, completionMode: 'Indexed' }));
    await world.until(() => world.cluster.writes.filter(({ verb }) => verb === 'create').length === indexes, { play: false });
    await playLarge(world);
    await world.until(() => true, { play: false, seconds: 10 });
    await world.as('PATCH', JOBS, {
      namespace: 'default',
      name: 'large',
      body: { spec: { suspend: true } },
      type: 'application/merge-patch+json',
    });
    await world.until(async () => (await world.job('large')).status?.active === undefined, { play: false });
    const { status } = await world.job('large');
    expect(status?.conditions).toMatchObject([{ type: 'Suspended', status: 'True' }]);
    expect(status?.failed).toBeUndefined();
  });
});
