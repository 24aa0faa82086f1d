// How much an answer to a relayed command may hold.
import { expect, test } from '@jest/globals';
import { ListStream } from '../../lib/adapters/kubernetes/json/list-stream.ts';
import { POD_FIELDS } from '../../lib/objects/pods/pod-facts.ts';
import { OUTCOMES_VALUES_MAX } from '../../lib/wire/command-answers.ts';
import { MOST_PODS } from '../../lib/wire/packing/columns.ts';
import { valuesIn } from '../../lib/wire/words/guarded-json.ts';

const status = (name: string, state: object): object => ({
  name,
  ready: true,
  restartCount: 0,
  image: 'i',
  imageID: 'i',
  state,
  lastState: {},
});
const times = { startedAt: '2026-11-22T10:00:00Z', finishedAt: '2026-11-22T10:00:01Z' };
const condition = (type: string): object => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: '2026-11-22T10:00:00Z' });

/** As a kubelet leaves it, with a sidecar, an init container and labels of a platform. */
const pod = {
  metadata: {
    name: 'render-49999-x7k2p',
    namespace: 'batch',
    uid: '6f1c0c3e-7c0a-4b0e-9f61-0a6a7f7f9d11',
    resourceVersion: '123456789',
    creationTimestamp: '2026-11-22T10:00:00Z',
    labels: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`example.com/label-${at}`, 'value'])),
    annotations: { 'batch.kubernetes.io/job-completion-index': '49999', 'farloop.dev/number': '49999' },
    finalizers: ['batch.kubernetes.io/job-tracking'],
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'render', uid: 'u', controller: true, blockOwnerDeletion: true }],
  },
  spec: { nodeName: 'node-1', initContainers: [{ name: 'fetch' }], containers: [{ name: 'main' }, { name: 'proxy' }] },
  status: {
    phase: 'Running',
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(condition),
    initContainerStatuses: [status('fetch', { terminated: { exitCode: 0, reason: 'Completed', ...times } })],
    containerStatuses: [status('main', { terminated: { exitCode: 1, reason: 'Error', ...times } }), status('proxy', { running: times })],
  },
};

test('an answer holds as many pods as any other message, of a usual size each', () => {
  const read: unknown[] = [];
  const stream = new ListStream(POD_FIELDS, (item) => read.push(item));
  stream.take(Buffer.from(JSON.stringify({ metadata: {}, items: [pod] })));
  expect(stream.end()).toBeDefined();
  expect(valuesIn(JSON.stringify(read)) * MOST_PODS).toBeLessThanOrEqual(OUTCOMES_VALUES_MAX);
});
