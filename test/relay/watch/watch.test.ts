// The watch as a state machine: what is asked next, and after how long.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { WatchEffect, WatchInput, WatchState } from '../../../lib/relay/watch/watch.ts';
import { initialWatch, step, WATCH_OPTIONS } from '../../../lib/relay/watch/watch.ts';

/** Feeds inputs, each at its second, and tells the effects of the last one. */
function after(inputs: (WatchInput & { atMs?: number })[], random = 0.5): { state: WatchState; effects: WatchEffect[] } {
  let stepped: { state: WatchState; effects: WatchEffect[] } = { state: initialWatch, effects: [] };
  let nowMs = 1_000;
  for (const { atMs, ...input } of inputs) {
    nowMs = atMs ?? nowMs;
    stepped = step(stepped.state, input, { nowMs, random });
  }
  return stepped;
}

const list: WatchInput = { kind: 'list' };
const lastPage: WatchInput = { kind: 'page', resourceVersion: '100' };
const broken: WatchInput = { kind: 'failed', failure: { kind: 'broken' } };
const expired: WatchInput = { kind: 'failed', failure: { kind: 'expired' } };
const tick: WatchInput = { kind: 'tick' };
const end: WatchInput = { kind: 'end' };
const waitOf = (effects: readonly WatchEffect[]): number => effects.reduce((ms, effect) => (effect.do === 'wait' ? effect.ms : ms), -1);

describe('a watch', () => {
  test('begins with a list, page by page, at the lowest of their versions', () => {
    expect(after([list]).effects).toEqual([{ do: 'begin' }, { do: 'list' }]);
    expect(after([list, { kind: 'page', resourceVersion: '101', continueToken: 'more' }]).effects).toEqual([
      { do: 'list', continueToken: 'more' },
    ]);
    const { effects } = after([list, { kind: 'page', resourceVersion: '101', continueToken: 'more' }, lastPage]);
    expect(effects).toEqual([
      { do: 'listed', resourceVersion: '100' },
      { do: 'watch', resourceVersion: '100', timeoutSeconds: 360 },
    ]);
  });

  test('is resumed from the newest version heard when the server ends it, bookmarks included', () => {
    const { effects } = after([
      list,
      lastPage,
      { kind: 'event', resourceVersion: '120' },
      { kind: 'bookmark', resourceVersion: '150' },
      end,
    ]);
    expect(effects).toEqual([{ do: 'look' }]);
  });

  test('R3: before it is resumed the server is looked at: one that is older than what was heard is listed anew', () => {
    const ended: WatchInput[] = [list, lastPage, { kind: 'event', resourceVersion: '120' }, end];
    const below: WatchInput = { kind: 'seen', resourceVersion: '119' };
    expect(after([...ended, below]).effects).toEqual([{ do: 'wait', ms: 300 }]);
    // One of several API servers lagged.
    expect(after([...ended, below, tick, { kind: 'seen', resourceVersion: '120' }]).effects).toMatchObject([{ do: 'watch' }, {}]);
    expect(after([...ended, below, tick, below]).effects).toEqual([
      { do: 'restored', from: '120', to: '119' },
      { do: 'begin' },
      { do: 'list' },
    ]);
    // It has caught up meanwhile, or is the same as ever: only a comparison tells.
    expect(after([...ended, { kind: 'seen', resourceVersion: '120' }]).effects).toMatchObject([
      { do: 'watch', resourceVersion: '120' },
      { do: 'compare' },
    ]);
    const inTime: (WatchInput & { atMs?: number })[] = [list, lastPage, { kind: 'bookmark', resourceVersion: '130', atMs: 360_000 }];
    expect(after([...inTime, { ...end, atMs: 361_000 }, { kind: 'seen', resourceVersion: '130' }]).effects).toMatchObject([
      { do: 'watch', resourceVersion: '130' },
    ]);
    // What cannot be looked at is not taken for anything: it is tried again.
    expect(after([...ended, broken]).effects).toEqual([{ do: 'wait', ms: expect.any(Number) }]);
    expect(after([...ended, broken, tick]).effects).toEqual([{ do: 'look' }]);
  });

  test('that ends at once without a word waits before it is opened again', () => {
    const { effects } = after([list, lastPage, { ...end, atMs: 1_010 }]);
    expect(effects).toEqual([{ do: 'wait', ms: expect.any(Number) }]);
  });

  test('that is forgotten (410) becomes a list', () => {
    const forgotten = [list, lastPage, expired];
    expect(after(forgotten).effects).toEqual([{ do: 'wait', ms: 500 }]);
    expect(after([...forgotten, tick]).effects).toEqual([{ do: 'begin' }, { do: 'list' }]);
  });

  test('R3: takes a list below what it had heard as it is', () => {
    const { state } = after([list, lastPage, expired, tick, { kind: 'page', resourceVersion: '40' }]);
    expect(state.version).toBe('40');
  });

  test('that breaks is resumed after a wait, and each wait is drawn from a wider range', () => {
    const inputs: WatchInput[] = [list, lastPage];
    const waits = Array.from({ length: 12 }, () => {
      inputs.push(broken);
      const ms = waitOf(after(inputs, 0.9).effects);
      inputs.push(tick);
      return ms;
    });
    expect(waits[0]).toBeGreaterThanOrEqual(WATCH_OPTIONS.firstBackoffMs);
    expect(waits.at(-1)).toBeGreaterThan(WATCH_OPTIONS.longestBackoffMs / 2);
    expect(Math.max(...waits)).toBeLessThanOrEqual(WATCH_OPTIONS.longestBackoffMs);
    expect(after(inputs).effects).toEqual([{ do: 'look' }]);
    inputs.push({ kind: 'seen', resourceVersion: '100' });
    expect(after(inputs).effects).toMatchObject([{ do: 'watch', resourceVersion: '100' }, { do: 'compare' }]);
    expect(after([...inputs, { kind: 'event', resourceVersion: '101' }]).state.backoffMs).toBe(0);
  });

  describe('that fails twice at one version never takes it up a third time', () => {
    const seen = (resourceVersion = '100'): WatchInput[] => [tick, { kind: 'seen', resourceVersion }];
    const event = (resourceVersion: string): WatchInput => ({ kind: 'event', resourceVersion });
    const ended = { ...end, atMs: 1_010 };
    const silent = { ...tick, atMs: 99_000 };
    const unopened: WatchInput = { kind: 'failed', failure: { kind: 'broken', unopened: true } };
    const throttled: WatchInput = { kind: 'failed', failure: { kind: 'throttled', retryAfterMs: 1_000 } };
    const anew = ['begin', 'list'];
    const resumed = ['watch', 'compare'];
    const cases: { name: string; inputs: (WatchInput & { atMs?: number })[]; does: string[] }[] = [
      { name: 'once is resumed', inputs: [broken, ...seen()], does: resumed },
      { name: 'twice is listed anew', inputs: [broken, ...seen(), broken, ...seen()], does: anew },
      { name: 'broken, then ended at once', inputs: [broken, ...seen(), ended, ...seen()], does: anew },
      { name: 'broken, then silent', inputs: [broken, ...seen(), silent, ...seen()], does: resumed },
      { name: 'with a later version between', inputs: [broken, ...seen(), event('101'), broken, ...seen('101')], does: resumed },
      { name: 'twice behind the same event', inputs: [event('101'), broken, ...seen('101'), broken, ...seen('101')], does: anew },
      { name: 'with the same version again between', inputs: [broken, ...seen(), event('100'), broken, ...seen()], does: anew },
      { name: 'while the server cannot be looked at', inputs: [broken, tick, broken, tick, broken, ...seen()], does: resumed },
      { name: 'a list begins the count anew', inputs: [broken, ...seen(), broken, ...seen(), lastPage, broken, ...seen()], does: resumed },
      { name: 'refused for being one of too many', inputs: [broken, ...seen(), throttled, ...seen()], does: resumed },
      {
        name: 'not let in, twice',
        inputs: [unopened, ...seen(), unopened, ...seen()],
        does: resumed,
      },
      {
        name: 'cut off again and again after half a minute, as a proxy does with what is quiet',
        inputs: [broken, { ...tick, atMs: 2_000 }, ...seen().slice(1), { ...broken, atMs: 32_000 }, ...seen()],
        does: resumed,
      },
      {
        name: 'ended in its time, twice',
        inputs: [event('100'), end, ...seen().slice(1), event('100'), end, ...seen().slice(1)],
        does: resumed,
      },
    ];
    test.each(cases)('$name', ({ inputs, does }) => {
      expect(after([list, lastPage, ...inputs]).effects.map((effect) => effect.do)).toEqual(does);
    });

    test('R14: lists that do not help come later and later, until a watch brings something', () => {
      const failsAnew = [broken, ...seen(), broken, ...seen()];
      const waits: number[] = [];
      const inputs = [list, lastPage, ...failsAnew, lastPage];
      for (let listed = 1; listed <= 5; listed += 1) {
        const { effects } = after([...inputs, ...failsAnew]);
        waits.push(waitOf(effects));
        inputs.push(...failsAnew, tick, lastPage);
      }
      expect(waits).toEqual([1_000, 4_000, 16_000, 60_000, 60_000]);
      const { effects } = after([...inputs, { kind: 'bookmark', resourceVersion: '100' }, ...failsAnew]);
      expect(effects.map((effect) => effect.do)).toEqual(anew);
    });

    test('R3: a server that was restored meanwhile is told of first', () => {
      const below: WatchInput = { kind: 'seen', resourceVersion: '90' };
      const { effects } = after([list, lastPage, broken, ...seen(), broken, tick, below, tick, below]);
      expect(effects).toEqual([{ do: 'restored', from: '100', to: '90' }, { do: 'begin' }, { do: 'list' }]);
    });
  });

  test('waits as long as Retry-After says, and a little more that differs from client to client', () => {
    const throttled: WatchInput = { kind: 'failed', failure: { kind: 'throttled', retryAfterMs: 7_000 } };
    expect(waitOf(after([list, throttled], 0.25).effects)).toBe(7_250);
  });

  test('R14: that is to list anew waits as long as Retry-After says all the same', () => {
    const throttled: WatchInput & { atMs: number } = { kind: 'failed', failure: { kind: 'throttled', retryAfterMs: 7_000 }, atMs: 1_000 };
    expect(after([list, throttled, { ...list, atMs: 3_000 }]).effects).toEqual([{ do: 'stop' }, { do: 'wait', ms: 5_000 }]);
    expect(after([list, throttled, { ...list, atMs: 3_000 }, { ...tick, atMs: 8_000 }]).effects).toEqual([{ do: 'begin' }, { do: 'list' }]);
    expect(after([list, throttled, { ...list, atMs: 8_000 }]).effects).toEqual([{ do: 'stop' }, { do: 'begin' }, { do: 'list' }]);
  });

  test('a list that breaks between two pages goes on with the next one; one that expires begins anew', () => {
    const halfway: WatchInput[] = [list, { kind: 'page', resourceVersion: '101', continueToken: 'more' }];
    expect(after([...halfway, broken, tick]).effects).toEqual([{ do: 'list', continueToken: 'more' }]);
    expect(after([...halfway, expired, tick]).effects).toEqual([{ do: 'begin' }, { do: 'list' }]);
  });

  test('that is silent for longer than bookmarks take is broken', () => {
    const watching: (WatchInput & { atMs?: number })[] = [list, lastPage, { kind: 'bookmark', resourceVersion: '110', atMs: 60_000 }];
    expect(after([...watching, { ...tick, atMs: 124_000 }]).effects).toEqual([]);
    const { effects } = after([...watching, { ...tick, atMs: 126_000 }]);
    expect(effects).toMatchObject([{ do: 'stop' }, { do: 'silent', ms: 66_000 }, { do: 'wait' }]);
    expect(after([...watching, { ...tick, atMs: 126_000 }, { ...tick, atMs: 127_000 }]).effects).toEqual([{ do: 'look' }]);
  });

  test('can be told to list anew at any time, and gives up what it was doing', () => {
    expect(after([list, lastPage, list]).effects).toEqual([{ do: 'stop' }, { do: 'begin' }, { do: 'list' }]);
  });

  test('watches end after different times', () => {
    const seconds = [0, 0.3, 0.9]
      .map((random) => after([list, lastPage], random).effects)
      .flatMap((effects) => effects.flatMap((effect) => (effect.do === 'watch' ? effect.timeoutSeconds : [])));
    expect(seconds).toEqual([240, 312, 456]);
  });

  test('whatever comes, one call or wait is under way, and a version never goes back while watching', () => {
    const input: fc.Arbitrary<WatchInput> = fc.oneof(
      fc.constant(list),
      fc.record({ kind: fc.constant('page' as const), resourceVersion: fc.nat(999).map(String) }),
      fc.record({ kind: fc.constant('page' as const), resourceVersion: fc.nat(999).map(String), continueToken: fc.constant('more') }),
      fc.record({ kind: fc.constantFrom('event' as const, 'bookmark' as const), resourceVersion: fc.nat(999).map(String) }),
      fc.constant(end),
      fc.constant(tick),
      fc.constant(broken),
      fc.constant(expired),
    );
    fc.assert(
      fc.property(fc.array(input, { maxLength: 60 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (inputs, random) => {
        let state = step(initialWatch, list, { nowMs: 0, random }).state;
        for (const [at, each] of inputs.entries()) {
          const { state: next, effects } = step(state, each, { nowMs: at * 10_000, random });
          const begun = effects.filter((effect) => effect.do === 'list' || effect.do === 'watch' || effect.do === 'wait');
          expect(begun.length).toBeLessThanOrEqual(1);
          expect(next.at.phase).not.toBe('idle');
          const goesOn = state.at.phase === 'watching' && next.at.phase === 'watching';
          expect(goesOn && Number(next.version) < Number(state.version)).toBe(false);
          const beginsToWait = next.at.phase === 'waiting' && state.at.phase !== 'waiting';
          expect(beginsToWait && waitOf(effects) < 0).toBe(false);
          state = next;
        }
      }),
    );
  });
});
