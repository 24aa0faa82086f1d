// Records of an SQS event, in the words of the queue's port, and who sent them (R15).
import type { SQSRecord } from 'aws-lambda';
import type { ReceivedMessage } from '../../ports/queue.ts';

/** Attribute of a dead letter that was sent again: who had sent it first. */
export const SENT_BY = 'sentBy';

/**
 * To SQS a dead letter that goes back one by one is a message of the principal that sends it again. Only the redriver may name another
 * sender: anybody can write attributes.
 * @param named the message's attribute `sentBy`
 * @param redriver unique id of the role that sends dead letters again, where there is one
 */
export const senderOf = (senderId: string, named: string | undefined, redriver: string | undefined): string =>
  named !== undefined && redriver !== undefined && roleOf(senderId) === redriver ? named : senderId;

/** A role's sender is `id:session`, and sessions come and go: the role is what is registered. */
export const roleOf = (senderId: string): string => senderId.split(':', 1)[0] ?? '';

/** The message that a record holds. @param redriver as in senderOf */
export const messageOf = (
  { messageId, receiptHandle, body, attributes, messageAttributes }: SQSRecord,
  redriver?: string,
): Pick<ReceivedMessage, 'messageId' | 'receiptHandle' | 'body' | 'receiveCount' | 'sentAtMs' | 'senderId'> => ({
  messageId,
  receiptHandle,
  body,
  receiveCount: Number(attributes.ApproximateReceiveCount),
  sentAtMs: Number(attributes.SentTimestamp),
  senderId: roleOf(senderOf(attributes.SenderId, messageAttributes[SENT_BY]?.stringValue, redriver)),
});
