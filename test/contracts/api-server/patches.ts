// JSON, merge and strategic patches, and what guards them.
import { describe, expect, test } from '@jest/globals';
import { jsonPatch, mergePatch, strategicPatch } from './client.ts';
import { aConfigMap, aPod, causeFields, core, freshNamespace } from './objects.ts';
import type { Suite } from './objects.ts';

const otherUid = '00000000-0000-0000-0000-000000000000';

export function patchesContract({ api }: Suite): void {
  describe('patches', () => {
    test('a merge patch sets, merges and removes', async () => {
      const namespace = await freshNamespace(api());
      const made = await api().create(core(namespace, 'configmaps'), aConfigMap('a', { keep: '1', drop: '2' }, { labels: { l: 'm' } }));
      const { status, body } = await api().patch(core(namespace, 'configmaps', 'a'), mergePatch, {
        data: { drop: null, add: '3' },
        metadata: { labels: null, annotations: { x: 'y' } },
      });
      expect(status).toBe(200);
      expect(body['data']).toEqual({ keep: '1', add: '3' });
      expect(body.metadata).toMatchObject({ uid: made.metadata.uid, annotations: { x: 'y' } });
      expect(body.metadata.labels).toBeUndefined();
      expect(body.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
    });

    test('a merge patch replaces lists whole', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'configmaps'), aConfigMap('a', {}, { finalizers: ['farloop.dev/a', 'farloop.dev/b'] }));
      const { body } = await api().patch(core(namespace, 'configmaps', 'a'), mergePatch, { metadata: { finalizers: ['farloop.dev/b'] } });
      expect(body.metadata.finalizers).toEqual(['farloop.dev/b']);
    });

    test('a JSON patch tests, adds, replaces, moves and removes', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'configmaps'), aConfigMap('a', { one: '1', two: '2', three: '3' }));
      const { status, body } = await api().patch(core(namespace, 'configmaps', 'a'), jsonPatch, [
        { op: 'test', path: '/data/one', value: '1' },
        { op: 'replace', path: '/data/one', value: 'I' },
        { op: 'remove', path: '/data/two' },
        { op: 'move', from: '/data/three', path: '/data/moved' },
        { op: 'add', path: '/metadata/labels', value: { 'with/slash': 'x' } },
        { op: 'replace', path: '/metadata/labels/with~1slash', value: 'y' },
      ]);
      expect(status).toBe(200);
      expect(body).toMatchObject({ data: { one: 'I', moved: '3' }, metadata: { labels: { 'with/slash': 'y' } } });
      expect(body['data']).not.toHaveProperty('two');
    });

    test('a JSON patch whose test fails, or whose path is missing, changes nothing', async () => {
      const namespace = await freshNamespace(api());
      const made = await api().create(core(namespace, 'configmaps'), aConfigMap('a', { one: '1' }));
      const failing = await api().patch(core(namespace, 'configmaps', 'a'), jsonPatch, [
        { op: 'replace', path: '/data/one', value: 'I' },
        { op: 'test', path: '/data/one', value: 'other' },
      ]);
      expect(failing.status).toBe(422);
      expect(failing.body.reason).toBe('Invalid');
      const missing = await api().patch(core(namespace, 'configmaps', 'a'), jsonPatch, [{ op: 'remove', path: '/data/nothing' }]);
      expect(missing.status).toBe(422);
      const read = await api().get(core(namespace, 'configmaps', 'a'));
      expect(read.body).toEqual(made);
    });

    test('a strategic patch takes single finalizers off', async () => {
      const namespace = await freshNamespace(api());
      const finalizers = ['farloop.dev/a', 'batch.kubernetes.io/job-tracking', 'farloop.dev/b'];
      const made = await api().create(core(namespace, 'pods'), aPod('a', { metadata: { finalizers } }));
      const { status, body } = await api().patch(core(namespace, 'pods', 'a'), strategicPatch, {
        metadata: { uid: made.metadata.uid, '$deleteFromPrimitiveList/finalizers': ['batch.kubernetes.io/job-tracking'] },
      });
      expect(status).toBe(200);
      expect(body.metadata.finalizers).toEqual(['farloop.dev/a', 'farloop.dev/b']);
    });

    test('a strategic patch takes the last finalizer off, and one that is gone does no harm', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'pods'), aPod('a', { metadata: { finalizers: ['farloop.dev/a'] } }));
      const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': ['farloop.dev/a'] } };
      const first = await api().patch(core(namespace, 'pods', 'a'), strategicPatch, patch);
      expect(first.body.metadata.finalizers).toBeUndefined();
      const again = await api().patch(core(namespace, 'pods', 'a'), strategicPatch, patch);
      expect(again.status).toBe(200);
      expect(again.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    });

    test('a strategic patch adds finalizers to those there are', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'pods'), aPod('a', { metadata: { finalizers: ['farloop.dev/a'] } }));
      const { body } = await api().patch(core(namespace, 'pods', 'a'), strategicPatch, {
        metadata: { finalizers: ['farloop.dev/b', 'farloop.dev/a'] },
      });
      expect(body.metadata.finalizers?.toSorted()).toEqual(['farloop.dev/a', 'farloop.dev/b']);
    });

    test('a strategic patch removes one owner by its uid, and adds another', async () => {
      const namespace = await freshNamespace(api());
      // Owners that exist, so that a garbage collector leaves their dependents in peace.
      const owners = [];
      for (const name of ['one', 'two', 'three']) {
        const { metadata } = await api().create(core(namespace, 'configmaps'), aConfigMap(name));
        owners.push({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata.uid });
      }
      const [one, two, three] = owners;
      const made = await api().create(core(namespace, 'pods'), aPod('a', { metadata: { ownerReferences: [one, two] } }));
      const removed = await api().patch(core(namespace, 'pods', 'a'), strategicPatch, {
        metadata: { uid: made.metadata.uid, ownerReferences: [{ $patch: 'delete', uid: one?.uid }] },
      });
      expect(removed.body.metadata.ownerReferences).toEqual([two]);
      const added = await api().patch(core(namespace, 'pods', 'a'), strategicPatch, { metadata: { ownerReferences: [three] } });
      expect(added.body.metadata.ownerReferences?.map(({ name }) => name).toSorted()).toEqual(['three', 'two']);
    });

    test('a strategic patch merges containers by name and conditions by type', async () => {
      const namespace = await freshNamespace(api());
      await api().create(
        core(namespace, 'pods'),
        aPod('a', {
          spec: {
            containers: [
              { name: 'main', image: 'one' },
              { name: 'side', image: 'two' },
            ],
          },
        }),
      );
      const spec = await api().patch(core(namespace, 'pods', 'a'), strategicPatch, {
        spec: { containers: [{ name: 'side', image: 'three' }] },
      });
      expect(spec.body.spec?.['containers']).toMatchObject([
        { name: 'main', image: 'one' },
        { name: 'side', image: 'three' },
      ]);
      const status = (type: string, value: string) =>
        api().patch(core(namespace, 'pods', 'a/status'), strategicPatch, { status: { conditions: [{ type, status: value }] } });
      await status('Ready', 'False');
      await status('farloop.dev/Tested', 'True');
      const { body } = await status('Ready', 'True');
      expect(body.status).toMatchObject({
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'Ready', status: 'True' }),
          expect.objectContaining({ type: 'farloop.dev/Tested', status: 'True' }),
        ]),
      });
      expect(body.status).not.toMatchObject({ conditions: expect.arrayContaining([expect.objectContaining({ status: 'False' })]) });
    });

    test('a strategic patch removes a key by null and replaces a map by directive', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'configmaps'), aConfigMap('a', { one: '1', two: '2' }, { labels: { l: 'm' } }));
      const { body } = await api().patch(core(namespace, 'configmaps', 'a'), strategicPatch, {
        metadata: { labels: { l: null, n: 'o' } },
        data: { $patch: 'replace', three: '3' },
      });
      expect(body.metadata.labels).toEqual({ n: 'o' });
      expect(body['data']).toEqual({ three: '3' });
    });

    test.each([mergePatch, strategicPatch])('%s: a wrong uid is invalid, not a conflict', async (contentType) => {
      const namespace = await freshNamespace(api());
      const made = await api().create(core(namespace, 'pods'), aPod('a'));
      const { status, body } = await api().patch(core(namespace, 'pods', 'a'), contentType, {
        metadata: { uid: otherUid, labels: { k: 'v' } },
      });
      expect(status).toBe(422);
      expect(causeFields(body)).toContain('metadata.uid');
      const read = await api().get(core(namespace, 'pods', 'a'));
      expect(read.body).toEqual(made);
    });

    test.each([mergePatch, strategicPatch])('%s: an old resourceVersion is a conflict', async (contentType) => {
      const namespace = await freshNamespace(api());
      const made = await api().create(core(namespace, 'configmaps'), aConfigMap('a'));
      await api().patch(core(namespace, 'configmaps', 'a'), mergePatch, { data: { k: '1' } });
      const { status, body } = await api().patch(core(namespace, 'configmaps', 'a'), contentType, {
        metadata: { resourceVersion: made.metadata.resourceVersion },
        data: { k: '2' },
      });
      expect(status).toBe(409);
      expect(body.reason).toBe('Conflict');
    });

    test('a patch of what is not there is NotFound', async () => {
      const namespace = await freshNamespace(api());
      const { status } = await api().patch(core(namespace, 'pods', 'nobody'), mergePatch, { metadata: { labels: { k: 'v' } } });
      expect(status).toBe(404);
    });

    test('a patch in no known language is refused with 415', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'configmaps'), aConfigMap('a'));
      const { status } = await api().patch(core(namespace, 'configmaps', 'a'), 'application/json', { data: {} });
      expect(status).toBe(415);
    });

    test('a patch is validated as a whole object', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'configmaps'), aConfigMap('a'));
      const { status } = await api().patch(core(namespace, 'configmaps', 'a'), mergePatch, { metadata: { labels: { k: 'not a label' } } });
      expect(status).toBe(422);
    });
  });
}
