// A cluster with virtual nodes leaves, or keeps fewer of them: pods first, then leases, then Nodes; and what its registration asks for.
import { describe, expect, test } from '@jest/globals';
import type { KubernetesAdministration } from '../../lib/adapters/kubernetes/kubernetes-administration.ts';
import type { KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { LEASES, NODE_LEASES } from '../../lib/objects/placement/lease.ts';
import { NODES, PODS, type Resource } from '../../lib/objects/resources.ts';
import { remainsLeft } from '../../lib/onboarding/left-namespaces.ts';
import { relayManifests } from '../../lib/onboarding/relay-manifests.ts';
import type { PolicyRule } from '../../lib/onboarding/rights.ts';
import { remainsOn } from '../../lib/onboarding/removal.ts';
import { emptyNodes, removeNodes, virtualNodesOf } from '../../lib/onboarding/virtual-nodes.ts';
import type { ClusterRecord } from '../../lib/ports/clusters.ts';
import { aCluster } from '../contracts/clusters.ts';
import { registered } from './registered.ts';

const NODE_FLAGS = 'edge=http:https://one.example far=http:https://two.example';
const MANAGES = ['jobs', 'virtual-nodes'];
const RECORD: ClusterRecord = { ...aCluster('west'), manages: MANAGES, options: { 'virtual-node': NODE_FLAGS }, version: 1 };

/** Objects by their path; a pod that is deleted goes when `ends` says so. */
class FewObjects {
  readonly objects = new Map<string, KubernetesObject>();
  readonly calls: string[] = [];
  ends: (name: string) => boolean = () => true;

  #key({ plural }: Resource, { namespace = '', name }: { namespace?: string; name: string }): string {
    return `${plural} ${namespace}/${name}`;
  }
  put(resource: Resource, object: KubernetesObject): void {
    const { namespace = '', name = '' } = object.metadata;
    this.objects.set(this.#key(resource, { namespace, name }), object);
  }
  pod(name: string, nodeName: string, more: Partial<Pod['metadata']> = {}, status: object = { phase: 'Running' }): void {
    this.put(PODS, {
      metadata: { namespace: 'default', name, uid: `uid-${name}`, ...more },
      spec: { nodeName, containers: [] },
      status,
    } as Pod);
  }
  administration(): Pick<KubernetesAdministration, 'delete' | 'get' | 'list' | 'patch'> {
    return {
      get: async (resource, named) => this.objects.get(this.#key(resource, named)),
      list: async <Item extends KubernetesObject>({ plural }: Resource, selection?: { fieldSelector?: string }) => {
        const [, node] = (selection?.fieldSelector ?? '').split('=');
        const found = [...this.objects].filter(([key]) => key.startsWith(`${plural} `)).map(([, object]) => object);
        return found.filter((object) => node === undefined || (object as Pod).spec.nodeName === node) as Item[];
      },
      patch: async (resource, named, operations) => {
        this.calls.push(`patch ${this.#key(resource, named)} ${JSON.stringify(operations)}`);
      },
      delete: async (resource, named) => {
        const key = this.#key(resource, named);
        this.calls.push(`delete ${key}`);
        return resource !== PODS || this.ends(named.name) ? this.objects.delete(key) : this.objects.has(key);
      },
    };
  }
}

function clusterWithNodes(): FewObjects {
  const cluster = new FewObjects();
  for (const name of ['edge', 'far']) {
    cluster.put(NODES, { metadata: { name, annotations: { 'farloop.dev/virtual-node': 'http' } } });
    cluster.put(LEASES, { metadata: { namespace: NODE_LEASES, name } });
  }
  return cluster;
}
const clockOf = () => {
  let nowMs = 0;
  return {
    monotonicMs: () => nowMs,
    wait: async (ms: number) => {
      nowMs += ms;
    },
  };
};
const put = async (record: Omit<ClusterRecord, 'version'>, version: number): Promise<ClusterRecord> => ({
  ...record,
  version: version + 1,
});

describe('a cluster that leaves', () => {
  test('takes no pods any more, lets them end, and only then loses leases and Nodes', async () => {
    const cluster = clusterWithNodes();
    cluster.pod('a', 'edge');
    cluster.pod('elsewhere', 'machine');
    const told: string[] = [];
    const place = { clusters: { put }, clock: clockOf() };
    const emptied = await emptyNodes(place, cluster.administration(), { record: RECORD, nodes: virtualNodesOf(RECORD) }, (step, what) =>
      told.push(`${step}: ${what}`),
    );
    expect(emptied).toMatchObject({ draining: true, version: 2 });
    expect(told).toEqual(['nodes: edge, far take no pods any more', 'pods: 1 of edge, far have ended']);
    expect(await removeNodes(cluster.administration(), virtualNodesOf(RECORD))).toEqual([
      'Lease kube-node-lease/edge',
      'Node edge',
      'Lease kube-node-lease/far',
      'Node far',
    ]);
    expect(cluster.calls.filter((call) => call.startsWith('delete'))).toEqual([
      'delete pods default/a',
      'delete leases kube-node-lease/edge',
      'delete nodes /edge',
      'delete leases kube-node-lease/far',
      'delete nodes /far',
    ]);
    expect([...cluster.objects.keys()]).toEqual(['pods default/elsewhere']);
  });

  test('a pod that comes again, as of a DaemonSet, holds nothing up; one that does not end is told', async () => {
    const cluster = clusterWithNodes();
    cluster.pod('daemon', 'edge');
    const given = { record: RECORD, nodes: virtualNodesOf(RECORD) };
    cluster.ends = (name) => {
      cluster.pod(name, 'edge', { uid: 'uid-again' });
      return false;
    };
    await emptyNodes({ clusters: { put }, clock: clockOf() }, cluster.administration(), given, () => {});
    cluster.ends = () => false;
    await expect(emptyNodes({ clusters: { put }, clock: clockOf() }, cluster.administration(), given, () => {})).rejects.toThrow(
      '1 pods of edge, far have not ended, as default/daemon: see with farloop explain',
    );
  });

  test('R1: a Node of that name that somebody else made stays as it is', async () => {
    const cluster = clusterWithNodes();
    cluster.put(NODES, { metadata: { name: 'edge' } });
    cluster.pod('theirs', 'edge');
    await emptyNodes(
      { clusters: { put }, clock: clockOf() },
      cluster.administration(),
      { record: RECORD, nodes: virtualNodesOf(RECORD) },
      () => {},
    );
    await removeNodes(cluster.administration(), virtualNodesOf(RECORD));
    expect([...cluster.objects.keys()]).toEqual(['nodes /edge', 'leases kube-node-lease/edge', 'pods default/theirs']);
  });
});

describe('pods of virtual nodes are unfinished work', () => {
  const cluster = clusterWithNodes();
  cluster.pod('a', 'edge');
  cluster.pod('b', 'far');
  cluster.pod('ended', 'edge', {}, { phase: 'Succeeded' });
  cluster.pod('elsewhere', 'machine');

  test('of a cluster that leaves: theirs alone, and no Node', async () => {
    const { unfinished } = await remainsOn(cluster.administration(), RECORD);
    expect(unfinished).toEqual({
      kinds: ['Job', 'VirtualPod'],
      found: [
        { kind: 'VirtualPod', name: 'default/a' },
        { kind: 'VirtualPod', name: 'default/b' },
      ],
    });
  });

  test('of a registration without one of the nodes', async () => {
    const after = { ...RECORD, options: { 'virtual-node': 'edge=http:https://one.example' } };
    expect((await remainsLeft(cluster.administration(), RECORD, after)).unfinished.found).toEqual([
      { kind: 'VirtualPod', name: 'default/b' },
    ]);
    expect((await remainsLeft(cluster.administration(), RECORD, { ...RECORD })).unfinished.found).toEqual([]);
  });
});

describe('a registration with virtual nodes', () => {
  const options = { 'virtual-node': NODE_FLAGS };
  const plan = registered({ manages: MANAGES, options });
  const rulesIn = (kind: string, name: string, namespace?: string): PolicyRule[] =>
    (relayManifests(plan.relay).find(
      ({ kind: is, metadata }) => is === kind && metadata.name === name && metadata.namespace === namespace,
    )?.['rules'] ?? []) as PolicyRule[];

  test('R15: gives rights to these Nodes and leases, by name wherever RBAC can', () => {
    expect(rulesIn('ClusterRole', 'farloop-relay')).toContainEqual({
      apiGroups: [''],
      resources: ['nodes'],
      resourceNames: ['edge', 'far'],
      verbs: ['get', 'list', 'watch'],
    });
    expect(rulesIn('Role', 'farloop-relay', NODE_LEASES)).toEqual([
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: ['edge', 'far'], verbs: ['get', 'patch'] },
    ]);
    const ofNodes = rulesIn('ClusterRole', 'farloop-functions').filter(({ resources: [resource = ''] }) => resource.startsWith('nodes'));
    expect(ofNodes.map(({ resources, resourceNames, verbs }) => [resources[0], resourceNames?.join(), verbs.join()])).toEqual([
      ['nodes', 'edge,far', 'get,list,delete'],
      ['nodes/status', 'edge,far', 'patch'],
      ['nodes/finalizers', 'edge,far', 'update'],
      ['nodes', undefined, 'create'],
      ['nodes', 'edge,far', 'get'],
    ]);
    expect(rulesIn('Role', 'farloop-functions', NODE_LEASES).map(({ verbs, resourceNames }) => [verbs.join(), resourceNames])).toEqual([
      ['get', ['edge', 'far']],
      ['create', undefined],
    ]);
  });

  test('R15: no token of a service account without its switch', () => {
    const mayMakeTokens = (given: object): boolean =>
      relayManifests(registered({ manages: MANAGES, options: { ...options, ...given } }).relay)
        .filter(({ kind }) => kind === 'ClusterRole')
        .some(({ rules = [] }) => (rules as PolicyRule[]).some(({ resources }) => resources.includes('serviceaccounts/token')));
    expect([mayMakeTokens({}), mayMakeTokens({ 'node-tokens': 'on' })]).toEqual([false, true]);
  });

  test('starts its relay with each of them', () => {
    const deployment = JSON.stringify(plan.manifests.find(({ kind }) => kind === 'Deployment'));
    for (const flag of NODE_FLAGS.split(' ')) expect(deployment).toContain(`"--virtual-node=${flag}"`);
  });
});
