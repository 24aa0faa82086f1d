// What is taken off a cluster that is registered anew: what an earlier registration made, and nothing that somebody else installed.
import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import { objectText, staleOf } from '../../lib/onboarding/ours.ts';
import type { RegistrationRequest } from '../../lib/onboarding/registration-plan.ts';
import type { Manifest } from '../../lib/onboarding/relay-manifests.ts';
import { kustomized, renderChart } from '../infra/rendered-chart.ts';
import { registered } from './registered.ts';

const QUEUES = 'https://sqs.eu-central-1.amazonaws.com/123456789012';
/** What `farloop cluster add` with these options makes on the cluster. */
const made = (change: Partial<RegistrationRequest>): Manifest[] => registered(change).manifests;

/** Answers as an API server with these objects: a label selector of one label, with or without its value. */
const clusterWith = (there: readonly Manifest[]) => ({
  list: async <Item extends KubernetesObject>({ kind }: Resource, { labelSelector = '' }: { labelSelector?: string } = {}) => {
    const [key = '', value] = labelSelector.split('=');
    return there.filter(({ kind: its, metadata: { labels = {} } }) => {
      const label = labels[key];
      return its === kind && label !== undefined && (value === undefined || label === value);
    }) as KubernetesObject[] as Item[];
  },
});

const staleTexts = async (there: readonly Manifest[], wanted: readonly Manifest[]): Promise<string[]> =>
  (await staleOf(clusterWith(there), { relayNamespace: 'farloop', wanted })).map(objectText);

const CHART = {
  cluster: 'far',
  era: 0,
  image: 'i:1',
  region: 'eu-central-1',
  eventsQueueUrl: `${QUEUES}/farloop-prod-events`,
  asksQueueUrl: `${QUEUES}/farloop-prod-relay-far`,
  commander: 'AROARECONCILE',
  manage: 'jobs',
};

describe.each(['direct', 'relayed'] as const)('registered again with --no-relay and %s access', (access) => {
  const again = made({ ...(access === 'relayed' && { credential: { kind: 'none' } }), image: undefined });

  test.each([
    ['the chart', renderChart({ ...CHART, access }, 'farloop')],
    ['kustomize', kustomized(access === 'direct' ? 'base' : 'relayed')],
  ])('a relay that %s installed loses nothing', async (_by, installed) => {
    expect(installed.map(({ kind }) => kind)).toContain('Deployment');
    expect(await staleTexts([...again, ...installed], again)).toEqual([]);
  });

  test('a relay of an earlier registration goes with its rights; the namespace stays, for more may be in it', async () => {
    const before = made({ image: 'i:1' });
    const stale = await staleTexts(before, again);
    expect(stale).toContain('Deployment farloop/farloop-relay');
    expect(stale).toContain('ClusterRole farloop-relay');
    expect(stale.includes('ServiceAccount farloop/farloop-functions')).toBe(access === 'relayed');
    expect(before.map(({ kind }) => kind)).toContain('Namespace');
    expect(stale).not.toContain('Namespace farloop');
  });
});

test('what is shown beforehand has the Secret of an IAM user in it, and no key: applied, it leaves the one that lies there', () => {
  const secretsIn = (change: Partial<RegistrationRequest>): Manifest[] => made(change).filter(({ kind }) => kind === 'Secret');
  const [secret, ...others] = secretsIn({ identity: { kind: 'user' } });
  expect([secret?.metadata.name, secret?.['data'], secret?.['stringData'], others]).toEqual([
    'farloop-relay-aws',
    undefined,
    undefined,
    [],
  ]);
  expect(secretsIn({ identity: { kind: 'irsa' } })).toEqual([]);
  expect(secretsIn({ identity: { kind: 'user' }, image: undefined })).toEqual([]);
});

test('R15: what functions could do is stale once the relay does it for them, and the other way round', async () => {
  const [direct, relayed] = [made({ image: 'i:1' }), made({ image: 'i:1', credential: { kind: 'none' } })];
  expect((await staleTexts(direct, relayed)).toSorted()).toEqual([
    'ClusterRole farloop-functions',
    'ClusterRole farloop-functions-identity',
    'ClusterRoleBinding farloop-functions',
    'ClusterRoleBinding farloop-functions-identity',
    'Role farloop/farloop-functions',
    'RoleBinding farloop/farloop-functions',
    'ServiceAccount farloop/farloop-functions',
  ]);
  expect((await staleTexts(relayed, direct)).toSorted()).toEqual([
    'ClusterRole farloop-relay-commands',
    'ClusterRoleBinding farloop-relay-commands',
  ]);
});
