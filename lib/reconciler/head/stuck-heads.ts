// Heads whose wake or pass was lost get a new fence and a wake (R9): what a sweep does, and timers between two sweeps.
import type { WorkloadKey } from '../../objects/workload.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Head } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { encodeTimer } from '../../wire/messages.ts';
import { isLate } from './queue-lag.ts';
import { isKnownKind } from '../known-kinds.ts';
import { inParallel } from '../parallel.ts';
import { STALE_LOOKS_AFTER_SECONDS, STALE_MS } from './timeouts.ts';
import { wakeByNewFence } from './wake.ts';

const WORKLOADS_AT_ONCE = 16;

/** The cluster of that name, as far as it is registered. */
type RecordOf = (cluster: string) => Promise<ClusterRecord | undefined>;
type StalePorts = Pick<Ports, 'store' | 'queue' | 'clock' | 'telemetry'>;

/**
 * Of a cluster that leaves, or whose record is missing, passes do nothing: what is pending there is not lost, and nobody's to mend. One whose
 * record cannot be read just now is none of them.
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
 * Wakes what is stale, unless its wake is merely late with all others. One workload that cannot be mended keeps nobody from the rest.
 * @param most looked at, the longest pending first; 1 to 10,000
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

/** So that it keeps nobody from being found (R13), and is found itself should its cluster be registered again. */
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

/** The index is late: the head itself says whether it is stale. */
async function readStale(
  { store, clock }: Pick<Ports, 'store' | 'clock'>,
  key: WorkloadKey,
): Promise<(Head & { pendingSinceMs: number }) | undefined> {
  const head = await store.readHead(key);
  const { pendingSinceMs } = head ?? {};
  if (!head || pendingSinceMs === undefined || clock.nowMs() - Math.max(pendingSinceMs, head.openedAtMs) < STALE_MS) return undefined;
  return { ...head, pendingSinceMs };
}
