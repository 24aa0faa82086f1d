// Whether a Job exists that Farloop does not know, and whose it is: asked of the cluster itself, where the API can.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { objectsOnCluster, type ObjectsOnCluster } from '../../lib/api/objects-on-cluster.ts';
import { jobFacts } from '../../lib/kinds/job/facts.ts';
import { virtualPodFacts } from '../../lib/kinds/virtual-pod/facts.ts';
import { NODE_OPTIONS } from '../../lib/kinds/virtual-pod/node-options.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { NotDoneError } from '../../lib/ports/errors.ts';
import { embeddedPorts, type EmbeddedPorts } from './embedded-ports.ts';

let ports: EmbeddedPorts;
beforeEach(async () => {
  ports = await embeddedPorts('local');
});
afterEach(() => ports.close());

const jobIn = (namespace: string, managedBy?: string): Job => ({
  metadata: { name: 'demo', namespace, uid: `uid-in-${namespace}` },
  spec: { ...(managedBy !== undefined && { managedBy }) },
});

/** A cluster that has these Jobs. */
const having = (jobs: readonly Job[]): Pick<Cluster, 'list'> => ({
  list: async (_, { namespace, fieldSelector }) => {
    const items: unknown[] = jobs.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
    return { items: fieldSelector === 'metadata.name=demo' ? (items as never[]) : [], resourceVersion: '1', dateMs: 0 };
  },
});

async function look(
  jobs: readonly Job[],
  takes: { manages: string[]; namespaces?: string[] },
  namespace?: string,
): Promise<ObjectsOnCluster | undefined> {
  const record = await ports.clusters.get('local');
  if (!record) throw new Error('it is not registered');
  await ports.clusters.put({ ...record, namespaces: [], ...takes }, record.version);
  return await objectsOnCluster({ ...ports, lookUp: () => having(jobs) }, { cluster: 'local', facts: jobFacts, name: 'demo', namespace });
}

describe('Jobs on a cluster', () => {
  test('in all namespaces, and which of them Farloop takes', async () => {
    const found = await look([jobIn('a'), jobIn('b', 'farloop.dev/job'), jobIn('c', 'example.com/x')], { manages: ['jobs'] });
    expect(found).toMatchObject({ live: true, manages: ['jobs'], manage: 'own' });
    expect(found?.items.map(({ namespace, managedBy, managed }) => [namespace, managedBy, managed])).toEqual([
      ['a', undefined, false],
      ['b', 'farloop.dev/job', true],
      ['c', 'example.com/x', false],
    ]);
  });

  test('where Farloop takes all, those without a manager are its own', async () => {
    expect((await look([jobIn('a')], { manages: ['all-jobs'] }))?.items).toMatchObject([{ managed: true }]);
  });

  test('of the namespaces that it works in alone; one that was asked for is looked at all the same', async () => {
    const jobs = [jobIn('a'), jobIn('b')];
    expect((await look(jobs, { manages: ['all-jobs'], namespaces: ['b'] }))?.items).toMatchObject([{ namespace: 'b', managed: true }]);
    expect((await look(jobs, { manages: ['all-jobs'], namespaces: ['b'] }, 'a'))?.items).toMatchObject([
      { namespace: 'a', managed: false },
    ]);
  });

  test('what is no name asks the cluster for nothing', async () => {
    const lookUp = (): Pick<Cluster, 'list'> => ({ list: () => Promise.reject(new NotDoneError('it was asked')) });
    const found = await objectsOnCluster(
      { ...ports, lookUp },
      { cluster: 'local', facts: jobFacts, name: 'demo,metadata.namespace!=kube-system' },
    );
    expect(found).toMatchObject({ live: true, items: [] });
  });

  test('nothing is said of what there is where nobody can look', async () => {
    expect(await objectsOnCluster(ports, { cluster: 'local', facts: jobFacts, name: 'demo' })).toMatchObject({ live: false, items: [] });
    const refusing = {
      list: async () => {
        throw new NotDoneError('it does not answer');
      },
    };
    expect(await objectsOnCluster({ ...ports, lookUp: () => refusing }, { cluster: 'local', facts: jobFacts, name: 'demo' })).toMatchObject(
      {
        live: false,
        problem: 'it does not answer',
        items: [],
      },
    );
    expect(await objectsOnCluster(ports, { cluster: 'nowhere', facts: jobFacts, name: 'demo' })).toBeUndefined();
  });
});

test('a pod on no virtual node is nothing that Farloop would take', async () => {
  const record = await ports.clusters.get('local');
  if (!record) throw new Error('it is not registered');
  const options = { [NODE_OPTIONS.node]: 'edge=simulated' };
  await ports.clusters.put({ ...record, manages: ['virtual-nodes'], options }, record.version);
  const on = (name: string, spec: object): object => ({ metadata: { name: 'demo', namespace: name, uid: name }, spec });
  const items = [on('here', { nodeName: 'edge' }), on('elsewhere', { nodeName: 'machine' }), on('nowhere', {})] as never[];
  const lookUp = (): Pick<Cluster, 'list'> => ({ list: async () => ({ items, resourceVersion: '1', dateMs: 0 }) });
  const found = await objectsOnCluster({ ...ports, lookUp }, { cluster: 'local', facts: virtualPodFacts, name: 'demo' });
  expect(found?.items.map(({ namespace, managed }) => [namespace, managed])).toEqual([
    ['here', true],
    ['elsewhere', false],
    ['nowhere', false],
  ]);
});
