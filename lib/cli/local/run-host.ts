// Runs of a local instance: they lie in the same folders as those of the command line, so either sees and cancels the other's.
import { FolderRuns } from '../../adapters/embedded/folder-runs.ts';
import type { Clock } from '../../ports/clock.ts';
import { runHost } from '../../api/runs.ts';
import type { RunHost } from '../../ports/runs.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { attendRun } from '../runs/attend-run.ts';
import { folderOfRun, runsFolder } from '../runs/run-folder.ts';
import { problemThroughApi } from '../runs/run-provider.ts';

const AGAIN_MS = 5_000;
const MOST_RUNS = 1_000;

export interface LocalRunHost extends RunHost {
  /** Goes on with the runs that are open. */
  resume(): Promise<void>;
  /** Runs are left as they stand: the next start goes on with them. */
  close(): Promise<void>;
}

export function localRunHost({ folder, clock, telemetry }: { folder: string; clock: Clock; telemetry: Telemetry }): LocalRunHost {
  const records = new FolderRuns(runsFolder(folder));
  const leaving = new AbortController();
  const driven = new Map<string, Promise<void>>();
  const drive = async (id: string): Promise<void> => {
    while (!leaving.signal.aborted)
      try {
        await attendRun({ id, folder: folderOfRun(folder, id), clock, leave: leaving.signal });
        return;
      } catch (error) {
        telemetry.error('a run cannot go on', { run: id, error });
        await clock.wait(AGAIN_MS, leaving.signal);
      }
  };
  const wake = (id: string): void => {
    if (!driven.has(id))
      driven.set(
        id,
        drive(id).finally(() => driven.delete(id)),
      );
  };
  return {
    ...runHost({ records, clock, problemOfProvider: problemThroughApi, wake }),
    resume: async () => {
      for (const id of await records.dueBefore(Number.MAX_SAFE_INTEGER, MOST_RUNS)) wake(id);
    },
    close: async () => {
      leaving.abort();
      await Promise.allSettled(driven.values());
      records.close();
    },
  };
}
