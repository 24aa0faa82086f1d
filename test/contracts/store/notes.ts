// What is kept by cluster: notes, and parts of answers.
import { expect, test } from '@jest/globals';
import { TerminalError } from '../../../lib/ports/errors.ts';
import { failureOf } from '../../claims.ts';
import { on } from '../own-adapter.ts';
import type { StoreUnderTest } from './workloads.ts';
import { aKey, bytesOf, staleOf } from './workloads.ts';

export function notesContract(open: () => Promise<StoreUnderTest>): void {
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
}
