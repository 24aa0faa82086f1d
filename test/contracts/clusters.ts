// What every Clusters promises.
import { describe, expect, test } from '@jest/globals';
import type { ClusterRecord, Clusters } from '../../lib/ports/clusters.ts';
import { StaleWriteError } from '../../lib/ports/store.ts';
import { failureOf } from '../claims.ts';

export const aCluster = (name: string, change: Partial<ClusterRecord> = {}): Omit<ClusterRecord, 'version'> => ({
  name,
  era: 0,
  manages: ['jobs'],
  namespaces: [],
  senders: ['local'],
  budget: { writesPerSecond: 50, burst: 100 },
  ...change,
});

export function clustersContract(name: string, open: () => Promise<Clusters>): void {
  describe(`clusters contract: ${name}`, () => {
    test('a new record gets version 1, the next one more, and comes back whole', async () => {
      const clusters = await open();
      expect(await clusters.get('one')).toBeUndefined();
      expect(await clusters.list()).toEqual([]);
      const first = await clusters.put(aCluster('one'), 0);
      expect(first).toEqual({ ...aCluster('one'), version: 1 });
      const changed = aCluster('one', { era: 2, kubeSystemUid: 'uid', manages: ['all-jobs'], namespaces: ['a', 'b'], access: 'relayed' });
      expect(await clusters.put(changed, 1)).toEqual({ ...changed, version: 2 });
      expect(await clusters.get('one')).toEqual({ ...changed, version: 2 });
    });

    test('several words of --manage come back as they were written, with one that no kind has', async () => {
      const clusters = await open();
      const record = aCluster('one', { manages: ['all-jobs', 'unheard-of'] });
      await clusters.put(record, 0);
      expect((await clusters.list())[0]).toEqual({ ...record, version: 1 });
    });

    test('R8: a record that changed meanwhile is not overwritten; what stands there comes with the refusal', async () => {
      const clusters = await open();
      await clusters.put(aCluster('one', { era: 1 }), 0);
      for (const expectedVersion of [0, 2]) {
        const error = await failureOf(clusters.put(aCluster('one', { era: 9 }), expectedVersion));
        expect(error).toBeInstanceOf(StaleWriteError);
        expect(error).toMatchObject({ current: { era: 1, version: 1 } });
      }
      expect(await failureOf(clusters.put(aCluster('two'), 4))).toMatchObject({ name: 'StaleWriteError', current: undefined });
      expect(await clusters.list()).toMatchObject([{ name: 'one', era: 1 }]);
    });

    test('all are listed; one knows nothing of another', async () => {
      const clusters = await open();
      for (const cluster of ['b', 'a', 'c']) await clusters.put(aCluster(cluster), 0);
      await clusters.put(aCluster('b', { era: 1 }), 1);
      expect(await clusters.list()).toMatchObject([
        { name: 'a', era: 0 },
        { name: 'b', era: 1, version: 2 },
        { name: 'c', era: 0 },
      ]);
    });

    test('what was handed out is a copy', async () => {
      const clusters = await open();
      await clusters.put(aCluster('one'), 0);
      for (const record of await clusters.list()) record.era = 77;
      expect(await clusters.get('one')).toMatchObject({ era: 0 });
    });
  });
}
