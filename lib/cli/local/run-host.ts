// Runs of a local instance: they lie in the same folders as those of the command line, so either sees and cancels the other's.
import { FolderRuns } from '../../adapters/embedded/folder-runs.ts';
import type { Clock } from '../../ports/clock.ts';
import { runHost } from '../../api/runs.ts';
import type { Clusters } from '../../ports/clusters.ts';
import type { RunHost } from '../../ports/runs.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { TokenFiles } from '../terminal/virtual-nodes.ts';
import { attendRun } from '../runs/attend-run.ts';
import { folderOfRun, runsFolder } from '../run-records/run-folder.ts';
import { nodeAmong } from '../runs/run-node.ts';
import { limitsOf, problemThroughApi } from '../run-records/run-provider.ts';

const AGAIN_MS = 5_000;
const MOST_RUNS = 1_000;

export interface LocalRunHost extends RunHost {
  /** Goes on with the runs that are open. */
  resume(): Promise<void>;
  /** Runs are left as they stand: the next start goes on with them. */
  close(): Promise<void>;
}

interface LocalRunHostGiven {
  folder: string;
  clock: Clock;
  telemetry: Telemetry;
  /** Their virtual nodes take runs. */
  clusters: Pick<Clusters, 'list'>;
  /** Shown to the providers of virtual nodes. */
  tokenFiles?: TokenFiles;
}

export function localRunHost({ folder, clock, telemetry, clusters, tokenFiles = new Map() }: LocalRunHostGiven): LocalRunHost {
  const records = new FolderRuns(runsFolder(folder));
  const leaving = new AbortController();
  const driven = new Map<string, Promise<void>>();
  /** R15: the token of a node's provider goes to that provider alone. */
  const tokenFileOf = async ({ provider, node }: { provider: string; node: string }): Promise<string | undefined> => {
    const found = nodeAmong(await clusters.list(), node);
    return 'problem' in found || found.provider !== provider ? undefined : (tokenFiles.get(node) ?? tokenFiles.get(''));
  };
  const drive = async (id: string): Promise<void> => {
    while (!leaving.signal.aborted)
      try {
        await attendRun({
          id,
          folder: folderOfRun(folder, id),
          clock,
          tokenFileOf,
          leave: leaving.signal,
          onTrouble: (problem) => telemetry.warn('a run goes on without its cluster', { run: id, problem }),
        });
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
    ...runHost({
      records,
      clock,
      problemOfProvider: problemThroughApi,
      nodeNamed: async (name) => nodeAmong(await clusters.list(), name),
      withoutCluster:
        'a provider that a request names belongs to no cluster: expected node with the name of a virtual node of this instance, without provider',
      cannotOf: async (run) => await limitsOf({ word: run.provider, node: run.node, clock, tokenFile: await tokenFileOf(run) }),
      wake,
    }),
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
