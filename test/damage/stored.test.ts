// What is stored and came to harm counts as missing: it is rebuilt from a live list, and the Job ends with exact counts (R1).
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeState } from '../../lib/reconciler/pass-state.ts';
import { unpackPart } from '../../lib/wire/view-item.ts';
import { expectCompleted, runToEnd } from '../world/right.ts';
import { aJob, World } from '../world/world.ts';
import { damages, misshapen, type Damage } from './damages.ts';

const PODS = 24;

/** A Job whose view lies in the head and in items beside it, some pods ended, some running, some to come. */
async function inTheMiddle(): Promise<World> {
  const world = new World();
  await world.watch();
  await world.apply(aJob('demo', { completions: PODS, parallelism: 22, completionMode: 'Indexed' }));
  await world.until(() => world.podsEver.size === 22, { play: false });
  for (const pod of (await world.pods()).slice(0, 6)) await world.startPod(pod);
  for (const pod of (await world.pods()).slice(0, 3)) await world.end(pod, 0);
  await world.report();
  return world;
}

function overwrite({ store: { database } }: World, { table, column }: { table: string; column: string }, damage: Damage): number {
  const found = database.prepare(`select rowid, ${column} as value from ${table} where ${column} is not null`).all();
  for (const { rowid, value } of found) {
    const bytes = value instanceof Uint8Array ? value : Buffer.from(String(value));
    const broken = damage(bytes);
    const stored = value instanceof Uint8Array ? broken : Buffer.from(broken).toString();
    database.prepare(`update ${table} set ${column} = ? where rowid = ?`).run(stored, Number(rowid));
  }
  return found.length;
}

async function endsRight(world: World): Promise<void> {
  await runToEnd(world, 'demo');
  await expectCompleted(world, 'demo', { succeeded: PODS, mostActive: 22 });
}

const isPart = (bytes: Uint8Array): boolean => {
  try {
    unpackPart(bytes);
    return true;
  } catch {
    return false;
  }
};
const isState = (bytes: Uint8Array): boolean => decodeState(Buffer.from(bytes).toString()) !== undefined;
/** Notes have readers of their own: those take for missing what has not their shape. */
const never = (): boolean => false;

describe('R1: what is stored is damaged', () => {
  const places = [
    { table: 'heads', column: 'view', isReadable: isPart, runs: 4 },
    { table: 'heads', column: 'state', isReadable: isState, runs: 4 },
    { table: 'items', column: 'bytes', isReadable: isPart, runs: 4 },
    { table: 'notes', column: 'body', isReadable: never, runs: 4 },
  ];
  test.each(places)(
    'R1: $column of $table, and the Job ends with exact counts',
    async ({ isReadable, runs, ...place }) => {
      let struck = 0;
      await fc.assert(
        fc.asyncProperty(damages, async (damage) => {
          const world = await inTheMiddle();
          try {
            // What still reads as something says that; no byte of it proves that it was ever written.
            const certain: Damage = (bytes) => (isReadable(damage(bytes)) ? Buffer.from('~') : damage(bytes));
            struck += overwrite(world, place, certain);
            await endsRight(world);
          } finally {
            world.close();
          }
        }),
        { numRuns: runs },
      );
      expect(struck).toBeGreaterThan(0);
    },
    60_000,
  );

  test('R1: notes that are JSON of another shape', async () => {
    await fc.assert(
      fc.asyncProperty(misshapen({ tokens: 5, atMs: 5, session: 's', watches: [] }), async (other) => {
        const world = await inTheMiddle();
        try {
          overwrite(world, { table: 'notes', column: 'body' }, () => Buffer.from(JSON.stringify(other)));
          await endsRight(world);
        } finally {
          world.close();
        }
      }),
      { numRuns: 3 },
    );
  }, 60_000);
});
