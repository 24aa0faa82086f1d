// No wake is ever lost (R9): everybody who wakes does it here, in one way.
import { createHash } from 'node:crypto';
import type { Urgency } from '../../kinds/kind.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import { formatKey } from '../../objects/workload.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Queue } from '../../ports/queue.ts';
import type { Head, HeadChange } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { encodeTimer, encodeWake } from '../../wire/messages.ts';

/** SQS holds a message back for 900 s at most; what is due later waits in the due-time index that sweep reads. */
export const LONGEST_DELAY_SECONDS = 900;

/** After the latest pass. */
export const COMPANY_MS = 1_000;
const WAIT_MS: Record<Urgency, number> = { now: 0, soon: COMPANY_MS, debounced: 5 * COMPANY_MS };

/** Of the queue, sending is all that waking takes. */
export type Sends = { queue: Pick<Queue, 'send'> };
export type WakePorts = Pick<Ports, 'store' | 'clock'> & Sends;

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The FIFO group of a workload: its key may be longer than a group's id. */
export const groupOf = (key: WorkloadKey): string => digest(formatKey(key));

/**
 * @param follows the fence after which it comes: of all that follow the same one the queue keeps one (R9)
 * @param toldAtMs when the queue took the news that it is sent for, Unix milliseconds: lags are measured by it
 */
export async function sendWake({ queue }: Sends, key: WorkloadKey, follows: string, toldAtMs?: number): Promise<void> {
  const body = encodeWake({ key: formatKey(key), follows, toldAtMs });
  await queue.send('wakes', [{ body, groupId: groupOf(key), deduplicationId: digest(`${formatKey(key)} ${follows}`) }]);
}

/** Sends the delayed wake that falls within the queue's reach; a later one is left to the index. The queue is fair by cluster. */
export async function sendTimer(
  { queue, clock }: Pick<Ports, 'clock'> & Sends,
  head: Head,
  due: { dueAtMs: number; attempt: number; toldAtMs?: number | undefined },
): Promise<void> {
  const delaySeconds = Math.ceil(Math.max(due.dueAtMs - clock.nowMs(), 0) / 1000);
  if (delaySeconds > LONGEST_DELAY_SECONDS) return;
  const body = encodeTimer({ key: formatKey(head.key), follows: head.fence, ...due });
  await queue.send('timers', [{ body, groupId: head.key.cluster, delaySeconds }]);
}

/**
 * Sends what this head still needs, and says what must then be written beside it, on the condition that the fence is still the head's.
 * @param toldAtMs as for `sendWake`
 * @returns undefined when a wake is on its way already
 */
export async function prepareWake(
  ports: WakePorts,
  head: Head,
  urgency: Urgency,
  toldAtMs?: number,
): Promise<{ ifFence: string; change: HeadChange } | undefined> {
  if (head.queued === head.fence) return undefined;
  const nowMs = ports.clock.nowMs();
  // A clock that was set back must not make it wait for longer.
  const dueAtMs = Math.min(head.openedAtMs, nowMs) + WAIT_MS[urgency];
  if (urgency !== 'now' && dueAtMs > nowMs) {
    // A timer that is to come no later will do.
    if (head.wake && head.wake.dueAtMs > nowMs && head.wake.dueAtMs <= dueAtMs) return undefined;
    const timer = { dueAtMs, attempt: 0 };
    await sendTimer(ports, head, { ...timer, toldAtMs });
    return { ifFence: head.fence, change: { wake: timer, pendingSinceMs: dueAtMs } };
  }
  await sendWake(ports, head.key, head.fence, toldAtMs);
  return { ifFence: head.fence, change: { queued: head.fence, pendingSinceMs: nowMs } };
}

/**
 * Reads the head after the view was written, and wakes the workload if no wake is on its way. A workload without a head is none.
 * @param toldAtMs as for `sendWake`
 */
export async function wake(ports: WakePorts, key: WorkloadKey, urgency: Urgency = 'now', toldAtMs?: number): Promise<void> {
  const head = await ports.store.readHead(key);
  if (!head) return;
  const prepared = await prepareWake(ports, head, urgency, toldAtMs);
  if (!prepared) return;
  await ports.store.updateHead(key, { ifFence: prepared.ifFence }, prepared.change).catch((error: unknown) => {
    // Another pass opened since: it reads the view that was written before.
    if (!(error instanceof StaleWriteError)) throw error;
  });
}

/**
 * Wakes it whatever was sent before: a new fence makes a wake that no deduplication swallows.
 * @param replaces the fence that the head had when it was read. @throws StaleWriteError it has another one by now, and nothing was sent
 */
export async function wakeByNewFence(ports: WakePorts, key: WorkloadKey, replaces: string): Promise<void> {
  const fence = ports.clock.randomId();
  const change = { fence, queued: fence, pendingSinceMs: ports.clock.nowMs() };
  await ports.store.updateHead(key, { ifFence: replaces }, change).catch((error: unknown) => {
    // Our own try, repeated below us (R8): it is written that this wake is on its way, and nobody else sends it.
    const current = error instanceof StaleWriteError ? (error.current as Head | undefined) : undefined;
    if (current?.fence !== fence) throw error;
  });
  await sendWake(ports, key, fence);
}
