// What is said of values that are odd: nulls in lists and maps, numbers at the edge of their size, quantities, times and bytes of all kinds.
import { jsonPatch, mergePatch, strategicPatch } from '../api-server/client.ts';
import type { Scenario, Step } from './scenario.ts';
import { aJob, apply, budgets, configMaps, dryJob, dryPod, jobs, leases, patch, post } from './steps.ts';

const named = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

const aBudget = (spec: object): object => ({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'b' }, spec });
const dryBudget = (spec: object): Step => post(`${budgets}?dryRun=All`, aBudget(spec));
const renewed = (renewTime: unknown): Step =>
  post(`${leases}?dryRun=All`, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: { renewTime } });
const disrupted = (time: unknown): Step => ({
  method: 'PUT',
  path: `${budgets}/b/status`,
  body: { ...aBudget({ minAvailable: 1 }), status: { disruptedPods: { p: time } } },
});
const probed = (port: unknown): Step => dryPod({}, { livenessProbe: { httpGet: { port } } });
const limited = (amount: unknown): Step => dryPod({}, { resources: { limits: { memory: amount } } });
const words = (text: string): string[] => text.split('|');
/** As it stands in the text: no number of JavaScript's. */
const raw = (step: Step, from: string, to: string): Step => ({ ...step, body: JSON.stringify(step.body).replace(`"${from}"`, to) });

export const valueScenarios: Scenario[] = [
  {
    name: 'nulls in what is given',
    steps: [
      post(configMaps, { ...named, data: { a: null, b: 'x' } }),
      post(configMaps, { ...named, metadata: { name: 'b', labels: { a: null }, annotations: { a: null } } }),
      post(configMaps, { ...named, metadata: { name: 'c', finalizers: [null] } }),
      post(configMaps, { ...named, metadata: { name: 'd', ownerReferences: [null] } }),
      post(configMaps, { ...named, metadata: null }),
      post(configMaps, 'null'),
      post(configMaps, '[]'),
      post(configMaps, '"x"'),
      post(jobs, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: null }),
      post(jobs, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: { template: null } }),
      dryJob('j', { completions: null, suspend: null, backoffLimit: null }),
      dryJob('j', {}, { containers: [null] }),
      dryJob('j', {}, { containers: null }),
      dryJob('j', {}, { nodeSelector: { zone: null } }),
      dryJob('j', {}, { tolerations: [null], imagePullSecrets: [null] }),
      dryJob('j', {}, { volumes: [null] }),
      dryJob('j', {}, { securityContext: { supplementalGroups: [null] } }),
      dryJob('j', {}, { hostAliases: [{ ip: '10.0.0.1', hostnames: [null] }] }),
      dryJob('j', {}, {}, { env: [null] }),
      dryJob('j', {}, {}, { args: ['x', null], command: [null] }),
      dryJob('j', {}, {}, { ports: [null] }),
      dryJob('j', {}, {}, { envFrom: [null] }),
      dryJob('j', {}, {}, { volumeMounts: [null] }),
      dryJob('j', {}, {}, { resources: { limits: { cpu: null } } }),
      dryJob('j', { podFailurePolicy: { rules: [null] } }),
      dryJob('j', { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [null] } }] } }),
      dryJob('j', { podFailurePolicy: { rules: [{ action: 'FailJob', onPodConditions: [null] }] } }),
      dryJob('j', { completionMode: 'Indexed', completions: 2, successPolicy: { rules: [null] } }),
      dryJob('j', { manualSelector: true, selector: { matchLabels: { a: null }, matchExpressions: [null] } }),
      dryBudget({ minAvailable: null, selector: { matchLabels: { a: null } } }),
      dryBudget({ minAvailable: 1, selector: { matchExpressions: [{ key: 'a', operator: 'In', values: [null] }] } }),
    ],
  },
  {
    name: 'nulls in patches',
    steps: [
      post(configMaps, { ...named, metadata: { name: 'a', finalizers: ['example.com/x'] }, data: { a: '1', b: '2' } }),
      patch(`${configMaps}/a`, mergePatch, { data: { c: { d: null } } }),
      patch(`${configMaps}/a`, mergePatch, { metadata: { finalizers: [null] } }),
      patch(`${configMaps}/a`, strategicPatch, { metadata: { finalizers: [null] } }),
      patch(`${configMaps}/a`, strategicPatch, { data: { a: null, c: null } }),
      patch(`${configMaps}/a`, jsonPatch, [{ op: 'add', path: '/data/n', value: null }]),
      patch(`${configMaps}/a`, jsonPatch, [{ op: 'replace', path: '/data', value: null }]),
      patch(`${configMaps}/a`, jsonPatch, [{ op: 'add', path: '/metadata/finalizers/-', value: null }]),
      patch(`${configMaps}/a`, jsonPatch, [null]),
      patch(`${configMaps}/a`, jsonPatch, 'null'),
      patch(`${configMaps}/a`, mergePatch, 'null'),
      patch(`${configMaps}/a`, strategicPatch, 'null'),
      patch(`${configMaps}/a`, mergePatch, '[]'),
      patch(`${configMaps}/a`, strategicPatch, '[]'),
      apply(`${configMaps}/s`, { ...named, metadata: { name: 's' }, data: { a: null, b: 'x' } }),
      apply(`${configMaps}/t`, { ...named, metadata: { name: 't', finalizers: [null] } }),
      apply(`${jobs}/k`, aJob('k', { suspend: true }, {}, { env: [null] })),
      apply(`${jobs}/l`, aJob('l', { suspend: true, completions: null }, { tolerations: [null] }, { args: [null] })),
      post(jobs, aJob('j', { suspend: true }, {}, { env: [{ name: 'A', value: '1' }] })),
      patch(`${jobs}/j`, mergePatch, { metadata: { labels: { a: null } }, spec: { parallelism: null, suspend: null } }),
      patch(`${jobs}/j`, strategicPatch, { spec: { template: { spec: { containers: [null] } } } }),
      patch(`${jobs}/j`, strategicPatch, { spec: { template: { spec: { containers: null } } } }),
      patch(`${jobs}/j/status`, mergePatch, { status: { conditions: [null] } }),
      patch(`${jobs}/j/status`, mergePatch, { status: { uncountedTerminatedPods: { succeeded: [null] } } }),
    ],
  },
  {
    name: 'numbers or texts',
    steps: [
      ...[80, 0, -1, 65_536, 99_999_999_999, 1.5, true, {}, [], null, '', 'http', '80', '99999999999', '-x'].map(probed),
      raw(probed('?'), '?', '8e1'),
      raw(probed('?'), '?', '80.0'),
      raw(probed('?'), '?', '2147483648'),
      raw(probed('?'), '?', '9223372036854775808'),
      ...[3_000_000_000, 2_147_483_647, 1.5, '50%', '1', false].map((minAvailable) => dryBudget({ minAvailable })),
    ],
  },
  {
    name: 'numbers of all sizes',
    steps: [
      ...['2147483647', '2147483648', '-2147483649', '1.0', '1e2', '1.5', '-0', '1e400', '"1"', 'true', '[1]'].map((text) =>
        raw(dryJob('j', { backoffLimit: '?' }), '?', text),
      ),
      ...['9223372036854775807', '9223372036854775808', '-1', '1.0', '1e3', '1e19', '1.5', '"1"'].map((text) =>
        raw(dryJob('j', { activeDeadlineSeconds: '?' }), '?', text),
      ),
      ...['1.5', '"x"', '{}'].map((text) => raw(dryJob('j', {}, { securityContext: { supplementalGroups: ['?'] } }), '?', text)),
      ...['1', '"true"', '"yes"', '{}'].map((text) => raw(dryJob('j', { suspend: '?' }), '?', text)),
      ...['1', 'true', '{}', '[]'].map((text) => raw(dryJob('j', { managedBy: '?' }), '?', text)),
    ],
  },
  {
    name: 'quantities',
    steps: [
      ...words('1e3|1E3|1e+3|1E-3|1e|1Ki|0.5Ki|1.5|.5|5.|.|+1|-1|1 G| 1|1 ||1GB|1K|1ki|100m|1500m|1u|1n|0.0000000001').map(limited),
      ...words('9223372036854775807|9223372036854775808|8Ei|9E|1e100|0x1|1,5|1_000|٣|NaN|Infinity|-0|00|007').map(limited),
      ...words('1.500|1000|1024|1024Ki|1000k|--1|1m1|e3|1.2.3').map(limited),
      ...[1, 1.5, -1, 0, true, {}, [], ['1']].map(limited),
      ...words('1e3|1.50|1E3|12345678901234567890|1.0').map((text) => raw(limited('?'), '?', text)),
      dryPod({ overhead: { cpu: '1GB' } }),
      dryPod({}, { resources: { limits: { cpu: '0.0001' } } }),
      dryPod({ volumes: [{ name: 'v', emptyDir: { sizeLimit: '1 G' } }] }),
      dryPod({ volumes: [{ name: 'v', emptyDir: { sizeLimit: 5 } }] }),
    ],
  },
  {
    name: 'structs that JSON does not show',
    steps: [
      dryPod({}, { livenessProbe: { httpGet: 5 } }),
      dryPod({}, { livenessProbe: { exec: { command: [5] } } }),
      dryPod({}, { readinessProbe: { periodSeconds: 'x' } }),
      dryPod({ volumes: [{ name: 'v', emptyDir: 5 }] }),
      dryPod({ volumes: [{ name: 5 }] }),
      dryPod({ volumes: [{ name: 'v', configMap: { name: 5 } }] }),
      dryPod({ volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 5 } }] } }] }),
      dryPod({}, { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 5, key: 'x' } } }] }),
      dryPod({}, { envFrom: [{ configMapRef: { name: 5 } }] }),
      dryPod({}, { lifecycle: { preStop: { httpGet: { port: [] } } } }),
      dryJob('j', {}, {}, { startupProbe: { tcpSocket: { port: 1e12 } } }),
      post(configMaps, { ...named, kind: 5 }),
    ],
  },
  {
    name: 'times and bytes',
    steps: [
      ...words('2026-01-01T00:00:00Z|2026-01-01T01:00:00+01:00|2026-01-01T00:00:00.5Z|2026-01-01||x|2026-02-30T00:00:00Z').map(renewed),
      ...words('2026-01-01T24:00:00Z|2026-01-01t00:00:00z|2026-01-01T00:00:00|2026-01-01 00:00:00Z|0000-01-01T00:00:00Z').map(renewed),
      ...[5, null].map(renewed),
      ...words('2026-01-01T00:00:00.000000Z|2026-01-01T01:30:00.123456+01:30|2026-01-01T00:00:00.1234567Z').map(renewed),
      renewed('2026-01-01T1:00:00.000000Z'),
      post(budgets, aBudget({ minAvailable: 1 })),
      ...words('2026-01-01T00:00:00Z|2026-01-01T01:00:00+01:00|2025-12-31T19:00:00-05:00|2026-01-01T00:00:00.5Z|2026-01-01||x').map(
        disrupted,
      ),
      disrupted(5),
      ...words('2026-01-01T0:00:00Z|2026-01-01T00:00:00,25Z|2026-02-30T00:00:00Z|2026-13-01T00:00:00Z|2026-01-00T00:00:00Z').map(disrupted),
      ...words('2026-01-01T00:60:00Z|2026-01-01T00:00:60Z|2026-01-01T00:00:00+0100|2026-01-01T00:00:00+25:00|2026-01-01T00:00:00Zx').map(
        disrupted,
      ),
      ...words('2026-1-01T00:00:00Z|26-01-01T00:00:00Z|2028-02-29T00:00:00Z|2100-02-29T00:00:00Z|2026-01-01T00:00:00+00:61').map(disrupted),
      ...['eA==', 'eA', 'eA=', 'e A==', '', '!', 'eA==\n', 'e-_=', 5, null].map((bytes) =>
        post(`${configMaps}?dryRun=All`, { ...named, binaryData: { a: bytes } }),
      ),
    ],
  },
];
