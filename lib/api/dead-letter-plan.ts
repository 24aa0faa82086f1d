// Says before what would become of dead letters that go back, or are dropped: how many, of which queues, and what is lost with them. The ids are part of it,
// so that what is asked for then is about these letters and no others.
import { counted } from '../kinds/rows/reasons.ts';
import type { QueueName } from '../ports/queue.ts';
import type { DeadLetterSummary } from './queues.ts';

export interface PlannedLetters {
  text: string[];
  button: string;
  messageIds: string[];
}

type Letter = Pick<DeadLetterSummary, 'queue' | 'messageId'>;

/** @param letters those that are there and meant */
export function plannedLetters(letters: readonly Letter[], verb: 'redrive' | 'drop'): PlannedLetters {
  const text = [...Map.groupBy(letters, ({ queue }) => queue)].map(([queue, { length }]) =>
    verb === 'redrive'
      ? `${messagesText(length)} ${length === 1 ? 'goes' : 'go'} back into ${queue}; what cannot be handled comes back here.`
      : `${messagesText(length)} of ${queue} ${length === 1 ? 'is' : 'are'} lost for good: ${lostWith(queue)}.`,
  );
  return {
    text:
      letters.length === 0
        ? [verb === 'redrive' ? 'No dead letter goes back: there is none.' : 'No dead letter is dropped: there is none.']
        : text,
    button: `${verb === 'redrive' ? 'Redrive' : 'Drop'} ${letters.length}`,
    messageIds: letters.map(({ messageId }) => messageId),
  };
}

/** @param queue of this version or another's */
function lostWith(queue: string): string {
  switch (queue as QueueName) {
    case 'events':
      return 'what relays told in them of workloads they tell again when the digests of a heartbeat differ; answers to commands and questions, which nobody waits for any more, go';
    case 'wakes':
      return 'the workloads are looked at again when something happens to them, or by the sweep; answers to questions go';
    case 'timers':
      return 'what was due is found by the sweep';
    default:
      return 'passes that waited for these commands have given up, and decide anew';
  }
}

const messagesText = (count: number): string => counted(count, 'message', 'messages');
