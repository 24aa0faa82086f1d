// The rights of relay and passes follow from the kinds that a cluster manages: those of Jobs are what they were, to the byte, and another
// kind's come and go with its word.
import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { files } from '../../infra/relay/manifests.ts';
import type { KindFacts } from '../../lib/kinds/rows/kind.ts';
import { managedKinds } from '../../lib/kinds/settings.ts';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import type { Manifest, RelayValues } from '../../lib/onboarding/relay-manifests.ts';
import { relayManifests } from '../../lib/onboarding/relay-manifests.ts';
import type { PolicyRule } from '../../lib/onboarding/rights.ts';
import { allowedTo } from '../../lib/relay/commands/commands.ts';
import { ENSEMBLE } from '../kinds/made-up-kind.ts';

const VALUES: RelayValues = {
  cluster: 'staging',
  namespace: 'relays',
  ownsNamespace: false,
  manages: ['jobs'],
  namespaces: [],
  functions: 'account',
  access: 'direct',
  commander: 'AROARECONCILE',
  era: 3,
  image: 'example/farloop-relay:1',
  region: 'eu-central-1',
  eventsQueueUrl: 'https://sqs.eu-central-1.amazonaws.com/123456789012/farloop-prod-events',
  asksQueueUrl: 'https://sqs.eu-central-1.amazonaws.com/123456789012/farloop-prod-relay-staging',
  identity: { kind: 'podIdentity' },
};
const WAYS = [
  { functions: 'account', access: 'direct' },
  { functions: 'group', access: 'direct' },
  { functions: 'none', access: 'relayed' },
] as const;
const rightsOf = (values: Partial<RelayValues>): Manifest[] =>
  relayManifests({ ...VALUES, ...values }).filter(({ kind }) => /Role/.test(kind));

const ROLES = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', plural: 'roles', namespaced: true };
const ensembles: KindFacts = {
  ...ENSEMBLE,
  settings: [{ word: 'ensembles', takes: 'Ensembles' }],
  furtherRights: [
    { resource: ROLES, verbs: ['get', 'create'] },
    { resource: PODS, subresource: 'exec', verbs: ['create'], isForGranting: true },
  ],
};
/** Jobs, and the pods that they lose. */
const JOBS_ALONE = managedKinds(['all-jobs']);
const kinds = [...JOBS_ALONE, ensembles];
const resourcesIn = (manifests: readonly Manifest[]): string[] => [
  ...new Set(manifests.flatMap(({ rules = [] }) => (rules as PolicyRule[]).flatMap(({ resources }) => resources))),
];

test('with Jobs alone managed the rights are those of before there were words for kinds, to the byte', () => {
  const all = [['jobs'], ['all-jobs']].flatMap((manages) =>
    WAYS.flatMap((way) =>
      [[], ['batch', 'etl']].flatMap((namespaces) =>
        [{}, { 'workload-with-job': 'on' }].map((options) => rightsOf({ manages, ...way, namespaces, options })),
      ),
    ),
  );
  // Whoever changes these rights says so in the change log, and that clusters are to be registered again.
  expect(createHash('sha256').update(JSON.stringify(all)).digest('hex')).toBe(
    '70f72d78dcb517430a7de8bc361aca8ed335edcea7da9e14f58408f728eb7ac2',
  );
});

describe.each(WAYS)('functions: $functions, access: $access', (way) => {
  test('a kind brings the rights of its owner, its children and what its row asks for, and takes them along when it goes', () => {
    const before = resourcesIn(rightsOf({ ...way, manages: ['jobs'], kinds }));
    const both = resourcesIn(rightsOf({ ...way, manages: ['jobs', 'ensembles'], kinds }));
    expect(both.filter((name) => !before.includes(name)).toSorted()).toEqual(
      ['ensembles', 'ensembles/finalizers', 'ensembles/status', 'pods/exec', 'roles', 'services'].toSorted(),
    );
    const alone = resourcesIn(rightsOf({ ...way, manages: ['ensembles'], kinds }));
    expect(alone.filter((name) => name.startsWith('jobs'))).toEqual([]);
    expect(alone).toEqual(expect.arrayContaining(['pods', 'ensembles']));
  });

  test('a word that this build does not know brings none', () => {
    expect(rightsOf({ ...way, manages: ['jobs', 'unheard-of'] })).toEqual(rightsOf({ ...way, manages: ['jobs'] }));
  });
});

test('people who act bring create and patch of workloads, only where that was asked for, and nothing else', () => {
  for (const way of WAYS) {
    const rulesOf = (actions: boolean): string[] =>
      rightsOf({ ...way, manages: ['jobs', 'ensembles'], kinds, actions }).flatMap(({ rules = [] }) =>
        (rules as PolicyRule[]).map((rule) => JSON.stringify(rule)),
      );
    const before = rulesOf(false);
    expect(rulesOf(true).filter((rule) => !before.includes(rule))).toEqual([
      '{"apiGroups":["batch"],"resources":["jobs"],"verbs":["create","patch"]}',
      '{"apiGroups":["example.com"],"resources":["ensembles"],"verbs":["create","patch"]}',
    ]);
  }
});

test('a relay carries out commands on what the managed kinds consist of; what is held for granting alone is no command', () => {
  const names = allowedTo([ensembles]).map(({ resource, verbs }) => `${resource.plural} ${verbs.join(',')}`);
  expect(names).toContain('ensembles get,delete,patch,create');
  expect(names).toContain('roles get,create');
  expect(names).toContain('pods get,list,create,delete,patch');
  expect(allowedTo([ensembles]).map(({ resource }) => resource)).not.toContain(JOBS);
});

describe('chart and kustomize', () => {
  const made = files('1.2.3', kinds);

  test('with Jobs alone there is nothing to choose and no component', () => {
    const today = files('1.2.3', JOBS_ALONE);
    expect(Object.keys(today).filter((path) => path.startsWith('manages/'))).toEqual([]);
    expect(today['chart/templates/relay.yaml']).not.toContain('{{ if or');
  });

  test('the chart gives a right where a word that needs it is among those given', () => {
    const template = made['chart/templates/relay.yaml'] ?? '';
    const choices = [...template.matchAll(/^\{\{ if or (.*) \}\}\n([^]*?)^\{\{ end \}\}\n/gm)].map(([, when = '', text = '']) => ({
      words: [...when.matchAll(/\(has "([\w-]+)" \(splitList "," \.Values\.manage\)\)/g)].map(([, word]) => word),
      resource: /resources:\n\s+- '(\w+)'/.exec(text)?.[1],
    }));
    expect(choices).toEqual([
      { words: ['jobs', 'all-jobs', 'own'], resource: 'jobs' },
      { words: ['ensembles'], resource: 'ensembles' },
      { words: ['ensembles'], resource: 'services' },
      { words: ['ensembles'], resource: 'services' },
    ]);
    expect(template).toMatch(/^ {2}- apiGroups:\n {6}- ''\n {4}resources:\n {6}- 'pods'/m);
    expect(template.match(/--manage=/g)).toHaveLength(1);
    expect(made['chart/templates/commands.yaml']).toContain(`(has "ensembles" (splitList "," .Values.manage))`);
  });

  test("kustomize's base is that of Jobs; a further word is a component, and one more for relayed access", () => {
    const today = files('1.2.3', JOBS_ALONE);
    for (const path of ['base/relay.yaml', 'base/kustomization.yaml', 'relayed/commands.yaml']) expect(made[path]).toBe(today[path]);
    const components = Object.keys(made).filter((path) => path.startsWith('manages/'));
    expect(new Set(components)).toEqual(
      new Set(
        ['manages/ensembles', 'manages/ensembles/relayed'].flatMap((folder) => [`${folder}/kustomization.yaml`, `${folder}/rights.yaml`]),
      ),
    );
    const rights = made['manages/ensembles/rights.yaml'] ?? '';
    expect(rights).toContain(`- 'ensembles'`);
    expect(rights).not.toContain(`- 'pods'`);
    expect(made['manages/ensembles/relayed/rights.yaml']).toContain(`- 'ensembles/status'`);
  });
});
