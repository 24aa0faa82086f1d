// What a server takes and warns of: kubectl shows it to whoever applies such a thing.
import { mergePatch } from '../api-server/client.ts';
import type { Scenario, Step } from './scenario.ts';
import { aJob, apply, dryJob, dryPod, jobs, main, patch, post } from './steps.ts';

const twice = [
  { name: 'A', value: '1' },
  { name: 'B', value: '1' },
  { name: 'A', value: '2' },
];

const asFiles = (...paths: string[]): object => ({ items: paths.map((path) => ({ key: 'k', path })) });
const withVolume = (volume: object): Step => dryJob('j', {}, { volumes: [{ name: 'v', ...volume }] });
const projecting = (...sources: object[]): Step => withVolume({ projected: { sources } });
const ofName = { items: ['a', 'a/b'].map((path) => ({ path, fieldRef: { fieldPath: 'metadata.name' } })) };
/** In a header of bytes, and in quotes. */
const odd = 'ä"\u200b\u0007\u007f日\u{1f600}';
/** More to tell than an answer holds, in many warnings and in few. */
const nested = Array.from({ length: 20 }, (_, at) => '日/'.repeat(at + 1));
const long = (letter: string): string => `日/${letter.repeat(1_000)}`;
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const source = { kind: 'PersistentVolumeClaim', name: 'p' };
const oldZone = 'failure-domain.beta.kubernetes.io/zone';
const inZone = (values: string[]) => ({
  matchExpressions: [
    { key: oldZone, operator: 'In', values },
    { key: 'a', operator: 'NotIn', values: ['b'] },
  ],
});
const [required, preferred] = ['requiredDuringSchedulingIgnoredDuringExecution', 'preferredDuringSchedulingIgnoredDuringExecution'];
const near = { topologyKey: 'a' };
const affinity = {
  nodeAffinity: {
    [required]: { nodeSelectorTerms: [inZone(['a'])] },
    [preferred]: [{ weight: 1, preference: inZone(['a', 'not valid!', 'x'.repeat(64)]) }],
  },
  podAffinity: {
    [required]: [near, { ...near, labelSelector: {} }],
    [preferred]: [{ weight: 1, podAffinityTerm: near }],
  },
};
const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };

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
      dryJob('j', {}, { imagePullSecrets: [{}, { name: 'a' }, { name: 'B c' }, { name: 'a' }, {}] }),
      dryJob('j', {}, { affinity, topologySpreadConstraints: [spread, { ...spread, topologyKey: oldZone, labelSelector: {} }] }),
      dryPod({ affinity: { podAntiAffinity: affinity.podAffinity } }),
      withVolume({ configMap: { name: 'c', ...asFiles('a/b', 'a', 'ab', 'a/b/c', 'a/', odd, odd) } }),
      withVolume({ secret: { secretName: 's', ...asFiles('a', 'a', 'a') } }),
      withVolume({ secret: { secretName: 's', ...asFiles(...nested) } }),
      withVolume({ secret: { secretName: 's', ...asFiles(...nested.slice(0, 3), ...Array.from('abcdefgh', long)) } }),
      projecting(
        { configMap: { name: 'c', ...asFiles('p') } },
        { secret: { name: 's', ...asFiles('p/q', 'x') } },
        ...['p/', 'y'].map((path) => ({ serviceAccountToken: { path } })),
        { configMap: { name: 'whole' } },
      ),
      projecting({ clusterTrustBundle: { path: 'a' } }, {}, { podCertificate: {}, serviceAccountToken: { path: 'a', audience: '' } }),
      withVolume({ ephemeral: { volumeClaimTemplate: { spec: { ...claim, dataSource: source, dataSourceRef: source } } } }),
      dryPod(
        { imagePullSecrets: [{}], volumes: [{ name: 'v', downwardAPI: ofName }] },
        { env: twice, resources: { requests: { memory: '1m' } } },
      ),
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
