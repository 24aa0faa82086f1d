// Asks the functions that hold credentials to look at clusters (cluster-look.ts).
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import { encodeClusterLook } from '../../wire/messages.ts';
import { SWEEP_EVERY_MS } from '../head/timeouts.ts';

/** Of two sweeps at the same time one asks. */
export async function sendClusterLooks({ queue, clock }: Pick<Ports, 'queue' | 'clock'>, records: readonly ClusterRecord[]): Promise<void> {
  if (records.length === 0) return;
  const halfMinute = Math.floor(clock.nowMs() / (SWEEP_EVERY_MS / 2));
  await queue.send(
    'wakes',
    records.map(({ name: cluster }) => ({
      body: encodeClusterLook({ look: 'cluster', cluster }),
      groupId: `look:${cluster}`,
      deduplicationId: `look:${cluster}:${halfMinute}`,
    })),
  );
}

/**
 * At once: the relay of a cluster that counts as silent has an answer again.
 * @param after what the relay told it in, so that what is delivered twice is asked once
 */
export async function sendLookAfter(
  { queue }: Pick<Ports, 'queue'>,
  cluster: string,
  after: { session: string; sequence: number },
): Promise<void> {
  const body = encodeClusterLook({ look: 'cluster', cluster });
  await queue.send('wakes', [{ body, groupId: `look:${cluster}`, deduplicationId: `look:${cluster}:${after.session}:${after.sequence}` }]);
}
