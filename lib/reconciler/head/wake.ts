// No wake is ever lost (R9): all code that wakes does it here, in one way.
import { createHash } from 'node:crypto';
import type { Urgency } from '../../kinds/rows/kind.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import { formatKey } from '../../objects/workload.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Queue } from '../../ports/queue.ts';
import type { Head, HeadChange } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { encodeTimer, encodeWake } from '../../wire/messages.ts';

/** SQS delays a message for 900 s at most. A later wake waits in the due-time index that sweep reads. */
export const LONGEST_DELAY_SECONDS = 900;

/** Delay after the latest pass, so that changes are handled together. */
export const SOON_MS = 1_000;
const WAIT_MS: Record<Urgency, number> = { now: 0, soon: SOON_MS, debounced: 5 * SOON_MS };

/** Waking only needs the queue's `send`. */
export type Sends = { queue: Pick<Queue, 'send'> };
export type WakePorts = Pick<Ports, 'store' | 'clock'> & Sends;

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The FIFO group of a workload. A hash, because a key may be longer than a group id. */
export const groupOf = (key: WorkloadKey): string => digest(formatKey(key));

/**
 * @param follows the fence that the wake follows: the queue keeps one of all wakes that follow the same fence (R9)
 * @param enqueuedAtMs when the queue took the change for which the wake is sent, Unix milliseconds; lags are measured from it
 */
export async function sendWake({ queue }: Sends, key: WorkloadKey, follows: string, enqueuedAtMs?: number): Promise<void> {
  const body = encodeWake({ key: formatKey(key), follows, toldAtMs: enqueuedAtMs });
  await queue.send('wakes', [{ body, groupId: groupOf(key), deduplicationId: digest(`${formatKey(key)} ${follows}`) }]);
}

/** Sends the delayed wake if its delay is within the queue's limit. A later one is left to the index. The queue is fair by cluster. */
export async function sendTimer(
  { queue, clock }: Pick<Ports, 'clock'> & Sends,
  head: Head,
  due: { dueAtMs: number; attempt: number; enqueuedAtMs?: number | undefined },
): Promise<void> {
  const delaySeconds = Math.ceil(Math.max(due.dueAtMs - clock.nowMs(), 0) / 1000);
  if (delaySeconds > LONGEST_DELAY_SECONDS) return;
  const { enqueuedAtMs, ...timer } = due;
  const body = encodeTimer({ key: formatKey(head.key), follows: head.fence, ...timer, toldAtMs: enqueuedAtMs });
  await queue.send('timers', [{ body, groupId: head.key.cluster, delaySeconds }]);
}

/**
 * Sends the wake or timer that this head still needs. Returns the head change that must then be written, on the condition that the head
 * still has this fence.
 * @param enqueuedAtMs as for `sendWake`
 * @returns undefined if a wake is on its way already
 */
export async function prepareWake(
  ports: WakePorts,
  head: Head,
  urgency: Urgency,
  enqueuedAtMs?: number,
): Promise<{ ifFence: string; change: HeadChange } | undefined> {
  if (head.queued === head.fence) return undefined;
  const nowMs = ports.clock.nowMs();
  // If the clock was set back, the wake must not wait longer.
  const dueAtMs = Math.min(head.openedAtMs, nowMs) + WAIT_MS[urgency];
  if (urgency !== 'now' && dueAtMs > nowMs) {
    // A timer that is due no later is enough.
    if (head.wake && head.wake.dueAtMs > nowMs && head.wake.dueAtMs <= dueAtMs) return undefined;
    const timer = { dueAtMs, attempt: 0 };
    await sendTimer(ports, head, { ...timer, enqueuedAtMs });
    return { ifFence: head.fence, change: { wake: timer, pendingSinceMs: dueAtMs } };
  }
  await sendWake(ports, head.key, head.fence, enqueuedAtMs);
  return { ifFence: head.fence, change: { queued: head.fence, pendingSinceMs: nowMs } };
}

/**
 * Reads the head after the view was written, and wakes the workload if no wake is on its way. A workload without a head is not woken.
 * @param enqueuedAtMs as for `sendWake`
 */
export async function wake(ports: WakePorts, key: WorkloadKey, urgency: Urgency = 'now', enqueuedAtMs?: number): Promise<void> {
  const head = await ports.store.readHead(key);
  if (!head) return;
  const prepared = await prepareWake(ports, head, urgency, enqueuedAtMs);
  if (!prepared) return;
  await ports.store.updateHead(key, { ifFence: prepared.ifFence }, prepared.change).catch((error: unknown) => {
    // Another pass has acquired the head since. It reads the view that was written before.
    if (!(error instanceof StaleWriteError)) throw error;
  });
}

/**
 * Wakes the workload whatever was sent before: the wake follows a new fence, so no deduplication drops it.
 * @param replaces the fence that the head had when it was read. @throws StaleWriteError if the head has another fence by now; nothing was
 * sent
 */
export async function wakeByNewFence(ports: WakePorts, key: WorkloadKey, replaces: string): Promise<void> {
  const fence = ports.clock.randomId();
  const change = { fence, queued: fence, pendingSinceMs: ports.clock.nowMs() };
  await ports.store.updateHead(key, { ifFence: replaces }, change).catch((error: unknown) => {
    // Our own write, repeated by a layer below (R8). The head says that this wake is on its way, so no other function sends it.
    const current = error instanceof StaleWriteError ? (error.current as Head | undefined) : undefined;
    if (current?.fence !== fence) throw error;
  });
  await sendWake(ports, key, fence);
}
