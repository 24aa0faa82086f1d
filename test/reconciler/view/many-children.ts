// The children of a workload that grows from 1 replica to 100,000, written and read on any store.
import { expect, test } from '@jest/globals';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import type { ChildState } from '../../../lib/objects/child-state.ts';
import type { WorkloadKey } from '../../../lib/objects/workload.ts';
import type { Head } from '../../../lib/ports/store.ts';
import { newHead } from '../../../lib/reconciler/head/heads.ts';
import { readView, writeChildren } from '../../../lib/reconciler/view/view-access.ts';
import { livingIn } from '../../../lib/reconciler/view/view.ts';
import { unpackPart } from '../../../lib/wire/view-item.ts';
import type { ChildObservation } from '../../../lib/wire/words/observations.ts';
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
const slots = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

export function manyChildrenContract(name: string, open: () => Promise<StoreUnderTest>): void {
  test(`${name}: a workload that grows to 100,000 replicas keeps every child, and no item outgrows its bound`, async () => {
    const { store, close } = await open();
    const clock = new SystemClock();
    try {
      const key: WorkloadKey = { cluster: 'west', kind: 'PyTorchJob', namespace: 'default', name: 'large', uid: clock.randomId() };
      let head: Head = await store.createHead(newHead({ clock }, key, { era: 0 } as never));
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
