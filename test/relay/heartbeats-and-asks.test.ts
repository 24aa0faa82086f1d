// What the relay says once a minute, and what it answers: full lists, workloads, new eras.
import { afterEach, describe, expect, test } from '@jest/globals';
import { UnknownOutcomeError } from '../../lib/ports/errors.ts';
import { digestOf } from '../../lib/wire/words/digest.ts';
import { encodeAsk } from '../../lib/wire/messages.ts';
import { brief, endRelays, start } from './relay-bench.ts';
import { aJob, aPod } from './scripted-source.ts';

afterEach(endRelays);

/** A message of another session showed that something is missing. */
const ELSEWHERE = { session: 'another', sequence: 1 };

describe('heartbeats and asks', () => {
  test('once a minute: watch ages, clock offset, digests as the view makes them', async () => {
    const { clock, source, messages, ready } = start({
      before: (api) => {
        api.aheadMs = 30_000;
        api.put('jobs', aJob('a'));
        api.put('pods', aPod('a-1', 'a'));
      },
    });
    await ready();
    await messages();
    source.put('pods', aPod('a-1', 'a', { phase: 'Succeeded' }));
    await clock.advance(60_000);
    const beat = (await messages()).find(({ heartbeat }) => heartbeat)?.heartbeat;
    expect(beat?.watches.map(({ resource }) => resource)).toEqual(['jobs', 'pods']);
    expect(beat?.watches[0]?.ageMs).toBeGreaterThan(50_000);
    expect(Math.abs((beat?.clockOffsetMs ?? 0) - 30_000)).toBeLessThanOrEqual(1_000);
    const digest = digestOf([
      { uid: 'uid-a', resourceVersion: '102' },
      { uid: 'uid-a-1', resourceVersion: '104' },
    ]);
    expect(beat?.digests).toEqual([{ owner: { kind: 'Job', namespace: 'default', name: 'a', uid: 'uid-a' }, digest, heardAt: '104' }]);
  });

  test('R1: a digest is told of what a Job left behind with our finalizer on it, and of nothing else that it left', async () => {
    const { clock, source, messages, ready } = start({
      before: (api) => {
        for (const name of ['a', 'b']) api.put('jobs', aJob(name));
        api.put('pods', aPod('a-1', 'a'));
        api.put('pods', aPod('b-1', 'b', { tracked: false }));
        api.put('pods', aPod('nobodys', undefined));
      },
    });
    await ready();
    await clock.advance(60_000);
    await messages();
    for (const name of ['a', 'b']) source.remove('jobs', `uid-${name}`);
    await clock.advance(60_000);
    const beat = (await messages()).find(({ heartbeat }) => heartbeat)?.heartbeat;
    expect(beat?.digests.map(({ owner: { kind, name }, digest }) => ({ kind, name, digest }))).toEqual([
      { kind: 'Job', name: 'a', digest: digestOf([{ uid: 'uid-a-1', resourceVersion: '104' }]) },
      { kind: 'OrphanPod', name: 'nobodys', digest: digestOf([{ uid: 'uid-nobodys', resourceVersion: '106' }]) },
    ]);
  });

  test('asked for everything, it lists again; an ask that crossed a full list is answered by it', async () => {
    const { clock, queue, messages, ready } = start({ before: (api) => api.put('jobs', aJob('a')) });
    await ready();
    await messages();
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'everything', era: 3, after: ELSEWHERE }) }]);
    await clock.advance(2_000);
    expect(await messages()).toEqual([]);
    await clock.advance(30_000);
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'everything', era: 3, after: ELSEWHERE }) }]);
    await clock.advance(2_000);
    const all = await messages();
    expect(all.flatMap(({ reports }) => reports).map(brief)).toMatchObject([{ job: 'a', whole: expect.any(String) }]);
    expect(all.at(-1)?.heartbeat?.fullList).toBeDefined();
  });

  test('R13: an ask that cannot be read is a dead letter soon, and stops none of those that came along with it', async () => {
    const { clock, queue, messages, ready } = start({ before: (api) => api.put('jobs', aJob('a')) });
    await ready();
    await messages();
    await clock.advance(30_000);
    await queue.inner.send('relay-west', [{ body: 'not an ask' }, { body: encodeAsk({ ask: 'everything', era: 3, after: ELSEWHERE }) }]);
    await clock.advance(1_000);
    expect((await messages()).at(-1)?.heartbeat?.fullList).toBeDefined();
    expect(await queue.inner.deadLetters('relay-west', 10)).toMatchObject([{ body: 'not an ask' }]);
  });

  test('R1: an ask that a message before the lists gave rise to is answered by them; one after the lists, the table being lost since, is not', async () => {
    const { clock, queue, messages, ready } = start({ before: (api) => api.put('jobs', aJob('a')) });
    await ready();
    const [first, ...others] = await messages();
    const last = others.at(-1);
    expect(first?.heartbeat?.fullList).toBeUndefined();
    expect(last?.heartbeat?.fullList).toBeDefined();
    const askAfter = async ({ session = '', sequence = 0 }: { session?: string; sequence?: number } = {}): Promise<void> =>
      await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'everything', era: 3, after: { session, sequence } }) }]);
    await askAfter(first);
    await clock.advance(2_000);
    expect(await messages()).toEqual([]);
    await askAfter(last);
    await clock.advance(2_000);
    expect((await messages()).flatMap(({ reports }) => reports).map(brief)).toMatchObject([{ job: 'a', whole: expect.any(String) }]);
  });

  test('R3: a new era begins a new session with a full list', async () => {
    const { clock, queue, messages, ready, relay } = start({ before: (api) => api.put('jobs', aJob('a')) });
    await ready();
    await messages();
    const { session } = relay.status();
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'everything', era: 4 }) }]);
    await clock.advance(2_000);
    const all = await messages();
    expect(all.every((message) => message.era === 4 && message.session !== session)).toBe(true);
    expect(all.at(-1)?.heartbeat?.fullList).toBeDefined();
  });

  test('R3, R16: an ask that brings a relay of an earlier era up to date costs one of that era no list', async () => {
    const { clock, queue, messages, ready } = start({ before: (api) => api.put('jobs', aJob('a')) });
    await ready();
    await clock.advance(30_000);
    await messages();
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'everything', era: 3 }) }]);
    await clock.advance(2_000);
    expect(await messages()).toEqual([]);
  });

  test('R3: nothing that was heard before a new era is told in its session, neither what waited nor what comes before the list', async () => {
    const { clock, source, queue, messages, ready } = start({
      before: (api) => {
        api.put('jobs', aJob('a'));
        for (const name of ['a-1', 'a-2', 'a-3']) api.put('pods', aPod(name, 'a'));
      },
    });
    await ready();
    await messages();
    queue.closed = true;
    source.remove('pods', 'uid-a-1');
    source.put('pods', aPod('a-2', 'a', { phase: 'Succeeded' }));
    await clock.advance(1_000);
    for (let at = 0; at < 4; at++) source.faults.push({ verb: 'list', error: new UnknownOutcomeError('reset') });
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'everything', era: 4 }) }]);
    await clock.advance(200);
    source.put('pods', aPod('a-3', 'a', { phase: 'Succeeded' }));
    queue.closed = false;
    await clock.advance(60_000);
    const told = (await messages()).filter(({ era }) => era === 4);
    expect(told.flatMap(({ reports }) => reports).map(brief)).toMatchObject([{ job: 'a', whole: expect.any(String) }]);
    const fullListAt = told.findIndex(({ heartbeat }) => heartbeat?.fullList !== undefined);
    expect(told.slice(0, fullListAt).flatMap(({ heartbeat }) => heartbeat?.digests ?? [])).toEqual([]);
    expect(fullListAt).toBeGreaterThan(0);
  });

  test('R3: a heartbeat that met a new era on its way does not end all heartbeats', async () => {
    const { clock, queue, messages, ready } = start({ before: (api) => api.put('jobs', aJob('a')) });
    await ready();
    queue.closed = true;
    await clock.advance(61_000);
    expect(queue.refused).toBeGreaterThan(0);
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'everything', era: 4 }) }]);
    await clock.advance(1_000);
    queue.closed = false;
    await clock.advance(60_000);
    await messages();
    await clock.advance(60_000);
    expect((await messages()).filter(({ heartbeat }) => heartbeat)).toHaveLength(1);
  });

  test('it stops although a heartbeat cannot be sent', async () => {
    const { clock, queue, ready, relay } = start({ before: (api) => api.put('jobs', aJob('a')) });
    await ready();
    queue.closed = true;
    await clock.advance(61_000);
    let isStopped = false;
    void relay.stop().then(() => (isStopped = true));
    await clock.advance(1_000);
    expect(isStopped).toBe(true);
  });

  test('R12: asked by a queue whose clock is an hour behind, it lists again all the same', async () => {
    const { clock, queue, messages, ready } = start({ before: (api) => api.put('jobs', aJob('a')) });
    const { receive } = queue;
    queue.receive = async (name, options) =>
      (await receive(name, options)).map((message) => ({ ...message, sentAtMs: message.sentAtMs - 3_600_000 }));
    await ready();
    await clock.advance(60_000);
    await messages();
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'everything', era: 3, after: ELSEWHERE }) }]);
    await clock.advance(2_000);
    expect((await messages()).flatMap(({ reports }) => reports).map(brief)).toMatchObject([{ job: 'a', whole: expect.any(String) }]);
  });

  test('R19: a Job that goes while the answer about it is on its way is not known again, and no digest tells of it', async () => {
    const { clock, source, queue, messages, ready } = start({ before: (api) => api.put('jobs', aJob('a')) });
    await ready();
    await messages();
    const get = source.get.bind(source);
    let isAsked = false;
    source.get = async (resource, named) => {
      const answer = await get<never>(resource, named);
      if (resource.plural !== 'jobs') return answer;
      isAsked = true;
      source.remove('jobs', 'uid-a');
      await clock.wait(1_000);
      return answer;
    };
    const owner = { kind: 'Job' as const, namespace: 'default', name: 'a', uid: 'uid-a' };
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'workload', owner }) }]);
    await clock.advance(60_000);
    expect(isAsked).toBe(true);
    const told = await messages();
    expect(told.flatMap(({ reports }) => reports).map(({ observed }) => observed?.deleted)).toEqual([true]);
    expect(told.flatMap(({ heartbeat }) => heartbeat?.digests ?? [])).toEqual([]);
  });

  test('R19: asked for one workload, it tells what it knows, and does not call that a whole list', async () => {
    const { clock, queue, reports, ready } = start({
      before: (api) => {
        api.put('jobs', aJob('a'));
        api.put('pods', aPod('a-1', 'a'));
      },
    });
    await ready();
    await reports();
    const owner = { kind: 'Job', namespace: 'default', name: 'a', uid: 'uid-a' } as const;
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'workload', owner }) }, { body: 'nonsense' }]);
    await clock.advance(2_000);
    expect((await reports()).map(brief)).toEqual([{ job: 'a', observed: '102', pods: ['a-1 Running'] }]);
  });
});
