// What a server takes and warns of: kubectl shows it to whoever applies such a thing.
import { mergePatch } from '../api-server/client.ts';
import type { Scenario, Step } from './scenario.ts';

const pods = '/api/v1/namespaces/{ns}/pods';
const jobs = '/apis/batch/v1/namespaces/{ns}/jobs';

const main = { name: 'main', image: 'busybox' };
const post = (path: string, body: unknown): Step => ({ method: 'POST', path, body });
const aJob = (name: string, spec: object = {}, pod: object = {}, container: object = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { ...spec, template: { spec: { restartPolicy: 'Never', containers: [{ ...main, ...container }], ...pod } } },
});
const job = (...given: Parameters<typeof aJob>): Step => post(`${jobs}?dryRun=All`, aJob(...given));
const pod = (spec: object, container: object = {}): Step =>
  post(`${pods}?dryRun=All`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ ...main, ...container }], ...spec },
  });
const twice = [
  { name: 'A', value: '1' },
  { name: 'B', value: '1' },
  { name: 'A', value: '2' },
];

export const warningScenarios: Scenario[] = [
  {
    name: 'warnings of what is taken',
    steps: [
      job('a.b'),
      job('a.b', {}, {}, { env: twice }),
      job('j', {}, {}, { env: twice }),
      job('j', {}, {}, { resources: { limits: { memory: '1.5' }, requests: { memory: '0.5' } } }),
      job('j', {}, {}, { resources: { limits: { cpu: '0.5', 'ephemeral-storage': '0.5' } } }),
      job('j', {}, { initContainers: [{ ...main, name: 'init', env: twice, resources: { requests: { memory: '1m' } } }] }),
      job('j', {}, { terminationGracePeriodSeconds: -1 }),
      job('j', {}, { nodeSelector: { 'beta.kubernetes.io/os': 'linux', 'kubernetes.io/os': 'linux' } }),
      job('j', {}, {}, { ports: [{ containerPort: 80 }, { containerPort: 80 }] }),
      job('j', { completionMode: 'Indexed', completions: 200_000, parallelism: 20_000 }),
      pod({}, { env: twice, resources: { requests: { memory: '1m' } } }),
      pod({ terminationGracePeriodSeconds: -1, nodeSelector: { 'beta.kubernetes.io/arch': 'amd64' } }),
      post(jobs, aJob('kept', { suspend: true }, {}, { env: twice })),
      { method: 'PATCH', path: `${jobs}/kept`, contentType: mergePatch, body: { metadata: { labels: { a: 'b' } } } },
      { method: 'PATCH', path: `${jobs}/kept`, contentType: mergePatch, body: { spec: { parallelism: 2 } } },
      { method: 'PATCH', path: `${jobs}/kept/status`, contentType: mergePatch, body: { status: { ready: 0 } } },
      {
        method: 'PATCH',
        path: `${jobs}/applied.job?fieldManager=one`,
        contentType: 'application/apply-patch+yaml',
        body: aJob('applied.job', { suspend: true }, {}, { resources: { requests: { memory: '1m' } } }),
      },
      post(jobs, aJob('x', { parallelismm: 1 }, {}, { env: twice })),
    ],
  },
];
