// The API server of the relay's benchmark, in a process of its own: 50,000 pods of 50 Jobs in lists by page, then a stream of
// changes as fast as the client reads. Every pod is what a kubelet and a few managers make of it: some 4 KB.
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { childNameOf } from '../../../lib/objects/child-names.ts';

const [pods, jobs, events] = process.argv.slice(2).map(Number) as [number, number, number];
const FIRST_VERSION = 20_000_000;
/** Stands for the version in texts made beforehand. */
const MARK = 87_654_321;
const time = '2026-01-01T00:00:00Z';

const digits = (value: number, count: number): string => String(value).padStart(count, '0');
const podUid = (at: number): string => `6f9619ff-8b86-4011-b42d-${digits(at, 12)}`;
const jobUid = (at: number): string => `0b4b2c2e-1111-4000-8000-${digits(at, 12)}`;

function job(at: number): object {
  const name = `job-${digits(at, 4)}`;
  return {
    metadata: {
      name,
      namespace: 'default',
      uid: jobUid(at),
      resourceVersion: String(FIRST_VERSION - 1),
      generation: 1,
      creationTimestamp: time,
    },
    spec: {
      parallelism: 1000,
      completions: 1000,
      completionMode: 'Indexed',
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': jobUid(at) } },
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.example.com/render:1' }] } },
    },
    status: { active: 1000, startTime: time },
  };
}

/** @param version eight digits */
function pod(at: number, version: number, phase: 'Running' | 'Succeeded'): object {
  const jobAt = at % jobs;
  const index = String(Math.floor(at / jobs));
  const owner = `job-${digits(jobAt, 4)}`;
  const done = phase === 'Succeeded';
  const conditions = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  const owned = {
    'f:metadata': {
      'f:annotations': { '.': {}, 'f:batch.kubernetes.io/job-completion-index': {} },
      'f:finalizers': { '.': {}, 'v:"batch.kubernetes.io/job-tracking"': {} },
    },
  };
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: childNameOf({ name: owner, uid: jobUid(jobAt) }, { index: Number(index), number: 0 }),
      generateName: `${owner}-${index}-`,
      namespace: 'default',
      uid: podUid(at),
      resourceVersion: digits(version, 8),
      generation: 1,
      creationTimestamp: time,
      labels: {
        'batch.kubernetes.io/controller-uid': jobUid(jobAt),
        'batch.kubernetes.io/job-completion-index': index,
        'batch.kubernetes.io/job-name': owner,
        'controller-uid': jobUid(jobAt),
        'job-name': owner,
        app: 'render',
      },
      annotations: { 'batch.kubernetes.io/job-completion-index': index, 'farloop.dev/number': '0' },
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'Job', name: owner, uid: jobUid(jobAt), controller: true, blockOwnerDeletion: true },
      ],
      finalizers: ['batch.kubernetes.io/job-tracking'],
      managedFields: ['kube-controller-manager', 'kube-scheduler', 'kubelet'].map((manager) => ({
        manager,
        operation: 'Update',
        apiVersion: 'v1',
        time,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          ...owned,
          'f:status': {
            'f:conditions': Object.fromEntries(
              conditions.map((type) => [`k:{"type":"${type}"}`, { '.': {}, 'f:status': {}, 'f:type': {} }]),
            ),
          },
        },
      })),
    },
    spec: {
      volumes: [
        {
          name: 'kube-api-access-x7k2p',
          projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }], defaultMode: 420 },
        },
      ],
      containers: [
        {
          name: 'main',
          image: 'registry.example.com/render:1',
          command: ['render', '--frame', '$(JOB_COMPLETION_INDEX)'],
          env: ['A', 'B', 'C', 'D'].map((name) => ({ name, value: `value of ${name}` })),
          resources: { requests: { cpu: '1', memory: '2Gi' }, limits: { memory: '2Gi' } },
          volumeMounts: [{ name: 'kube-api-access-x7k2p', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
          terminationMessagePath: '/dev/termination-log',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      nodeName: `node-${at % 100}`,
      schedulerName: 'default-scheduler',
      tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
      enableServiceLinks: true,
    },
    status: {
      phase,
      conditions: conditions.map((type) => ({ type, status: done ? 'False' : 'True', lastProbeTime: null, lastTransitionTime: time })),
      hostIP: '10.0.0.1',
      podIP: '10.1.0.1',
      startTime: time,
      containerStatuses: [
        {
          name: 'main',
          state: done
            ? { terminated: { exitCode: 0, reason: 'Completed', startedAt: time, finishedAt: time } }
            : { running: { startedAt: time } },
          lastState: {},
          ready: !done,
          restartCount: 0,
          image: 'registry.example.com/render:1',
          containerID: 'containerd://0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
        },
      ],
      qosClass: 'Burstable',
    },
  };
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const { pathname, searchParams } = url;
  const isWatch = searchParams.get('watch') === 'true';
  response.writeHead(200, { 'content-type': 'application/json' });
  if (pathname.endsWith('/kube-system')) response.end(JSON.stringify({ metadata: { name: 'kube-system', uid: 'kube-system-uid' } }));
  else if (isWatch && pathname.endsWith('/pods')) void stream(response);
  else if (isWatch) response.flushHeaders();
  else if (pathname.endsWith('/pods'))
    void list(response, Number(searchParams.get('continue') ?? 0), Number(searchParams.get('limit') ?? pods));
  else
    response.end(
      JSON.stringify({ metadata: { resourceVersion: String(FIRST_VERSION) }, items: Array.from({ length: jobs }, (_, at) => job(at)) }),
    );
});

async function write(response: ServerResponse, text: string): Promise<void> {
  if (!response.write(text)) await new Promise((drained) => response.once('drain', drained));
}

async function list(response: ServerResponse, from: number, limit: number): Promise<void> {
  const to = Math.min(pods, from + limit);
  const next = to < pods ? { continue: String(to) } : {};
  await write(
    response,
    `{"kind":"PodList","apiVersion":"v1","metadata":${JSON.stringify({ resourceVersion: String(FIRST_VERSION), ...next })},"items":[`,
  );
  for (let at = from; at < to; at += 1)
    await write(response, `${at === from ? '' : ','}${JSON.stringify(pod(at, FIRST_VERSION - 1, 'Running'))}`);
  response.end(']}');
}

/** Texts made beforehand, so that this process is never the slower one: changes of one pod after the other, round and round. */
async function stream(response: ServerResponse): Promise<void> {
  const lines = Array.from({ length: 1_000 }, (_, at) =>
    (['Running', 'Succeeded'] as const).map((phase) =>
      `${JSON.stringify({ type: 'MODIFIED', object: pod(at * Math.floor(pods / 1_000), MARK, phase) })}\n`.split(`${MARK}"`),
    ),
  );
  response.flushHeaders();
  // The client asks for the stream by a line on standard input, once it is ready to be measured.
  await new Promise((asked) => process.stdin.once('data', asked));
  let text = '';
  for (let at = 0; at < events; at += 1) {
    const [before = '', after = ''] = lines[at % 1_000]?.[Math.floor(at / 1_000) % 2] ?? [];
    text += `${before}${FIRST_VERSION + 1 + at}"${after}`;
    if (text.length > 200_000) {
      await write(response, text);
      text = '';
    }
  }
  await write(response, text);
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : '');
});
