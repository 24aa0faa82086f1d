// One of several namespaces is refused, as after it was deleted, and the rights in it with it: the relay goes on with the others.
import { afterEach, describe, expect, test } from '@jest/globals';
import { TerminalError } from '../../lib/ports/errors.ts';
import { encodeAsk } from '../../lib/wire/messages.ts';
import type { EventMessage } from '../../lib/wire/words/observations.ts';
import { brief, endRelays, start } from './relay-bench.ts';
import type { ScriptedSource } from './scripted-source.ts';
import { aJob, aPod } from './scripted-source.ts';

afterEach(endRelays);

const namespaces = ['batch', 'etl'];

/** A Job of one pod in each. */
function inBoth(api: ScriptedSource): void {
  for (const namespace of namespaces) {
    api.put('jobs', aJob(`of-${namespace}`, { namespace, uid: `uid-of-${namespace}` }));
    api.put('pods', aPod(`of-${namespace}-1`, `of-${namespace}`, { namespace }));
  }
}

function withoutEtl(api: ScriptedSource): void {
  inBoth(api);
  api.forbidden.add('etl');
}

/** The namespace goes, and the rights in it: open watches break off. */
function loseEtl(api: ScriptedSource): void {
  api.forbidden.add('etl');
  api.breakWatches();
}

const told = (messages: readonly EventMessage[]): string[] => messages.flatMap(({ reports }) => reports.map(({ owner }) => owner.name));
const compared = (messages: readonly EventMessage[]): string[] =>
  messages.flatMap(({ heartbeat }) => (heartbeat?.digests ?? []).map(({ owner }) => owner.name));
const fullLists = (messages: readonly EventMessage[]): number =>
  messages.filter(({ heartbeat }) => heartbeat?.fullList !== undefined).length;
const everything = encodeAsk({ ask: 'everything', era: 3, after: { session: 'another', sequence: 1 } });
const about = (namespace: string): string =>
  encodeAsk({ ask: 'workload', owner: { kind: 'Job', namespace, name: `of-${namespace}`, uid: `uid-of-${namespace}` } });

describe('R13: a namespace that is refused', () => {
  test('at the start keeps none of the others from being told of, and is told of itself', async () => {
    const { clock, source, log, messages, ready } = start({ namespaces, before: withoutEtl });
    await ready();
    const first = await messages();
    expect(first.flatMap(({ reports }) => reports).map(brief)).toMatchObject([{ job: 'of-batch', pods: ['of-batch-1 Running'] }]);
    expect(fullLists(first)).toBe(1);
    expect(log).toContainEqual({ level: 'error', message: 'cluster refuses to be watched' });
    await clock.advance(180_000);
    source.bookmark();
    const later = await messages();
    expect(compared(later)).toContain('of-batch');
    expect(compared(later)).not.toContain('of-etl');
    // Tried all the time, and no list anew of the others for that.
    expect(fullLists(later)).toBe(0);
    const ages = new Map(later.at(-1)?.heartbeat?.watches.map(({ resource, ageMs }) => [resource, ageMs]));
    expect(ages.get('jobs:etl')).toBeGreaterThan(170_000);
  });

  test('is told of by its list once it is let in again, and then as any other', async () => {
    const { clock, source, messages, ready } = start({ namespaces, before: withoutEtl });
    await ready();
    await messages();
    source.forbidden.clear();
    await clock.advance(10_000);
    const back = await messages();
    expect(back.flatMap(({ reports }) => reports).map(brief)).toMatchObject([{ job: 'of-etl', whole: expect.any(String) }]);
    expect(fullLists(back)).toBe(1);
    await clock.advance(60_000);
    expect(compared(await messages())).toContain('of-etl');
  });

  test('while it was watched is not spoken for any more: no digests, until it is let in again', async () => {
    const { clock, source, messages, ready } = start({ namespaces, before: inBoth });
    await ready();
    loseEtl(source);
    await clock.advance(20_000);
    await messages();
    await clock.advance(120_000);
    expect(new Set(compared(await messages()))).toEqual(new Set(['of-batch']));
    source.forbidden.clear();
    source.put('pods', aPod('of-etl-1', 'of-etl', { namespace: 'etl', phase: 'Succeeded' }));
    await clock.advance(120_000);
    const back = await messages();
    expect(told(back)).toContain('of-etl');
    expect(compared(back)).toContain('of-etl');
  });

  test('keeps no standby from taking over: lists, heartbeats and what is asked for go on', async () => {
    const { clock, source, queue, relay, messages, ready } = start({ namespaces, standby: true, before: inBoth });
    await ready();
    loseEtl(source);
    await clock.advance(30_000);
    relay.lead();
    await clock.advance(5_000);
    const first = await messages();
    expect(told(first)).toEqual(['of-batch']);
    // At the version of the list of those that could be listed: what it does not name of them is looked up.
    expect(first.findLast(({ heartbeat }) => heartbeat?.fullList)?.heartbeat?.fullList?.resourceVersion).toBe(String(source.version));
    await clock.advance(60_000);
    expect(compared(await messages())).toEqual(['of-batch']);
    await queue.inner.send('relay-west', [{ body: everything }]);
    await clock.advance(5_000);
    const again = await messages();
    expect(told(again)).toEqual(['of-batch']);
    expect(fullLists(again)).toBe(1);
  });

  test('which shows only as all is listed anew keeps that list from nobody', async () => {
    const { clock, source, queue, messages, ready } = start({ namespaces, before: inBoth });
    await ready();
    await clock.advance(30_000);
    await messages();
    source.forbidden.add('etl');
    await queue.inner.send('relay-west', [{ body: everything }]);
    await clock.advance(5_000);
    const again = await messages();
    expect(told(again)).toEqual(['of-batch']);
    expect(fullLists(again)).toBe(1);
  });

  test('holds up no ask about another that came along with one about it', async () => {
    const { clock, source, queue, reports, ready } = start({ namespaces, before: inBoth });
    await ready();
    await reports();
    // Its watches are open still: only the ask finds out.
    source.forbidden.add('etl');
    await queue.inner.send('relay-west', [{ body: about('etl') }, { body: about('batch') }]);
    await clock.advance(2_000);
    expect((await reports()).map(brief)).toMatchObject([{ job: 'of-batch', pods: ['of-batch-1 Running'] }]);
    // By then nothing can be told of it: what was asked is no dead letter.
    source.breakWatches();
    await clock.advance(600_000);
    expect(await queue.inner.depth('relay-west')).toMatchObject({ visible: 0, inFlight: 0 });
    expect(await queue.inner.deadLetters('relay-west', 10)).toEqual([]);
  });

  test('like all others ends the start with that sentence', async () => {
    const { clock, relay } = start({
      namespaces,
      before: (api) => {
        for (const namespace of namespaces) api.forbidden.add(namespace);
      },
    });
    await clock.advance(2_000);
    await expect(relay.ready).rejects.toThrow(/is forbidden/);
  });
});

test('a watch that is refused for a moment while all is listed keeps no relay from being ready', async () => {
  const { clock, source, relay, messages, ready } = start({ standby: true, before: (api) => void api.put('jobs', aJob('a')) });
  await ready();
  await clock.advance(30_000);
  source.faults.push({ verb: 'watch', error: new TerminalError('jobs is forbidden', { code: 403 }) });
  relay.lead();
  await clock.advance(60_000);
  expect(source.faults).toEqual([]);
  expect(fullLists(await messages())).toBe(1);
  await clock.advance(180_000);
  expect(compared(await messages())).toContain('a');
});
