// Children other than pods: what of them is news, and which list says that they are gone.
import { afterEach, describe, expect, test } from '@jest/globals';
import { ALL_FACTS } from '../../../lib/kinds/facts.ts';
import { ExpiredError } from '../../../lib/ports/errors.ts';
import { childText as textOf, presenceOf } from '../../../lib/objects/child-state.ts';
import { MOST_CHILDREN } from '../../../lib/wire/packing/child-columns.ts';
import { digestOf } from '../../../lib/wire/words/digest.ts';
import { encodeAsk } from '../../../lib/wire/messages.ts';
import type { ChildObservation, EventMessage, WorkloadReport } from '../../../lib/wire/words/observations.ts';
import { aChild, anEnsemble, aPodOf, notServed, stagedFacts } from '../ensemble.ts';
import { endRelays, start, type Bench } from '../relay-bench.ts';
import { aJob, aPod, type ScriptedSource } from '../scripted-source.ts';
import { othersIn, podListIn, podsIn } from '../../wire/told-children.ts';

afterEach(endRelays);

const both = { kinds: [...ALL_FACTS, stagedFacts], manages: ['all-jobs', 'ensembles'] };

function anOrchestra(api: ScriptedSource): void {
  api.put('jobs', aJob('a'));
  api.put('pods', aPod('a-1', 'a'));
  api.put('ensembles', anEnsemble('e'));
  api.put('pods', aPodOf('e-0', 'e'));
  api.put('stages', aChild('stage', 'e'));
  api.put('scalers', aChild('scaler', 'e'));
}

async function ready(before: (api: ScriptedSource) => void): Promise<Bench> {
  const bench = start({ ...both, before });
  await bench.ready();
  return bench;
}

const childText = ({ presence, heardAt, child }: ChildObservation): string =>
  `${child.name} ${presence} ${heardAt} ${JSON.stringify(child.part.facts)}`;
function brief(report: WorkloadReport) {
  const [whole, others] = [podListIn(report), othersIn(report)];
  const lists = others.flatMap(({ resource, whole: list }) =>
    list ? [`${resource} ${list.floor}${list.isSelected ? ' selected' : ''}`] : [],
  );
  return {
    of: report.owner.name,
    pods: podsIn(report).map(({ child }) => child.name),
    ...(whole && { whole: whole.floor }),
    ...(others.length > 0 && { children: others.flatMap(({ children }) => children.map(childText)) }),
    ...(lists.length > 0 && { lists }),
  };
}
const told = (messages: readonly EventMessage[]): ReturnType<typeof brief>[] => messages.flatMap(({ reports }) => reports).map(brief);

/** Bookmarks keep the watches from falling silent. */
async function pass(minutes: number, { source, clock }: Bench, each: () => void = () => {}): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    each();
    source.bookmark();
    await clock.advance(60_000);
  }
}

describe('children other than pods', () => {
  test('are listed after their owners, and told in whole lists, each with a floor of its own; Jobs travel apart (trap 11)', async () => {
    const { source, messages } = await ready(anOrchestra);
    const asked = source.calls.filter((call) => call.startsWith('list '));
    expect(asked.slice(0, 2)).toEqual(['list jobs', 'list ensembles']);
    expect(new Set(asked)).toEqual(new Set(['list jobs', 'list ensembles', 'list pods', 'list stages', 'list scalers']));
    const all = await messages();
    const reports = all.map(({ reports: ofMessage }) => ofMessage.map(brief)).filter((ofMessage) => ofMessage.length > 0);
    expect(reports).toEqual([
      [{ of: 'a', pods: ['a-1'], whole: '107' }],
      [
        {
          of: 'e',
          pods: ['e-0'],
          whole: '107',
          children: ['stage there 107 {"port":80}', 'scaler there 107 {"port":80}'],
          lists: ['stages.example.com 107 selected', 'scalers.example.com 107'],
        },
      ],
    ]);
    expect(all.flatMap(({ heartbeat }) => heartbeat?.fullList ?? [])).toHaveLength(1);
  });

  test('R19: more of them than a message holds are reported all the same, and no part of their list claims to be whole', async () => {
    const { messages } = await ready((api) => {
      anOrchestra(api);
      for (let at = 0; at <= MOST_CHILDREN; at++) api.put('scalers', aChild(`scaler-${at}`, 'e'));
    });
    const reports = (await messages()).flatMap(({ reports: ofMessage }) => ofMessage).filter(({ owner }) => owner.name === 'e');
    const names = reports.flatMap(othersIn).flatMap(({ children }) => children.map(({ child }) => child.name));
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => name.startsWith('scaler-'))).toHaveLength(MOST_CHILDREN + 1);
    expect(reports.flatMap(othersIn).flatMap(({ resource, whole }) => (whole ? [resource] : []))).toEqual(['stages.example.com']);
    expect(reports.flatMap((report) => podListIn(report)?.floor ?? [])).toHaveLength(1);
  });

  test('R3: a list of one resource raises the floor of that resource alone', async () => {
    const { clock, source, messages } = await ready(anOrchestra);
    await messages();
    source.failing.set('stages', new ExpiredError('too old'));
    source.breakWatches('end');
    source.put('pods', aPod('a-2', 'a'));
    await clock.advance(400);
    source.failing.clear();
    await clock.advance(20_000);
    expect(told(await messages()).filter(({ of }) => of === 'e')).toEqual([
      { of: 'e', pods: [], children: ['stage there 108 {"port":80}'], lists: ['stages.example.com 108 selected'] },
    ]);
  });

  test('R3: each resource has versions of its own: what a list shows, and what it raises, is at the version of that list', async () => {
    const { clock, source, messages } = await ready((api) => {
      for (const [at, plural] of ['scalers', 'pods', 'ensembles', 'stages', 'jobs'].entries()) api.ahead.set(plural, at * 1_000);
      anOrchestra(api);
    });
    const before = (await messages()).flatMap(({ reports }) => reports);
    expect(before.map((report) => [report.owner.name, report.observed?.heardAt, podsIn(report).map(({ heardAt }) => heardAt)])).toEqual([
      ['a', '4107', ['1107']],
      ['e', '2107', ['1107']],
    ]);
    expect(before.map(brief)).toEqual([
      { of: 'a', pods: ['a-1'], whole: '1107' },
      {
        of: 'e',
        pods: ['e-0'],
        whole: '1107',
        children: ['stage there 3107 {"port":80}', 'scaler there 107 {"port":80}'],
        lists: ['stages.example.com 3107 selected', 'scalers.example.com 107'],
      },
    ]);
    source.put('scalers', aChild('scaler', 'e', { port: 81 }));
    source.put('pods', aPodOf('e-1', 'e'));
    await clock.advance(2_000);
    const after = (await messages()).flatMap(({ reports }) => reports);
    expect(after.map(brief)).toEqual([{ of: 'e', pods: ['e-1'], children: ['scaler there 108 {"port":81}'] }]);
    expect(after.flatMap(podsIn).map(({ heardAt }) => heardAt)).toEqual(['1109']);
  });

  test('R3: of a resource that nobody has installed hold up nothing after a restore of the API server', async () => {
    const bench = await ready((api) => {
      anOrchestra(api);
      api.failing.set('stages', notServed());
    });
    const { clock, source, messages, queue } = bench;
    await messages();
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'everything', era: 4 }) }]);
    await clock.advance(5_000);
    await messages();
    source.put('pods', aPodOf('e-1', 'e'));
    await clock.advance(2_000);
    expect(told(await messages()).flatMap(({ pods }) => pods)).toContain('e-1');
  });

  test('are all told before the full list is', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `e-${at}`);
    const {
      clock,
      source,
      messages,
      ready: isReady,
    } = start({
      ...both,
      options: { messageBytes: 200 },
      before: (api) => {
        for (const name of names) {
          api.put('ensembles', anEnsemble(name));
          api.put('stages', aChild(`of-${name}`, name));
        }
      },
    });
    await isReady();
    await messages();
    source.failing.set('stages', new ExpiredError('too old'));
    source.breakWatches('end');
    await clock.advance(400);
    source.failing.clear();
    await clock.advance(20_000);
    const all = (await messages()).toSorted((a, b) => a.sequence - b.sequence);
    expect(all.flatMap(({ reports }) => reports)).toHaveLength(40);
    expect(all.findIndex(({ heartbeat }) => heartbeat?.fullList)).toBe(all.findLastIndex(({ reports }) => reports.length > 0) + 1);
  });

  test('whose part has not changed are no news: a status that moves every minute is neither told nor in a digest', async () => {
    const bench = await ready(anOrchestra);
    const { source, messages } = bench;
    await messages();
    let load = 0;
    await pass(3, bench);
    const digestsIn = (all: readonly EventMessage[]): Set<string> =>
      new Set(all.flatMap(({ heartbeat }) => heartbeat?.digests ?? []).flatMap(({ parts }) => (parts ? [JSON.stringify(parts)] : [])));
    const before = digestsIn(await messages());
    await pass(10, bench, () => void source.put('scalers', aChild('scaler', 'e', { load: ++load })));
    const quiet = await messages();
    expect(told(quiet)).toEqual([]);
    expect(before.size).toBe(1);
    expect(digestsIn(quiet)).toEqual(before);
    source.put('scalers', aChild('scaler', 'e', { port: 81, load }));
    await bench.clock.advance(1_000);
    expect(told(await messages())).toEqual([{ of: 'e', pods: [], children: [`scaler there ${source.version} {"port":81}`] }]);
  });

  test('that went are told as gone, or as having left what the watch selects (trap 1)', async () => {
    const { clock, source, messages } = await ready(anOrchestra);
    await messages();
    source.put('stages', aChild('another', 'e'));
    source.remove('scalers', 'uid-scaler');
    source.remove('stages', 'uid-stage');
    await clock.advance(1_000);
    expect(told(await messages()).flatMap(({ children }) => children)).toEqual([
      'another there 108 {"port":80}',
      'stage left 110 {"port":80}',
      'scaler deleted 109 {"port":80}',
    ]);
  });

  test('that change their owner are told to both', async () => {
    const { clock, source, messages } = await ready((api) => {
      anOrchestra(api);
      api.put('ensembles', anEnsemble('f'));
    });
    await messages();
    source.put('stages', { ...aChild('stage', 'f') });
    await clock.advance(1_000);
    expect(told(await messages())).toEqual([
      { of: 'e', pods: [], children: ['stage left 109 {"port":80}'] },
      { of: 'f', pods: [], children: ['stage there 109 {"port":80}'] },
    ]);
  });

  test('with a part that is too large hold nothing else up, and no list without them is whole (R19)', async () => {
    const { messages, log } = await ready((api) => {
      anOrchestra(api);
      api.put('scalers', aChild('huge', 'e', { port: 'x'.repeat(600) }));
    });
    const ofEnsemble = told(await messages()).find(({ of }) => of === 'e');
    expect(ofEnsemble).toMatchObject({
      pods: ['e-0'],
      children: ['stage there 108 {"port":80}', 'scaler there 108 {"port":80}'],
      lists: ['stages.example.com 108 selected'],
    });
    expect(log.filter(({ level }) => level === 'warn')).toEqual([{ level: 'warn', message: 'child cannot be told of' }]);
  });

  test('of an owner that somebody else manages are kept quiet about, also where they are observed before it', async () => {
    const { clock, source, messages } = await ready((api) => {
      api.put('ensembles', anEnsemble('theirs', { managedBy: 'example.com/other' }));
      api.put('stages', aChild('stage', 'theirs'));
    });
    source.put('scalers', aChild('early', 'late'));
    source.put('ensembles', anEnsemble('late', { managedBy: 'example.com/other' }));
    await clock.advance(1_000);
    expect(told(await messages())).toEqual([]);
  });

  test('are in digests by their parts, as the view makes them; those of Jobs travel apart', async () => {
    const bench = await ready(anOrchestra);
    const first = await bench.messages();
    await pass(2, bench);
    const [report] = first.flatMap(({ reports }) => reports).filter(({ owner }) => owner.name === 'e');
    const states = report ? othersIn(report).flatMap(({ children }) => children.map(({ child }) => child)) : [];
    const digests = (await bench.messages()).map(({ heartbeat }) => heartbeat?.digests ?? []).filter((each) => each.length > 0);
    expect(new Set(digests.map((each) => each.map(({ owner }) => owner.name).join(' ')))).toEqual(new Set(['a', 'e']));
    const sent = digests.flat().find(({ owner }) => owner.name === 'e');
    const { uid = '', resourceVersion = '' } = report?.observed?.object.metadata ?? {};
    const pods = report ? podsIn(report).map(({ child }) => child) : [];
    // Which children there are, also where their parts are of another revision than the view's (trap 10).
    expect(sent?.digest).toBe(digestOf([{ uid, resourceVersion }, ...pods, ...presenceOf(states)]));
    const parts = sent?.parts;
    expect(parts).toEqual(
      ['stages.example.com', 'scalers.example.com'].map((resource) => {
        const members = states
          .filter((state) => state.resource === resource)
          .map((state) => ({ uid: state.uid, resourceVersion: textOf(state) }));
        return { resource, revision: 1, digest: digestOf(members) };
      }),
    );
  });

  test('are told again where somebody asks for their workload', async () => {
    const { clock, queue, messages } = await ready(anOrchestra);
    await messages();
    const owner = { kind: 'Ensemble', namespace: 'default', name: 'e', uid: 'uid-e' };
    await queue.inner.send('relay-west', [{ body: encodeAsk({ ask: 'workload', owner }) }]);
    await clock.advance(1_000);
    expect(told(await messages())).toEqual([
      { of: 'e', pods: ['e-0'], children: ['stage there 107 {"port":80}', 'scaler there 107 {"port":80}'] },
    ]);
  });

  test('R19: a change that the watch skipped is found by the comparison with a list', async () => {
    const bench = await ready(anOrchestra);
    const { source, messages } = bench;
    await messages();
    source.mute = true;
    source.put('stages', aChild('stage', 'e', { port: 81 }));
    source.mute = false;
    source.put('stages', aChild('later', 'e'));
    await pass(13, bench);
    const children = told(await messages()).flatMap((report) => report.children ?? []);
    expect(children).toContain('stage there 109 {"port":81}');
  });
});
