// A message that cannot be read now cannot be read in a minute either. It goes to the dead letters without waiting, and is logged and
// counted once.
import type { Ports } from '../../ports/ports.ts';
import type { QueueName, ReceivedMessage } from '../../ports/queue.ts';
import { LaterBuildError } from '../../wire/words/undecodable.ts';

/** The properties of a message that the loop needs. */
export type Delivery = Pick<ReceivedMessage, 'messageId' | 'receiptHandle' | 'body' | 'receiveCount' | 'sentAtMs'> &
  Partial<Pick<ReceivedMessage, 'senderId'>>;

/**
 * Gives the message back to the queue at once, so that it soon reaches the limit of deliveries (R13). The caller reports it as one that
 * must come back. Never throws: if the queue does not answer, the message comes back after its visibility time-out.
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
  // Another build can read it, if it comes back by itself until then. So its deliveries spread over some minutes, not a second.
  if (fields['error'] instanceof LaterBuildError) return;
  try {
    await queue.changeVisibility(name, receiptHandle, 0);
  } catch (error) {
    telemetry.warn('unreadable message not given back, it comes again by itself', { queue: name, messageId, error });
  }
}
