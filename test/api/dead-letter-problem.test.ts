// What `dlq list` says is wrong with a dead letter: a sentence each, whichever queue it lies behind.
import { expect, test } from '@jest/globals';
import { problemOf } from '../../lib/api/dead-letter-problem.ts';
import type { QueueName } from '../../lib/ports/queue.ts';

const KEY = 'west/Job/default/demo/uid';
const cases: [QueueName, string, string][] = [
  ['events', 'plain text', 'the body is no base64'],
  ['events', 'eyJub3QiOiJvdXJzIn0', 'version 123 is not known here; known are 1'],
  ['wakes', 'plain text', 'the wake is no JSON'],
  ['wakes', '{}', 'the wake has an unusable form: neither a wake nor a look at a cluster'],
  ['wakes', '{"key":"nonsense","follows":"f"}', '"nonsense" is not the key of a workload'],
  ['timers', JSON.stringify({ key: KEY, follows: 'f', version: 2 }), 'timer of version 2; this build reads up to version 1'],
  ['wakes', JSON.stringify({ key: KEY, follows: 'f' }), 'it can be read, but handling it failed each time: the log says why'],
  ['timers', '[]', 'the timer has an unusable form: neither a delayed wake, nor a doubt, nor a look for stale heads'],
  ['timers', '['.repeat(17), 'the timer is nested deeper than 16'],
  ['timers', '{"__proto__":1}', 'the timer has a key "__proto__"'],
  ['relay-west', 'x'.repeat(4_097), 'ask of 4097 characters; at most 4096 are read'],
];

test.each(cases)('%s: %s: %s', (queue, body, sentence) => {
  expect(problemOf(queue, body)).toBe(sentence);
});
