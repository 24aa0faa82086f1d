// Queues and dead letters in the API's answers.
import * as v from 'valibot';
import { count, text, time } from './values.ts';

export const Queue = v.object({
  name: text,
  visible: count,
  inFlight: count,
  delayed: count,
  dead: count,
  oldestSentTime: v.exactOptional(time),
});

export const DeadLetter = v.object({
  queue: text,
  messageId: text,
  sentTime: time,
  bytes: count,
  problem: v.pipe(text, v.description('Why it could not be handled.')),
  body: v.pipe(text, v.description('The first 2,000 characters. Empty for commands, because they hold pod templates.')),
});

/** Of a dry run. */
export const planned = v.exactOptional(
  v.object({
    text: v.pipe(v.array(text), v.description('What would happen: sentences.')),
    button: v.pipe(text, v.description('What a button for it says.')),
    messageIds: v.pipe(v.array(text), v.description('The letters that are meant and there: 1,000 at most of each queue.')),
  }),
);

/** Queues that did not answer. The other queues' answers are in the same response. */
export const failed = v.exactOptional(v.array(v.object({ queue: text, reason: text })));
