// The view where it lies: whoever writes it, and however many at the same time, nothing that was heard is lost (R2, R8).
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import { VirtualClock } from '../../lib/adapters/embedded/virtual-clock.ts';
import type { PodFacts } from '../../lib/objects/pod-facts.ts';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import type { Store } from '../../lib/ports/store.ts';
import { createHead } from '../../lib/reconciler/heads.ts';
import { readView, writeView } from '../../lib/reconciler/view-access.ts';
import type { PodObservation } from '../../lib/wire/observations.ts';

const KEY: WorkloadKey = { cluster: 'west', kind: 'Job', namespace: 'default', name: 'demo', uid: 'uid-1' };
const RECORD = {
  name: 'west',
  era: 0,
  manage: 'all' as const,
  namespaces: [],
  senders: [],
  budget: { writesPerSecond: 1, burst: 1 },
  version: 1,
};

const observed = (index: number, version: number): PodObservation => {
  const pod: PodFacts = {
    uid: `pod-${index}`,
    name: `demo-${index}`,
    namespace: 'default',
    resourceVersion: String(version),
    labels: {},
    index: String(index),
    number: 0,
    tracked: true,
    phase: `at ${version}`,
    createdAt: 0,
    assigned: true,
    conditions: [],
    containers: [],
  };
  return { heardAt: String(version), deleted: false, pod };
};

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
              await writeView(busy, (await busy.readHead(KEY)) ?? head, { pods, byPass: false }, { era: 0 });
            }),
          );
          const stands = await store.readHead(KEY);
          if (!stands) throw new Error('the head is gone');
          const { part, hole } = await readView(store, stands, 0);
          const newest = new Map<string, number>();
          for (const { index, version } of writers.flat()) newest.set(`pod-${index}`, Math.max(newest.get(`pod-${index}`) ?? 0, version));
          expect(hole).toBe(false);
          expect(Object.fromEntries([...part.pods].map(([uid, { heardAt }]) => [uid, Number(heardAt)]))).toEqual(
            Object.fromEntries(newest),
          );
          store.close();
        },
      ),
      { numRuns: 300 },
    );
  });
});
