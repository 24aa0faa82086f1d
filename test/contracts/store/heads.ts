// Heads: what a change leaves, and who loses a race for the fence or the view.
import { expect, test } from '@jest/globals';
import { on } from '../own-adapter.ts';
import type { StoreUnderTest } from './workloads.ts';
import { aHead, aKey, bytesOf, named, staleOf, textOf } from './workloads.ts';

export function headsContract(open: () => Promise<StoreUnderTest>): void {
  test(
    'what is not there is undefined, empty, none',
    on(open, async ({ store }) => {
      const key = aKey();
      expect(await store.readHead(key)).toBeUndefined();
      expect(await store.read(key)).toEqual({ head: undefined, items: [] });
      expect(await store.readItems(key, ['a', 'b'])).toEqual([]);
      expect(await store.readItems(key, [])).toEqual([]);
      expect(await store.readHeads([])).toEqual([]);
      expect(await store.readHeads([key])).toEqual([undefined]);
      expect(await store.readNote(key.cluster, 'marker')).toBeUndefined();
      expect(await store.workloads(key.cluster, { limit: 10 })).toEqual({ keys: [] });
    }),
  );

  test(
    'a head comes back as it was created, with all its fields or few',
    on(open, async ({ store, nowMs }) => {
      const [few, all] = [aHead(aKey()), aKey()];
      expect(await store.createHead(few)).toEqual(few);
      expect(await store.readHead(few.key)).toEqual(few);
      const whole = aHead(all, {
        era: 3,
        items: named('pods-0', 'pods-1'),
        floor: '98765432109876543210987654321',
        queued: 'fence-0',
        pendingSinceMs: nowMs(),
        wake: { dueAtMs: nowMs() + 5_000, attempt: 4 },
        state: '{"text":"ä 😀 \\u0000"}',
        view: bytesOf('packed'),
        viewVersion: 7,
      });
      await store.createHead(whole);
      expect(await store.readHead(all)).toEqual(whole);
      expect(await store.readHeads([all, aKey(), few.key, all])).toEqual([whole, undefined, few, whole]);
    }),
  );

  test(
    'a head that is there is not created again, and is what the call answers',
    on(open, async ({ store }) => {
      const key = aKey();
      await store.createHead(aHead(key, { fence: 'first' }));
      expect(await store.createHead(aHead(key, { fence: 'second' }))).toMatchObject({ fence: 'first' });
      expect(await store.readHead(key)).toMatchObject({ fence: 'first' });
    }),
  );

  test(
    'another uid is another workload',
    on(open, async ({ store }) => {
      const key = aKey();
      await store.createHead(aHead(key));
      expect(await store.readHead({ ...key, uid: `${key.uid}-2` })).toBeUndefined();
    }),
  );

  test(
    'R15: one uid, namespace and name on two clusters are two workloads, read apart and together',
    on(open, async ({ store }) => {
      const west = aKey();
      const east = { ...west, cluster: `${west.cluster}-2` };
      // As a cluster made from another one's backup has them; each begins as `west` does, and `other` shares the uid alone.
      const other = { ...east, namespace: 'elsewhere', name: 'another' };
      const heads = [aHead(west, { fence: 'west' }), aHead(east, { fence: 'east' }), aHead(other, { fence: 'other' })] as const;
      for (const head of heads) await store.createHead(head);
      expect(await store.readHeads([east, west, other, east])).toEqual([heads[1], heads[0], heads[2], heads[1]]);
      const missing = { ...west, cluster: `${west.cluster}-3` };
      expect(await store.readHeads([missing, west])).toEqual([undefined, heads[0]]);
      for (const [key, text] of [
        [west, 'of west'],
        [east, 'of east'],
      ] as const)
        await store.putItem(key, { name: 'pods-0', bytes: bytesOf(text) }, 0);
      for (const [key, text] of [
        [west, 'of west'],
        [east, 'of east'],
      ] as const) {
        expect((await store.readItems(key, ['pods-0'])).map(({ bytes }) => textOf(bytes))).toEqual([text]);
        expect((await store.read(key)).items.map(({ bytes }) => textOf(bytes))).toEqual([text]);
      }
      await store.updateHead(east, { ifFence: 'east' }, { fence: 'east-2' });
      await store.forget(west, 'west');
      expect(await store.readHeads([west, east])).toEqual([undefined, { ...heads[1], fence: 'east-2' }]);
      expect((await store.readItems(east, ['pods-0'])).map(({ bytes }) => textOf(bytes))).toEqual(['of east']);
    }),
  );

  test(
    'a change leaves what it does not name, and answers the head as it stands',
    on(open, async ({ store, nowMs }) => {
      const key = aKey();
      const head = await store.createHead(aHead(key, { queued: 'fence-0', state: '{"ordinal":4}', floor: '12' }));
      const opened = await store.updateHead(key, { ifFence: 'fence-0' }, { fence: 'fence-1', openedAtMs: nowMs() });
      expect(opened).toEqual({ ...head, fence: 'fence-1', openedAtMs: opened.openedAtMs });
      expect(await store.readHead(key)).toEqual(opened);
    }),
  );

  test(
    'null takes a field away',
    on(open, async ({ store, nowMs }) => {
      const key = aKey();
      await store.createHead(
        aHead(key, {
          queued: 'q',
          pendingSinceMs: nowMs(),
          wake: { dueAtMs: nowMs() + 1_000, attempt: 1 },
          view: bytesOf('v'),
          viewVersion: 1,
        }),
      );
      const { replacedWake, ...head } = await store.updateHead(key, {}, { queued: null, pendingSinceMs: null, wake: null, view: null });
      expect(head).toEqual(aHead(key, { viewVersion: 2 }));
      // What is gone from the head is told to whoever took it.
      expect(replacedWake?.attempt).toBe(1);
      expect(await store.readHead(key)).toEqual(head);
    }),
  );

  test(
    'R8: a fence that has changed refuses the write and shows the head that stands there',
    on(open, async ({ store }) => {
      const key = aKey();
      await store.createHead(aHead(key));
      await store.updateHead(key, { ifFence: 'fence-0' }, { fence: 'theirs', state: '{"theirs":1}' });
      const current = await staleOf(store.updateHead(key, { ifFence: 'fence-0' }, { state: '{"mine":1}' }));
      expect(current).toEqual(aHead(key, { fence: 'theirs', state: '{"theirs":1}' }));
      expect(await store.readHead(key)).toMatchObject({ state: '{"theirs":1}' });
    }),
  );

  test(
    'R8: of many that open at once, one does',
    on(open, async ({ store }) => {
      const key = aKey();
      await store.createHead(aHead(key));
      const fences = Array.from({ length: 20 }, (_, index) => `pass-${index}`);
      const results = await Promise.allSettled(fences.map((fence) => store.updateHead(key, { ifFence: 'fence-0' }, { fence })));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const won = fences[results.findIndex(({ status }) => status === 'fulfilled')];
      expect(await store.readHead(key)).toMatchObject({ fence: won });
    }),
  );

  test(
    'no head, no change: the error shows that nothing is there',
    on(open, async ({ store }) => {
      const key = aKey();
      expect(await staleOf(store.updateHead(key, {}, { floor: '3' }))).toBeUndefined();
      expect(await staleOf(store.updateHead(key, { ifFence: 'x', ifViewVersion: 2 }, { floor: '3' }))).toBeUndefined();
      expect(await store.readHead(key)).toBeUndefined();
    }),
  );

  test(
    'the view in the head has a version of its own, which the fence does not touch',
    on(open, async ({ store }) => {
      const key = aKey();
      await store.createHead(aHead(key));
      const first = await store.updateHead(key, { ifViewVersion: 0 }, { view: bytesOf('one') });
      expect(first.viewVersion).toBe(1);
      await store.updateHead(key, { ifFence: 'fence-0' }, { fence: 'fence-1' });
      const current = await staleOf(store.updateHead(key, { ifViewVersion: 0 }, { view: bytesOf('two') }));
      expect(current).toMatchObject({ viewVersion: 1, fence: 'fence-1' });
      const second = await store.updateHead(key, { ifViewVersion: 1 }, { view: bytesOf('two') });
      expect(second.viewVersion).toBe(2);
      expect(textOf((await store.readHead(key))?.view)).toBe('two');
    }),
  );

  test(
    'a lost view condition leaves the fence that stood beside it as it was',
    on(open, async ({ store }) => {
      const key = aKey();
      await store.createHead(aHead(key, { viewVersion: 5 }));
      await staleOf(store.updateHead(key, { ifFence: 'fence-0', ifViewVersion: 4 }, { fence: 'fence-1' }));
      expect(await store.readHead(key)).toMatchObject({ fence: 'fence-0' });
    }),
  );
}
