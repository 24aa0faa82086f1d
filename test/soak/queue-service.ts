// A queue as a service: what a relay in a process of its own asks of SQS, word by word, answered from any queue of ours.
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Queue, QueueName, ReceivedMessage } from '../../lib/ports/queue.ts';

/** Of SQS's own requests: the fields that a relay sends. */
interface Asked {
  QueueUrl: string;
  Entries?: { Id: string; MessageBody?: string; MessageGroupId?: string; ReceiptHandle?: string }[];
  ReceiptHandle?: string;
  MaxNumberOfMessages?: number;
  WaitTimeSeconds?: number;
  VisibilityTimeout?: number;
}

export interface QueueService {
  port: number;
  /** Requests that are not answered yet. */
  readonly waiting: number;
  stop: () => Promise<void>;
}

const ACCOUNT = '000000000000';

/** The URL of a queue there. */
export const queueUrlAt = (port: number, queue: QueueName): string => `http://127.0.0.1:${port}/${ACCOUNT}/${queue}`;

/** @param port 0: any free one */
export async function startQueueService(queue: Queue, port: number): Promise<QueueService> {
  let waiting = 0;
  const server = createServer((request, response) => {
    waiting += 1;
    void answer(queue, request, response)
      .catch((error: unknown) => {
        response.statusCode = 500;
        response.end(JSON.stringify({ __type: 'InternalFailure', message: String(error) }));
      })
      .finally(() => (waiting -= 1));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    get waiting() {
      return waiting;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return address.port;
}

async function answer(queue: Queue, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Whoever was killed while waiting gets nothing: it would lie with the dead until its time is over.
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  let text = '';
  for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  const asked: Asked = JSON.parse(text);
  const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
  const told = await perform(queue, action, asked, gone.signal);
  response.statusCode = told ? 200 : 400;
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  response.end(JSON.stringify(told ?? { __type: 'InvalidAction', message: `no relay asks for ${action}` }));
}

async function perform(queue: Queue, action: string, asked: Asked, signal: AbortSignal): Promise<object | undefined> {
  const name = asked.QueueUrl.slice(asked.QueueUrl.lastIndexOf('/') + 1) as QueueName;
  const { Entries: entries = [], ReceiptHandle: handle = '', VisibilityTimeout: seconds = 30 } = asked;
  switch (action) {
    case 'SendMessageBatch':
      await queue.send(
        name,
        entries.map(({ MessageBody: body = '', MessageGroupId: groupId }) => ({ body, ...(groupId !== undefined && { groupId }) })),
      );
      return {
        Successful: entries.map(({ Id, MessageBody: body = '' }) => ({ Id, MessageId: randomUUID(), MD5OfMessageBody: md5Of(body) })),
        Failed: [],
      };
    case 'ReceiveMessage': {
      const { MaxNumberOfMessages: max = 1, WaitTimeSeconds: waitSeconds = 0 } = asked;
      const messages = await queue.receive(name, { max, waitSeconds, visibilitySeconds: seconds, signal });
      return { Messages: messages.map(messageOf) };
    }
    case 'DeleteMessageBatch':
      await queue.delete(
        name,
        entries.map(({ ReceiptHandle: own = '' }) => own),
      );
      return { Successful: entries.map(({ Id }) => ({ Id })), Failed: [] };
    case 'ChangeMessageVisibility':
      await queue.changeVisibility(name, handle, seconds);
      return {};
    default:
      return undefined;
  }
}

const messageOf = ({ messageId, receiptHandle, body, receiveCount, sentAtMs, groupId, senderId }: ReceivedMessage): object => ({
  MessageId: messageId,
  ReceiptHandle: receiptHandle,
  Body: body,
  MD5OfBody: md5Of(body),
  Attributes: {
    ApproximateReceiveCount: String(receiveCount),
    SentTimestamp: String(sentAtMs),
    SenderId: senderId,
    ...(groupId !== undefined && { MessageGroupId: groupId }),
  },
});

const md5Of = (body: string): string => createHash('md5').update(body).digest('hex');
