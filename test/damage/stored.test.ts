// What is stored and came to harm counts as missing: it is rebuilt from a live list, and the Job ends with exact counts (R1).
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isResourceVersion } from '../../lib/objects/values/resource-version.ts';
import { decodeState } from '../../lib/reconciler/head/pass-state.ts';
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

interface Place {
  table: string;
  column: string;
  /** Whether the bytes, or the text that they are, still read as something. */
  isReadable: (bytes: Uint8Array) => boolean;
  runs: number;
}

/** No byte of what still reads as something proves that it was ever written: in its place stands what none takes for it. */
function overwrite({ store: { database } }: World, { table, column, isReadable }: Omit<Place, 'runs'>, damage: Damage): number {
  const found = database.prepare(`select rowid, ${column} as value from ${table}`).all();
  for (const { rowid, value } of found) {
    if (column === 'view' && value === null) continue;
    const isBlob = value instanceof Uint8Array;
    const broken = damage(isBlob ? value : Buffer.from(String(value ?? '')));
    // Elsewhere bytes are no text and no number.
    const certain = isReadable(broken) ? new Uint8Array([126]) : isBlob ? broken : Buffer.from(broken).toString();
    database.prepare(`update ${table} set ${column} = ? where rowid = ?`).run(certain, Number(rowid));
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

/** Any text is one. */
const isText = (): boolean => true;
const isNumber = (bytes: Uint8Array): boolean => Math.abs(Number(Buffer.from(bytes).toString())) <= 8.64e15;

describe('R1: what is stored is damaged', () => {
  const places: Place[] = [
    { table: 'heads', column: 'view', isReadable: isPart, runs: 4 },
    { table: 'heads', column: 'state', isReadable: isState, runs: 4 },
    { table: 'items', column: 'bytes', isReadable: isPart, runs: 4 },
    { table: 'notes', column: 'body', isReadable: never, runs: 4 },
    { table: 'heads', column: 'floor', isReadable: (bytes) => isResourceVersion(Buffer.from(bytes).toString()), runs: 1 },
    ...['items', 'fence', 'queued'].map((column) => ({ table: 'heads', column, isReadable: isText, runs: 1 })),
    ...['revision', 'era', 'born_at', 'opened_at', 'pending_since', 'wake_at', 'wake_attempt', 'wake_indexed_at', 'view_version'].map(
      (column) => ({ table: 'heads', column, isReadable: isNumber, runs: 1 }),
    ),
    ...['items', 'notes'].map((table) => ({ table, column: 'version', isReadable: isNumber, runs: 1 })),
  ];
  test.each(places)(
    'R1: $column of $table, and the Job ends with exact counts',
    async ({ runs, ...place }) => {
      let struck = 0;
      await fc.assert(
        fc.asyncProperty(damages, async (damage) => {
          const world = await inTheMiddle();
          try {
            struck += overwrite(world, place, damage);
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
          overwrite(world, { table: 'notes', column: 'body', isReadable: never }, () => Buffer.from(JSON.stringify(other)));
          await endsRight(world);
        } finally {
          world.close();
        }
      }),
      { numRuns: 3 },
    );
  });
});
