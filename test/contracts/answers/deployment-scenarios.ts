// What is said of Deployments and network policies: defaults, what is refused, what cannot be changed, kubectl's columns.
import { mergePatch, strategicPatch } from '../api-server/client.ts';
import type { Scenario, Step } from './scenario.ts';
import { apply, get, main, patch, post, put, remove } from './steps.ts';

const deployments = '/apis/apps/v1/namespaces/{ns}/deployments';
const policies = '/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const asTable = (path: string): Step => ({ method: 'GET', path, accept: table });

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [main] } };
const aDeployment = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, ...metadata },
  spec: { selector: { matchLabels: labels }, template, ...spec },
});
const dryDeployment = (spec: object, name = 'a'): Step => post(`${deployments}?dryRun=All`, aDeployment(name, spec));
const rolling = (rollingUpdate: object): object => ({ strategy: { type: 'RollingUpdate', rollingUpdate } });

const aPolicy = (name: string, spec: object = {}): object => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name },
  spec: { podSelector: {}, ...spec },
});
const dryPolicy = (spec: object, name = 'a'): Step => post(`${policies}?dryRun=All`, aPolicy(name, spec));
const fromBlock = (ipBlock: object): Step => dryPolicy({ ingress: [{ from: [{ ipBlock }] }] });
const toPort = (port: object): Step => dryPolicy({ egress: [{ ports: [port] }] });

export const deploymentScenarios: Scenario[] = [
  {
    name: 'a Deployment gets its defaults, and counts what changes',
    steps: [
      post(deployments, aDeployment('web')),
      get(`${deployments}/web`),
      patch(`${deployments}/web`, mergePatch, { spec: { replicas: 3 } }),
      patch(`${deployments}/web`, mergePatch, { metadata: { annotations: { a: 'b' } } }),
      patch(`${deployments}/web`, mergePatch, { metadata: { labels: { a: 'b' } } }),
      patch(`${deployments}/web`, strategicPatch, { spec: { template: { spec: { containers: [{ name: 'main', image: 'other' }] } } } }),
      patch(`${deployments}/web`, strategicPatch, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }),
      put(`${deployments}/web`, aDeployment('web', { paused: true, minReadySeconds: 5 })),
      put(`${deployments}/none`, aDeployment('none')),
      remove(`${deployments}/web`),
    ],
  },
  {
    name: 'a Deployment is applied, and keeps to its selector',
    steps: [
      apply(`${deployments}/web`, aDeployment('web', { replicas: 2 })),
      apply(`${deployments}/web`, aDeployment('web', {})),
      patch(`${deployments}/web`, mergePatch, { spec: { selector: { matchLabels: { b: 'c' } } } }),
      patch(`${deployments}/web`, mergePatch, {
        spec: { selector: { matchLabels: { app: 'db' } }, template: { metadata: { labels: { app: 'db' } } } },
      }),
      remove(`${deployments}/web`, { propagationPolicy: 'Foreground' }),
    ],
  },
  {
    name: 'a Deployment that says too little or too much is refused',
    steps: [
      dryDeployment({ selector: undefined }),
      dryDeployment({ selector: {} }),
      dryDeployment({ selector: { matchLabels: { app: 'db' } } }),
      dryDeployment({ selector: { matchLabels: { app: '!' } } }),
      dryDeployment({ selector: { matchExpressions: [{ key: 'app', operator: 'Near' }] } }),
      dryDeployment({ selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } }),
      dryDeployment({ template: undefined }),
      dryDeployment({ replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1 }),
      dryDeployment({ progressDeadlineSeconds: -1 }),
      dryDeployment({ progressDeadlineSeconds: 5, minReadySeconds: 5 }),
      dryDeployment({ replicas: 0, revisionHistoryLimit: 0, minReadySeconds: 0, paused: false }),
      dryDeployment({ template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } }),
      dryDeployment({ template: { ...template, spec: { ...template.spec, activeDeadlineSeconds: 5 } } }),
      dryDeployment({ template: { ...template, spec: {} } }),
      dryDeployment({ replicas: 'three' }),
      dryDeployment({}, 'Not A Name'),
      dryDeployment({}, 'a.dotted.name'),
      post(`${deployments}?dryRun=All&fieldValidation=Strict`, aDeployment('a', { replica: 1 })),
      post(`${deployments}?dryRun=All`, aDeployment('a', {}, { labels: { app: '!' } })),
    ],
  },
  {
    name: 'the strategy of a Deployment',
    steps: [
      dryDeployment({ strategy: { type: 'Recreate' } }),
      dryDeployment({ strategy: { type: 'Recreate', rollingUpdate: {} } }),
      dryDeployment({ strategy: { type: 'Sometimes' } }),
      dryDeployment({ strategy: {} }),
      dryDeployment(rolling({ maxSurge: 1 })),
      dryDeployment(rolling({ maxSurge: 0, maxUnavailable: 0 })),
      dryDeployment(rolling({ maxSurge: '0%', maxUnavailable: '0%' })),
      dryDeployment(rolling({ maxSurge: '200%', maxUnavailable: '101%' })),
      dryDeployment(rolling({ maxSurge: -1, maxUnavailable: 'half' })),
    ],
  },
  {
    name: 'the status of a Deployment is written by itself',
    steps: [
      post(deployments, aDeployment('web', { replicas: 2 }, { labels })),
      patch(`${deployments}/web/status`, mergePatch, {
        metadata: { labels: { other: 'b' } },
        spec: { replicas: 5 },
        status: {
          replicas: 2,
          readyReplicas: 1,
          availableReplicas: 0,
          observedGeneration: 1,
          terminatingReplicas: 0,
          conditions: [{ type: 'Available', status: 'False', reason: 'Few' }],
        },
      }),
      asTable(`${deployments}/web`),
      asTable(deployments),
      patch(`${deployments}/web/status`, mergePatch, { status: { updatedReplicas: 3 } }),
      patch(`${deployments}/web/status`, mergePatch, { status: { readyReplicas: -1, availableReplicas: 2 } }),
      patch(`${deployments}/web/status`, mergePatch, { status: { collisionCount: 2 } }),
      patch(`${deployments}/web/status`, mergePatch, { status: { collisionCount: 1 } }),
      get(`${deployments}/web/status`),
      patch(`${deployments}/web`, mergePatch, { status: { replicas: 9 } }),
    ],
  },
  {
    name: 'a network policy gets its types and protocols',
    steps: [
      dryPolicy({}),
      dryPolicy({ ingress: [] }),
      dryPolicy({ ingress: [{}] }),
      dryPolicy({ egress: [{ to: [{ namespaceSelector: {} }], ports: [{ port: 53 }, { port: 53, protocol: 'UDP' }, {}] }] }),
      dryPolicy({ policyTypes: ['Egress'], ingress: [{ from: [{ podSelector: {}, namespaceSelector: { matchLabels: labels } }] }] }),
      dryPolicy({ policyTypes: [] }),
      dryPolicy({ podSelector: undefined }),
      post(`${policies}?dryRun=All`, { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'a' } }),
      fromBlock({ cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] }),
      fromBlock({ cidr: '2001:DB8::/64' }),
    ],
  },
  {
    name: 'a network policy that says too little or too much is refused',
    steps: [
      dryPolicy({ ingress: [{ from: [{}] }] }),
      dryPolicy({ ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} }] }] }),
      dryPolicy({ policyTypes: ['Sideways'] }),
      dryPolicy({ policyTypes: ['Ingress', 'Egress', 'Ingress'] }),
      dryPolicy({ podSelector: { matchLabels: { app: '!' } } }),
      dryPolicy({ egress: [{ to: [{ namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } }] }] }),
      toPort({ port: 0 }),
      toPort({ port: 70_000 }),
      toPort({ port: 'Not A Port' }),
      toPort({ port: 'web', endPort: 90 }),
      toPort({ endPort: 90 }),
      toPort({ port: 80, endPort: 79 }),
      toPort({ port: 80, endPort: 70_000 }),
      toPort({ port: 80, endPort: 90, protocol: 'ICMP' }),
      fromBlock({}),
      fromBlock({ cidr: '10.0.0.0' }),
      fromBlock({ cidr: '10.0.0.0/33' }),
      fromBlock({ cidr: '10.0.0.1/8' }),
      fromBlock({ cidr: '010.0.0.0/8' }),
      fromBlock({ cidr: '::ffff:10.0.0.0/104' }),
      fromBlock({ cidr: '10.0.0.0/8', except: ['11.0.0.0/16', '10.0.0.0/8', 'all'] }),
      dryPolicy({}, 'Not A Name'),
      dryPolicy({ ingress: 'all' }),
      post(`${policies}?dryRun=All&fieldValidation=Strict`, aPolicy('a', { ingres: [] })),
    ],
  },
  {
    name: 'a network policy counts what changes, and has columns',
    steps: [
      post(policies, aPolicy('closed')),
      put(`${policies}/closed`, aPolicy('closed', { podSelector: { matchLabels: labels } })),
      patch(`${policies}/closed`, strategicPatch, { metadata: { labels } }),
      apply(`${policies}/closed`, aPolicy('closed', { egress: [{ ports: [{ port: 443 }] }] })),
      asTable(`${policies}/closed`),
      put(`${policies}/none`, aPolicy('none')),
      remove(`${policies}/closed`),
    ],
  },
];
