// What is wrong with a dead letter, as it is read now: a newer version may understand what an older one buried.
import { parseKey } from '../objects/workload.ts';
import type { QueueName } from '../ports/queue.ts';
import { decodeCommands, isCommands } from '../wire/commands.ts';
import { decodeEvents } from '../wire/events.ts';
import { decodeAsk, decodeTimer, decodeWake } from '../wire/messages.ts';
import type { DelayedMessage, WakingMessage } from '../wire/observations.ts';

/** One sentence without a full stop. */
export function problemOf(queue: QueueName, body: string): string {
  try {
    read(queue, body);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'it can be read, but handling it failed each time: the log says why';
}

/** @throws UndecodableMessageError; Error when its key is none */
function read(queue: QueueName, body: string): void {
  if (queue === 'events') decodeEvents(body);
  else if (queue === 'wakes') checkWaking(decodeWake(body));
  else if (queue === 'timers') checkDelayed(decodeTimer(body));
  else if (isCommands(body)) decodeCommands(body);
  else decodeAsk(body);
}

function checkWaking(message: WakingMessage): void {
  if (!('look' in message)) checkKey(message.key);
}

function checkDelayed(message: DelayedMessage): void {
  if (!('look' in message)) checkKey('doubt' in message ? message.doubt : message.key);
}

function checkKey(text: string): void {
  if (!parseKey(text)) throw new Error(`"${text}" is not the key of a workload`);
}
