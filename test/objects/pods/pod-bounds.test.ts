// Facts of a pod that no message and no view item would hold are left out, and the pod says so.
import { expect, test } from '@jest/globals';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { podFactsOf } from '../../../lib/objects/pods/pod-facts.ts';
import { packPods } from '../../../lib/wire/packing/columns.ts';
import { unpackPods } from '../../../lib/wire/packing/unpack-pods.ts';

const LABELS = { 'batch.kubernetes.io/job-name': 'a', 'batch.kubernetes.io/controller-uid': 'uid-a' };
const aPod = (status: Pod['status'], labels = {}): Pod => ({
  metadata: {
    name: 'a-1',
    namespace: 'default',
    uid: '00000000-0000-4000-8000-000000000001',
    resourceVersion: '7',
    labels: { ...LABELS, ...labels },
  },
  spec: { containers: [], nodeName: 'node-1' },
  ...(status && { status }),
});
const many = <Each>(count: number, make: (at: number) => Each): Each[] => Array.from({ length: count }, (_, at) => make(at));
const containers = (count: number) =>
  many(count, (at) => ({ name: `${'c'.repeat(55)}${at}`, restartCount: 0, image: '', imageID: '', ready: true }));
const conditions = (count: number) => many(count, (at) => ({ type: `${'x'.repeat(300)}${at}`, status: 'True' as const }));
const labels = (count: number) => Object.fromEntries(many(count, (at) => [`${'l'.repeat(300)}${at}`, 'v'.repeat(63)]));

const cases: [string, Pod, string | undefined][] = [
  ['400 containers', aPod({ phase: 'Running', containerStatuses: containers(400) }), undefined],
  [
    '1,000 containers',
    aPod({ phase: 'Running', containerStatuses: containers(1_000) }),
    'its status.containerStatuses take 97890 characters; 48000 are kept of a pod',
  ],
  ['100 long conditions', aPod({ phase: 'Running', conditions: conditions(100) }), undefined],
  [
    '200 long conditions',
    aPod({ phase: 'Running', conditions: conditions(200) }),
    'its status.conditions take 69290 characters; 48000 are kept of a pod',
  ],
  ['100 long labels', aPod({ phase: 'Running' }, labels(100)), undefined],
  ['2,000 long labels', aPod({ phase: 'Running' }, labels(2_000)), 'its metadata.labels take 813038 characters; 48000 are kept of a pod'],
  ['a phase of a book', aPod({ phase: 'x'.repeat(5_000) }), 'its status.phase is longer than 1000 characters'],
  [
    'a condition of a book',
    aPod({ phase: 'Running', conditions: [{ type: 'x'.repeat(5_000), status: 'True' }] }),
    'its status.conditions hold a text longer than 1000 characters',
  ],
];

test.each(cases)('%s', (_name, pod, unreadable) => {
  const facts = podFactsOf(pod);
  expect(facts.unreadable).toBe(unreadable);
  if (unreadable !== undefined) expect(facts).toMatchObject({ phase: '', conditions: [], containers: [], labels: LABELS });
  // And what is kept can be read wherever it is kept.
  const entry = { heardAt: '7', byPass: false, presence: 'there' as const, child: facts };
  expect(unpackPods(packPods([entry]))).toEqual([entry]);
});
