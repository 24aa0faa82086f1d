// Dead letters of the relays' queues. These queues are created with clusters and are not part of the stack, so no alarm of the stack names
// one. Sweep looks at them, and one metric covers all.
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import { inParallel } from '../invocation/parallel.ts';
import { SWEEP_EVERY_MS } from '../head/timeouts.ts';

/** In sweeps. A dead letter lies there for two weeks, and each look costs money, per cluster. */
const LOOK_EVERY = 10;
const LOOKS_AT_ONCE = 32;

/**
 * Counts the dead letters every tenth sweep, without receiving them. A queue that cannot be looked at does not affect other clusters (R13).
 * @param sweptAtMs when the sweep began: sweeps begin a minute apart, but last between a second and most of a minute
 */
export async function countRelayDeadLetters(
  { queue, telemetry }: Pick<Ports, 'queue' | 'telemetry'>,
  records: readonly ClusterRecord[],
  sweptAtMs: number,
): Promise<void> {
  if (Math.floor(sweptAtMs / SWEEP_EVERY_MS) % LOOK_EVERY !== 0) return;
  await inParallel(records, LOOKS_AT_ONCE, async ({ name: cluster }) => {
    try {
      const { dead } = await queue.depth(`relay-${cluster}`);
      if (dead > 0) telemetry.count('RelayDeadLetters', dead, 'Count', { cluster });
    } catch (error) {
      telemetry.warn("dead letters of a relay's queue not counted", { cluster, error });
    }
  });
}
