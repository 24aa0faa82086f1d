// R16: what requests cost, by the size of items.
import { expect, test } from '@jest/globals';
import { on } from '../own-adapter.ts';
import type { StoreUnderTest } from './workloads.ts';
import { aHead, aKey, named } from './workloads.ts';

export function costsContract(open: () => Promise<StoreUnderTest>): void {
  test(
    'R16: what requests cost is counted by the size of items, the indexes beside',
    on(open, async ({ store }) => {
      const key = { cluster: 'c', kind: 'Job' as const, namespace: 'n', name: 'j', uid: aKey().uid };
      const cost = async (run: () => Promise<unknown>): Promise<[number, number, number]> => {
        store.meter.reset();
        await run().catch(() => {});
        return [store.meter.writeUnits, store.meter.indexUnits, store.meter.requests];
      };
      // The list of workloads is an index too.
      expect(await cost(() => store.createHead(aHead(key)))).toEqual([1, 1, 1]);
      expect(await cost(() => store.updateHead(key, {}, { pendingSinceMs: 5, queued: 'fence-1' }))).toEqual([1, 1, 1]);
      expect(await cost(() => store.updateHead(key, {}, { pendingSinceMs: 5, floor: '2' }))).toEqual([1, 0, 1]);
      expect(await cost(() => store.updateHead(key, {}, { pendingSinceMs: 6 }))).toEqual([1, 2, 1]);
      expect(await cost(() => store.updateHead(key, { ifFence: 'no' }, { pendingSinceMs: 9 }))).toEqual([1, 0, 1]);
      expect(await cost(() => store.updateHead(key, {}, { pendingSinceMs: null, state: 'x'.repeat(1_500) }))).toEqual([2, 1, 1]);
      expect(await cost(() => store.updateHead(key, { ifFence: 'no' }, { floor: '9' }))).toEqual([2, 0, 1]);
      expect(await cost(() => store.updateHead(key, {}, { state: '{}' }))).toEqual([2, 0, 1]);
      expect(await cost(() => store.putItem(key, { name: 'a', bytes: new Uint8Array(900) }, 0))).toEqual([1, 0, 1]);
      expect(await cost(() => store.putItem(key, { name: 'a', bytes: new Uint8Array(1_020) }, 1))).toEqual([2, 0, 1]);
      expect(await cost(() => store.putNote(key.uid, 'budget', '{}', 0))).toEqual([1, 0, 1]);
      expect(await cost(() => store.readHead(key))).toEqual([0, 0, 1]);
      expect(store.meter.readUnits).toBe(1);
      expect(await cost(() => store.readHeads([key, aKey()]))).toEqual([0, 0, 1]);
      expect(store.meter.readUnits).toBe(2);
      await store.updateHead(key, {}, { addItems: named('a') });
      expect(await cost(() => store.forget(key, 'fence-0'))).toEqual([3, 1, 2]);
      expect(Object.keys(store.meter.byOperation)).toEqual(['forget']);
    }),
  );
}
