// Bytes that somebody could put where Farloop reads: into its queues, and into the table. Each is of a seed.
import type { QueueName } from '../../lib/ports/queue.ts';
import { LARGE_MESSAGES } from './large-messages.ts';

type Random = () => number;

const between = (random: Random, least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
const oneOf = <Value>(random: Random, values: readonly Value[]): Value => values[between(random, 0, values.length - 1)] as Value;

export const bytesOf = (random: Random, most: number): Buffer =>
  Buffer.from(Array.from({ length: between(random, 1, most) }, () => between(random, 0, 255)));

/** With a byte or some turned into others, cut off, or with something behind. */
function damaged(random: Random, sound: Uint8Array): Buffer {
  const bytes = Buffer.from(sound);
  for (let left = between(random, 1, 6); left > 0; left--) bytes[between(random, 0, bytes.length - 1)] = between(random, 0, 255);
  const shorter = random() < 0.2 ? bytes.subarray(0, between(random, 1, bytes.length)) : bytes;
  return random() < 0.1 ? Buffer.concat([shorter, bytesOf(random, 40)]) : shorter;
}

const ODD_VALUES: readonly unknown[] = [
  null,
  -1,
  0.5,
  1e300,
  2 ** 53,
  '',
  '__proto__',
  '../..',
  'x'.repeat(700),
  [],
  {},
  true,
  '\u0000',
  '\u202e',
];

/** A sound message of JSON with one of its fields made odd. */
function odd(random: Random, sound: string): string {
  const message = JSON.parse(sound) as Record<string, unknown>;
  message[oneOf(random, [...Object.keys(message), 'version', 'look', 'doubt', 'owner'])] = oneOf(random, ODD_VALUES);
  return JSON.stringify(message);
}

/** SQS takes no other characters, and neither does the embedded queue. */
const sendable = (text: string): string => text.replaceAll(/[^\t\n\r -~]/gu, '?') || '?';

export interface SoundMessages {
  /** Of the registered cluster. */
  events: string;
  wake: string;
  timer: string;
  ask: string;
}

/** @param relayQueue of the registered cluster */
export function oddMessage(random: Random, sound: SoundMessages, relayQueue: QueueName): { queue: QueueName; body: string } {
  const queue = oneOf<QueueName>(random, ['events', 'events', 'wakes', 'timers', relayQueue]);
  if (random() < 0.2) return { queue, body: sendable(bytesOf(random, 3_000).toString('latin1')) };
  if (queue === 'events') {
    if (random() < 0.4) return { queue, body: (LARGE_MESSAGES[oneOf(random, Object.keys(LARGE_MESSAGES))] ?? (() => ''))() };
    return { queue, body: damaged(random, Buffer.from(sound.events, 'base64')).toString('base64') };
  }
  const text = queue === 'wakes' ? sound.wake : queue === 'timers' ? sound.timer : sound.ask;
  return { queue, body: random() < 0.5 ? odd(random, text) : sendable(damaged(random, Buffer.from(text)).toString('latin1')) };
}
