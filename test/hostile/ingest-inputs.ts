// What somebody who may send to the events queue could try.
import { encodeEvents } from '../../lib/wire/events.ts';
import type { EventMessage } from '../../lib/wire/words/observations.ts';
import { jobFactsOf } from '../../lib/kinds/job/terms/owner-facts.ts';
import { seal } from '../../lib/wire/packing/envelope.ts';
import { packPods } from '../../lib/wire/packing/columns.ts';

export interface IngestInput {
  name: string;
  body: string;
  /** SQS tells it; `local` is registered. */
  sender?: string;
  answer: 'comes back, then a dead letter' | 'refused, counted, alarmed';
}

const OWNER = { kind: 'Job', namespace: 'default', name: 'demo', uid: 'uid-of-demo' } as const;
const dead = 'comes back, then a dead letter';
const refused = 'refused, counted, alarmed';

const job = (change: object = {}): ReturnType<typeof jobFactsOf> =>
  jobFactsOf({
    metadata: { name: 'demo', namespace: 'default', uid: 'uid-of-demo', resourceVersion: '10', ...change },
    spec: { template: { spec: { containers: [] } } },
  });

export const sound = (change: Partial<EventMessage> = {}): EventMessage => ({
  cluster: 'local',
  session: 'session',
  era: 0,
  kubeSystemUid: 'uid-of-kube-system',
  sequence: 1,
  sentAtMs: 0,
  reports: [{ owner: OWNER, observed: { heardAt: '10', deleted: false, object: job() }, children: [] }],
  ...change,
});

/** Any JSON text in a message's clothes. */
const sealed = (header: string): string => Buffer.from(seal({ header, pods: packPods([]) })).toString('base64');
const headerWith = (change: object): string =>
  sealed(
    JSON.stringify({
      ...sound(),
      reports: [{ owner: OWNER, observed: { heardAt: '10', deleted: false, object: job() }, pods: 0 }],
      ...change,
    }),
  );
const reportWith = (change: object): string => headerWith({ reports: [{ owner: OWNER, pods: 0, ...change }] });

const soundBody = encodeEvents(sound());

export const INGEST_INPUTS: readonly IngestInput[] = [
  { name: 'an empty body', body: '', answer: dead },
  { name: 'plain text', body: 'not a message', answer: dead },
  { name: 'JSON instead of a message', body: '{"cluster":"local"}', answer: dead },
  { name: 'a body longer than a queue takes', body: 'A'.repeat(1_048_577), answer: dead },
  { name: 'a message cut off in the middle', body: soundBody.slice(0, Math.floor(soundBody.length / 8) * 4), answer: dead },
  {
    name: 'bytes after its end',
    body: Buffer.concat([Buffer.from(soundBody, 'base64'), Buffer.alloc(7)]).toString('base64'),
    answer: dead,
  },
  { name: 'an unknown version', body: Buffer.from([99, 1, 2, 3]).toString('base64'), answer: dead },
  { name: 'something that unpacks to 17 MiB', body: sealed('x'.repeat(17 * 1_048_576)), answer: dead },
  { name: 'brackets nested 5,000 deep', body: sealed('['.repeat(5_000)), answer: dead },
  { name: 'a key __proto__', body: sealed('{"__proto__":{"cluster":"local"}}'), answer: dead },
  { name: 'a key __proto__ in escapes', body: sealed('{"a":{"\\u005f_proto__":{}}}'), answer: dead },
  { name: 'an unknown field', body: headerWith({ admin: true }), answer: dead },
  { name: 'an era below 0', body: headerWith({ era: -1 }), answer: dead },
  { name: 'a sequence beyond what a number holds', body: headerWith({ sequence: 2 ** 60 }), answer: dead },
  { name: 'a cluster with a slash', body: headerWith({ cluster: 'local/Job' }), answer: dead },
  { name: 'a cluster in capitals', body: headerWith({ cluster: 'LOCAL' }), answer: dead },
  { name: 'a cluster that is no text', body: headerWith({ cluster: ['local'] }), answer: dead },
  { name: 'a session with a line break', body: headerWith({ session: 'a\nb' }), answer: dead },
  { name: 'a kind that there is none of', body: reportWith({ owner: { ...OWNER, kind: 'Secret' } }), answer: dead },
  { name: 'a namespace with a slash', body: reportWith({ owner: { ...OWNER, namespace: 'a/b' } }), answer: refused },
  { name: 'a namespace that leads upwards', body: reportWith({ owner: { ...OWNER, namespace: '..' } }), answer: refused },
  { name: 'a uid with a slash', body: reportWith({ owner: { ...OWNER, uid: 'u/../x' } }), answer: refused },
  { name: 'a name of 300 letters', body: reportWith({ owner: { ...OWNER, name: 'n'.repeat(300) } }), answer: refused },
  {
    name: "a forged owner: another object's uid",
    body: reportWith({ observed: { heardAt: '10', deleted: false, object: job({ uid: 'uid-of-another' }) } }),
    answer: dead,
  },
  {
    name: 'an object of another namespace than its owner',
    body: reportWith({ observed: { heardAt: '10', deleted: false, object: job({ namespace: 'kube-system' }) } }),
    answer: dead,
  },
  {
    name: 'a version that is no number',
    body: reportWith({ observed: { heardAt: 'newest', deleted: false, object: job() } }),
    answer: dead,
  },
  { name: 'more pods promised than sent', body: reportWith({ pods: 5 }), answer: dead },
  { name: 'pods below 0', body: reportWith({ pods: -1 }), answer: dead },
  {
    name: 'more reports than a message may hold',
    body: headerWith({ reports: Array.from({ length: 10_001 }, () => ({ owner: OWNER, pods: 0 })) }),
    answer: dead,
  },
  { name: 'an answer to a command that is none', body: `a1:${'A'.repeat(50)}`, answer: dead },
  { name: 'a forged cluster: registered, but not for this sender', body: encodeEvents(sound({ cluster: 'staging' })), answer: refused },
  { name: 'a cluster that is not registered', body: encodeEvents(sound({ cluster: 'nowhere' })), answer: refused },
  { name: 'a cluster named as what every object has', body: encodeEvents(sound({ cluster: 'constructor' })), answer: refused },
  { name: 'a sender that nobody registered', body: soundBody, sender: 'AROAFOREIGN:local', answer: refused },
  { name: 'a sender without an id', body: soundBody, sender: '', answer: refused },
  { name: "another API server under the cluster's name", body: encodeEvents(sound({ kubeSystemUid: 'uid-of-another' })), answer: refused },
  {
    name: 'a namespace that the cluster was not registered for',
    body: reportWith({
      owner: { ...OWNER, namespace: 'kube-system' },
      observed: { heardAt: '10', deleted: false, object: job({ namespace: 'kube-system' }) },
    }),
    answer: refused,
  },
  {
    name: 'a digest of a workload in a namespace that the cluster was not registered for',
    body: headerWith({
      reports: [],
      heartbeat: {
        watches: [],
        clockOffsetMs: 0,
        digests: [{ owner: { ...OWNER, namespace: 'kube-system' }, digest: '0123456789abcdef', heardAt: '10' }],
      },
    }),
    answer: refused,
  },
  {
    name: 'more managers of Jobs than are told apart',
    body: headerWith({
      reports: [],
      heartbeat: {
        watches: [],
        clockOffsetMs: 0,
        digests: [],
        externalJobs: Array.from({ length: 22 }, (_none, at) => ({ controllerName: `example.com/${at}`, count: 1 })),
      },
    }),
    answer: dead,
  },
];
