// Summaries of workloads, by cluster and time.
import { expect, test } from '@jest/globals';
import { TerminalError } from '../../../lib/ports/errors.ts';
import type { SummaryEntry } from '../../../lib/ports/summaries.ts';
import { failureOf } from '../../claims.ts';
import { on } from '../own-adapter.ts';
import type { StoreUnderTest } from './workloads.ts';
import { aKey } from './workloads.ts';

export function summariesContract(open: () => Promise<StoreUnderTest>): void {
  test(
    'summaries are read by cluster from a moment on, the oldest first',
    on(open, async ({ store }) => {
      const { cluster } = aKey();
      const [first, second, third] = [aKey({ cluster }), aKey({ cluster, namespace: '' }), aKey({ cluster, kind: 'TFJob' })];
      await store.putSummary({ key: third, atMs: 3_000, body: 'third' });
      await store.putSummary({ key: first, atMs: 999, body: 'first' });
      await store.putSummary({ key: second, atMs: 1_000, body: 'second' });
      expect(await store.summaries(cluster, { fromMs: 0 })).toEqual({
        entries: [
          { key: first, atMs: 999, body: 'first' },
          { key: second, atMs: 1_000, body: 'second' },
          { key: third, atMs: 3_000, body: 'third' },
        ],
      });
      expect((await store.summaries(cluster, { fromMs: 1_000 })).entries.map(({ body }) => body)).toEqual(['second', 'third']);
      expect(await store.summaries(cluster, { fromMs: 3_001 })).toEqual({ entries: [] });
      expect(await store.summaries(`${cluster}-other`, { fromMs: 0 })).toEqual({ entries: [] });
      expect(await store.workloads(cluster, { limit: 10 })).toEqual({ keys: [] });
    }),
  );

  test(
    'a summary takes the place of the one before; written twice it is the same',
    on(open, async ({ store }) => {
      const key = aKey();
      await store.putSummary({ key, atMs: 1_000, body: 'before' });
      for (let time = 0; time < 2; time++) await store.putSummary({ key, atMs: 2_000, body: 'after', replacesAtMs: 1_000 });
      expect((await store.summaries(key.cluster, { fromMs: 0 })).entries).toEqual([{ key, atMs: 2_000, body: 'after' }]);
      expect(await failureOf(store.putSummary({ key, atMs: 3_000, body: 'x'.repeat(8 * 1024 + 1) }))).toBeInstanceOf(TerminalError);
    }),
  );

  test(
    'more summaries than one page holds are read page by page, each once',
    on(open, async ({ store }) => {
      const { cluster } = aKey();
      const bodies = Array.from({ length: 300 }, (_, at) => `${at} ${'x'.repeat(4_000)}`);
      await Promise.all(
        bodies.map(async (body, at) => await store.putSummary({ key: aKey({ cluster }), atMs: 1_000 + Math.floor(at / 2), body })),
      );
      const entries: SummaryEntry[] = [];
      let after: string | undefined;
      let pages = 0;
      do {
        const page = await store.summaries(cluster, { fromMs: 1_000, ...(after !== undefined && { after }) });
        entries.push(...page.entries);
        after = page.next;
        pages += 1;
      } while (after !== undefined && pages < 10);
      expect(pages).toBeGreaterThan(1);
      expect(entries.map(({ body }) => body).toSorted()).toEqual(bodies.toSorted());
      expect(entries.map(({ atMs }) => atMs)).toEqual(entries.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
    }),
  );

  test(
    'a summary costs a write unit for each KB, and one more for the removal of the one before',
    on(open, async ({ store }) => {
      const key = aKey();
      store.meter.reset();
      await store.putSummary({ key, atMs: 1_000, body: 'x'.repeat(500) });
      expect(store.meter).toMatchObject({ writeUnits: 1, indexUnits: 0, requests: 1 });
      await store.putSummary({ key, atMs: 2_000, body: 'x'.repeat(500), replacesAtMs: 1_000 });
      expect(store.meter).toMatchObject({ writeUnits: 3, indexUnits: 0, requests: 2 });
      await store.summaries(key.cluster, { fromMs: 1_500 });
      expect(store.meter).toMatchObject({ readUnits: 1, requests: 3 });
    }),
  );
}
