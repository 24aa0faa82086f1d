// What is said of a Job that was named and is not known, by what its clusters answer.
import { describe, expect, test } from '@jest/globals';
import type { ObjectsOnCluster } from '../../../lib/api/objects-on-cluster.ts';
import type { WorkloadSummary } from '../../../lib/api/told-workload.ts';
import type { ApiClient } from '../../../lib/cli/instance/api-client.ts';
import { absenceOf } from '../../../lib/cli/queries/workload-absence.ts';

const nobody = {
  ask: () => Promise.reject(new Error('nothing is asked by name')),
  post: () => Promise.reject(new Error('nothing is sent')),
  async *changes() {},
};

/** An API of one cluster, which knows this of the Job that is asked for. */
const apiOf = (jobs: Partial<ObjectsOnCluster>, manage: 'own' | 'all' = 'own'): ApiClient => {
  const answers: Record<string, unknown> = {
    '/v1/clusters': { items: [{ name: 'staging', manage }] },
    '/v1/clusters/staging/jobs/demo': { live: true, manage, namespaces: [], items: [], ...jobs },
  };
  return { ...nobody, get: async (path) => answers[path] as never };
};
const demo = { kind: 'Job', name: 'demo' };
const known: WorkloadSummary[] = [
  { cluster: 'staging', kind: 'Job', namespace: 'default', name: 'demos', uid: 'u', state: 'Running', figures: [], queued: false },
];

describe('a Job that is not known', () => {
  test('is not there, where the cluster was asked', async () => {
    expect(await absenceOf(apiOf({}), demo, known)).toMatch(/^there is no Job demo \(Did you mean demos\?\)/);
  });

  test.each(['own', 'all'] as const)('may be there, where a cluster of which Farloop takes %s does not answer', async (manage) => {
    const said = await absenceOf(apiOf({ live: false, problem: 'no answer within 10 s' }, manage), demo, known);
    expect(said).not.toContain('there is no');
    expect(said).toBe(
      'Farloop knows of no Job demo (Did you mean demos?), and cannot tell whether there is one: cluster staging could not be asked: no answer within 10 s',
    );
  });

  test('is one that nobody can look for, on AWS', async () => {
    expect(await absenceOf(apiOf({ live: false }), demo, [])).toMatch(/On staging Farloop takes only the Jobs that say/);
  });

  test('of a kind that its cluster does not define is explained by that, with the way to install it', async () => {
    const relay = { watches: [{ resource: 'pods' }, { resource: 'jobs.batch' }] };
    const answer = { live: true, manages: ['training-jobs'], namespaces: [], items: [] };
    // The cluster answers a list of such objects with 404, which is not silence.
    for (const found of [answer, { ...answer, live: false, problem: 'list pytorchjobs: the API server has no such resource' }]) {
      const answers: Record<string, unknown> = {
        '/v1/clusters': { items: [{ name: 'staging', manages: ['training-jobs'], relay }] },
        '/v1/clusters/staging/pytorchjobs/torch': found,
      };
      const api: ApiClient = { ...nobody, get: async (path) => answers[path] as never };
      expect(await absenceOf(api, { kind: 'PyTorchJob', name: 'torch' }, [])).toBe(
        'there is no PyTorchJob torch: Farloop knows of no PyTorchJob yet. Cluster staging has no definition of PyTorchJob: farloop crds | kubectl apply --server-side -f -',
      );
    }
  });
});
