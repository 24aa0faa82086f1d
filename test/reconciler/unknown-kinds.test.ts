// A kind that this build does not know is to it what a later version is (decision 8): what is told of it is left to functions that know it, and
// no other kind waits for that.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { problemOf } from '../../lib/api/dead-letter-problem.ts';
import { formatKey, parseKey, type WorkloadKey } from '../../lib/objects/workload.ts';
import { reconcileBatch } from '../../lib/reconciler/batch.ts';
import { readMarker } from '../../lib/reconciler/cluster/heartbeats.ts';
import { newHead } from '../../lib/reconciler/head/heads.ts';
import { resendPutOff } from '../../lib/reconciler/cluster/resend.ts';
import { VISIBILITY_SECONDS } from '../../lib/reconciler/head/timeouts.ts';
import { readKey } from '../../lib/reconciler/invocation/known-kinds.ts';
import { sweep } from '../../lib/reconciler/sweep.ts';
import { fireTimers } from '../../lib/reconciler/timers.ts';
import { jobFactsOf } from '../../lib/kinds/job/terms/owner-facts.ts';
import { decodeAsk, decodeTimer, decodeWake, encodeAsk, encodeTimer, encodeWake } from '../../lib/wire/messages.ts';
import type { WorkloadReport } from '../../lib/wire/words/observations.ts';
import { UndecodableMessageError, UnknownKindError } from '../../lib/wire/words/undecodable.ts';
import { heartbeat } from '../world/reporter.ts';
import { expectCompleted, runToEnd } from '../world/right.ts';
import { aJob, CLUSTER, World } from '../world/world.ts';

const LATER: WorkloadKey = { cluster: CLUSTER, kind: 'EnsembleOfALaterBuild', namespace: 'default', name: 'later', uid: 'uid-of-later' };
const { cluster: _, ...OWNER } = LATER;

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

const dead = async (): Promise<number[]> =>
  await Promise.all((['events', 'wakes', 'timers'] as const).map(async (name) => (await world.queue.depth(name)).dead));
const unreadable = (): number => world.metrics.filter(({ metric }) => metric === 'UnreadableMessages').length;
const waiting = async (name: 'events' | 'wakes' | 'timers'): Promise<number> => {
  const { visible, inFlight } = await world.queue.depth(name);
  return visible + inFlight;
};
const wakesLeft = async (): Promise<number> => {
  const messages = await world.queue.receive('wakes', { max: 10, waitSeconds: 0, visibilitySeconds: 1 });
  return messages.filter(({ body }) => 'key' in decodeWake(body)).length;
};

/** Of an object that only its own kind could check. */
const laterReport = (): WorkloadReport => ({
  owner: OWNER,
  observed: {
    heardAt: '5',
    deleted: false,
    object: {
      metadata: { name: 'later', namespace: 'default', uid: LATER.uid, resourceVersion: '5' },
      spec: { parallelism: 'many' },
    },
  },
  children: [],
});

async function jobReport(name: string): Promise<WorkloadReport> {
  await world.apply(aJob(name, { completions: 1, parallelism: 1 }));
  world.takeHeard();
  const job = await world.job(name);
  const { uid = '', resourceVersion = '' } = job.metadata;
  return {
    owner: { kind: 'Job', namespace: 'default', name, uid },
    observed: { heardAt: resourceVersion, deleted: false, object: jobFactsOf(job) },
    children: [],
  };
}

describe('a key', () => {
  test('names any kind by a name; a cluster-scoped owner has no namespace', () => {
    expect(parseKey(formatKey(LATER))).toEqual(LATER);
    const ofNode = { ...LATER, namespace: '' };
    expect(parseKey(formatKey(ofNode))).toEqual(ofNode);
    for (const text of [
      'west/job/default/demo/u',
      'west/Job-2/default/demo/u',
      'west/Job/default//u',
      'west/Job/demo/u',
      `west/${'J'.repeat(64)}/a/b/u`,
    ])
      expect(parseKey(text)).toBeUndefined();
  });

  test("of a kind that is not known is a later build's, one without the namespace of its kind is damage", () => {
    expect(() => readKey(formatKey(LATER))).toThrow(new UnknownKindError('a workload', LATER.kind));
    for (const text of ['west/Job//demo/u', 'foo']) {
      expect(() => readKey(text)).toThrow(UndecodableMessageError);
      expect(() => readKey(text)).not.toThrow(UnknownKindError);
    }
  });
});

describe('decision 8: a kind that is not known', () => {
  test('in a message leaves its other reports be taken at once, and the message to functions that know it', async () => {
    await world.send([laterReport(), await jobReport('demo')]);
    await world.ingest();
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 1, mostActive: 1 });
    expect(await world.store.readHead(LATER)).toBeUndefined();
    // It comes back some minutes long, and is looked at again without harm: neither doubted nor dead.
    await world.clock.advance(2 * VISIBILITY_SECONDS * 1_000);
    await world.ingest();
    await world.run();
    expect([await waiting('events'), await dead(), unreadable()]).toEqual([1, [0, 0, 0], 1]);
    expect(world.metrics.filter(({ metric }) => metric === 'ViewMismatches')).toEqual([]);
    expect(world.podsEver.size).toBe(1);
  });

  test('does not keep the heartbeat of its message from being taken, and its suspicions are carried along', async () => {
    const digests = [{ owner: OWNER, digest: '0123456789abcdef', heardAt: '5' }];
    await heartbeat(world);
    const known = await readMarker(world.ports, CLUSTER);
    const suspects = { [formatKey(LATER)]: { digest: 'fedcba9876543210', sinceMs: 5 } };
    await world.store.putNote(CLUSTER, 'relay', JSON.stringify({ ...known?.marker, suspects }), known?.version ?? 0);
    await heartbeat(world, { digests });
    expect((await readMarker(world.ports, CLUSTER))?.marker).toMatchObject({ heardAtMs: world.clock.nowMs(), suspects });
    expect([await waiting('events'), await waiting('timers'), await dead()]).toEqual([0, 0, [0, 0, 0]]);
    expect(await world.store.readHead(LATER)).toBeUndefined();
  });

  test('in a wake, a delayed wake or a doubt is left in the queue', async () => {
    await world.queue.send('wakes', [{ body: encodeWake({ key: formatKey(LATER), follows: 'f' }), groupId: 'g', deduplicationId: 'd' }]);
    await world.queue.send('timers', [
      { body: encodeTimer({ key: formatKey(LATER), follows: 'f', dueAtMs: 0, attempt: 0 }) },
      { body: encodeTimer({ doubt: formatKey(LATER), told: '0'.repeat(16), seen: '1'.repeat(16) }) },
    ]);
    await world.run();
    expect([await waiting('wakes'), await waiting('timers'), await dead()]).toEqual([1, 2, [0, 0, 0]]);
    expect(world.passes).toEqual([]);
  });

  test('R13: keeps no readable message of its batch from being handled', async () => {
    const batch = [LATER, { ...LATER, kind: 'Job' }].map((key, at) => ({
      messageId: `m${at}`,
      receiptHandle: `r${at}`,
      receiveCount: 1,
      sentAtMs: 0,
      body: encodeWake({ key: formatKey(key), follows: 'f' }),
    }));
    const setup = { reconciler: world.reconciler, ports: world.ports, hasTime: () => true };
    expect(await reconcileBatch(batch, setup)).toEqual(['m0']);
    const timers = batch.map((each, at) => ({ ...each, body: encodeTimer({ ...decodeWakeOf(each.body), dueAtMs: 0, attempt: at }) }));
    expect(await fireTimers(timers, world.ports)).toEqual(['m0']);
  });

  test('in a head: the head is read, and no sweep wakes what nobody here could look at', async () => {
    const head = { ...newHead(world.ports, LATER, world.record), pendingSinceMs: 1, wake: { dueAtMs: 2, attempt: 3 } };
    await world.store.createHead(head);
    await world.clock.advance(600_000);
    expect(await sweep(world.ports)).toMatchObject({ woken: 0, due: 0 });
    await resendPutOff(world.ports, CLUSTER);
    expect(await world.store.readHead(LATER)).toEqual(head);
    expect([await wakesLeft(), await dead()]).toEqual([0, [0, 0, 0]]);
  });

  test('R19: that a full list did not name is looked up by functions that know it: its head waits for their sweep', async () => {
    await world.store.createHead({ ...newHead(world.ports, LATER, world.record), floor: '5' });
    await world.clock.advance(1_000);
    await heartbeat(world, { fullList: { resourceVersion: '1000000', startedAtMs: world.clock.nowMs() } });
    expect((await sweep(world.ports)).lookedUp).toBe(0);
    expect(await world.store.readHead(LATER)).toMatchObject({ era: -1, pendingSinceMs: world.clock.nowMs() });
    expect(await wakesLeft()).toBe(0);
  });

  test('in an ask can be read, and what is wrong with a dead letter about it is told by its kind', () => {
    const ask = { ask: 'workload' as const, owner: OWNER };
    expect(decodeAsk(encodeAsk(ask))).toEqual(ask);
    const body = encodeTimer({ key: formatKey(LATER), follows: 'f', dueAtMs: 0, attempt: 0 });
    expect(decodeTimer(body)).toMatchObject({ key: formatKey(LATER) });
    expect(problemOf('timers', { body, bytes: Buffer.byteLength(body) })).toBe(
      'a workload of kind EnsembleOfALaterBuild, which this build does not know',
    );
  });
});

const decodeWakeOf = (body: string): { key: string; follows: string } => {
  const message = decodeWake(body);
  if ('look' in message) throw new Error('a look');
  return message;
};
