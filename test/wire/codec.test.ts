// Messages and view items: what goes in comes out, small, and nothing else is believed.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { deflateRawSync } from 'node:zlib';
import { childNameOf } from '../../lib/objects/child-names.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import type { PodFacts } from '../../lib/objects/pods/pod-facts.ts';
import type { PodReason } from '../../lib/objects/pods/pod-reasons.ts';
import { ByteReader, ByteWriter } from '../../lib/wire/packing/bytes.ts';
import { packPods } from '../../lib/wire/packing/columns.ts';
import { unpackPods } from '../../lib/wire/packing/unpack-pods.ts';
import { decodeEvents, encodeEvents } from '../../lib/wire/events.ts';
import { MOST_NAMESPACES } from '../../lib/wire/words/names.ts';
import { open } from '../../lib/wire/packing/envelope.ts';
import { MessageTooLargeError, NewerVersionError, UndecodableMessageError } from '../../lib/wire/words/undecodable.ts';
import type { EventMessage, PodEntry, ViewPart } from '../../lib/wire/words/observations.ts';
import { packPart, unpackPart } from '../../lib/wire/view-item.ts';
import { toldPods } from './told-children.ts';

const OWNER = { kind: 'Job' as const, namespace: 'default', name: 'render', uid: '6f9619ff-8b86-d011-b42d-00cf4fc964ff' };

/** UUIDs as random as real ones, from a seed. */
function uuids(seed: number): () => string {
  let state = seed >>> 0;
  const word = (): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0).toString(16).padStart(8, '0');
  };
  return () => {
    const hex = word() + word() + word() + word();
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
  };
}

function podOf(index: number, uid: string, finished: boolean): PodFacts {
  return {
    uid,
    name: childNameOf(OWNER, { index, number: 0 }),
    namespace: 'default',
    resourceVersion: String(1_000_000 + index * 3 + ((index * 7919) % 5)),
    controller: { apiVersion: 'batch/v1', kind: 'Job', name: OWNER.name, uid: OWNER.uid },
    labels: {
      'batch.kubernetes.io/controller-uid': OWNER.uid,
      'batch.kubernetes.io/job-name': 'render',
      'controller-uid': OWNER.uid,
      'job-name': 'render',
    },
    index: String(index),
    number: 0,
    tracked: true,
    phase: finished ? 'Succeeded' : 'Running',
    createdAt: 1_790_000_000 + Math.floor(index / 150),
    assigned: true,
    ready: finished ? 'False' : 'True',
    readySince: 1_790_000_010 + ((index * 31) % 7),
    conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({ type, status: 'True' })),
    containers: [
      { name: 'main', role: 'container', restarts: 0, ...(finished && { exitCode: 0, finishedAt: 1_790_000_010 + ((index * 31) % 7) }) },
    ],
  };
}

const podsOf = (count: number): PodFacts[] => {
  const next = uuids(42);
  return Array.from({ length: count }, (_, index) => podOf(index, next(), index % 3 === 0));
};

const message = (pods: PodFacts[], change: Partial<EventMessage> = {}): EventMessage => ({
  cluster: 'west-1',
  session: 'Zr3-abcdefghijklmnopqr',
  era: 0,
  kubeSystemUid: '0b4b2c2e-0000-4000-8000-000000000001',
  sequence: 17,
  sentAtMs: 1_790_000_012_345,
  reports: [
    {
      owner: OWNER,
      children: pods.length === 0 ? [] : [toldPods(pods.map((pod) => ({ heardAt: pod.resourceVersion, presence: 'there', child: pod })))],
    },
  ],
  ...change,
});

const job = (): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: OWNER.name, namespace: OWNER.namespace, uid: OWNER.uid, resourceVersion: '99' },
  spec: { completions: 3, parallelism: 2 },
});

describe('event messages', () => {
  test('what a reader would refuse is not written, so that its other news go in another message', () => {
    const podWith = (change: Partial<PodFacts>): EventMessage => message([{ ...podOf(0, podsOf(1)[0]?.uid ?? '', false), ...change }]);
    const conditions = Array.from({ length: 5_000 }, (_, at) => ({ type: `Type${at}`, status: 'True' }));
    expect(() => encodeEvents(podWith({ conditions }))).toThrow(MessageTooLargeError);
    const containers = Array.from({ length: 200 }, (_, at) => ({
      name: `c${at}`,
      role: 'container' as const,
      restarts: 0,
      finishedAt: at,
    }));
    expect(() => encodeEvents(message(podsOf(1_501).map((pod) => ({ ...pod, containers }))))).toThrow(MessageTooLargeError);
    const object = { ...job(), status: { uncountedTerminatedPods: { succeeded: Array.from({ length: 100_000 }, () => '') } } };
    expect(() =>
      encodeEvents(message([], { reports: [{ owner: OWNER, observed: { heardAt: '1', deleted: false, object }, children: [] }] })),
    ).toThrow(MessageTooLargeError);
  });

  test('at most 33 bytes an event on the queue, in batches of 500 of one job', () => {
    const bytes = Buffer.byteLength(encodeEvents(message(podsOf(500))));
    expect(bytes / 500).toBeLessThanOrEqual(33);
  });

  test('come out as they went in', () => {
    const given = message(podsOf(40), {
      reports: [
        {
          owner: OWNER,
          observed: { heardAt: '120', deleted: false, object: job() },
          children: [toldPods([], { floor: '130', slots: { from: 0, to: 50 } })],
        },
        {
          owner: { ...OWNER, name: 'other', uid: 'not-a-uuid' },
          children: [
            toldPods([
              { heardAt: '200', presence: 'deleted', child: { ...podOf(0, 'plain text uid', true), index: '007', name: 'foreign' } },
            ]),
          ],
        },
      ],
      heartbeat: {
        watches: [
          { resource: 'jobs', ageMs: 12, resourceVersion: '400', refused: true },
          { resource: 'pods', ageMs: 12, resourceVersion: '400' },
        ],
        clockOffsetMs: -1500,
        digests: [{ owner: OWNER, digest: '0123456789abcdef', heardAt: '400' }],
        fullList: { resourceVersion: '390', startedAtMs: 5 },
        externalJobs: [{ controllerName: 'example.com/other', count: 3 }],
        apiServer: { state: 'silent', forMs: 8_000, reason: 'no answer within 3 s' },
      },
    });
    expect(decodeEvents(encodeEvents(given))).toEqual(given);
  });

  test('a heartbeat tells of both watches in as many namespaces as a cluster is registered for', () => {
    const name = (at: number): string => `${'n'.repeat(59)}-${String(at).padStart(3, '0')}`;
    const watches = Array.from({ length: MOST_NAMESPACES }, (_, at) =>
      ['jobs', 'pods'].map((plural) => ({ resource: `${plural}:${name(at)}`, ageMs: 12, resourceVersion: '400' })),
    ).flat();
    const given = message([], { heartbeat: { watches, clockOffsetMs: 0, digests: [] } });
    expect(decodeEvents(encodeEvents(given))).toEqual(given);
  });

  const refusals: { name: string; body: () => string; says: RegExp }[] = [
    { name: 'no base64', body: () => 'not base64!', says: /no base64/ },
    { name: 'truncated', body: () => encodeEvents(message(podsOf(10))).slice(0, 200), says: /end before|broken/ },
    { name: 'larger than a queue takes', body: () => 'A'.repeat(1_048_577), says: /at most 1048576/ },
    { name: 'of an unknown version', body: () => Buffer.from([99, 1, 2, 3]).toString('base64'), says: /version 99 is not known/ },
    { name: 'a bomb', body: () => envelope(Buffer.alloc(64 * 1_048_576)), says: /unpacks to more than/ },
    { name: 'deeper than allowed', body: () => envelope(inner('['.repeat(5_000))), says: /nested deeper/ },
    { name: 'with __proto__ keys', body: () => envelope(inner('{"__proto__":{"a":1}}')), says: /__proto__/ },
    { name: 'with escaped __proto__ keys', body: () => envelope(inner('{"a":{"\\u005f_proto__":{"a":1}}}')), says: /__proto__/ },
    { name: 'with unknown fields', body: () => envelope(inner(JSON.stringify({ hello: 1 }))), says: /unusable/ },
    {
      name: 'with control characters in what it says of the API server',
      body: () =>
        encodeEvents(
          message([], {
            heartbeat: { watches: [], clockOffsetMs: 0, digests: [], apiServer: { state: 'silent', forMs: 1, reason: '\u001b[2J' } },
          }),
        ),
      says: /control characters/,
    },
    { name: 'about a cluster with a slash', body: () => encodeEvents(message([], { cluster: 'a/b' })), says: /cluster/ },
    {
      name: "with a pod of another namespace than its workload's",
      body: () => encodeEvents(message([{ ...podOf(0, 'u', false), namespace: 'kube-system' }])),
      says: /another namespace/,
    },
  ];
  for (const { name, body, says } of refusals)
    test(`a message ${name} is refused in one sentence`, () => {
      expect(() => decodeEvents(body())).toThrow(says);
      expect(() => decodeEvents(body())).toThrow(UndecodableMessageError);
    });

  test('a flipped byte never brings down the reader', () => {
    const sound = Buffer.from(encodeEvents(message(podsOf(30))), 'base64');
    fc.assert(
      fc.property(fc.nat(sound.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const broken = Buffer.from(sound);
        broken[at] = (broken[at] ?? 0) ^ flip;
        try {
          expect(decodeEvents(broken.toString('base64')).cluster).toMatch(/^[-a-z0-9]+$/);
        } catch (error) {
          expect(error).toBeInstanceOf(UndecodableMessageError);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('reasons of pods', () => {
  const entriesOf = (pods: readonly PodFacts[]): PodEntry[] =>
    pods.map((pod) => ({ heardAt: pod.resourceVersion, byPass: false, presence: 'there', child: pod }));
  const unscheduled = [{ reason: 'Unschedulable', message: '0/3 nodes are available: 3 Insufficient cpu.' }];
  const unpulled = (at: number): PodReason[] => [
    { reason: 'ImagePullBackOff', message: `Back-off pulling image "${'x'.repeat(200)}${at}"`, container: 'main' },
    { reason: 'Other' },
  ];

  test('come out as they went in, and the pods between them have none', () => {
    const pods = podsOf(12).map((pod, at) => (at % 3 === 0 ? pod : { ...pod, reasons: at % 3 === 1 ? unscheduled : unpulled(at) }));
    expect(unpackPods(packPods(entriesOf(pods)))).toEqual(entriesOf(pods));
    expect(decodeEvents(encodeEvents(message(pods)))).toEqual(message(pods));
  });

  test('a text that hundreds share stands there once: two bytes more for each of them', () => {
    const [plain, explained] = [podsOf(400), podsOf(400).map((pod) => ({ ...pod, reasons: unscheduled }))].map(
      (pods) => packPods(entriesOf(pods)).columns.length,
    );
    expect((explained ?? 0) - (plain ?? 0)).toBeLessThan(400 * 2 + 200);
  });

  test('texts that all differ are cut to the words, and never keep pods out of a message', () => {
    const pods = podsOf(5_000).map((pod, at) => ({ ...pod, reasons: unpulled(at) }));
    const packed = packPods(entriesOf(pods));
    const unpacked = unpackPods(packed).map(({ child: pod }) => pod.reasons);
    expect(unpacked[0]).toEqual(unpulled(0));
    expect(unpacked[4_999]).toEqual([{ reason: 'ImagePullBackOff' }, { reason: 'Other' }]);
    const odd = podsOf(5_000).map((pod, at) => ({ ...pod, reasons: [{ reason: `Odd${at}` }] }));
    const pods2 = unpackPods(packPods(entriesOf(odd)));
    expect(pods2[0]?.child.reasons).toEqual([{ reason: 'Odd0' }]);
    expect(pods2[4_999]?.child).not.toHaveProperty('reasons');
  });

  test('stand behind the columns of builds before, which read the same pods without them', () => {
    const pods = podsOf(20).map((pod, at) => ({ ...pod, reasons: unpulled(at) }));
    const [before, after] = [podsOf(20), pods].map((each) => columnsIn(packPods(entriesOf(each)).columns));
    expect(before?.columns).toHaveLength(8);
    expect(after?.columns.slice(0, 7)).toEqual(before?.columns.slice(0, 7));
    const [times, longer] = [before?.columns[7] ?? '', after?.columns[7] ?? ''];
    expect(longer.startsWith(times)).toBe(true);
    expect(longer.length).toBeGreaterThan(times.length);
    // What is left of a shape is the same, but for the bit.
    const withoutBit = (after?.shapes ?? []).map((text): unknown => {
      const shape: { b: number } = JSON.parse(text);
      return { ...shape, b: shape.b & ~512 };
    });
    expect(withoutBit).toEqual((before?.shapes ?? []).map((text): unknown => JSON.parse(text)));
  });

  function columnsIn(bytes: Uint8Array): { shapes: string[]; columns: string[] } {
    const reader = new ByteReader(bytes);
    reader.unsigned();
    const shapes = Array.from({ length: reader.unsigned() }, () => reader.text(65_536));
    const columns: string[] = [];
    while (!reader.isAtEnd) columns.push(Buffer.from(reader.bytes(reader.unsigned())).toString('hex'));
    return { shapes, columns };
  }

  test('a flipped byte among them never brings down the reader', () => {
    const packed = packPods(entriesOf(podsOf(6).map((pod, at) => ({ ...pod, reasons: unpulled(at) }))));
    fc.assert(
      fc.property(fc.nat(packed.columns.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const broken = Uint8Array.from(packed.columns);
        broken[at] = (broken[at] ?? 0) ^ flip;
        try {
          expect(unpackPods({ ...packed, columns: broken })).toHaveLength(6);
        } catch (error) {
          expect(error).toBeInstanceOf(UndecodableMessageError);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('view items', () => {
  const entries = (count: number): Map<string, PodEntry> =>
    new Map(
      podsOf(count).map((pod, at) => [pod.uid, { heardAt: pod.resourceVersion, byPass: at % 2 === 0, presence: 'there', child: pod }]),
    );

  const partOf = (children: Map<string, PodEntry>, { era }: { era: number }): ViewPart => ({
    era,
    resource: 'pods',
    floor: '77',
    children,
  });

  test('at most 20 bytes a pod in an item of 400', () => {
    expect(packPart(partOf(entries(400), { era: 1 })).length / 400).toBeLessThanOrEqual(20);
  });

  test('what is kept for people alone, when pods started and when their last runs ended, takes at most 3 bytes a pod more', () => {
    const bytesOf = (change: (pod: PodFacts, at: number) => Partial<PodFacts>): number => {
      const told = [...entries(400)].map(([uid, entry], at): [string, PodEntry] => [
        uid,
        { ...entry, child: { ...entry.child, ...change(entry.child, at) } },
      ]);
      return packPart(partOf(new Map(told), { era: 1 })).length / 400;
    };
    const without = bytesOf(() => ({}));
    // Taken by their nodes within two seconds; one in ten waited for an image.
    const started = (pod: PodFacts, at: number): Partial<PodFacts> => ({
      startedAt: pod.createdAt + (at % 10 === 0 ? 20 + (at % 37) : at % 3),
    });
    expect(bytesOf(started) - without).toBeLessThanOrEqual(1);
    const fell = (pod: PodFacts, at: number): Partial<PodFacts> => ({
      ...started(pod, at),
      lastEnds: [{ container: 'main', exitCode: 1, finishedAt: pod.createdAt + 600 + ((at * 31) % 97) }],
    });
    expect(bytesOf(fell) - without).toBeLessThanOrEqual(3);
  });

  test('come out as they went in', () => {
    const owner = { heardAt: '99', byPass: true, deleted: false, object: job() };
    const part = { ...partOf(entries(50), { era: 3 }), owner };
    expect(unpackPart(packPart(part))).toEqual(part);
    const empty = partOf(new Map(), { era: 0 });
    expect(unpackPart(packPart(empty))).toEqual(empty);
  });

  test("of pods that lie by their kind's own slots are read here, and by no build that looks for them elsewhere (R1)", () => {
    const part = partOf(entries(40), { era: 1 });
    const bytes = packPart(part, { isBySlot: true });
    expect(unpackPart(bytes)).toEqual(part);
    // As the build before reads it.
    const reading = (): unknown => open(bytes, { bytes: 400_000, unpackedBytes: 8_000_000 });
    expect(reading).toThrow(UndecodableMessageError);
    expect(reading).not.toThrow(NewerVersionError);
  });
});

function inner(header: string): Uint8Array {
  const writer = new ByteWriter();
  writer.text(header);
  writer.unsigned(0);
  return writer.done();
}

function envelope(unpacked: Uint8Array): string {
  const packed = deflateRawSync(unpacked);
  const writer = new ByteWriter();
  writer.byte(1);
  writer.unsigned(packed.length);
  writer.bytes(packed);
  return Buffer.from(writer.done()).toString('base64');
}
