// A relay is known by the namespace that it lives in: neither is another stage's taken for ours, nor ours overlooked.
import { describe, expect, test } from '@jest/globals';
import type { KubernetesAdministration } from '../../lib/adapters/kubernetes/kubernetes-administration.ts';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { refuseOtherRelays, relayNamespaceOf } from '../../lib/onboarding/ours.ts';
import type { Manifest, RelayValues } from '../../lib/onboarding/relay-manifests.ts';
import { FUNCTIONS_ACCOUNT, relayManifests } from '../../lib/onboarding/relay-manifests.ts';
import { TerminalError } from '../../lib/ports/errors.ts';
import { lostRegionCommands } from './lost-region.ts';

const QUEUES = 'https://sqs.eu-central-1.amazonaws.com/123456789012';
const RELAY: RelayValues = {
  cluster: 'staging',
  namespace: 'farloop',
  ownsNamespace: true,
  manages: ['jobs'],
  namespaces: [],
  functions: 'account',
  access: 'direct',
  commander: 'AROARECONCILE',
  era: 0,
  image: 'i',
  region: 'eu-central-1',
  eventsQueueUrl: `${QUEUES}/farloop-prod-events`,
  asksQueueUrl: `${QUEUES}/farloop-prod-relay-staging`,
  identity: { kind: 'user' },
};
const relayOf = (stage: string, cluster: string, namespace: string, namespaces: readonly string[] = []): KubernetesObject => {
  const eventsQueueUrl = `${QUEUES}/farloop-${stage}-events`;
  const asksQueueUrl = `${QUEUES}/farloop-${stage}-relay-${cluster}`;
  const manifests = relayManifests({ ...RELAY, cluster, namespace, namespaces, eventsQueueUrl, asksQueueUrl });
  const deployment = manifests.find(({ kind }) => kind === 'Deployment');
  if (!deployment) throw new Error('no Deployment');
  return deployment;
};
const clusterOf = (there: readonly Manifest[]): Pick<KubernetesAdministration, 'list'> =>
  clusterWith(...there.filter(({ kind }) => kind === 'Deployment'));
const clusterWith = (...there: KubernetesObject[]): Pick<KubernetesAdministration, 'list'> => ({
  list: async <Item extends KubernetesObject>() => there as Item[],
});
const meant = { stackName: 'farloop-prod', cluster: 'staging', relayNamespace: 'farloop', leavesInstalled: false, namespaces: [] };

test('its own relay, none, and those of others that look after other namespaces are not in its way', async () => {
  await expect(refuseOtherRelays(clusterWith(), meant)).resolves.toBeUndefined();
  const both = clusterWith(relayOf('prod', 'staging', 'farloop'), relayOf('dev', 'staging', 'other', ['tests']));
  await expect(refuseOtherRelays(both, { ...meant, namespaces: ['batch', 'etl'] })).resolves.toBeUndefined();
  // Nor is anything of theirs removed.
  await expect(refuseOtherRelays(both, { ...meant, namespaces: undefined })).resolves.toBeUndefined();
});

test("another stage's relay in that namespace is not ours to replace or to remove", async () => {
  const theirs = clusterWith(relayOf('dev', 'staging', 'farloop', ['tests']));
  for (const [namespaces, advice] of [
    [['batch'], 'Take the cluster out of farloop-dev first'],
    [undefined, '--unreachable leaves the cluster as it is'],
  ] as const) {
    const refused = refuseOtherRelays(theirs, { ...meant, namespaces });
    await expect(refused).rejects.toThrow('the relay in the namespace farloop is that of farloop-dev, not of farloop-prod');
    await expect(refuseOtherRelays(theirs, { ...meant, namespaces })).rejects.toThrow(advice);
  }
});

test.each([
  { ours: [], theirs: [] },
  { ours: ['batch'], theirs: [] },
  { ours: [], theirs: ['batch'] },
  { ours: ['batch', 'etl'], theirs: ['tests', 'etl'] },
])('two installations do not manage the same Jobs, wherever their relays live: $ours beside $theirs', async ({ ours, theirs }) => {
  const there = clusterWith(relayOf('dev', 'staging', 'elsewhere', theirs));
  const refused = refuseOtherRelays(there, { ...meant, namespaces: ours });
  await expect(refused).rejects.toThrow('is that of farloop-dev, not of farloop-prod: two installations must not manage the same Jobs');
});

test.each(['account', 'none'] as const)(
  'a cluster whose region is lost goes to another stage by what the page says: functions %s',
  async (functions) => {
    const before = relayManifests({ ...RELAY, functions, access: functions === 'none' ? 'relayed' : 'direct' });
    await expect(refuseOtherRelays(clusterOf(before), { ...meant, stackName: 'farloop-prod2' })).rejects.toThrow(
      'is that of farloop-prod,',
    );
    const { kubectl, add } = lostRegionCommands();
    expect([kubectl.includes('delete'), add.includes('prod2')]).toEqual([true, true]);
    const after = before.filter(({ kind, metadata }) => !kubectl.includes(`${kind.toLowerCase()}/${metadata.name}`));
    await expect(refuseOtherRelays(clusterOf(after), { ...meant, stackName: 'farloop-prod2' })).resolves.toBeUndefined();
    // Of the old stage nothing is at work any more, and no token of it is good.
    expect(
      after.filter(({ kind, metadata }) => kind === 'Deployment' || (metadata.name === FUNCTIONS_ACCOUNT && kind === 'ServiceAccount')),
    ).toEqual([]);
  },
);

test('a relay of this cluster in another namespace would be left behind', async () => {
  const refused = refuseOtherRelays(clusterWith(relayOf('prod', 'staging', 'other')), meant);
  await expect(refused).rejects.toThrow('give --relay-namespace other');
});

test('what somebody else fills in, or a cluster without Deployments, tells nothing', async () => {
  const [container] = [{ args: ['relay', '--cluster=$(CLUSTER)', '--events-queue-url=$(EVENTS_QUEUE_URL)'] }];
  const base = { metadata: { name: 'farloop-relay', namespace: 'farloop' }, spec: { template: { spec: { containers: [container] } } } };
  await expect(refuseOtherRelays(clusterWith(base), { ...meant, leavesInstalled: true })).resolves.toBeUndefined();
  const list = async (): Promise<never> => Promise.reject(new TerminalError('no such resource', { code: 404 }));
  await expect(refuseOtherRelays({ list }, meant)).resolves.toBeUndefined();
});

test('a relay that Helm or kustomize installed is not replaced or removed behind their back, and beside --no-relay it is in order', async () => {
  const { metadata, ...rest } = relayOf('prod', 'staging', 'farloop');
  const installed = {
    ...rest,
    metadata: { name: 'farloop-relay', namespace: 'farloop', labels: { 'app.kubernetes.io/name': 'farloop-relay' } },
  };
  expect(metadata.labels).toMatchObject(installed.metadata.labels);
  await expect(refuseOtherRelays(clusterWith(installed), meant)).rejects.toThrow('take it away by the same first ("helm uninstall"');
  await expect(refuseOtherRelays(clusterWith(installed), { ...meant, leavesInstalled: true })).resolves.toBeUndefined();
});

describe('the namespace of the relay', () => {
  const cluster = 'staging';

  test('is the one that the record keeps, also where no relay of ours lives there and nobody names it', () => {
    expect(relayNamespaceOf({ relayNamespace: 'relays' }, { cluster, given: undefined })).toBe('relays');
    expect(relayNamespaceOf({ relayNamespace: 'relays' }, { cluster, given: 'relays' })).toBe('relays');
  });

  test('that is given and not the one that the record keeps is refused: what is there would be left behind', () => {
    expect(() => relayNamespaceOf({ relayNamespace: 'relays' }, { cluster, given: 'farloop' })).toThrow(
      'the relay of staging lives in the namespace relays, not in farloop: give --relay-namespace relays',
    );
  });

  test('is the one given, else farloop, for a new cluster and a record of an earlier version', () => {
    for (const record of [undefined, {}]) {
      expect(relayNamespaceOf(record, { cluster, given: 'relays' })).toBe('relays');
      expect(relayNamespaceOf(record, { cluster, given: undefined })).toBe('farloop');
    }
  });
});
