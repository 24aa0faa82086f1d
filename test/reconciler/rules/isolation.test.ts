// R13: one bad workload never stops another. R15: nobody speaks for another's cluster.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EVENTS, JOBS, PODS } from '../../../lib/objects/resources.ts';
import { PLANNERS } from '../../../lib/kinds/planners.ts';
import type { PlannerRow } from '../../../lib/kinds/rows/planner-row.ts';
import type { JobStatus } from '../../../lib/objects/kubernetes.ts';
import { formatKey } from '../../../lib/objects/workload.ts';
import { TerminalError } from '../../../lib/ports/errors.ts';
import type { QueueName } from '../../../lib/ports/queue.ts';
import { reconcileBatch } from '../../../lib/reconciler/batch.ts';
import { Reachability } from '../../../lib/reconciler/cluster/reachability.ts';
import { wake } from '../../../lib/reconciler/head/wake.ts';
import { seal } from '../../../lib/wire/packing/envelope.ts';
import { decodeWake, encodeWake } from '../../../lib/wire/messages.ts';
import { heartbeat } from '../../world/reporter.ts';
import { expectCompleted, expectQuiet, runToEnd } from '../../world/right.ts';
import { aJob, CLUSTER, World } from '../../world/world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

/** A planner that fails on one Job, as a mistake of ours would. */
async function withPlannerThatFailsOn(name: string, work: () => Promise<void>): Promise<void> {
  const planners: { Job: PlannerRow } = PLANNERS;
  const { Job: row } = planners;
  planners.Job = {
    ...row,
    planner: {
      ...row.planner,
      plan: (snapshot, now) => {
        if (snapshot.owner.metadata.name === name) throw new Error('an index is out of range');
        return row.planner.plan(snapshot, now);
      },
    },
  };
  try {
    await work();
  } finally {
    planners.Job = row;
  }
}

const eventsAbout = async (name: string): Promise<{ type: string; reason: string; message: string }[]> => {
  const { items } = await world.as<{
    items: { type: string; reason: string; message: string; involvedObject: { name: string } }[];
  }>('GET', EVENTS, { namespace: 'default' });
  return items.filter(({ involvedObject }) => involvedObject.name === name);
};

describe('R13: one bad workload', () => {
  test('R13: whose planner fails is parked with back-off, an Event, a metric and a reason; its wake is done; the others run', async () => {
    await withPlannerThatFailsOn('bad', async () => {
      for (const name of ['a', 'bad', 'z']) await world.apply(aJob(name, { completions: 2, parallelism: 2 }));
      await world.until(
        async () => ((await world.job('a')).status?.succeeded ?? 0) + ((await world.job('z')).status?.succeeded ?? 0) === 4,
      );
      const bad = world.passes.filter(({ key }) => key.name === 'bad');
      expect(bad.at(-1)).toMatchObject({ outcome: 'parked', why: expect.arrayContaining(['an index is out of range']) as unknown });
      expect(await world.queue.depth('wakes')).toMatchObject({ visible: 0, inFlight: 0, dead: 0 });
      expect(await eventsAbout('bad')).toEqual([expect.objectContaining({ type: 'Warning', message: 'an index is out of range' })]);
      expect(world.metrics.filter(({ metric }) => metric === 'ParkedWorkloads')).toHaveLength(1);
      // Looked at again after a minute, then two, then four.
      await world.elapse(430, { play: false });
      const starts = world.passes.filter(({ key }) => key.name === 'bad').map(({ startedAtMs }) => Math.round(startedAtMs / 1000));
      const gaps = starts.slice(1).map((start, at) => start - (starts[at] ?? 0));
      expect(gaps.map((gap) => Math.round(gap / 60))).toEqual([1, 2, 4]);
    });
    // Mended, it runs at the next look.
    await runToEnd(world, 'bad', 1_000);
    await expectCompleted(world, 'bad', { succeeded: 2, mostActive: 2 });
  });

  test('R14: a parked one that looks for all others tells that the cluster answers', async () => {
    await withPlannerThatFailsOn('bad', async () => {
      const key = await world.keyOf((await world.apply(aJob('bad', { completions: 2, parallelism: 1 }))).metadata.name ?? '');
      await world.elapse(2);
      const reachability = new Reachability(world.ports);
      await reachability.relaySawSilence(CLUSTER, { sinceMs: world.clock.nowMs(), reason: 'no answer within 3 s' });
      await wake(world.ports, key);
      await world.run();
      expect(world.passes.at(-1)).toMatchObject({ outcome: 'parked' });
      expect(await reachability.isDown(CLUSTER)).toBe(false);
    });
  });

  test('R13: a parked one is looked at as soon as its spec changes', async () => {
    await withPlannerThatFailsOn('bad', async () => {
      await world.apply(aJob('bad', { completions: 2, parallelism: 1 }));
      await world.elapse(2);
    });
    await world.as('PATCH', JOBS, {
      namespace: 'default',
      name: 'bad',
      body: { spec: { parallelism: 2 } },
      type: 'application/merge-patch+json',
    });
    await world.report();
    await world.run();
    expect((await world.job('bad')).status?.active).toBe(2);
  });

  test('R13: one that no planner can take is told in an Event, and the others go on', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    world.cluster.interference.before = ({ verb, plural, body }) => {
      if (verb === 'create' && plural === 'pods' && (body as { metadata: { name: string } }).metadata.name.startsWith('refused-'))
        throw new TerminalError('pods "x" is forbidden: exceeded quota', { code: 403, reason: 'Forbidden' });
    };
    await world.apply(aJob('refused', { completions: 1, parallelism: 1 }));
    await runToEnd(world, 'demo');
    expect(await eventsAbout('refused')).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'FailedCreate' }));
    await world.elapse(120);
    const creates = world.cluster.calls.filter(
      ({ verb, plural, name }) => verb === 'create' && plural === 'pods' && name.startsWith('refused-'),
    );
    // 1, 2, 4 … 60 s apart.
    expect(creates.length).toBeLessThan(12);
    world.cluster.interference = {};
    await runToEnd(world, 'refused');
  });

  test('R13: what is refused is tried later and later, also while the status of the pods that there are changes again and again', async () => {
    let [made, tries] = [0, 0];
    world.interposer = ({ port, method, args, phase }) => {
      if (port !== 'cluster' || method !== 'create' || args[0] !== PODS || phase !== 'before') return;
      made += 1;
      if (made <= 2) return;
      tries += 1;
      throw new TerminalError('exceeded quota', { code: 403 });
    };
    await world.apply(aJob('crowded', { completions: 3, parallelism: 3 }));
    await world.until(() => world.podsEver.size === 2, { play: false });
    await world.play(() => undefined);
    for (let round = 0; round < 10; round += 1) {
      await world.elapse(6, { play: false });
      const [pod] = await world.pods();
      if (pod) await world.unready(pod);
      await world.elapse(6, { play: false });
      if (pod) await world.ready(pod);
    }
    // After 1, 2, 4, … 60 seconds.
    expect(tries).toBeLessThanOrEqual(9);
  });

  test('R1, R13: a Job too large for an item of the table is only marked there and read live: it runs, and the others too', async () => {
    // Incompressible: 500 KB even when packed.
    const word = (): string => Array.from({ length: 3 }, () => world.clock.randomId().slice(0, 20)).join('');
    const labels = Object.fromEntries(Array.from({ length: 6_000 }, () => [`example.com/a${word()}a`, `a${word()}a`]));
    const large = aJob('large', { completions: 3, parallelism: 2 });
    await world.apply({ ...large, metadata: { ...large.metadata, labels } });
    await world.apply(aJob('demo', { completions: 3, parallelism: 2 }));
    await runToEnd(world, 'demo');
    await runToEnd(world, 'large');
    await expectCompleted(world, 'demo', { succeeded: 3, mostActive: 2 });
    await expectCompleted(world, 'large', { succeeded: 3, mostActive: 2 });
    const head = await world.store.readHead(await world.keyOf('large'));
    expect(head?.view?.byteLength).toBeLessThan(5_000);
    expect(world.passes.filter(({ key }) => key.name === 'large').every(({ saw }) => saw['live'])).toBe(true);
    expect(await world.queue.depth('events')).toMatchObject({ dead: 0, inFlight: 0, visible: 0 });
    expect(world.passes.filter(({ outcome }) => outcome === 'parked' || outcome === 'overtaken')).toEqual([]);
  });

  test('R13: two statuses refused in one pass, one being taken in between, park no Job: it is not the same that is refused', async () => {
    await world.apply(aJob('demo', { completions: 4, parallelism: 2 }));
    const refused = { stage: 0, count: 0 };
    world.cluster.interference.before = async ({ verb, plural, body }) => {
      if (verb !== 'patch' || plural !== 'jobs') return;
      const { succeeded, uncountedTerminatedPods } = (body as { status: JobStatus }).status;
      const step = uncountedTerminatedPods?.succeeded?.length ? 'stage' : succeeded ? 'count' : undefined;
      if (step && refused[step]++ === 0) throw new TerminalError('is invalid', { code: 422, reason: 'Invalid' });
    };
    await runToEnd(world, 'demo', 30);
    expect(refused.stage).toBeGreaterThan(1);
    expect(refused.count).toBeGreaterThan(1);
    expect(world.passes.filter(({ outcome }) => outcome === 'parked')).toEqual([]);
  });

  test('R13: a status that is refused twice in a row parks its Job', async () => {
    await world.apply(aJob('demo', { completions: 1 }));
    world.cluster.interference.before = async ({ verb, plural }) => {
      if (verb === 'patch' && plural === 'jobs') throw new TerminalError('is invalid', { code: 422, reason: 'Invalid' });
    };
    await world.report();
    await world.run();
    expect(world.passes.at(-1)).toMatchObject({
      outcome: 'parked',
      why: expect.arrayContaining([expect.stringContaining('refuses its status')]) as unknown,
    });
  });

  test('R13: a parked Job that the view only marks stays parked until its spec changes', async () => {
    const large = aJob('bad', { completions: 2, parallelism: 1 });
    const labels = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`example.com/label-${at}`, 'x'.repeat(63)]));
    await withPlannerThatFailsOn('bad', async () => {
      await world.apply({ ...large, metadata: { ...large.metadata, labels } });
      await world.elapse(2);
      const gets = (): number => world.cluster.calls.filter(({ verb, name }) => verb === 'get' && name === 'bad').length;
      const before = gets();
      await wake({ store: world.store, queue: world.queue, clock: world.clock }, await world.keyOf('bad'));
      await world.run();
      expect(world.passes.at(-1)?.outcome).toBe('parked');
      expect(gets()).toBe(before);
    });
    await world.as('PATCH', JOBS, {
      namespace: 'default',
      name: 'bad',
      body: { spec: { parallelism: 2 } },
      type: 'application/merge-patch+json',
    });
    await world.report();
    await world.run();
    expect((await world.job('bad')).status?.active).toBe(2);
  });

  /** As the relay packs them, around any header. */
  const packed = (header: string): string =>
    Buffer.from(seal({ header, pods: { columns: new Uint8Array(), uids: new Uint8Array() } })).toString('base64');

  test.each<{ queue: QueueName; what: string; body: string; groupId?: string }>([
    { queue: 'events', what: 'a truncated message', body: packed('{"cluster":"west"}').slice(0, 12) },
    { queue: 'events', what: 'a bomb', body: packed(' '.repeat(17 * 1_048_576)) },
    { queue: 'events', what: 'a message of an unknown version', body: Buffer.from([99, 1, 2, 3]).toString('base64') },
    { queue: 'events', what: 'a message deeper than allowed', body: packed('['.repeat(5_000)) },
    { queue: 'events', what: 'a message with __proto__ keys', body: packed('{"__proto__":{"a":1}}') },
    { queue: 'events', what: 'a message as large as the queue takes', body: 'A'.repeat(1_048_576) },
    { queue: 'wakes', what: 'a wake that is too large', body: `{"key":"${'k'.repeat(5_000)}"}`, groupId: 'poison' },
    { queue: 'timers', what: 'a timer that is none', body: '{}' },
  ])('R13: $what is a dead letter before any time has passed, told and counted once', async ({ queue, body, groupId }) => {
    const startedMs = world.clock.nowMs();
    await world.queue.send(queue, [{ body, ...(groupId !== undefined && { groupId, deduplicationId: 'poison' }) }]);
    await world.ingest();
    await world.run();
    expect(world.clock.nowMs()).toBe(startedMs);
    expect((await world.queue.deadLetters(queue, 10)).map(({ body: head, bytes }) => [body.startsWith(head), bytes])).toEqual([
      [true, body.length],
    ]);
    expect(world.log.filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^message cannot be read/), fields: expect.objectContaining({ queue }) }),
    ]);
    expect(world.metrics.filter(({ metric }) => metric === 'UnreadableMessages')).toHaveLength(1);
  });

  test.each<{ queue: QueueName; body: string; groupId?: string }>([
    { queue: 'wakes', body: 'not json', groupId: 'poison' },
    { queue: 'wakes', body: '{"key":"west/Job/default/x/1","follows":"f","__proto__":{"a":1},"more":1}', groupId: 'poison' },
    { queue: 'events', body: 'AAAA' },
    { queue: 'events', body: JSON.stringify({ v: 99 }) },
    { queue: 'timers', body: '{"key":"not a key","follows":"f","dueAtMs":1,"attempt":0}' },
  ])('R13: $body on $queue ends among the dead letters, and all others pass', async ({ queue, body, groupId }) => {
    await world.queue.send(queue, [{ body, ...(groupId !== undefined && { groupId, deduplicationId: 'poison' }) }]);
    await world.apply(aJob('demo', { completions: 2, parallelism: 2 }));
    await runToEnd(world, 'demo');
    await world.elapse(600);
    expect(await world.queue.deadLetters(queue, 10)).toEqual([expect.objectContaining({ body })]);
    expect(world.log.some(({ level }) => level === 'error')).toBe(true);
    // Still not readable: it comes back there, and does no harm.
    expect(await world.queue.redrive(queue)).toBe(1);
    await world.elapse(600);
    expect(await world.queue.deadLetters(queue, 10)).toHaveLength(1);
  });

  test('R13: redriving old messages is idempotent at any age', async () => {
    await world.apply(aJob('demo', { completions: 2, parallelism: 2 }));
    await world.settle();
    const job = await world.job('demo');
    const owner = { kind: 'Job' as const, namespace: 'default', name: 'demo', uid: job.metadata.uid ?? '' };
    await runToEnd(world, 'demo');
    const key = await world.keyOf('demo');
    const writes = world.cluster.writes.length;
    // News and wakes of long ago, twice.
    for (let time = 0; time < 2; time++) {
      await world.send([{ owner, observed: { heardAt: job.metadata.resourceVersion ?? '', deleted: false, object: job }, children: [] }]);
      await world.ingest();
      await world.queue.send('wakes', [
        { body: encodeWake({ key: formatKey(key), follows: 'long-ago' }), groupId: 'g', deduplicationId: `d${time}` },
      ]);
      await world.run();
    }
    expect(world.cluster.writes).toHaveLength(writes);
    await expectQuiet(world, 1);
  });

  test('R13: workloads of one batch of wakes: whoever is done does not wait for the slow one, and its next wake comes meanwhile', async () => {
    for (const name of ['quick', 'slow']) await world.apply(aJob(name, { completions: 1 }));
    await world.report();
    const [quick, slow] = [await world.keyOf('quick'), await world.keyOf('slow')];
    let proceed: () => void = () => {};
    const held = new Promise<void>((resolve) => (proceed = resolve));
    world.interposer = async ({ port, method, args, phase }) => {
      const isSlow = port === 'cluster' && method === 'create' && JSON.stringify(args).includes('"slow-');
      if (isSlow && phase === 'before') await held;
    };
    const batch = await world.queue.receive('wakes', { max: 10, waitSeconds: 0, visibilitySeconds: 35 });
    expect(batch).toHaveLength(2);
    const { reconciler, ports } = world;
    const answer = reconcileBatch(batch, { reconciler, ports, hasTime: () => true });
    await world.clock.advance(300);
    expect(await world.queue.depth('wakes')).toMatchObject({ inFlight: 1 });
    // Of the quick one; that of the slow one is kept back by its own pass.
    await wake(world.ports, quick);
    await wake(world.ports, slow);
    const next = await world.queue.receive('wakes', { max: 10, waitSeconds: 0, visibilitySeconds: 35 });
    expect(next.map(({ body }) => decodeWake(body))).toEqual([expect.objectContaining({ key: formatKey(quick) })]);
    proceed();
    expect(await answer).toEqual([]);
  });

  test('R13: a wake of a cluster that is not registered is dropped', async () => {
    const key = { cluster: 'nowhere', kind: 'Job' as const, namespace: 'default', name: 'x', uid: 'u' };
    expect(await world.reconciler.reconcile(key)).toBe('done');
    expect(await world.store.readHead(key)).toBeUndefined();
  });
});

describe('R15: who may say what', () => {
  async function newsOf(name: string, message: object): Promise<boolean> {
    const job = await world.apply(aJob(name));
    await world.settle();
    world.loseHeard();
    const { namespace = '', uid = '', resourceVersion = '' } = job.metadata;
    const report = {
      owner: { kind: 'Job' as const, namespace, name, uid },
      observed: { heardAt: resourceVersion, deleted: false, object: job },
      children: [],
    };
    await world.send([report], message);
    await world.ingest();
    return (await world.store.workloads(CLUSTER, { limit: 10 })).keys.length > 0;
  }

  test('R15: a registered sender is believed', async () => expect(await newsOf('demo', {})).toBe(true));

  test('R15: another sender is not', async () => {
    world.record = { ...world.record, senders: ['AROAEXAMPLE:relay-west'] };
    expect(await newsOf('demo', {})).toBe(false);
    expect(world.metrics).toContainEqual(expect.objectContaining({ metric: 'RefusedMessages' }));
  });

  test('R15: nor about a cluster that nobody registered', async () => {
    expect(await newsOf('demo', { cluster: 'east' })).toBe(false);
    expect((await world.store.workloads('east', { limit: 10 })).keys).toEqual([]);
  });

  test('R15, R3: nor one that speaks of another kube-system', async () => {
    await heartbeat(world);
    expect(world.record.kubeSystemUid).toBe('kube-system-uid');
    expect(await newsOf('demo', { kubeSystemUid: 'of-another-cluster' })).toBe(false);
  });

  test('R15: a workload outside the registered namespaces is none of ours', async () => {
    world.record = { ...world.record, namespaces: ['team-a'] };
    expect(await newsOf('demo', {})).toBe(false);
  });

  test('R15: nothing in an event becomes a pod: the template is read live', async () => {
    const job = await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.settle();
    world.loseHeard();
    const forged = structuredClone(job);
    forged.spec.template = { spec: { containers: [{ name: 'main', image: 'evil.example/miner' }], restartPolicy: 'Never' } };
    forged.spec.parallelism = 50;
    forged.spec.completions = 50;
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = job.metadata;
    const report = {
      owner: { kind: 'Job' as const, namespace, name, uid },
      observed: { heardAt: resourceVersion, deleted: false, object: forged },
      children: [],
    };
    await world.send([report]);
    await world.ingest();
    await world.run();
    expect((await world.pods()).map(({ spec }) => spec.containers[0]?.image)).toEqual(['example.com/none']);
  });
});
