// The queues of the soak as its relay sees them: through the adapter for SQS, over HTTP, out of the embedded queue.
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { SqsQueue } from '../../lib/adapters/sqs/sqs-queue.ts';
import { until } from '../claims.ts';
import type { QueueService } from './queue-service.ts';
import { queueUrlAt, startQueueService } from './queue-service.ts';

const embedded = EmbeddedQueue.open({ senderId: 'local' });
let client: SQSClient;
let service: QueueService;
let queue: SqsQueue;

beforeAll(async () => {
  service = await startQueueService(embedded, 0);
  const endpoint = `http://127.0.0.1:${service.port}`;
  client = new SQSClient({ endpoint, region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } });
  const urlsOf = (name: 'events' | 'relay-far'): { url: string; deadLetterUrl: string } => ({
    url: queueUrlAt(service.port, name),
    deadLetterUrl: '',
  });
  queue = new SqsQueue({ client, urls: { events: urlsOf('events'), 'relay-far': urlsOf('relay-far') } });
});

afterAll(async () => {
  client.destroy();
  await service.stop();
  embedded.close();
});

test('what is sent arrives with its group and its sender', async () => {
  await queue.send('events', [
    { body: 'one – ünï', groupId: 'far' },
    { body: 'two', groupId: 'far' },
  ]);
  expect(await embedded.receive('events', { max: 10, waitSeconds: 0, visibilitySeconds: 30 })).toMatchObject([
    { body: 'one – ünï', groupId: 'far', senderId: 'local' },
    { body: 'two', groupId: 'far', senderId: 'local' },
  ]);
});

test('an ask is received while it is waited for, given back, received again, deleted', async () => {
  const receive = async (): ReturnType<SqsQueue['receive']> =>
    await queue.receive('relay-far', { max: 10, waitSeconds: 20, visibilitySeconds: 30 });
  const waiting = receive();
  await embedded.send('relay-far', [{ body: 'ask' }]);
  const [first] = await waiting;
  expect(first).toMatchObject({ body: 'ask', receiveCount: 1, senderId: 'local' });
  await queue.changeVisibility('relay-far', first?.receiptHandle ?? '', 0);
  const [second] = await receive();
  expect(second).toMatchObject({ body: 'ask', receiveCount: 2 });
  await queue.delete('relay-far', [second?.receiptHandle ?? '']);
  expect(await embedded.depth('relay-far')).toMatchObject({ visible: 0, inFlight: 0 });
});

test('whoever goes away while waiting takes nothing along', async () => {
  const leaving = new AbortController();
  const waiting = queue.receive('relay-far', { max: 10, waitSeconds: 20, visibilitySeconds: 30, signal: leaving.signal });
  await until('it waits', () => service.waiting === 1);
  leaving.abort();
  expect(await waiting).toEqual([]);
  await until('nobody waits', () => service.waiting === 0);
  await embedded.send('relay-far', [{ body: 'ask' }]);
  expect(await embedded.depth('relay-far')).toMatchObject({ visible: 1, inFlight: 0 });
});
