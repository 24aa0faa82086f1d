// The state of a cluster, from all that is known of it.
import { expect, test } from '@jest/globals';
import type { ClusterFacts, ClusterStateName } from '../../../lib/reconciler/cluster/cluster-state.ts';
import { CLUSTER_STATES, clusterStatesOf } from '../../../lib/reconciler/cluster/cluster-state.ts';

const NOW = Date.UTC(2026, 0, 2, 12);
const ago = (seconds: number): number => NOW - seconds * 1000;
const watch = (resource: string, seconds: number, refused?: true) => ({ resource, ageMs: seconds * 1000, ...(refused && { refused }) });

type Relay = NonNullable<ClusterFacts['relay']>;
const relay = (change: Partial<Relay> = {}): Relay => ({
  heardAtMs: ago(20),
  watches: [watch('jobs', 30), watch('pods', 30)],
  ...change,
});
const silent = { state: 'silent', sinceMs: ago(70), reason: 'no answer within 3 s' } as const;
const passes = { sinceMs: ago(60), reason: 'connection refused', probeAtMs: ago(-3) };

interface Case {
  name: string;
  facts: Omit<ClusterFacts, 'record'> & Partial<Pick<ClusterFacts, 'record'>>;
  namespace?: string;
  /** The first is the cluster's state; with seconds since when. */
  states: [ClusterStateName, number?][];
  says?: RegExp;
}

const cases: Case[] = [
  { name: 'all is well', facts: { relay: relay() }, states: [['Watching']] },
  { name: 'registered, and never heard of', facts: {}, states: [['Waiting']], says: /no word of its relay/ },
  { name: 'being removed, whatever else there is', facts: { record: { leaving: true }, trouble: passes }, states: [['Leaving']] },
  { name: 'drained', facts: { record: { draining: true }, relay: relay() }, states: [['Draining']] },
  {
    name: 'passes have no answer',
    facts: { relay: relay(), trouble: passes },
    states: [['Unreachable', 60]],
    says: /connection refused/,
  },
  {
    name: 'neither have an answer: since the relay missed it first',
    facts: { relay: relay({ apiServer: silent }), trouble: passes },
    states: [['Unreachable', 70]],
  },
  {
    name: 'the relay alone has no answer',
    facts: { relay: relay({ apiServer: silent }) },
    states: [['RelayCutOff', 70]],
    says: /does not answer its relay: no answer within 3 s; what happens there is not seen/,
  },
  {
    name: 'the relay alone is refused',
    facts: { relay: relay({ apiServer: { ...silent, state: 'refused', reason: 'the token is refused' } }) },
    states: [['RelayCutOff', 70]],
    says: /refuses its relay's credentials: the token is refused/,
  },
  {
    name: 'passes are refused',
    facts: { relay: relay(), trouble: { ...passes, isRefused: true, reason: 'Unauthorized' } },
    states: [['Refused', 60]],
    says: /refuses Farloop's credentials: Unauthorized/,
  },
  { name: 'a relay is silent after three minutes', facts: { relay: relay({ heardAtMs: ago(181) }) }, states: [['Silent', 181]] },
  { name: 'and not before', facts: { relay: relay({ heardAtMs: ago(179) }) }, states: [['Watching']] },
  {
    name: 'relay and API server are both silent, each for itself',
    facts: { relay: relay({ heardAtMs: ago(300) }), trouble: passes },
    states: [
      ['Unreachable', 60],
      ['Silent', 300],
    ],
  },
  {
    name: 'a relay that has lost its Lease is silent because the API server is, as it said last',
    facts: { relay: relay({ heardAtMs: ago(300), apiServer: { ...silent, sinceMs: ago(310) } }), trouble: passes },
    states: [['Unreachable', 310]],
  },
  {
    name: 'a relay that says nothing more, of an API server that has answered since',
    facts: { relay: relay({ heardAtMs: ago(300), apiServer: silent }) },
    states: [
      ['RelayCutOff', 70],
      ['Silent', 300],
    ],
    says: /no answer within 3 s; that is the last that was heard of its relay; what happens there is not seen/,
  },
  {
    name: 'a watch has died',
    facts: { relay: relay({ watches: [watch('jobs', 30), watch('pods', 200)] }) },
    states: [['WatchStuck', 220]],
    says: /the watch of pods brings nothing/,
  },
  {
    name: 'no watch has died that is silent with its API server',
    facts: { relay: relay({ watches: [watch('pods', 200)], apiServer: silent }), trouble: passes },
    states: [['Unreachable', 70]],
  },
  {
    name: 'a watch is refused',
    facts: { relay: relay({ watches: [watch('jobs', 30), watch('pods:shop', 40, true)] }) },
    states: [['WatchRefused', 60]],
    says: /does not let the relay watch pods in shop/,
  },
  {
    name: 'a watch is refused elsewhere',
    facts: { relay: relay({ watches: [watch('pods:default', 30), watch('pods:shop', 400, true)] }) },
    namespace: 'default',
    states: [['Watching']],
  },
  {
    name: 'a message of a later version has come since the last heartbeat',
    facts: { relay: relay(), laterVersion: { atMs: ago(5), sinceMs: ago(90), reason: 'an event message of version 9' } },
    states: [['RelayTooNew', 90]],
    says: /newer than the functions.*version 9/,
  },
  {
    name: 'and is no matter any more once a heartbeat was read',
    facts: { relay: relay(), laterVersion: { atMs: ago(25), sinceMs: ago(90), reason: 'an event message of version 9' } },
    states: [['Watching']],
  },
  {
    name: 'rights are missing',
    facts: { relay: relay(), trouble: { sinceMs: ago(60), reason: 'pods is forbidden', isForbidden: true } },
    states: [['Forbidden', 60]],
    says: /pods is forbidden/,
  },
  {
    name: 'rights are missing on a drained cluster that has asked to wait',
    facts: {
      record: { draining: true },
      relay: relay(),
      trouble: { sinceMs: ago(60), reason: 'pods is forbidden', isForbidden: true },
      closedUntilMs: NOW + 2_500,
    },
    states: [['Forbidden', 60], ['Throttled'], ['Draining']],
  },
  { name: 'it has asked to wait', facts: { relay: relay(), closedUntilMs: NOW + 2_500 }, states: [['Throttled']], says: /for 3 s/ },
  { name: 'it had asked to wait', facts: { relay: relay(), closedUntilMs: NOW }, states: [['Watching']] },
];

for (const { name, facts, namespace, states, says } of cases)
  test(`state of a cluster: ${name}`, () => {
    const found = clusterStatesOf({ record: {}, ...facts }, NOW, namespace);
    const brief = found.map(({ state, sinceMs }) => [state, ...(sinceMs === undefined ? [] : [(NOW - sinceMs) / 1000])]);
    expect(brief).toEqual(states);
    if (says) expect(found[0].text).toMatch(says);
  });

test('each state is the case of one of these', () => {
  expect(new Set(cases.flatMap(({ states }) => states.map(([state]) => state)))).toEqual(new Set(CLUSTER_STATES));
});
