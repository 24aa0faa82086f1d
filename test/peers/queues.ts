// SqsQueue on queues of a peer, made anew for every test.
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { SqsQueue } from '../../lib/adapters/sqs/sqs-queue.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { QueueName } from '../../lib/ports/queue.ts';
import type { QueueUnderTest } from '../contracts/queue/receiving.ts';

const MAX_RECEIVE_COUNT = 3;
const NAMES: readonly QueueName[] = ['events', 'wakes', 'timers', 'relay-a'];

let made = 0;

export async function openSqsQueue(endpoint: string, senderId: string, fifoAttributes: Record<string, string>): Promise<QueueUnderTest> {
  const client = new SQSClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
  const clock = new SystemClock();
  const test = `t${process.pid}-${made++}`;
  const create = async (name: string, fifo: boolean, attributes: Record<string, string>): Promise<string> => {
    const { QueueUrl: url } = await client.send(
      new CreateQueueCommand({
        QueueName: fifo ? `${name}.fifo` : name,
        Attributes: { ...attributes, ...(fifo ? { FifoQueue: 'true', ...fifoAttributes } : {}) },
      }),
    );
    if (url === undefined) throw new Error(`the queue ${name} was made without a URL`);
    return url;
  };
  const urls: Partial<Record<QueueName, { url: string; deadLetterUrl: string }>> = {};
  for (const name of NAMES) {
    const fifo = name === 'wakes';
    const deadLetterUrl = await create(`${test}-${name}-dead`, fifo, {});
    const { Attributes: attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: deadLetterUrl, AttributeNames: ['QueueArn'] }),
    );
    const redrive = JSON.stringify({ deadLetterTargetArn: attributes?.QueueArn, maxReceiveCount: MAX_RECEIVE_COUNT });
    urls[name] = { deadLetterUrl, url: await create(`${test}-${name}`, fifo, { RedrivePolicy: redrive, MaximumMessageSize: '1048576' }) };
  }
  return {
    queue: new SqsQueue({ client, urls, clock }),
    nowMs: () => clock.nowMs(),
    pass: (ms) => clock.wait(ms),
    maxReceiveCount: MAX_RECEIVE_COUNT,
    senderId,
    close: async () => client.destroy(),
  };
}
