// One fault at every single call of a run: the run is repeated for each of them. `npm test` takes each seventeenth call (storm-share.ts).
import { expect } from '@jest/globals';
import { strideOf } from '../storm-share.ts';
import type { Point, Process } from './process.ts';
import { World } from './world.ts';

export interface Enumeration {
  /** Which calls the fault applies to. */
  fits: (point: Point) => boolean;
  fault: (world: World, process: Process) => void | Promise<void>;
  /** From the beginning to where everything must be right. */
  run: (world: World) => Promise<void>;
  check: (world: World) => Promise<void>;
  /** Absent: one that manages Jobs. */
  open?: () => World | Promise<World>;
  /** Calls that the run without a fault makes at least: fewer, and the enumeration no longer means anything. */
  least: number;
}

/** Every trouble is told with the call that the fault struck. */
export async function enumerateFaults(enumeration: Enumeration): Promise<void> {
  const points = await runWith(enumeration, 0);
  expect(points).toBeGreaterThanOrEqual(enumeration.least);
  const troubles: string[] = [];
  for (let strike = 1; strike <= points; strike += strideOf(17))
    try {
      await runWith(enumeration, strike);
    } catch (error) {
      troubles.push(error instanceof Error ? error.message : String(error));
    }
  expect(troubles).toEqual([]);
}

/** @param strike at the how many-th fitting call the fault strikes; 0: never. @returns fitting calls */
async function runWith({ fits, fault, run, check, open = () => new World() }: Enumeration, strike: number): Promise<number> {
  const world = await open();
  let met = 0;
  let struck = 'nothing';
  world.interposer = async (point, process) => {
    if (!fits(point) || ++met !== strike) return;
    struck = `${point.phase} ${point.port}.${point.method}, point ${strike}`;
    await fault(world, process);
  };
  try {
    await world.watch();
    await run(world);
    world.interposer = undefined;
    await check(world);
    return met;
  } catch (error) {
    throw new Error(`struck ${struck}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    world.close();
  }
}
