// R15: to SQS a dead letter that is sent again is a message of whoever sends it. That must neither make it a foreign one, nor anybody's own.
import type { ReceiveMessageCommandOutput, SendMessageBatchCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { SqsQueue } from '../../lib/adapters/sqs-queue.ts';
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

test('of other queues nobody asks who sends: all at once by a move task', async () => {
  letters.push(letter(1, 'AROATIMERS:timers'));
  expect(await open(REDRIVER).redrive('timers')).toBe(1);
  expect(asked[1]).toBe('StartMessageMoveTaskCommand');
  expect(sent.map(sentBy)).toEqual([undefined]);
});
