// Heads whose wake or pass was lost get a new fence and a wake (R9): what a sweep does, and timers between two sweeps.
import type { WorkloadKey } from '../objects/workload.ts';
import type { Ports } from '../ports/ports.ts';
import type { Head } from '../ports/store.ts';
import { StaleWriteError } from '../ports/store.ts';
import { encodeTimer } from '../wire/messages.ts';
import { isLate } from './lateness.ts';
import { inParallel } from './parallel.ts';
import { STALE_LOOKS_AFTER_SECONDS, STALE_MS } from './waits.ts';
import { wakeByNewFence } from './wake.ts';

const WORKLOADS_AT_ONCE = 16;

/**
 * Wakes what is stale, unless its wake is merely late with all others. One workload that cannot be mended keeps nobody from the rest.
 * @param most looked at, the longest pending first; 1 to 10,000. @returns how many were woken
 */
export async function wakeStale(ports: Pick<Ports, 'store' | 'queue' | 'clock' | 'telemetry'>, most: number): Promise<number> {
  const nowMs = ports.clock.nowMs();
  const keys = await ports.store.pendingBefore(nowMs - STALE_MS, most);
  if (keys.length === 0) return 0;
  const depth = await ports.queue.depth('wakes');
  let woken = 0;
  await inParallel(keys, WORKLOADS_AT_ONCE, async (key) => {
    try {
      if (!(await isLate(ports, key.cluster, depth)) && (await mend(ports, key))) woken += 1;
    } catch (error) {
      ports.telemetry.error('stale workload not woken', { ...key, error });
    }
  });
  return woken;
}

/** Nothing sleeps in a function (R11): timers bring the next looks. */
export async function sendStaleLooks({ queue, clock }: Pick<Ports, 'queue' | 'clock'>): Promise<void> {
  const nowMs = clock.nowMs();
  await queue.send(
    'timers',
    STALE_LOOKS_AFTER_SECONDS.map((delaySeconds) => ({
      body: encodeTimer({ look: 'stale', dueAtMs: nowMs + delaySeconds * 1000 }),
      delaySeconds,
    })),
  );
}

/** The index is late: the head itself says whether it is stale. */
async function mend(ports: Pick<Ports, 'store' | 'queue' | 'clock' | 'telemetry'>, key: WorkloadKey): Promise<boolean> {
  const head: Head | undefined = await ports.store.readHead(key);
  const nowMs = ports.clock.nowMs();
  if (!head || head.pendingSinceMs === undefined || nowMs - Math.max(head.pendingSinceMs, head.openedAtMs) < STALE_MS) return false;
  try {
    await wakeByNewFence(ports, key, head.fence);
  } catch (error) {
    if (error instanceof StaleWriteError) return false;
    throw error;
  }
  ports.telemetry.warn('stale workload woken', { ...key, pendingMs: nowMs - head.pendingSinceMs });
  ports.telemetry.count('StaleWakes', 1, 'Count', { kind: key.kind });
  return true;
}
