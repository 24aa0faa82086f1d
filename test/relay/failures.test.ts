// What the relay makes of watches that end, fall silent or skip, of an API server that refuses, and of a queue that does.
import { afterEach, describe, expect, test } from '@jest/globals';
import { ThrottledError } from '../../lib/ports/errors.ts';
import { brief, endRelays, start } from './relay-bench.ts';
import { aJob, aPod } from './scripted-source.ts';
import { podsIn } from '../wire/told-children.ts';

afterEach(endRelays);

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
    expect(all.flatMap((message) => message.reports.flatMap(podsIn)).some(({ presence }) => presence === 'deleted')).toBe(false);
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
      manages: ['jobs'],
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
    const told = (await messages()).flatMap(({ reports }) => reports.flatMap(podsIn));
    expect(told.length).toBeLessThanOrEqual(40);
    const last = new Map(told.map(({ child: pod }) => [pod.name, pod.phase]));
    expect([...last.values()]).toEqual(Array.from({ length: 20 }, () => 'Succeeded'));
  });

  test('R13: a pod whose owner could not be named leaves the others’ message readable, and so does an index that is none', async () => {
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
    expect((await reports()).map(brief)).toMatchObject([{ job: 'a', pods: ['a-1 Running', 'a-2 Running'] }]);
  });
});
