// Bytes of pods as builds before wrote them: relays and functions of several builds read each other's, and each byte is paid for.
// The digests were made by the build of 2026-11-22. One that differs says that Jobs' messages or items have changed: see decision 8.
import { expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { podFactsOf, type PodFacts } from '../../lib/objects/pods/pod-facts.ts';
import { expand, PodShapes } from '../../lib/relay/cache/compact-pod.ts';
import { NO_ROW, PodTable, type Members, type PodRow } from '../../lib/relay/cache/pod-table.ts';
import type { PackedChildren } from '../../lib/wire/packing/codec.ts';
import { packPods } from '../../lib/wire/packing/columns.ts';
import { open, type Envelope } from '../../lib/wire/packing/envelope.ts';
import { encodeEvents } from '../../lib/wire/events.ts';
import type { PodEntry, PodObservation } from '../../lib/wire/words/observations.ts';
import { jobTexts } from '../../lib/kinds/job/recorded-texts.ts';
import { snapshotDecoders } from '../../lib/wire/snapshot-words.ts';
import { packSnapshot } from '../../lib/wire/snapshot.ts';
import { packPart } from '../../lib/wire/view-item.ts';
import { OWNER, podPopulation } from './pod-population.ts';
import { toldPods } from './told-children.ts';

const LIMITS = { bytes: 4_000_000, unpackedBytes: 16_000_000 };
const pods = podPopulation(20_261_123, 400).map((pod) => podFactsOf(pod));

const digestOf = (...parts: (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 16);
};
const ofPacked = ({ columns, uids }: PackedChildren): string => digestOf(columns, uids);
/** Unpacked: what a compressor makes of it is its own business. */
const ofEnvelope = ({ header, pods: packed }: Envelope): string => digestOf(header, packed.columns, packed.uids);
const entriesOf = (facts: readonly PodFacts[]): PodEntry[] =>
  facts.map((pod, at) => ({
    heardAt: String(BigInt(pod.resourceVersion) + BigInt(at % 3)),
    byPass: at % 5 === 0,
    presence: at % 17 === 0 ? 'deleted' : 'there',
    child: pod,
  }));

/** As a relay sends them: put away, some changed once, and expanded again. */
function relayed(): PodFacts[] {
  const shapes = new PodShapes();
  const table = new PodTable(shapes);
  const members: Members = { id: 0, first: NO_ROW, last: NO_ROW, count: 0 };
  const put = (pod: PodFacts, row: PodRow): PodFacts[] => {
    const compact = shapes.compact(pod, OWNER, row === NO_ROW ? undefined : table.knownOf(row));
    if (!compact) return [];
    const at = row === NO_ROW ? table.add(pod.uid, members, 0) : row;
    table.put(at, compact);
    return [expand(table.podOf(at), OWNER)];
  };
  const first = pods.flatMap((pod) => put(pod, NO_ROW));
  return [...first, ...pods.flatMap((pod, at) => put(at % 4 === 0 ? { ...pod, phase: 'Failed' } : pod, table.find(pod.uid)))];
}

const sorted = (facts: readonly PodFacts[]): string =>
  JSON.stringify(facts, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

const owner: Job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: OWNER.name, namespace: OWNER.namespace, uid: OWNER.uid, resourceVersion: '99' },
  spec: { completions: 3 },
  status: {},
};

const CASES: [string, () => string, string][] = [
  ['facts of pods', () => digestOf(sorted(pods)), '959bd0e2cd8bd49c'],
  ['facts that a relay has put away', () => digestOf(sorted(relayed())), '1aec05123f013a3d'],
  ['columns of an item', () => ofPacked(packPods(entriesOf(pods))), '179e32d9f8ee594b'],
  ['columns of a message', () => ofPacked(packPods(entriesOf(relayed()), { isForMessage: true })), '87da18c3059b3a08'],
  [
    'a message',
    () => {
      const told = relayed().map((child): PodObservation => ({ heardAt: child.resourceVersion, presence: 'there', child }));
      const reports = [{ owner: OWNER, children: [toldPods(told)] }];
      const sender = { cluster: 'west-1', session: 'Zr3-abcdefghijklmnopqr', era: 0, kubeSystemUid: 'b', sequence: 17 };
      return ofEnvelope(open(Buffer.from(encodeEvents({ ...sender, sentAtMs: 1_790_000_012_345, reports }), 'base64'), LIMITS));
    },
    '6a8a7673747a6ddf',
  ],
  [
    'a view item, written and written again',
    () => {
      const children = new Map(entriesOf(pods).map((entry) => [entry.child.uid, entry]));
      const part = { era: 1, resource: 'pods', floor: '77', children };
      return digestOf(ofEnvelope(open(packPart(part), LIMITS)), ofEnvelope(open(packPart(part), LIMITS)));
    },
    '630ffae655b958ae',
  ],
  [
    'a snapshot of a pass',
    () => {
      const head = { expectations: { create: [], delete: [], strip: [] }, backoff: { failures: 0 }, ordinal: 0 };
      const decided = { outcome: 'waiting', why: [], actions: [], status: {} };
      const packed = packSnapshot({ owner, pods, head, manages: ['jobs'], nowMs: 1_790_000_012_345, decided }, jobTexts);
      return ofEnvelope(open(packed, LIMITS, snapshotDecoders(jobTexts)));
    },
    '443803dc1a4ed807',
  ],
];

test.each(CASES)('%s: the same bytes as ever', (_name, make, digest) => {
  expect(make()).toBe(digest);
});
