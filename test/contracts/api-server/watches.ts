// Watches: from a version, through selectors, with bookmarks, to their end and beyond what the server remembers.
import { describe, expect, test } from '@jest/globals';
import type { WatchEvent } from './client.ts';
import { aPod, aSecret, causeFields, core, freshNamespace } from './objects.ts';
import type { Suite } from './objects.ts';

const brief = ({ type, object }: WatchEvent): string => `${type} ${object.metadata.name}`;

export function watchesContract({ api }: Suite): void {
  describe('watches', () => {
    test('from a version: everything after it, nothing before, in order', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'secrets'), aSecret('before'));
      const { body: list } = await api().get(core(namespace, 'secrets'));
      const a = await api().create(core(namespace, 'secrets'), aSecret('a'));
      await api().put(core(namespace, 'secrets', 'a'), { ...a, stringData: { k: 'v' } });
      await api().delete(core(namespace, 'secrets', 'a'));
      await api().create(core(namespace, 'secrets'), aSecret('b'));
      const watch = await api().watch(core(namespace, 'secrets'), { resourceVersion: list.metadata.resourceVersion ?? '' });
      const events = await watch.take(4);
      expect(events.map(brief)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED b']);
      const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
      expect(versions).toEqual(versions.toSorted((one, other) => one - other));
      expect(new Set(versions).size).toBe(4);
      expect(events[0]?.object).toEqual(a);
      watch.close();
    });

    test('resuming at an event gives what came after it', async () => {
      const namespace = await freshNamespace(api());
      const a = await api().create(core(namespace, 'secrets'), aSecret('a'));
      await api().create(core(namespace, 'secrets'), aSecret('b'));
      const watch = await api().watch(core(namespace, 'secrets'), { resourceVersion: a.metadata.resourceVersion ?? '' });
      const events = await watch.take(1);
      expect(events.map(brief)).toEqual(['ADDED b']);
      watch.close();
    });

    test.each([{}, { resourceVersion: 0 }])('without a version (%j): what is there, then what happens', async (query) => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'secrets'), aSecret('a'));
      const list = await api().get(core(namespace, 'secrets'));
      expect(list.body.items).toHaveLength(1);
      const watch = await api().watch(core(namespace, 'secrets'), query);
      const first = await watch.take(1);
      expect(first.map(brief)).toEqual(['ADDED a']);
      await api().create(core(namespace, 'secrets'), aSecret('b'));
      const second = await watch.take(1);
      expect(second.map(brief)).toEqual(['ADDED b']);
      watch.close();
    });

    test('a watch of all namespaces sees those of each', async () => {
      const namespaces = [await freshNamespace(api()), await freshNamespace(api())];
      const { body: list } = await api().get('/api/v1/secrets?limit=1');
      const watch = await api().watch('/api/v1/secrets', {
        resourceVersion: list.metadata.resourceVersion ?? '',
        labelSelector: `of=${namespaces[0]}`,
      });
      for (const namespace of namespaces) await api().create(core(namespace, 'secrets'), aSecret('a', { labels: { of: namespaces[0] } }));
      const events = await watch.take(2);
      expect(events.map(({ object }) => object.metadata.namespace)).toEqual(namespaces);
      watch.close();
    });

    test('entering a selection is ADDED, leaving it is DELETED as it was, at the version that took it out', async () => {
      const namespace = await freshNamespace(api());
      const { body: list } = await api().get(core(namespace, 'secrets'));
      const watch = await api().watch(core(namespace, 'secrets'), {
        resourceVersion: list.metadata.resourceVersion ?? '',
        labelSelector: 'k=v',
      });
      const outside = await api().create(core(namespace, 'secrets'), aSecret('a'));
      const inside = await api().put(core(namespace, 'secrets', 'a'), {
        ...outside,
        metadata: { ...outside.metadata, labels: { k: 'v' } },
      });
      const left = await api().put(core(namespace, 'secrets', 'a'), {
        ...inside.body,
        metadata: { ...inside.body.metadata, labels: { k: 'other' } },
      });
      const events = await watch.take(2);
      expect(events.map(brief)).toEqual(['ADDED a', 'DELETED a']);
      expect(events[1]?.object.metadata).toMatchObject({ labels: { k: 'v' }, resourceVersion: left.body.metadata.resourceVersion });
      watch.close();
    });

    test('field selectors: one name, one node, a phase', async () => {
      const namespace = await freshNamespace(api());
      const { body: list } = await api().get(core(namespace, 'pods'));
      const from = { resourceVersion: list.metadata.resourceVersion ?? '' };
      const named = await api().watch(core(namespace, 'pods'), { ...from, fieldSelector: 'metadata.name=b' });
      const onNode = await api().watch(core(namespace, 'pods'), { ...from, fieldSelector: 'spec.nodeName=n' });
      const pending = await api().watch(core(namespace, 'pods'), { ...from, fieldSelector: 'status.phase=Pending' });
      await api().create(core(namespace, 'pods'), aPod('a'));
      const b = await api().create(core(namespace, 'pods'), aPod('b', { spec: { nodeName: 'n' } }));
      await api().put(core(namespace, 'pods', 'b/status'), { ...b, status: { phase: 'Running' } });
      await expect(named.take(2).then((events) => events.map(brief))).resolves.toEqual(['ADDED b', 'MODIFIED b']);
      await expect(onNode.take(2).then((events) => events.map(brief))).resolves.toEqual(['ADDED b', 'MODIFIED b']);
      await expect(pending.take(3).then((events) => events.map(brief))).resolves.toEqual(['ADDED a', 'ADDED b', 'DELETED b']);
      for (const watch of [named, onNode, pending]) watch.close();
    });

    test('timeoutSeconds ends the stream, without an error', async () => {
      const namespace = await freshNamespace(api());
      const began = performance.now();
      const watch = await api().watch(core(namespace, 'secrets'), { timeoutSeconds: 1 });
      await expect(watch.next()).resolves.toBeUndefined();
      expect(performance.now() - began).toBeGreaterThan(900);
    });

    test('initial events end with a marked bookmark', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'secrets'), aSecret('a'));
      const watch = await api().watch(core(namespace, 'secrets'), {
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
      });
      const events = [await watch.next(), await watch.next()];
      expect(events[0]).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
      expect(events[1]).toMatchObject({
        type: 'BOOKMARK',
        object: {
          kind: 'Secret',
          apiVersion: 'v1',
          metadata: { resourceVersion: expect.stringMatching(/^\d+$/), annotations: { 'k8s.io/initial-events-end': 'true' } },
        },
      });
      watch.close();
    });

    test('a watch that begins with a selection of what there is goes on with what follows', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'secrets'), aSecret('a', { labels: { is: 'it' } }));
      await api().create(core(namespace, 'secrets'), aSecret('b'));
      const list = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };
      const watch = await api().watch(core(namespace, 'secrets'), { ...list, labelSelector: 'is=it', resourceVersion: '0' });
      const begin = [await watch.next(), await watch.next()];
      expect(begin.map((event) => event?.type)).toEqual(['ADDED', 'BOOKMARK']);
      await api().create(core(namespace, 'secrets'), aSecret('c', { labels: { is: 'it' } }));
      expect((await watch.take(1)).map(brief)).toEqual(['ADDED c']);
      watch.close();
      const resumed = await api().watch(core(namespace, 'secrets'), {
        resourceVersion: begin[1]?.object.metadata.resourceVersion ?? '',
        labelSelector: 'is=it',
      });
      expect((await resumed.take(1)).map(brief)).toEqual(['ADDED c']);
      resumed.close();
    });

    test('a watch that begins with what there is cannot begin in the future', async () => {
      const namespace = await freshNamespace(api());
      const watch = await api().watch(core(namespace, 'secrets'), {
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
        resourceVersion: '99999999999',
      });
      const refusal = await watch.next();
      expect(refusal).toMatchObject({ type: 'ERROR', object: { code: 504, reason: 'Timeout', details: { retryAfterSeconds: 1 } } });
      expect(refusal?.object.details?.causes?.[0]?.reason).toBe('ResourceVersionTooLarge');
      watch.close();
    });

    test.each([
      ['watch=true&sendInitialEvents=true', ['resourceVersionMatch']],
      ['watch=true&sendInitialEvents=true&resourceVersionMatch=Exact', ['resourceVersionMatch', 'resourceVersionMatch']],
      ['watch=true&sendInitialEvents=false', ['resourceVersionMatch']],
      ['watch=true&resourceVersionMatch=NotOlderThan', ['resourceVersionMatch']],
      ['watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x', ['resourceVersionMatch']],
      ['sendInitialEvents=true', ['sendInitialEvents']],
    ])('parameters that do not go together: %s', async (query, fields) => {
      const { status, body } = await api().get(`/api/v1/secrets?${query}`);
      expect([status, causeFields(body)]).toEqual([422, fields]);
    });

    test('a bookmark comes before the end when asked for, and a watch resumes there', async () => {
      const namespace = await freshNamespace(api());
      const { body: list } = await api().get(core(namespace, 'secrets'));
      const watch = await api().watch(core(namespace, 'secrets'), {
        resourceVersion: list.metadata.resourceVersion ?? '',
        allowWatchBookmarks: true,
        timeoutSeconds: 10,
      });
      await api().create(core(namespace, 'secrets'), aSecret('a'));
      const added = await watch.next();
      const bookmark = await watch.next();
      expect([added?.type, bookmark?.type]).toEqual(['ADDED', 'BOOKMARK']);
      expect(Number(bookmark?.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(added?.object.metadata.resourceVersion));
      await api().create(core(namespace, 'secrets'), aSecret('b'));
      const resumed = await api().watch(core(namespace, 'secrets'), { resourceVersion: bookmark?.object.metadata.resourceVersion ?? '' });
      const events = await resumed.take(1);
      expect(events.map(brief)).toEqual(['ADDED b']);
      for (const opened of [watch, resumed]) opened.close();
    });

    test('metadata only', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'pods'), aPod('a'));
      const { headers, body } = await api().get(`${core(namespace, 'pods')}?watch=true&timeoutSeconds=1&resourceVersion=0`, {
        accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
      });
      expect(headers['content-type']).toContain('application/json');
      expect(body).toMatchObject({ type: 'ADDED', object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } });
      expect(body['object']).not.toHaveProperty('spec');
    });
  });
}
