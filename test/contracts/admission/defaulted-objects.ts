// Varied Jobs and pods that leave much out, for comparing field by field what an API server makes of them.
import type { Job, Pod } from '../../../lib/objects/kubernetes.ts';

const main = { name: 'main', image: 'busybox' };
const namespace = 'default';
const aJob = (name: string, spec: Job['spec'], metadata: Job['metadata'] = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace, ...metadata },
  spec,
});
const aPod = (name: string, spec: Partial<Pod['spec']>, metadata: Pod['metadata'] = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, ...metadata },
  spec: { containers: [main], ...spec },
});

const probes = {
  livenessProbe: { httpGet: { port: 80 } },
  readinessProbe: { tcpSocket: { port: 'http' }, periodSeconds: 3 },
  startupProbe: { grpc: { port: 9000 }, failureThreshold: 7 },
  lifecycle: { stopSignal: 'SIGTERM', preStop: { httpGet: { port: 80, path: '/bye' } }, postStart: { exec: { command: ['true'] } } },
  ports: [
    { name: 'http', containerPort: 80 },
    { containerPort: 53, protocol: 'UDP' },
  ],
};
const volumes = [
  { name: 'nothing' },
  { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1024Mi' } },
  { name: 'secret', secret: { secretName: 's' } },
  { name: 'map', configMap: { name: 'c', defaultMode: 0o600, items: [{ key: 'a', path: 'b' }] } },
  { name: 'down', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
  {
    name: 'all',
    projected: {
      sources: [
        { serviceAccountToken: { path: 'token', audience: '' } },
        { clusterTrustBundle: { name: 'b', path: 'bundle' } },
        { podCertificate: { signerName: 'a/b', keyType: 'RSA3072', credentialBundlePath: 'c' } },
        { downwardAPI: { items: [{ path: 'cpu', resourceFieldRef: { containerName: 'main', resource: 'limits.cpu' } }] } },
        { configMap: { name: 'c' } },
      ],
    },
  },
  { name: 'empty', projected: {} },
  { name: 'host', hostPath: { path: '/a' } },
  { name: 'disk', persistentVolumeClaim: { claimName: 'p' } },
  {
    name: 'made',
    ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } } },
  },
  {
    name: 'copied',
    ephemeral: {
      volumeClaimTemplate: {
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          dataSource: { kind: 'PersistentVolumeClaim', name: 'p' },
          dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'p' },
        },
      },
    },
  },
  { name: 'files', image: { reference: 'busybox:1' } },
  { name: 'share', nfs: { server: 'n', path: '/a' } },
  { name: 'driver', csi: { driver: 'd.example.com' } },
  { name: 'block', iscsi: { targetPortal: '10.0.0.1:3260', iqn: 'iqn.2015-02.example.com:test', lun: 0 } },
];
const env = [
  { name: 'EMPTY', value: '' },
  { name: 'TEXT', value: 'a' },
  { name: 'FIELD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  { name: 'RESOURCE', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
  { name: 'LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } },
  { name: 'SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
];
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const images = [
  'busybox',
  'busybox:1',
  'busybox:latest',
  `busybox@${digest}`,
  `busybox:latest@${digest}`,
  'host.example.com:5000/a/b',
  'host.example.com:5000/a/b:v1',
  'Not/An/Image',
  'localhost/a:latest',
];

export const jobsToDefault: Job[] = [
  aJob('plain', { template: { spec: { containers: [main], restartPolicy: 'Never' } } }),
  aJob('labelled', {
    parallelism: 3,
    template: { metadata: { labels: { app: 'x' }, annotations: { a: 'b' } }, spec: { containers: [main], restartPolicy: 'OnFailure' } },
  }),
  aJob(
    'own-labels',
    { completions: 3, suspend: true, template: { spec: { containers: [main], restartPolicy: 'Never' } } },
    { labels: { mine: 'yes' }, annotations: { note: 'x' } },
  ),
  aJob('indexed', {
    completionMode: 'Indexed',
    completions: 4,
    backoffLimitPerIndex: 2,
    podFailurePolicy: {
      rules: [
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
        { action: 'FailIndex', onExitCodes: { operator: 'In', values: [3] } },
      ],
    },
    successPolicy: { rules: [{ succeededIndexes: '0-1', succeededCount: 1 }] },
    template: { spec: { containers: [main], restartPolicy: 'Never' } },
  }),
  aJob('manual', {
    manualSelector: true,
    selector: { matchLabels: { app: 'x' } },
    template: { metadata: { labels: { app: 'x' } }, spec: { containers: [main], restartPolicy: 'Never' } },
  }),
  aJob('rich', {
    ttlSecondsAfterFinished: 0,
    activeDeadlineSeconds: 60,
    template: {
      spec: {
        restartPolicy: 'Never',
        serviceAccountName: 'worker',
        hostNetwork: true,
        nodeSelector: {},
        tolerations: [],
        overhead: { cpu: '0.1' },
        initContainers: [{ name: 'first', image: 'busybox:1', restartPolicy: 'Always', ...probes }],
        containers: [
          {
            ...main,
            env,
            resources: { limits: { cpu: 2, memory: '1.5Gi' }, requests: { cpu: '0.5', memory: '1024Mi' } },
            volumeMounts: [{ name: 'nothing', mountPath: '/a' }],
          },
          {
            name: 'second',
            image: 'busybox:latest',
            resources: { limits: { memory: '2000Mi' }, requests: {} },
            securityContext: { runAsUser: 5 },
            lifecycle: { stopSignal: 'SIGTERM' },
          },
        ],
        volumes,
      },
    },
  }),
  aJob('images', { template: { spec: { restartPolicy: 'Never', containers: images.map((image, at) => ({ name: `c${at}`, image })) } } }),
];

export const podsToDefault: Pod[] = [
  aPod('plain', {}),
  aPod(
    'finalized',
    { restartPolicy: 'Never', nodeName: 'node-1' },
    { labels: { a: 'b' }, finalizers: ['batch.kubernetes.io/job-tracking'] },
  ),
  aPod('burstable', { containers: [{ ...main, resources: { limits: { cpu: '2', memory: '1.5Gi' }, requests: { cpu: '0.5' } } }] }),
  aPod('guaranteed', {
    containers: [{ ...main, resources: { limits: { cpu: '1000m', memory: '1024Mi' } } }],
    initContainers: [{ name: 'first', image: 'busybox:1', resources: { limits: { cpu: '0.25', memory: '1e3' } } }],
  }),
  aPod('hosted', { hostNetwork: true, containers: [{ ...main, ports: [{ containerPort: 80 }] }] }),
  aPod('probed', { containers: [{ ...main, ...probes }] }),
  aPod('stored', { serviceAccountName: 'worker', volumes, containers: [{ ...main, env, envFrom: [{ secretRef: { name: 's' } }] }] }),
  aPod('tolerant', {
    tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
  }),
  aPod('all-tolerant', { tolerations: [{ operator: 'Exists' }] }),
  aPod('gated', { schedulingGates: [{ name: 'example.com/gate' }] }),
  aPod('critical', { priorityClassName: 'system-node-critical', enableServiceLinks: false, terminationGracePeriodSeconds: 0 }),
  aPod('device', { containers: [{ ...main, resources: { limits: { 'example.com/device': 1, cpu: '1.500', memory: '1E3' } } }] }),
  aPod('whole', { resources: { limits: { cpu: '2', memory: '1Gi' } }, containers: [{ ...main, resources: { requests: { cpu: '1' } } }] }),
  aPod('whole-pages', {
    resources: { requests: { cpu: '2' } },
    containers: [{ ...main, resources: { limits: { cpu: '1', memory: '1Gi', 'hugepages-2Mi': '4Mi' } } }],
  }),
  aPod('spread', {
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { a: 'b' } } },
    ],
    securityContext: { fsGroup: 5 },
  }),
];
