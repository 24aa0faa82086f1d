// What a comparison with the cluster takes for skipped, and what for a watch that is a moment behind.
import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from '../world/virtual-clock.ts';
import type { ObjectMeta, Pod } from '../../lib/objects/kubernetes.ts';
import { compareResourceVersions } from '../../lib/objects/values/resource-version.ts';
import { POD_FIELDS } from '../../lib/objects/pods/pod-facts.ts';
import { PODS } from '../../lib/objects/resources.ts';
import { AuditRounds } from '../../lib/relay/audit-rounds.ts';
import { findSkipped } from '../../lib/relay/audit.ts';
import { aJob, aPod, ScriptedSource } from './scripted-source.ts';

/** The watch tells `told`; what the API server then has is changed behind its back by `atLook`, between the list and the look at the pod. */
async function compared({ tells, atLook }: { tells: boolean; atLook: (source: ScriptedSource) => void }): Promise<string[]> {
  const clock = new VirtualClock();
  const source = new ScriptedSource(clock);
  const known = new Map<string, string>();
  let heard = '0';
  const tell = ({ metadata: { uid = '', resourceVersion = '0' } }: Pod): void => {
    known.set(uid, resourceVersion);
    heard = resourceVersion;
  };
  tell(source.put('pods', aPod('a-1', 'a')));
  const changed = source.put('pods', aPod('a-1', 'a', { phase: 'Succeeded' }));
  const other = source.put('pods', aPod('b-1', 'b'));
  // The other pod is told after the comparison has listed, so that it waits for the watch.
  void clock.wait(500).then(() => {
    if (tells) tell(changed);
    tell(other);
  });
  const get = source.get.bind(source);
  source.get = async (resource, named) => {
    atLook(source);
    return await get(resource, named);
  };
  const finding = findSkipped(
    {
      resource: PODS,
      fields: POD_FIELDS,
      namespace: undefined,
      knows: ({ uid = '', resourceVersion = '0', ownerReferences }) =>
        ownerReferences === undefined || compareResourceVersions(known.get(uid) ?? '0', resourceVersion) >= 0,
      knownUntil: () => [],
      observedUntil: () => heard,
    },
    { source, clock, options: { pageSize: 10, graceMs: 5_000 }, signal: new AbortController().signal },
  );
  await clock.advance(6_000);
  return (await finding).skipped;
}

/** Rounds over pods of which the watch has told two, a-1 and b-1. What is put behind its back it is told by `tell`. */
function aWatch({ namespaces = [undefined] }: { namespaces?: (string | undefined)[] } = {}) {
  const clock = new VirtualClock();
  const source = new ScriptedSource(clock);
  const known = new Map<string, Pod>();
  let heard = '0';
  const tell = (pod: Pod): void => {
    known.set(pod.metadata.uid ?? '', pod);
    heard = pod.metadata.resourceVersion ?? '0';
  };
  for (const name of ['a', 'b']) tell(source.put('pods', aPod(`${name}-1`, name)));
  const found: string[] = [];
  const warnings: unknown[] = [];
  const line = (): void => {};
  const versionOf = (uid: string | undefined): string => known.get(uid ?? '')?.metadata.resourceVersion ?? '0';
  const scopes = namespaces.map((namespace) => ({
    audits: [
      {
        name: 'pods',
        isListed: () => true,
        resource: PODS,
        fields: POD_FIELDS,
        namespace,
        knows: ({ uid, resourceVersion = '0' }: ObjectMeta) => compareResourceVersions(versionOf(uid), resourceVersion) >= 0,
        knownUntil: (version: string) =>
          [...known.values()].flatMap(({ metadata: { uid = '', name = '', resourceVersion = '0' } }) =>
            compareResourceVersions(resourceVersion, version) > 0 ? [] : [{ uid, name, namespace: 'default', version: resourceVersion }],
          ),
        observedUntil: () => heard,
        listAnew: line,
      },
    ],
  }));
  const rounds = new AuditRounds({
    source,
    clock,
    telemetry: {
      debug: line,
      info: line,
      warn: (_message, fields) => void warnings.push(fields?.['namespace']),
      error: (_message, fields) => void found.push(...(fields?.['objects'] as string[])),
      count: line,
    },
    cluster: 'west',
    options: { pageSize: 10, graceMs: 5_000 },
    scopes: () => scopes,
    isLeading: () => true,
    restored: line,
    signal: new AbortController().signal,
  });
  const round = async (): Promise<void> => {
    const done = rounds.run();
    await clock.advance(60_000);
    await done;
  };
  return { clock, source, known, tell, rounds, round, skipped: () => found, warned: () => warnings };
}

describe('a comparison of what is known with the cluster', () => {
  test('R19: an object that lost the label of the watch is skipped, though it is still there; one that got it back is not', async () => {
    const service = (labels: Record<string, string>) => ({
      metadata: { uid: 'uid-1', name: 'one', namespace: 'default', resourceVersion: '7', labels },
    });
    const skippedOf = async (labelsAtLook: Record<string, string>): Promise<string[]> => {
      const clock = new VirtualClock();
      let lists = 0;
      const source = {
        listPage: async (_resource: unknown, { fieldSelector }: { fieldSelector?: string }) => {
          lists += 1;
          // The first list is of all: the label was off by then.
          const isSelected = lists > 1 && fieldSelector === 'metadata.name=one' && labelsAtLook['of'] === 'it';
          return { items: isSelected ? [service(labelsAtLook)] : [], resourceVersion: '9', dateMs: 0 };
        },
        get: async () => ({ object: service(labelsAtLook), dateMs: 0 }),
      };
      const finding = findSkipped(
        {
          resource: { apiVersion: 'v1', kind: 'Service', plural: 'services', namespaced: true },
          fields: {},
          selection: { labelSelector: 'of=it' },
          namespace: undefined,
          knows: () => true,
          knownUntil: () => [{ uid: 'uid-1', namespace: 'default', name: 'one', version: '5' }],
          observedUntil: () => '9',
        },
        { source: source as never, clock, options: { pageSize: 10, graceMs: 1_000 }, signal: new AbortController().signal },
      );
      await clock.advance(2_000);
      return (await finding).skipped;
    };
    expect(await skippedOf({})).toEqual(['default/one']);
    expect(await skippedOf({ of: 'it' })).toEqual([]);
  });

  test.each([
    { pages: ['12', '6'], isPast: true },
    { pages: ['6', '12'], isPast: true },
    { pages: ['12', '9'], isPast: false },
  ])('R3: a list in pages at $pages is as old as the oldest of them, whichever that is', async ({ pages, isPast }) => {
    let asked = 0;
    const source = {
      listPage: async () => ({
        items: [],
        resourceVersion: pages[asked++] ?? '6',
        dateMs: 0,
        ...(asked < pages.length && { continueToken: 'more' }),
      }),
    };
    const found = await findSkipped(
      { resource: PODS, fields: {}, namespace: undefined, knows: () => true, knownUntil: () => [], observedUntil: () => '9' },
      {
        source: source as never,
        clock: new VirtualClock(),
        options: { pageSize: 10, graceMs: 1_000 },
        signal: new AbortController().signal,
      },
    );
    expect(found).toEqual(isPast ? { skipped: ['everything since 6'], restored: { from: '9', to: '6' } } : { skipped: [] });
  });

  test('R19: what the watch tells of later events only, it has skipped', async () => {
    expect(await compared({ tells: false, atLook: () => {} })).toEqual(['default/a-1']);
  });

  test('what changes at the very moment of the look is not skipped: the watch tells it', async () => {
    const atLook = (source: ScriptedSource): void => void source.put('pods', aPod('a-1', 'a', { phase: 'Failed' }));
    expect(await compared({ tells: true, atLook })).toEqual([]);
  });

  test('what was skipped stays so, though it changes once more before it is looked at', async () => {
    const atLook = (source: ScriptedSource): void => void source.put('pods', aPod('a-1', 'a', { phase: 'Failed' }));
    expect(await compared({ tells: false, atLook })).toEqual(['default/a-1']);
  });

  test('what is gone, made anew under its name, or released meanwhile is not skipped', async () => {
    expect(await compared({ tells: false, atLook: (source) => source.remove('pods', 'uid-a-1') })).toEqual([]);
    const anew = (source: ScriptedSource): void => {
      source.remove('pods', 'uid-a-1');
      source.put('pods', { ...aPod('a-1', 'a'), metadata: { ...aPod('a-1', 'a').metadata, uid: 'another' } });
    };
    expect(await compared({ tells: false, atLook: anew })).toEqual([]);
    const release = (source: ScriptedSource): void => void source.put('pods', aPod('a-1', undefined));
    expect(await compared({ tells: false, atLook: release })).toEqual([]);
  });

  test('what the watch has not come to is not skipped: it is left to the next round, and told in between', async () => {
    const watched = aWatch();
    const { source, tell, skipped, round } = watched;
    const changed = source.put('pods', aPod('a-1', 'a', { phase: 'Succeeded' }));
    source.remove('pods', 'uid-b-1');
    await round();
    expect(skipped()).toEqual([]);
    tell(changed);
    watched.known.delete('uid-b-1');
    await round();
    expect(skipped()).toEqual([]);
  });

  test('R19: what came before that which the watch tells is found, whatever it has not come to', async () => {
    const { source, tell, skipped, round } = aWatch();
    source.put('pods', aPod('a-1', 'a', { phase: 'Succeeded' }));
    tell(source.put('pods', aPod('c-1', 'c')));
    source.put('pods', aPod('d-1', 'd'));
    await round();
    expect(skipped()).toEqual(['default/a-1']);
  });

  test('R19: what the watch has passed by is found at once, though others have moved the server on', async () => {
    const { clock, source, tell, skipped, rounds } = aWatch();
    source.put('pods', aPod('a-1', 'a', { phase: 'Succeeded' }));
    tell(source.put('pods', aPod('c-1', 'c')));
    source.put('jobs', aJob('elsewhere'));
    const done = rounds.run();
    await clock.advance(1_000);
    expect(skipped()).toEqual(['default/a-1']);
    await done;
  });

  test('R19: a watch that by the next round has not even come to where the last one listed tells nothing any more', async () => {
    const { source, skipped, round } = aWatch();
    source.put('pods', aPod('a-1', 'a', { phase: 'Succeeded' }));
    source.remove('pods', 'uid-b-1');
    await round();
    source.put('pods', aPod('c-1', 'c'));
    await round();
    expect(skipped()).toEqual(['default/a-1', 'default/c-1', 'default/b-1']);
  });

  test('one that comes along slowly tells still, round after round', async () => {
    const { source, tell, skipped, round } = aWatch();
    for (let at = 0; at < 5; at += 1) {
      const before = source.put('pods', aPod(`c-${at}`, 'c'));
      const late = source.put('pods', aPod(`d-${at}`, 'd'));
      await round();
      tell(before);
      tell(late);
    }
    expect(skipped()).toEqual([]);
  });

  test('after a round that took long there is a pause as after any other, whenever the next one was asked for', async () => {
    const { clock, source, rounds } = aWatch();
    source.put('pods', aPod('a-1', 'a', { phase: 'Succeeded' }));
    const listed = (): number => source.calls.filter((call) => call.startsWith('list')).length;
    void rounds.runSoon();
    await clock.advance(1_000);
    void rounds.runSoon();
    await clock.advance(33_000);
    expect(listed()).toBe(1);
    await clock.advance(2_000);
    expect(listed()).toBe(2);
    await clock.advance(60_000);
  });

  test('R13: what cannot be compared keeps nothing else from it', async () => {
    const { source, tell, skipped, round, warned } = aWatch({ namespaces: ['etl', 'default'] });
    source.forbidden.add('etl');
    source.put('pods', aPod('a-1', 'a', { phase: 'Succeeded' }));
    tell(source.put('pods', aPod('c-1', 'c')));
    await round();
    expect(skipped()).toEqual(['default/a-1']);
    expect(warned()).toEqual(['etl']);
  });

  test('rounds asked for at the same moment come one after another: for one difference it is listed anew once', async () => {
    const clock = new VirtualClock();
    const source = new ScriptedSource(clock);
    source.put('pods', aPod('a-1', 'a'));
    let isListed = true;
    const scope = {
      audits: [
        {
          name: 'pods',
          isListed: () => isListed,
          resource: PODS,
          fields: POD_FIELDS,
          namespace: undefined,
          knows: () => false,
          knownUntil: () => [],
          observedUntil: () => String(source.version),
          listAnew: () => {
            listsAnew += 1;
            isListed = false;
          },
        },
      ],
    };
    let listsAnew = 0;
    const line = (): void => {};
    const rounds = new AuditRounds({
      source,
      clock,
      telemetry: { debug: line, info: line, warn: line, error: line, count: line },
      cluster: 'west',
      options: { pageSize: 10, graceMs: 5_000 },
      scopes: () => [scope],
      isLeading: () => true,
      restored: line,
      signal: new AbortController().signal,
    });
    const both = Promise.all([rounds.runSoon(), rounds.run()]);
    await clock.advance(60_000);
    await both;
    expect(listsAnew).toBe(1);
  });
});
