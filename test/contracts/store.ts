// What every Store promises.
import { describe, expect, test } from '@jest/globals';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import { TerminalError } from '../../lib/ports/errors.ts';
import { StaleWriteError, type Head, type Store } from '../../lib/ports/store.ts';
import type { WriteMeter } from '../../lib/adapters/write-units.ts';

export interface StoreUnderTest {
  store: Store & { meter: WriteMeter };
  nowMs: () => number;
  close: () => Promise<void>;
}

/** What a peer does otherwise; what is asserted instead stands at each. Printed with the suite. */
export interface StoreDifferences {
  /** Reports other capacity than the service bills: asserted instead on the meter, which counts by the size of items. */
  consumedCapacity?: string;
  /** Removes expired items within a minute, where the service takes days: nothing may depend on it either way. */
  timeToLive?: string;
  /** Its indexes are never late: the suite asserts each claim on an index again until it holds. */
  indexesAreNeverLate?: string;
}

let workloads = 0;

/** A key that no other test uses, also not in another run on the same table. */
export const aKey = (change: Partial<WorkloadKey> = {}): WorkloadKey => {
  const unique = `${Date.now().toString(36)}-${process.pid}-${workloads++}`;
  return { cluster: `cluster-${unique}`, kind: 'Job', namespace: 'default', name: `job-${unique}`, uid: `uid-${unique}`, ...change };
};

export const aHead = (key: WorkloadKey, change: Partial<Head> = {}): Head => ({
  key,
  era: 0,
  bornAtMs: 1_700_000_000_000,
  items: [],
  floor: '0',
  fence: 'fence-0',
  openedAtMs: 1_700_000_000_000,
  state: '{}',
  viewVersion: 0,
  ...change,
});

/** The error of a call that must fail. */
export const failureOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => {
      throw new Error(`expected a failure, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );

const staleOf = async (call: Promise<unknown>): Promise<unknown> => {
  const error = await failureOf(call);
  expect(error).toBeInstanceOf(StaleWriteError);
  return error instanceof StaleWriteError ? error.current : undefined;
};

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString();

/** A store of its own for one test. */
const on =
  (open: () => Promise<StoreUnderTest>, run: (under: StoreUnderTest) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const under = await open();
    try {
      await run(under);
    } finally {
      await under.close();
    }
  };

export function storeContract(name: string, open: () => Promise<StoreUnderTest>, differences: StoreDifferences = {}): void {
  describe(`store contract: ${name}`, () => {
    for (const [difference, why] of Object.entries(differences)) test(`differs: ${difference}: ${why}`, () => expect(why).not.toBe(''));

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
          items: ['pods-0', 'pods-1'],
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

    test(
      'names of view items are a set: added from several sides, removed, in order',
      on(open, async ({ store }) => {
        const key = aKey();
        await store.createHead(aHead(key, { items: ['b'] }));
        await Promise.all(['d', 'a', 'c'].map((item) => store.updateHead(key, {}, { addItems: [item] })));
        expect((await store.readHead(key))?.items).toEqual(['a', 'b', 'c', 'd']);
        const head = await store.updateHead(key, {}, { addItems: ['e', 'a', 'f'], removeItems: ['b', 'd', 'none', 'f'] });
        expect(head.items).toEqual(['a', 'c', 'e']);
        expect(await store.readHead(key)).toEqual(head);
        const many = Array.from({ length: 350 }, (_, index) => `pods-${index}`);
        expect(await store.updateHead(key, { ifFence: 'fence-0' }, { addItems: many, fence: 'fence-1' })).toMatchObject({
          fence: 'fence-1',
        });
        expect((await store.readHead(key))?.items).toHaveLength(353);
        expect((await store.updateHead(key, {}, { removeItems: many })).items).toEqual(['a', 'c', 'e']);
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
        await store.createHead(aHead(key, { items: ['a', 'b'] }));
        const large = new Uint8Array(300 * 1024).fill(7);
        for (let index = 0; index < 5; index++) await store.putItem(key, { name: `large-${index}`, bytes: large }, 0);
        await store.putItem(aKey({ ...key, uid: `${key.uid}x` }), { name: 'foreign', bytes: bytesOf('x') }, 0);
        const { head, items } = await store.read(key);
        expect(head?.items).toEqual(['a', 'b']);
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
        await store.createHead(aHead(key, { items: ['a', 'b'] }));
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
        await store.createHead(aHead(key, { items: ['list/0/7/0-40', 'pods/40/0-29', 'pods/40/h3'] }));
        for (const item of names) await store.putItem(key, { name: item, bytes: bytesOf(item) }, 0);
        await store.forget(key, 'fence-0');
        expect(await store.readItems(key, names)).toEqual([]);
      }),
    );

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

    test(
      'a note is written only at the version that was read',
      on(open, async ({ store }) => {
        const { cluster } = aKey();
        expect(await store.putNote(cluster, 'marker', 'one', 0)).toBe(1);
        expect(await staleOf(store.putNote(cluster, 'marker', 'late', 0))).toEqual({ version: 1, body: 'one' });
        expect(await store.putNote(cluster, 'marker', 'two', 1)).toBe(2);
        expect(await staleOf(store.putNote(cluster, 'budget', 'late', 1))).toBeUndefined();
        expect(await store.readNote(cluster, 'marker')).toEqual({ version: 2, body: 'two' });
        expect(await store.readNote(cluster, 'budget')).toBeUndefined();
        expect(await store.workloads(cluster, { limit: 10 })).toEqual({ keys: [] });
      }),
    );

    test(
      'parts of an answer are read by cluster, id and part; written twice they are the same',
      on(open, async ({ store }) => {
        const { cluster, uid: id } = aKey();
        expect(await store.readAnswer(cluster, id, 0)).toBeUndefined();
        await store.putAnswer(cluster, id, 1, bytesOf('second'));
        expect(await store.readAnswer(cluster, id, 0)).toBeUndefined();
        for (let time = 0; time < 2; time++) await store.putAnswer(cluster, id, 0, bytesOf('first'));
        expect(Buffer.from((await store.readAnswer(cluster, id, 0)) ?? []).toString()).toBe('first');
        expect(Buffer.from((await store.readAnswer(cluster, id, 1)) ?? []).toString()).toBe('second');
        expect(await store.readAnswer(`${cluster}-other`, id, 0)).toBeUndefined();
        expect(await store.readAnswer(cluster, `${id}-other`, 0)).toBeUndefined();
        expect(await failureOf(store.putAnswer(cluster, id, 2, new Uint8Array(300 * 1024 + 1)))).toBeInstanceOf(TerminalError);
        expect(await store.workloads(cluster, { limit: 10 })).toEqual({ keys: [] });
      }),
    );

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
        await store.updateHead(key, {}, { addItems: ['a'] });
        expect(await cost(() => store.forget(key, 'fence-0'))).toEqual([3, 1, 2]);
        expect(Object.keys(store.meter.byOperation)).toEqual(['forget']);
      }),
    );
  });
}

const keyAt = (keys: readonly WorkloadKey[], index: number): WorkloadKey => {
  const key = keys[index];
  if (!key) throw new Error(`no key ${index}`);
  return key;
};

/** An index may be late: asserts again until it holds, for 5 s at most. */
async function eventually(claim: () => Promise<void>): Promise<void> {
  for (const endMs = performance.now() + 5_000; ;) {
    try {
      return await claim();
    } catch (error) {
      if (performance.now() > endMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
