// R18: counted once, on evidence no older than the status it is added to.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { JOBS, PODS } from '../../../lib/objects/resources.ts';
import { ConflictError } from '../../../lib/ports/errors.ts';
import { expectCompleted, expectQuiet, runToEnd } from '../../world/right.ts';
import { aJob, conditionsOf, World } from '../../world/world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

const isStatusPatch = ({ verb, subresource }: { verb: string; subresource?: string | undefined }): boolean =>
  verb === 'patch' && subresource === 'status';

/** Somebody else's Farloop: counts the Job's finished pods as the reference does, uncounted stage and all. */
async function countElsewhere(name: string, { until }: { until: 'status' | 'strip' | 'counters' }): Promise<void> {
  const job = await world.job(name);
  const finished = (await world.pods()).filter(
    ({ metadata, status }) => status?.phase === 'Succeeded' && metadata.finalizers?.length && metadata.ownerReferences?.[0]?.name === name,
  );
  const uids = finished.map(({ metadata }) => metadata.uid ?? '');
  const status = async (change: object): Promise<unknown> =>
    world.as('PATCH', JOBS, {
      namespace: 'default',
      name,
      subresource: 'status',
      body: { status: change },
      type: 'application/merge-patch+json',
    });
  const active = (job.status?.active ?? 0) - finished.length;
  await status({ active, ready: 0, uncountedTerminatedPods: { succeeded: uids } });
  if (until === 'status') return;
  for (const { metadata } of finished)
    await world.as('PATCH', PODS, {
      namespace: 'default',
      name: metadata.name ?? '',
      body: { metadata: { finalizers: null } },
      type: 'application/merge-patch+json',
    });
  if (until === 'strip') return;
  await status({ succeeded: (job.status?.succeeded ?? 0) + uids.length, uncountedTerminatedPods: null });
}

describe('R18: the status is not the one we wrote last', () => {
  test.each(['status', 'strip', 'counters'] as const)(
    'R18: another hand counted, as far as the %s: each pod counts once',
    async (until) => {
      await world.apply(aJob('demo', { completions: 8, parallelism: 4 }));
      await world.until(async () => (await world.pods()).filter(({ status }) => status?.phase === 'Running').length === 4, { seconds: 5 });
      await world.play();
      // Nothing of it is told: the view is behind by the pods' ends and by the other hand's writes.
      await countElsewhere('demo', { until });
      await world.settle();
      world.loseHeard();
      await world.elapse(61);
      await runToEnd(world, 'demo');
      await expectCompleted(world, 'demo', { succeeded: 8, mostActive: 4 });
      await expectQuiet(world, 1);
    },
  );

  test('R18: the events of the pods come, those of the status do not', async () => {
    await world.apply(aJob('demo', { completions: 8, parallelism: 4 }));
    await world.until(async () => (await world.pods()).filter(({ status }) => status?.phase === 'Running').length === 4, { seconds: 5 });
    await world.play();
    world.keepBack('Job');
    await countElsewhere('demo', { until: 'counters' });
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 8, mostActive: 4 });
  });

  test('R18: the events of the status come, those of the pods do not', async () => {
    await world.apply(aJob('demo', { completions: 4, parallelism: 4 }));
    await world.until(async () => (await world.pods()).filter(({ status }) => status?.phase === 'Running').length === 4, { seconds: 5 });
    await world.play();
    await world.settle();
    world.loseHeard();
    world.keepBack('Pod');
    await countElsewhere('demo', { until: 'strip' });
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 4, mostActive: 4 });
  });

  test('R18: another hand counted and stripped, and only its status is told: nothing is counted again', async () => {
    await world.apply(aJob('demo', { completions: 8, parallelism: 4 }));
    await world.until(async () => (await world.pods()).filter(({ status }) => status?.phase === 'Running').length === 4, { seconds: 5 });
    await world.play();
    await world.report();
    world.keepBack('Pod');
    await countElsewhere('demo', { until: 'counters' });
    await world.report();
    await world.elapse(2, { play: false });
    expect((await world.job('demo')).status?.succeeded).toBe(4);
    world.tellAgain('Pod');
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 8, mostActive: 4 });
  });

  test('R18: a status write that meets 409 looks at the pods before it counts on', async () => {
    await world.apply(aJob('demo', { completions: 6, parallelism: 3 }));
    let conflicts = 0;
    world.cluster.interference.before = async (call) => {
      if (!isStatusPatch(call) || call.plural !== 'jobs' || conflicts >= 3 || world.podsEver.size < 3) return;
      conflicts += 1;
      // Another hand's write comes between, and says the same; its version is new.
      await world.as('PATCH', JOBS, {
        namespace: 'default',
        name: 'demo',
        body: { metadata: { labels: { touched: String(conflicts) } } },
        type: 'application/merge-patch+json',
      });
    };
    await runToEnd(world, 'demo');
    expect(conflicts).toBe(3);
    await expectCompleted(world, 'demo', { succeeded: 6, mostActive: 3 });
  });

  test('R18: conflicts without end put it off, and nothing is counted meanwhile', async () => {
    await world.apply(aJob('demo', { completions: 2, parallelism: 2 }));
    let isContested = true;
    world.cluster.interference.before = (call) => {
      if (isContested && isStatusPatch(call)) throw new ConflictError('the object has been modified');
    };
    await world.elapse(20);
    expect((await world.job('demo')).status?.succeeded).toBeUndefined();
    expect((await world.pods()).every(({ metadata }) => metadata.finalizers?.length === 1)).toBe(true);
    isContested = false;
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 2, mostActive: 2 });
  });
});

describe('R18: the order of writes', () => {
  test('R18, R1: no finalizer comes off before a status that counts its pod', async () => {
    await world.apply(aJob('demo', { completions: 30, parallelism: 7, backoffLimit: 30 }));
    const early: string[] = [];
    world.cluster.interference.before = async (call) => {
      if (call.verb !== 'patch' || call.plural !== 'pods' || !JSON.stringify(call.body).includes('finalizers')) return;
      const { status } = await world.job('demo');
      const pod = [...world.podsEver.values()].find(({ metadata }) => metadata.name === call.name);
      const { succeeded = [], failed = [] } = status?.uncountedTerminatedPods ?? {};
      const isOver = conditionsOf(await world.job('demo')).some((type) => type === 'Complete' || type === 'Failed');
      if (!isOver && ![...succeeded, ...failed].includes(pod?.metadata.uid ?? '')) early.push(call.name);
    };
    let played = 0;
    await world.until(
      async () => {
        await world.play(() => (++played % 5 === 0 ? 1 : 0));
        return conditionsOf(await world.job('demo')).includes('Complete');
      },
      { play: false, seconds: 900 },
    );
    expect(early).toEqual([]);
  });

  test('R18: a Job of one pod needs four writes: create, start, end, strip', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await runToEnd(world, 'demo');
    expect(world.cluster.writes.map(({ verb, plural, subresource }) => [verb, plural, subresource ?? ''].join(' ').trim())).toEqual([
      'create pods',
      'patch jobs status',
      'patch jobs status',
      'patch pods',
    ]);
  });

  test('R18: a pod that ends in failure is counted once too, and the Job fails with exact counts', async () => {
    await world.apply(aJob('demo', { completions: 3, parallelism: 3, backoffLimit: 1 }));
    await world.until(
      async () => {
        await world.play(() => 1);
        return conditionsOf(await world.job('demo')).includes('Failed');
      },
      { play: false, seconds: 300 },
    );
    await world.until(async () => (await world.pods()).every(({ metadata }) => !metadata.finalizers?.length), { seconds: 60 });
    const { status } = await world.job('demo');
    expect(status?.failed).toBe(world.podsEver.size);
    expect(status?.conditions?.find(({ type }) => type === 'Failed')?.reason).toBe('BackoffLimitExceeded');
    await expectQuiet(world, 1);
  });
});
