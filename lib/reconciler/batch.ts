// A batch of wakes: one workload's trouble never comes back with another's (R13).
import type { WorkloadKey } from '../objects/workload.ts';
import { formatKey, parseKey } from '../objects/workload.ts';
import type { Ports } from '../ports/ports.ts';
import { decodeWake } from '../wire/messages.ts';
import type { Reconciler } from './reconcile.ts';
import type { Delivery } from './unreadable.ts';
import { giveBackUnreadable } from './unreadable.ts';

/** An overtaken pass has ended, and sends nothing any more: its wake, which keeps that of the later pass from coming, is back so soon. */
const OVERTAKEN_AGAIN_SECONDS = 1;

/**
 * @param hasTime whether another pass may begin: the function must not end in the middle of one
 * @returns ids of the messages that must come back; in FIFO order the rest of the failing group comes back with it
 */
export async function reconcileBatch(
  deliveries: readonly Delivery[],
  { reconciler, ports, hasTime }: { reconciler: Reconciler; ports: Pick<Ports, 'queue' | 'telemetry'>; hasTime: () => boolean },
): Promise<string[]> {
  const undone: string[] = [];
  const groups = new Map<string, { deliveries: Delivery[]; key: WorkloadKey; sentAtMs: number | undefined }>();
  for (const delivery of deliveries) {
    const { messageId, body, sentAtMs, receiveCount } = delivery;
    try {
      const key = parseKey(decodeWake(body).key);
      if (!key) throw new Error('its key is not one of ours');
      const group = groups.get(formatKey(key)) ?? { deliveries: [], key, sentAtMs: receiveCount === 1 ? sentAtMs : undefined };
      group.deliveries.push(delivery);
      groups.set(formatKey(key), group);
    } catch (error) {
      await giveBackUnreadable(ports, 'wakes', delivery, { error });
      undone.push(messageId);
    }
  }
  await Promise.all(
    // Two wakes of one workload in a batch say the same.
    [...groups.values()].map(async ({ key, deliveries: wakes, sentAtMs }) => {
      const messageIds = wakes.map(({ messageId }) => messageId);
      if (!hasTime()) return undone.push(...messageIds);
      try {
        if ((await reconciler.reconcile(key, sentAtMs)) === 'failed') {
          undone.push(...messageIds);
          await giveBackSoon(ports, key, wakes);
        }
      } catch (error) {
        ports.telemetry.error('pass failed', { ...key, error });
        ports.telemetry.count('FailedPasses', 1, 'Count', { kind: key.kind });
        undone.push(...messageIds);
      }
      return undefined;
    }),
  );
  return undone;
}

/** Never throws: what is not given back comes by itself after its visibility time-out. */
async function giveBackSoon(
  { queue, telemetry }: Pick<Ports, 'queue' | 'telemetry'>,
  key: WorkloadKey,
  wakes: readonly Delivery[],
): Promise<void> {
  try {
    for (const { receiptHandle } of wakes) await queue.changeVisibility('wakes', receiptHandle, OVERTAKEN_AGAIN_SECONDS);
  } catch (error) {
    telemetry.warn('wake of an overtaken pass not given back, it comes again by itself', { ...key, error });
  }
}
