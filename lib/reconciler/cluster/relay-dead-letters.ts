// Dead letters of the relays' queues. Those queues are made as clusters are added and are not the stack's, so that no alarm of it names one:
// sweep looks, and one metric tells of all.
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import { inParallel } from '../parallel.ts';
import { SWEEP_EVERY_MS } from '../head/timeouts.ts';

/** In sweeps: a dead letter lies there for two weeks, and each look is paid for, by cluster. */
const LOOK_EVERY = 10;
const LOOKS_AT_ONCE = 32;

/**
 * Counts what lies there, every tenth sweep; nothing is received. A queue that cannot be looked at is no other cluster's trouble (R13).
 * @param sweptAtMs when the sweep began: they begin a minute apart, but take now a second, now most of a minute
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
