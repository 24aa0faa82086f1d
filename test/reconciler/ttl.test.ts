// TTL after finished through the whole loop: its own delayed wakes, a live look before the deletion, preconditions.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import { TerminalError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import { LONGEST_DELAY_SECONDS } from '../../lib/reconciler/head/wake.ts';
import { aJob, conditionsOf, World, type WorldOptions } from '../world/world.ts';

let world: World;
afterEach(() => world.close());

async function finished(ttlSecondsAfterFinished: number, options: WorldOptions = {}): Promise<void> {
  world = new World(options);
  await world.watch();
  await world.apply(aJob('demo', { completions: 2, parallelism: 2, ttlSecondsAfterFinished }));
  await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'));
}

const jobs = async (): Promise<Job[]> => (await world.as<{ items: Job[] }>('GET', JOBS, { namespace: 'default' })).items;
const isGone = async (): Promise<boolean> => (await jobs()).length === 0 && (await world.pods()).length === 0;
const endOf = (job: Job): number => Date.parse(job.status?.completionTime ?? '');
const change = async (spec: object): Promise<void> =>
  await world.as('PATCH', JOBS, { namespace: 'default', name: 'demo', body: { spec }, type: 'application/merge-patch+json' });

describe('TTL after finished', () => {
  test('R13: a deletion that is refused is tried later and later', async () => {
    await finished(5);
    let tries = 0;
    world.interposer = ({ port, method, args, phase }) => {
      if (port !== 'cluster' || method !== 'delete' || args[0] !== JOBS || phase !== 'before') return;
      tries += 1;
      throw new TerminalError('denied by a webhook', { code: 403 });
    };
    await world.elapse(125);
    expect(tries).toBeGreaterThan(5);
    expect(tries).toBeLessThanOrEqual(16);
    world.interposer = undefined;
    await world.until(isGone, { seconds: 70 });
  });

  test.each([
    { webhook: 'that refuses', answer: () => new TerminalError('denied by a webhook', { code: 403 }) },
    { webhook: 'that cannot be called', answer: () => new UnknownOutcomeError('failed calling webhook: HTTP status 500') },
  ])('finalizers that stay on for a webhook $webhook keep no Job that has expired from being deleted', async ({ answer }) => {
    world = new World();
    world.interposer = ({ port, method, args, phase }) => {
      if (port !== 'cluster' || method !== 'patch' || args[0] !== PODS || phase !== 'before') return;
      throw answer();
    };
    await world.watch();
    await world.apply(aJob('demo', { completions: 2, parallelism: 2, ttlSecondsAfterFinished: 5 }));
    const isDeleted = async (): Promise<boolean> => (await jobs()).every(({ metadata }) => metadata.deletionTimestamp !== undefined);
    await world.until(isDeleted, { seconds: 240 });
    expect(await jobs()).toHaveLength(1);
    world.interposer = undefined;
    await world.until(isGone, { seconds: 70 });
  });

  test('R11, R12: the Job and its pods go when the time is over by the cluster clock, not before; then it is forgotten', async () => {
    await finished(30, { clusterAheadMs: 7_000 });
    const expiresAtMs = endOf(await world.job('demo')) + 30_000;
    let deletedAtMs = 0;
    await world.until(
      async () => {
        if (deletedAtMs === 0 && (await jobs()).every(({ metadata }) => metadata.deletionTimestamp !== undefined))
          deletedAtMs = world.clusterNowMs();
        return await isGone();
      },
      { seconds: 60 },
    );
    expect(deletedAtMs).toBeGreaterThanOrEqual(expiresAtMs);
    expect(deletedAtMs).toBeLessThanOrEqual(expiresAtMs + 3_000);
    await world.until(async () => (await world.store.workloads('west', { limit: 10 })).keys.length === 0);
  });

  test('TTL 0: at once', async () => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo', { ttlSecondsAfterFinished: 0 }));
    await world.until(isGone, { seconds: 20 });
    expect(world.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('R11: one beyond the reach of a queued message waits in the due-time index, and sweep finds it', async () => {
    const ttl = LONGEST_DELAY_SECONDS + 300;
    await finished(ttl);
    await world.elapse(5);
    const due = endOf(await world.job('demo')) + ttl * 1000;
    expect(await world.store.dueBefore(due + 1_000, 10)).toHaveLength(1);
    expect((await world.queue.depth('timers')).delayed).toBe(0);
    await world.elapse(ttl - 60);
    expect(await jobs()).toHaveLength(1);
    await world.until(isGone, { seconds: 240 });
  });

  test('R10: a TTL raised behind its back is seen by the live look before the deletion', async () => {
    await finished(20);
    world.keepBack('Job');
    await change({ ttlSecondsAfterFinished: 60 });
    await world.elapse(40);
    expect(await jobs()).toHaveLength(1);
    expect(world.cluster.calls.filter(({ verb, plural }) => verb === 'delete' && plural === 'jobs')).toEqual([]);
    await world.until(isGone, { seconds: 60 });
  });

  test('R8: one raised between that look and the deletion is kept', async () => {
    await finished(10);
    const raised = { done: false };
    world.interposer = async ({ port, method, args, phase }) => {
      if (raised.done || port !== 'cluster' || method !== 'delete' || args[0] !== JOBS || phase !== 'before') return;
      raised.done = true;
      await change({ ttlSecondsAfterFinished: 600 });
    };
    await world.elapse(30);
    expect(raised.done).toBe(true);
    expect((await world.job('demo')).metadata.deletionTimestamp).toBeUndefined();
  });

  test('a TTL given after the end counts from the end', async () => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo'));
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'));
    await world.elapse(30);
    await change({ ttlSecondsAfterFinished: 20 });
    await world.until(isGone, { seconds: 10 });
    expect(await jobs()).toEqual([]);
  });

  test('R1: a table that was lost costs no more than a list', async () => {
    await finished(60);
    await world.elapse(5);
    world.store.wipe();
    world.wipeQueue();
    await change({ ttlSecondsAfterFinished: 40 });
    await world.until(isGone, { seconds: 90 });
    expect(await jobs()).toEqual([]);
  });
});
