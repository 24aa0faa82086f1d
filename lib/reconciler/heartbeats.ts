// What a relay's heartbeat tells: it is alive, how old its watches are, how far its cluster's clock is off, and digests that show
// whether the view has missed something. A digest proves nothing (R19): what differs is listed live by a pass.
import * as v from 'valibot';
import type { WorkloadKey } from '../objects/workload.ts';
import { formatKey, parseKey } from '../objects/workload.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import type { Note } from '../ports/store.ts';
import { StaleWriteError } from '../ports/store.ts';
import { digestOf } from '../wire/digest.ts';
import type { EventMessage, Heartbeat, ViewPart, WorkloadDigest } from '../wire/observations.ts';
import { askForEverything } from './era.ts';
import { createHead } from './heads.ts';
import { UNKNOWN_ERA, readView } from './view-access.ts';
import { wake } from './wake.ts';

const MARKER = 'relay';
/** Offsets beyond this are a broken clock, not a slow one (R12). */
export const LARGEST_OFFSET_MS = 600_000;
/** A mismatch counts when it still stands after so long. */
const SETTLING_MS = 4_000;

const RelayMarker = v.object({
  session: v.string(),
  era: v.number(),
  heardAtMs: v.number(),
  clockOffsetMs: v.number(),
  watches: v.array(v.object({ resource: v.string(), ageMs: v.number(), resourceVersion: v.string() })),
  /** Digests that differed at the last heartbeat, and since when. */
  suspects: v.record(v.string(), v.object({ digest: v.string(), sinceMs: v.number() })),
  /** Full lists whose unnamed workloads are still to be looked up; sweep takes it off. */
  fullList: v.optional(v.object({ resourceVersion: v.string(), startedAtMs: v.number() })),
});
export type RelayMarker = v.InferOutput<typeof RelayMarker>;

/** @returns undefined before the first heartbeat, or when the table was dropped */
export async function readMarker(
  { store }: Pick<Ports, 'store'>,
  cluster: string,
): Promise<{ version: number; marker: RelayMarker } | undefined> {
  const note = await store.readNote(cluster, MARKER);
  const marker = note && markerOf(note);
  return marker && { version: note.version, marker };
}

export async function putMarker({ store }: Pick<Ports, 'store'>, cluster: string, marker: RelayMarker, version: number): Promise<void> {
  try {
    await store.putNote(cluster, MARKER, JSON.stringify(marker), version);
  } catch (error) {
    if (!(error instanceof StaleWriteError)) throw error;
    const current = error.current as Note | undefined;
    // Another heartbeat was first: the next one comes within a minute. What cannot be read counts as missing (R1).
    if (current && !markerOf(current)) await store.putNote(cluster, MARKER, JSON.stringify(marker), current.version);
  }
}

function markerOf(note: Note): RelayMarker | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), RelayMarker), note.body);
  return parsed.success ? parsed.output : undefined;
}

export async function learnFromHeartbeat(ports: Ports, record: ClusterRecord, message: EventMessage, heartbeat: Heartbeat): Promise<void> {
  const nowMs = ports.clock.nowMs();
  const known = await readMarker(ports, record.name);
  if (!known || (known.marker.session !== message.session && heartbeat.fullList === undefined && known.marker.era !== record.era)) {
    // The table does not know this relay: it may have been dropped, so everything is asked for again (R1).
    await askForEverything(ports, record);
  }
  if (record.kubeSystemUid === undefined) await ports.clusters.put({ ...record, kubeSystemUid: message.kubeSystemUid }, record.version);

  const suspects: RelayMarker['suspects'] = {};
  for (const digest of heartbeat.digests) {
    const key: WorkloadKey = { cluster: record.name, ...digest.owner };
    if (!(await differs(ports, record, key, digest))) continue;
    const before = known?.marker.suspects[formatKey(key)];
    const sinceMs = before?.digest === digest.digest ? before.sinceMs : nowMs;
    if (nowMs - sinceMs >= SETTLING_MS) await distrust(ports, key);
    else suspects[formatKey(key)] = { digest: digest.digest, sinceMs };
  }
  // A suspect that this heartbeat did not name is looked at by a pass all the same once it has stood for long enough.
  for (const [text, suspect] of Object.entries(known?.marker.suspects ?? {})) {
    const key = parseKey(text);
    if (!key || suspects[text] || heartbeat.digests.some(({ owner }) => owner.uid === key.uid)) continue;
    if (nowMs - suspect.sinceMs >= SETTLING_MS) await distrust(ports, key);
    else suspects[text] = suspect;
  }
  const fullList = heartbeat.fullList ?? known?.marker.fullList;
  const marker: RelayMarker = {
    session: message.session,
    era: record.era,
    heardAtMs: nowMs,
    clockOffsetMs: Math.max(-LARGEST_OFFSET_MS, Math.min(LARGEST_OFFSET_MS, heartbeat.clockOffsetMs)),
    watches: heartbeat.watches,
    suspects,
    ...(fullList && { fullList }),
  };
  await putMarker(ports, record.name, marker, known?.version ?? 0);
}

/** It may be the view that has heard more, a pass's own writes come first: whatever stands for a while is looked up. */
async function differs(ports: Ports, record: ClusterRecord, key: WorkloadKey, { digest }: WorkloadDigest): Promise<boolean> {
  const head = await ports.store.readHead(key);
  if (!head) {
    // The relay knows a workload that the table does not: a pass looks it up.
    await createHead(ports, key, record);
    await wake(ports, key);
    return false;
  }
  const { part, hole } = await readView(ports.store, head, record.era);
  if (hole) return true;
  return viewDigestOf(part) !== digest;
}

/** The digest that a relay with the same knowledge sends. */
export function viewDigestOf(part: ViewPart): string {
  const living = [...part.pods.values()].filter(({ deleted }) => !deleted).map(({ pod }) => pod);
  const owner = part.owner && !part.owner.deleted ? part.owner.object.metadata : undefined;
  return digestOf([
    ...living.map(({ uid, resourceVersion }) => ({ uid, resourceVersion })),
    ...(owner ? [{ uid: owner.uid ?? '', resourceVersion: owner.resourceVersion ?? '' }] : []),
  ]);
}

/** The head counts as missing from now on: the next pass lists the workload live (R1, R19). */
export async function distrust(ports: Pick<Ports, 'store' | 'queue' | 'clock' | 'telemetry'>, key: WorkloadKey): Promise<void> {
  ports.telemetry.warn('view differs from the relay', { ...key });
  ports.telemetry.count('ViewMismatches', 1, 'Count', { kind: key.kind });
  try {
    await ports.store.updateHead(key, {}, { era: UNKNOWN_ERA });
  } catch (error) {
    if (error instanceof StaleWriteError) return;
    throw error;
  }
  await wake(ports, key);
}
