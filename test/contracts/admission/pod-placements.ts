// New pods with wishes about where they run, taken and refused.
import { aPod } from './judge.ts';
import type { PodCase } from './judge.ts';

const [required, preferred] = ['requiredDuringSchedulingIgnoredDuringExecution', 'preferredDuringSchedulingIgnoredDuringExecution'];
const affinityCase = (name: string, affinity: object, ...fields: string[]): PodCase => ({
  name,
  pod: aPod({ affinity }),
  code: fields.length === 0 ? 201 : 422,
  fields: fields.map((field) => `spec.affinity.${field}`).toSorted(),
});
const spreadCase = (name: string, constraints: object[], ...fields: string[]): PodCase => ({
  name,
  pod: aPod({ topologySpreadConstraints: constraints }),
  code: fields.length === 0 ? 201 : 422,
  fields: fields.map((field) => `spec.topologySpreadConstraints${field}`).toSorted(),
});

const onNodes = (...matchExpressions: object[]) => ({ nodeAffinity: { [required]: { nodeSelectorTerms: [{ matchExpressions }] } } });
const byName = (expression: object) => ({ nodeAffinity: { [required]: { nodeSelectorTerms: [{ matchFields: [expression] }] } } });
const expression = `nodeAffinity.${required}.nodeSelectorTerms[0].matchExpressions[0]`;
const nodeField = `nodeAffinity.${required}.nodeSelectorTerms[0].matchFields[0]`;
const withPods = (term: object) => ({ podAffinity: { [required]: [term] } });
const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
const twice = { matchLabels: { app: 'x' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] };
const near = { topologyKey: 'zone', labelSelector: {} };

export const podPlacements: PodCase[] = [
  affinityCase('an empty affinity', {}),
  affinityCase('nodes by label', onNodes({ key: 'zone', operator: 'In', values: ['a'] }, { key: 'cores', operator: 'Gt', values: ['4'] })),
  affinityCase('a node by name', byName({ key: 'metadata.name', operator: 'In', values: ['node-1'] })),
  affinityCase('no terms', { nodeAffinity: { [required]: { nodeSelectorTerms: [] } } }, `nodeAffinity.${required}.nodeSelectorTerms`),
  affinityCase('In nothing', onNodes({ key: 'zone', operator: 'In' }), `${expression}.values`),
  affinityCase('Exists with a value', onNodes({ key: 'zone', operator: 'Exists', values: ['a'] }), `${expression}.values`),
  affinityCase('Gt of two', onNodes({ key: 'zone', operator: 'Gt', values: ['1', '2'] }), `${expression}.values`),
  affinityCase('an unknown operator', onNodes({ key: 'zone', operator: 'Near' }), `${expression}.operator`),
  affinityCase('a bad key', onNodes({ key: 'a b', operator: 'Exists' }), `${expression}.key`),
  affinityCase('a bad value', onNodes({ key: 'zone', operator: 'In', values: ['a b'] }), `${expression}.values[0]`),
  affinityCase('another field of a node', byName({ key: 'spec.podCIDR', operator: 'In', values: ['a'] }), `${nodeField}.key`),
  affinityCase('two names of a node', byName({ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }), `${nodeField}.values`),
  affinityCase('a node whose name exists', byName({ key: 'metadata.name', operator: 'Exists' }), `${nodeField}.operator`),
  affinityCase(
    'a wish of no weight',
    { nodeAffinity: { [preferred]: [{ weight: 0, preference: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] } }] } },
    `nodeAffinity.${preferred}[0].weight`,
  ),
  affinityCase(
    'a wish with a bad key, whose values are free',
    { nodeAffinity: { [preferred]: [{ weight: 1, preference: { matchExpressions: [{ key: 'a b', operator: 'In', values: ['a b'] }] } }] } },
    `nodeAffinity.${preferred}[0].preference.matchExpressions[0].key`,
  ),
  affinityCase('pods by label', withPods({ topologyKey: 'zone', labelSelector: { matchLabels: { app: 'x' } }, namespaces: ['other'] })),
  affinityCase('pods without a topology', withPods({ labelSelector: {} }), `podAffinity.${required}[0].topologyKey`),
  affinityCase('pods of a bad namespace', withPods({ topologyKey: 'zone', namespaces: ['A'] }), `podAffinity.${required}[0].namespace`),
  affinityCase(
    'pods by a bad label',
    withPods({ topologyKey: 'zone', labelSelector: { matchLabels: { app: 'a b' } } }),
    `podAffinity.${required}[0].labelSelector.matchLabels`,
  ),
  affinityCase(
    'pods to avoid, too much',
    { podAntiAffinity: { [preferred]: [{ weight: 101, podAffinityTerm: { topologyKey: 'zone' } }] } },
    `podAntiAffinity.${preferred}[0].weight`,
  ),
  spreadCase('a spread', [spread, { ...spread, whenUnsatisfiable: 'ScheduleAnyway' }]),
  spreadCase('no skew', [{ ...spread, maxSkew: 0 }], '[0].maxSkew'),
  spreadCase('no topology', [{ maxSkew: 1, topologyKey: '', whenUnsatisfiable: 'DoNotSchedule' }], '[0].topologyKey'),
  spreadCase('an unknown way out', [{ ...spread, whenUnsatisfiable: 'Cry' }], '[0].whenUnsatisfiable'),
  spreadCase('the same twice', [spread, spread], '[0].{topologyKey, whenUnsatisfiable}'),
  spreadCase('no domain at all', [{ ...spread, minDomains: 0 }], '[0].minDomains'),
  spreadCase('domains where it does not matter', [{ ...spread, whenUnsatisfiable: 'ScheduleAnyway', minDomains: 1 }], '[0].minDomains'),
  spreadCase('an unknown policy', [{ ...spread, nodeTaintsPolicy: 'Maybe' }], '[0].nodeTaintsPolicy'),
  spreadCase(
    'a selector that is none',
    [{ ...spread, labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } }],
    '[0].labelSelector.matchExpressions[0].operator',
  ),
  spreadCase('a spread over alike pods', [{ ...spread, matchLabelKeys: ['app'], labelSelector: {} }]),
  spreadCase('alike pods of no selector', [{ ...spread, matchLabelKeys: ['app'] }], '[0].matchLabelKeys'),
  spreadCase('alike pods by a bad key', [{ ...spread, matchLabelKeys: ['app', 'a b'], labelSelector: {} }], '[0].matchLabelKeys[1]'),
  spreadCase('alike pods that are asked for twice', [{ ...spread, matchLabelKeys: ['b', 'app'], labelSelector: twice }], '[0][1]'),
  affinityCase('alike pods and unlike ones', withPods({ ...near, matchLabelKeys: ['a'], mismatchLabelKeys: ['b'] })),
  affinityCase(
    'pods that are alike and unlike',
    withPods({ ...near, matchLabelKeys: ['a', 'b'], mismatchLabelKeys: ['b'] }),
    `podAffinity.${required}[0].matchLabelKeys[1]`,
  ),
  affinityCase(
    'unlike pods of no selector',
    withPods({ topologyKey: 'zone', mismatchLabelKeys: ['b'] }),
    `podAffinity.${required}[0].mismatchLabelKeys`,
  ),
  { name: 'DNS of nobody', pod: aPod({ dnsPolicy: 'None' }), code: 422, fields: ['spec.dnsConfig'] },
  { name: 'DNS of no server', pod: aPod({ dnsPolicy: 'None', dnsConfig: {} }), code: 422, fields: ['spec.dnsConfig.nameservers'] },
  { name: 'DNS of one', pod: aPod({ dnsPolicy: 'None', dnsConfig: { nameservers: ['10.0.0.1'] } }), code: 201 },
];
