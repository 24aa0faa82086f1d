// R1: what stands there and cannot be read counts as missing, for readers and for writers.
import { expect, test } from '@jest/globals';
import { on } from '../own-adapter.ts';
import type { DamagedField, StoreUnderTest } from './workloads.ts';
import { aHead, aKey, bytesOf, named, staleOf } from './workloads.ts';

const HEAD_FIELDS: readonly DamagedField[] = [
  'era',
  'bornAtMs',
  'items',
  'floor',
  'fence',
  'openedAtMs',
  'queued',
  'wake',
  'state',
  'view',
  'viewVersion',
];

export function damageContract(open: () => Promise<StoreUnderTest>): void {
  test.each(HEAD_FIELDS)('R1: a head whose %s cannot be read is missing until it is created again', async (field) => {
    await on(open, async ({ store, damage, nowMs }) => {
      const key = aKey();
      const wake = { dueAtMs: nowMs() + 5_000, attempt: 2 };
      await store.createHead(aHead(key, { items: named('a'), queued: 'earlier', wake, view: bytesOf('v'), viewVersion: 1, era: 3 }));
      await store.putItem(key, { name: 'a', bytes: bytesOf('one') }, 0);
      await damage({ key }, field);

      expect(await store.readHead(key)).toBeUndefined();
      expect(await store.readHeads([key])).toEqual([undefined]);
      expect(await store.read(key)).toEqual({ head: undefined, items: [{ name: 'a', version: 1, bytes: bytesOf('one') }] });
      for (const conditions of [{}, { ifFence: 'fence-0' }, { ifViewVersion: 1 }])
        for (const change of [{ addItems: named('b') }, { removeItems: named('a') }, ...(field === 'view' ? [] : [{ view: bytesOf('w') }])])
          expect(await staleOf(store.updateHead(key, conditions, change))).toBeUndefined();
      await store.forget(key, 'another');

      const fresh = aHead(key, { fence: 'fence-1' });
      expect(await store.createHead(fresh)).toEqual(fresh);
      expect(await store.readHead(key)).toEqual(fresh);
      expect(await store.createHead(aHead(key, { fence: 'fence-2' }))).toEqual(fresh);
      const opened = await store.updateHead(key, { ifFence: 'fence-1', ifViewVersion: 0 }, { view: bytesOf('x'), addItems: named('c') });
      expect(opened).toEqual({ ...fresh, view: bytesOf('x'), viewVersion: 1, items: named('c') });
    })();
  });

  test(
    'R1: of many that create a head anew where none can be read, one does',
    on(open, async ({ store, damage }) => {
      const key = aKey();
      await store.createHead(aHead(key));
      await damage({ key }, 'state');
      const created = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) => store.createHead(aHead(key, { fence: `pass-${index}` }))),
      );
      const stands = await store.readHead(key);
      for (const each of created) expect(each).toMatchObject({ value: stands });
    }),
  );

  test.each<DamagedField>(['version', 'bytes'])(
    'R1: a view item whose %s cannot be read is missing, and is written anew',
    async (field) => {
      await on(open, async ({ store, damage }) => {
        const key = aKey();
        for (const name of ['a', 'b']) await store.putItem(key, { name, bytes: bytesOf(name) }, 0);
        await damage({ key, item: 'a' }, field);
        expect(await store.readItems(key, ['a'])).toEqual([]);
        expect((await store.read(key)).items.map(({ name }) => name)).toEqual(['b']);
        expect(await staleOf(store.putItem(key, { name: 'a', bytes: bytesOf('late') }, 7))).toBeUndefined();
        expect(await store.putItem(key, { name: 'a', bytes: bytesOf('anew') }, 0)).toBe(1);
        expect(await store.readItems(key, ['a'])).toEqual([{ name: 'a', version: 1, bytes: bytesOf('anew') }]);
      })();
    },
  );

  test.each<DamagedField>(['version', 'body'])('R1: a note whose %s cannot be read is missing, and is written anew', async (field) => {
    await on(open, async ({ store, damage }) => {
      const { cluster } = aKey();
      await store.putNote(cluster, 'relay', 'one', 0);
      await damage({ cluster, note: 'relay' }, field);
      expect(await store.readNote(cluster, 'relay')).toBeUndefined();
      expect(await staleOf(store.putNote(cluster, 'relay', 'late', 7))).toBeUndefined();
      expect(await store.putNote(cluster, 'relay', 'anew', 0)).toBe(1);
      expect(await store.readNote(cluster, 'relay')).toEqual({ version: 1, body: 'anew' });
    })();
  });
}
