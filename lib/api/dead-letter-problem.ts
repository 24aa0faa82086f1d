// Explains a dead letter by decoding it again. This version may understand a message that an older version could not handle.
import type { WorkloadKey } from '../objects/workload.ts';
import type { DeadLetter, QueueName } from '../ports/queue.ts';
import { decodeCommands, isCommands } from '../wire/commands.ts';
import { decodeEvents, type ReadEvents } from '../wire/events.ts';
import { decodeAsk, decodeTimer, decodeWake } from '../wire/messages.ts';
import type { QuestionsMessage } from '../wire/questions.ts';
import { readKey } from '../reconciler/invocation/known-kinds.ts';
import type { DelayedMessage, WakingMessage } from '../wire/words/observations.ts';
import { TooMuchError, UnknownKindError } from '../wire/words/undecodable.ts';

/** One answer may explain a thousand dead letters, so unpack no more of each than takes a few milliseconds. */
const UNPACKED_BYTES_MAX = 262_144;

/** @param letter with the beginning of its body. @returns one sentence without a full stop */
export function problemOf(queue: QueueName, { body, bytes }: Pick<DeadLetter, 'body' | 'bytes'>): string {
  if (bytes > Buffer.byteLength(body)) return `it has ${bytes} bytes, more than is looked into here: the log says why it was not handled`;
  try {
    read(queue, body);
  } catch (error) {
    if (error instanceof TooMuchError) return `${error.message}, and no more is looked into here: the log says why it was not handled`;
    return error instanceof Error ? error.message : String(error);
  }
  return 'it can be read, but handling it failed each time: the log says why';
}

/** @returns the workload that the message is about; undefined where it is about none, about several, or cannot be read */
export function workloadIn(queue: QueueName, body: string): WorkloadKey | undefined {
  try {
    const message = queue === 'wakes' ? decodeWake(body) : queue === 'timers' ? decodeTimer(body) : undefined;
    const key = message && ('key' in message ? message.key : 'doubt' in message ? message.doubt : undefined);
    return key === undefined ? undefined : readKey(key);
  } catch {
    return undefined;
  }
}

/** @throws UndecodableMessageError */
function read(queue: QueueName, body: string): void {
  if (queue === 'events') checkEvents(decodeEvents(body, { unpackedBytes: UNPACKED_BYTES_MAX }));
  else if (queue === 'wakes') checkWaking(decodeWake(body));
  else if (queue === 'timers') checkDelayed(decodeTimer(body));
  else if (isCommands(body)) decodeCommands(body, UNPACKED_BYTES_MAX);
  else decodeAsk(body);
}

function checkEvents({ unknownKind }: ReadEvents): void {
  if (unknownKind !== undefined) throw new UnknownKindError('a report', unknownKind);
}

function checkWaking(message: WakingMessage | QuestionsMessage): void {
  if (!('look' in message)) readKey(message.key);
}

function checkDelayed(message: DelayedMessage): void {
  if (!('look' in message)) readKey('doubt' in message ? message.doubt : message.key);
}
