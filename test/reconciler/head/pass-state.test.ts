// What passes leave each other in the head: packed without loss, small, and refused as a whole when anything in it is not ours (R1).
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PassState } from '../../../lib/reconciler/head/pass-state.ts';
import { NO_INTENTS, decodeState, encodeState, hasIntents, initialState, statusDigestOf } from '../../../lib/reconciler/head/pass-state.ts';
import { shareOf } from '../../storm-share.ts';

const child = fc.record({ slot: fc.nat(100_000), number: fc.nat(1_000) });
/** As plans give them: runs of neighbours, alone or with gaps, numbers equal or counting up. */
const children = fc
  .array(fc.record({ from: fc.nat(10_000), count: fc.integer({ min: 1, max: 40 }), number: fc.nat(50), step: fc.constantFrom(0, 1, 2) }), {
    maxLength: 6,
  })
  .map((runs) =>
    runs.flatMap(({ from, count, number, step }) =>
      Array.from({ length: count }, (_, at) => ({ slot: from + at, number: number + step * at })),
    ),
  );
/** Neighbours whose numbers differ a little: where a run ends is easily got wrong. */
const neighbours = fc
  .array(fc.integer({ min: 0, max: 2 }), { maxLength: 20 })
  .map((numbers) => numbers.map((number, slot) => ({ slot, number })));
const named = fc.oneof(children, neighbours, fc.array(fc.oneof(child, fc.uuid()), { maxLength: 12 }));

const states: fc.Arbitrary<PassState> = fc
  .record(
    {
      listedEra: fc.nat(9),
      statusDigest: fc.constant('0123456789abcdef'),
      statusWrittenAtMs: fc.nat(),
      hold: fc.record(
        { failures: fc.nat(20), untilMs: fc.nat(), generation: fc.nat(9), verb: fc.constantFrom('create', 'delete'), room: fc.nat(99) },
        { requiredKeys: ['failures', 'untilMs'] },
      ),
      park: fc.record({ failures: fc.nat(20), untilMs: fc.nat(), reason: fc.string({ maxLength: 40 }), generation: fc.nat(9) }),
      foreign: fc.record({ strikes: fc.nat(3), seenAtMs: fc.nat() }),
      events: fc.record({ left: fc.nat(25), atMs: fc.nat() }),
      ran: fc.record({ of: fc.nat(100_000), lengths: fc.constant('4/21:3,17,,2') }),
      fell: fc.record(
        {
          first: fc.record(
            { pod: fc.string(), container: fc.string(), exitCode: fc.nat(255), reason: fc.constant('OOMKilled'), at: fc.nat() },
            { requiredKeys: ['pod', 'container', 'exitCode', 'at'] },
          ),
          lastAt: fc.nat(),
          followed: fc.nat(9),
          withinSeconds: fc.nat(60),
          followedExitCode: fc.nat(255),
        },
        { requiredKeys: ['first', 'lastAt', 'followed', 'withinSeconds'] },
      ),
    },
    { requiredKeys: [] },
  )
  .chain((rest) =>
    fc
      .record({
        create: fc.oneof(children, neighbours, fc.array(child, { maxLength: 12 })),
        delete: named,
        strip: named,
        atMs: fc.nat(),
        ordinal: fc.nat(99),
        failures: fc.nat(9),
      })
      .map(({ create, delete: deletes, strip, atMs, ordinal, failures }): PassState => {
        const intents = { atMs, create, delete: deletes, strip };
        return {
          ...rest,
          ordinal,
          backoff: { failures, ...(failures > 0 && { succeeded: ordinal }) },
          intents: hasIntents(intents) ? intents : NO_INTENTS,
        };
      }),
  );

describe('packing', () => {
  test('R5: whatever is written is read back', () => {
    fc.assert(
      fc.property(states, (state) => expect(decodeState(encodeState(state))).toEqual(state)),
      { numRuns: shareOf(300, 4) },
    );
  });

  test('what is kept for people alone takes 200 bytes at most, and is forgotten where it cannot be read', () => {
    const fell = {
      first: { pod: 'llama-oom-worker-3', container: 'pytorch', exitCode: 137, reason: 'OOMKilled', at: 1_790_000_284 },
      lastAt: 1_790_000_293,
      followed: 6,
      withinSeconds: 9,
      followedExitCode: 1,
    };
    const ran = { of: 9_997, lengths: '4/18:3,120,910,4100,3900,760,150,40,9,4,1' };
    const text = encodeState({ ...initialState(), fell, ran });
    expect(text.length - encodeState(initialState()).length).toBeLessThanOrEqual(200);
    expect(decodeState(text)).toEqual({ ...initialState(), fell, ran });
    const odd = { ...(JSON.parse(text) as object), f: ['a', 1], ran: 'long' };
    expect(decodeState(JSON.stringify(odd))).toEqual(initialState());
  });

  test('a wave of 500 creates of an Indexed Job, or of 500 numbered ones, takes less than 1 KB', () => {
    const wave = (numbered: boolean): PassState => ({
      ...initialState(),
      intents: {
        atMs: 1_700_000_000_000,
        create: Array.from({ length: 500 }, (_, at) => ({ slot: 7_000 + at, number: numbered ? 7_000 + at : 3 })),
        delete: [],
        strip: Array.from({ length: 500 }, (_, at) => ({ slot: at, number: 0 })),
      },
    });
    for (const numbered of [false, true]) expect(encodeState(wave(numbered)).length).toBeLessThan(1_024);
  });

  test.each([
    'not json',
    'null',
    '{}',
    '{"ordinal":-1,"backoff":{"failures":0}}',
    '{"ordinal":0,"backoff":{"failures":0},"i":{"a":1,"c":[[0,1000000,0,0]],"d":[],"s":[]}}',
    '{"ordinal":0,"backoff":{"failures":0},"i":{"a":1,"c":[[0,1,0,7]],"d":[],"s":[]}}',
    '{"ordinal":0.5,"backoff":{"failures":0}}',
    '{"ordinal":0,"backoff":{"failures":1e30}}',
    '{"ordinal":0,"backoff":{"failures":2147483648}}',
  ])('R1: %s is no state: the workload is unknown', (text) => expect(decodeState(text)).toBeUndefined());
});

describe('R18: the digest of a status', () => {
  const status = { active: 2, conditions: [{ type: 'A' }, { type: 'B' }], uncountedTerminatedPods: {} };

  test('R18: is the same in any order of keys, and whether what is empty is there or not', () => {
    expect(statusDigestOf({ conditions: [{ type: 'A' }, { type: 'B' }], active: 2 })).toBe(statusDigestOf(status));
    expect(statusDigestOf(undefined)).toBe(statusDigestOf({}));
  });

  test.each([
    { ...status, active: 3 },
    { ...status, conditions: [{ type: 'B' }, { type: 'A' }] },
    { ...status, uncountedTerminatedPods: { succeeded: ['u'] } },
    { ...status, succeeded: 0 },
  ])('R18: tells %j apart', (other) => expect(statusDigestOf(other)).not.toBe(statusDigestOf(status)));
});

test('what a kind keeps beside failures in a row and beside the reason of a failure is carried, as the build before wrote it', () => {
  const backoff = { failures: 1, lastFailureTime: '2026-05-01T10:00:00Z', succeeded: 2 };
  const failure = { reason: 'MaxFailedIndexesExceeded', message: 'too many', failedIndexes: '1,3-5', generation: 1 };
  const text = JSON.stringify({ ordinal: 0, backoff, failure });
  expect(decodeState(text)).toEqual({ ordinal: 0, backoff, failure, intents: NO_INTENTS });
  expect(JSON.parse(encodeState({ ...initialState(), backoff, failure }))).toEqual({ ordinal: 0, backoff, failure });
});
