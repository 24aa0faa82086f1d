// A view read with the help of earlier readings is the view that is read without, whatever was written in between.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EmbeddedStore } from '../../../lib/adapters/embedded/store.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';
import { createHead } from '../../../lib/reconciler/head/heads.ts';
import { livingIn } from '../../../lib/reconciler/view/view.ts';
import { readView, writeView } from '../../../lib/reconciler/view/view-access.ts';
import { ViewMemory } from '../../../lib/reconciler/view/view-memory.ts';
import type { PodObservation } from '../../../lib/wire/words/observations.ts';
import { KEY, observed as observedAs, RECORD } from '../demo-view.ts';

const SEED = Date.now() % 2 ** 31;

/** `uid` apart from the index: a pod's index may change, so that it lies in two items for a while. */
const observed = ({ uid, index, version, deleted }: { uid: number; index: number; version: number; deleted: boolean }): PodObservation =>
  observedAs(uid, version, { index: String(index), tracked: version % 3 > 0, phase: version % 2 > 0 ? 'Running' : 'Succeeded' }, deleted);

describe(`views read with a memory (seed ${SEED})`, () => {
  test('R2: are those read without it', async () => {
    const observation = fc
      .record({ index: fc.nat(600), version: fc.integer({ min: 1, max: 400 }), deleted: fc.nat(9), moved: fc.nat(60) })
      .map(({ index, version, deleted, moved }) =>
        observed({ uid: index, index: moved === 0 ? index + 300 : index, version, deleted: deleted === 0 }),
      );
    const news = fc.record({ pods: fc.array(observation, { maxLength: 40 }), list: fc.nat(12), forget: fc.nat(20) });
    await fc.assert(
      fc.asyncProperty(fc.array(news, { minLength: 2, maxLength: 15 }), async (all) => {
        const clock = new VirtualClock();
        const store = EmbeddedStore.open({ clock });
        const memory = new ViewMemory();
        let head = await createHead({ store, clock }, KEY, RECORD);
        for (const { pods, list, forget } of all) {
          if (forget === 0) {
            await store.forget(KEY, head.fence);
            head = await createHead({ store, clock }, KEY, RECORD);
          }
          const whole = list === 0 ? { whole: { floor: '400', slots: 'all' as const } } : {};
          await writeView(store, head, { resource: 'pods', children: pods, byPass: list % 2 > 0, ...whole }, { era: 0 });
          head = (await store.readHead(KEY)) ?? head;
          const plain = await readView(store, head, 0);
          const remembered = await readView(store, head, 0, memory);
          expect(remembered.hasMissingItem).toBe(plain.hasMissingItem);
          expect({ ...remembered.part, children: new Map(remembered.part.children) }).toEqual(plain.part);
          if (!remembered.pods) continue;
          const living = new Map([...livingIn(plain.part)].map((pod) => [pod.uid, pod]));
          expect(new Map([...remembered.pods].map((pod) => [pod.uid, pod]))).toEqual(living);
          // Whoever changes what it was given changes nothing of what is remembered.
          remembered.part.children.clear();
        }
        store.close();
      }),
      { seed: SEED, numRuns: 40, endOnFailure: true },
    );
  });
});
