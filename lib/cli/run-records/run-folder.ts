// Where runs of the command line live: a folder for each, below the state folder. The process that holds its lock drives the run; others read its record.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RUN_ID } from '../../objects/task.ts';
import { readRun, type RunState } from '../../kinds/run-once/run.ts';
import type { RunRecord } from '../../ports/runs.ts';
import { UsageError } from '../terminal/exit.ts';

const RUNS = 'runs';

export const runsFolder = (stateFolder: string): string => join(stateFolder, RUNS);

/** @throws UsageError for an id that no run can have */
export function folderOfRun(stateFolder: string, id: string): string {
  if (!RUN_ID.test(id))
    throw new UsageError(
      `${JSON.stringify(id)} is no id of a run: expected lower-case letters, digits, "-" and ".", at most 63, as in nightly-07`,
    );
  return join(runsFolder(stateFolder), id);
}

/** Of a run's folder. */
export const stateFolderOf = (folder: string): string => dirname(dirname(folder));

/** Ids of the runs that have a folder. */
export function runIdsIn(stateFolder: string): string[] {
  const folder = runsFolder(stateFolder);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => RUN_ID.test(name))
    .toSorted();
}

/** @returns undefined: there is no such run, or its time is over */
export async function recordOfRun(
  stateFolder: string,
  id: string,
  nowMs = Date.now(),
): Promise<{ record: RunRecord; run: RunState } | undefined> {
  const folder = folderOfRun(stateFolder, id);
  if (!existsSync(folder)) return undefined;
  const [{ EmbeddedRuns, RUNS_FILE }, { keptRun }] = await Promise.all([
    import('../../adapters/embedded/runs.ts'),
    import('../../reconciler/runs/kept-runs.ts'),
  ]);
  if (!existsSync(join(folder, RUNS_FILE))) return undefined;
  const runs = EmbeddedRuns.open({ folder });
  try {
    const record = await keptRun(runs, id, nowMs);
    return record && { record, run: readRun(record.state) };
  } finally {
    runs.close();
  }
}

/** Runs that have finished and whose time is over; one that a process holds stays. @param except the run that takes its id again needs to know of it */
export async function dropOldRuns(stateFolder: string, nowMs: number, except: string): Promise<void> {
  const { openStateFolder, StateFolderHeldError } = await import('../../adapters/embedded/state-folder.ts');
  for (const id of runIdsIn(stateFolder)) {
    if (id === except) continue;
    const folder = folderOfRun(stateFolder, id);
    // Undefined: a command was killed before it wrote a record. A record that cannot be read stays, as a newer Farloop may have written it.
    const found = await recordOfRun(stateFolder, id, 0).catch(() => UNREADABLE);
    const { keptUntilMs = Infinity } = found ? found.record : { keptUntilMs: beganMs(folder) + WITHOUT_RECORD_MS };
    if (keptUntilMs > nowMs) continue;
    try {
      const held = openStateFolder(folder);
      rmSync(folder, { recursive: true, force: true });
      held.close();
    } catch (error) {
      if (!(error instanceof StateFolderHeldError)) throw error;
    }
  }
}

const UNREADABLE: { record: Pick<RunRecord, 'keptUntilMs'> } = { record: {} };
const WITHOUT_RECORD_MS = 24 * 3_600_000;

/** Infinite where another process has just removed it. */
const beganMs = (folder: string): number => statSync(folder, { throwIfNoEntry: false })?.birthtimeMs ?? Infinity;
