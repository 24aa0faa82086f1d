// What a comparison with the cluster takes for skipped, and what for a watch that is a moment behind.
import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from '../../lib/adapters/embedded/virtual-clock.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { compareResourceVersions } from '../../lib/objects/resource-version.ts';
import { POD_FIELDS } from '../../lib/objects/pod-facts.ts';
import { PODS } from '../../lib/objects/resources.ts';
import { AuditRounds } from '../../lib/relay/audit-rounds.ts';
import { findSkipped } from '../../lib/relay/audit.ts';
import { aPod, ScriptedSource } from './scripted-source.ts';

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
      heardUntil: () => heard,
    },
    { source, clock, options: { pageSize: 10, graceMs: 5_000 }, signal: new AbortController().signal },
  );
  await clock.advance(6_000);
  return (await finding).skipped;
}

describe('a comparison of what is known with the cluster', () => {
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

  test('rounds asked for at the same moment come one after another: for one difference it is listed anew once', async () => {
    const clock = new VirtualClock();
    const source = new ScriptedSource(clock);
    source.put('pods', aPod('a-1', 'a'));
    const scope = {
      isListing: false,
      audits: [
        {
          resource: PODS,
          fields: POD_FIELDS,
          namespace: undefined,
          knows: () => false,
          knownUntil: () => [],
          heardUntil: () => '0',
          listAnew: () => {
            listsAnew += 1;
            scope.isListing = true;
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
