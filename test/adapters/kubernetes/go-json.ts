// JSON as an API server writes it: Go's encoder gives six characters to each `<`, `>` and `&`, and objects are as large as etcd keeps them.
import type { Job, Pod } from '../../../lib/objects/kubernetes.ts';

export const goJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

const METADATA = { namespace: 'default', uid: 'uid-odd', resourceVersion: '205', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' };

/** What etcd keeps, and JSON of which is many times as long; made once for each name. */
export const ODD_SPECS = {
  'a command of 1.42 MB of <': () => ({
    containers: [{ name: 'main', image: 'odd', args: ['<'.repeat(1_420_000)] }],
    restartPolicy: 'Never',
  }),
  '60,000 containers': () => ({
    containers: Array.from({ length: 60_000 }, (_, at) => ({ name: `c${at}`, image: 'a', resources: {} })),
    restartPolicy: 'Never',
  }),
} as const;

/** A record of every key of those containers. */
const managedFields = (): object[] => [
  {
    manager: 'odd"\\<',
    operation: 'Update',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:spec': Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k:{"name":"c${at}"}`, { '.': {}, 'f:name': {} }])),
    },
  },
];

export const oddPods: [string, () => Pod][] = [
  ...Object.entries(ODD_SPECS).map(([name, spec]): [string, () => Pod] => [name, () => aPod(spec())]),
  ['managed fields of 1 MB', () => aPod({ containers: [] }, managedFields())],
];
export const oddJobs: [string, () => Job][] = [
  ...Object.entries(ODD_SPECS).map(([name, spec]): [string, () => Job] => [name, () => aJob(spec())]),
  ['managed fields of 1 MB', () => aJob({ containers: [], restartPolicy: 'Never' }, managedFields())],
];

const aPod = (spec: Pod['spec'] & object, fields?: object[]): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name: 'odd',
    ...METADATA,
    labels: { 'batch.kubernetes.io/job-name': 'odd' },
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'odd', uid: 'uid-of-the-job', controller: true }],
    ...(fields && { managedFields: fields }),
  },
  spec: { ...spec, nodeName: 'node-1' },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:03Z' }] },
});

const aJob = (template: object, fields?: object[]): Job =>
  ({
    kind: 'Job',
    apiVersion: 'batch/v1',
    metadata: { name: 'odd', ...METADATA, ...(fields && { managedFields: fields }) },
    spec: { parallelism: 1, completions: 1, suspend: true, template: { spec: template } },
    status: { conditions: [{ type: 'Suspended', status: 'True' }] },
  }) as Job;
