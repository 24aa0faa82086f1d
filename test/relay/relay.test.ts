// The relay against a scripted API server on a virtual clock: what reaches the events queue, from its first lists on.
import { afterEach, describe, expect, test } from '@jest/globals';
import { NotDoneError, TerminalError } from '../../lib/ports/errors.ts';
import { brief, endRelays, start, twoJobs } from './relay-bench.ts';
import type { ScriptedSource } from './scripted-source.ts';
import { aJob, aPod } from './scripted-source.ts';
import { podListIn, podsIn } from '../wire/told-children.ts';

afterEach(endRelays);

const refusals = (count: number) => (api: ScriptedSource) => {
  for (let at = 0; at < count; at += 1) api.faults.push({ verb: 'get', error: new NotDoneError('nothing listens there') });
};

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

  test('R13: objects too large for whole pages are listed in smaller ones, and what is large hides nothing else', async () => {
    const { clock, source, relay, reports } = start({
      options: { pageSize: 40 },
      before: (api) => {
        api.mostAnswered = 6;
        api.put('jobs', aJob('a'));
        for (let at = 0; at < 60; at += 1) api.put('pods', aPod(`a-${at}`, 'a'));
      },
    });
    await clock.advance(60_000);
    await relay.ready;
    expect((await reports()).flatMap(podsIn)).toHaveLength(60);
    // Once they are gone, pages are whole again.
    source.mostAnswered = Infinity;
    for (let round = 0; round < 4; round += 1) {
      source.forget();
      await clock.advance(30_000);
    }
    source.calls.length = 0;
    source.forget();
    await clock.advance(30_000);
    expect(source.calls.slice(0, 3)).toEqual(['list pods', 'list pods', 'watch pods 162']);
  });

  test.each([
    {
      name: 'Jobs that are far larger unpacked than on their way',
      before: (api: ScriptedSource): void => {
        const prefix = 'a'.repeat(300);
        const labels = Object.fromEntries(Array.from({ length: 180 }, (_, at) => [`${prefix}/k${at}`, 'v'.repeat(50)]));
        for (let at = 0; at < 300; at += 1) {
          const job = aJob(`j${at}`);
          api.put('jobs', { ...job, metadata: { ...job.metadata, labels } });
        }
      },
      jobs: 300,
      pods: 0,
    },
    {
      name: 'pods of which each is of its own kind',
      before: (api: ScriptedSource): void => {
        api.put('jobs', aJob('a'));
        for (let at = 0; at < 10_500; at += 1) api.put('pods', aPod(`a-${at}`, 'a', { labels: { which: String(at) } }));
      },
      jobs: 1,
      pods: 10_500,
    },
  ])('R13: $name are told in messages that can be read', async ({ before, jobs, pods }) => {
    const { clock, relay, reports } = start({ before });
    await clock.advance(5_000);
    await relay.ready;
    const told = await reports();
    expect(told.filter(({ observed }) => observed)).toHaveLength(jobs);
    expect(told.flatMap(podsIn)).toHaveLength(pods);
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
    expect(report && podsIn(report).map(({ heardAt, child }) => [heardAt, child.resourceVersion])).toEqual([
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
    expect(wholes.map((report) => podListIn(report)?.slots)).toEqual([
      { from: 0, to: 10 },
      { from: 10, to: 20 },
      { from: 20, to: 30 },
      { from: 30, to: 2 ** 32 },
    ]);
    expect(wholes.map((report) => podsIn(report).length)).toEqual([10, 10, 10, 5]);
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
  test('the first news after a quiet time is sent at once, and what follows goes in one message, newest state only', async () => {
    const { clock, source, messages, ready } = start();
    await ready();
    await messages();
    source.put('jobs', aJob('first'));
    await clock.advance(2);
    expect((await messages()).flatMap(({ reports }) => reports.map(brief))).toEqual([
      { job: 'first', observed: expect.any(String), pods: [] },
    ]);
    for (const name of ['a', 'b', 'c']) {
      await clock.advance(1);
      source.put('jobs', aJob(name));
      source.put('pods', aPod(`${name}-1`, name, { phase: 'Pending' }));
      source.put('pods', aPod(`${name}-1`, name, { phase: 'Running' }));
      source.put('pods', aPod(`${name}-1`, name, { phase: 'Succeeded' }));
    }
    await clock.advance(97);
    expect(await messages()).toEqual([]);
    await clock.advance(200);
    const all = await messages();
    expect(all).toHaveLength(1);
    expect(all[0]?.reports.map(brief)).toEqual(
      ['a', 'b', 'c'].map((job) => ({ job, observed: expect.any(String), pods: [`${job}-1 Succeeded`] })),
    );
  });

  describe('after a quiet time', () => {
    const quiet = async (options: Parameters<typeof start>[0] = {}): Promise<ReturnType<typeof start>> => {
      const bench = start({
        ...options,
        before: (api) => {
          api.put('jobs', aJob('single', { generation: 1 }));
          api.put('pods', aPod('single-1', 'single'));
          api.put('jobs', aJob('pair', { generation: 1 }));
          for (const name of ['pair-1', 'pair-2']) api.put('pods', aPod(name, 'pair'));
        },
      });
      await bench.ready();
      await bench.messages();
      return bench;
    };
    const cases: [name: string, change: (api: ScriptedSource) => void, afterMs: number][] = [
      ['a new Job', (api) => void api.put('jobs', aJob('new')), 2],
      ['a Job with another spec', (api) => void api.put('jobs', aJob('single', { generation: 2 })), 2],
      ['a Job that is gone', (api) => api.remove('jobs', 'uid-single'), 2],
      ['the only pod of a Job', (api) => void api.put('pods', aPod('single-1', 'single', { phase: 'Succeeded' })), 2],
      ['a deleted pod, none left', (api) => api.remove('pods', 'uid-single-1'), 2],
      // Written by a pass: its pods follow.
      ['a Job with another status', (api) => void api.put('jobs', aJob('single', { generation: 1 })), 100],
      // A pass for it alone would have the other wait for a second (R9).
      ['one of two pods', (api) => void api.put('pods', aPod('pair-1', 'pair', { phase: 'Succeeded' })), 100],
    ];

    test.each(cases)('%s is told of within so many milliseconds', async (_, change, afterMs) => {
      const { clock, source, messages } = await quiet();
      change(source);
      if (afterMs > 2) {
        await clock.advance(afterMs - 1);
        expect(await messages()).toEqual([]);
      }
      await clock.advance(afterMs > 2 ? 1 : 2);
      expect(await messages()).toHaveLength(1);
    });

    test('news of a Job waits no longer because news of pods does', async () => {
      const { clock, source, messages } = await quiet({ options: { podsEveryMs: 500 } });
      source.put('jobs', aJob('single', { generation: 2 }));
      await clock.advance(2);
      source.put('pods', aPod('pair-1', 'pair', { phase: 'Succeeded' }));
      await clock.advance(250);
      expect(await messages()).toHaveLength(1);
      source.put('jobs', aJob('single', { generation: 3 }));
      await clock.advance(2);
      expect((await messages()).flatMap(({ reports }) => reports.map(({ owner }) => owner.name))).toEqual(['pair', 'single']);
    });

    test('a stream of changes takes no more than one message more than its tenths of a second', async () => {
      const { clock, source, messages } = await quiet();
      for (let at = 1; at <= 200; at += 1) {
        source.put('jobs', aJob('single', { generation: at + 1 }));
        await clock.advance(5);
      }
      await clock.advance(100);
      expect((await messages()).length).toBeLessThanOrEqual(11);
    });
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
    expect(report && podsIn(report)[0]?.heardAt).toBe('104');
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
    for (const report of told) expect(podsIn(report)[0]?.child.controller?.name).toBe('b');
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
    const told = (await reports()).map((report) => [report.owner.name, ...podsIn(report).map(({ child: pod }) => pod.controller?.name)]);
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
    expect(report && podsIn(report)[0]).toMatchObject({ child: { name: 'p' } });
    expect(report && podsIn(report)[0]?.child.controller).toBeUndefined();
    source.put('pods', aPod('p', undefined, { tracked: false, phase: 'Failed' }));
    await clock.advance(300);
    expect(await reports()).toEqual([]);
  });

  test('what another controller manages is left out, but never a pod with our finalizer whose Job is unknown', async () => {
    const { clock, source, reports, ready } = start({
      manages: ['jobs'],
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

  test('Jobs of other managers are told of in heartbeats, once each as they come, whatever becomes of them', async () => {
    const { clock, source, messages, ready } = start({
      before: (api) => {
        api.put('jobs', aJob('ours', { managedBy: 'farloop.dev/job' }));
        api.put('jobs', aJob('reserved', { managedBy: 'kubernetes.io/job-controller' }));
        api.put('jobs', aJob('builtin'));
        api.put('jobs', aJob('foreign', { managedBy: 'example.com/other' }));
      },
    });
    const told = async (): Promise<unknown> => (await messages()).findLast(({ heartbeat }) => heartbeat)?.heartbeat?.externalJobs;
    await ready();
    const foreign = { controllerName: 'example.com/other', count: 1 };
    expect(await told()).toEqual([foreign]);
    // Changed, and listed anew: it is the same one.
    source.put('jobs', aJob('foreign', { managedBy: 'example.com/other' }));
    source.forget();
    await clock.advance(30_000);
    for (const name of ['late', 'later']) source.put('jobs', aJob(name, { managedBy: 'example.com/third' }));
    await clock.advance(60_000);
    expect(await told()).toEqual([foreign, { controllerName: 'example.com/third', count: 2 }]);
  });

  test('R15: so many managers are told apart, and none that would make the message unreadable', async () => {
    const names = Array.from({ length: 30 }, (_none, at) => `example.com/${at}`);
    const { messages, ready } = start({
      before: (api) => {
        for (const [at, managedBy] of ['with a blank', 'l/'.padEnd(64, 'o'), ...names].entries())
          api.put('jobs', aJob(`job-${at}`, { managedBy }));
      },
    });
    await ready();
    const told = (await messages()).findLast(({ heartbeat }) => heartbeat)?.heartbeat?.externalJobs ?? [];
    expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(32);
    expect(told.length).toBeLessThanOrEqual(21);
    expect(told.filter(({ count }) => count > 1).map(({ controllerName }) => controllerName)).toEqual(['other']);
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
