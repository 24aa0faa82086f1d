// What cannot be read now cannot be read in a minute either: it goes to the dead letters without waiting, told and counted once.
import type { Ports } from '../ports/ports.ts';
import type { QueueName, ReceivedMessage } from '../ports/queue.ts';
import { LaterBuildError } from '../wire/undecodable.ts';

/** What the parts of the loop need to know of a message. */
export type Delivery = Pick<ReceivedMessage, 'messageId' | 'receiptHandle' | 'body' | 'receiveCount' | 'sentAtMs'>;

/**
 * Gives it back to the queue at once, where it soon has come too often (R13). The caller reports it as one that must come back.
 * Never throws: if the queue does not answer, the message comes back by itself after its visibility time-out.
 */
export async function giveBackUnreadable(
  { queue, telemetry }: Pick<Ports, 'queue' | 'telemetry'>,
  name: QueueName,
  { messageId, receiptHandle, receiveCount }: Omit<Delivery, 'body' | 'sentAtMs'>,
  fields: Record<string, unknown>,
): Promise<void> {
  if (receiveCount <= 1) {
    const isNewer = fields['error'] instanceof LaterBuildError;
    const says = isNewer
      ? 'message of a later build: it comes back some times for functions of that build, and then goes to the dead letters'
      : 'message cannot be read: it goes to the dead letters, "farloop dlq list" shows them';
    telemetry.error(says, {
      queue: name,
      messageId,
      ...fields,
    });
    telemetry.count('UnreadableMessages', 1, 'Count');
  }
  // Another build reads it, if it comes back by itself until then: the tries of some minutes, not of a second.
  if (fields['error'] instanceof LaterBuildError) return;
  try {
    await queue.changeVisibility(name, receiptHandle, 0);
  } catch (error) {
    telemetry.warn('unreadable message not given back, it comes again by itself', { queue: name, messageId, error });
  }
}
