// R3: an API server that was restored from an older state is noticed, and everything is read anew; a merely lagging answer is not one.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { JOBS, PODS } from '../../../lib/objects/resources.ts';
import { isJobFinished } from '../../../lib/kinds/job/terms/owner-facts.ts';
import { ThrottledError } from '../../../lib/ports/errors.ts';
import { readView } from '../../../lib/reconciler/view/view-access.ts';
import { decodeAsk } from '../../../lib/wire/messages.ts';
import { heartbeat, relist } from '../../world/reporter.ts';
import { expectCompleted, expectQuiet, runToEnd } from '../../world/right.ts';
import { aJob, CLUSTER, World } from '../../world/world.ts';

let world: World;
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'farloop-restored-'));
  world = new World({ apiFolder: join(root, 'api') });
});
afterEach(() => {
  world.close();
  rmSync(root, { recursive: true, force: true });
});

const keepCopy = (): Promise<void> => world.whileApiIsDown((folder) => cpSync(folder, join(root, 'copy'), { recursive: true }));
const putBack = (): Promise<void> =>
  world.whileApiIsDown((folder) => {
    rmSync(folder, { recursive: true });
    cpSync(join(root, 'copy'), folder, { recursive: true });
  });
const touch = (name: string): Promise<unknown> =>
  world.as('PATCH', JOBS, {
    namespace: 'default',
    name,
    body: { metadata: { labels: { touched: String(world.clock.nowMs()) } } },
    type: 'application/merge-patch+json',
  });
const asks = async (): Promise<unknown[]> =>
  (await world.queue.receive(`relay-${CLUSTER}`, { max: 10, waitSeconds: 0, visibilitySeconds: 600 })).map(({ body }) => decodeAsk(body));

/** A heartbeat a minute: what differs is looked up. */
async function notice(): Promise<void> {
  for (let minute = 0; minute < 3 && world.record.era === 0; minute++) {
    await heartbeat(world);
    await world.elapse(60, { play: false });
  }
  expect(world.record.era).toBe(1);
}

/** The Job's pass notices by itself, once; after a list of the new era its four pods succeed, two at a time. */
async function expectNewEraToComplete(): Promise<void> {
  await world.until(() => world.record.era === 1, { seconds: 10 });
  await relist(world);
  await runToEnd(world, 'demo');
  await expectCompleted(world, 'demo', { succeeded: 4, mostActive: 2 });
  expect(world.record.era).toBe(1);
}

async function finished(): Promise<boolean> {
  const pods = await world.pods();
  return isJobFinished(await world.job('demo')) && pods.every(({ metadata }) => !metadata.finalizers?.length);
}

describe('R3: an API server restored from an older state', () => {
  test.each([
    { name: 'NonIndexed', spec: { completions: 6, parallelism: 2 } },
    { name: 'Indexed', spec: { completions: 30, parallelism: 10, completionMode: 'Indexed' as const } },
  ])('R3: a $name Job goes on from what the server shows, and the era is raised once', async ({ spec }) => {
    await world.watch();
    await world.apply(aJob('demo', spec));
    await world.until(async () => ((await world.job('demo')).status?.active ?? 0) >= 2, { play: false });
    await keepCopy();
    await world.until(async () => ((await world.job('demo')).status?.succeeded ?? 0) >= spec.completions / 2);
    await world.elapse(3);
    // The floor is far above what the restored server is at.
    await relist(world);
    await world.elapse(2);
    await putBack();
    expect((await world.job('demo')).status?.succeeded ?? 0).toBe(0);
    world.loseHeard();
    // The relay has not noticed: it goes on in the era that its session began in.
    await notice();
    await world.elapse(1, { play: false });
    // Floors of the earlier era keep nothing out of the view.
    const head = await world.store.readHead(await world.keyOf('demo'));
    const view = head && (await readView(world.store, head, 1));
    expect(view?.hasMissingItem).toBe(false);
    expect([...(view?.part.children ?? [])].flatMap(([uid, { presence }]) => (presence === 'there' ? [uid] : [])).toSorted()).toEqual(
      (await world.pods()).map(({ metadata }) => metadata.uid ?? '').toSorted(),
    );
    expect(await asks()).toContainEqual({ ask: 'everything', era: 1 });
    expect(world.metrics.filter(({ metric }) => metric === 'ErasRaised')).toHaveLength(1);
    expect(world.log).toContainEqual(expect.objectContaining({ level: 'error', message: expect.stringContaining('restored') as unknown }));
    await relist(world);
    await world.until(finished, { seconds: 240 });
    expect(await world.job('demo')).toMatchObject({ status: { succeeded: spec.completions } });
    expect(await world.pods()).toHaveLength(spec.completions);
    expect(world.record.era).toBe(1);
    await expectQuiet(world, 2);
  });

  test('R3: a workload that the restored server does not know is forgotten, and one that it knows again runs', async () => {
    await world.watch();
    await world.apply(aJob('old', { completions: 1, parallelism: 1 }));
    await world.elapse(2, { play: false });
    await keepCopy();
    await world.apply(aJob('young', { completions: 3, parallelism: 3 }));
    await world.elapse(20, { play: false });
    await relist(world);
    await world.run();
    const key = await world.keyOf('young');
    expect(await world.store.readHead(key)).toBeDefined();
    await putBack();
    await relist(world);
    await world.until(() => world.record.era === 1, { play: false, seconds: 5 });
    await relist(world);
    await runToEnd(world, 'old');
    await world.elapse(65);
    expect(await world.store.readHead(key)).toBeUndefined();
  });

  test('R3: that a Job fails is forgotten with the pods that had failed', async () => {
    await world.watch();
    await world.apply(aJob('demo', { completions: 4, parallelism: 4, backoffLimit: 1, podReplacementPolicy: 'Failed' }));
    await world.elapse(2, { play: false });
    for (const pod of await world.pods()) await world.startPod(pod);
    const [leaving, ...others] = await world.pods();
    await world.as('DELETE', PODS, { namespace: 'default', name: leaving?.metadata.name ?? '' });
    await world.elapse(20, { play: false });
    await keepCopy();
    let isThrottled = false;
    world.interposer = ({ port, method, args, phase }) => {
      if (port !== 'cluster' || method !== 'delete' || args[0] !== PODS || phase !== 'before') return;
      isThrottled = true;
      throw new ThrottledError('too many requests', { retryAfterSeconds: 60 });
    };
    for (const pod of others.slice(0, 2)) await world.end(pod, 1);
    await world.until(() => isThrottled, { play: false });
    world.interposer = undefined;
    await relist(world);
    await world.settle();
    await putBack();
    world.loseHeard();
    await notice();
    await relist(world);
    await world.until(finished, { seconds: 240 });
    expect(await world.job('demo')).toMatchObject({ status: { succeeded: 4 } });
  });

  // The server was set back and has counted on since: lists and watches look as ever, but an object is not what a list of that version showed.
  test('R3: a Job in another version than a list as late showed is of a restored server', async () => {
    await world.watch();
    await world.apply(aJob('demo', { completions: 4, parallelism: 2 }));
    await world.elapse(1, { play: false });
    const { metadata, ...rest } = await world.job('demo');
    const heardAt = String(BigInt(metadata.resourceVersion ?? '0') + 40n);
    const owner = { kind: 'Job' as const, namespace: 'default', name: 'demo', uid: metadata.uid ?? '' };
    await world.send([{ owner, observed: { heardAt, deleted: false, object: { metadata, ...rest } }, children: [] }]);
    await touch('demo');
    await expectNewEraToComplete();
  });

  test('R3: a pod that is created below the version of a list is of a restored server, and none is made in its place', async () => {
    await world.watch();
    await world.apply(aJob('demo', { completions: 4, parallelism: 2 }));
    let lists = 0;
    world.cluster.rewrite = ({ verb, plural }, answer) => {
      if (verb !== 'list' || plural !== 'pods' || lists > 0) return answer;
      lists += 1;
      const { metadata, ...list } = answer as { metadata: { resourceVersion: string } };
      return { ...list, metadata: { resourceVersion: String(BigInt(metadata.resourceVersion) + 4n) } };
    };
    await expectNewEraToComplete();
  });

  test('R3: what a relay session of an earlier era says is dropped, and the relay is asked again', async () => {
    await world.watch();
    world.record = { ...world.record, era: 2 };
    await world.apply(aJob('demo'));
    await world.settle();
    const job = await world.job('demo');
    const owner = { kind: 'Job' as const, namespace: 'default', name: 'demo', uid: job.metadata.uid ?? '' };
    await world.send([{ owner, observed: { heardAt: job.metadata.resourceVersion ?? '', deleted: false, object: job }, children: [] }], {
      era: 1,
    });
    await world.ingest();
    expect(await world.store.readHead(await world.keyOf('demo'))).toBeUndefined();
    await heartbeat(world, {}, { era: 1 });
    expect(await asks()).toEqual([{ ask: 'everything', era: 2 }]);
  });

  test('R3: one answer that lags is not a restored server', async () => {
    await world.watch();
    await world.apply(aJob('demo', { completions: 10, parallelism: 2 }));
    await world.elapse(2);
    const old = await world.job('demo');
    await world.elapse(1);
    let lagged = 0;
    world.cluster.rewrite = ({ verb, plural }, answer) => {
      if (lagged > 0 || verb !== 'get' || plural !== 'jobs') return answer;
      lagged += 1;
      return old;
    };
    await touch('demo');
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 10, mostActive: 2 });
    expect(lagged).toBe(1);
    expect(world.record.era).toBe(0);
  });
});
