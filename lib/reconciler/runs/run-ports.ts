// Everything outside that runs need.
import type { Clock } from '../../ports/clock.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Runs } from '../../ports/runs.ts';
import type { RunCluster } from './run-cluster.ts';

export interface RunPorts {
  runs: Runs;
  clock: Clock;
  /** The provider of a run, by its word and its node. @throws TerminalError this process reaches none */
  providerOf(run: { provider: string; node: string }): Provider;
  /** Of the run's node, where it is in reach. */
  cluster?: RunCluster | undefined;
}

/** A run in progress is not this process's own: others may write its record at the same time. */
export class RunConflictError extends Error {
  override readonly name = 'RunConflictError';
}
