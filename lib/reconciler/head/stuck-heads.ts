// A head whose wake or pass was lost gets a new fence and a wake (R9): in every sweep, and by timers between two sweeps.
import type { WorkloadKey } from '../../objects/workload.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Head } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { encodeTimer } from '../../wire/messages.ts';
import { isLate } from './queue-lag.ts';
import { isKnownKind } from '../invocation/known-kinds.ts';
import { inParallel } from '../invocation/parallel.ts';
import { STALE_LOOKS_AFTER_SECONDS, STALE_MS } from './timeouts.ts';
import { wakeByNewFence } from './wake.ts';

const WORKLOADS_AT_ONCE = 16;

/** The record of the cluster of that name; undefined if it is not registered. */
type RecordOf = (cluster: string) => Promise<ClusterRecord | undefined>;
type StalePorts = Pick<Ports, 'store' | 'queue' | 'clock' | 'telemetry'>;

/**
 * Clusters that are being removed or have no record. Passes do nothing there, so a pending head is not lost and needs no repair. A cluster
 * whose record cannot be read now does not count as one.
 */
async function leftAlone(clusters: ReadonlySet<string>, recordOf: RecordOf): Promise<ReadonlySet<string>> {
  const left = new Set<string>();
  await inParallel([...clusters], WORKLOADS_AT_ONCE, async (cluster) => {
    const read = await recordOf(cluster).then(
      (record) => ({ record }),
      () => undefined,
    );
    if (read && (!read.record || read.record.leaving)) left.add(cluster);
  });
  return left;
}

/**
 * Wakes stuck heads, unless their wakes are late along with all others. A workload that cannot be repaired does not stop the rest.
 * @param most heads to look at, the longest pending first; 1 to 10,000
 * @returns how many were woken
 */
export async function wakeStale(ports: StalePorts, most: number, recordOf: RecordOf): Promise<number> {
  const nowMs = ports.clock.nowMs();
  const keys = (await ports.store.pendingBefore(nowMs - STALE_MS, most)).filter(isKnownKind);
  if (keys.length === 0) return 0;
  const left = await leftAlone(new Set(keys.map(({ cluster }) => cluster)), recordOf);
  const depth = await ports.queue.depth('wakes');
  let woken = 0;
  await inParallel(keys, WORKLOADS_AT_ONCE, async (key) => {
    try {
      if (left.has(key.cluster)) await putBehind(ports, key);
      else if (!(await isLate(ports, key.cluster, depth)) && (await mend(ports, key))) woken += 1;
    } catch (error) {
      ports.telemetry.error('stale workload not woken', { ...key, error });
    }
  });
  return woken;
}

/** Nothing sleeps in a function (R11), so timers trigger the next looks. */
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

/** Moves the head to the end of the index, so that others are found (R13). It is still found itself if its cluster is registered again. */
async function putBehind(ports: StalePorts, key: WorkloadKey): Promise<void> {
  const head = await readStale(ports, key);
  if (!head) return;
  try {
    await ports.store.updateHead(key, { ifFence: head.fence }, { pendingSinceMs: ports.clock.nowMs() });
  } catch (error) {
    if (!(error instanceof StaleWriteError)) throw error;
  }
}

async function mend(ports: StalePorts, key: WorkloadKey): Promise<boolean> {
  const head = await readStale(ports, key);
  if (!head) return false;
  try {
    await wakeByNewFence(ports, key, head.fence);
  } catch (error) {
    if (error instanceof StaleWriteError) return false;
    throw error;
  }
  ports.telemetry.warn('stale workload woken', { ...key, pendingMs: ports.clock.nowMs() - head.pendingSinceMs });
  ports.telemetry.count('StaleWakes', 1, 'Count', { kind: key.kind });
  return true;
}

/** The index lags, so the head itself decides whether it is stuck. */
async function readStale(
  { store, clock }: Pick<Ports, 'store' | 'clock'>,
  key: WorkloadKey,
): Promise<(Head & { pendingSinceMs: number }) | undefined> {
  const head = await store.readHead(key);
  const { pendingSinceMs } = head ?? {};
  if (!head || pendingSinceMs === undefined || clock.nowMs() - Math.max(pendingSinceMs, head.openedAtMs) < STALE_MS) return undefined;
  return { ...head, pendingSinceMs };
}
