// FIFO: order within a group, deduplication, and what a message in flight holds back.
import { expect, test } from '@jest/globals';
import { on } from '../own-adapter.ts';
import type { QueueDifferences, QueueUnderTest } from './receiving.ts';
import { aWake, bodiesOf, firstOf, handlesOf, receiveNow, receiveSome, unique, VISIBILITY_SECONDS } from './receiving.ts';

export function groupsContract(open: () => Promise<QueueUnderTest>, differences: QueueDifferences): void {
  test(
    'R9: FIFO: a second message with the same id in a group is accepted and dropped, also after the first is gone',
    on(open, async (under) => {
      const group = unique('group');
      const deduplicationId = unique('id');
      await under.queue.send('wakes', [
        { body: 'first', groupId: group, deduplicationId },
        { body: 'twin', groupId: group, deduplicationId },
      ]);
      await under.queue.send('wakes', [{ body: 'again', groupId: group, deduplicationId }]);
      const first = await receiveSome(under, 'wakes', 1);
      expect(bodiesOf(first)).toEqual(['first']);
      await under.queue.delete('wakes', handlesOf(first));
      await under.queue.send('wakes', [{ body: 'after', groupId: group, deduplicationId }, aWake(group, 'other id')]);
      expect(bodiesOf(await receiveSome(under, 'wakes', 1))).toEqual(['other id']);
    }),
  );

  test(
    'FIFO: deduplication is per group',
    on(open, async (under) => {
      const deduplicationId = unique('id');
      for (const group of ['a', 'b']) await under.queue.send('wakes', [{ body: group, groupId: unique(group), deduplicationId }]);
      const received = await receiveSome(under, 'wakes', differences.deduplicationAcrossGroups ? 1 : 2);
      expect(new Set(bodiesOf(received))).toEqual(new Set(differences.deduplicationAcrossGroups ? ['a'] : ['a', 'b']));
      expect(await receiveNow(under.queue, 'wakes')).toEqual([]);
    }),
  );

  if (!differences.realTime)
    test(
      'FIFO: an id counts for five minutes and no longer',
      on(open, async (under) => {
        const message = { body: 'one', groupId: 'g', deduplicationId: 'd' };
        await under.queue.send('wakes', [message]);
        await under.pass(4 * 60_000 + 59_000);
        await under.queue.send('wakes', [message]);
        expect(await under.queue.depth('wakes')).toMatchObject({ visible: 1 });
        await under.pass(1_000);
        await under.queue.send('wakes', [message]);
        expect(await under.queue.depth('wakes')).toMatchObject({ visible: 2 });
      }),
    );

  test(
    'R8: FIFO: order within a group, and none of it while one is in flight; other groups go on',
    on(open, async (under) => {
      const [a, b] = [unique('a'), unique('b')];
      await under.queue.send('wakes', [aWake(a, 'a1'), aWake(a, 'a2'), aWake(b, 'b1')]);
      // One at a time; which group comes first is nobody's promise.
      const heads = [...(await receiveSome(under, 'wakes', 1)), ...(await receiveSome(under, 'wakes', 1))];
      expect(new Set(bodiesOf(heads))).toEqual(new Set(['a1', 'b1']));
      expect(await receiveNow(under.queue, 'wakes')).toEqual([]);
      await under.queue.delete('wakes', handlesOf(heads.filter(({ body }) => body === 'a1')));
      expect(bodiesOf(await receiveSome(under, 'wakes', 1))).toEqual(['a2']);
    }),
  );

  test(
    'FIFO: one batch may hold several of a group, in order; the group waits for all of them',
    on(open, async (under) => {
      const group = unique('group');
      for (const body of ['1', '2', '3', '4']) await under.queue.send('wakes', [aWake(group, body)]);
      const batch = await receiveNow(under.queue, 'wakes', 3, VISIBILITY_SECONDS);
      expect(bodiesOf(batch)).toEqual(['1', '2', '3']);
      await under.queue.delete('wakes', handlesOf(batch.slice(0, 2)));
      expect(await receiveNow(under.queue, 'wakes')).toEqual([]);
      await under.pass(VISIBILITY_SECONDS * 1000 + 200);
      expect(bodiesOf(await receiveSome(under, 'wakes', 2))).toEqual(['3', '4']);
    }),
  );

  test(
    'R9: FIFO: a failed head of a group blocks it until its visibility ends, and comes first again',
    on(open, async (under) => {
      const group = unique('group');
      await under.queue.send('wakes', [aWake(group, 'head')]);
      const first = await receiveSome(under, 'wakes', 1, VISIBILITY_SECONDS);
      await under.queue.send('wakes', [aWake(group, 'next')]);
      expect(await receiveNow(under.queue, 'wakes')).toEqual([]);
      await under.pass(VISIBILITY_SECONDS * 1000 + 200);
      const again = await receiveSome(under, 'wakes', 1);
      expect(again[0]).toMatchObject({ body: 'head', receiveCount: 2, messageId: firstOf(first).messageId });
      await under.queue.delete('wakes', handlesOf(again));
      expect(bodiesOf(await receiveSome(under, 'wakes', 1))).toEqual(['next']);
    }),
  );

  test(
    'FIFO: a handle whose time-out has passed deletes nothing that was received since',
    on(open, async (under) => {
      await under.queue.send('wakes', [aWake(unique('group'), 'one')]);
      const old = firstOf(await receiveSome(under, 'wakes', 1, 1));
      await under.pass(1_100);
      const current = firstOf(await receiveSome(under, 'wakes', 1, VISIBILITY_SECONDS));
      await under.queue.delete('wakes', [old.receiptHandle]);
      await under.pass(VISIBILITY_SECONDS * 1000 + 100);
      expect(firstOf(await receiveSome(under, 'wakes', 1))).toMatchObject({ messageId: current.messageId, receiveCount: 3 });
    }),
  );
}
