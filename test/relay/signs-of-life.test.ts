// The relay asks the API server for signs of life, and tells at once when they stay away and when they come back.
import { afterEach, describe, expect, test } from '@jest/globals';
import { NotDoneError, TerminalError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import type { EventMessage } from '../../lib/wire/words/observations.ts';
import type { Bench } from './relay-bench.ts';
import { endRelays, start } from './relay-bench.ts';
import { aJob } from './scripted-source.ts';

afterEach(endRelays);

const signsIn = ({ source }: Bench): number => source.calls.filter((call) => call === 'sign of life').length;
const toldIn = (messages: readonly EventMessage[]): (string | undefined)[] =>
  messages.flatMap(({ heartbeat }) => (heartbeat ? [heartbeat.apiServer?.state] : []));

async function ready(options: Parameters<typeof start>[0] = {}): Promise<Bench> {
  const bench = start({ before: (api) => api.put('jobs', aJob('a')), ...options });
  await bench.ready();
  await bench.messages();
  return bench;
}

/** Moves on until the relay has told something. @returns milliseconds that took, and what it told */
async function untilTold({ clock, messages }: Bench, withinMs: number): Promise<{ afterMs: number; told: EventMessage[] }> {
  for (let afterMs = 0; ; afterMs += 250) {
    const told = await messages();
    if (told.length > 0 || afterMs >= withinMs) return { afterMs, told };
    await clock.advance(250);
  }
}

describe('signs of life', () => {
  test('R16: one question every 5 s, and no message while the server answers', async () => {
    const bench = await ready();
    const before = signsIn(bench);
    await bench.clock.advance(50_000);
    expect(signsIn(bench) - before).toBe(10);
    expect(await bench.messages()).toEqual([]);
  });

  test.each(Array.from({ length: 10 }, (_, at) => at * 500))(
    'a server that stands still %i ms after a question is told of within 12.5 s, and again within 1.5 s once it goes on',
    async (offsetMs) => {
      const bench = await ready();
      const { clock, source } = bench;
      await clock.advance(offsetMs);
      const frozenAtMs = clock.monotonicMs();
      source.frozen = true;
      const silence = await untilTold(bench, 30_000);
      expect(toldIn(silence.told)).toEqual(['silent']);
      expect(silence.afterMs).toBeLessThanOrEqual(12_500);
      const { forMs = 0, reason } = silence.told[0]?.heartbeat?.apiServer ?? {};
      expect(reason).toBe('no answer within 3 s');
      // Since its last sign, which is at most 5 s older than the moment at which it stopped.
      expect(clock.monotonicMs() - forMs).toBeGreaterThanOrEqual(frozenAtMs - 5_000);
      expect(clock.monotonicMs() - forMs).toBeLessThanOrEqual(frozenAtMs + 250);
      // It does not flap while it lasts: the minute's heartbeats say the same.
      await clock.advance(180_000);
      const meanwhile = toldIn(await bench.messages());
      expect(meanwhile.length).toBeLessThanOrEqual(3);
      expect(new Set(meanwhile)).toEqual(new Set(['silent']));
      source.thaw();
      const answer = await untilTold(bench, 10_000);
      expect(toldIn(answer.told)).toEqual([undefined]);
      expect(answer.afterMs).toBeLessThanOrEqual(1_500);
    },
  );

  test('its end is logged like its beginning, once', async () => {
    const bench = await ready();
    bench.source.frozen = true;
    await bench.clock.advance(60_000);
    bench.source.thaw();
    await bench.clock.advance(60_000);
    expect(bench.log.filter(({ message }) => message.includes('its relay'))).toEqual([
      { level: 'error', message: 'API server does not answer its relay' },
      { level: 'warn', message: 'API server answers its relay again' },
    ]);
  });

  test('the tries of its watches meanwhile are logged once, not each', async () => {
    const bench = await ready();
    for (let time = 0; time < 30; time++)
      for (const verb of ['watch', 'list', 'sign'] as const)
        bench.source.faults.push({ verb, error: new NotDoneError('nothing listens there') });
    bench.source.breakWatches(new NotDoneError('nothing listens there'));
    await bench.clock.advance(30_000);
    expect(bench.log.filter(({ level, message }) => level === 'warn' && message === 'cluster could not be asked')).toHaveLength(1);
  });

  test('one question that is not answered is no silence, nor is one in two', async () => {
    const bench = await ready();
    for (let round = 0; round < 6; round++) {
      bench.source.faults.push({ verb: 'sign', error: new NotDoneError('connection reset') });
      await bench.clock.advance(7_000);
    }
    expect(bench.source.faults).toEqual([]);
    expect(await bench.messages()).toEqual([]);
  });

  test('a server that sends events lives, however late its other answers are', async () => {
    const bench = await ready();
    bench.source.frozen = true;
    for (let second = 0; second < 40; second++) {
      await bench.clock.advance(1_000);
      bench.source.bookmark();
    }
    expect(toldIn(await bench.messages())).toEqual([]);
  });

  test('a namespace in which nothing was ever answered is no sign', async () => {
    const forbid: NonNullable<Parameters<typeof start>[0]>['before'] = (api) => api.forbidden.add('shop');
    const bench = await ready({ namespaces: ['default', 'shop'], before: forbid });
    bench.source.frozen = true;
    expect(toldIn((await untilTold(bench, 20_000)).told)).toEqual(['silent']);
  });

  test('a dead server is told of by the second refused connection', async () => {
    const bench = await ready();
    for (let miss = 0; miss < 40; miss++) bench.source.faults.push({ verb: 'sign', error: new UnknownOutcomeError('connection refused') });
    const { afterMs, told } = await untilTold(bench, 30_000);
    expect(afterMs).toBeLessThanOrEqual(6_500);
    expect(told[0]?.heartbeat?.apiServer).toMatchObject({ state: 'silent', reason: 'connection refused' });
  });

  test('a server that refuses the relay is told of as that, and what it says never breaks a message', async () => {
    const bench = await ready();
    const error = new TerminalError(`the token is refused\u0007\n${'x'.repeat(1_000)}`, { code: 401 });
    for (let miss = 0; miss < 20; miss++) bench.source.faults.push({ verb: 'sign', error });
    const { told } = await untilTold(bench, 30_000);
    expect(told[0]?.heartbeat?.apiServer).toMatchObject({
      state: 'refused',
      reason: expect.stringMatching(/^the token is refused x{279}$/),
    });
  });

  test('a namespace whose lists are refused is told of at once, and that it is let in again', async () => {
    const bench = await ready({ namespaces: ['default', 'shop'] });
    const refusedIn = (messages: readonly EventMessage[]): string[] =>
      messages.flatMap(({ heartbeat }) => heartbeat?.watches ?? []).flatMap((watch) => (watch.refused ? [watch.resource] : []));
    bench.source.forbidden.add('shop');
    bench.source.breakWatches(new NotDoneError('nothing listens there'));
    await bench.clock.advance(8_000);
    expect(refusedIn(await bench.messages())).toEqual(['jobs:shop', 'pods:shop']);
    bench.source.forbidden.clear();
    await bench.clock.advance(20_000);
    const later = (await bench.messages()).flatMap(({ heartbeat }) => (heartbeat ? [heartbeat.watches] : []));
    expect(later.at(-1)?.some((watch) => watch.refused)).toBe(false);
  });
});

describe('signs of life and the Lease', () => {
  test('a relay that rests because nobody could renew its Lease has the last word of the silence', async () => {
    const bench = await ready();
    bench.source.frozen = true;
    await bench.clock.advance(7_000);
    expect(await bench.messages()).toEqual([]);
    bench.relay.rest();
    const { afterMs, told } = await untilTold(bench, 15_000);
    expect(afterMs).toBeLessThanOrEqual(5_500);
    expect(toldIn(told)).toEqual(['silent']);
    await bench.clock.advance(120_000);
    expect(await bench.messages()).toEqual([]);
    bench.source.thaw();
    bench.relay.lead();
    await bench.clock.advance(2_000);
    const [first, ...others] = toldIn(await bench.messages());
    expect([first, ...others].filter((state) => state !== undefined)).toEqual([]);
    expect(others.length).toBeGreaterThan(0);
  });

  test('R16: one that rests while the server answers asks once more and then no more, and says nothing', async () => {
    const bench = await ready();
    bench.relay.rest();
    await bench.clock.advance(1_000);
    const before = signsIn(bench);
    await bench.clock.advance(60_000);
    expect(signsIn(bench)).toBe(before);
    expect(await bench.messages()).toEqual([]);
  });

  test('one that stands by asks nothing', async () => {
    const bench = await ready({ standby: true });
    await bench.clock.advance(60_000);
    expect(signsIn(bench)).toBe(0);
  });
});
