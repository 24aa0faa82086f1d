// When a message was handed out, told by clocks that differ and by a relay that stood still (R17).
import { describe, expect, test } from '@jest/globals';
import { HandedOut } from '../../../lib/relay/commands/handed-out.ts';

const QUEUE_MS = 1_767_225_600_000;

describe('R17: when the queue handed out what a relay has received', () => {
  test('is now, for the first message and for those that come at once', () => {
    const handedOut = new HandedOut();
    for (const nowMs of [5_000, 6_000, 90_000]) expect(handedOut.at(QUEUE_MS + nowMs - 20, nowMs)).toBe(nowMs);
  });

  test('is before the relay stood still', () => {
    const handedOut = new HandedOut();
    handedOut.at(QUEUE_MS + 1_000, 1_000);
    expect(handedOut.at(QUEUE_MS + 2_000, 32_000)).toBe(2_000);
    expect(handedOut.at(QUEUE_MS + 33_000, 33_000)).toBe(33_000);
  });

  test.each([-60_000, 60_000])('is now again after a clock was set by %d ms: at once or at the third message', (byMs) => {
    const handedOut = new HandedOut();
    handedOut.at(QUEUE_MS + 1_000, 1_000);
    for (const nowMs of [2_000, 3_000]) handedOut.at(QUEUE_MS + byMs + nowMs, nowMs);
    expect(handedOut.at(QUEUE_MS + byMs + 4_000, 4_000)).toBe(4_000);
  });

  test('slow drift of a clock refuses nothing', () => {
    const handedOut = new HandedOut();
    for (let nowMs = 0; nowMs < 100_000_000; nowMs += 1_000_000) expect(handedOut.at(QUEUE_MS + nowMs * 0.999_9, nowMs)).toBe(nowMs);
  });
});
