// What is said of roles, of who has them, and of classes of priority: defaults, what is refused, what cannot be changed, kubectl's columns.
import { mergePatch, strategicPatch } from '../api-server/client.ts';
import type { Scenario, Step } from './scenario.ts';
import { apply, get, patch, post, put, remove } from './steps.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const group = 'rbac.authorization.k8s.io';
const roles = `${rbac}/namespaces/{ns}/roles`;
const bindings = `${rbac}/namespaces/{ns}/rolebindings`;
const clusterRoles = `${rbac}/clusterroles`;
const clusterBindings = `${rbac}/clusterrolebindings`;
const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const asTable = (path: string): Step => ({ method: 'GET', path, accept: table });

const readsPods = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };
const object = (kind: string, name: string, fields: object): object => ({ apiVersion: `${group}/v1`, kind, metadata: { name }, ...fields });
const aRole = (name: string, ...rules: object[]): object => object('Role', name, { rules });
const aClusterRole = (name: string, fields: object): object => object('ClusterRole', name, fields);
const roleRef = { apiGroup: group, kind: 'Role', name: 'reader' };
const account = { kind: 'ServiceAccount', name: 'worker', namespace: '{ns}' };
const aBinding = (name: string, fields: object): object => object('RoleBinding', name, { roleRef, subjects: [account], ...fields });
const dryRole = (...rules: object[]): Step => post(`${roles}?dryRun=All`, aRole('a', ...rules));
const dryClusterRole = (fields: object): Step => post(`${clusterRoles}?dryRun=All`, aClusterRole('{ns}-a', fields));
const dryBinding = (fields: object): Step => post(`${bindings}?dryRun=All`, aBinding('a', fields));
const dryClusterBinding = (fields: object): Step =>
  post(
    `${clusterBindings}?dryRun=All`,
    object('ClusterRoleBinding', '{ns}-a', { roleRef: { ...roleRef, kind: 'ClusterRole' }, ...fields }),
  );
const aClass = (name: string, fields: object): object => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  ...fields,
});
const dryClass = (fields: object, name = '{ns}-a'): Step => post(`${classes}?dryRun=All`, aClass(name, fields));

export const roleScenarios: Scenario[] = [
  {
    name: 'a role is kept as it is, and read back',
    steps: [
      post(roles, aRole('reader', readsPods)),
      get(`${roles}/reader`),
      put(`${roles}/reader`, aRole('reader', readsPods, { ...readsPods, resources: ['pods/log'] })),
      put(`${roles}/made-by-put`, aRole('made-by-put', readsPods)),
      patch(`${roles}/reader`, mergePatch, { rules: [] }),
      patch(`${roles}/reader`, strategicPatch, { rules: [readsPods] }),
      patch(`${roles}/reader`, mergePatch, { rules: null }),
      apply(`${roles}/applied`, aRole('applied', readsPods)),
      remove(`${roles}/reader`),
    ],
  },
  {
    name: 'a rule that says too little or too much is refused',
    steps: [
      dryRole(),
      dryRole({}),
      dryRole({ ...readsPods, verbs: [] }),
      dryRole({ ...readsPods, apiGroups: [] }),
      dryRole({ ...readsPods, resources: [] }),
      dryRole({ verbs: ['get'], nonResourceURLs: ['/healthz'] }),
      dryRole({ ...readsPods, nonResourceURLs: ['/healthz'] }),
      dryRole(readsPods, { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: ['one'] }),
      dryRole({ ...readsPods, verbs: 'get' }),
      dryRole({ ...readsPods, verbs: [1] }),
      post(`${roles}?dryRun=All`, aRole('a/b', readsPods)),
      post(`${roles}?dryRun=All`, aRole('A name: with others', readsPods)),
      post(`${roles}?dryRun=All&fieldValidation=Strict`, aRole('a', { ...readsPods, verb: 'get' })),
    ],
  },
  {
    name: 'a role of the whole cluster may name addresses, and gather other roles',
    steps: [
      dryClusterRole({ rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }] }),
      dryClusterRole({ rules: [{ ...readsPods, nonResourceURLs: ['/healthz'] }] }),
      dryClusterRole({ rules: [] }),
      dryClusterRole({}),
      dryClusterRole({ aggregationRule: { clusterRoleSelectors: [{ matchLabels: { of: 'it' } }] } }),
    ],
  },
  {
    name: 'a binding gets its groups',
    steps: [
      dryBinding({}),
      dryBinding({ roleRef: { kind: 'Role', name: 'reader' } }),
      dryBinding({
        subjects: [
          { kind: 'User', name: 'jane' },
          { kind: 'Group', name: 'all' },
        ],
      }),
      dryBinding({ subjects: [] }),
      dryBinding({ subjects: undefined }),
      dryClusterBinding({ subjects: [account] }),
      dryClusterBinding({ roleRef: { kind: 'ClusterRole', name: 'view' } }),
    ],
  },
  {
    name: 'a binding that says too little or too much is refused',
    steps: [
      dryBinding({ roleRef: undefined }),
      dryBinding({ roleRef: {} }),
      dryBinding({ roleRef: { ...roleRef, kind: 'Group' } }),
      dryBinding({ roleRef: { ...roleRef, name: '' } }),
      dryBinding({ roleRef: { ...roleRef, name: 'a/b' } }),
      dryBinding({ roleRef: { ...roleRef, apiGroup: 'apps' } }),
      dryBinding({ subjects: [{}] }),
      dryBinding({ subjects: [{ kind: 'Robot', name: 'r2' }] }),
      dryBinding({ subjects: [{ ...account, name: '' }] }),
      dryBinding({ subjects: [{ ...account, name: 'Not A Name' }] }),
      dryBinding({ subjects: [{ ...account, apiGroup: group }] }),
      dryBinding({ subjects: [{ kind: 'ServiceAccount', name: 'worker' }] }),
      dryBinding({ subjects: [{ kind: 'User', name: 'jane', apiGroup: 'apps' }] }),
      dryClusterBinding({ roleRef }),
      dryClusterBinding({ subjects: [{ kind: 'ServiceAccount', name: 'worker' }] }),
      dryClusterBinding({ subjects: 'worker' }),
    ],
  },
  {
    name: 'the role of a binding stays, its subjects may change',
    steps: [
      post(bindings, aBinding('readers', {})),
      patch(`${bindings}/readers`, mergePatch, { subjects: [account, { kind: 'User', name: 'jane' }] }),
      patch(`${bindings}/readers`, strategicPatch, { subjects: [{ kind: 'Group', name: 'all' }] }),
      patch(`${bindings}/readers`, mergePatch, { roleRef: { name: 'writer' } }),
      put(`${bindings}/readers`, aBinding('readers', { roleRef: { ...roleRef, kind: 'ClusterRole' } })),
      apply(`${bindings}/readers`, aBinding('readers', { subjects: [account] })),
      patch(`${bindings}/readers`, mergePatch, { metadata: { labels: { a: 'b' } } }),
      asTable(`${bindings}/readers`),
      remove(`${bindings}/readers`),
    ],
  },
  {
    name: 'roles and bindings have the columns of kubectl',
    steps: [
      post(roles, aRole('reader', readsPods)),
      post(
        bindings,
        aBinding('readers', {
          subjects: [account, { kind: 'User', name: 'jane' }, { kind: 'Group', name: 'all' }, { kind: 'Group', name: 'few' }],
        }),
      ),
      asTable(bindings),
    ],
  },
  {
    name: 'a class of priority gets its policy, and keeps what counts',
    steps: [
      dryClass({ value: 7 }),
      dryClass({}),
      dryClass({ value: 7, globalDefault: false, description: 'seven', preemptionPolicy: 'Never' }),
      dryClass({ value: -5 }),
      dryClass({ value: 1_000_000_001 }),
      dryClass({ value: 1_000_000_000 }),
      dryClass({ value: 'seven' }),
      dryClass({ value: 7, preemptionPolicy: 'Sometimes' }),
      dryClass({ value: 7, preemptionPolicy: '' }),
      dryClass({ value: 7 }, 'system-mine'),
      dryClass({ value: 7 }, 'system-node-critical'),
      dryClass({ value: 7 }, 'Not A Name'),
      post(classes, aClass('{ns}-b', { value: 7 })),
      put(`${classes}/{ns}-b`, aClass('{ns}-b', { value: 8 })),
      put(`${classes}/{ns}-b`, aClass('{ns}-b', { value: 7, description: 'seven' })),
      patch(`${classes}/{ns}-b`, mergePatch, { preemptionPolicy: 'Never' }),
      patch(`${classes}/{ns}-b`, strategicPatch, { description: 'another' }),
      asTable(`${classes}/{ns}-b`),
      asTable(`${classes}/system-node-critical`),
      get(`${classes}/system-cluster-critical`),
      remove(`${classes}/{ns}-b`),
    ],
  },
];
