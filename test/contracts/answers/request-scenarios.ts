// What is said of bodies that do not fit, of evictions, and of who may do what.
import { jsonPatch, mergePatch, strategicPatch } from '../api-server/client.ts';
import type { Scenario, Step } from './scenario.ts';
import { aJob, budgets, configMaps, get, jobs, leases, main, patch, pods, post, put, remove } from './steps.ts';

const aConfigMap = (name: string, more: object = {}): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more });
const aPod = (name: string, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [main], terminationGracePeriodSeconds: 0 },
});
const aBudget = (name: string, spec: object): object => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name },
  spec,
});
const evict = (name: string, more: object = {}, query = ''): Step =>
  post(`${pods}/${name}/eviction${query}`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...more });
const running = (name: string, isReady = true): Step =>
  patch(`${pods}/${name}/status`, mergePatch, {
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  });
const budgetStatus = (name: string, status: object): Step => patch(`${budgets}/${name}/status`, mergePatch, { status });

const strictnesses = ['Strict', 'Warn', 'Ignore'] as const;

export const requestScenarios: Scenario[] = [
  ...strictnesses.map((strictness): Scenario => ({
    name: `unknown fields, ${strictness}`,
    steps: [
      post(`${jobs}?fieldValidation=${strictness}`, aJob('a', { parallelismm: 2 })),
      post(
        `${jobs}?fieldValidation=${strictness}`,
        aJob('b', { parallelismm: 2, paralell: 3 }, {}, { imagee: 'x', env: [{ name: 'A', valu: '1' }] }),
      ),
      post(
        `${jobs}?fieldValidation=${strictness}`,
        '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"many"},"spec":{"suspend":false,"x":2,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"b"}]}}}}',
      ),
      post(`${configMaps}?fieldValidation=${strictness}`, aConfigMap('x', { metadata: { name: 'x', labelz: {} } })),
      post(configMaps, aConfigMap('y')),
      put(`${configMaps}/y?fieldValidation=${strictness}`, aConfigMap('y', { dat: {} })),
      patch(`${configMaps}/y?fieldValidation=${strictness}`, mergePatch, { dat: { a: '1' } }),
      patch(`${configMaps}/y?fieldValidation=${strictness}`, mergePatch, { data: { a: '1' }, dat: 1 }),
      patch(`${configMaps}/y?fieldValidation=${strictness}`, jsonPatch, [{ op: 'add', path: '/dat', value: 'x' }]),
      patch(`${configMaps}/y?fieldValidation=${strictness}`, strategicPatch, { dat: 'x' }),
      get(`${configMaps}/y`),
    ],
  })),
  {
    name: 'unknown fields without a word on validation, and a bad word',
    steps: [
      post(configMaps, aConfigMap('a', { dat: {} })),
      post(`${configMaps}?fieldValidation=Loud`, aConfigMap('b')),
      put(`${configMaps}/a?fieldValidation=Loud`, aConfigMap('a')),
      patch(`${configMaps}/a?fieldValidation=Loud`, mergePatch, {}),
    ],
  },
  {
    name: 'values of another type',
    steps: [
      post(configMaps, aConfigMap('a', { data: { a: 1 } })),
      post(jobs, aJob('a', { parallelism: 'two' })),
      post(jobs, aJob('a', { suspend: 'yes' })),
      post(jobs, aJob('a', { parallelism: 1.5 })),
      post(jobs, aJob('a', {}, {}, { env: {} })),
      post(jobs, aJob('a', {}, {}, { ports: [{ containerPort: '80' }] })),
      post(jobs, aJob('a', { ttlSecondsAfterFinished: 99_999_999_999 })),
      post(configMaps, '{"apiVersion":"v1","kind":"ConfigMap"'),
      post(configMaps, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }),
      post(configMaps, { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } }),
      post(configMaps, { metadata: { name: 'bare' } }),
    ],
  },
  {
    name: 'evictions without a budget',
    steps: [
      post(pods, aPod('a')),
      evict('a', {}, '?dryRun=All'),
      evict('a', { deleteOptions: { dryRun: ['All'] } }, '?dryRun=All'),
      get(`${pods}/a`),
      evict('a', { metadata: { name: 'b' } }),
      evict('none'),
      evict('a', { deleteOptions: { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } } }),
      evict('a'),
      get(`${pods}/a`),
      get(`${pods}/a/eviction`),
      post(pods, aPod('f', { finalizers: ['example.com/x'] })),
      evict('f'),
      get(`${pods}/f`),
      patch(`${pods}/f`, mergePatch, { metadata: { finalizers: null } }),
    ],
  },
  {
    name: 'what a deletion may ask for, and what it is warned of',
    steps: [
      post(jobs, aJob('a', { suspend: true })),
      remove(`${jobs}/a`, { propagationPolicy: 'Orphan', orphanDependents: true }),
      remove(`${jobs}/a`, { propagationPolicy: 'Background', orphanDependents: false, dryRun: ['Some'] }),
      remove(`${jobs}/a`, { propagationPolicy: 'Sideways', orphanDependents: false }),
      remove(`${jobs}/a?propagationPolicy=Background&orphanDependents=false`),
      remove(`${jobs}?propagationPolicy=Background&orphanDependents=false`),
      remove(`${jobs}/none?propagationPolicy=`),
      remove(`${jobs}/none`, { dryRun: ['All', 'Some'] }),
      post(`${jobs}?dryRun=Some`, aJob('b')),
      evict('none', { deleteOptions: { propagationPolicy: 'Sideways' } }),
      post(pods, aPod('a')),
      evict('a', { deleteOptions: { propagationPolicy: 'Orphan', orphanDependents: true } }),
      evict('a', { deleteOptions: { dryRun: ['Some'] } }),
      get(`${jobs}/a`),
      remove(`${jobs}/a`, { dryRun: ['All'], orphanDependents: null }),
      remove(`${jobs}/a`, { dryRun: ['All'], orphanDependents: true }),
      remove(`${jobs}/a?dryRun=All&orphanDependents=0`),
      remove(`${jobs}/a?dryRun=All&orphanDependents=some`),
      remove(`${jobs}/a`, { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } }),
      remove(`${jobs}/none`),
      remove(`${jobs}?labelSelector=no%3Dsuch`),
      remove(`${jobs}?labelSelector=no%3Dsuch&propagationPolicy=Foreground`),
      remove(`${pods}/none`),
      remove(`${jobs}/a`),
    ],
  },
  {
    name: 'versions, flags and contents that are none',
    steps: [
      post(configMaps, aConfigMap('a')),
      ...['abc', '-1', '1.5', '99999999999999999999', '01', '0'].map((version) =>
        put(`${configMaps}/a`, aConfigMap('a', { metadata: { name: 'a', resourceVersion: version } })),
      ),
      patch(`${configMaps}/a`, mergePatch, { metadata: { resourceVersion: 'abc' } }),
      patch(`${configMaps}/a`, mergePatch, { metadata: { resourceVersion: '0' } }),
      put(`${leases}/none`, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'none', resourceVersion: '0' } }),
      put(`${leases}/none`, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'none', resourceVersion: '0' } }),
      ...['abc', '0', '5'].map((version) =>
        post(configMaps, aConfigMap('b', { metadata: { name: `b${version}`, resourceVersion: version } })),
      ),
      post(`${configMaps}?dryRun=All`, aConfigMap('c', { metadata: { name: 'c', resourceVersion: '5' } })),
      patch(`${configMaps}/a?fieldManager=one&force=some`, 'application/apply-patch+yaml', aConfigMap('a', { data: { a: '1' } })),
      patch(`${configMaps}/a?fieldManager=two&force=FALSE`, 'application/apply-patch+yaml', aConfigMap('a', { data: { a: '2' } })),
      patch(`${configMaps}/a?fieldManager=two&force=f`, 'application/apply-patch+yaml', aConfigMap('a', { data: { a: '2' } })),
      // A watch refuses the token as it refuses any, a list because it is damaged.
      ...['some', 'f', '', '1', '1&resourceVersion=0'].map((flag) => get(`${configMaps}?continue=x&timeoutSeconds=1&watch=${flag}`)),
      get(`${configMaps}?continue=x&timeoutSeconds=1&watch=1&resourceVersionMatch=Exact`),
      get(`${configMaps}?continue=x&timeoutSeconds=1&watch=1&resourceVersionMatch=Exact&sendInitialEvents=some`),
      get(`${configMaps}?continue=x&timeoutSeconds=1&watch=1&sendInitialEvents=false`),
      ...['some', 'metadata'].map((included) => ({
        ...get(`${configMaps}?includeObject=${included}`),
        accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
      })),
      { ...get(`${configMaps}/a?includeObject=some`), accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      { ...get(`${configMaps}/none?includeObject=some`), accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      get(`${configMaps}/a?includeObject=some`),
    ],
  },
  {
    name: 'evictions under a budget',
    steps: [
      post(budgets, aBudget('b', { minAvailable: 1, selector: { matchLabels: { app: 'x' } } })),
      post(pods, aPod('a', { labels: { app: 'x' }, finalizers: ['example.com/x'] })),
      running('a'),
      evict('a'),
      budgetStatus('b', { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 }),
      evict('a'),
      budgetStatus('b', { currentHealthy: 2, disruptionsAllowed: 1 }),
      evict('a', {}, '?dryRun=All'),
      evict('a', { deleteOptions: { dryRun: ['All'] } }, '?dryRun=All'),
      get(`${budgets}/b`),
      evict('a'),
      get(`${pods}/a`),
      patch(`${pods}/a`, mergePatch, { metadata: { finalizers: null } }),
      post(pods, aPod('u', { labels: { app: 'x' } })),
      running('u', false),
      evict('u'),
      post(pods, aPod('v', { labels: { app: 'x' } })),
      running('v'),
      evict('v'),
      post(budgets, aBudget('c', { maxUnavailable: '50%', selector: { matchLabels: { app: 'x' } } })),
      evict('v'),
      post(pods, aPod('pending', { labels: { app: 'x' } })),
      evict('pending'),
    ],
  },
  {
    name: 'budgets, good and bad',
    steps: [
      post(budgets, aBudget('a', { minAvailable: 1, maxUnavailable: 1 })),
      post(budgets, aBudget('a', { minAvailable: -1 })),
      post(budgets, aBudget('a', { minAvailable: '101%' })),
      post(budgets, aBudget('a', { minAvailable: 'x' })),
      post(budgets, aBudget('a', { unhealthyPodEvictionPolicy: 'Never' })),
      post(budgets, aBudget('a', { selector: { matchLabels: { a: '-' } } })),
      post(budgets, aBudget('a', { maxUnavailable: 1 })),
      put(`${budgets}/a`, aBudget('a', { maxUnavailable: 2 })),
      patch(`${budgets}/a`, mergePatch, { spec: { maxUnavailable: 3 } }),
      budgetStatus('a', { currentHealthy: -1 }),
      { ...get(budgets), accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
    ],
  },
  {
    name: 'who am I, and what may I do',
    steps: [
      post('/apis/authentication.k8s.io/v1/selfsubjectreviews', { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: '{token}' },
      }),
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: 'no-such' },
      }),
      post('/apis/authentication.k8s.io/v1/tokenreviews', { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: {} }),
      post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: { namespace: '{ns}', verb: 'create', group: 'batch', resource: 'jobs' } },
      }),
      post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { nonResourceAttributes: { path: '/healthz', verb: 'get' } },
      }),
      post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {},
      }),
      post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectRulesReview',
        spec: {},
      }),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user: 'somebody', groups: ['system:masters'], resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'pods' } },
      }),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user: 'somebody', resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'pods' } },
      }),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {},
      }),
      get('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'),
    ],
  },
];
