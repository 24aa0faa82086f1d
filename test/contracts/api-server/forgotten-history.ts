// What a server answers to those who ask for a moment that it no longer remembers.
import { describe, expect, test } from '@jest/globals';
import { aSecret, core, freshNamespace } from './objects.ts';
import type { Suite } from './objects.ts';

export function forgottenHistoryContract({ api }: Suite): void {
  describe('forgotten history', () => {
    test('an old version is 410: an event of a watch, the answer of a list and of a page', async () => {
      const namespace = await freshNamespace(api());
      for (const name of ['a', 'b', 'c']) await api().create(core(namespace, 'secrets'), aSecret(name));
      const { body: page } = await api().get(`${core(namespace, 'secrets')}?limit=2`);
      const version = page.metadata.resourceVersion ?? '';
      await api().delete(core(namespace, 'secrets', 'a'));
      await api().create(core(namespace, 'secrets'), aSecret('d'));
      await api().server.forgetHistory();
      api().reconnect();

      const watch = await api().watch(core(namespace, 'secrets'), { resourceVersion: version });
      await expect(watch.next()).resolves.toMatchObject({
        type: 'ERROR',
        object: { kind: 'Status', status: 'Failure', code: 410, reason: 'Expired' },
      });
      await expect(watch.next()).resolves.toBeUndefined();

      const exact = await api().get(`${core(namespace, 'secrets')}?resourceVersion=${version}&resourceVersionMatch=Exact`);
      expect(exact.status).toBe(410);
      expect(exact.body).toMatchObject({ kind: 'Status', reason: 'Expired', code: 410 });

      const next = await api().get(`${core(namespace, 'secrets')}?limit=2&continue=${encodeURIComponent(page.metadata.continue ?? '')}`);
      expect(next.status).toBe(410);
      expect(next.body).toMatchObject({ kind: 'Status', reason: 'Expired', code: 410 });

      const now = await api().get(core(namespace, 'secrets'));
      expect(now.body.items?.map(({ metadata }) => metadata.name)).toEqual(['b', 'c', 'd']);
      const resumed = await api().watch(core(namespace, 'secrets'), { resourceVersion: now.body.metadata.resourceVersion ?? '' });
      await api().create(core(namespace, 'secrets'), aSecret('e'));
      const events = await resumed.take(1);
      expect(events[0]?.object.metadata.name).toBe('e');
      resumed.close();
    }, 60_000);
  });
}
