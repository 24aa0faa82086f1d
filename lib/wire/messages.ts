// Wakes, timers and asks: small JSON messages between our own parts, read as strictly as everybody else's.
// What comes through the timers queue is a delayed wake, a doubt about a view, or a look for stale heads.
import * as v from 'valibot';
import { WORKLOAD_KINDS } from '../objects/workload.ts';
import type { DelayedMessage, RelayAsk, WakeMessage } from './observations.ts';

const LONGEST_BODY = 4_096;

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(600));
const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const Wake = v.strictObject({ key: text, follows: text });
const Timer = v.strictObject({ key: text, follows: text, dueAtMs: wholeNumber, attempt: wholeNumber });
const Doubt = v.strictObject({ doubt: text, told: text, seen: text });
const StaleLook = v.strictObject({ look: v.literal('stale'), dueAtMs: wholeNumber });
const Delayed = v.union([Timer, Doubt, StaleLook]);
const Ask = v.variant('ask', [
  v.strictObject({
    ask: v.literal('everything'),
    era: wholeNumber,
    after: v.optional(v.strictObject({ session: text, sequence: wholeNumber })),
  }),
  v.strictObject({
    ask: v.literal('workload'),
    owner: v.strictObject({ kind: v.picklist(WORKLOAD_KINDS), namespace: text, name: text, uid: text }),
  }),
]);

export const encodeWake = (wake: WakeMessage): string => JSON.stringify(wake);
export const encodeTimer = (timer: DelayedMessage): string => JSON.stringify(timer);
export const encodeAsk = (ask: RelayAsk): string => JSON.stringify(ask);

/** @throws UndecodableMessageError */
export const decodeWake = (body: string): WakeMessage => decode(body, Wake, 'a wake');
export const decodeTimer = (body: string): DelayedMessage => decode(body, Delayed, 'a timer');
export const decodeAsk = (body: string): RelayAsk => decode(body, Ask, 'an ask');

/** A message that cannot be read: it is never guessed at, and ends as a dead letter. */
export class UndecodableMessageError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'UndecodableMessageError';
  }
}

function decode<Message>(body: string, schema: v.GenericSchema<unknown, Message>, what: string): Message {
  if (body.length > LONGEST_BODY)
    throw new UndecodableMessageError(`${what} of ${body.length} characters; at most ${LONGEST_BODY} are read`);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), body);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new UndecodableMessageError(`not ${what}: ${v.getDotPath(issue) ?? 'body'}: ${issue.message}`);
}
