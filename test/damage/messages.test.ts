// Messages that came to harm: each is refused in one sentence or read as what it says; none ends a process, none that is refused
// changes a view; all that cannot be read are counted and are dead letters in the end. A failure prints the seed that shows it again.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { ReceivedMessage } from '../../lib/ports/queue.ts';
import { reconcileBatch } from '../../lib/reconciler/batch.ts';
import { ingestBatch } from '../../lib/reconciler/ingest.ts';
import { fireTimers } from '../../lib/reconciler/timers.ts';
import { decodeEvents } from '../../lib/wire/events.ts';
import { decodeAsk, decodeTimer, decodeWake } from '../../lib/wire/messages.ts';
import { UndecodableMessageError } from '../../lib/wire/words/undecodable.ts';
import { unpackPart } from '../../lib/wire/view-item.ts';
import { aJob, CLUSTER, World } from '../world/world.ts';
import { damages, type Damage } from './damages.ts';

type Name = 'events' | 'wakes' | 'timers';

let world: World;
const sent: Record<Name, string[]> = { events: [], wakes: [], timers: [] };

beforeAll(async () => {
  world = new World();
  const { queue } = world;
  const send = queue.send.bind(queue);
  queue.send = async (name, messages) => {
    if (name === 'events' || name === 'wakes' || name === 'timers') sent[name].push(...messages.map(({ body }) => body));
    await send(name, messages);
  };
  await world.watch();
  await world.apply(aJob('demo', { completions: 8, parallelism: 4, completionMode: 'Indexed' }));
  await world.elapse(3);
});

afterAll(() => world.close());

const rows = (): unknown => ['heads', 'items'].map((table) => world.store.database.prepare(`select * from ${table}`).all());

/** Of the text as it travels; of events also of the bytes inside. */
const damaged = (body: string, damage: Damage, isInside: boolean): string =>
  isInside ? Buffer.from(damage(Buffer.from(body, 'base64'))).toString('base64') : Buffer.from(damage(Buffer.from(body))).toString();

const bodies = (name: Name): fc.Arbitrary<string> =>
  fc.tuple(fc.nat(), damages, fc.boolean()).map(([at, damage, isInside]) => {
    const body = sent[name][at % sent[name].length] ?? '';
    return damaged(body, damage, isInside && name === 'events');
  });

const DECODERS: Record<Name, (body: string) => unknown> = { events: decodeEvents, wakes: decodeWake, timers: decodeTimer };

function isReadable(name: Name, body: string): boolean {
  try {
    DECODERS[name](body);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(UndecodableMessageError);
    expect((error as Error).message).not.toBe('');
    return false;
  }
}

const handle = async (name: Name, messages: readonly ReceivedMessage[]): Promise<string[]> => {
  switch (name) {
    case 'events':
      return await ingestBatch(messages, world.ports);
    case 'wakes':
      return await reconcileBatch(messages, { reconciler: world.reconciler, ports: world.ports, hasTime: () => true });
    case 'timers':
      return await fireTimers(messages, world.ports);
  }
};

describe('R13: a damaged message', () => {
  const cases: { name: Name; runs: number }[] = [
    { name: 'events', runs: 250 },
    { name: 'wakes', runs: 120 },
    { name: 'timers', runs: 120 },
  ];
  jest.setTimeout(240_000);
  test.each(cases)('R13: of the queue $name is read or refused by name, and a refused one changes nothing', async ({ name, runs }) => {
    expect(sent[name].length).toBeGreaterThan(0);
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(bodies(name), async (body) => {
        const readable = isReadable(name, body);
        const before = { rows: rows(), unreadable: unreadableCount() };
        const message = { messageId: 'm', receiptHandle: 'none', body, receiveCount: 1, sentAtMs: 0, senderId: 'local', groupId: CLUSTER };
        const undone = await handle(name, [message]);
        if (readable) return;
        refused += 1;
        expect(undone).toEqual(['m']);
        expect(rows()).toEqual(before.rows);
        expect(unreadableCount()).toBe(before.unreadable + 1);
      }),
      { numRuns: runs },
    );
    expect(refused).toBeGreaterThan(runs / 4);
  });

  test.each(['events', 'wakes', 'timers'] as const)('R13: of the queue %s ends as a dead letter', async (name) => {
    const { queue } = world;
    const before = (await queue.depth(name)).dead;
    const group = name === 'timers' ? {} : { groupId: CLUSTER, ...(name === 'wakes' && { deduplicationId: 'damaged' }) };
    await queue.send(name, [{ body: `~${sent[name][0]}`, ...group }]);
    for (let round = 0; round < 30; round++) {
      await world.ingest();
      await world.run();
    }
    expect((await queue.depth(name)).dead).toBe(before + 1);
  });
});

const unreadableCount = (): number => world.metrics.filter(({ metric }) => metric === 'UnreadableMessages').length;

describe('the readers', () => {
  test('take garbage of any kind for what it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.base64String()), (text) => {
        for (const read of [decodeEvents, decodeWake, decodeTimer, decodeAsk, (body: string) => unpackPart(Buffer.from(body))])
          try {
            read(text);
          } catch (error) {
            expect(error).toBeInstanceOf(UndecodableMessageError);
          }
      }),
      { numRuns: 500 },
    );
  });
});
