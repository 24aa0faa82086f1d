// What the adapters make of a service that refuses, fails or is cut off: a small server stands for both services.
import { createServer, type ServerResponse } from 'node:http';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DynamoDbStore } from '../../../lib/adapters/dynamodb/dynamodb-store.ts';
import { SqsQueue } from '../../../lib/adapters/sqs/sqs-queue.ts';
import { NotDoneError, ThrottledError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import { failureOf } from '../../claims.ts';
import { aHead, aKey } from '../../contracts/store/workloads.ts';
import { listening, type Listening } from '../../listening.ts';

let service: Listening;
let answer: (response: ServerResponse) => void = (response) => response.end('{}');

beforeAll(async () => {
  service = await listening(
    createServer((request, response) => {
      request.resume();
      request.on('end', () => answer(response));
    }),
  );
});
afterAll(async () => await service.stop());

const json =
  (status: number, body: object): ((response: ServerResponse) => void) =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(body));
  };

const refusal = (status: number, type: string): ((response: ServerResponse) => void) =>
  json(status, { __type: `com.amazonaws.service#${type}`, message: 'in their words' });

const settings = (
  url: string,
): { endpoint: string; region: string; credentials: { accessKeyId: string; secretAccessKey: string }; maxAttempts: number } => ({
  endpoint: url,
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  maxAttempts: 1,
});

const storeAt = (url = service.url): DynamoDbStore => new DynamoDbStore({ client: new DynamoDBClient(settings(url)), tableName: 't' });
const queueAt = (url = service.url): SqsQueue =>
  new SqsQueue({ client: new SQSClient(settings(url)), urls: { events: { url: `${url}/1/events`, deadLetterUrl: `${url}/1/dead` } } });

const key = aKey();

const write = (): Promise<unknown> => failureOf(storeAt().updateHead(key, { ifFence: 'f' }, { floor: '2' }));
const read = (): Promise<unknown> => failureOf(storeAt().readHead(key));

describe('DynamoDbStore', () => {
  test('throttling says when to come again', async () => {
    answer = refusal(400, 'ProvisionedThroughputExceededException');
    for (const error of [await write(), await read()]) {
      expect(error).toBeInstanceOf(ThrottledError);
      expect(error).toMatchObject({ retryAfterSeconds: 1 });
    }
    expect(String(await write())).toMatch(/writing the head of cluster-.*: ProvisionedThroughputExceededException: in their words/);
  });

  test('R6: a write that failed inside or was cut off has an unknown outcome, a read was simply not done', async () => {
    answer = refusal(500, 'InternalServerError');
    expect(await write()).toBeInstanceOf(UnknownOutcomeError);
    expect(await read()).toBeInstanceOf(NotDoneError);
    answer = (response) => response.destroy();
    expect(await write()).toBeInstanceOf(UnknownOutcomeError);
    expect(await failureOf(storeAt().putItem(key, { name: 'a', bytes: new Uint8Array(1) }, 0))).toBeInstanceOf(UnknownOutcomeError);
    expect(await failureOf(storeAt().createHead(aHead(key)))).toBeInstanceOf(UnknownOutcomeError);
    expect(await read()).toBeInstanceOf(NotDoneError);
  });

  test('R6: what was never sent was not done', async () => {
    expect(await failureOf(storeAt('http://127.0.0.1:9').updateHead(key, {}, { floor: '2' }))).toBeInstanceOf(NotDoneError);
  });

  test('a refusal that is none of these keeps its words and its cause', async () => {
    answer = refusal(400, 'ResourceNotFoundException');
    const error = await read();
    expect(String(error)).toMatch(/^Error: reading head of .*: ResourceNotFoundException: in their words/);
    expect(error).toHaveProperty('cause');
  });

  test('view items that a batch leaves unanswered are asked for again, then given up as throttled', async () => {
    let asked = 0;
    const unprocessed = { t: { Keys: [{ pk: { S: 'x' }, sk: { S: 'item#a' } }] } };
    answer = (response) => {
      asked++;
      json(200, { Responses: { t: [] }, UnprocessedKeys: unprocessed })(response);
    };
    expect(await failureOf(storeAt().readItems(key, ['a']))).toBeInstanceOf(ThrottledError);
    expect(asked).toBe(4);
  });
});

describe('SqsQueue', () => {
  test('a batch that was taken in part fails, and names what was not taken', async () => {
    answer = json(200, {
      Successful: [],
      Failed: [{ Id: '1', Code: 'InternalError', Message: 'try later', SenderFault: false }],
    });
    const error = await failureOf(queueAt().send('events', [{ body: 'a' }, { body: 'b' }]));
    expect(String(error)).toBe('Error: sending to the queue events: 1 of 2 messages failed: message 2 (InternalError: try later)');
    expect(await failureOf(queueAt().delete('events', ['h', 'i']))).toMatchObject({
      message: expect.stringContaining('deleting from the queue events'),
    });
  });

  test('a handle that stands for nothing any more is no failure', async () => {
    answer = json(200, { Successful: [], Failed: [{ Id: '0', Code: 'ReceiptHandleIsInvalid', SenderFault: true }] });
    await queueAt().delete('events', ['h']);
    answer = refusal(400, 'MessageNotInflight');
    await queueAt().changeVisibility('events', 'h', 0);
    expect(await failureOf(queueAt().delete('events', ['h']))).toBeInstanceOf(Error);
  });

  test('R6: cut off, throttled, out of reach', async () => {
    answer = (response) => response.destroy();
    expect(await failureOf(queueAt().send('events', [{ body: 'a' }]))).toBeInstanceOf(UnknownOutcomeError);
    answer = refusal(400, 'RequestThrottled');
    expect(await failureOf(queueAt().send('events', [{ body: 'a' }]))).toBeInstanceOf(ThrottledError);
    expect(await failureOf(queueAt('http://127.0.0.1:9').send('events', [{ body: 'a' }]))).toBeInstanceOf(NotDoneError);
  });

  test('a queue without a URL is named, with those that have one', async () => {
    expect(String(await failureOf(queueAt().send('wakes', [{ body: 'a', groupId: 'g', deduplicationId: 'd' }])))).toBe(
      'Error: the queue wakes has no URL: known are events',
    );
  });
});
