// Objects that a real API server accepts, each grown to one of its limits or odd in one of the fields that Farloop reads. Each is of a seed.
import type { Job, Pod } from '../../lib/objects/kubernetes.ts';
import { JOBS, PODS, type Resource } from '../../lib/objects/resources.ts';

type Random = () => number;

export interface OddObject {
  what: string;
  resource: Resource;
  object: Job | Pod;
  /** Written through the subresource once the object is there. */
  status?: object;
}

/** Bytes of JSON that etcd still takes, `<` as six characters not counted. */
const LARGEST = 1_350_000;
/** Of all annotations of an object together. */
const ANNOTATIONS_MAX = 262_144 - 64;
const LARGEST_INT32 = 2 ** 31 - 1;
/** What JSON of JavaScript holds exactly of 64 bits. */
const LARGEST_WHOLE = Number.MAX_SAFE_INTEGER;

const between = (random: Random, least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
const oneOf = <Value>(random: Random, values: readonly Value[]): Value => values[between(random, 0, values.length - 1)] as Value;
const many = <Value>(count: number, make: (at: number) => Value): Value[] => Array.from({ length: count }, (_, at) => make(at));

/** Characters that cost several bytes, are escaped, steer a terminal, or turn a line around. */
const ODD_TEXTS = ['<', '&', '\u2028', '\u0001', '\u001b[2J', '\u202e', '"', '\\', '\u{1f4a3}', '\u4e00', '__proto__', '\n', '\u007f'];
/** So many bytes of the same. */
function grown(random: Random, bytes: number): string {
  const text = oneOf(random, ODD_TEXTS);
  // As the API server keeps it: what JSON escapes.
  return text.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(JSON.stringify(text).slice(1, -1)))));
}

const container = (name: string, change: object = {}): object => ({ name, image: 'example.com/none', ...change });

function jobWith(name: string, { metadata = {}, spec = {}, template = {}, pod = {} }: Record<string, object>): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default', ...metadata },
    spec: {
      suspend: true,
      template: { metadata: template, spec: { restartPolicy: 'Never', containers: [container('main')], ...pod } },
      ...spec,
    },
  } as unknown as Job;
}

const podWith = (name: string, { metadata = {}, spec = {} }: Record<string, object>): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', annotations: { 'sim.farloop.dev/run-seconds': '3600' }, ...metadata },
    spec: { restartPolicy: 'Never', containers: [container('main')], ...spec },
  }) as unknown as Pod;

const TRACKING = 'batch.kubernetes.io/job-tracking';
const labelsOf = (job: string, uid: string): Record<string, string> => ({
  'batch.kubernetes.io/job-name': job,
  'batch.kubernetes.io/controller-uid': uid,
  'job-name': job,
  'controller-uid': uid,
});

type Made = Omit<OddObject, 'what' | 'resource'>;

const JOB_KINDS: Record<string, (name: string, random: Random) => Made> = {
  'arguments of one odd text': (name, random) => ({
    object: jobWith(name, { pod: { containers: [container('main', { args: [grown(random, between(random, 200_000, LARGEST))] })] } }),
  }),
  'as many containers as fit': (name, random) => ({
    object: jobWith(name, { pod: { containers: many(between(random, 500, 4_000), (at) => ({ name: `c${at}`, image: 'i' })) } }),
  }),
  'an environment of odd texts': (name, random) => ({
    object: jobWith(name, {
      pod: {
        containers: [container('main', { env: many(between(random, 10, 2_000), (at) => ({ name: `E${at}`, value: grown(random, 200) })) })],
      },
    }),
  }),
  'annotations to their limit': (name, random) => ({
    object: jobWith(name, {
      metadata: {
        annotations: {
          'farloop.dev/odd': grown(random, ANNOTATIONS_MAX / 2),
          'batch.kubernetes.io/odd': grown(random, ANNOTATIONS_MAX / 4),
        },
      },
    }),
  }),
  'an annotation that marks it as read live': (name) => ({
    object: jobWith(name, { metadata: { annotations: { 'farloop.dev/read-live': 'true' } } }),
  }),
  'thousands of labels': (name, random) => ({
    object: jobWith(name, {
      metadata: {
        labels: Object.fromEntries(many(between(random, 1_000, 8_000), (at) => [`l${at}.example.com/${'n'.repeat(40)}`, 'v'.repeat(60)])),
      },
    }),
  }),
  'thousands of owners': (name, random) => ({
    object: jobWith(name, {
      metadata: {
        ownerReferences: many(between(random, 100, 5_000), (at) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          name: `owner-${at}`,
          uid: `uid-${at}`,
        })),
      },
    }),
  }),
  'thousands of finalizers': (name, random) => ({
    object: jobWith(name, { metadata: { finalizers: many(between(random, 100, 3_000), (at) => `example.com/f${at}`) } }),
  }),
  'a failure policy to its limit': (name, random) => ({
    object: jobWith(name, {
      spec: {
        podFailurePolicy: {
          rules: many(20, () => ({
            action: 'Count',
            onExitCodes: { operator: 'In', values: many(between(random, 1, 255), (at) => at + 1) },
          })),
        },
      },
    }),
  }),
  'the largest numbers': (name, random) => ({
    object: jobWith(name, {
      spec: {
        parallelism: oneOf(random, [0, LARGEST_INT32]),
        completions: LARGEST_INT32,
        backoffLimit: LARGEST_INT32,
        activeDeadlineSeconds: LARGEST_WHOLE,
        ttlSecondsAfterFinished: LARGEST_INT32,
      },
      pod: { terminationGracePeriodSeconds: LARGEST_WHOLE, activeDeadlineSeconds: LARGEST_INT32 },
    }),
  }),
  'a selector of its own': (name, random) => ({
    object: jobWith(name, {
      spec: {
        manualSelector: true,
        selector: {
          matchLabels: { odd: name },
          matchExpressions: many(between(random, 1, 300), (at) => ({
            key: `k${at}`,
            operator: 'NotIn',
            values: many(20, (value) => `v${value}`),
          })),
        },
      },
      template: { labels: { odd: name } },
    }),
  }),
  'conditions to their limit': (name, random) => ({
    object: jobWith(name, {}),
    status: {
      conditions: many(between(random, 100, 3_000), (at) => ({
        type: `example.com/Odd${at}`,
        status: oneOf(random, ['True', 'False', 'Unknown']),
        lastProbeTime: oneOf(random, ['0001-01-01T00:00:01Z', '9999-12-31T23:59:59Z']),
        lastTransitionTime: '9999-12-31T23:59:59Z',
        reason: 'Odd',
        message: grown(random, 150),
      })),
    },
  }),
  'a name with dots': (name) => ({ object: jobWith(`${name}.${'d'.repeat(20)}.${'e'.repeat(10)}`, {}) }),
  'pods that cannot start': (name, random) => ({
    object: jobWith(name, {
      spec: { suspend: false, parallelism: 1, completions: 1 },
      template: { annotations: { 'sim.farloop.dev/waiting': 'ImagePullBackOff', odd: grown(random, 100_000) } },
    }),
  }),
  'pods that fail at once': (name, random) => ({
    object: jobWith(name, {
      spec: { suspend: false, parallelism: 1, completions: 1, backoffLimit: between(random, 0, 3) },
      template: { annotations: { 'sim.farloop.dev/exit-codes': '255' } },
      pod: { containers: many(between(random, 1, 60), (at) => container(`c${at}`)) },
    }),
  }),
};

const podOfIndex = (name: string, random: Random, digit: string): Pod =>
  podWith(name, {
    metadata: {
      labels: labelsOf(`none-${name}`, `uid-of-none-${name}`),
      finalizers: [TRACKING],
      annotations: {
        'sim.farloop.dev/run-seconds': '3600',
        'batch.kubernetes.io/job-completion-index': digit.repeat(between(random, 50_000, 100_000)),
        'batch.kubernetes.io/job-index-failure-count': grown(random, 50_000),
        'farloop.dev/number': oneOf(random, ['-1', '1e9', '999999999', '__proto__']),
      },
    },
  });

const POD_KINDS: Record<string, (name: string, random: Random) => Made> = {
  'an orphan with our finalizer': (name, random) => ({
    object: podWith(name, { metadata: { finalizers: [TRACKING], labels: { odd: 'x'.repeat(between(random, 0, 63)) } } }),
  }),
  'labels of a Job that there is none of': (name) => ({
    object: podWith(name, { metadata: { labels: labelsOf(`none-${name}`, `uid-of-none-${name}`), finalizers: [TRACKING] } }),
  }),
  'labels of a Job, and a controller with long names': (name, random) => ({
    object: podWith(name, {
      metadata: {
        labels: labelsOf(`none-${name}`, `uid-of-none-${name}`),
        finalizers: [TRACKING],
        ownerReferences: [
          {
            apiVersion: `example.com/v1`,
            kind: 'k'.repeat(between(random, 1, 3_000)),
            name: 'n'.repeat(3_000),
            uid: 'u'.repeat(3_000),
            controller: true,
          },
        ],
      },
    }),
  }),
  // Read in different ways: zeros in front do not count.
  'an index of nines': (name, random) => ({ object: podOfIndex(name, random, '9') }),
  'an index of zeros': (name, random) => ({ object: podOfIndex(name, random, '0') }),
  'thousands of containers': (name, random) => ({
    object: podWith(name, {
      metadata: { labels: labelsOf(`none-${name}`, `uid-of-none-${name}`), finalizers: [TRACKING] },
      spec: { nodeName: 'nowhere', containers: many(between(random, 100, 3_000), (at) => ({ name: `c${at}`, image: 'i' })) },
    }),
  }),
  'a status of odd texts': (name, random) => ({
    object: podWith(name, {
      metadata: { labels: labelsOf(`none-${name}`, `uid-of-none-${name}`), finalizers: [TRACKING] },
      spec: { nodeName: 'nowhere' },
    }),
    status: {
      phase: oneOf(random, ['Pending', 'Running', 'Unknown', '', 'x'.repeat(5_000), '\u0001\u202e']),
      reason: grown(random, 2_000),
      message: grown(random, 200_000),
      conditions: many(between(random, 1, 1_000), (at) => ({
        type: `example.com/${oneOf(random, ['t', 'T'.repeat(50)])}${at}`,
        status: 'True',
        lastTransitionTime: oneOf(random, ['0001-01-01T00:00:01Z', '9999-12-31T23:59:59Z']),
        message: grown(random, 100),
      })),
      containerStatuses: [
        {
          name: 'main',
          image: '',
          imageID: '',
          ready: false,
          restartCount: oneOf(random, [LARGEST_INT32, -5]),
          state: { waiting: { reason: grown(random, 3_000), message: grown(random, 100_000) } },
        },
        {
          name: grown(random, 5_000),
          image: '',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode: -99, finishedAt: oneOf(random, ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) } },
        },
      ],
    },
  }),
  'annotations to their limit': (name, random) => ({
    object: podWith(name, { metadata: { finalizers: [TRACKING], annotations: { odd: grown(random, ANNOTATIONS_MAX) } } }),
  }),
};

/** One of each kind, in an order of the seed. */
export function oddObjects(random: Random): OddObject[] {
  const made = [
    ...Object.entries(JOB_KINDS).map(([kind, make], at) => ({
      what: `a Job with ${kind}`,
      resource: JOBS,
      ...make(`odd-job-${at}`, random),
    })),
    ...Object.entries(POD_KINDS).map(([kind, make], at) => ({
      what: `a pod with ${kind}`,
      resource: PODS,
      ...make(`odd-pod-${at}`, random),
    })),
  ];
  return made
    .map((each) => ({ each, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ each }) => each);
}
