// R15: to SQS a dead letter that is sent again is a message of whoever sends it. That must neither make it a foreign one, nor anybody's own.
import type { ReceiveMessageCommandOutput, SendMessageBatchCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { SqsQueue } from '../../lib/adapters/sqs/sqs-queue.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { wirelessSqs } from './wireless-sqs.ts';

type Letters = NonNullable<ReceiveMessageCommandOutput['Messages']>;
type Entry = NonNullable<SendMessageBatchCommandInput['Entries']>[number];

const REDRIVER = 'AROAREDRIVER';
const url = 'https://sqs.eu-central-1.amazonaws.com/123456789012';

let client: SQSClient;
let letters: Letters;
let sent: Entry[];
let asked: string[];

/** A queue of dead letters and the one that they go back to. */
beforeEach(() => {
  [letters, sent, asked] = [[], [], []];
  client = wirelessSqs((commandName, input) => {
    asked.push(commandName);
    if (commandName === 'SendMessageBatchCommand') sent.push(...(Reflect.get(input, 'Entries') as Entry[]));
    const Messages = commandName === 'ReceiveMessageCommand' ? letters.splice(0, 10) : [];
    return { Attributes: { QueueArn: 'arn' }, Messages, Results: [{ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 0 }] };
  });
});
afterEach(() => client.destroy());

const letter = (id: number, SenderId: string, sentBy?: string): Letters[number] => ({
  MessageId: `letter-${id}`,
  ReceiptHandle: `handle-${id}`,
  Body: `body-${id}`,
  Attributes: { SenderId, MessageGroupId: 'staging' },
  ...(sentBy !== undefined && { MessageAttributes: { sentBy: { DataType: 'String', StringValue: sentBy } } }),
});
const open = (redriver?: string): SqsQueue =>
  new SqsQueue({
    client,
    urls: {
      events: { url: `${url}/events`, deadLetterUrl: `${url}/dead` },
      timers: { url: `${url}/timers`, deadLetterUrl: `${url}/dead` },
    },
    ...(redriver !== undefined && { redriver }),
  });
const sentBy = ({ MessageAttributes }: Entry): string | undefined => MessageAttributes?.['sentBy']?.StringValue;

test('R15: events go back in the name of who had sent them, by tens; no move task, which would not tell it', async () => {
  letters.push(...Array.from({ length: 12 }, (_, id) => letter(id, `AROASTAGING:session-${id}`)));
  expect(await open(REDRIVER).redrive('events')).toBe(12);
  expect(sent.map((entry) => [entry.MessageBody, entry.MessageGroupId, sentBy(entry)])).toEqual(
    Array.from({ length: 12 }, (_, id) => [`body-${id}`, 'staging', `AROASTAGING:session-${id}`]),
  );
  expect(asked.filter((name) => name === 'SendMessageBatchCommand')).toHaveLength(2);
  expect(asked).not.toContain('StartMessageMoveTaskCommand');
});

test('R15: dead once more it keeps the name; what a sender says of itself is not believed', async () => {
  letters.push(letter(1, `${REDRIVER}:api`, 'AROASTAGING:session'), letter(2, 'AROAFOREIGN:session', 'AROASTAGING:session'));
  expect(await open(REDRIVER).redrive('events', ['letter-1', 'letter-2'])).toBe(2);
  expect(sent.map(sentBy)).toEqual(['AROASTAGING:session', 'AROAFOREIGN:session']);
});

test('those that are passed over lie there again at once', async () => {
  letters.push(...Array.from({ length: 12 }, (_, id) => letter(id, 'AROASTAGING:session')));
  expect(await open(REDRIVER).redrive('events', ['letter-11'])).toBe(1);
  expect(asked.filter((name) => name === 'ChangeMessageVisibilityCommand')).toHaveLength(11);
});

test('dropped ones are deleted and sent nowhere; the others lie there again at once', async () => {
  letters.push(...Array.from({ length: 12 }, (_, id) => letter(id, 'AROASTAGING:session')));
  expect(await open(REDRIVER).drop('events', ['letter-3', 'letter-11'])).toBe(2);
  expect(sent).toEqual([]);
  expect(asked.filter((name) => name === 'DeleteMessageBatchCommand')).toHaveLength(2);
  expect(asked.filter((name) => name === 'ChangeMessageVisibilityCommand')).toHaveLength(10);
});

test('of other queues nobody asks who sends: all at once by a move task', async () => {
  letters.push(letter(1, 'AROATIMERS:timers'));
  expect(await open(REDRIVER).redrive('timers')).toBe(1);
  expect(asked[1]).toBe('StartMessageMoveTaskCommand');
  expect(sent.map(sentBy)).toEqual([undefined]);
});

describe('whoever asks over the API hears of it before the gateway gives up, after 29 s', () => {
  let nowMs: number;
  const queue = (answer: (commandName: string) => object): SqsQueue => {
    nowMs = 0;
    client = wirelessSqs((commandName) => {
      nowMs += 50;
      return answer(commandName);
    });
    const clock = Object.assign(new SystemClock(), {
      monotonicMs: () => nowMs,
      wait: async (ms: number) => void (nowMs += ms),
    });
    return new SqsQueue({
      client,
      clock,
      redriver: REDRIVER,
      urls: {
        events: { url: `${url}/events`, deadLetterUrl: `${url}/dead` },
        wakes: { url: `${url}/wakes.fifo`, deadLetterUrl: `${url}/dead.fifo` },
      },
    });
  };

  /** However many are received, there are more. */
  const deep = (otherwise: object = {}): SqsQueue => {
    let id = 0;
    return queue((commandName) =>
      commandName === 'ReceiveMessageCommand'
        ? { Messages: Array.from({ length: 10 }, () => letter(++id, 'AROASTAGING:session')) }
        : otherwise,
    );
  };

  test('of a move task that SQS takes long for', async () => {
    const slow = queue(() => ({ Attributes: { QueueArn: 'arn' }, Results: [{ Status: 'RUNNING' }] }));
    await expect(slow.redrive('wakes')).rejects.toThrow('SQS is still at it after 20 s, and goes on');
    expect(nowMs).toBeLessThan(25_000);
  });

  test('of a move task, what has been moved until then', async () => {
    const slow = queue(() => ({
      Attributes: { QueueArn: 'arn' },
      Results: [{ Status: 'RUNNING', ApproximateNumberOfMessagesMoved: 700 }],
    }));
    await expect(slow.redrive('wakes')).rejects.toMatchObject({ moved: 700, message: expect.stringMatching(/^700 of its dead letters/) });
  });

  test('given again, of the move task that goes on: SQS begins no second one', async () => {
    let status = 'RUNNING';
    const slow = queue((commandName) => {
      if (commandName === 'StartMessageMoveTaskCommand')
        throw Object.assign(new Error('There is already a task running. Only one active task is allowed for a source queue arn.'), {
          name: 'InvalidParameterValue',
        });
      if (nowMs > 5_000) status = 'COMPLETED';
      return { Attributes: { QueueArn: 'arn' }, Results: [{ Status: status, ApproximateNumberOfMessagesMoved: 700 }] };
    });
    expect(await slow.redrive('wakes')).toBe(700);
    expect(nowMs).toBeLessThan(10_000);
  });

  test('of what a move task leaves behind, together with what it has moved', async () => {
    const full = deep({ Attributes: { QueueArn: 'arn' }, Results: [{ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 50_000 }] });
    const error: unknown = await full.redrive('wakes').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      moved: expect.any(Number),
      message: expect.stringMatching(/^5\d{4} of its dead letters went back, and/),
    });
    expect(Number(Object(error).moved)).toBeGreaterThan(50_000);
  });

  test('of more dead letters than go back one by one in that time', async () => {
    const full = deep();
    await expect(full.redrive('events')).rejects.toThrow(/^\d{4} of its dead letters went back, and there may be more/);
    expect(nowMs).toBeLessThan(25_000);
  });

  test('of one among more dead letters than can be looked at and given back in that time', async () => {
    const full = deep();
    await expect(full.redrive('events', ['letter-none'])).rejects.toThrow(/^0 of its dead letters went back, and there may be more/);
    expect(nowMs).toBeLessThan(25_000);
  });

  test('of a thousand that are looked at: none is given back that lies there again by itself', async () => {
    const full = deep();
    expect(await full.deadLetters('events', 1_000)).toHaveLength(1_000);
    expect(nowMs).toBeLessThan(20_000);
  });
});
