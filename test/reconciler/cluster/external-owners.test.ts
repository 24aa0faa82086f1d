// Jobs of other managers: relays alone see them, and their heartbeats tell how many came.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ExternalOwners } from '../../../lib/wire/words/observations.ts';
import { heartbeat } from '../../world/reporter.ts';
import { World } from '../../world/world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

const told = (counts: Record<string, number>): ExternalOwners[] =>
  Object.entries(counts).map(([controllerName, count]) => ({ controllerName, count }));

const beat = async (counts: Record<string, number>, session = 'one'): Promise<void> =>
  await heartbeat(world, { digests: [], externalJobs: told(counts) }, { session });

/** What is counted under the reference's name, summed by its label. */
const counted = (): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const { metric, value, dimensions } of world.metrics)
    if (metric === 'job_controller_jobs_by_external_controller_total') {
      const { controller_name: name = '' } = dimensions;
      sums[name] = (sums[name] ?? 0) + value;
    }
  return sums;
};

test('each is counted once, though it is told again every minute, twice, or late', async () => {
  await beat({ 'example.com/a': 2 });
  expect(counted()).toEqual({ 'example.com/a': 2 });
  await beat({ 'example.com/a': 2, 'example.com/b': 1 });
  await beat({ 'example.com/a': 5, 'example.com/b': 1 });
  // One that had been told before.
  await beat({ 'example.com/a': 2 });
  await beat({ 'example.com/a': 5, 'example.com/b': 1 });
  await beat({});
  expect(counted()).toEqual({ 'example.com/a': 5, 'example.com/b': 1 });
});

test('a relay that begins anew counts anew, as a controller does that is started again', async () => {
  await beat({ 'example.com/a': 5 });
  await beat({ 'example.com/a': 4 }, 'another');
  expect(counted()).toEqual({ 'example.com/a': 9 });
});

test('a heartbeat of the sender before that comes late is nothing new, nor is one of a replica that sends again', async () => {
  await beat({ 'example.com/a': 5 });
  await beat({ 'example.com/a': 4 }, 'another');
  await beat({ 'example.com/a': 5 });
  await beat({ 'example.com/a': 4 }, 'another');
  await beat({});
  await beat({ 'example.com/a': 6 });
  expect(counted()).toEqual({ 'example.com/a': 10 });
});

test('R15: names that somebody makes up, session after session, are no new metrics for ever', async () => {
  for (const session of ['one', 'two', 'three'])
    await beat(Object.fromEntries(Array.from({ length: 20 }, (_none, at) => [`example.com/${session}-${at}`, 1])), session);
  const sums = counted();
  expect(Object.keys(sums)).toHaveLength(21);
  expect(sums['other']).toBe(40);
});

test('two heartbeats at once: what the one kept, the other does not count again', async () => {
  await Promise.all([beat({ 'example.com/a': 3 }), beat({ 'example.com/a': 3 })]);
  expect(counted()).toEqual({ 'example.com/a': 3 });
});
