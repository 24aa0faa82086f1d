// Server-side apply and the ownership of fields.
import { jsonPatch, mergePatch, strategicPatch } from '../api-server/client.ts';
import type { Scenario, Step } from './scenario.ts';
import { configMaps, get, jobs, main, pods } from './steps.ts';

const applyPatch = 'application/apply-patch+yaml';

const services = '/api/v1/namespaces/{ns}/services';
const events = '/api/v1/namespaces/{ns}/events';
const newEvents = '/apis/events.k8s.io/v1/namespaces/{ns}/events';

const apply = (path: string, manager: string, body: unknown, more = ''): Step => ({
  method: 'PATCH',
  path: `${path}?fieldManager=${manager}${more}`,
  body,
  contentType: applyPatch,
});
const write = (method: string, path: string, manager: string, body: unknown): Step => ({
  method,
  path: `${path}?fieldManager=${manager}`,
  body,
});
const patch = (path: string, manager: string, contentType: string, body: unknown): Step => ({
  method: 'PATCH',
  path: `${path}?fieldManager=${manager}`,
  contentType,
  body,
});

const aConfigMap = (more: object, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  ...more,
});

const aPod = (spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', ...metadata },
  spec: { containers: [main], ...spec },
});
const aJob = (spec: object = {}, metadata: object = {}, template: object = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'a', ...metadata },
  spec: { ...spec, template: { spec: { restartPolicy: 'Never', containers: [main], ...template } } },
});
const env = (...pairs: [string, string][]): object => ({ ...main, env: pairs.map(([name, value]) => ({ name, value })) });
const aService = (...list: object[]): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a' },
  spec: { clusterIP: 'None', selector: { a: 'b' }, ports: list },
});
const ports = (...list: object[]): object => ({ ...main, ports: list });

export const applyScenarios: Scenario[] = [
  {
    name: 'creates, leaves, changes and takes out',
    steps: [
      apply(`${configMaps}/a`, 'one', aConfigMap({ data: { a: '1', b: '2' } }, { labels: { l: 'm' }, annotations: { x: 'y' } })),
      apply(`${configMaps}/a`, 'one', aConfigMap({ data: { a: '1', b: '2' } }, { labels: { l: 'm' }, annotations: { x: 'y' } })),
      apply(`${configMaps}/a`, 'one', aConfigMap({ data: { a: '3' } })),
      apply(`${configMaps}/a`, 'one', aConfigMap({})),
    ],
  },
  {
    name: 'two appliers share what they agree on',
    steps: [
      apply(`${configMaps}/a`, 'one', aConfigMap({ data: { shared: '1', mine: '1' } })),
      apply(`${configMaps}/a`, 'two', aConfigMap({ data: { shared: '1', yours: '2' } })),
      apply(`${configMaps}/a`, 'one', aConfigMap({ data: { mine: '1' } })),
      apply(`${configMaps}/a`, 'two', aConfigMap({ data: { yours: '2' } })),
    ],
  },
  {
    name: 'conflicts with an applier',
    steps: [
      apply(`${configMaps}/a`, 'one', aConfigMap({ data: { a: '1', b: '1' } })),
      apply(`${configMaps}/a`, 'two', aConfigMap({ data: { a: '2' } })),
      apply(`${configMaps}/a`, 'two', aConfigMap({ data: { a: '2', b: '2' } })),
      apply(`${configMaps}/a`, 'two', aConfigMap({ data: { a: '2', b: '2' } }), '&force=true'),
      apply(`${configMaps}/a`, 'one', aConfigMap({ data: { a: '1' } })),
    ],
  },
  {
    name: 'conflicts with a plain writer and with several',
    steps: [
      write('POST', jobs, 'maker', aJob({ parallelism: 1 })),
      patch(`${jobs}/a`, 'scaler', mergePatch, { spec: { parallelism: 2 } }),
      apply(`${jobs}/a`, 'one', aJob({ parallelism: 3 })),
      apply(`${jobs}/a`, 'one', aJob({ parallelism: 3, suspend: true })),
      apply(`${jobs}/a`, 'one', aJob({ parallelism: 2 })),
      apply(`${jobs}/a`, 'one', aJob({ parallelism: 3, suspend: true }), '&force=true'),
      apply(`${jobs}/a`, 'one', aJob({})),
    ],
  },
  {
    name: 'lists are merged by their keys',
    steps: [
      write('POST', services, 'maker', aService({ name: 'b', port: 2 }, { name: 'a', port: 1, targetPort: 81 })),
      apply(`${services}/a`, 'one', aService({ name: 'c', port: 3 }, { name: 'a', port: 1 })),
      apply(`${services}/a`, 'one', aService({ name: 'c', port: 3, targetPort: 83 }, { name: 'd', port: 4 })),
      apply(`${services}/a`, 'two', aService({ name: 'c', port: 3, targetPort: 84 })),
      apply(`${services}/a`, 'one', aService({ name: 'c', port: 3 })),
      apply(`${services}/a`, 'one', aService()),
    ],
  },
  {
    name: 'containers by name',
    steps: [
      write('POST', pods, 'maker', aPod({ containers: [main, { name: 'side', image: 'one' }] })),
      apply(`${pods}/a`, 'one', { ...aPod(), spec: { containers: [{ name: 'side', image: 'two' }] } }, '&force=true'),
      apply(`${pods}/a`, 'two', { ...aPod(), spec: { containers: [{ name: 'side', image: 'three' }] } }),
      apply(`${pods}/a`, 'one', { ...aPod(), spec: { activeDeadlineSeconds: 60, containers: [{ name: 'side', image: 'two' }] } }),
    ],
  },
  {
    name: 'variables by name',
    steps: [
      apply(`${jobs}/a`, 'one', aJob({}, {}, { containers: [env(['A', '1'], ['B', '2'])] })),
      apply(`${jobs}/a`, 'two', aJob({}, {}, { containers: [env(['A', '2'])] })),
    ],
  },
  {
    name: 'ports are named by number and protocol',
    steps: [
      apply(`${pods}/a`, 'one', aPod({ containers: [ports({ containerPort: 80 }, { containerPort: 80, protocol: 'UDP', name: 'u' })] })),
      apply(`${pods}/a`, 'two', aPod({ containers: [ports({ containerPort: 80 })] })),
      apply(`${pods}/a`, 'one', aPod({ containers: [ports({ containerPort: 80 }, { containerPort: 80 })] })),
    ],
  },
  {
    name: 'sets hold each value once',
    steps: [
      apply(`${configMaps}/a`, 'one', aConfigMap({}, { finalizers: ['example.com/a', 'example.com/b'] })),
      apply(`${configMaps}/a`, 'two', aConfigMap({}, { finalizers: ['example.com/c', 'example.com/a'] })),
      apply(`${configMaps}/a`, 'one', aConfigMap({}, { finalizers: ['example.com/b'] })),
      apply(`${configMaps}/a`, 'two', aConfigMap({})),
      patch(`${configMaps}/a`, 'end', mergePatch, { metadata: { finalizers: null } }),
    ],
  },
  {
    name: 'what is owned whole: selectors, args, tolerations',
    steps: [
      apply(
        `${pods}/a`,
        'one',
        aPod({ nodeSelector: { a: 'b' }, tolerations: [{ key: 'k', operator: 'Exists' }], containers: [{ ...main, args: ['x'] }] }),
      ),
      apply(`${pods}/a`, 'two', aPod({ nodeSelector: { a: 'b' }, containers: [{ ...main, args: ['y'] }] })),
      get(`${pods}/a`),
    ],
  },
  {
    name: 'status and spec have owners of their own',
    steps: [
      write('POST', jobs, 'maker', aJob()),
      write('PUT', `${jobs}/a/status`, 'controller', { ...aJob(), status: { active: 1, ready: 0, startTime: '2026-01-01T00:00:00Z' } }),
      apply(`${jobs}/a/status`, 'one', { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' }, status: { active: 2 } }),
      apply(
        `${jobs}/a/status`,
        'one',
        { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' }, status: { active: 2 } },
        '&force=true',
      ),
      apply(`${jobs}/a`, 'one', { ...aJob(), status: { active: 5 } }),
      apply(`${jobs}/none/status`, 'one', { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'none' }, status: { active: 2 } }),
    ],
  },
  {
    name: 'conditions of a pod by type',
    steps: [
      write('POST', pods, 'maker', aPod()),
      patch(`${pods}/a/status`, 'node', strategicPatch, {
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
      }),
      patch(`${pods}/a/status`, 'other', strategicPatch, {
        status: { conditions: [{ type: 'example.com/x', status: 'False', reason: 'Because', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
      }),
      apply(`${pods}/a/status`, 'one', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a' },
        status: { conditions: [{ type: 'example.com/y', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
      }),
    ],
  },
  {
    name: 'a plain update takes over, and drops what is gone',
    steps: [
      apply(`${configMaps}/a`, 'one', aConfigMap({ data: { a: '1', b: '1' } })),
      write('PUT', `${configMaps}/a`, 'two', aConfigMap({ data: { a: '2' } })),
      write('PUT', `${configMaps}/a`, 'two', aConfigMap({ data: { a: '2' } })),
      write('PUT', `${configMaps}/a`, 'three', aConfigMap({})),
    ],
  },
  {
    name: 'owners brought, forgotten and made anew',
    steps: [
      apply(`${configMaps}/a`, 'one', aConfigMap({ data: { a: '1' } })),
      patch(`${configMaps}/a`, 'two', jsonPatch, [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]),
      patch(`${configMaps}/a`, 'two', mergePatch, { data: { b: '2' } }),
      apply(`${configMaps}/a`, 'three', aConfigMap({ data: { a: '3' } })),
      apply(`${configMaps}/a`, 'three', aConfigMap({ data: { a: '3' } }), '&force=true'),
      patch(`${configMaps}/a`, 'four', mergePatch, {
        metadata: {
          managedFields: [
            {
              manager: 'five',
              operation: 'Apply',
              apiVersion: 'v1',
              time: '2026-01-01T00:00:00Z',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:a': {} } },
            },
          ],
        },
      }),
    ],
  },
  {
    name: 'bad applies',
    steps: [
      { method: 'PATCH', path: `${configMaps}/a`, body: aConfigMap({}), contentType: applyPatch },
      apply(`${configMaps}/a`, 'one', aConfigMap({ datas: {} })),
      apply(`${configMaps}/a`, 'one', aConfigMap({ data: [] })),
      apply(`${configMaps}/a`, 'one', aConfigMap({ data: { a: 1 } })),
      apply(`${configMaps}/a`, 'one', aConfigMap({ immutable: 'yes' })),
      apply(`${jobs}/a`, 'one', aJob({ parallelism: 'two' })),
      apply(`${jobs}/a`, 'one', aJob({}, {}, { containers: [main, main] })),
      apply(`${jobs}/a`, 'one', aJob({}, {}, { containers: [{ image: 'x' }] })),
      apply(`${configMaps}/a`, 'one', { ...aConfigMap({}), apiVersion: 'v2' }),
      apply(`${configMaps}/a`, 'one', { metadata: { name: 'a' } }),
      apply(`${configMaps}/a`, 'one', aConfigMap({}, { managedFields: [] })),
      apply(`${configMaps}/a`, 'one', aConfigMap({}, { name: 'b' })),
      apply(`${configMaps}/a`, 'one', aConfigMap({}, { uid: 'no-such' })),
      apply(`${configMaps}/a`, 'one', aConfigMap({}, { resourceVersion: '1' })),
      apply(`${configMaps}/a`, 'one', { ...aConfigMap({ data: { x: 'y' } }), metadata: {} }),
      patch(`${configMaps}/a`, 'one&force=true', mergePatch, {}),
      patch(`${configMaps}/a`, 'one', 'application/unknown', {}),
      apply(`${jobs}/a`, 'one', aJob({}, {}, { restartPolicy: 'Always' })),
      apply(`${configMaps}/a`, 'x'.repeat(129), aConfigMap({})),
    ],
  },
  {
    name: 'dry runs leave nothing behind',
    steps: [
      apply(`${configMaps}/a`, 'one', aConfigMap({ data: { a: '1' } }), '&dryRun=All'),
      get(`${configMaps}/a`),
      apply(`${configMaps}/a`, 'one', aConfigMap({ data: { a: '1' } })),
      apply(`${configMaps}/a`, 'one', aConfigMap({ data: { a: '2' } }), '&dryRun=All'),
      get(`${configMaps}/a`),
    ],
  },
  {
    name: 'who owns what after plain creations',
    steps: [
      write(
        'POST',
        pods,
        'maker',
        aPod({ containers: [{ ...main, resources: { limits: { cpu: '1' } }, securityContext: { runAsUser: 5 } }] }, { labels: { l: 'm' } }),
      ),
      write(
        'POST',
        jobs,
        'maker',
        aJob({ podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'X' }] }] }, backoffLimit: 2 }),
      ),
      write('POST', services, 'maker', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'a' },
        spec: { ports: [{ port: 80 }], selector: { a: 'b' } },
      }),
      write('POST', '/api/v1/namespaces/{ns}/secrets', 'maker', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'a' },
        stringData: { a: 'b' },
      }),
      write('POST', '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases', 'maker', {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'a' },
        spec: { holderIdentity: 'x' },
      }),
      write('POST', configMaps, 'maker', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'b',
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '00000000-0000-0000-0000-000000000000' }],
        },
      }),
      get('/api/v1/namespaces/{ns}'),
    ],
  },
  {
    name: 'events, seen through two groups',
    steps: [
      write('POST', events, 'maker', {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e' },
        involvedObject: { namespace: '{ns}', kind: 'Pod', name: 'p' },
        reason: 'R',
        message: 'm',
        type: 'Normal',
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
        source: { component: 'c' },
      }),
      patch(`${newEvents}/e`, 'two', mergePatch, { note: 'n' }),
      get(`${newEvents}/e`),
    ],
  },
  {
    name: 'kubectl takes over what it applied on the client side',
    steps: [
      write(
        'POST',
        configMaps,
        'kubectl-client-side-apply',
        aConfigMap(
          { data: { a: '1' } },
          {
            annotations: {
              'kubectl.kubernetes.io/last-applied-configuration':
                '{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"a","namespace":"{ns}"}}\n',
            },
          },
        ),
      ),
      apply(`${configMaps}/a`, 'kubectl', aConfigMap({ data: { a: '2', b: '<&>' } })),
      patch(`${configMaps}/a`, 'other', mergePatch, { data: { a: '5' } }),
      apply(`${configMaps}/a`, 'kubectl', aConfigMap({ data: { a: '6' } })),
    ],
  },
  {
    name: 'a strategic patch puts what is new before what it does not name',
    steps: [
      write('POST', configMaps, 'maker', aConfigMap({}, { finalizers: ['example.com/a', 'example.com/b'] })),
      patch(`${configMaps}/a`, 'one', strategicPatch, { metadata: { finalizers: ['example.com/c'] } }),
      patch(`${configMaps}/a`, 'one', strategicPatch, { metadata: { finalizers: ['example.com/d', 'example.com/b'] } }),
      patch(`${configMaps}/a`, 'one', strategicPatch, {
        metadata: { '$setElementOrder/finalizers': ['example.com/b', 'example.com/e', 'example.com/a'], finalizers: ['example.com/e'] },
      }),
      patch(`${configMaps}/a`, 'end', mergePatch, { metadata: { finalizers: null } }),
    ],
  },
  {
    name: 'many writers become few',
    steps: [
      write('POST', configMaps, 'maker', aConfigMap({ data: {} })),
      ...Array.from({ length: 12 }, (_, index) =>
        patch(`${configMaps}/a`, `writer-${String.fromCharCode(97 + index)}`, mergePatch, { data: { [`k${index}`]: 'x' } }),
      ),
    ],
  },
];
