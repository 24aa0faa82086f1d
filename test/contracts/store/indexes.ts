// The indexes: what waits since when, what is due when, which workloads a cluster has.
import { expect, test } from '@jest/globals';
import type { WorkloadKey } from '../../../lib/objects/workload.ts';
import { on } from '../own-adapter.ts';
import type { StoreUnderTest } from './workloads.ts';
import { aHead, aKey } from './workloads.ts';

export function indexesContract(open: () => Promise<StoreUnderTest>): void {
  test(
    'R9: pending heads are found by age, oldest first, until nothing is pending',
    on(open, async ({ store, nowMs }) => {
      // Long ago, so that others on the same table are newer.
      const startMs = 1_000_000 + Math.floor(nowMs() % 1_000_000_000);
      const keys = [aKey(), aKey(), aKey()];
      for (const [index, key] of keys.entries()) await store.createHead(aHead(key, index === 0 ? { pendingSinceMs: startMs + 30 } : {}));
      for (const [index, key] of keys.slice(1).entries()) await store.updateHead(key, {}, { pendingSinceMs: startMs + 10 + index * 10 });
      const pending = async (timeMs: number, limit: number): Promise<string[]> =>
        (await store.pendingBefore(timeMs, limit)).map(({ uid }) => uid).filter((uid) => keys.some((key) => key.uid === uid));
      await eventually(async () => expect(await pending(startMs + 31, 1_000)).toEqual([1, 2, 0].map((index) => keys[index]?.uid)));
      expect(await pending(startMs + 20, 1_000)).toEqual([keys[1]?.uid]);
      await store.updateHead(keyAt(keys, 1), {}, { pendingSinceMs: null });
      await eventually(async () => expect(await pending(startMs + 31, 1_000)).toEqual([2, 0].map((index) => keys[index]?.uid)));
      for (const key of keys) await store.forget(key, 'fence-0');
      await eventually(async () => expect(await pending(startMs + 31, 1_000)).toEqual([]));
    }),
  );

  test(
    'R11: only wakes beyond 15 minutes are in the due index, and leave it with the next',
    on(open, async ({ store, nowMs }) => {
      const [near, far] = [aKey(), aKey()];
      const hourMs = 3_600_000;
      await store.createHead(aHead(near));
      await store.createHead(aHead(far, { wake: { dueAtMs: nowMs() + hourMs, attempt: 1 } }));
      await store.updateHead(near, {}, { wake: { dueAtMs: nowMs() + 60_000, attempt: 1 } });
      const due = async (timeMs: number): Promise<string[]> =>
        (await store.dueBefore(timeMs, 1_000)).map(({ uid }) => uid).filter((uid) => uid === near.uid || uid === far.uid);
      await eventually(async () => expect(await due(nowMs() + 2 * hourMs)).toEqual([far.uid]));
      expect(await due(nowMs() + hourMs / 2)).toEqual([]);
      // Another field of that head changes: the wake stays where it is.
      expect(await store.updateHead(far, {}, { floor: '4' })).toMatchObject({ wake: { attempt: 1 } });
      await eventually(async () => expect(await due(nowMs() + 2 * hourMs)).toEqual([far.uid]));
      const dueAtMs = nowMs() + 1_000;
      expect(await store.updateHead(far, {}, { wake: { dueAtMs, attempt: 2 } })).toMatchObject({ wake: { dueAtMs, attempt: 2 } });
      await store.updateHead(near, {}, { wake: { dueAtMs: nowMs() + 3 * hourMs, attempt: 2 } });
      await eventually(async () => expect(await due(nowMs() + 4 * hourMs)).toEqual([near.uid]));
      await store.updateHead(near, {}, { wake: null });
      await eventually(async () => expect(await due(nowMs() + 4 * hourMs)).toEqual([]));
    }),
  );

  test(
    "a cluster's workloads come page by page, each once, and no others",
    on(open, async ({ store }) => {
      const { cluster } = aKey();
      const keys = Array.from({ length: 7 }, (_, index) => aKey({ cluster, name: `job-${index}` }));
      for (const key of [...keys, aKey({ cluster: `${cluster}-other` })]) await store.createHead(aHead(key));
      await eventually(async () => expect((await store.workloads(cluster, { limit: 100 })).keys).toHaveLength(7));
      const found: string[] = [];
      let after: string | undefined;
      for (let page = 0; page < 10; page++) {
        const answer = await store.workloads(cluster, { limit: 3, ...(after === undefined ? {} : { after }) });
        expect(answer.keys.length).toBeLessThanOrEqual(3);
        found.push(...answer.keys.map(({ uid }) => uid));
        after = answer.next;
        if (after === undefined) break;
      }
      expect(found).toHaveLength(keys.length);
      expect(new Set(found)).toEqual(new Set(keys.map(({ uid }) => uid)));
    }),
  );
}

const keyAt = (keys: readonly WorkloadKey[], index: number): WorkloadKey => {
  const key = keys[index];
  if (!key) throw new Error(`no key ${index}`);
  return key;
};

/** An index may be late: asserts again until it holds, for 20 s at most. */
async function eventually(claim: () => Promise<void>): Promise<void> {
  for (const endMs = performance.now() + 20_000; ;) {
    try {
      return await claim();
    } catch (error) {
      if (performance.now() > endMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
