// A relay of two kinds: what they share is watched once, and trouble with one holds nobody else up.
import { afterEach, describe, expect, test } from '@jest/globals';
import { ALL_FACTS } from '../../lib/kinds/facts.ts';
import { TerminalError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import { encodeAsk } from '../../lib/wire/messages.ts';
import type { EventMessage } from '../../lib/wire/words/observations.ts';
import { anEnsemble, aPodOf, ensembleFacts, notServed, refused } from './ensemble.ts';
import { brief, endRelays, start, type Bench } from './relay-bench.ts';
import { aJob, aPod, type ScriptedSource } from './scripted-source.ts';
import { podsIn } from '../wire/told-children.ts';

afterEach(endRelays);

const both = { kinds: [...ALL_FACTS, ensembleFacts], manages: ['all-jobs', 'ensembles'] };

function oneOfEach(api: ScriptedSource): void {
  api.put('jobs', aJob('a'));
  api.put('ensembles', anEnsemble('e'));
  api.put('pods', aPod('a-1', 'a'));
  api.put('pods', aPodOf('e-0', 'e'));
}

const failing =
  (error: Error) =>
  (api: ScriptedSource): void => {
    oneOfEach(api);
    api.failing.set('ensembles', error);
  };

/** Of the owners and pods that were told. */
const told = (messages: readonly EventMessage[]): string[] =>
  messages
    .flatMap(({ reports }) => reports)
    .flatMap((report) => [`${report.owner.kind} ${report.owner.name}`, ...podsIn(report).map(({ child: pod }) => pod.name)]);
const fullLists = (messages: readonly EventMessage[]): string[] =>
  messages.flatMap(({ heartbeat }) => heartbeat?.fullList?.resourceVersion ?? []);
const watchesIn = (messages: readonly EventMessage[]): string[] | undefined =>
  messages
    .findLast(({ heartbeat }) => heartbeat)
    ?.heartbeat?.watches.map(({ resource, refused: is }) => `${resource}${is ? ' refused' : ''}`);
const digestsIn = (messages: readonly EventMessage[]): string[] =>
  messages.flatMap(({ heartbeat }) => heartbeat?.digests ?? []).map(({ owner: { kind, name } }) => `${kind} ${name}`);
const listsOf = ({ source }: Bench, plural: string): number => source.calls.filter((call) => call === `list ${plural}`).length;

async function ready(before: (api: ScriptedSource) => void, options: Parameters<typeof start>[0] = {}): Promise<Bench> {
  const bench = start({ ...both, before, ...options });
  await bench.ready();
  return bench;
}

describe('two kinds that consist of pods', () => {
  test('share the watch of the pods, which are listed once the owners of both are', async () => {
    const bench = await ready(oneOfEach);
    const asked = bench.source.calls.filter((call) => call.startsWith('list') || call.startsWith('watch'));
    expect(asked.map((call) => call.replace(/ \d+$/, '')).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'list ensembles',
      'list jobs',
      'list pods',
      'watch ensembles',
      'watch jobs',
      'watch pods',
    ]);
    expect(asked.indexOf('list pods')).toBeGreaterThan(Math.max(asked.indexOf('list jobs'), asked.indexOf('list ensembles')));
    const messages = await bench.messages();
    expect(messages.flatMap(({ reports }) => reports).map(brief)).toEqual([
      { job: 'a', observed: '102', pods: ['a-1 Running'], whole: '105' },
      { job: 'e', observed: '103', pods: ['e-0 Running'], whole: '105' },
    ]);
    expect(watchesIn(messages)).toEqual(['jobs', 'ensembles.example.com', 'pods']);
    expect(fullLists(messages)).toEqual(['105']);
  });

  test('are followed each by its own rows: changes, ends, digests, asks', async () => {
    const { clock, source, queue, messages } = await ready(oneOfEach);
    await messages();
    source.put('pods', aPodOf('e-1', 'e'));
    await clock.advance(1_000);
    expect(told(await messages())).toEqual(['Ensemble e', 'e-1']);
    await clock.advance(60_000);
    expect(new Set(digestsIn(await messages()))).toEqual(new Set(['Job a', 'Ensemble e']));
    const owner = { kind: 'Ensemble', namespace: 'default', name: 'e', uid: 'uid-e' };
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'workload', owner }) }]);
    await clock.advance(1_000);
    expect(source.calls).toContain('get ensembles e');
    expect(told(await messages())).toEqual(['Ensemble e', 'e-0', 'e-1']);
    source.remove('ensembles', 'uid-e');
    await clock.advance(1_000);
    expect((await messages()).flatMap(({ reports }) => reports).map(brief)).toEqual([{ job: 'e', observed: 'deleted', pods: [] }]);
  });

  test('are counted by their controllers only where the row says so', async () => {
    const { clock, messages } = await ready((api) => {
      api.put('jobs', aJob('of-another', { managedBy: 'example.com/jobs' }));
      api.put('ensembles', anEnsemble('of-another-too', { managedBy: 'example.com/ensembles' }));
    });
    await clock.advance(60_000);
    const beat = (await messages()).findLast(({ heartbeat }) => heartbeat)?.heartbeat;
    expect(beat?.externalJobs?.reduce((sum, { count }) => sum + count, 0)).toBe(1);
  });

  test('a relay of one of them neither asks for the other nor tells of its pods', async () => {
    const bench = await ready(oneOfEach, { manages: ['ensembles'] });
    expect(bench.source.calls.filter((call) => call.includes('jobs'))).toEqual([]);
    expect(told(await bench.messages())).toEqual(['Ensemble e', 'e-0']);
  });
});

describe('a kind whose resource is not served', () => {
  test('is no trouble: it is asked for every 4 s, and no other kind waits for it', async () => {
    const bench = await ready(failing(notServed()));
    const { clock, source, messages, log } = bench;
    const first = await messages();
    expect(told(first)).toEqual(['Job a', 'a-1']);
    expect(fullLists(first)).toHaveLength(1);
    expect(watchesIn(first)).toEqual(['jobs', 'pods']);
    for (let minute = 0; minute < 10; minute++) {
      source.bookmark();
      await clock.advance(60_000);
    }
    expect(listsOf(bench, 'ensembles')).toBe(151);
    expect(listsOf(bench, 'pods')).toBe(1);
    const later = await messages();
    expect(told(later)).toEqual([]);
    expect(new Set(digestsIn(later))).toEqual(new Set(['Job a']));
    expect(log.filter(({ level }) => level !== 'info' && level !== 'debug')).toEqual([]);
  });

  test('is watched within a minute of its coming, and what waited is told by whole lists', async () => {
    const { clock, source, messages } = await ready(failing(notServed()));
    source.put('pods', aPodOf('e-1', 'e'));
    await clock.advance(5_000);
    await messages();
    source.failing.clear();
    await clock.advance(61_000);
    const back = await messages();
    const reports = back.flatMap((message) => message.reports).map(brief);
    expect(reports).toContainEqual({ job: 'e', observed: '103', pods: ['e-0 Running', 'e-1 Running'], whole: '106' });
    expect(watchesIn(back)).toEqual(['jobs', 'ensembles.example.com', 'pods']);
    expect(fullLists(back)).toEqual(['106']);
  });

  test('that goes is told of once: a full list that does not name its workloads has them looked up', async () => {
    const bench = await ready(oneOfEach);
    const { clock, source, messages, log } = bench;
    await messages();
    source.put('pods', aPod('a-2', 'a'));
    source.failing.set('ensembles', notServed());
    source.breakWatches('end');
    await clock.advance(20_000);
    const gone = await messages();
    expect(told(gone).filter((name) => name.includes('e'))).toEqual([]);
    expect(fullLists(gone)).toEqual(['106']);
    expect(watchesIn(gone)).toEqual(['jobs', 'pods']);
    expect(log.filter(({ message }) => message.includes('does not serve'))).toHaveLength(1);
    await clock.advance(300_000);
    const later = await messages();
    expect(fullLists(later)).toEqual([]);
    expect(new Set(digestsIn(later))).toEqual(new Set(['Job a']));
    source.failing.clear();
    await clock.advance(61_000);
    expect(told(await messages())).toContain('Ensemble e');
  });

  test('alone is no reason not to be ready', async () => {
    const bench = await ready(failing(notServed()), { manages: ['ensembles'] });
    const messages = await bench.messages();
    expect(told(messages)).toEqual([]);
    expect(watchesIn(messages)).toEqual([]);
    expect(listsOf(bench, 'pods')).toBe(0);
    bench.source.failing.clear();
    await bench.clock.advance(61_000);
    expect(told(await bench.messages())).toEqual(['Ensemble e', 'e-0']);
  });

  test('is believed to be gone once a list says so: one API server of several may lag', async () => {
    const { clock, source, messages, log } = await ready(oneOfEach);
    await messages();
    source.failing.set('ensembles', notServed());
    source.breakWatches();
    const isLookedAt = (): boolean => source.calls.includes('list ensembles metadata');
    for (let step = 0; step < 100 && !isLookedAt(); step++) await clock.advance(50);
    expect(isLookedAt()).toBe(true);
    source.failing.clear();
    await clock.advance(60_000);
    expect(watchesIn(await messages())).toContain('ensembles.example.com');
    expect(log.filter(({ message }) => message.includes('does not serve'))).toEqual([]);
  });

  test('of Kubernetes itself is refused as ever: no start can succeed without it', async () => {
    const bench = start({ before: (api) => api.failing.set('jobs', notServed()) });
    await bench.clock.advance(2_000);
    await expect(bench.relay.ready).rejects.toThrow(TerminalError);
  });
});

describe('R13: a kind whose resource cannot be listed', () => {
  test('keeps no other from being ready, and is named', async () => {
    const { clock, source, messages, log } = await ready(failing(refused()));
    const first = await messages();
    expect(told(first)).toEqual(['Job a', 'a-1']);
    expect(fullLists(first)).toHaveLength(1);
    expect(watchesIn(first)).toEqual(['jobs', 'ensembles.example.com refused', 'pods']);
    expect(log).toContainEqual({ level: 'error', message: 'cluster refuses to be watched' });
    source.put('pods', aPodOf('e-1', 'e'));
    await clock.advance(60_000);
    expect(told(await messages())).toEqual([]);
    source.failing.clear();
    await clock.advance(20_000);
    expect(told(await messages())).toEqual(['Job a', 'a-1', 'Ensemble e', 'e-0', 'e-1']);
  });

  test('because it always fails is waited for a moment, and then no longer', async () => {
    const { clock, source, messages } = start({ ...both, before: failing(new UnknownOutcomeError('conversion webhook')) });
    await clock.advance(500);
    expect(source.calls).not.toContain('list pods');
    await clock.advance(60_000);
    const first = await messages();
    expect(told(first)).toEqual(['Job a', 'a-1']);
    expect(fullLists(first)).toHaveLength(1);
    source.failing.clear();
    await clock.advance(20_000);
    expect(told(await messages())).toContain('Ensemble e');
  });

  test('none of them: the start ends in a sentence', async () => {
    const { clock, relay } = start({
      ...both,
      before: (api) => {
        for (const plural of ['jobs', 'ensembles']) api.failing.set(plural, refused());
      },
    });
    await clock.advance(2_000);
    await expect(relay.ready).rejects.toThrow('forbidden');
  });
});
