// A cluster that is drained: what has begun is finished, nothing is begun until it takes work again.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sweep } from '../../lib/reconciler/sweep.ts';
import { aJob, conditionsOf, World } from '../world/world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

test('a Job that runs is finished, pods that it still needs included; one that comes is held, and runs once the drain is undone', async () => {
  await world.apply(aJob('begun', { completions: 3, parallelism: 1 }));
  await world.report();
  await world.run();
  expect(world.podsEver.size).toBe(1);

  world.record = { ...world.record, draining: true };
  await world.apply(aJob('held', { completions: 1, parallelism: 1 }));
  await world.until(async () => conditionsOf(await world.job('begun')).includes('Complete'));
  expect((await world.job('begun')).status).toMatchObject({ succeeded: 3 });
  expect((await world.job('held')).status ?? {}).toEqual({});
  expect(world.podsEver.size).toBe(3);
  expect(world.passes.some(({ why }) => why.includes('its cluster is drained: work that has begun is finished, none is begun'))).toBe(true);

  const { draining: _draining, ...taking } = world.record;
  world.record = taking;
  await world.elapse(301);
  await world.until(async () => conditionsOf(await world.job('held')).includes('Complete'));
});

test('R13: a credential that cannot be renewed is told of at every sweep, and is no other trouble', async () => {
  const renewCredential = async (): Promise<boolean> => {
    throw new Error('the token of the cluster west ended');
  };
  for (let minute = 1; minute <= 2; minute++) {
    await sweep({ ...world.ports, renewCredential });
    expect(world.metrics.filter(({ metric }) => metric === 'SweepsFinished')).toHaveLength(minute);
    expect(world.metrics.filter(({ metric }) => metric === 'CredentialsNotRenewed')).toHaveLength(minute);
  }
});

test('R13: renewals wait side by side for clusters that do not answer: a sweep of a hundred of them ends in time', async () => {
  const records = Array.from({ length: 100 }, (_, at) => ({ ...world.record, name: `dead-${at}` }));
  const renewCredential = async (): Promise<boolean> => {
    await world.clock.wait(10_000);
    throw new Error('no answer within 10 s');
  };
  const clusters = { ...world.ports.clusters, list: async () => records };
  const swept = sweep({ ...world.ports, clusters, renewCredential });
  for (let second = 0; second < 45; second++) await world.clock.advance(1_000);
  expect(world.metrics.some(({ metric }) => metric === 'SweepsFinished')).toBe(true);
  await swept;
});
