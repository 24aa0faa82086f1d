// R5, R6, R7, R10: what is created once is not created again, whoever holds its name, and on what evidence pods are started.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EVENTS, JOBS, PODS } from '../../../lib/objects/resources.ts';
import { TerminalError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import { podNameOf } from '../../../lib/kinds/job/pods/names.ts';
import { readView } from '../../../lib/reconciler/view/view-access.ts';
import { relist } from '../../world/reporter.ts';
import { expectCompleted, expectQuiet, runToEnd } from '../../world/right.ts';
import { aJob, conditionsOf, World } from '../../world/world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

const foreignPod = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'example.com/none' }] },
});
const patch = (spec: object): Promise<unknown> =>
  world.as('PATCH', JOBS, { namespace: 'default', name: 'demo', body: { spec }, type: 'application/merge-patch+json' });
const namesEver = (): string[] => [...world.podsEver.values()].map(({ metadata }) => metadata.name ?? '');

describe('R5: names', () => {
  test.each([
    { name: 'NonIndexed', spec: { completions: 4, parallelism: 2 }, slot: 1, number: 1 },
    { name: 'Indexed', spec: { completions: 4, parallelism: 2, completionMode: 'Indexed' as const }, slot: 1, number: 0 },
  ])('R5: $name: a foreign pod holds a name: it is left alone, and the next number is taken', async ({ spec, slot, number }) => {
    const job = await world.apply(aJob('demo', spec));
    const taken = podNameOf(job, slot, number);
    await world.as('POST', PODS, { namespace: 'default', body: foreignPod(taken) });
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'));
    await world.elapse(3);
    await expectCompleted(world, 'demo', { succeeded: 4, mostActive: 2 });
    const [foreign] = (await world.pods()).filter(({ metadata }) => metadata.name === taken);
    expect(foreign?.metadata.ownerReferences).toBeUndefined();
    const events = await world.as<{ items: { reason: string; message: string }[] }>('GET', EVENTS, { namespace: 'default' });
    expect(events.items).toContainEqual(
      expect.objectContaining({ reason: 'FailedCreate', message: expect.stringContaining(taken) as unknown }),
    );
    await expectQuiet(world, 2);
  });

  test('R5: AlreadyExists by our own pod settles the create, whatever state that pod is in by then', async () => {
    await world.apply(aJob('demo', { completions: 2, parallelism: 2, completionMode: 'Indexed' }));
    let made = 0;
    world.interposer = async ({ port, method, phase }) => {
      if (port !== 'cluster' || method !== 'create' || phase !== 'after' || ++made > 1) return;
      // It took effect, its answer is lost, and before anybody looks it has run to its end.
      await world.play();
      await world.play();
      world.loseHeard();
      throw new UnknownOutcomeError('no answer in time');
    };
    await runToEnd(world, 'demo');
    expect(made).toBeGreaterThan(1);
    await expectCompleted(world, 'demo', { succeeded: 2, mostActive: 2 });
  });

  test('R5: AlreadyExists by a late create of our own is no trouble and no news for people', async () => {
    await world.apply(aJob('demo', { completions: 3, parallelism: 3 }));
    let late = 0;
    world.cluster.interference.before = async ({ verb, plural, body }) => {
      if (verb !== 'create' || plural !== 'pods' || ++late > 2) return;
      await world.as('POST', PODS, { namespace: 'default', body });
    };
    await world.report();
    await world.run();
    expect(late).toBe(3);
    expect(world.podsEver.size).toBe(3);
    expect(world.passes).toHaveLength(1);
    const { items } = await world.as<{ items: { type: string }[] }>('GET', EVENTS, { namespace: 'default' });
    expect(items.filter(({ type }) => type === 'Warning')).toEqual([]);
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 3, mostActive: 3 });
  });

  test('R10: one that lands when its Job has long ended, its name free again, leaves no pod running and is in no count', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    let sent: object | undefined;
    world.cluster.interference.before = async ({ verb, plural, body }) => {
      if (verb === 'create' && plural === 'pods') sent ??= body as object;
    };
    await runToEnd(world, 'demo');
    const { status } = await world.job('demo');
    const [done] = await world.pods();
    const target = { namespace: 'default', name: done?.metadata.name ?? '' };
    await world.as('DELETE', PODS, target);
    await world.elapse(3);
    await world.as('POST', PODS, { namespace: 'default', body: sent });
    const [late] = await world.pods();
    expect(late?.metadata).toMatchObject({ name: target.name, finalizers: ['batch.kubernetes.io/job-tracking'] });
    await world.until(async () => (await world.pods()).length === 0, { play: false });
    await world.elapse(3);
    expect((await world.job('demo')).status).toEqual(status);
    await expectQuiet(world, 2);
  });

  test('R13: where its deletion is refused it is tried later and later, and the Job is cleaned up when its time is over', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1, ttlSecondsAfterFinished: 200 }));
    let sent: object | undefined;
    world.cluster.interference.before = async ({ verb, plural, body }) => {
      if (verb === 'create' && plural === 'pods') sent ??= body as object;
    };
    await runToEnd(world, 'demo');
    const [done] = await world.pods();
    await world.as('DELETE', PODS, { namespace: 'default', name: done?.metadata.name ?? '' });
    await world.elapse(3);
    let tries = 0;
    world.interposer = ({ port, method, args, phase }) => {
      if (port !== 'cluster' || method !== 'delete' || args[0] !== PODS || phase !== 'before') return;
      tries += 1;
      throw new TerminalError('denied by a webhook', { code: 403 });
    };
    await world.as('POST', PODS, { namespace: 'default', body: sent });
    await world.elapse(125, { play: false });
    expect(tries).toBeGreaterThan(5);
    expect(tries).toBeLessThanOrEqual(16);
    const isLeft = async (): Promise<boolean> =>
      (await world.as<{ items: unknown[] }>('GET', JOBS, { namespace: 'default' })).items.length > 0;
    expect(await isLeft()).toBe(true);
    await world.until(async () => !(await isLeft()), { play: false, seconds: 120 });
  });

  test('R5: nor one whose pod the pass that made it deleted before it died, and that nobody else saw', async () => {
    await world.apply(aJob('demo', { completions: 2, parallelism: 2 }));
    const done = { create: 0, delete: 0, died: 0 };
    world.interposer = async ({ port, method, phase }) => {
      if (phase === 'after' && port === 'cluster' && method === 'create' && ++done.create === 2) await patch({ suspend: true });
      if (phase === 'after' && port === 'cluster' && method === 'delete') done.delete += 1;
      if (phase !== 'before' || port !== 'store' || method !== 'updateHead' || done.delete < 2 || done.died > 0) return;
      done.died += 1;
      world.loseHeard();
      throw new Error('the function dies here');
    };
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Suspended'), { seconds: 300 });
    await relist(world);
    await patch({ suspend: false });
    await runToEnd(world, 'demo');
    expect(done).toMatchObject({ delete: 2, died: 1 });
    expect(new Set(namesEver()).size).toBe(4);
  });

  test('R5: nor one whose pod vanished while the pass that made it was at work, a younger list having been told already', async () => {
    await world.apply(aJob('demo', { completions: 2, parallelism: 1 }));
    let vanished = '';
    world.interposer = async ({ port, method, phase }) => {
      if (vanished !== '' || port !== 'cluster' || method !== 'patch' || phase !== 'before') return;
      const [made] = await world.pods();
      vanished = made?.metadata.name ?? 'none';
      const target = { namespace: 'default', name: vanished };
      await world.as('PATCH', PODS, { ...target, body: { metadata: { finalizers: null } }, type: 'application/merge-patch+json' });
      await world.as('DELETE', PODS, target);
      await relist(world);
    };
    await runToEnd(world, 'demo');
    expect(namesEver()).toHaveLength(3);
    expect(namesEver().filter((name) => name === vanished)).toHaveLength(1);
    expect((await world.job('demo')).status).toMatchObject({ succeeded: 2 });
    expect(world.mostActive.get('demo')).toBe(1);
  });

  test('R5: a number that a pod was seen to hold is not taken again, also when lists have dropped its tombstone', async () => {
    await world.apply(aJob('demo', { completions: 3, parallelism: 1, backoffLimit: 50 }));
    for (let time = 0; time < 4; time++) {
      await world.until(async () => (await world.pods()).some(({ status }) => status?.phase === 'Running'), { seconds: 700 });
      for (const { metadata } of await world.pods())
        await world.as('DELETE', PODS, { namespace: 'default', name: metadata.name ?? '' }).catch(() => {});
      await world.elapse(2);
      await relist(world);
      // Something else happens on the cluster, so that the next list is a newer one.
      await world.apply(aJob(`other-${time}`, { suspend: true }));
      await relist(world);
    }
    await runToEnd(world, 'demo', 700);
    expect((await world.job('demo')).status).toMatchObject({ succeeded: 3, failed: 4 });
    expect(namesEver()).toHaveLength(7);
    expect(new Set(namesEver()).size).toBe(7);
  });

  test('R5: names are the same whoever computes them: a repeated create of the same child collides', async () => {
    await world.apply(aJob('demo', { completions: 2, parallelism: 1 }));
    await world.report();
    // Two passes plan the same child from the same view, the second in a process of its own.
    const other = world.anotherProcess();
    const key = await world.keyOf('demo');
    await Promise.all([world.reconciler.reconcile(key), other.reconciler.reconcile(key)]);
    await world.settle();
    expect(namesEver()).toHaveLength(1);
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 2, mostActive: 1 });
  });
});

describe('R4, R6: an unknown outcome is looked up', () => {
  const loseAnswerOf = (verb: string): void => {
    let lost = 0;
    world.cluster.interference.after = (call) => {
      if (call.verb !== verb || call.plural !== 'pods' || ++lost > 1) return;
      throw new UnknownOutcomeError('no answer in time');
    };
  };

  test('R4, case 25 (no time makes it lapse): of a create: a pod that nobody ever tells of is found, though nothing is to be created any more', async () => {
    await world.apply(aJob('demo', { completions: 3, parallelism: 1 }));
    world.keepBack('Pod');
    loseAnswerOf('create');
    await world.report();
    await world.run();
    expect(world.podsEver.size).toBe(1);
    await patch({ suspend: true });
    await world.elapse(5, { play: false });
    expect(await world.pods()).toEqual([]);
    expect(conditionsOf(await world.job('demo'))).toContain('Suspended');
  });

  test('R4: of a delete: a pod that is gone is not taken to run, and no other one is deleted for it', async () => {
    await world.apply(aJob('demo', { completions: 8, parallelism: 3 }));
    await world.elapse(2, { play: false });
    for (const pod of await world.pods()) await world.startPod(pod);
    await world.elapse(8, { play: false });
    world.keepBack('Pod');
    loseAnswerOf('delete');
    await patch({ parallelism: 2 });
    await world.report();
    await world.run();
    const [deleted] = [...world.podsEver.values()].filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    // Of the two that are left, one is now first in line for a deletion: told, as the only one.
    const [other] = [...world.podsEver.values()].filter(({ metadata }) => metadata.uid !== deleted?.metadata.uid);
    expect([deleted, other]).not.toContain(undefined);
    world.tellAgain('Pod');
    if (other) await world.unready(other);
    await world.settle();
    await world.elapse(5, { play: false });
    expect([...world.podsEver.values()].filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toHaveLength(1);
  });
});

describe('R7: own writes', () => {
  test('R7: what the API server answered is in the view when the pass ends, and its events wake nobody', async () => {
    await world.apply(aJob('demo', { completions: 40, parallelism: 40, completionMode: 'Indexed' }));
    await world.report();
    await world.run();
    expect(await world.pods()).toHaveLength(40);
    const passes = world.passes.length;
    expect(await world.report()).toBeGreaterThanOrEqual(40);
    await world.clock.advance(30_000);
    await world.run();
    expect(world.passes).toHaveLength(passes);
  });

  test('R7: a pass that is overtaken keeps what it heard', async () => {
    await world.apply(aJob('demo', { completions: 3, parallelism: 3 }));
    await world.report();
    const key = await world.keyOf('demo');
    let overtaken = false;
    world.interposer = async ({ port, method, phase }) => {
      if (overtaken || port !== 'cluster' || method !== 'create' || phase !== 'after') return;
      overtaken = true;
      await world.store.updateHead(key, {}, { fence: 'of-a-later-pass', openedAtMs: world.clock.nowMs() });
    };
    expect(await world.reconciler.reconcile(key)).toBe('failed');
    expect(world.passes.at(-1)?.outcome).toBe('overtaken');
    world.interposer = undefined;
    const head = await world.store.readHead(key);
    const seen = head && (await readView(world.store, head, 0)).part.children;
    expect([...(seen?.keys() ?? [])].toSorted()).toEqual([...world.podsEver.keys()].toSorted());
    expect(world.podsEver.size).toBeGreaterThan(0);
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 3, mostActive: 3 });
  });
});

describe('R10: a live look before what cannot be taken back', () => {
  const events = (plural: string) => world.keepBack(plural);

  test('R10: suspended, and nobody has told: no pod is created', async () => {
    await world.apply(aJob('demo', { completions: 20, parallelism: 2 }));
    await world.elapse(2);
    const created = world.podsEver.size;
    await patch({ suspend: true });
    events('Job');
    await world.play();
    await world.elapse(5, { play: false });
    expect(world.podsEver.size).toBe(created);
    expect(conditionsOf(await world.job('demo'))).toContain('Suspended');
  });

  test('R10: scaled up again, and nobody has told: no pod is deleted', async () => {
    await world.apply(aJob('demo', { completions: 8, parallelism: 4 }));
    await world.elapse(3, { play: false });
    await patch({ parallelism: 2 });
    await world.report();
    await patch({ parallelism: 4 });
    events('Job');
    await world.elapse(3, { play: false });
    expect([...world.podsEver.values()].filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([]);
  });

  test('R10: deleted and made again under the same name, and nobody has told: the old key creates nothing', async () => {
    await world.apply(aJob('demo', { completions: 4, parallelism: 2 }));
    await world.elapse(1, { play: false });
    const old = await world.keyOf('demo');
    await patch({ parallelism: 4 });
    await world.report();
    await world.as('DELETE', JOBS, { namespace: 'default', name: 'demo', body: { propagationPolicy: 'Background' } });
    await world.apply(aJob('demo', { completions: 5, parallelism: 5 }));
    await world.settle();
    world.loseHeard();
    await world.reconciler.reconcile(old);
    await world.settle();
    const owners = [...world.podsEver.values()].map(({ metadata }) => metadata.ownerReferences?.[0]?.uid);
    expect(owners).toEqual([old.uid, old.uid]);
    expect(await world.store.readHead(old)).toBeUndefined();
  });
});
