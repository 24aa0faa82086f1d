// The relay against a scripted API server on a virtual clock: what reaches the events queue.
import { afterEach, describe, expect, test } from '@jest/globals';
import { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { VirtualClock } from '../../lib/adapters/embedded/virtual-clock.ts';
import { NotDoneError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import type { OutgoingMessage, Queue, QueueName } from '../../lib/ports/queue.ts';
import type { Relay, RelayOptions } from '../../lib/relay/relay.ts';
import { startRelay } from '../../lib/relay/relay.ts';
import { digestOf } from '../../lib/wire/digest.ts';
import { decodeEvents } from '../../lib/wire/events.ts';
import { encodeAsk } from '../../lib/wire/messages.ts';
import type { EventMessage, WorkloadReport } from '../../lib/wire/observations.ts';
import { aJob, aPod, ScriptedSource } from './scripted-source.ts';

/** A queue that refuses while it is told to. */
class ClosableQueue implements Queue {
  readonly inner: EmbeddedQueue;
  closed = false;
  refused = 0;

  constructor(inner: EmbeddedQueue) {
    this.inner = inner;
  }

  async send(queue: QueueName, messages: readonly OutgoingMessage[]): Promise<void> {
    if (this.closed) {
      this.refused += 1;
      throw new UnknownOutcomeError('the queue does not answer');
    }
    await this.inner.send(queue, messages);
  }

  receive: Queue['receive'] = (queue, options) => this.inner.receive(queue, options);
  delete: Queue['delete'] = (queue, handles) => this.inner.delete(queue, handles);
  changeVisibility: Queue['changeVisibility'] = (queue, handle, seconds) => this.inner.changeVisibility(queue, handle, seconds);
  deadLetters: Queue['deadLetters'] = (queue, limit) => this.inner.deadLetters(queue, limit);
  redrive: Queue['redrive'] = (queue, ids) => this.inner.redrive(queue, ids);
  depth: Queue['depth'] = (queue) => this.inner.depth(queue);
}

interface Bench {
  clock: VirtualClock;
  source: ScriptedSource;
  queue: ClosableQueue;
  relay: Relay;
  log: { level: string; message: string }[];
  /** Messages that have come since the last call. */
  messages: () => Promise<EventMessage[]>;
  reports: () => Promise<WorkloadReport[]>;
  ready: () => Promise<void>;
}

const refusals = (count: number) => (api: ScriptedSource) => {
  for (let at = 0; at < count; at += 1) api.faults.push({ verb: 'get', error: new NotDoneError('nothing listens there') });
};

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Two Jobs, and one pod. */
const twoJobs =
  (pod: ReturnType<typeof aPod>) =>
  (source: ScriptedSource): void => {
    source.put('jobs', aJob('a'));
    source.put('jobs', aJob('b'));
    source.put('pods', pod);
  };

function start({
  options,
  manage = 'all',
  namespaces = [],
  before = () => {},
}: {
  options?: Partial<RelayOptions>;
  manage?: 'own' | 'all';
  namespaces?: string[];
  before?: (source: ScriptedSource) => void;
} = {}): Bench {
  const clock = new VirtualClock();
  const source = new ScriptedSource(clock);
  const inner = EmbeddedQueue.open({ clock });
  const queue = new ClosableQueue(inner);
  const log: Bench['log'] = [];
  const line = (level: string) => (message: string) => void log.push({ level, message });
  before(source);
  const telemetry = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error'), count: () => {} };
  const relay = startRelay({
    source,
    queue,
    clock,
    telemetry,
    cluster: 'west',
    manage,
    namespaces,
    era: 3,
    ...(options && { options }),
  });
  relay.ready.catch(() => {});
  open.push(async () => {
    const stopped = relay.stop();
    await clock.advance(1);
    await stopped;
    inner.close();
  });
  const messages = async (): Promise<EventMessage[]> => {
    const decoded: EventMessage[] = [];
    for (;;) {
      const received = await inner.receive('events', { max: 10, waitSeconds: 0, visibilitySeconds: 30 });
      if (received.length === 0) return decoded;
      decoded.push(...received.map(({ body }) => decodeEvents(body)));
      await inner.delete(
        'events',
        received.map(({ receiptHandle }) => receiptHandle),
      );
    }
  };
  const ready = async (): Promise<void> => {
    await clock.advance(2_000);
    await relay.ready;
  };
  return { clock, source, queue, relay, log, messages, reports: async () => (await messages()).flatMap(({ reports }) => reports), ready };
}

const brief = ({ owner, observed, pods, whole }: WorkloadReport) => ({
  job: owner.name,
  ...(observed && { observed: observed.deleted ? 'deleted' : observed.object.metadata.resourceVersion }),
  pods: pods.map(({ pod, deleted }) => `${pod.name}${deleted ? ' deleted' : ` ${pod.phase}`}`).toSorted((a, b) => a.localeCompare(b)),
  ...(whole && { whole: whole.slots === 'all' ? whole.floor : whole }),
});

describe('at the start', () => {
  test('R19: each workload is told of as a whole list at the version of the pods’ list, then the full list', async () => {
    const { messages, ready } = start({
      before: (api) => {
        api.put('jobs', aJob('a'));
        api.put('jobs', aJob('empty'));
        api.put('pods', aPod('a-1', 'a'));
        api.put('pods', aPod('a-2', 'a', { phase: 'Succeeded' }));
        api.put('pods', aPod('left-1', 'gone'));
        api.put('pods', aPod('nobody', undefined, { tracked: false }));
      },
    });
    await ready();
    const all = await messages();
    expect(all.flatMap(({ reports }) => reports).map(brief)).toEqual([
      { job: 'a', observed: '102', pods: ['a-1 Running', 'a-2 Succeeded'], whole: '107' },
      { job: 'empty', observed: '103', pods: [], whole: '107' },
      { job: 'gone', pods: ['left-1 Running'], whole: '107' },
    ]);
    expect(all.at(-1)?.heartbeat?.fullList?.resourceVersion).toBe('107');
    expect(all[0]).toMatchObject({ cluster: 'west', era: 3, kubeSystemUid: 'kube-system-uid' });
  });

  test('R2: what was heard in a list was heard at the version of the list', async () => {
    const { reports, ready } = start({
      before: (api) => {
        api.put('jobs', aJob('a'));
        api.put('pods', aPod('a-1', 'a'));
        api.put('pods', aPod('other', 'a'));
      },
    });
    await ready();
    const [report] = await reports();
    expect(report?.pods.map(({ heardAt, pod }) => [heardAt, pod.resourceVersion])).toEqual([
      ['104', '103'],
      ['104', '104'],
    ]);
    expect(report?.observed?.heardAt).toBe('104');
  });

  test('neither templates nor environment leave the cluster', async () => {
    const { messages, ready } = start({
      before: (api) => {
        api.put('jobs', aJob('a'));
        api.put('pods', aPod('a-1', 'a'));
      },
    });
    await ready();
    expect(JSON.stringify(await messages())).not.toMatch(/hunter2|secret-image/);
  });

  test('R19: a whole list that one message would not hold is split by slots that cover all', async () => {
    const { messages, ready } = start({
      options: { wholePods: 10 },
      before: (api) => {
        api.put('jobs', aJob('a'));
        for (let index = 0; index < 35; index += 1) {
          const pod = aPod(`a-${index}`, 'a');
          api.put('pods', {
            ...pod,
            metadata: { ...pod.metadata, annotations: { 'batch.kubernetes.io/job-completion-index': String(index) } },
          });
        }
      },
    });
    await ready();
    const wholes = (await messages()).flatMap(({ reports }) => reports);
    expect(wholes.map(({ whole }) => whole?.slots)).toEqual([
      { from: 0, to: 10 },
      { from: 10, to: 20 },
      { from: 20, to: 30 },
      { from: 30, to: 2 ** 32 },
    ]);
    expect(wholes.map(({ pods }) => pods.length)).toEqual([10, 10, 10, 5]);
    expect(wholes.filter(({ observed }) => observed)).toHaveLength(1);
  });

  test('credentials that are refused end the start with that sentence', async () => {
    const { relay, clock } = start({
      before: (source) =>
        source.faults.push({ verb: 'get', error: new TerminalError('the token is refused or expired (401)', { code: 401 }) }),
    });
    await clock.advance(10);
    await expect(relay.ready).rejects.toThrow(/token is refused or expired/);
  });

  test('a server that cannot be reached is tried a few times', async () => {
    const soon = start({ before: refusals(3) });
    await soon.clock.advance(6_000);
    await soon.relay.ready;
    const never = start({ before: refusals(30) });
    await never.clock.advance(10_000);
    await expect(never.relay.ready).rejects.toThrow(/nothing listens there/);
  });
});

describe('while it watches', () => {
  test('events of many workloads wait a moment for company and go in one message, newest state only', async () => {
    const { clock, source, messages, ready } = start();
    await ready();
    await messages();
    for (const name of ['a', 'b', 'c']) {
      source.put('jobs', aJob(name));
      source.put('pods', aPod(`${name}-1`, name, { phase: 'Pending' }));
      source.put('pods', aPod(`${name}-1`, name, { phase: 'Running' }));
      source.put('pods', aPod(`${name}-1`, name, { phase: 'Succeeded' }));
    }
    await clock.advance(99);
    expect(await messages()).toEqual([]);
    await clock.advance(200);
    const all = await messages();
    expect(all).toHaveLength(1);
    expect(all[0]?.reports.map(brief)).toEqual(
      ['a', 'b', 'c'].map((job) => ({ job, observed: expect.any(String), pods: [`${job}-1 Succeeded`] })),
    );
  });

  test('where requests have a price, news of pods alone keeps half a second from the latest message, and news of a Job does not', async () => {
    const { clock, source, messages, ready } = start({
      options: { podsEveryMs: 500 },
      before: (api) => {
        api.put('jobs', aJob('a'));
        for (let at = 0; at < 20; at += 1) api.put('pods', aPod(`a-${at}`, 'a'));
      },
    });
    await ready();
    await clock.advance(1_000);
    await messages();
    // The first is told at once, the others within two messages a second.
    let sent = 0;
    for (let at = 0; at < 20; at += 1) {
      source.put('pods', aPod(`a-${at}`, 'a', { phase: 'Succeeded' }));
      await clock.advance(100);
      const now = (await messages()).length;
      if (at === 1) expect(sent + now).toBe(1);
      sent += now;
    }
    expect(sent).toBeGreaterThanOrEqual(3);
    expect(sent).toBeLessThanOrEqual(5);
    source.put('pods', aPod('a-0', 'a', { phase: 'Failed' }));
    source.put('jobs', aJob('b'));
    await clock.advance(200);
    expect((await messages()).flatMap(({ reports }) => reports.map(({ owner }) => owner.name))).toContain('b');
  });

  test('what is deleted is told with its last state and version', async () => {
    const { clock, source, reports, ready } = start({
      before: (api) => {
        api.put('jobs', aJob('a'));
        api.put('pods', aPod('a-1', 'a'));
      },
    });
    await ready();
    await reports();
    source.remove('pods', 'uid-a-1');
    source.remove('jobs', 'uid-a');
    await clock.advance(300);
    const [report] = await reports();
    expect(report && brief(report)).toEqual({ job: 'a', observed: 'deleted', pods: ['a-1 deleted'] });
    expect(report?.pods[0]?.heardAt).toBe('104');
    expect(report?.observed?.heardAt).toBe('105');
  });

  test('case 150: a pod that changes its owner is told to both', async () => {
    const { clock, source, reports, ready } = start({ before: twoJobs(aPod('p', 'a')) });
    await ready();
    await reports();
    source.put('pods', aPod('p', 'b'));
    await clock.advance(300);
    const told = await reports();
    expect(told.map(({ owner }) => owner.name).toSorted((a, b) => a.localeCompare(b))).toEqual(['a', 'b']);
    for (const { pods } of told) expect(pods[0]?.pod.controller?.name).toBe('b');
  });

  test('R13: what waits of a pod that is gone is never told of the pod that takes its place', async () => {
    const { clock, source, queue, reports, ready } = start({ before: twoJobs(aPod('a-1', 'a')) });
    await ready();
    await reports();
    queue.closed = true;
    source.put('pods', aPod('a-1', 'a', { phase: 'Failed' }));
    await clock.advance(300);
    source.put('pods', aPod('a-1', 'a', { phase: 'Succeeded' }));
    source.remove('pods', 'uid-a-1');
    source.put('pods', aPod('b-1', 'b'));
    await clock.advance(300);
    queue.closed = false;
    await clock.advance(40_000);
    const told = await reports();
    expect(told.map(brief)).toEqual([
      { job: 'a', pods: ['a-1 deleted'] },
      { job: 'b', pods: ['b-1 Running'] },
    ]);
  });

  test('a pod that goes and comes back before that was told is told once, as it is', async () => {
    const { clock, source, reports, ready } = start({ before: twoJobs(aPod('p', 'a')) });
    await ready();
    await reports();
    source.put('pods', aPod('p', 'b'));
    source.put('pods', aPod('p', 'a'));
    await clock.advance(300);
    const told = (await reports()).map(({ owner, pods }) => [owner.name, ...pods.map(({ pod }) => pod.controller?.name)]);
    expect(told.toSorted(([a = ''], [b = '']) => a.localeCompare(b))).toEqual([
      ['a', 'a'],
      ['b', 'a'],
    ]);
  });

  test('a pod that is released is told to the one that had it, and no more afterwards', async () => {
    const { clock, source, reports, ready } = start({
      before: (api) => {
        api.put('jobs', aJob('a'));
        api.put('pods', aPod('p', 'a'));
      },
    });
    await ready();
    await reports();
    source.put('pods', aPod('p', undefined, { tracked: false }));
    await clock.advance(300);
    const [report] = await reports();
    expect(report?.owner.name).toBe('a');
    expect(report?.pods[0]?.pod.controller).toBeUndefined();
    source.put('pods', aPod('p', undefined, { tracked: false, phase: 'Failed' }));
    await clock.advance(300);
    expect(await reports()).toEqual([]);
  });

  test('what another controller manages is left out, but never a pod with our finalizer whose Job is unknown', async () => {
    const { clock, source, reports, ready } = start({
      manage: 'own',
      before: (api) => {
        api.put('jobs', aJob('ours', { managedBy: 'farloop.dev/job' }));
        api.put('jobs', aJob('builtin'));
        api.put('jobs', aJob('foreign', { managedBy: 'example.com/other' }));
        for (const job of ['ours', 'builtin', 'foreign', 'unknown']) api.put('pods', aPod(`${job}-1`, job));
        api.put('pods', aPod('orphan', undefined));
        api.put('pods', aPod('set-1', undefined, { tracked: false }));
      },
    });
    await ready();
    expect((await reports()).map(({ owner }) => owner.name)).toEqual(['ours', 'unknown', 'orphan']);
    source.remove('jobs', 'uid-foreign');
    source.remove('pods', 'uid-foreign-1');
    await clock.advance(300);
    expect(await reports()).toEqual([]);
  });

  test('case 151: an orphan with the labels of a Job is that Job’s business', async () => {
    const { reports, ready } = start({
      before: (api) => {
        api.put('jobs', aJob('a'));
        api.put('pods', aPod('orphan', undefined, { tracked: false, labels: { 'controller-uid': 'uid-a', 'job-name': 'a' } }));
      },
    });
    await ready();
    expect((await reports()).map(brief)).toMatchObject([{ job: 'a', pods: ['orphan Running'] }]);
  });

  test('one watch per namespace and resource where namespaces are named', async () => {
    const { source, reports, ready, relay } = start({
      namespaces: ['one', 'two'],
      before: (api) => {
        for (const namespace of ['one', 'two', 'three']) {
          api.put('jobs', aJob(`in-${namespace}`, { namespace, uid: `uid-in-${namespace}` }));
          api.put('pods', aPod(`pod-${namespace}`, `in-${namespace}`, { namespace }));
        }
      },
    });
    await ready();
    expect((await reports()).map(({ owner }) => owner.name)).toEqual(['in-one', 'in-two']);
    expect(source.openWatches).toBe(4);
    expect(relay.status().watches.map(({ resource }) => resource)).toEqual(['jobs:one', 'pods:one', 'jobs:two', 'pods:two']);
  });
});

describe('when things break', () => {
  test('R19: after a 410 everything is listed again, and what is gone shows by the whole list alone', async () => {
    const { clock, source, messages, ready } = start({
      before: (api) => {
        api.put('jobs', aJob('a'));
        api.put('pods', aPod('a-1', 'a'));
        api.put('pods', aPod('a-2', 'a'));
      },
    });
    await ready();
    await messages();
    source.mute = true;
    source.remove('pods', 'uid-a-1');
    source.mute = false;
    source.forget();
    await clock.advance(10_000);
    const all = await messages();
    const reports = all.flatMap((message) => message.reports).map(brief);
    expect(reports.at(-1)).toEqual({ job: 'a', observed: expect.any(String), pods: ['a-2 Running'], whole: '105' });
    expect(all.flatMap((message) => message.reports.flatMap(({ pods }) => pods)).some(({ deleted }) => deleted)).toBe(false);
    expect(all.at(-1)?.heartbeat?.fullList?.resourceVersion).toBe('105');
  });

  test('a broken watch goes on where it was: nothing is listed again, nothing is missed', async () => {
    const { clock, source, reports, ready } = start({ before: (api) => api.put('jobs', aJob('a')) });
    await ready();
    await reports();
    const isWhole = (call: string): boolean => call.startsWith('list') && !call.endsWith('metadata');
    const lists = source.calls.filter(isWhole).length;
    source.breakWatches();
    source.put('pods', aPod('a-1', 'a'));
    await clock.advance(10_000);
    expect((await reports()).map(brief)).toEqual([{ job: 'a', pods: ['a-1 Running'] }]);
    expect(source.calls.filter(isWhole)).toHaveLength(lists);
  });

  test('Retry-After is waited for', async () => {
    const { clock, source, ready } = start({ before: (api) => api.put('jobs', aJob('a')) });
    await ready();
    source.faults.push({ verb: 'watch', error: new ThrottledError('slow down', { retryAfterSeconds: 20 }) });
    source.breakWatches('end');
    await clock.advance(15_000);
    expect(source.openWatches).toBe(1);
    await clock.advance(7_000);
    expect(source.openWatches).toBe(2);
  });

  test('a watch that keeps silent is opened anew, and told of', async () => {
    const { clock, source, log, ready } = start();
    await ready();
    const watches = (): number => source.calls.filter((call) => call.startsWith('watch')).length;
    const before = watches();
    for (let minute = 0; minute < 5; minute += 1) {
      source.bookmark();
      await clock.advance(60_000);
    }
    expect(watches()).toBe(before);
    await clock.advance(130_000);
    expect(watches()).toBeGreaterThanOrEqual(before + 2);
    expect(log).toContainEqual({ level: 'warn', message: 'watch is silent' });
  });

  test('an event that the watch skipped is found by the list of metadata', async () => {
    const { clock, source, reports, log, ready } = start({
      options: { auditMs: 120_000 },
      before: (api) => {
        api.put('jobs', aJob('a'));
        api.put('pods', aPod('a-1', 'a'));
        api.put('pods', aPod('a-2', 'a'));
      },
    });
    await ready();
    await reports();
    source.mute = true;
    source.remove('pods', 'uid-a-1');
    source.put('pods', aPod('a-2', 'a', { phase: 'Succeeded' }));
    source.mute = false;
    for (let minute = 0; minute < 3; minute += 1) {
      source.bookmark();
      await clock.advance(60_000);
    }
    expect((await reports()).map(brief).at(-1)).toMatchObject({ job: 'a', pods: ['a-2 Succeeded'], whole: expect.any(String) });
    expect(log).toContainEqual({ level: 'error', message: 'watch has skipped events' });
  });

  test('a comparison that finds nothing lists nothing again and says nothing', async () => {
    const { clock, source, reports, ready } = start({
      options: { auditMs: 50_000 },
      manage: 'own',
      before: (api) => {
        api.put('jobs', aJob('a', { managedBy: 'farloop.dev/job' }));
        api.put('jobs', aJob('builtin'));
        api.put('pods', aPod('a-1', 'a'));
        api.put('pods', aPod('builtin-1', 'builtin'));
        api.put('pods', aPod('nobody', undefined, { tracked: false }));
      },
    });
    await ready();
    await reports();
    await clock.advance(55_000);
    expect(source.calls.filter((call) => call.endsWith('metadata'))).toHaveLength(2);
    expect(await reports()).toEqual([]);
  });

  test('while the queue refuses, only the newest state of each object is kept, and all of it arrives in the end', async () => {
    const { clock, source, queue, messages, ready, relay } = start({ before: (api) => api.put('jobs', aJob('a')) });
    await ready();
    await messages();
    queue.closed = true;
    for (let round = 0; round < 50; round += 1) {
      for (let pod = 0; pod < 20; pod += 1) source.put('pods', aPod(`a-${pod}`, 'a', { phase: round === 49 ? 'Succeeded' : 'Running' }));
      await clock.advance(1_000);
    }
    expect(queue.refused).toBeGreaterThan(3);
    expect(queue.refused).toBeLessThan(50);
    expect(relay.status().waiting).toBeLessThanOrEqual(1);
    queue.closed = false;
    await clock.advance(40_000);
    const told = (await messages()).flatMap(({ reports }) => reports.flatMap(({ pods }) => pods));
    expect(told.length).toBeLessThanOrEqual(40);
    const last = new Map(told.map(({ pod }) => [pod.name, pod.phase]));
    expect([...last.values()]).toEqual(Array.from({ length: 20 }, () => 'Succeeded'));
  });

  test('R13: a pod whose owner could not be named leaves the others’ message readable', async () => {
    const { reports, ready } = start({
      before: (api) => {
        api.put('jobs', aJob('a'));
        api.put('pods', aPod('a-1', 'a'));
        api.put('pods', aPod('bad-1', 'Not A Name!'));
        const huge = aPod('a-2', 'a');
        api.put('pods', {
          ...huge,
          metadata: { ...huge.metadata, annotations: { 'batch.kubernetes.io/job-completion-index': 'x'.repeat(5_000) } },
        });
      },
    });
    await ready();
    expect((await reports()).map(brief)).toMatchObject([{ job: 'a', pods: ['a-1 Running'] }]);
  });
});

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

  test('asked for everything, it lists again; an ask that crossed a full list is answered by it', async () => {
    const { clock, queue, messages, ready } = start({ before: (api) => api.put('jobs', aJob('a')) });
    await ready();
    await messages();
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'everything', era: 3 }) }]);
    await clock.advance(2_000);
    expect(await messages()).toEqual([]);
    await clock.advance(30_000);
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'everything', era: 3 }) }]);
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
    await queue.inner.send('relay-west', [{ body: 'not an ask' }, { body: encodeAsk({ ask: 'everything', era: 3 }) }]);
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
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'everything', era: 3 }) }]);
    await clock.advance(2_000);
    expect((await messages()).flatMap(({ reports }) => reports).map(brief)).toMatchObject([{ job: 'a', whole: expect.any(String) }]);
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
