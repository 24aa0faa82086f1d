// R2, R19 where a view lies in several places: what a whole list proves reaches all of them, and moving from one to another loses nothing.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import { VirtualClock } from '../world/virtual-clock.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import type { Head } from '../../lib/ports/store.ts';
import { createHead } from '../../lib/reconciler/head/heads.ts';
import type { News } from '../../lib/reconciler/view/view.ts';
import { readView, writeView } from '../../lib/reconciler/view/view-access.ts';
import type { PodFacts } from '../../lib/objects/pods/pod-facts.ts';
import type { PodObservation, WholeList } from '../../lib/wire/words/observations.ts';
import { KEY, observed, RECORD } from './demo-view.ts';

const upTo = (count: number, version: number): PodObservation[] => Array.from({ length: count }, (_, index) => observed(index, version));
const whole = (floor: number, slots: WholeList['slots'] = 'all'): Pick<News<PodFacts>, 'whole'> => ({
  whole: { floor: String(floor), slots },
});

let store: EmbeddedStore;
let head: Head;
beforeEach(async () => {
  const clock = new VirtualClock();
  store = EmbeddedStore.open({ clock });
  head = await createHead({ store, clock }, KEY, RECORD);
  await hear([], { owner: { heardAt: '7', deleted: false, object: JOB } });
});
afterEach(() => store.close());

const JOB: Job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'demo', namespace: 'default', uid: 'uid-1', resourceVersion: '7' },
  spec: { template: { spec: { containers: [] } } },
};

async function hear(pods: PodObservation[], more: Partial<News<PodFacts>> = {}): Promise<{ changed: boolean; told: boolean }> {
  const { changed, told } = await writeView(
    store,
    (await store.readHead(KEY)) ?? head,
    { resource: 'pods', children: pods, byPass: false, ...more },
    { era: 0 },
  );
  return { changed, told };
}

/** Indexes of the pods that are taken to be there, in order. */
async function present(): Promise<number[]> {
  const stands = await store.readHead(KEY);
  if (!stands) throw new Error('the head is gone');
  const { part, hasMissingItem } = await readView(store, stands, 0);
  expect(hasMissingItem).toBe(false);
  return [...part.children.values()]
    .filter(({ presence }) => presence === 'there')
    .map(({ child: pod }) => Number(pod.index))
    .toSorted((a, b) => a - b);
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

describe('a view in the head and in items beside it', () => {
  test('R2: pods that a list told of are not lost when more of them leave the head for items', async () => {
    await hear(upTo(15, 100), whole(100));
    await hear(range(15, 30).map((index) => observed(index, 120)));
    expect(await present()).toEqual(range(0, 30));
  });

  test('R19: what a list does not name is gone from the head too, where the last events still lie', async () => {
    await hear(upTo(30, 50));
    await hear([observed(3, 60)]);
    expect((await store.readHead(KEY))?.items).not.toEqual([]);
    await hear(
      upTo(30, 100).filter(({ child: pod }) => pod.index !== '3'),
      whole(100),
    );
    expect(await present()).toEqual(range(0, 30).filter((index) => index !== 3));
  });

  test('R19: a list in ranges removes what either of two ranges leaves out of the item that lies in both', async () => {
    await hear(upTo(30, 50));
    const named = upTo(30, 100).filter(({ child: pod }) => pod.index !== '3' && pod.index !== '20');
    const parts: [PodObservation[], WholeList['slots']][] = [
      [named.filter(({ child: pod }) => Number(pod.index) < 10), { from: 0, to: 10 }],
      [named.filter(({ child: pod }) => Number(pod.index) >= 10), { from: 10, to: 2 ** 32 }],
    ];
    for (const [pods, slots] of parts) await hear(pods, whole(100, slots));
    expect(await present()).toEqual(range(0, 30).filter((index) => index !== 3 && index !== 20));
    await hear([observed(20, 90), observed(3, 90)]);
    expect(await present()).toEqual(range(0, 30).filter((index) => index !== 3 && index !== 20));
  });

  test('R9: what a range changed is told though another writer comes before the floor is raised', async () => {
    await hear(upTo(30, 50));
    await hear(upTo(10, 100), whole(100, { from: 0, to: 10 }));
    const updateHead = store.updateHead.bind(store);
    let rivals = 0;
    store.updateHead = async (key, conditions, change) => {
      if (change.floor !== undefined && rivals++ === 0) {
        const stands = await store.readHead(KEY);
        await updateHead(KEY, { ifViewVersion: stands?.viewVersion ?? 0 }, stands?.view ? { view: stands.view } : {});
      }
      return await updateHead(key, conditions, change);
    };
    const news = upTo(30, 100).filter(({ child: { index } }) => Number(index) >= 10 && index !== '20');
    expect(await hear(news, whole(100, { from: 10, to: 2 ** 32 }))).toMatchObject({ changed: true });
    expect(rivals).toBe(2);
    expect((await store.readHead(KEY))?.floor).toBe('100');
    expect(await present()).toEqual(range(0, 30).filter((index) => index !== 20));
  });

  const LONG = 5_200;
  const RANGES: WholeList['slots'][] = [
    { from: 0, to: 2_500 },
    { from: 2_500, to: 5_000 },
    { from: 5_000, to: 2 ** 32 },
  ];
  const within = (pods: readonly PodObservation[], slots: WholeList['slots']): PodObservation[] =>
    pods.filter(({ child: { index } }) => slots === 'all' || (Number(index) >= slots.from && Number(index) < slots.to));

  test('R19: the ranges of a long list raise the floor when all have come, in any order and twice, and what none names is gone', async () => {
    await hear(upTo(LONG, 50));
    const named = upTo(LONG, 100).filter(({ child: pod }) => pod.index !== '5100' && pod.index !== '2499');
    const [first, second, third] = RANGES;
    for (const slots of [third, first, third]) {
      if (slots) await hear(within(named, slots), whole(100, slots));
      expect((await store.readHead(KEY))?.floor).toBe('0');
    }
    if (second) await hear(within(named, second), whole(100, second));
    expect((await store.readHead(KEY))?.floor).toBe('100');
    expect(await present()).toEqual(range(0, LONG).filter((index) => index !== 5_100 && index !== 2_499));
    // Late news, also of an item that nobody has begun yet.
    expect((await hear([observed(5_100, 90), observed(LONG + 900, 90)])).changed).toBe(false);
    expect((await store.readHead(KEY))?.items.filter(({ name }) => !name.startsWith('pods/'))).toEqual([]);
  });

  test('R19: ranges of two lists do not make a whole one, and a later list takes the place of one that never came whole', async () => {
    await hear(upTo(60, 50));
    await hear(upTo(30, 100), whole(100, { from: 0, to: 30 }));
    await hear(
      range(30, 60).map((index) => observed(index, 120)),
      whole(120, { from: 30, to: 2 ** 32 }),
    );
    expect((await store.readHead(KEY))?.floor).toBe('0');
    await hear(
      range(30, 60).map((index) => observed(index, 100)),
      whole(100, { from: 30, to: 2 ** 32 }),
    );
    expect((await store.readHead(KEY))?.floor).toBe('0');
    await hear(upTo(30, 120), whole(120, { from: 0, to: 30 }));
    expect((await store.readHead(KEY))?.floor).toBe('120');
    await hear(upTo(10, 140), whole(140, { from: 0, to: 10 }));
    await hear(upTo(60, 150), whole(150));
    const stands = await store.readHead(KEY);
    expect(stands?.floor).toBe('150');
    expect(stands?.items.filter(({ name }) => !name.startsWith('pods/'))).toEqual([]);
    expect(await present()).toEqual(range(0, 60));
  });

  test('R3: ranges that an API server told before it was set back do not complete a list of after', async () => {
    await hear(upTo(60, 50));
    await hear(upTo(30, 100), whole(100, { from: 0, to: 30 }));
    const raised = await store.updateHead(KEY, {}, { era: 1 });
    const rest = range(30, 60).map((index) => observed(index, 100));
    const { head: stands } = await writeView(
      store,
      raised,
      { resource: 'pods', children: rest, byPass: false, ...whole(100, { from: 30, to: 2 ** 32 }) },
      { era: 1 },
    );
    expect(stands.floor).toBe('0');
  });

  test('R2: what was told of a range holds for an item of it that begins before the other ranges have come', async () => {
    await hear([...upTo(30, 50), observed(90, 50)]);
    await hear(upTo(30, 100), whole(100, { from: 0, to: 80 }));
    // Too many for the head: an item of their own begins.
    await hear(range(42, 78).map((index) => observed(index, 60)));
    expect(await present()).toEqual([...range(0, 30), 90]);
  });

  test('R19: a range says nothing of the items outside of it', async () => {
    await hear([...upTo(30, 50), observed(90, 50)]);
    await hear([observed(90, 60)]);
    await hear(upTo(30, 100), whole(100, { from: 0, to: 40 }));
    await hear([observed(91, 70)]);
    expect(await present()).toEqual([...range(0, 30), 90, 91]);
  });

  test('R2: late news below the last whole list changes nothing, also of a pod whose item was never begun', async () => {
    await hear(upTo(30, 50));
    await hear(upTo(30, 100), whole(100));
    expect((await hear([observed(70, 60)])).changed).toBe(false);
    expect(await present()).toEqual(range(0, 30));
  });

  test('R19: an event that reaches the head while a list is written to the items does not outlive that list', async () => {
    await hear(upTo(30, 50));
    const before = await store.readHead(KEY);
    // Between the list's reading of the head and its raising of the floor.
    const put = store.putItem.bind(store);
    store.putItem = async (...given) => {
      store.putItem = put;
      await hear([observed(70, 60)]);
      return await put(...given);
    };
    await writeView(store, before ?? head, { resource: 'pods', children: upTo(30, 100), byPass: false, ...whole(100) }, { era: 0 });
    expect(await present()).toEqual(range(0, 30));
    await hear([observed(70, 80, {}, true)]);
    expect(await present()).toEqual(range(0, 30));
  });

  test('R3: news of an era that is over does not get into items of the next one', async () => {
    await hear(upTo(30, 1_000));
    const old = await store.readHead(KEY);
    const listed = {
      resource: 'pods',
      children: upTo(30, 100),
      owner: { heardAt: '8', deleted: false, object: JOB },
      byPass: true,
      ...whole(100),
    };
    await writeView(store, await store.updateHead(KEY, {}, { era: 1 }), listed, { era: 1 });
    await writeView(store, old ?? head, { resource: 'pods', children: upTo(30, 1_001), byPass: false }, { era: 0 });
    const stands = await store.readHead(KEY);
    if (!stands) throw new Error('the head is gone');
    const { part, hasMissingItem } = await readView(store, stands, 1);
    expect(hasMissingItem).toBe(false);
    expect(new Set([...part.children.values()].map(({ heardAt }) => heardAt))).toEqual(new Set(['100']));
  });
});
