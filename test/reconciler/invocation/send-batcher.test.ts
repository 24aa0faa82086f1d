// Messages of several tasks in few requests.
import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from '../../world/virtual-clock.ts';
import type { OutgoingMessage, QueueName } from '../../../lib/ports/queue.ts';
import { SendsTogether } from '../../../lib/reconciler/invocation/send-batcher.ts';

function aQueue(refuses: (bodies: string[]) => boolean = () => false) {
  const requests: string[][] = [];
  const accepted: string[] = [];
  return {
    requests,
    accepted,
    send: async (name: QueueName, messages: readonly OutgoingMessage[]): Promise<void> => {
      const bodies = messages.map(({ body }) => `${name} ${body}`);
      requests.push(bodies);
      if (refuses(bodies)) throw new Error('not accepted');
      accepted.push(...bodies);
    },
  };
}

const wake = (body: string): OutgoingMessage[] => [{ body, groupId: body }];

describe('sends together', () => {
  test('what all tasks send at about the same time is one request for each ten', async () => {
    const queue = aQueue();
    const sends = new SendsTogether(queue, new VirtualClock());
    await Promise.all(Array.from({ length: 25 }, (_, at) => sends.task(async () => await sends.send('wakes', wake(String(at))))));
    expect(queue.requests.map(({ length }) => length).toSorted((a, b) => b - a)).toEqual([10, 10, 5]);
    expect(new Set(queue.accepted).size).toBe(25);
  });

  test('a task that has ended, or sends nothing, keeps nobody waiting', async () => {
    const queue = aQueue();
    const sends = new SendsTogether(queue, new VirtualClock());
    await Promise.all([
      sends.task(async () => {}),
      sends.task(async () => await sends.send('wakes', wake('one'))),
      sends.task(async () => {
        await sends.send('timers', wake('two'));
        await sends.send('wakes', wake('three'));
      }),
    ]);
    expect(queue.accepted.toSorted()).toEqual(['timers two', 'wakes one', 'wakes three']);
  });

  test('R13: a slow task keeps the others for a moment only', async () => {
    const queue = aQueue();
    const clock = new VirtualClock();
    const sends = new SendsTogether(queue, clock);
    let proceed: () => void = () => {};
    const slow = sends.task(async () => await new Promise<void>((resolve) => (proceed = resolve)));
    const quick = sends.task(async () => await sends.send('wakes', wake('quick')));
    await clock.advance(5);
    expect(queue.accepted).toEqual([]);
    await clock.advance(20);
    expect(queue.accepted).toEqual(['wakes quick']);
    await quick;
    proceed();
    await slow;
  });

  test('R13: a message that the queue does not take fails its own task alone', async () => {
    const queue = aQueue((bodies) => bodies.some((body) => body.includes('bad')));
    const sends = new SendsTogether(queue, new VirtualClock());
    const outcomes = await Promise.allSettled(
      ['good', 'bad', 'better'].map((body) => sends.task(async () => await sends.send('wakes', wake(body)))),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(queue.accepted.toSorted()).toEqual(['wakes better', 'wakes good']);
  });

  test('R9: nothing is taken for sent before the queue has accepted it', async () => {
    let accept: () => void = () => {};
    const held = new Promise<void>((resolve) => (accept = resolve));
    const sends = new SendsTogether({ send: async () => await held }, new VirtualClock());
    let isSent = false;
    const task = sends.task(async () => {
      await sends.send('wakes', wake('one'));
      isSent = true;
    });
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(isSent).toBe(false);
    accept();
    await task;
    expect(isSent).toBe(true);
  });
});
