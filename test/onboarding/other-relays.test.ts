// A relay is known by the namespace that it lives in: neither is another stage's taken for ours, nor ours overlooked.
import { expect, test } from '@jest/globals';
import type { KubernetesAdministration } from '../../lib/adapters/kubernetes-administration.ts';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { refuseOtherRelays } from '../../lib/onboarding/ours.ts';
import { relayManifests } from '../../lib/onboarding/relay-manifests.ts';
import { TerminalError } from '../../lib/ports/errors.ts';

const relayOf = (stage: string, cluster: string, namespace: string): KubernetesObject => {
  const queues = 'https://sqs.eu-central-1.amazonaws.com/123456789012';
  const deployment = relayManifests({
    cluster,
    namespace,
    ownsNamespace: true,
    manage: 'own',
    namespaces: [],
    functions: 'account',
    access: 'direct',
    era: 0,
    image: 'i',
    region: 'eu-central-1',
    eventsQueueUrl: `${queues}/farloop-${stage}-events`,
    asksQueueUrl: `${queues}/farloop-${stage}-relay-${cluster}`,
    identity: { kind: 'user' },
  }).find(({ kind }) => kind === 'Deployment');
  if (!deployment) throw new Error('no Deployment');
  return deployment;
};
const clusterWith = (...there: KubernetesObject[]): Pick<KubernetesAdministration, 'list'> => ({
  list: async <Item extends KubernetesObject>() => there as Item[],
});
const meant = { stackName: 'farloop-prod', cluster: 'staging', relayNamespace: 'farloop', leavesInstalled: false };

test('its own relay, none, and those of others elsewhere are not in its way', async () => {
  await expect(refuseOtherRelays(clusterWith(), meant)).resolves.toBeUndefined();
  const others = refuseOtherRelays(clusterWith(relayOf('prod', 'staging', 'farloop'), relayOf('dev', 'staging', 'other')), meant);
  await expect(others).resolves.toBeUndefined();
});

test("another stage's relay in that namespace is not ours to replace or to remove", async () => {
  const refused = refuseOtherRelays(clusterWith(relayOf('dev', 'staging', 'farloop')), meant);
  await expect(refused).rejects.toThrow('the relay in the namespace farloop is that of farloop-dev, not of farloop-prod');
});

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
