// Bytes of pods as builds before wrote them: relays and functions of several builds read each other's, and each byte is paid for.
// The digests were made by the build of 2026-11-22. One that differs says that Jobs' messages or items have changed: see decision 8.
import { expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { podFactsOf, type PodFacts } from '../../lib/objects/pod-facts.ts';
import { expand, PodShapes } from '../../lib/relay/compact-pod.ts';
import { packPods, type PackedPods } from '../../lib/wire/columns.ts';
import { open, type Envelope } from '../../lib/wire/envelope.ts';
import { encodeEvents } from '../../lib/wire/events.ts';
import type { PodEntry } from '../../lib/wire/observations.ts';
import { SNAPSHOT_DECODERS } from '../../lib/wire/snapshot-words.ts';
import { packSnapshot } from '../../lib/wire/snapshot.ts';
import { packPart } from '../../lib/wire/view-item.ts';
import { OWNER, podPopulation } from './pod-population.ts';

const LIMITS = { bytes: 4_000_000, unpackedBytes: 16_000_000 };
const pods = podPopulation(20_261_123, 1_500).map((pod) => podFactsOf(pod));

const digestOf = (...parts: (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 16);
};
const ofPacked = ({ columns, uids }: PackedPods): string => digestOf(columns, uids);
/** Unpacked: what a compressor makes of it is its own business. */
const ofEnvelope = ({ header, pods: packed }: Envelope): string => digestOf(header, packed.columns, packed.uids);
const entriesOf = (facts: readonly PodFacts[]): PodEntry[] =>
  facts.map((pod, at) => ({
    heardAt: String(BigInt(pod.resourceVersion) + BigInt(at % 3)),
    byPass: at % 5 === 0,
    deleted: at % 17 === 0,
    pod,
  }));

/** As a relay sends them: put away, some changed once, and expanded again. */
function relayed(): PodFacts[] {
  const shapes = new PodShapes();
  const compact = pods.flatMap((pod) => shapes.compact(pod, OWNER) ?? []);
  const changed = compact.flatMap((known, at) => {
    const pod = pods[at] as PodFacts;
    return shapes.compact(at % 4 === 0 ? { ...pod, phase: 'Failed' } : pod, OWNER, known) ?? [];
  });
  return [...compact, ...changed].map((each) => expand(each, OWNER));
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
  ['facts of pods', () => digestOf(sorted(pods)), '09c91496d121d482'],
  ['facts that a relay has put away', () => digestOf(sorted(relayed())), 'c37e5a0304a6d577'],
  ['columns of an item', () => ofPacked(packPods(entriesOf(pods))), '506acd42dc302995'],
  ['columns of a message', () => ofPacked(packPods(entriesOf(relayed()), { isForMessage: true })), '97cfb52b95c3f083'],
  [
    'a message',
    () => {
      const reports = [{ owner: OWNER, pods: relayed().map((pod) => ({ heardAt: pod.resourceVersion, deleted: false, pod })) }];
      const sender = { cluster: 'west-1', session: 'Zr3-abcdefghijklmnopqr', era: 0, kubeSystemUid: 'b', sequence: 17 };
      return ofEnvelope(open(Buffer.from(encodeEvents({ ...sender, sentAtMs: 1_790_000_012_345, reports }), 'base64'), LIMITS));
    },
    'dfcd1101e05a7a23',
  ],
  [
    'a view item, written and written again',
    () => {
      const part = { era: 1, floor: '77', pods: new Map(entriesOf(pods).map((entry) => [entry.pod.uid, entry])) };
      return digestOf(ofEnvelope(open(packPart(part), LIMITS)), ofEnvelope(open(packPart(part), LIMITS)));
    },
    '58b5b2f781f8ac4e',
  ],
  [
    'a snapshot of a pass',
    () => {
      const head = { expectations: { create: [], delete: [], strip: [] }, backoff: { failures: 0 }, ordinal: 0 };
      const decided = { outcome: 'waiting', why: [], actions: [], status: {} };
      const packed = packSnapshot({ owner, pods, head, manage: 'own', nowMs: 1_790_000_012_345, decided });
      return ofEnvelope(open(packed, LIMITS, SNAPSHOT_DECODERS));
    },
    '7df6d55e1334c6c9',
  ],
];

test.each(CASES)('%s: the same bytes as ever', (_name, make, digest) => {
  expect(make()).toBe(digest);
});
