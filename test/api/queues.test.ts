// Queues of many clusters: one call of the API serves them all within the seconds that it has on AWS, and one that is gone stops none (R13).
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { RecordingTelemetry } from '../world/recording-telemetry.ts';
import { toldPasses } from '../../lib/api/passes.ts';
import { formatKey } from '../../lib/objects/workload.ts';
import { encodeWake } from '../../lib/wire/messages.ts';
import { answerRoute } from '../../lib/api/routes/route-table.ts';
import { UnfinishedRedriveError, type QueueName } from '../../lib/ports/queue.ts';
import { embeddedPorts, giveUp, type EmbeddedPorts } from './embedded-ports.ts';

const CLUSTERS = Array.from({ length: 100 }, (_none, at) => `cluster-${at}`);
const GONE = 'relay-cluster-7';

let ports: EmbeddedPorts;
let telemetry: RecordingTelemetry;

beforeEach(async () => {
  telemetry = new RecordingTelemetry();
  ports = { ...(await embeddedPorts(...CLUSTERS)), telemetry };
});
afterEach(() => ports.close());

async function call(method: 'GET' | 'POST', path: string, body?: object, query: Record<string, string> = {}): Promise<unknown> {
  const answer = await answerRoute(ports, { method, path: path.split('/'), query: new URLSearchParams(query), body });
  return 'json' in answer ? answer.json : undefined;
}

/** Its calls to each queue go by way of `before`. */
function everyCall(before: (verb: 'depth' | 'deadLetters' | 'redrive', queue: QueueName) => Promise<void>): void {
  for (const verb of ['depth', 'deadLetters', 'redrive'] as const) {
    const real = ports.queue[verb].bind(ports.queue) as (queue: QueueName, ...rest: never[]) => Promise<unknown>;
    Object.assign(ports.queue, {
      [verb]: async (queue: QueueName, ...rest: never[]) => {
        await before(verb, queue);
        return await real(queue, ...rest);
      },
    });
  }
}

async function leaveDeadLetters(...queues: QueueName[]): Promise<void> {
  for (const queue of queues) {
    await ports.queue.send(queue, [{ body: 'not a message' }]);
    await giveUp(ports, queue);
  }
}

describe('with a hundred clusters', () => {
  test('R13: a redrive waits for no empty queue, and asks many at once', async () => {
    await leaveDeadLetters('events', 'relay-cluster-99');
    const redriven: QueueName[] = [];
    let underWay = 0;
    let most = 0;
    everyCall(async (verb, queue) => {
      if (verb === 'redrive') redriven.push(queue);
      most = Math.max(most, ++underWay);
      await setImmediate();
      underWay -= 1;
    });
    expect(await call('POST', 'v1/dead-letters/redrive')).toEqual({ redriven: 2 });
    expect(redriven.toSorted()).toEqual(['events', 'relay-cluster-99', 'timers', 'wakes']);
    expect(most).toBeGreaterThan(10);
    expect(await ports.queue.depth('relay-cluster-99')).toMatchObject({ visible: 1, dead: 0 });
  });

  test('a redrive whose time is over tells what went back and what is left, and is no failure of ours', async () => {
    await leaveDeadLetters('timers');
    const reason = '50 of its dead letters went back, and there may be more: give the command again';
    everyCall(async (verb, queue) => {
      if (verb === 'redrive' && queue === 'wakes') throw new UnfinishedRedriveError(reason, 50);
    });
    const failed = [{ queue: 'wakes', reason }];
    expect(await call('POST', 'v1/dead-letters/redrive', undefined, { queue: 'wakes' })).toEqual({ redriven: 50, failed });
    expect(await call('POST', 'v1/dead-letters/redrive')).toEqual({ redriven: 51, failed });
    expect(telemetry.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('a dry run names what would go back, or be lost, by queue, and does nothing', async () => {
    await leaveDeadLetters('events', 'relay-cluster-99');
    Object.assign(ports, { actions: 'on' });
    const redriven = (await call('POST', 'v1/dead-letters/redrive', { dryRun: true })) as { planned: { messageIds: string[] } };
    expect(redriven).toMatchObject({
      redriven: 0,
      planned: {
        button: 'Redrive 2',
        text: [expect.stringMatching(/^1 message goes back into events; /), expect.stringMatching(/relay-cluster-99/)],
      },
    });
    const dropped = await call('POST', 'v1/dead-letters/drop', { dryRun: true }, { queue: 'events' });
    expect(dropped).toMatchObject({
      dropped: 0,
      planned: { button: 'Drop 1', text: [expect.stringMatching(/^1 message of events is lost for good: /)] },
    });
    expect((await ports.queue.depth('events')).dead).toBe(1);
    expect(redriven.planned.messageIds).toHaveLength(2);
  });

  test('letters are dropped by their ids alone, where people may act; what is gone is passed over, and who asked is logged', async () => {
    await leaveDeadLetters('events', 'timers');
    await expect(call('POST', 'v1/dead-letters/drop', { dryRun: true })).rejects.toMatchObject({
      status: 403,
      members: { needs: 'actions=on' },
    });
    Object.assign(ports, { actions: 'on' });
    await expect(call('POST', 'v1/dead-letters/drop', {})).rejects.toMatchObject({ status: 400 });
    const { items } = (await call('GET', 'v1/dead-letters', undefined, { queue: 'events' })) as { items: { messageId: string }[] };
    const messageIds = items.map(({ messageId }) => messageId);
    expect(await call('POST', 'v1/dead-letters/drop', { messageIds })).toEqual({ dropped: 1 });
    expect(await call('POST', 'v1/dead-letters/drop', { messageIds })).toEqual({ dropped: 0 });
    expect([(await ports.queue.depth('events')).dead, (await ports.queue.depth('timers')).dead]).toEqual([0, 1]);
    expect(telemetry.lines).toContainEqual(
      expect.objectContaining({ message: 'dead letters dropped', fields: expect.objectContaining({ by: 'somebody', dropped: 1 }) }),
    );
  });

  test('who dropped a message or sent it back stands in the timeline of the workload that it was about', async () => {
    Object.assign(ports, { actions: 'on' });
    const key = { cluster: 'cluster-1', kind: 'Job', namespace: 'default', name: 'demo', uid: 'uid-of-demo' };
    const body = encodeWake({ key: formatKey(key), follows: 'f' });
    for (const at of [1, 2, 3]) {
      await ports.queue.send('wakes', [{ body, groupId: `g${at}`, deduplicationId: `d${at}` }]);
      await giveUp(ports, 'wakes');
    }
    await leaveDeadLetters('timers');
    const letters = (await call('GET', 'v1/dead-letters', undefined, { queue: 'wakes' })) as { items: { messageId: string }[] };
    const [first, second, third] = letters.items.map(({ messageId }) => messageId);
    expect(third).toBeDefined();
    expect(await call('POST', 'v1/dead-letters/drop', { messageIds: [first, 'one-that-is-gone'] })).toEqual({ dropped: 1 });
    expect(await call('POST', 'v1/dead-letters/redrive', { messageIds: [second] })).toEqual({ redriven: 1 });
    const passes = toldPasses(await ports.recorder.passes(key, 9));
    expect(passes.map(({ by, why, actions }) => [by, ...why, actions[0]?.target])).toEqual([
      ['somebody', 'somebody sent a message about it back to be handled again', second],
      ['somebody', 'somebody dropped a message about it', first],
    ]);
    expect(passes[1]?.actions[0]?.why).toMatch(
      /^from the dead letters of wakes, sent 20.*: it can be read, but handling it failed each time/,
    );
  });

  describe('and a queue of one that is half removed', () => {
    const failed = [{ queue: GONE, reason: 'there is no such queue' }];
    beforeEach(() =>
      everyCall(async (_verb, queue) => {
        if (queue === GONE) throw new Error('there is no such queue');
      }),
    );

    test('R13: the others are listed', async () => {
      const { items } = (await call('GET', 'v1/queues')) as { items: { name: string }[] };
      expect(items).toHaveLength(102);
      expect(await call('GET', 'v1/queues')).toMatchObject({ failed });
      expect(telemetry.lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'queue did not answer' }));
    });

    test('R13: the dead letters of the others are shown and go back, by name too', async () => {
      await leaveDeadLetters('relay-cluster-6', 'relay-cluster-8');
      const listed = (await call('GET', 'v1/dead-letters')) as { items: { messageId: string }[] };
      expect(listed).toMatchObject({ items: [{ queue: 'relay-cluster-6' }, { queue: 'relay-cluster-8' }], failed });
      const messageIds = listed.items.slice(0, 1).map(({ messageId }) => messageId);
      expect(await call('POST', 'v1/dead-letters/redrive', { messageIds })).toEqual({ redriven: 1, failed });
      expect(await call('POST', 'v1/dead-letters/redrive')).toEqual({ redriven: 1, failed });
    });
  });
});
