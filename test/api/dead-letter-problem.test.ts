// What `dlq list` says is wrong with a dead letter: a sentence each, whichever queue it lies behind.
import { expect, test } from '@jest/globals';
import { deflateRawSync } from 'node:zlib';
import { problemOf } from '../../lib/api/dead-letter-problem.ts';
import type { QueueName } from '../../lib/ports/queue.ts';
import { packPods } from '../../lib/wire/packing/columns.ts';
import { seal } from '../../lib/wire/packing/envelope.ts';

const KEY = 'west/Job/default/demo/uid';
const cases: [QueueName, string, string][] = [
  ['events', 'plain text', 'the body is no base64'],
  ['events', 'eyJub3QiOiJvdXJzIn0', 'version 123 is not known here; known are 1, 2'],
  ['wakes', 'plain text', 'the wake is no JSON'],
  ['wakes', '{}', 'the wake has an unusable form: neither a wake, nor a look at a cluster, its nodes or a run, nor questions'],
  ['wakes', '{"key":"nonsense","follows":"f"}', '"nonsense" is not the key of a workload'],
  ['timers', JSON.stringify({ key: KEY, follows: 'f', version: 3 }), 'timer of version 3; this build reads up to version 2'],
  ['wakes', JSON.stringify({ key: KEY, follows: 'f' }), 'it can be read, but handling it failed each time: the log says why'],
  ['timers', '[]', 'the timer has an unusable form: neither a delayed wake, nor a doubt, nor a look for stale heads or at a run'],
  ['timers', '['.repeat(17), 'the timer is nested deeper than 16'],
  ['timers', '{"__proto__":1}', 'the timer has a key "__proto__"'],
  ['relay-west', 'x'.repeat(4_097), 'ask of 4097 characters; at most 4096 are read'],
];

test.each(cases)('%s: %s: %s', (queue, body, sentence) => {
  expect(problemOf(queue, { body, bytes: Buffer.byteLength(body) })).toBe(sentence);
});

test('of a long one the head is at hand alone', () =>
  expect(problemOf('events', { body: 'AAAA', bytes: 1_048_576 })).toBe(
    'it has 1048576 bytes, more than is looked into here: the log says why it was not handled',
  ));

test('of what unpacks to megabytes no more is unpacked than tells little', () => {
  const text = JSON.stringify({ reports: 'x'.repeat(1_000_000) });
  const body = Buffer.from(seal({ header: text, pods: packPods([]) })).toString('base64');
  expect(problemOf('events', { body, bytes: body.length })).toBe(
    'it unpacks to more than 262144 bytes, and no more is looked into here: the log says why it was not handled',
  );
  const commands = `commands:${deflateRawSync(text).toString('base64')}`;
  expect(problemOf('relay-west', { body: commands, bytes: commands.length })).toMatch(/^it unpacks to more than 262144 bytes/);
});
