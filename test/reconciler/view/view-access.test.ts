// The view where it lies: whoever writes it, and however many at the same time, nothing that was heard is lost (R2, R8).
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EmbeddedStore } from '../../../lib/adapters/embedded/store.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';
import type { Head, Store } from '../../../lib/ports/store.ts';
import { createHead } from '../../../lib/reconciler/head/heads.ts';
import { UNKNOWN_ERA } from '../../../lib/reconciler/view/floors.ts';
import { readView, writeView } from '../../../lib/reconciler/view/view-access.ts';
import type { PodObservation } from '../../../lib/wire/words/observations.ts';
import { END_OF_SLOTS } from '../../../lib/wire/words/view-layout.ts';
import { shareOf } from '../../storm-share.ts';
import { KEY, observed as observedAs, RECORD } from '../demo-view.ts';
import { namesIn } from '../../contracts/store/workloads.ts';

const observed = (index: number, version: number): PodObservation => observedAs(index, version, { phase: `at ${version}` });

/** Every call takes as many turns as the schedule says, so that writers get between each other's calls. */
function interleaved(store: Store, turns: () => number): Store {
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]): Promise<unknown> => {
        for (let left = turns(); left > 0; left--) await Promise.resolve();
        const result: unknown = await Reflect.apply(method, target, given);
        for (let left = turns(); left > 0; left--) await Promise.resolve();
        return result;
      };
    },
  });
}

describe('R8: writers of one view at the same time', () => {
  test('R8: lose nothing, whether pods stay in the head or leave for items', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.record({ index: fc.nat(60), version: fc.integer({ min: 1, max: 50 }) }), { minLength: 1, maxLength: 15 }), {
          minLength: 2,
          maxLength: 14,
        }),
        fc.infiniteStream(fc.nat(9)),
        async (writers, chance) => {
          const clock = new VirtualClock();
          const store = EmbeddedStore.open({ clock });
          const head = await createHead({ store, clock }, KEY, RECORD);
          const busy = interleaved(store, () => chance.next().value ?? 0);
          await Promise.all(
            writers.map(async (news) => {
              const pods = news.map(({ index, version }) => observed(index, version));
              await writeView(busy, (await busy.readHead(KEY)) ?? head, { resource: 'pods', children: pods, byPass: false }, { era: 0 });
            }),
          );
          const stands = await store.readHead(KEY);
          if (!stands) throw new Error('the head is gone');
          const { part, hasMissingItem } = await readView(store, stands, 0);
          const newest = new Map<string, number>();
          for (const { index, version } of writers.flat()) newest.set(`pod-${index}`, Math.max(newest.get(`pod-${index}`) ?? 0, version));
          expect(hasMissingItem).toBe(false);
          expect(Object.fromEntries([...part.children].map(([uid, { heardAt }]) => [uid, Number(heardAt)]))).toEqual(
            Object.fromEntries(newest),
          );
          store.close();
        },
      ),
      { numRuns: shareOf(300, 6) },
    );
  });
});

describe('R19: a list whose pods are too many for the head, part of them heard of before', () => {
  test('R19: none that it names is gone, whenever it was heard of last', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 40 }),
        async (versions, more) => {
          const clock = new VirtualClock();
          const store = EmbeddedStore.open({ clock });
          const created = await createHead({ store, clock }, KEY, RECORD);
          const before = versions.map((version, index) => observed(index, version));
          await writeView(store, created, { resource: 'pods', children: before, byPass: false }, { era: 0 });
          // As a pass hears them: all listed at one version, at which one of them may have been heard of already, and what it creates then.
          const floor = Math.max(...versions);
          const listed = before.map((_, index) => observed(index, floor));
          const made = Array.from({ length: more }, (_, at) => observed(versions.length + at, floor + 1 + at));
          const whole = { floor: String(floor), slots: 'all' as const };
          const head = (await store.readHead(KEY)) ?? created;
          await writeView(store, head, { resource: 'pods', children: [...listed, ...made], whole, byPass: true }, { era: 0 });
          const { part, hasMissingItem } = await readView(store, (await store.readHead(KEY)) ?? created, 0);
          expect(hasMissingItem).toBe(false);
          expect([...part.children].filter(([, { presence }]) => presence === 'there')).toHaveLength(versions.length + more);
          store.close();
        },
      ),
      { numRuns: shareOf(200, 4) },
    );
  });
});

describe('R19: a list, and at the same time late news of what it names', () => {
  test('R19: the news goes to the head, the list to the items, and nothing that is there seems gone', async () => {
    const FLOOR = 50;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 21, max: 50 }),
        fc.array(
          fc.array(fc.record({ index: fc.nat(20), version: fc.integer({ min: 2, max: FLOOR - 1 }) }), { minLength: 1, maxLength: 4 }),
          {
            minLength: 1,
            maxLength: 4,
          },
        ),
        fc.boolean(),
        fc.infiniteStream(fc.nat(9)),
        async (count, writers, isInRanges, chance) => {
          const clock = new VirtualClock();
          const store = EmbeddedStore.open({ clock });
          const created = await createHead({ store, clock }, KEY, RECORD);
          const all = (version: number): PodObservation[] => Array.from({ length: count }, (_, index) => observed(index, version));
          await writeView(store, created, { resource: 'pods', children: all(1), byPass: false }, { era: 0 });
          const busy = interleaved(store, () => chance.next().value ?? 0);
          const headNow = async (): Promise<Head> => (await busy.readHead(KEY)) ?? created;
          const lists = isInRanges
            ? [
                { from: 0, to: 10 },
                { from: 10, to: END_OF_SLOTS },
              ]
            : ['all' as const];
          await Promise.all([
            ...lists.map(async (slots) => {
              const named = all(FLOOR).filter((_, index) => slots === 'all' || (index >= slots.from && index < slots.to));
              const whole = { floor: String(FLOOR), slots };
              await writeView(busy, await headNow(), { resource: 'pods', children: named, whole, byPass: true }, { era: 0 });
            }),
            ...writers.map(async (news) => {
              const pods = news.map(({ index, version }) => observed(index, version));
              await writeView(busy, await headNow(), { resource: 'pods', children: pods, byPass: false }, { era: 0 });
            }),
          ]);
          const stands = await headNow();
          const { part } = await readView(store, stands, 0);
          expect(stands.floor).toBe(String(FLOOR));
          expect([...part.children.values()].map(({ presence, heardAt }) => `${presence} ${heardAt}`)).toEqual(
            all(1).map(() => `there ${FLOOR}`),
          );
          store.close();
        },
      ),
      { numRuns: shareOf(300, 6) },
    );
  });
});

describe('R1: an item that the head names and that is lost', () => {
  const WIDE = 400;
  const openView = async (): Promise<{ store: EmbeddedStore; head: () => Promise<Head> }> => {
    const clock = new VirtualClock();
    const store = EmbeddedStore.open({ clock });
    const created = await createHead({ store, clock }, KEY, RECORD);
    const all = Array.from({ length: WIDE }, (_, index) => observed(index, 1));
    await writeView(store, created, { resource: 'pods', children: all, byPass: false }, { era: 0 });
    return { store, head: async () => (await store.readHead(KEY)) ?? created };
  };
  const lose = (store: EmbeddedStore, name: string): void => {
    expect(store.database.prepare('delete from items where name = ?').run(name).changes).toBe(1);
  };

  test('R1: told of in a run of names, it makes the workload unknown as soon as news touches it, and does not begin anew unseen', async () => {
    const { store, head } = await openView();
    expect(namesIn(await head())).toEqual(['pods/40/0-9']);
    lose(store, 'pods/40/3');
    expect((await readView(store, await head(), 0)).hasMissingItem).toBe(true);
    const news = Array.from({ length: 25 }, (_, at) => observed(120 + at, 2));
    await writeView(store, await head(), { resource: 'pods', children: news, byPass: false }, { era: 0 });
    // The item is there again, with 25 pods of forty: only the head can say so.
    expect((await readView(store, await head(), 0)).hasMissingItem).toBe(false);
    expect((await head()).era).toBe(UNKNOWN_ERA);
    store.close();
  });

  test('R1: news of its neighbours says nothing of it', async () => {
    const { store, head } = await openView();
    lose(store, 'pods/40/3');
    await writeView(store, await head(), { resource: 'pods', children: [observed(200, 2)], byPass: false }, { era: 0 });
    expect((await head()).era).toBe(0);
    expect((await readView(store, await head(), 0)).hasMissingItem).toBe(true);
    store.close();
  });
});
