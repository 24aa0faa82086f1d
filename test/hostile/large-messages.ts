// Messages that a queue takes and that unpack to as much as they can of one thing. Made of bytes, since no encoder of ours writes them.
import type { ChildState } from '../../lib/objects/child-state.ts';
import { ByteWriter } from '../../lib/wire/packing/bytes.ts';
import { MOST_CHILDREN } from '../../lib/wire/packing/child-columns.ts';
import { encodeEvents } from '../../lib/wire/events.ts';
import { sealed } from './sealed.ts';
import { toldOthers } from '../wire/told-children.ts';

const MIB = 1_048_576;
const UNPACKED_BYTES = 16 * MIB - 1_024;
const HEADER_BYTES = 4 * MIB - 1_024;
/** As many as the uids leave room for in a body of 1 MiB. */
const PODS = 40_000;
const OWNER = { kind: 'Job', namespace: 'default', name: 'demo', uid: 'uid-of-demo' };
const REST = { cluster: 'local', session: 'session', era: 0, kubeSystemUid: 'uid-of-kube-system', sequence: 1, sentAtMs: 0 };

/** `repeated`, as often as it fits between `before` and `after`. */
const filled = (before: string, repeated: string, after: string, bytes = HEADER_BYTES): string =>
  before +
  repeated.repeat(Math.floor((bytes - Buffer.byteLength(before) - Buffer.byteLength(after)) / Buffer.byteLength(repeated))) +
  after;

const joined = (count: number, part: (at: number) => string): string => Array.from({ length: count }, (_, at) => part(at)).join(',');

const rest = JSON.stringify(REST).slice(0, -1);
const withReports = (reports: string): string => `${rest},"reports":[${reports}]}`;
const withHeartbeat = (heartbeat: string): string => `${rest},"reports":[],"heartbeat":${heartbeat}}`;
const report = (object: string, at = 0): string =>
  `{"owner":${JSON.stringify({ ...OWNER, name: `demo-${at}`, uid: `uid-${at}` })},"observed":{"heardAt":"10","deleted":false,"object":${object}},"pods":0}`;
const job = (fields: string, at = 0): string =>
  `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"demo-${at}","namespace":"default","uid":"uid-${at}","resourceVersion":"10"},${fields}}`;
const status = (fields: string): string => withReports(report(job(`"spec":{},"status":{${fields}}`)));
const filledStatus = (before: string, text: string, after: string): string => {
  const [start = '', end = ''] = status('#').split('#');
  return filled(start + before, text, after + end);
};

interface PodsToPack {
  count: number;
  shapes: readonly string[];
  /** Of the pod at that place. */
  shapeOf?: (at: number) => number;
  times?: number;
  names?: boolean;
}

/** Pods that are nothing but their kinds: each column is zeros. */
function podsOf({ count, shapes, shapeOf = () => 0, times = 1, names = false }: PodsToPack): { columns: Uint8Array; uids: Uint8Array } {
  const all = new ByteWriter();
  all.unsigned(count);
  all.unsigned(shapes.length);
  for (const shape of shapes) all.text(shape);
  const column = (write: (writer: ByteWriter) => void): void => {
    const writer = new ByteWriter();
    write(writer);
    all.unsigned(writer.length);
    all.bytes(writer.done());
  };
  const zeros = (each: number) => (writer: ByteWriter) => writer.bytes(new Uint8Array(count * each));
  column((writer) => {
    for (let at = 0; at < count; at++) writer.unsigned(shapeOf(at));
  });
  column(() => {});
  column(zeros(1));
  column(zeros(1));
  column((writer) => {
    if (names) for (let at = 0; at < count; at++) writer.text(`${'n'.repeat(240)}-${at}`);
  });
  column(() => {});
  column(zeros(1));
  column(zeros(times));
  return { columns: all.done(), uids: new Uint8Array(count * 16).fill(7) };
}

const BITS_NUMBERED = 32 + 256;
const shape = (fields: object): string =>
  JSON.stringify({
    n: 'default',
    c: { apiVersion: 'batch/v1', kind: 'Job', name: OWNER.name, uid: OWNER.uid },
    l: {},
    b: BITS_NUMBERED,
    p: 'Running',
    k: [],
    s: [],
    ...fields,
  });
const withPods = (pods: PodsToPack): string => sealed(withReports(`{"owner":${JSON.stringify(OWNER)},"pods":${pods.count}}`), podsOf(pods));
const conditions = (count: number): string => shape({ k: Array.from({ length: count }, () => ['', '']) });
const containers = (count: number, isOver: boolean): string =>
  shape({ s: Array.from({ length: count }, () => ['c', 'container', 0, 0, isOver]) });

/** Children of a training job that share labels and a part: a message holds each of them once. */
const withChildren = (change: Partial<ChildState>): string =>
  encodeEvents({
    ...REST,
    reports: [
      {
        owner: { ...OWNER, kind: 'PyTorchJob' },
        children: toldOthers(
          Array.from({ length: MOST_CHILDREN }, (_, at) => ({
            heardAt: '10',
            presence: 'there',
            child: {
              resource: 'services',
              uid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
              namespace: 'default',
              name: `demo-worker-${at}`,
              resourceVersion: '10',
              part: { revision: 1, facts: null },
              ...change,
            },
          })),
        ),
      },
    ],
  });

/** By name; each is made when it is asked for, since all of them together take a while. */
export const LARGE_MESSAGES: Readonly<Record<string, () => string>> = {
  'zeros in a list': () => sealed(filled(`${rest},"reports":[`, '0,', '0]}')),
  'empty objects in a list': () => sealed(filled(`${rest},"reports":[`, '{},', '0]}')),
  'empty objects in a list, with an escape': () => sealed(filled(`${rest},"\\u0061":0,"reports":[`, '{},', '0]}')),
  'zeros in conditions': () => sealed(filledStatus('"conditions":[', '0,', '0]')),
  'zeros in conditions, with an escape': () => sealed(filledStatus('"reason":"\\u0061","conditions":[', '0,', '0]')),
  'as many zeros in conditions as are read': () => sealed(status(`"conditions":[${joined(99_000, () => '0')}]`)),
  'as many empty objects in conditions as are read': () => sealed(status(`"conditions":[${joined(49_000, () => '{}')}]`)),
  'as many objects of a key of their own as are read': () => sealed(status(`"conditions":[${joined(49_000, (at) => `{"k${at}":0}`)}]`)),
  'as many objects of a high index as are read': () => sealed(status(`"conditions":[${joined(49_000, () => '{"36":0}')}]`)),
  'as many objects of a very high index as are read': () => sealed(status(`"conditions":[${joined(49_000, () => '{"499":0}')}]`)),
  'one object of as many keys as are read': () => sealed(withReports(report(job(`"spec":{${joined(98_000, (at) => `"k${at}":0`)}}`)))),
  'as many conditions as are read': () => sealed(status(`"conditions":[${joined(32_000, () => '{"type":"A","status":"B"}')}]`)),
  'one text of 4 MiB': () => sealed(filledStatus('"reason":"', 'x', '"')),
  'one text of 4 MiB, beyond Latin letters': () => sealed(filledStatus('"reason":"\u4e00', 'x', '"')),
  'one text of escapes': () => sealed(filledStatus('"reason":"', '\\u005f', '"')),
  'one text of quotes in escapes': () => sealed(filledStatus('"reason":"', '\\"', '"')),
  'one text of backslashes': () => sealed(filledStatus('"reason":"', '\\\\', '"')),
  'one text of what looks like a key': () => sealed(filledStatus('"reason":"\\u005f', '\\"__proto__\\":', '"')),
  'spaces between values': () => sealed(filled(`${rest},"reports":[`, ' ', ']}')),
  'a key of 4 MiB': () => sealed(filled(`${rest},"`, 'x', '":0}')),
  'brackets without an end': () => sealed('['.repeat(HEADER_BYTES)),
  '10,000 empty reports': () =>
    sealed(withReports(joined(10_000, (at) => JSON.stringify({ owner: { ...OWNER, name: `demo-${at}`, uid: `uid-${at}` }, pods: 0 })))),
  'as many reports of Jobs as are read': () => sealed(withReports(joined(4_900, (at) => report(job('"spec":{}', at), at)))),
  '14,000 reports': () => sealed(withReports(joined(14_000, () => JSON.stringify({ owner: OWNER, pods: 0 })))),
  '10,000 digests': () =>
    sealed(
      withHeartbeat(
        `{"watches":[],"clockOffsetMs":0,"digests":[${joined(10_000, (at) =>
          JSON.stringify({ owner: { ...OWNER, name: `demo-${at}` }, digest: '0123456789abcdef', heardAt: '10' }),
        )}]}`,
      ),
    ),
  '90,000 digests that are none': () => sealed(withHeartbeat(`{"watches":[],"clockOffsetMs":0,"digests":[${joined(90_000, () => '0')}]}`)),
  'pods with a kind of 64 KB of conditions': () => withPods({ count: PODS, shapes: [conditions(8_000)] }),
  'pods with a kind of 64 KB of containers': () => withPods({ count: PODS, shapes: [containers(2_300, false)] }),
  'pods with a kind of 64 KB of containers that are over': () => withPods({ count: 600, shapes: [containers(2_300, true)], times: 2_301 }),
  'pods with as many containers that are over as are read': () => withPods({ count: PODS, shapes: [containers(7, true)], times: 8 }),
  'pods with labels of 64 KB': () =>
    withPods({ count: PODS, shapes: [shape({ l: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`l${at}`, ''])) })] }),
  'pods with long names': () => withPods({ count: PODS, shapes: [shape({ b: 32 })], names: true }),
  'pods whose controllers have long uids, in turns': () =>
    withPods({
      count: PODS,
      shapes: ['a', 'b'].map((letter) =>
        shape({ c: { apiVersion: 'batch/v1', kind: 'Job', name: letter.repeat(1_000), uid: letter.repeat(1_000) } }),
      ),
      shapeOf: (at) => at % 2,
    }),
  'a kind for each of 10,000 pods': () =>
    withPods({ count: 10_000, shapes: Array.from({ length: 10_000 }, (_, at) => shape({ p: `Phase${at}` })), shapeOf: (at) => at }),
  'as many values in kinds of pods as are read': () =>
    withPods({
      count: PODS,
      shapes: Array.from({ length: 41 }, (_, at) => shape({ p: `${at}`, k: Array.from({ length: 4_000 }, () => ['', '']) })),
      shapeOf: (at) => at % 41,
    }),
  'kinds of pods of 16 MiB': () =>
    sealed(
      withReports(`{"owner":${JSON.stringify(OWNER)},"pods":${PODS}}`),
      podsOf({ count: PODS, shapes: Array.from({ length: 240 }, () => conditions(8_000)) }),
    ),
  'zeros of 16 MiB instead of pods': () =>
    sealed(withReports(''), { columns: new Uint8Array(UNPACKED_BYTES - 1_024), uids: new Uint8Array() }),
  'children that share labels of 60 KB': () =>
    withChildren({ labels: Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`l${at}`.padEnd(60, 'x'), ''])) }),
  'children that share a part of 60 KB': () => withChildren({ part: { revision: 1, facts: Array.from({ length: 10_000 }, () => 'abc') } }),
  'an answer of zeros': () => `answer:[${'0,'.repeat(262_000 - 8)}0]`.slice(0, 512 * 1024),
  'an answer of base64': () =>
    `answer:${JSON.stringify({ cluster: 'local', kubeSystemUid: 'uid-of-kube-system', id: 'i'.repeat(22), part: 0, bytes: 'A'.repeat(500 * 1024) })}`,
};
