// Records of an SQS event, in the words of the queue's port.
import type { SQSRecord } from 'aws-lambda';
import type { ReceivedMessage } from '../ports/queue.ts';

/** What a record tells of its message. */
export const messageOf = ({
  messageId,
  receiptHandle,
  body,
  attributes,
}: SQSRecord): Pick<ReceivedMessage, 'messageId' | 'receiptHandle' | 'body' | 'receiveCount' | 'sentAtMs' | 'senderId'> => ({
  messageId,
  receiptHandle,
  body,
  receiveCount: Number(attributes.ApproximateReceiveCount),
  sentAtMs: Number(attributes.SentTimestamp),
  // A role's sender is `id:session`, and sessions come and go: the role is what is registered (R15).
  senderId: attributes.SenderId.split(':', 1)[0] ?? '',
});
