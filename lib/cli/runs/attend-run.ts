// Brings a run to its end: this process drives it where it gets the folder's lock, and follows its record where another process holds it. If that one
// dies, the next takes over.
import type { RunState } from '../../kinds/run-once/run.ts';
import { isOver, readRun } from '../../kinds/run-once/run.ts';
import type { RunGiven } from '../../kinds/run-once/new-run.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RunPorts } from '../../reconciler/runs/run-ports.ts';
import type { NodeCluster, NodeClusterGiven } from './node-cluster.ts';
import { stateFolderOf } from '../run-records/run-folder.ts';
import { openProvider, type OpenProvider } from '../run-records/run-provider.ts';

const LOOK_AGAIN_MS = 200;

export interface Attending {
  id: string;
  folder: string;
  clock: Clock;
  /** Begins the run where no run has this id yet. Absent: the run must be there. */
  given?: RunGiven;
  tokenFile?: string | undefined;
  /** Asked where no file is given. */
  tokenFileOf?: (run: { provider: string; node: string }) => Promise<string | undefined>;
  /** Called where the run was there before. */
  onFound?: (run: RunState) => void;
  /** Called with what the cluster of the run's node does not let it do. */
  onTrouble?: (problem: string) => void;
  /** Called before anything runs, with what is to be known of the provider. */
  onProvider?: (says: readonly string[]) => void;
  /** Called with the run after each change. */
  onRun?: (run: RunState) => void;
  /** Fires: the run is cancelled, and its end is awaited. */
  cancel?: AbortSignal;
  /** Fires: the run is left as it stands. */
  leave?: AbortSignal;
}

/** @returns the run once it is over; undefined: there is no such run. @throws RunConflictError */
export async function attendRun(attending: Attending): Promise<RunState | undefined> {
  const { id, folder, clock, given, onFound = () => {}, onRun = () => {}, cancel, leave } = attending;
  const [{ openStateFolder, StateFolderHeldError }, { EmbeddedRuns }, { beginRun }, { cancelRun }] = await Promise.all([
    import('../../adapters/embedded/state-folder.ts'),
    import('../../adapters/embedded/runs.ts'),
    import('../../reconciler/runs/begin-run.ts'),
    import('../../reconciler/runs/advance.ts'),
  ]);
  const held = (): ReturnType<typeof openStateFolder> | undefined => {
    try {
      return openStateFolder(folder);
    } catch (error) {
      if (error instanceof StateFolderHeldError) return undefined;
      throw error;
    }
  };
  let lock = held();
  const runs = EmbeddedRuns.open({ folder });
  const cancelNow = (): void => void cancelRun(id, { runs, clock }).catch(() => {});
  try {
    if (given) {
      const { run, isNew } = await beginRun(given, { runs, clock });
      if (!isNew) onFound(run);
      onRun(run);
    }
    if (cancel?.aborted) cancelNow();
    cancel?.addEventListener('abort', cancelNow, { once: true });
    for (;;) {
      const record = await runs.get(id);
      if (!record) return undefined;
      const run = readRun(record.state);
      onRun(run);
      if (isOver(run) || leave?.aborted) return run;
      lock ??= held();
      if (lock) return await driven(run, { ...attending, runs });
      await clock.wait(LOOK_AGAIN_MS, leave);
    }
  } finally {
    cancel?.removeEventListener('abort', cancelNow);
    runs.close();
    lock?.close();
  }
}

async function driven(
  { id, provider: word, node, options: { mirror, preempt } }: RunState,
  {
    folder,
    clock,
    tokenFile,
    tokenFileOf = async () => undefined,
    onProvider = () => {},
    onTrouble = () => {},
    onRun = () => {},
    leave,
    runs,
  }: Attending & Pick<RunPorts, 'runs'>,
): Promise<RunState | undefined> {
  const { drive } = await import('../../reconciler/runs/drive.ts');
  const name = node.metadata.name ?? '';
  const itsTokenFile = tokenFile ?? (await tokenFileOf({ provider: word, node: name }));
  const opened: OpenProvider = await openProvider({ word, node: name, folder, clock, tokenFile: itsTokenFile });
  const { provider, onChange, says } = opened;
  onProvider(says);
  const { lookAgainSeconds } = provider;
  const needsCluster = mirror ?? preempt ?? false;
  const ofNode = needsCluster ? await clusterOf({ stateFolder: stateFolderOf(folder), node: name, clock, report: onTrouble }) : undefined;
  try {
    return await drive(
      id,
      { runs, clock, providerOf: () => provider, cluster: ofNode?.cluster },
      { onChange, onStep: onRun, ...(leave && { signal: leave }), ...(lookAgainSeconds !== undefined && { lookAgainSeconds }) },
    );
  } finally {
    ofNode?.close();
    opened.close();
  }
}

/** A run goes on without it: its pods are the provider's. */
async function clusterOf(given: NodeClusterGiven): Promise<NodeCluster | undefined> {
  const { openNodeCluster } = await import('./node-cluster.ts');
  try {
    const opened = await openNodeCluster(given);
    if (!opened) given.report(`no farloop up runs in ${given.stateFolder}: the cluster of node ${given.node} is out of reach`);
    return opened;
  } catch (error) {
    given.report(`the cluster of node ${given.node} is out of reach: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
