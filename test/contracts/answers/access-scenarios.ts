// What is said of service accounts: their tokens, what roles let them do, what they are refused.
import type { Scenario, Step } from './scenario.ts';
import { aJob, apply, configMaps, get, jobs, patch, pods, post, put, remove } from './steps.ts';
import { mergePatch } from '../api-server/client.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const roles = `${rbac}/namespaces/{ns}/roles`;
const bindings = `${rbac}/namespaces/{ns}/rolebindings`;
const accounts = '/api/v1/namespaces/{ns}/serviceaccounts';
const reviews = '/apis/authorization.k8s.io/v1';
const worker = 'system:serviceaccount:{ns}:worker';

const by = (as: string, step: Step): Step => ({ ...step, as });
const asWorker = (step: Step): Step => by('worker', step);
/** A real server hears of roles a moment after they are written. */
const until = (status: number, step: Step): Step => ({ ...step, until: status });

const anAccount = (name: string): Step => post(accounts, { metadata: { name } });
const aRole = (name: string, ...rules: object[]): Step => post(roles, { metadata: { name }, rules });
const aBinding = (name: string, role: string, subjects: object[], kind = 'Role'): Step =>
  post(bindings, { metadata: { name }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role }, subjects });
const ofWorker = [{ kind: 'ServiceAccount', name: 'worker', namespace: '{ns}' }];
const aMap = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const tokenFor = (account: string, spec: object, metadata: object = {}): Step =>
  post(`${accounts}/${account}/token`, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec });
const mayHe = (spec: object): Step =>
  post(`${reviews}/subjectaccessreviews`, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user: worker, ...spec },
  });
const mayI = (resourceAttributes: object): Step =>
  asWorker(
    post(`${reviews}/selfsubjectaccessreviews`, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    }),
  );

export const accessScenarios: Scenario[] = [
  {
    name: 'a token is given for a service account',
    steps: [
      anAccount('worker'),
      tokenFor('worker', {}),
      tokenFor('worker', { expirationSeconds: 600 }),
      tokenFor('worker', { expirationSeconds: 599 }),
      tokenFor('worker', { expirationSeconds: 5_000_000_000 }),
      tokenFor('worker', { audiences: ['sts.example.com'] }),
      tokenFor('worker', {}, { name: 'worker', namespace: '{ns}' }),
      tokenFor('worker', {}, { name: 'other' }),
      tokenFor('worker', {}, { namespace: 'other' }),
      tokenFor('worker', {}, { uid: 'other' }),
      tokenFor('none', {}),
      get(`${accounts}/worker/token`),
      put(`${accounts}/worker/token`, {}),
      remove(`${accounts}/worker/token`),
    ],
  },
  {
    name: 'a service account is known by its token, and may do nothing that no role grants',
    steps: [
      anAccount('worker'),
      asWorker(
        post('/apis/authentication.k8s.io/v1/selfsubjectreviews', { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
      ),
      asWorker(get(pods)),
      asWorker(get(`${pods}/one`)),
      asWorker(get('/api/v1/nodes')),
      asWorker(get('/api/v1/pods?watch=true')),
      asWorker(get(`${pods}/one/log`)),
      asWorker(post(jobs, aJob('one'))),
      asWorker(put(`${jobs}/one`, aJob('one'))),
      asWorker(patch(`${jobs}/one/status`, mergePatch, {})),
      asWorker(remove(`${jobs}/one`)),
      asWorker(remove(jobs)),
      asWorker(get('/api/v1/namespaces/kube-system')),
      asWorker(get('/apis/no.such/v1/things')),
      asWorker(get('/no-such')),
      asWorker(get('/healthz')),
      asWorker(get('/apis/batch')),
      asWorker(post(`${reviews}/subjectaccessreviews`, {})),
    ],
  },
  {
    name: 'roles let a service account do what they name, and no more',
    steps: [
      anAccount('worker'),
      aRole(
        'works',
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'patch', 'update'] },
        { apiGroups: ['batch'], resources: ['jobs/status'], verbs: ['*'] },
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['its'], verbs: ['get', 'list'] },
        { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: ['worker'], verbs: ['create'] },
      ),
      aBinding('works', 'works', ofWorker),
      post(configMaps, aMap('one')),
      until(200, asWorker(get(configMaps))),
      asWorker(get(`${configMaps}/one`)),
      asWorker(get(`${configMaps}?watch=true`)),
      asWorker(patch(`${configMaps}/one`, mergePatch, { data: { a: 'b' } })),
      asWorker(apply(`${configMaps}/two`, aMap('two'))),
      asWorker(put(`${configMaps}/one`, { ...aMap('one'), data: { a: 'c' } })),
      asWorker(remove(`${configMaps}/one`)),
      asWorker(get('/api/v1/configmaps')),
      asWorker(get(`${jobs}/one`)),
      asWorker(get(`${jobs}/one/status`)),
      asWorker(get('/api/v1/namespaces/{ns}/secrets/its')),
      asWorker(get('/api/v1/namespaces/{ns}/secrets/other')),
      asWorker(get('/api/v1/namespaces/{ns}/secrets')),
      asWorker(get('/api/v1/namespaces/{ns}/secrets?fieldSelector=metadata.name%3Dits')),
      asWorker(tokenFor('worker', {})),
      asWorker(tokenFor('other', {})),
      mayHe({ resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'configmaps', name: 'one' } }),
      mayHe({ resourceAttributes: { namespace: '{ns}', verb: 'delete', resource: 'configmaps', name: 'one' } }),
      mayHe({ resourceAttributes: { namespace: 'default', verb: 'get', resource: 'configmaps' } }),
      mayHe({ resourceAttributes: { namespace: '{ns}', verb: 'patch', group: 'batch', resource: 'jobs', subresource: 'status' } }),
      mayHe({ nonResourceAttributes: { path: '/metrics', verb: 'get' } }),
      mayI({ namespace: '{ns}', verb: 'list', resource: 'configmaps' }),
      mayI({ namespace: '{ns}', verb: 'create', resource: 'configmaps' }),
      remove(`${bindings}/works`),
      until(403, asWorker(get(configMaps))),
    ],
  },
  {
    name: 'bindings name accounts, groups and roles of the whole cluster',
    steps: [
      anAccount('worker'),
      anAccount('other'),
      post(`${rbac}/clusterroles`, {
        metadata: { name: '{ns}-reads' },
        rules: [
          { apiGroups: [''], resources: ['pods', 'namespaces'], verbs: ['list', 'get'] },
          { nonResourceURLs: ['/logs/*'], verbs: ['get'] },
        ],
      }),
      aBinding('reads', '{ns}-reads', [{ kind: 'Group', name: 'system:serviceaccounts:{ns}' }], 'ClusterRole'),
      until(200, asWorker(get(pods))),
      by('other', get(pods)),
      asWorker(get('/api/v1/pods')),
      asWorker(get('/api/v1/namespaces/kube-system')),
      post(`${rbac}/clusterrolebindings`, {
        metadata: { name: '{ns}-reads' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: '{ns}-reads' },
        subjects: [{ kind: 'User', name: worker }],
      }),
      until(200, asWorker(get('/api/v1/pods?labelSelector=no%3Dbody'))),
      by('other', get('/api/v1/pods')),
      mayHe({ resourceAttributes: { verb: 'list', resource: 'pods' } }),
      mayHe({ nonResourceAttributes: { path: '/logs/one', verb: 'get' } }),
      remove(`${rbac}/clusterrolebindings/{ns}-reads`),
      until(403, asWorker(get('/api/v1/pods'))),
      remove(`${rbac}/clusterroles/{ns}-reads`),
      until(403, asWorker(get(pods))),
      remove(`${accounts}/worker`),
      until(401, asWorker(get(pods))),
    ],
  },
];
