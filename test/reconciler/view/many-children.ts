// The children of a workload that grows from 1 replica to 100,000, written and read on any store.
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import type { ChildState } from '../../../lib/objects/child-state.ts';
import type { PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import type { WorkloadKey } from '../../../lib/objects/workload.ts';
import { podItems } from '../../../lib/ports/head-items.ts';
import type { Head } from '../../../lib/ports/store.ts';
import { newHead } from '../../../lib/reconciler/head/heads.ts';
import { readView, writeChildren, writeView } from '../../../lib/reconciler/view/view-access.ts';
import { emptyPart, livingIn } from '../../../lib/reconciler/view/view.ts';
import { packPart, unpackPart } from '../../../lib/wire/view-item.ts';
import { open as openEnvelope } from '../../../lib/wire/packing/envelope.ts';
import { UndecodableMessageError } from '../../../lib/wire/words/undecodable.ts';
import type { ChildObservation, PodObservation } from '../../../lib/wire/words/observations.ts';
import { observed } from '../demo-view.ts';
import type { StoreUnderTest } from '../../contracts/store/workloads.ts';

const REPLICAS = 100_000;
/** Children of one report. A message holds 10,000 at most. */
const REPORTED = 10_000;
/** An item of DynamoDB holds 400 KB. */
const ITEM_BYTES = 400_000;

const stateOf = (slot: number, resourceVersion: string): ChildState => ({
  resource: 'services',
  uid: `00000000-0000-4000-8000-${String(slot).padStart(12, '0')}`,
  namespace: 'default',
  name: `large-worker-${slot}`,
  resourceVersion,
  labels: { 'training.kubeflow.org/job-name': 'large' },
  part: { revision: 1, facts: { replica: 'worker' } },
});
const seen = (slot: number, version: string): ChildObservation => ({
  heardAt: version,
  presence: 'there',
  child: stateOf(slot, version),
});
const { index: _index, ...DEMO_POD } = observed(0, 1).child;
const podOf = (slot: number, resourceVersion: string): PodFacts => ({
  ...DEMO_POD,
  uid: `00000000-0000-4000-8000-${String(slot).padStart(12, '0')}`,
  name: `large-worker-${slot}`,
  resourceVersion,
  labels: { 'training.kubeflow.org/replica-type': 'worker', 'training.kubeflow.org/replica-index': String(slot) },
});
const podSeen = (slot: number, version: string): PodObservation => ({ heardAt: version, presence: 'there', child: podOf(slot, version) });
const slots = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

/** The tests of a store may share its table. */
const aKey = (): WorkloadKey => ({ cluster: 'west', kind: 'PyTorchJob', namespace: 'default', name: 'large', uid: randomUUID() });

/** Of a training job: each of its pods has the same number, so that only their kind tells their slots. */
function manyPodsContract(name: string, open: () => Promise<StoreUnderTest>): void {
  test(`${name}: the pods of a training job of 100,000 replicas lie in items of a bounded size`, async () => {
    const { store, close } = await open();
    try {
      let head: Head = await store.createHead(newHead({ clock: new SystemClock() }, aKey(), { era: 0 } as never));
      const write = async (children: PodObservation[], floor?: string): Promise<void> => {
        const whole = floor === undefined ? {} : { whole: { floor, slots: 'all' as const } };
        head = (await writeView(store, head, { resource: 'pods', children, byPass: false, ...whole }, { era: 0 })).head;
      };
      const living = async (): Promise<PodFacts[]> => {
        const view = await readView(store, head, 0);
        expect(view.hasMissingItem).toBe(false);
        return [...livingIn(view.part)];
      };
      for (let from = 0; from < REPLICAS; from += REPORTED) await write(slots(from, from + REPORTED).map((slot) => podSeen(slot, '1')));
      expect(await living()).toHaveLength(REPLICAS);
      const { items } = await store.read(head.key);
      for (const { bytes } of items) {
        expect(unpackPart(bytes).children.size).toBeLessThan(1_000);
        // No build that looks for them elsewhere takes them for gone.
        expect(() => openEnvelope(bytes, { bytes: ITEM_BYTES, unpackedBytes: 8_000_000 })).toThrow(UndecodableMessageError);
      }
      expect(head.items.map(({ name: of }) => of).join('').length).toBeLessThan(4_096);
      // A message about neighbours touches few of them.
      const before = new Map(items.map((item) => [item.name, item.version]));
      await write(slots(500, 600).map((slot) => podSeen(slot, '2')));
      const touched = (await store.read(head.key)).items.filter(({ name: of, version }) => before.get(of) !== version);
      expect(touched.length).toBeLessThanOrEqual(4);
      // Neither the first nor the last is on the list (R19).
      await write(
        slots(1, REPLICAS - 1).map((slot) => podSeen(slot, '3')),
        '3',
      );
      const left = new Set((await living()).map(({ name: of }) => of));
      expect([left.size, left.has('large-worker-0'), left.has(`large-worker-${REPLICAS - 1}`)]).toEqual([REPLICAS - 2, false, false]);
    } finally {
      await close();
    }
  }, 300_000);

  test(`${name}: an item in which the build before kept all pods of a training job is read on, and no pod is lost (R2, R19)`, async () => {
    const { store, close } = await open();
    try {
      const created = await store.createHead(newHead({ clock: new SystemClock() }, aKey(), { era: 0 } as never));
      const all = podItems({ slots: 40, first: 0, last: 0 });
      const children = new Map(slots(0, 100).map((slot) => [podOf(slot, '1').uid, { ...podSeen(slot, '1'), byPass: false }]));
      const bytes = packPart<PodFacts>({ ...emptyPart('pods', { era: 0, floor: '1' }), children });
      let head: Head = await store.updateHead(created.key, {}, { addItems: [all] });
      await store.putItem(head.key, { name: all.name, bytes }, 0);
      const versions = async (): Promise<Record<string, string>> => {
        const { part, hasMissingItem } = await readView(store, head, 0);
        expect(hasMissingItem).toBe(false);
        return Object.fromEntries([...livingIn(part)].map(({ name: of, resourceVersion }) => [of.replace(/\D+/, ''), resourceVersion]));
      };
      const news = { resource: 'pods', byPass: false };
      head = (await writeView(store, head, { ...news, children: [podSeen(3, '2'), podSeen(100, '2')] }, { era: 0 })).head;
      expect(await versions()).toEqual({ ...Object.fromEntries(slots(0, 100).map((slot) => [slot, '1'])), 3: '2', 100: '2' });
      const listed = slots(0, 101).filter((slot) => slot !== 7);
      const named = listed.map((slot) => ({ ...podSeen(slot, slot === 3 ? '2' : '1'), heardAt: '9' }));
      const whole = { floor: '9', slots: 'all' as const };
      head = (await writeView(store, head, { ...news, children: named, whole }, { era: 0 })).head;
      expect(Object.keys(await versions()).map(Number)).toEqual(listed);
    } finally {
      await close();
    }
  });
}

export function manyChildrenContract(name: string, open: () => Promise<StoreUnderTest>): void {
  manyPodsContract(name, open);

  test(`${name}: a workload that grows to 100,000 replicas keeps every child, and no item outgrows its bound`, async () => {
    const { store, close } = await open();
    const clock = new SystemClock();
    try {
      let head: Head = await store.createHead(newHead({ clock }, aKey(), { era: 0 } as never));
      const write = async (children: ChildObservation[], expected: number, floor?: string): Promise<void> => {
        const news = {
          resource: 'services',
          children,
          byPass: false,
          ...(floor !== undefined && { whole: { floor, slots: 'all' as const } }),
        };
        const { head: written, marks } = await writeChildren(store, head, [news], { era: 0, expected });
        head = await store.updateHead(written.key, {}, marks);
      };
      const living = async (): Promise<ChildState[]> => {
        const view = await readView(store, head, 0);
        expect(view.hasMissingItem).toBe(false);
        return view.children.flatMap((part) => [...livingIn(part)]);
      };
      await write([seen(0, '1')], 1);
      // As after a restart of a relay: more children than items are read at once, in one report.
      await write(
        slots(0, 7_000).map((slot) => seen(slot, '2')),
        7_000,
        '2',
      );
      expect(await living()).toHaveLength(7_000);
      await write(
        slots(0, 7_000).map((slot) => seen(slot, '3')),
        0,
        '3',
      );
      expect(await living()).toHaveLength(7_000);
      for (let from = 0; from < REPLICAS; from += REPORTED)
        await write(
          slots(from, from + REPORTED).map((slot) => seen(slot, '4')),
          REPLICAS,
        );
      expect(await living()).toHaveLength(REPLICAS);
      const { items } = await store.read(head.key);
      for (const { bytes } of items) {
        expect(bytes.length).toBeLessThan(ITEM_BYTES);
        expect(unpackPart(bytes).children.size).toBeLessThan(1_000);
      }
      // A pass lists all of them live: the first, which lies in an item of every layout so far, is gone, and so is the last (R19).
      await write(
        slots(1, REPLICAS - 1).map((slot) => seen(slot, '5')),
        REPLICAS,
        '5',
      );
      const left = new Set((await living()).map(({ name: of }) => of));
      expect([left.size, left.has('large-worker-0'), left.has(`large-worker-${REPLICAS - 1}`)]).toEqual([REPLICAS - 2, false, false]);
      // It comes back under its name, and goes to the items of the widest layout alone.
      await write([{ ...seen(0, '6'), child: { ...stateOf(0, '6'), uid: 'uid-of-a-successor' } }], 0);
      expect(await living()).toHaveLength(REPLICAS - 1);
    } finally {
      await close();
    }
  }, 300_000);
}
