// Asks the functions that hold credentials to look at clusters (cluster-look.ts).
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import { encodeClusterLook } from '../../wire/messages.ts';
import { SWEEP_EVERY_MS } from '../head/timeouts.ts';

/** Two sweeps at the same time send one look. */
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
 * Sends a look at once, because the relay of a silent cluster gets answers again.
 * @param after the message in which the relay reported it, so that a repeated delivery sends one look
 */
export async function sendLookAfter(
  { queue }: Pick<Ports, 'queue'>,
  cluster: string,
  after: { session: string; sequence: number },
): Promise<void> {
  const body = encodeClusterLook({ look: 'cluster', cluster });
  await queue.send('wakes', [{ body, groupId: `look:${cluster}`, deduplicationId: `look:${cluster}:${after.session}:${after.sequence}` }]);
}
