// Is one wake lost, or are all wakes late? A queue that knows how long its messages wait is asked (QueueDepth.waitingSinceMs). SQS does not
// know: there, the functions that receive wakes note it when wakes of several workloads came late, each judged by its first delivery (R9).
import * as v from 'valibot';
import type { WorkloadKey } from '../../objects/workload.ts';
import type { Ports } from '../../ports/ports.ts';
import type { QueueDepth } from '../../ports/queue.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { STALE_MS } from './timeouts.ts';

const NOTE = 'late';
/** Late wakes of one workload may be its own trouble. Late wakes of this many mean queue lag. */
const WORKLOADS = 3;
const REMEMBERED_MS = 60_000;
/** Other functions may note the same at the same time. */
const MOST_TRIES = 3;

const Late = v.object({ seen: v.array(v.object({ uid: v.string(), atMs: v.number() })) });

/** @param sentAtMs of a message received for the first time */
export async function noteQueueLag(
  { store, clock }: Pick<Ports, 'store' | 'clock'>,
  { cluster, uid }: Pick<WorkloadKey, 'cluster' | 'uid'>,
  sentAtMs: number,
): Promise<void> {
  const nowMs = clock.nowMs();
  if (nowMs - sentAtMs < STALE_MS) return;
  for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
    const { seen, version } = await readLate(store, cluster, nowMs);
    if (seen.length >= WORKLOADS && seen.every(({ atMs }) => nowMs - atMs < REMEMBERED_MS / 2)) return;
    const others = seen.filter((each) => each.uid !== uid).slice(0, WORKLOADS - 1);
    try {
      await store.putNote(cluster, NOTE, JSON.stringify({ seen: [{ uid, atMs: nowMs }, ...others] }), version);
      return;
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
    }
  }
}

/** Whether the wakes of this cluster's workloads come late as a whole. */
export async function isLate({ store, clock }: Pick<Ports, 'store' | 'clock'>, cluster: string, depth: QueueDepth): Promise<boolean> {
  const nowMs = clock.nowMs();
  if (depth.visible === 0) return false;
  if (depth.waitingSinceMs !== undefined) return depth.waitingSinceMs !== null && nowMs - depth.waitingSinceMs >= STALE_MS;
  // No function receives wakes any more.
  if (depth.inFlight === 0) return true;
  return (await readLate(store, cluster, nowMs)).seen.length >= WORKLOADS;
}

async function readLate(
  store: Ports['store'],
  cluster: string,
  nowMs: number,
): Promise<{ seen: v.InferOutput<typeof Late>['seen']; version: number }> {
  const note = await store.readNote(cluster, NOTE);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Late), note?.body);
  const seen = parsed.success ? parsed.output.seen.filter(({ atMs }) => Math.abs(nowMs - atMs) < REMEMBERED_MS) : [];
  return { seen, version: note?.version ?? 0 };
}
