// Every row of the table of pod facts, in every place that goes by it. A new fact needs two values here, and nothing else in tests.
import { describe, expect, test } from '@jest/globals';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { POD_FIELDS, podFactsOf, podFactsReader, podFieldsFor } from '../../../lib/objects/pods/pod-facts.ts';
import { unreadableFacts } from '../../../lib/objects/pods/pod-bounds.ts';
import { ASKED_FACTS } from '../../../lib/objects/pods/asked-facts.ts';
import {
  CHECKED_FACTS,
  DICTIONARY_FACTS,
  FLAG_FACTS,
  LISTED_FACTS,
  NUMBER_FACTS,
  POD_FACTS,
  SHARED_FACTS,
  type FactName,
  type PodFacts,
} from '../../../lib/objects/pods/fact-table.ts';
import { expand, PodShapes } from '../../../lib/relay/cache/compact-pod.ts';
import { NO_ROW, PodTable, type Members } from '../../../lib/relay/cache/pod-table.ts';
import { ByteReader } from '../../../lib/wire/packing/bytes.ts';
import { packPods } from '../../../lib/wire/packing/columns.ts';
import { decodeEvents, encodeEvents } from '../../../lib/wire/events.ts';
import type { PodEntry } from '../../../lib/wire/words/observations.ts';
import { areAlike, BITS, bitsOf, writtenShapeOf } from '../../../lib/wire/packing/shapes.ts';
import { packSnapshot, unpackSnapshot } from '../../../lib/wire/snapshot.ts';
import { unpackPods } from '../../../lib/wire/packing/unpack-pods.ts';
import { OWNER } from '../../wire/pod-population.ts';
import { podsAt } from '../../wire/told-children.ts';

const container = { name: 'main', role: 'container' as const, restarts: 0 };

/** Values of a fact, each of which makes another pod. */
const VALUES: { readonly [Name in FactName]-?: readonly [PodFacts[Name], PodFacts[Name], ...PodFacts[Name][]] } = {
  uid: ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002', 'no-uuid'],
  name: ['a', 'b'],
  namespace: ['default', 'other'],
  resourceVersion: ['7', '8', '18446744073709551616'],
  controller: [
    { apiVersion: 'batch/v1', kind: 'Job', name: OWNER.name, uid: OWNER.uid },
    { apiVersion: 'batch/v2', kind: 'Job', name: OWNER.name, uid: OWNER.uid },
    { apiVersion: 'batch/v1', kind: 'Set', name: OWNER.name, uid: OWNER.uid },
    { apiVersion: 'batch/v1', kind: 'Job', name: 'else', uid: OWNER.uid },
    { apiVersion: 'batch/v1', kind: 'Job', name: OWNER.name, uid: 'else' },
    undefined,
  ],
  labels: [{ a: '1' }, { a: '2' }, { b: '1' }, {}, { a: OWNER.uid }, { a: OWNER.name }, { a: '1', b: '1' }, { b: '1', a: '1' }],
  index: ['5', '6', 'odd', '007', undefined],
  failureCount: ['1', '2', '', undefined],
  ignoredFailureCount: ['1', '2', '', undefined],
  unreadable: [undefined, 'it is longer than 1 MB', ''],
  number: [3, 4, undefined],
  tracked: [true, false],
  assigned: [true, false],
  phase: ['Running', 'Failed', ''],
  createdAt: [1_790_000_000, 1_790_000_001, -5],
  deletedAt: [1_790_000_009, 1_790_000_010, undefined],
  deletionGraceSeconds: [30, 0, undefined],
  ready: ['True', 'False', 'Unknown', undefined],
  readySince: [1_790_000_009, 1_790_000_010, undefined],
  conditions: [[{ type: 'Ready', status: 'True' }], [{ type: 'Ready', status: 'False' }], [{ type: 'PodScheduled', status: 'True' }], []],
  containers: [
    [container],
    [{ ...container, name: 'log' }],
    [{ ...container, role: 'sidecar' }],
    [{ ...container, restarts: 1 }],
    [{ ...container, exitCode: 0 }],
    [{ ...container, exitCode: 1 }],
    [{ ...container, exitCode: 1, finishedAt: 1_790_000_009 }],
    [{ ...container, exitCode: 1, finishedAt: 1_790_000_010 }],
    [],
  ],
  reasons: [[{ reason: 'Unschedulable', message: '0/3 nodes' }], [{ reason: 'Evicted' }], undefined],
  lastEnds: [
    [{ container: 'main', exitCode: 137, reason: 'OOMKilled' }],
    [{ container: 'main', exitCode: 137 }],
    [{ container: 'main', exitCode: 1 }],
    [{ container: 'log', exitCode: 1 }],
    [
      { container: 'main', exitCode: 137, reason: 'OOMKilled', finishedAt: 1_790_000_009 },
      { container: 'log', exitCode: 1 },
    ],
    [
      { container: 'main', exitCode: 137, reason: 'OOMKilled', finishedAt: 1_790_000_010 },
      { container: 'log', exitCode: 1 },
    ],
    undefined,
  ],
  startedAt: [1_790_000_001, 1_790_000_002, undefined],
  node: ['node-1', 'node-2', undefined],
  podReason: ['Evicted', 'NodeLost', undefined],
  containerWords: [
    [{ container: 'main', state: 'terminated', reason: 'Error', message: 'out of memory' }],
    [{ container: 'main', state: 'terminated', reason: 'Error' }],
    [{ container: 'main', state: 'waiting', reason: '', message: 'pulling' }],
    undefined,
  ],
  unmetCondition: [
    { type: 'PodScheduled', reason: 'Unschedulable', message: '0/3 nodes' },
    { type: 'PodScheduled', reason: '' },
    undefined,
  ],
  slotFailures: [1, 2, undefined],
  jobFailures: [3, 4, undefined],
};

const NAMES = POD_FACTS.map(({ name }) => name);
const plain = Object.fromEntries(
  Object.entries(VALUES).flatMap(([name, [value]]) => (value === undefined ? [] : [[name, value]])),
) as unknown as PodFacts;

function withValue<Name extends FactName>(name: Name, value: PodFacts[Name] | undefined): PodFacts {
  const pod = { ...plain };
  if (value === undefined) delete pod[name];
  else pod[name] = value;
  return pod;
}

/** Pairs of pods that differ in that fact alone. */
const pairsOf = (name: FactName): [PodFacts, PodFacts][] => {
  const pods = VALUES[name].map((value) => withValue(name, value));
  return pods.flatMap((pod, at) => pods.slice(at + 1).map((other): [PodFacts, PodFacts] => [pod, other]));
};

const entryOf = (pod: PodFacts): PodEntry => ({ heardAt: '9', byPass: false, presence: 'there', child: pod });
const shapesIn = (entries: PodEntry[]): number => {
  const reader = new ByteReader(packPods(entries).columns);
  reader.unsigned();
  return reader.unsigned();
};
/** Of the facts that one shape tells: these pods may be of one shape if nothing of the kind differs. */
const shapeFacts = new Set<FactName>([...SHARED_FACTS, ...FLAG_FACTS].map(({ name }) => name));
const isOfOneShape = ([a, b]: [PodFacts, PodFacts]): boolean =>
  writtenShapeOf(a, bitsOf(entryOf(a))) === writtenShapeOf(b, bitsOf(entryOf(b)));

describe.each(NAMES)('%s', (name) => {
  const pairs = pairsOf(name);

  test('pods that differ in it alone are not alike, unless each has it for itself', () => {
    for (const pair of pairs) {
      const [a, b] = pair;
      const bits = [a, b].map((pod) => bitsOf(entryOf(pod)));
      expect(bits[0] === bits[1] && areAlike(a, b)).toBe(isOfOneShape(pair));
      expect(shapesIn([entryOf(a), entryOf(b)])).toBe(isOfOneShape(pair) ? 1 : 2);
    }
    // A fact that nothing but the shape tells is another shape for each of its values.
    const isOnlyShared = shapeFacts.has(name) && ![...NUMBER_FACTS, ...LISTED_FACTS].some((row) => row.name === name);
    if (isOnlyShared) expect(pairs.filter(isOfOneShape)).toEqual([]);
  });

  test('comes out of messages and items as it went in, whatever the neighbour has', () => {
    for (const [a, b] of pairs) {
      const entries = [a, b, a].map(entryOf);
      expect(unpackPods(packPods(entries))).toEqual(entries);
      const same = new WeakMap();
      packPods(entries, { before: same });
      expect(unpackPods(packPods(entries.toReversed(), { before: same }))).toEqual(entries.toReversed());
      if (name === 'namespace') continue;
      const reports = [{ owner: OWNER, children: [podsAt([a, b], '9')] }];
      const message = { cluster: 'west-1', session: 'Zr3', era: 0, kubeSystemUid: 'b', sequence: 1, sentAtMs: 5, reports };
      expect(decodeEvents(encodeEvents(message))).toEqual(message);
    }
  });

  test('a relay keeps it, in a shape of another key where pods share it', () => {
    // A pod of another namespace is of another workload.
    if (name === 'namespace') return;
    for (const each of pairs) {
      const pair = name === 'uid' ? each : each.map((pod, at) => ({ ...pod, uid: `uid-${at}` }));
      const shapes = new PodShapes();
      const table = new PodTable(shapes);
      const members: Members = { id: 0, first: NO_ROW, last: NO_ROW, count: 0 };
      const rows = pair.map((pod) => {
        const compact = shapes.compact(pod, OWNER);
        if (!compact) throw new Error('this pod could not be sent');
        const row = table.add(pod.uid, members, 0);
        table.put(row, compact);
        return row;
      });
      expect(rows.map((row) => expand(table.podOf(row), OWNER))).toEqual(pair);
      expect(shapes.size).toBe(isSharedAlike(each) ? 1 : 2);
    }
  });

  test('a relay that knew the pod with another value keeps the new one', () => {
    // Neither changes while a pod lives.
    if (['uid', 'name', 'namespace'].includes(name)) return;
    for (const [before, after] of pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const])) {
      const shapes = new PodShapes();
      const table = new PodTable(shapes);
      const row = table.add(before.uid, { id: 0, first: NO_ROW, last: NO_ROW, count: 0 }, 0);
      for (const pod of [before, after]) {
        const compact = shapes.compact(pod, OWNER, pod === before ? undefined : table.knownOf(row));
        if (!compact) throw new Error('this pod could not be sent');
        table.put(row, compact);
      }
      expect(expand(table.podOf(row), OWNER)).toEqual(after);
    }
  });

  test('is planned from in a snapshot, or is for people', () => {
    const row = POD_FACTS.find((each) => each.name === name);
    for (const value of VALUES[name]) {
      const pod = withValue(name, value);
      const head = { expectations: { create: [], delete: [], strip: [] }, backoff: { failures: 0 }, ordinal: 0 };
      const owner = {
        apiVersion: 'batch/v1' as const,
        kind: 'Job' as const,
        metadata: { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '1' },
        spec: {},
      };
      const decided = { outcome: 'waiting', why: [], actions: [], status: {} };
      const [read] = unpackSnapshot(packSnapshot({ owner, pods: [pod], head, manages: ['jobs'], nowMs: 5, decided }, undefined), {
        faultOf: () => undefined,
      }).pods;
      expect(read?.[name]).toEqual(row?.isForPeople ? undefined : pod[name]);
    }
  });
});

/** Whether all that differs is what each pod has for itself. */
function isSharedAlike([a, b]: [PodFacts, PodFacts]): boolean {
  const shape = (pod: PodFacts): unknown => JSON.parse(writtenShapeOf(pod, 0));
  return JSON.stringify(shape(a)) === JSON.stringify(shape(b)) && FLAG_FACTS.every(({ flag }) => flag.isSet(a) === flag.isSet(b));
}

describe('the table', () => {
  test('no letter and no bit stands for two things, and the flags of a row of a relay are bits of 31', () => {
    const letters = ['b', ...SHARED_FACTS.map(({ shared }) => shared.letter)];
    expect(letters).toHaveLength(new Set(letters).size);
    const bits = [
      ...Object.values(BITS),
      ...FLAG_FACTS.map(({ flag }) => flag.bit),
      ...NUMBER_FACTS.flatMap(({ number }) => (number.bit === 0 ? [] : [number.bit])),
      ...DICTIONARY_FACTS.map(({ dictionary }) => dictionary.bit),
    ];
    expect(bits).toHaveLength(new Set(bits).size);
    expect(bits.every((bit) => Number.isInteger(Math.log2(bit)) && bit < 2 ** 31)).toBe(true);
    expect(NUMBER_FACTS.length + DICTIONARY_FACTS.length + 5).toBeLessThan(31);
  });

  test('what is read of a pod is what its facts need', () => {
    const reason = { reason: {}, message: {} };
    const terminated = { exitCode: true, finishedAt: true, reason: {} };
    const lastState = { terminated: { exitCode: true, finishedAt: true, reason: {} } };
    const status = { name: true, restartCount: true, state: { terminated, waiting: reason }, lastState };
    expect(POD_FIELDS).toEqual({
      metadata: {
        uid: true,
        name: true,
        namespace: true,
        resourceVersion: true,
        creationTimestamp: true,
        deletionTimestamp: true,
        deletionGracePeriodSeconds: true,
        labels: true,
        annotations: {
          'batch.kubernetes.io/job-completion-index': true,
          'batch.kubernetes.io/job-index-failure-count': true,
          'batch.kubernetes.io/job-index-ignored-failure-count': true,
          'farloop.dev/number': true,
        },
        finalizers: true,
        ownerReferences: { apiVersion: true, kind: true, name: true, uid: true, controller: true },
      },
      spec: { nodeName: true, initContainers: { name: true, restartPolicy: true } },
      status: {
        phase: true,
        startTime: true,
        ...reason,
        conditions: { type: true, status: true, lastTransitionTime: true, ...reason },
        containerStatuses: status,
        initContainerStatuses: status,
      },
    });
    expect(podFieldsFor(['node', 'podReason', 'unmetCondition'])).toEqual(POD_FIELDS);
    const asked = { ...status, state: { ...status.state, terminated: { ...terminated, ...reason } } };
    expect(podFieldsFor(['containerWords'])).toMatchObject({ status: { containerStatuses: asked, initContainerStatuses: asked } });
  });
});

describe('facts that a kind must ask for', () => {
  const pod: Pod = {
    metadata: { uid: '00000000-0000-4000-8000-000000000001', name: 'a', namespace: 'default', resourceVersion: '7' },
    spec: { containers: [], nodeName: 'node-1' },
    status: { phase: 'Running' },
  };
  const failing = (status: Pod['status']): Pod => ({ ...pod, status: { phase: 'Running', ...status } });
  const asking = podFactsReader(Object.keys(ASKED_FACTS) as (keyof typeof ASKED_FACTS)[]);

  test('are absent from the facts and the bytes of kinds that do not', () => {
    expect(Object.keys(podFactsOf(pod)).filter((name) => name in ASKED_FACTS)).toEqual([]);
    expect(asking(pod)).toEqual({ ...podFactsOf(pod), node: 'node-1' });
    const [without, withAll] = [podFactsOf, asking].map((read) => packPods([entryOf(read(pod))]).columns.length);
    expect(withAll).toBeGreaterThan(without ?? 0);
  });

  test('a thousand pods on ten nodes hold each name once, and one shape', () => {
    const without = Array.from({ length: 1_000 }, () => podFactsOf(pod));
    const pods = without.map((each, at) => ({ ...each, node: `node-${at % 10}` }));
    const packed = packPods(pods.map(entryOf));
    expect(shapesIn(pods.map(entryOf))).toBe(1);
    expect(packed.columns.length - packPods(without.map(entryOf)).columns.length).toBeLessThan(1_000 + 200);
    expect(unpackPods(packed).map((entry) => entry.child.node)).toEqual(pods.map(({ node }) => node));
  });

  test('are bounded: a name that no node has is left out, words are cut, and five containers are kept', () => {
    expect(asking({ ...pod, spec: { containers: [], nodeName: 'n'.repeat(254) } })).not.toHaveProperty('node');
    const waiting = { reason: 'R'.repeat(5_000), message: 'm'.repeat(5_000) };
    const containerStatuses = Array.from({ length: 9 }, (_, at) => ({ name: `c${at}`, state: { waiting } }));
    const { containerWords = [] } = asking(failing({ containerStatuses }));
    expect(containerWords.map((each) => each.container)).toEqual(['c0', 'c1', 'c2', 'c3', 'c4']);
    expect(containerWords.every(({ reason, message }) => reason.length === 64 && message?.length === 1_000)).toBe(true);
    const conditions = [{ type: 'Ready', status: 'False', reason: 'R'.repeat(99), message: 'm'.repeat(5_000) }];
    const { unmetCondition, podReason } = asking(failing({ reason: 'R'.repeat(99), conditions }));
    expect([unmetCondition?.reason.length, unmetCondition?.message?.length, podReason?.length]).toEqual([64, 1_000, 64]);
  });

  test('a message too full for words of all pods keeps reasons, then none, and every pod', () => {
    const words = (at: number): NonNullable<PodFacts['containerWords']> => [
      { container: 'main', state: 'terminated', reason: `E${at}`, message: `${at} `.repeat(200) },
    ];
    const pods = Array.from({ length: 600 }, (_, at) => ({ ...podFactsOf(pod), containerWords: words(at) }));
    const read = unpackPods(packPods(pods.map(entryOf))).map((entry) => entry.child.containerWords?.[0]);
    expect(read).toHaveLength(600);
    expect(read[0]).toEqual(pods[0]?.containerWords[0]);
    expect(read.findLast((each) => each !== undefined)).toEqual({ container: 'main', state: 'terminated', reason: expect.any(String) });
    expect(read.at(-1)).toBeUndefined();
  });

  const ended = (exitCode: number): object => ({ state: { terminated: { exitCode, reason: 'Error', message: 'no disk' } } });
  const said: NonNullable<PodFacts['containerWords']> = [{ container: 'main', state: 'terminated', reason: 'Error', message: 'no disk' }];
  const conditions = [
    { type: 'Ready', status: 'False', lastTransitionTime: '2026-05-01T10:00:01Z', reason: 'NotReady' },
    { type: 'PodScheduled', status: 'False', lastTransitionTime: '2026-05-01T10:00:02Z', reason: 'Unschedulable', message: 'no node' },
    { type: 'Initialized', status: 'False', reason: 'Waiting' },
  ];
  const unmet = { type: 'PodScheduled', reason: 'Unschedulable', message: 'no node' };
  test.each<[string, Pod['status'], Partial<PodFacts>]>([
    ['an exit code other than 0', { containerStatuses: [{ name: 'main', ...ended(1) }] }, { containerWords: said }],
    ['exit code 0', { containerStatuses: [{ name: 'main', ...ended(0) }] }, {}],
    ['init containers while no other has a status', { initContainerStatuses: [{ name: 'main', ...ended(1) }] }, { containerWords: said }],
    ['init containers beside others', { containerStatuses: [{ name: 'b' }], initContainerStatuses: [{ name: 'main', ...ended(1) }] }, {}],
    ['waiting without a message', { containerStatuses: [{ name: 'a', state: { waiting: { reason: 'ContainerCreating' } } }] }, {}],
    ['the latest condition', { conditions }, { unmetCondition: unmet }],
    [
      'the latest condition, met',
      { conditions: [...conditions, { type: 'A', status: 'True', lastTransitionTime: '2027-01-01T00:00:00Z' }] },
      {},
    ],
    ['conditions beside containers', { conditions, containerStatuses: [{ name: 'main' }] }, {}],
    ['the reason of the pod', { reason: 'Evicted' }, { podReason: 'Evicted' }],
  ])('%s', (_name, status, facts) => {
    const { containerWords, unmetCondition, podReason } = asking(failing(status));
    expect({ containerWords, unmetCondition, podReason }).toEqual(facts);
  });
});

test('of a pod that cannot be read its metadata stays, and nothing of its status', () => {
  const { reasons: _reasons, ready: _ready, readySince: _readySince, podReason: _said, ...others } = plain;
  const { containerWords: _words, unmetCondition: _unmet, lastEnds: _ends, startedAt: _started, ...metadata } = others;
  expect(unreadableFacts(plain, 'why')).toEqual({ ...metadata, phase: '', conditions: [], containers: [], unreadable: 'why' });
});

const AFTER_9999 = 300_000_000_000;

test.each<[FactName, Partial<PodFacts>]>([
  ['uid', { uid: 'a\nb' }],
  ['name', { name: 'a\nb' }],
  ['index', { index: '9'.repeat(101) }],
  ['number', { number: 1_000_000_000 }],
  ['createdAt', { createdAt: AFTER_9999 }],
  ['deletedAt', { deletedAt: AFTER_9999 }],
  ['readySince', { readySince: AFTER_9999 }],
  ['containers', { containers: [container, { ...container, exitCode: 1, finishedAt: AFTER_9999 }] }],
  ['lastEnds', { lastEnds: [{ container: 'main', exitCode: 2 ** 31 }] }],
])('a pod from outside with an impossible %s is refused, and its neighbours are not', (name, impossible) => {
  const refused: [number, string][] = [];
  const packed = packPods([plain, { ...plain, ...impossible }, plain].map(entryOf));
  unpackPods(packed, (at, fault) => refused.push([at, fault]));
  expect(refused).toEqual([[1, expect.stringContaining(name)]]);
});

test('an impossible time of what is for people alone is left out, and the pod is not', () => {
  const ends = [{ container: 'main', exitCode: 1, finishedAt: AFTER_9999 }];
  const packed = packPods([plain, { ...plain, startedAt: AFTER_9999, lastEnds: ends }, plain].map(entryOf));
  const refuse = (_at: number, fault: string): never => {
    throw new Error(fault);
  };
  const [, odd, next] = unpackPods(packed, refuse).map(({ child }) => child);
  expect(odd).not.toHaveProperty('startedAt');
  expect(odd?.lastEnds).toEqual([{ container: 'main', exitCode: 1 }]);
  expect(next).toEqual(plain);
});

test('a message of many pods that share many containers is not checked container by container for each pod', () => {
  const containers = Array.from({ length: 1_000 }, () => container);
  let looks = 0;
  const counting = new Proxy(containers, { get: (target, key, receiver) => ((looks += 1), Reflect.get(target, key, receiver) as unknown) });
  for (const { faultOf } of CHECKED_FACTS) faultOf({ ...plain, containers: counting });
  expect(looks).toBeLessThan(10);
});
