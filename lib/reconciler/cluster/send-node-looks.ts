// Looks at the virtual nodes of clusters: one for ten nodes, once a minute, and when where they are reached has changed.
import { nodeKindOf } from '../../kinds/settings.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import { encodeNodeLook } from '../../wire/messages.ts';
import { SWEEP_EVERY_MS } from '../head/timeouts.ts';

/** Nodes of one look. */
const NODES_OF_A_LOOK = 10;

/** Two sweeps at the same time send one look. @param movedBy the message by which nodes are reached elsewhere; absent: it is the sweep's look */
export async function sendNodeLooks(
  { queue, clock }: Pick<Ports, 'queue' | 'clock'>,
  records: readonly ClusterRecord[],
  { movedBy }: { movedBy?: string } = {},
): Promise<void> {
  const halfMinute = Math.floor(clock.nowMs() / (SWEEP_EVERY_MS / 2));
  const messages = records.flatMap((record) => {
    const nodes = nodeKindOf(record)?.nodes.namesIn(record) ?? [];
    return Array.from({ length: Math.ceil(nodes.length / NODES_OF_A_LOOK) }, (_, at) => ({
      body: encodeNodeLook({
        look: 'nodes',
        cluster: record.name,
        ...(movedBy !== undefined && { isMoved: true as const }),
        nodes: nodes.slice(at * NODES_OF_A_LOOK, (at + 1) * NODES_OF_A_LOOK),
      }),
      groupId: `look:${record.name}:nodes:${at}`,
      deduplicationId: `look:${record.name}:nodes:${at}:${movedBy ?? halfMinute}`,
    }));
  });
  if (messages.length > 0) await queue.send('wakes', messages);
}
