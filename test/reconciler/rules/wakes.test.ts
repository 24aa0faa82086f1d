// R9: no wake is ever lost, and none too many is sent. R2, R11: a wake and a timer carry no facts; waits are delayed wakes.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { JOBS } from '../../../lib/objects/resources.ts';
import { formatKey } from '../../../lib/objects/workload.ts';
import type { OutgoingMessage } from '../../../lib/ports/queue.ts';
import { StaleWriteError } from '../../../lib/ports/store.ts';
import { fireTimers } from '../../../lib/reconciler/timers.ts';
import type { Delivery } from '../../../lib/reconciler/invocation/unreadable.ts';
import { VISIBILITY_SECONDS } from '../../../lib/reconciler/head/timeouts.ts';
import { SOON_MS, prepareWake, sendWake, wake } from '../../../lib/reconciler/head/wake.ts';
import { decodeSummary } from '../../../lib/reconciler/summary/summary.ts';
import { encodeTimer } from '../../../lib/wire/messages.ts';
import { expectCompleted, expectQuiet, runToEnd } from '../../world/right.ts';
import { heartbeat, relist } from '../../world/reporter.ts';
import { aJob, CLUSTER, conditionsOf, World } from '../../world/world.ts';
import { toldPods } from '../../wire/told-children.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

const depth = (name: 'wakes' | 'timers') => world.queue.depth(name);
const patch = (spec: object): Promise<unknown> =>
  world.as('PATCH', JOBS, { namespace: 'default', name: 'demo', body: { spec }, type: 'application/merge-patch+json' });
const isSent = (queue: string) => (point: { port: string; method: string; phase: string; args: readonly unknown[] }) =>
  point.port === 'queue' && point.method === 'send' && point.phase === 'before' && point.args[0] === queue;

describe('R9: sending', () => {
  test('R9: a hundred changes while a wake is queued send no second one', async () => {
    await world.apply(aJob('demo', { completions: 2, parallelism: 2 }));
    await world.report();
    for (let at = 0; at < 100; at++) {
      await patch({ parallelism: 3 + (at % 2) });
      await world.report();
    }
    expect(await depth('wakes')).toMatchObject({ visible: 1, inFlight: 0 });
  });

  test('R9: a change during a pass is seen by that pass or wakes the next one; never more than one queued beside the running one', async () => {
    await world.apply(aJob('demo', { completions: 4, parallelism: 1 }));
    let most = 0;
    let edits = 0;
    world.interposer = async ({ phase }) => {
      if (phase !== 'before' || edits >= 30) return;
      edits += 1;
      await patch({ parallelism: 1 + (edits % 3) });
      const { process, interposer } = world;
      world.interposer = undefined;
      await process.run(() => world.report());
      world.interposer = interposer;
      most = Math.max(most, (await depth('wakes')).visible + (await depth('wakes')).inFlight);
    };
    await world.run();
    await world.report();
    await world.until(async () => edits >= 30, { play: false, seconds: 30 });
    expect(most).toBeLessThanOrEqual(2);
    world.interposer = undefined;
    await world.elapse(3, { play: false });
    expect((await world.job('demo')).status?.active).toBe((await world.job('demo')).spec.parallelism);
  });

  test('R9: pod events cost at most one pass a second; a changed spec is looked at at once', async () => {
    await world.apply(aJob('demo', { completions: 60, parallelism: 60, completionMode: 'Indexed' }));
    await world.report();
    await world.run();
    for (const pod of await world.pods()) await world.startPod(pod);
    await world.report();
    await world.elapse(10, { play: false });
    const before = world.passes.length;
    const startMs = world.clock.nowMs();
    // 60 ends in 4 seconds, told one by one.
    for (const pod of await world.pods()) {
      await world.end(pod, 0);
      await world.report();
      await world.run();
      await world.clock.advance(66);
    }
    await world.clock.advance(1_000);
    await world.run();
    const passes = world.passes.slice(before);
    expect(passes.length).toBeLessThanOrEqual(Math.ceil((world.clock.nowMs() - startMs) / SOON_MS) + 1);
    expect((await world.job('demo')).status?.succeeded).toBe(60);

    await world.apply(aJob('other', { completions: 5, parallelism: 1 }));
    await world.report();
    await world.run();
    await world.as('PATCH', JOBS, {
      namespace: 'default',
      name: 'other',
      body: { spec: { parallelism: 3 } },
      type: 'application/merge-patch+json',
    });
    await world.report();
    await world.run();
    expect((await world.job('other')).status?.active).toBe(3);
  });

  test('R9: a wake sent twice with the same fence is one', async () => {
    await world.apply(aJob('demo'));
    await world.report();
    await world.run();
    const key = await world.keyOf('demo');
    const fence = (await world.store.readHead(key))?.fence ?? '';
    await sendWake(world.ports, key, fence);
    await sendWake(world.ports, key, fence);
    expect((await depth('wakes')).visible).toBe(1);
  });

  test('R9: an id that the queue swallows belongs to a pass not yet opened: a change after the opening still wakes', async () => {
    await world.apply(aJob('demo', { completions: 4, parallelism: 1 }));
    await world.report();
    await world.run();
    // Within the five minutes of deduplication, one spec change after another, each seen at once.
    for (let parallelism = 2; parallelism <= 4; parallelism++) {
      await patch({ parallelism });
      await world.report();
      await world.run();
      expect((await world.job('demo')).status?.active).toBe(parallelism);
    }
  });

  test('R9: dead between writing the view and sending: the message comes back and wakes although it changes nothing', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.report();
    await world.run();
    await patch({ parallelism: 1, completions: 1, activeDeadlineSeconds: 100 });
    world.interposer = (point, process) => (isSent('wakes')(point) ? process.kill() : undefined);
    await expect(world.report()).rejects.toThrow('killed');
    world.interposer = undefined;
    world.restart();
    const before = world.passes.length;
    await world.ingest();
    await world.run();
    expect(world.passes.length).toBeGreaterThan(before);
  });

  test('R9: dead between writing a large view and sending: the same', async () => {
    await world.apply(aJob('demo', { completions: 30, parallelism: 30 }));
    await world.elapse(2, { play: false });
    for (const pod of await world.pods()) await world.startPod(pod);
    await world.elapse(10, { play: false });
    for (const pod of await world.pods()) await world.end(pod, 0);
    let sends = 0;
    world.interposer = ({ port, method, phase }, process) => {
      if (port !== 'queue' || method !== 'send' || phase !== 'before') return;
      sends += 1;
      process.kill();
    };
    await expect(world.report()).rejects.toThrow('killed');
    expect(sends).toBe(1);
    world.interposer = undefined;
    world.restart();
    await world.ingest();
    await world.clock.advance(1_500);
    await world.run();
    expect((await world.job('demo')).status?.succeeded).toBe(30);
  });

  test('R9: a timer that news sets between the last look of a pass and its closing write is found though its message is lost', async () => {
    await world.apply(aJob('demo', { completions: 2, parallelism: 2 }));
    await world.elapse(10, { play: false });
    for (const pod of await world.pods()) await world.startPod(pod);
    await world.elapse(10, { play: false });
    const key = await world.keyOf('demo');
    let isTold = false;
    world.interposer = async ({ port, method, args, phase }) => {
      if (isTold || port !== 'store' || method !== 'updateHead' || phase !== 'before') return;
      if ((args[2] as { state?: string }).state === undefined) return;
      isTold = true;
      for (const pod of await world.pods()) await world.end(pod, 0);
      const { process, interposer } = world;
      world.interposer = undefined;
      await process.run(() => world.report());
      world.interposer = interposer;
    };
    // Nothing has changed: the pass has nothing to write but its closing.
    await wake(world.ports, key);
    await world.run();
    expect(isTold).toBe(true);
    world.wipeQueue();
    const head = await world.store.readHead(key);
    expect(head?.wake).toBeDefined();
    expect(head?.pendingSinceMs).toBe(head?.wake?.dueAtMs);
  });

  test('R9: a message that a pass had heard all of wakes nobody', async () => {
    await world.apply(aJob('demo', { completions: 3, parallelism: 3 }));
    await world.report();
    await world.run();
    const before = await depth('wakes');
    await world.report();
    expect(await depth('wakes')).toEqual(before);
    expect((await depth('timers')).delayed).toBe(0);
  });

  test('R9: news with a list older than an earlier one wakes once, after the fence that invalidate gives the head', async () => {
    await world.apply(aJob('demo', { completions: 3, parallelism: 3 }));
    await world.elapse(1, { play: false });
    await relist(world);
    await world.elapse(30, { play: false });
    expect((await depth('wakes')).visible).toBe(0);
    await patch({ backoffLimit: 5 });
    const job = await world.job('demo');
    const { uid = '', resourceVersion = '' } = job.metadata;
    world.loseHeard();
    await world.send([
      {
        owner: { kind: 'Job', namespace: 'default', name: 'demo', uid },
        observed: { heardAt: resourceVersion, deleted: false, object: job },
        children: [toldPods([], { floor: '1', slots: 'all' })],
      },
    ]);
    await world.ingest();
    expect((await depth('wakes')).visible).toBe(1);
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 3, mostActive: 3 });
  });
});

describe('R9: what was lost is mended', () => {
  test('R9: the queue loses the wake: sweep finds the head and wakes it anew', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.report();
    world.wipeQueue();
    await world.elapse(VISIBILITY_SECONDS - 1);
    expect(world.podsEver.size).toBe(0);
    await world.sweep();
    await world.run();
    expect(world.podsEver.size).toBe(0);
    await world.elapse(3);
    await world.sweep();
    await world.run();
    expect(world.podsEver.size).toBe(1);
  });

  test('R9: a wake acknowledged by a function that died: sweep sends one that no deduplication swallows', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.report();
    const [lost] = await world.queue.receive('wakes', { max: 1, waitSeconds: 0, visibilitySeconds: VISIBILITY_SECONDS });
    await world.queue.delete('wakes', [lost?.receiptHandle ?? '']);
    await world.clock.advance(60_000);
    await world.sweep();
    await world.run();
    expect(world.podsEver.size).toBe(1);
  });

  test('R8, R9: the write of a new fence is repeated below us, its first answer being lost: its wake is sent all the same', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.report();
    world.wipeQueue();
    await world.clock.advance(60_000);
    const key = await world.keyOf('demo');
    let repeated = 0;
    world.interposer = async ({ port, method, phase }) => {
      if (port !== 'store' || method !== 'updateHead' || phase !== 'after' || repeated > 0) return;
      repeated += 1;
      throw new StaleWriteError('the fence is another one', await world.store.readHead(key));
    };
    await world.sweep();
    expect(repeated).toBe(1);
    await world.run();
    expect(world.podsEver.size).toBe(1);
  });

  test('R9: a pass that died in the cloud is followed by another when its wake comes back', async () => {
    world.afterDeath = { wakes: 'in flight' };
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    let isOpen = false;
    world.interposer = ({ port, method, phase }, process) => {
      if (isOpen || port !== 'cluster' || method !== 'create' || phase !== 'before') return;
      isOpen = true;
      process.kill();
    };
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 1, mostActive: 1 });
  });

  test('R8, R9: a pass fails between its head and its summary: the next one writes that, also if a later wake shares it', async () => {
    let hasFailed = false;
    world.interposer = ({ port, method, phase }) => {
      if (hasFailed || port !== 'store' || method !== 'putSummary' || phase !== 'before') return;
      hasFailed = true;
      throw new Error('the store is throttled');
    };
    await world.apply(aJob('demo', { suspend: true }));
    await world.report();
    await world.run();
    expect(hasFailed).toBe(true);
    await patch({ backoffLimit: 3 });
    await world.report();
    expect(await depth('wakes')).toMatchObject({ visible: 1, inFlight: 1 });
    await world.elapse(VISIBILITY_SECONDS + 1, { play: false });
    const { entries } = await world.ports.store.summaries(CLUSTER, { fromMs: 0 });
    expect(entries.map(({ body }) => decodeSummary(body)?.state)).toContain('Suspended');
  });

  test('R9: while the whole queue is late nothing is sent again', async () => {
    for (const name of ['a', 'b', 'c']) await world.apply(aJob(name));
    await world.report();
    await world.clock.advance(120_000);
    const before = await depth('wakes');
    await world.sweep();
    // But for the look at the cluster.
    expect(await depth('wakes')).toEqual({ ...before, visible: before.visible + 1 });
  });

  test('R9: a timer that the queue lost is mended by sweep', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1, activeDeadlineSeconds: 30 }));
    await world.until(async () => ((await world.job('demo')).status?.active ?? 0) === 1, { play: false });
    world.wipeQueue();
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Failed'), { seconds: 200, play: false });
    expect((await world.job('demo')).status?.conditions?.at(-1)?.reason).toBe('DeadlineExceeded');
  });
});

describe('R11: timers', () => {
  test('R11: a wait beyond 15 minutes lies in the due index; sweep brings it back in time', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1, activeDeadlineSeconds: 3600 }));
    await world.until(async () => ((await world.job('demo')).status?.active ?? 0) === 1, { play: false });
    const startedAtMs = Date.parse((await world.job('demo')).status?.startTime ?? '');
    await world.elapse(10, { play: false });
    expect((await depth('timers')).delayed).toBe(0);
    for (let minute = 0; minute < 61 && world.passes.at(-1)?.why.every((why) => !why.includes('Failed')); minute++) {
      if (conditionsOf(await world.job('demo')).includes('Failed')) break;
      await world.clock.advance(60_000);
      await world.report();
      await world.sweep();
      await world.run();
      await world.clock.advance(0);
    }
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Failed'), { seconds: 60 });
    const failed = (await world.job('demo')).status?.conditions?.find(({ type }) => type === 'FailureTarget' || type === 'Failed');
    const afterMs = Date.parse(failed?.lastTransitionTime ?? '') - startedAtMs;
    expect(failed?.reason).toBe('DeadlineExceeded');
    expect(afterMs).toBeGreaterThanOrEqual(3_600_000);
    expect(afterMs).toBeLessThanOrEqual(3_600_000 + 65_000);
  });

  test('R11: a timer is a hint: one that claims to be due decides nothing', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1, activeDeadlineSeconds: 600 }));
    await world.elapse(3, { play: false });
    const key = await world.keyOf('demo');
    const head = await world.store.readHead(key);
    const body = encodeTimer({ key: formatKey(key), follows: head?.fence ?? '', dueAtMs: world.clock.nowMs() - 5_000, attempt: 0 });
    await world.queue.send('timers', [{ body }]);
    await world.run();
    expect(conditionsOf(await world.job('demo'))).toEqual([]);
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Failed'), { seconds: 620, play: false });
  });

  test('R11: a back-off is waited out by a delayed wake, and no longer', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1, backoffLimit: 5 }));
    await world.until(
      async () => {
        await world.play(() => 1);
        return ((await world.job('demo')).status?.failed ?? 0) === 1;
      },
      { play: false },
    );
    const failedAtMs = world.clock.nowMs();
    await world.until(() => world.podsEver.size === 2, { play: false });
    expect(world.clock.nowMs() - failedAtMs).toBeGreaterThanOrEqual(8_000);
    expect(world.clock.nowMs() - failedAtMs).toBeLessThanOrEqual(12_000);
  });

  test('R11: timers of what is forgotten, or done since, do nothing', async () => {
    await heartbeat(world);
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await runToEnd(world, 'demo');
    await world.elapse(10);
    const key = await world.keyOf('demo');
    const timer = (follows: string): string => encodeTimer({ key: formatKey(key), follows, dueAtMs: world.clock.nowMs() - 1, attempt: 0 });
    const delivered = (id: string, body: string): Delivery => ({
      messageId: id,
      receiptHandle: id,
      body,
      receiveCount: 1,
      sentAtMs: world.clock.nowMs(),
    });
    const gone = encodeTimer({ key: formatKey({ ...key, uid: 'gone' }), follows: 'x', dueAtMs: 1, attempt: 0 });
    const passes = world.passes.length;
    expect(
      await fireTimers(
        [timer('an-older-pass'), gone].map((body, at) => delivered(String(at), body)),
        world.ports,
      ),
    ).toEqual([]);
    await world.run();
    expect(world.passes).toHaveLength(passes);
    expect(await fireTimers([delivered('bad', '{"key":1}')], world.ports)).toEqual(['bad']);
    await expectQuiet(world, 1);
  });
});

describe('wake.ts', () => {
  async function withHead(): Promise<{ sent: OutgoingMessage[]; key: Awaited<ReturnType<World['keyOf']>> }> {
    await world.apply(aJob('demo'));
    await world.report();
    await world.run();
    const sent: OutgoingMessage[] = [];
    world.interposer = (point) => {
      if (point.port === 'queue' && point.method === 'send' && point.phase === 'before') sent.push(...(point.args[1] as OutgoingMessage[]));
    };
    return { sent, key: await world.keyOf('demo') };
  }

  test('R9: queued for this fence already: nothing is sent', async () => {
    const { sent, key } = await withHead();
    await wake(world.ports, key);
    await wake(world.ports, key);
    expect(sent).toHaveLength(1);
    const head = await world.store.readHead(key);
    expect(head?.queued).toBe(head?.fence);
    expect(head?.pendingSinceMs).toBe(world.clock.nowMs());
  });

  test('R9: soon after a pass a timer is set instead, one for all', async () => {
    const { sent, key } = await withHead();
    await world.clock.advance(400);
    for (let time = 0; time < 5; time++) await wake(world.ports, key, 'soon');
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ delaySeconds: 1 });
    const head = await world.store.readHead(key);
    expect(head?.queued).not.toBe(head?.fence);
    expect(head?.wake).toEqual({ dueAtMs: (head?.openedAtMs ?? 0) + SOON_MS, attempt: 0 });
    // What cannot wait does not wait for the timer.
    await wake(world.ports, key, 'now');
    expect(sent).toHaveLength(2);
  });

  test('R9: the fence changed between reading and telling: that pass reads the view anyway', async () => {
    const { key } = await withHead();
    const head = await world.store.readHead(key);
    if (!head) throw new Error('no head');
    await world.store.updateHead(key, {}, { fence: 'of-another-pass' });
    const prepared = await prepareWake(world.ports, head, 'now');
    expect(prepared?.ifFence).toBe(head.fence);
    world.interposer = async ({ port, method, phase }) => {
      if (port === 'queue' && method === 'send' && phase === 'after') await world.store.updateHead(key, {}, { fence: 'and-another' });
    };
    await wake(world.ports, key);
    expect((await world.store.readHead(key))?.queued).not.toBe('and-another');
  });

  test('R9: a workload without a head is none', async () => {
    const { sent, key } = await withHead();
    await wake(world.ports, { ...key, uid: 'unknown' });
    expect(sent).toEqual([]);
  });
});
