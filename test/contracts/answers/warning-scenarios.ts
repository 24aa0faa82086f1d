// What a server takes and warns of: kubectl shows it to whoever applies such a thing.
import { mergePatch } from '../api-server/client.ts';
import type { Scenario } from './scenario.ts';
import { aJob, apply, dryJob, dryPod, jobs, main, patch, post } from './steps.ts';

const twice = [
  { name: 'A', value: '1' },
  { name: 'B', value: '1' },
  { name: 'A', value: '2' },
];

export const warningScenarios: Scenario[] = [
  {
    name: 'warnings of what is taken',
    steps: [
      dryJob('a.b'),
      dryJob('a.b', {}, {}, { env: twice }),
      dryJob('j', {}, {}, { env: twice }),
      dryJob('j', {}, {}, { resources: { limits: { memory: '1.5' }, requests: { memory: '0.5' } } }),
      dryJob('j', {}, {}, { resources: { limits: { cpu: '0.5', 'ephemeral-storage': '0.5' } } }),
      dryJob('j', {}, { initContainers: [{ ...main, name: 'init', env: twice, resources: { requests: { memory: '1m' } } }] }),
      dryJob('j', {}, { terminationGracePeriodSeconds: -1 }),
      dryJob('j', {}, { nodeSelector: { 'beta.kubernetes.io/os': 'linux', 'kubernetes.io/os': 'linux' } }),
      dryJob('j', {}, {}, { ports: [{ containerPort: 80 }, { containerPort: 80 }] }),
      dryJob('j', { completionMode: 'Indexed', completions: 200_000, parallelism: 20_000 }),
      dryPod({}, { env: twice, resources: { requests: { memory: '1m' } } }),
      dryPod({ terminationGracePeriodSeconds: -1, nodeSelector: { 'beta.kubernetes.io/arch': 'amd64' } }),
      post(jobs, aJob('kept', { suspend: true }, {}, { env: twice })),
      patch(`${jobs}/kept`, mergePatch, { metadata: { labels: { a: 'b' } } }),
      patch(`${jobs}/kept`, mergePatch, { spec: { parallelism: 2 } }),
      patch(`${jobs}/kept/status`, mergePatch, { status: { ready: 0 } }),
      apply(`${jobs}/applied.job`, aJob('applied.job', { suspend: true }, {}, { resources: { requests: { memory: '1m' } } })),
      post(jobs, aJob('x', { parallelismm: 1 }, {}, { env: twice })),
    ],
  },
];
