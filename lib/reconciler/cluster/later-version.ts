// A relay that is newer than the functions: its messages come back until functions of its version take them
// (docs/decisions/0008-versions.md). Until then no other record shows the cluster concerned, so the sender is noted for people.
import * as v from 'valibot';
import type { Ports } from '../../ports/ports.ts';
import type { ReadsNotes } from '../../ports/store.ts';
import type { LaterBuildError } from '../../wire/words/undecodable.ts';
import type { ClusterFacts } from './cluster-state.ts';

const NOTE = 'later';
/** Each message comes back several times. */
const NOTED_EVERY_MS = 30_000;
/** After a pause this long, a new period begins. */
const OVER_AFTER_MS = 600_000;

const LaterVersion = v.looseObject({ sinceMs: v.number(), atMs: v.number(), reason: v.string() });

/** @param senderId as the queue gives it (R15). Never throws, because the note only informs people */
export async function noteLaterVersion(
  { clusters, store, clock, telemetry }: Pick<Ports, 'clusters' | 'store' | 'clock' | 'telemetry'>,
  senderId: string,
  error: LaterBuildError,
): Promise<void> {
  try {
    const records = (await clusters.list()).filter(({ senders }) => senders.includes(senderId));
    for (const { name } of records) {
      const atMs = clock.nowMs();
      const { known, version } = await read(store, name);
      const agoMs = known && Math.abs(atMs - known.atMs);
      if (agoMs !== undefined && agoMs < NOTED_EVERY_MS) continue;
      const sinceMs = known && agoMs !== undefined && agoMs < OVER_AFTER_MS ? known.sinceMs : atMs;
      await store.putNote(name, NOTE, JSON.stringify({ sinceMs, atMs, reason: error.message }), version);
    }
  } catch (failure) {
    telemetry.warn('not noted whose messages are of a later version', { senderId, error: failure });
  }
}

export async function readLaterVersion({ store }: ReadsNotes, cluster: string): Promise<ClusterFacts['laterVersion']> {
  return (await read(store, cluster)).known;
}

async function read(
  store: ReadsNotes['store'],
  cluster: string,
): Promise<{ known: v.InferOutput<typeof LaterVersion> | undefined; version: number }> {
  const note = await store.readNote(cluster, NOTE);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), LaterVersion), note?.body);
  return { known: parsed.success ? parsed.output : undefined, version: note?.version ?? 0 };
}
