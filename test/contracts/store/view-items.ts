// View items beside the head: named as a set, written at a version, read together, forgotten with it.
import { expect, test } from '@jest/globals';
import { TerminalError } from '../../../lib/ports/errors.ts';
import { failureOf } from '../../claims.ts';
import { on } from '../own-adapter.ts';
import type { StoreUnderTest } from './workloads.ts';
import { aHead, aKey, bytesOf, named, namesIn, staleOf, textOf } from './workloads.ts';

export function viewItemsContract(open: () => Promise<StoreUnderTest>): void {
  test(
    'names of view items are a set: added from several sides, removed, in order',
    on(open, async ({ store }) => {
      const key = aKey();
      await store.createHead(aHead(key, { items: named('b') }));
      await Promise.all(['d', 'a', 'c'].map((item) => store.updateHead(key, {}, { addItems: named(item) })));
      expect(namesIn(await store.readHead(key))).toEqual(['a', 'b', 'c', 'd']);
      const head = await store.updateHead(key, {}, { addItems: named('e', 'a', 'f'), removeItems: named('b', 'd', 'none', 'f') });
      expect(namesIn(head)).toEqual(['a', 'c', 'e']);
      expect(await store.readHead(key)).toEqual(head);
      const many = Array.from({ length: 350 }, (_, index) => `pods-${index}`);
      expect(await store.updateHead(key, { ifFence: 'fence-0' }, { addItems: named(...many), fence: 'fence-1' })).toMatchObject({
        fence: 'fence-1',
      });
      expect((await store.readHead(key))?.items).toHaveLength(353);
      expect(namesIn(await store.updateHead(key, {}, { removeItems: named(...many) }))).toEqual(['a', 'c', 'e']);
    }),
  );

  test(
    'a view item is written only at the version that was read',
    on(open, async ({ store }) => {
      const key = aKey();
      expect(await store.putItem(key, { name: 'pods-0', bytes: bytesOf('one') }, 0)).toBe(1);
      expect(await store.putItem(key, { name: 'pods-0', bytes: bytesOf('two') }, 1)).toBe(2);
      const current = await staleOf(store.putItem(key, { name: 'pods-0', bytes: bytesOf('late') }, 1));
      expect(current).toEqual({ name: 'pods-0', version: 2, bytes: bytesOf('two') });
      expect(await staleOf(store.putItem(key, { name: 'pods-0', bytes: bytesOf('late') }, 0))).toMatchObject({ version: 2 });
      expect(await staleOf(store.putItem(key, { name: 'pods-1', bytes: bytesOf('late') }, 3))).toBeUndefined();
      expect(await store.readItems(key, ['pods-0', 'pods-1'])).toEqual([{ name: 'pods-0', version: 2, bytes: bytesOf('two') }]);
    }),
  );

  test(
    'head and items are read together, however much they hold',
    on(open, async ({ store }) => {
      const key = aKey();
      await store.createHead(aHead(key, { items: named('a', 'b') }));
      const large = new Uint8Array(300 * 1024).fill(7);
      for (let index = 0; index < 5; index++) await store.putItem(key, { name: `large-${index}`, bytes: large }, 0);
      await store.putItem(aKey({ ...key, uid: `${key.uid}x` }), { name: 'foreign', bytes: bytesOf('x') }, 0);
      const { head, items } = await store.read(key);
      expect(namesIn(head)).toEqual(['a', 'b']);
      expect(items.map((item) => [item.name, item.version, item.bytes.byteLength])).toEqual(
        Array.from({ length: 5 }, (_, index) => [`large-${index}`, 1, large.byteLength]),
      );
    }),
  );

  test(
    'up to 100 named items are read at once',
    on(open, async ({ store }) => {
      const key = aKey();
      const names = Array.from({ length: 100 }, (_, index) => `pods-${index}`);
      for (const item of names.slice(0, 60)) await store.putItem(key, { name: item, bytes: bytesOf(item) }, 0);
      const items = await store.readItems(key, names);
      expect(items).toHaveLength(60);
      expect(new Set(items.map(({ bytes }) => textOf(bytes)))).toEqual(new Set(names.slice(0, 60)));
      await expect(store.readItems(key, [...names, 'one-more'])).rejects.toThrow(RangeError);
    }),
  );

  test(
    'what is too large is refused for good, in words',
    on(open, async ({ store }) => {
      const key = aKey();
      await store.createHead(aHead(key));
      const tooLarge = await failureOf(store.putItem(key, { name: 'pods-0', bytes: new Uint8Array(300 * 1024 + 1) }, 0));
      expect(tooLarge).toBeInstanceOf(TerminalError);
      expect(String(tooLarge)).toContain('view item pods-0');
      expect(await failureOf(store.updateHead(key, {}, { state: 'x'.repeat(500 * 1024) }))).toBeInstanceOf(TerminalError);
      expect(await store.readHead(key)).toEqual(aHead(key));
    }),
  );

  test(
    'R1: forgetting takes head and items, under the fence',
    on(open, async ({ store }) => {
      const key = aKey();
      await store.createHead(aHead(key, { items: named('a', 'b') }));
      for (const item of ['a', 'b']) await store.putItem(key, { name: item, bytes: bytesOf(item) }, 0);
      expect(await staleOf(store.forget(key, 'another'))).toMatchObject({ fence: 'fence-0' });
      expect((await store.read(key)).items).toHaveLength(2);
      // A wake is on its way: its pass forgets, or two would be after a new beginning (R9).
      await store.updateHead(key, { ifFence: 'fence-0' }, { queued: 'fence-0' });
      expect(await staleOf(store.forget(key, 'fence-0'))).toMatchObject({ queued: 'fence-0' });
      await store.updateHead(key, { ifFence: 'fence-0' }, { queued: 'an-older-fence' });
      await store.forget(key, 'fence-0');
      expect(await store.read(key)).toEqual({ head: undefined, items: [] });
      expect((await store.workloads(key.cluster, { limit: 5 })).keys).toEqual([]);
      await store.forget(key, 'fence-0');
      await store.createHead(aHead(key, { fence: 'anew' }));
      expect(await store.readHead(key)).toMatchObject({ fence: 'anew' });
    }),
  );

  test(
    'R1: forgetting takes the items too that the head names as a run',
    on(open, async ({ store }) => {
      const key = aKey();
      const names = ['pods/40/h3', ...Array.from({ length: 30 }, (_, at) => `pods/40/${at}`)];
      await store.createHead(aHead(key, { items: named('list/0/7/0-40', 'pods/40/0-29', 'pods/40/h3') }));
      for (const item of names) await store.putItem(key, { name: item, bytes: bytesOf(item) }, 0);
      await store.forget(key, 'fence-0');
      expect(await store.readItems(key, names)).toEqual([]);
    }),
  );
}
