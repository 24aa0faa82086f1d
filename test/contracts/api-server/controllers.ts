// What happens of itself: dependents go with their owners, namespaces end with all that is in them.
import { describe, expect, test } from '@jest/globals';
import { eventually, mergePatch } from './client.ts';
import type { Body } from './client.ts';
import { aConfigMap, aJob, aPod, core, freshNamespace, jobs } from './objects.ts';
import type { Fields, Suite } from './objects.ts';

const ownedBy = ({ metadata }: Body, more: Fields = {}): Fields => ({
  ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: metadata.name, uid: metadata.uid, controller: true, ...more }],
});

export function controllersContract({ api }: Suite): void {
  const jobWithPod = async (podMetadata: Fields = {}): Promise<{ namespace: string; job: Body }> => {
    const namespace = await freshNamespace(api());
    const job = await api().create(jobs(namespace), aJob('owner'));
    await api().create(
      core(namespace, 'pods'),
      aPod('dependent', { metadata: { ...ownedBy(job, { blockOwnerDeletion: true }), ...podMetadata } }),
    );
    return { namespace, job };
  };
  const gone = (path: string): Promise<unknown> =>
    eventually(
      () => api().get(path),
      ({ status }) => status === 404,
    );

  describe('garbage collection', () => {
    test('Background: the owner goes at once, the dependent follows', async () => {
      const { namespace } = await jobWithPod();
      await api().delete(jobs(namespace, 'owner'), { propagationPolicy: 'Background' });
      const owner = await api().get(jobs(namespace, 'owner'));
      expect(owner.status).toBe(404);
      await expect(gone(core(namespace, 'pods', 'dependent'))).resolves.toBeDefined();
    }, 40_000);

    test('Foreground: the owner waits for a blocking dependent', async () => {
      const { namespace } = await jobWithPod({ finalizers: ['farloop.dev/hold'] });
      await api().delete(jobs(namespace, 'owner'), { propagationPolicy: 'Foreground' });
      await eventually(
        () => api().get(core(namespace, 'pods', 'dependent')),
        ({ body }) => body.metadata.deletionTimestamp !== undefined,
      );
      const owner = await api().get(jobs(namespace, 'owner'));
      expect(owner.body.metadata.finalizers).toEqual(['foregroundDeletion']);
      await api().patch(core(namespace, 'pods', 'dependent'), mergePatch, { metadata: { finalizers: null } });
      await gone(jobs(namespace, 'owner'));
      await gone(core(namespace, 'pods', 'dependent'));
    }, 60_000);

    test('Orphan: the dependent stays, without its owner', async () => {
      const { namespace } = await jobWithPod();
      // Upstream's collector hears of owners and of pods apart, and of a pod too late it deletes that pod. Once a younger one is collected, it knows both.
      const never = { apiVersion: 'batch/v1', kind: 'Job', name: 'never', uid: '00000000-0000-0000-0000-000000000000' };
      await api().create(core(namespace, 'pods'), aPod('younger', { metadata: { ownerReferences: [never] } }));
      await gone(core(namespace, 'pods', 'younger'));
      await api().delete(jobs(namespace, 'owner'), { propagationPolicy: 'Orphan' });
      await gone(jobs(namespace, 'owner'));
      const { status, body } = await api().get(core(namespace, 'pods', 'dependent'));
      expect(status).toBe(200);
      expect(body.metadata.ownerReferences).toBeUndefined();
    }, 40_000);

    test('a dependent of several owners goes with the last', async () => {
      const namespace = await freshNamespace(api());
      const one = await api().create(core(namespace, 'configmaps'), aConfigMap('one'));
      const two = await api().create(core(namespace, 'configmaps'), aConfigMap('two'));
      const references = [one, two].map(({ metadata }) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: metadata.name,
        uid: metadata.uid,
      }));
      await api().create(core(namespace, 'configmaps'), aConfigMap('dependent', {}, { ownerReferences: references }));
      await api().delete(core(namespace, 'configmaps', 'one'));
      await eventually(
        () => api().get(core(namespace, 'configmaps', 'dependent')),
        ({ body }) => body.metadata.ownerReferences?.length === 1,
      );
      await api().delete(core(namespace, 'configmaps', 'two'));
      await expect(gone(core(namespace, 'configmaps', 'dependent'))).resolves.toBeDefined();
    }, 40_000);

    test('a dependent of an owner that never was is taken away', async () => {
      const namespace = await freshNamespace(api());
      const metadata = {
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid: '00000000-0000-0000-0000-000000000000' }],
      };
      await api().create(core(namespace, 'configmaps'), aConfigMap('a', {}, metadata));
      await expect(gone(core(namespace, 'configmaps', 'a'))).resolves.toBeDefined();
    }, 40_000);
  });

  describe('namespaces', () => {
    test('a new one is Active, labelled with its name and held by its finalizer', async () => {
      const namespace = await freshNamespace(api());
      const { body } = await api().get(`/api/v1/namespaces/${namespace}`);
      expect(body).toMatchObject({
        metadata: { labels: { 'kubernetes.io/metadata.name': namespace } },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      });
    });

    test.each(['default', 'kube-system', 'kube-public', 'kube-node-lease'])('%s is there from the start', async (name) => {
      const { status } = await eventually(
        () => api().get(`/api/v1/namespaces/${name}`),
        (answer) => answer.status === 200,
      );
      expect(status).toBe(200);
    });

    test('a deleted one is Terminating, takes nothing new, and ends when it is empty', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'configmaps'), aConfigMap('held', {}, { finalizers: ['farloop.dev/hold'] }));
      await api().create(core(namespace, 'pods'), aPod('a'));
      await api().create(jobs(namespace), aJob('a'));
      const { status, body } = await api().delete(`/api/v1/namespaces/${namespace}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) }, status: { phase: 'Terminating' } });
      const refused = await api().post(core(namespace, 'secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } });
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject({ reason: 'Forbidden', details: { causes: [{ reason: 'NamespaceTerminating' }] } });
      await gone(core(namespace, 'pods', 'a'));
      await gone(jobs(namespace, 'a'));
      const waiting = await api().get(`/api/v1/namespaces/${namespace}`);
      expect(waiting.status).toBe(200);
      await api().patch(core(namespace, 'configmaps', 'held'), mergePatch, { metadata: { finalizers: null } });
      await expect(gone(`/api/v1/namespaces/${namespace}`)).resolves.toBeDefined();
    }, 60_000);
  });
}
