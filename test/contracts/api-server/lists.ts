// Lists: pages at one resourceVersion, versions that a reader may ask for, selectors, metadata only.
import { describe, expect, test } from '@jest/globals';
import type { Body } from './client.ts';
import { aPod, aSecret, core, freshNamespace } from './objects.ts';
import type { Suite } from './objects.ts';

const namesOf = (list: Body): (string | undefined)[] => (list.items ?? []).map(({ metadata }) => metadata.name);

export function listsContract({ api }: Suite): void {
  describe('lists', () => {
    test('an empty list is a list all the same', async () => {
      const namespace = await freshNamespace(api());
      const { status, body } = await api().get(core(namespace, 'secrets'));
      expect(status).toBe(200);
      expect(body).toMatchObject({ apiVersion: 'v1', kind: 'SecretList', items: [] });
      expect(body.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
    });

    test('items come sorted by name, without kind and apiVersion of their own', async () => {
      const namespace = await freshNamespace(api());
      for (const name of ['b', 'c', 'a']) await api().create(core(namespace, 'secrets'), aSecret(name));
      const { body } = await api().get(core(namespace, 'secrets'));
      expect(namesOf(body)).toEqual(['a', 'b', 'c']);
      expect(body.items?.[0]?.kind).toBeUndefined();
    });

    test('a list of all namespaces holds those of each', async () => {
      const one = await freshNamespace(api());
      const other = await freshNamespace(api());
      for (const namespace of [one, other]) await api().create(core(namespace, 'secrets'), aSecret('same', { labels: { in: one } }));
      const { body } = await api().get(`/api/v1/secrets?labelSelector=in%3D${one}`);
      expect(body.items?.map(({ metadata }) => metadata.namespace)).toEqual([one, other].toSorted());
    });

    test('pages are of one resourceVersion, whatever happens in between', async () => {
      const namespace = await freshNamespace(api());
      for (const name of ['a', 'b', 'c', 'd', 'e']) await api().create(core(namespace, 'secrets'), aSecret(name));
      const first = await api().get(`${core(namespace, 'secrets')}?limit=2`);
      expect(namesOf(first.body)).toEqual(['a', 'b']);
      expect(first.body.metadata.remainingItemCount).toBe(3);
      await api().create(core(namespace, 'secrets'), aSecret('f'));
      await api().delete(core(namespace, 'secrets', 'c'));
      const pageAfter = (page: Body) =>
        api().get(`${core(namespace, 'secrets')}?limit=2&continue=${encodeURIComponent(page.metadata.continue ?? '')}`);
      const second = await pageAfter(first.body);
      expect(namesOf(second.body)).toEqual(['c', 'd']);
      const third = await pageAfter(second.body);
      expect(namesOf(third.body)).toEqual(['e']);
      expect(third.body.metadata.continue ?? '').toBe('');
      expect([second, third].map(({ body }) => body.metadata.resourceVersion)).toEqual(Array(2).fill(first.body.metadata.resourceVersion));
    });

    test('a page of a selection does not count what remains', async () => {
      const namespace = await freshNamespace(api());
      for (const name of ['a', 'b', 'c']) await api().create(core(namespace, 'secrets'), aSecret(name, { labels: { k: 'v' } }));
      const { body } = await api().get(`${core(namespace, 'secrets')}?limit=2&labelSelector=k%3Dv`);
      expect(namesOf(body)).toEqual(['a', 'b']);
      expect(body.metadata.continue).toBeTruthy();
      expect(body.metadata.remainingItemCount).toBeUndefined();
    });

    test('a continue token that is none is a bad request', async () => {
      const namespace = await freshNamespace(api());
      const { status } = await api().get(`${core(namespace, 'secrets')}?limit=2&continue=nonsense`);
      expect(status).toBe(400);
    });

    test('resourceVersion 0 takes any age, an exact one takes that moment', async () => {
      const namespace = await freshNamespace(api());
      const first = await api().create(core(namespace, 'secrets'), aSecret('a'));
      await api().create(core(namespace, 'secrets'), aSecret('b'));
      const any = await api().get(`${core(namespace, 'secrets')}?resourceVersion=0`);
      expect(any.status).toBe(200);
      const exact = await api().get(
        `${core(namespace, 'secrets')}?resourceVersion=${first.metadata.resourceVersion}&resourceVersionMatch=Exact`,
      );
      expect(namesOf(exact.body)).toEqual(['a']);
      expect(exact.body.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      const later = await api().get(
        `${core(namespace, 'secrets')}?resourceVersion=${first.metadata.resourceVersion}&resourceVersionMatch=NotOlderThan`,
      );
      expect(namesOf(later.body)).toContain('a');
      expect(Number(later.body.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(first.metadata.resourceVersion));
    });

    test('a version ahead of the server is ResourceVersionTooLarge', async () => {
      const namespace = await freshNamespace(api());
      const { body: now } = await api().get(core(namespace, 'secrets'));
      const ahead = Number(now.metadata.resourceVersion) + 1_000_000;
      for (const path of [core(namespace, 'secrets'), core(namespace, 'secrets', 'a')]) {
        const { status, body } = await api().get(`${path}?resourceVersion=${ahead}`);
        expect(status).toBe(504);
        expect(body).toMatchObject({
          reason: 'Timeout',
          details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
        });
      }
    }, 20_000);

    test.each([
      { query: 'resourceVersion=abc', status: 400 },
      { query: 'resourceVersionMatch=Exact', status: 422 },
      { query: 'resourceVersion=0&resourceVersionMatch=Exact', status: 422 },
      { query: 'labelSelector=a%3D%3D%3Db', status: 400 },
      { query: 'fieldSelector=data.k%3Dv', status: 400 },
    ])('$query is refused with $status', async ({ query, status }) => {
      const namespace = await freshNamespace(api());
      const answer = await api().get(`${core(namespace, 'secrets')}?${query}`);
      expect(answer.status).toBe(status);
    });

    test.each([
      { selector: 'app=web', names: ['a'] },
      { selector: 'app==web,tier=front', names: ['a'] },
      { selector: 'app!=web', names: ['b', 'c'] },
      { selector: 'app in (web, db)', names: ['a', 'b'] },
      { selector: 'app notin (web)', names: ['b', 'c'] },
      { selector: 'app', names: ['a', 'b'] },
      { selector: '!app', names: ['c'] },
      { selector: 'size>3', names: ['b'] },
      { selector: 'size<3', names: ['a'] },
    ])('label selector $selector', async ({ selector, names }) => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'secrets'), aSecret('a', { labels: { app: 'web', tier: 'front', size: '2' } }));
      await api().create(core(namespace, 'secrets'), aSecret('b', { labels: { app: 'db', size: '10' } }));
      await api().create(core(namespace, 'secrets'), aSecret('c'));
      const { body } = await api().get(`${core(namespace, 'secrets')}?labelSelector=${encodeURIComponent(selector)}`);
      expect(namesOf(body)).toEqual(names);
    });

    test.each([
      { selector: 'metadata.name=a', names: ['a'] },
      { selector: 'metadata.name!=a', names: ['b'] },
      { selector: 'spec.nodeName=node-of-b', names: ['b'] },
      { selector: 'spec.nodeName=', names: ['a'] },
      { selector: 'status.phase=Pending,spec.restartPolicy=Always', names: ['a', 'b'] },
      { selector: 'status.phase!=Pending', names: [] },
    ])('field selector $selector on pods', async ({ selector, names }) => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'pods'), aPod('a'));
      await api().create(core(namespace, 'pods'), aPod('b', { spec: { nodeName: 'node-of-b' } }));
      const { body } = await api().get(`${core(namespace, 'pods')}?fieldSelector=${encodeURIComponent(selector)}`);
      expect(namesOf(body)).toEqual(names);
    });

    test('metadata only, of a list and of one object', async () => {
      const namespace = await freshNamespace(api());
      const made = await api().create(core(namespace, 'pods'), aPod('a', { metadata: { labels: { k: 'v' } } }));
      const list = await api().get(core(namespace, 'pods'), {
        accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json',
      });
      expect(list.body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
      expect(list.body.metadata.resourceVersion).toBeDefined();
      expect(list.body.items).toHaveLength(1);
      const [item] = list.body.items ?? [];
      expect(item?.metadata).toEqual(made.metadata);
      expect(item).not.toHaveProperty('spec');
      const one = await api().get(core(namespace, 'pods', 'a'), { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' });
      expect(one.body).toEqual({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: made.metadata });
    });
  });
}
