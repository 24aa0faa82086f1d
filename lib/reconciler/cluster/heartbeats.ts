// Handles a relay's heartbeat. It shows that the relay is alive, the age of its watches, the offset of its cluster's clock, and digests
// that show whether the view has missed something. A digest proves nothing (R19): a pass lists the workloads that differ live.
import * as v from 'valibot';
import { factsFor } from '../../kinds/facts.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import { formatKey } from '../../objects/workload.ts';
import { isInScope, type ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Head, Note, ReadsNotes } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import type { DigestMismatchMessage, EventMessage, Heartbeat, PartsDigest } from '../../wire/words/observations.ts';
import { invalidate, sendMismatches, mismatchOf, seenText } from './digest-mismatch.ts';
import { digestText } from '../view/parts-digest.ts';
import { askForEverything, raiseEra } from './era.ts';
import { countExternalOwners, externalOwnersSince, ExternalOwnersReported } from './external-owners.ts';
import { createHead, readHeadsOf } from '../head/heads.ts';
import { isKnownKind, isOfUnknownKind } from '../invocation/known-kinds.ts';
import { inParallel, WORKLOADS_AT_ONCE } from '../invocation/parallel.ts';
import { readView } from '../view/view-access.ts';
import { Reachability } from './reachability.ts';
import { sendNodeLooks } from './send-node-looks.ts';
import { sendLookAfter } from './send-cluster-looks.ts';
import { DIGEST_MISMATCH_SECONDS } from '../head/timeouts.ts';
import { wake } from '../head/wake.ts';

const MARKER = 'relay';
/** A larger offset comes from a broken clock, not a slow one (R12). */
export const LARGEST_OFFSET_MS = 600_000;
/** How many digest mismatches are remembered from one heartbeat to the next. */
const MOST_SUSPECTS = 200;

const RelayMarker = v.looseObject({
  session: v.string(),
  era: v.number(),
  heardAtMs: v.number(),
  clockOffsetMs: v.number(),
  /** Counted by the relay within its session, because a queue may deliver the later message first. Absent in markers of earlier builds. */
  sequence: v.optional(v.number()),
  watches: v.array(
    v.object({ resource: v.string(), ageMs: v.number(), resourceVersion: v.string(), refused: v.optional(v.literal(true)) }),
  ),
  /** The API server's state towards the relay, if it does not answer it; `sinceMs` by our own clock. */
  apiServer: v.optional(v.object({ state: v.picklist(['silent', 'refused']), sinceMs: v.number(), reason: v.string() })),
  /**
   * Digests that differed at the last heartbeat, and since when. They are shown to people, and listed live if the message for the second
   * look was lost.
   */
  suspects: v.record(v.string(), v.object({ digest: v.string(), sinceMs: v.number() })),
  /** A full list whose unnamed workloads are still to be looked up. Sweep removes it. */
  fullList: v.optional(
    v.object({ resourceVersion: v.string(), startedAtMs: v.number(), owners: v.optional(v.record(v.string(), v.string())) }),
  ),
  externalJobs: v.optional(ExternalOwnersReported),
  /** Where API servers reach the virtual nodes. */
  nodeApi: v.optional(v.object({ address: v.string(), ports: v.record(v.string(), v.number()) })),
});
export type RelayMarker = v.InferOutput<typeof RelayMarker>;

/** @returns undefined before the first heartbeat, or if the table was dropped */
export async function readMarker({ store }: ReadsNotes, cluster: string): Promise<{ version: number; marker: RelayMarker } | undefined> {
  const note = await store.readNote(cluster, MARKER);
  const marker = note && markerOf(note);
  return marker && { version: note.version, marker };
}

/** Where API servers reach a virtual node; undefined: nowhere, or no relay has said it since the table was lost. */
export async function endpointOf(
  ports: Pick<Ports, 'store' | 'nodeEndpointOf'>,
  cluster: string,
  node: string,
): Promise<{ address: string; port: number } | undefined> {
  if (ports.nodeEndpointOf) return ports.nodeEndpointOf(node);
  const { nodeApi } = (await readMarker(ports, cluster))?.marker ?? {};
  const port = nodeApi?.ports[node];
  return nodeApi && port !== undefined ? { address: nodeApi.address, port } : undefined;
}

/** @returns false if another heartbeat was first */
export async function putMarker({ store }: Pick<Ports, 'store'>, cluster: string, marker: RelayMarker, version: number): Promise<boolean> {
  try {
    await store.putNote(cluster, MARKER, JSON.stringify(marker), version);
    return true;
  } catch (error) {
    if (!(error instanceof StaleWriteError)) throw error;
    const current = error.current as Note | undefined;
    // The next heartbeat comes within a minute. A marker that cannot be read counts as missing (R1).
    if (!current || markerOf(current)) return false;
    await store.putNote(cluster, MARKER, JSON.stringify(marker), current.version);
    return true;
  }
}

function markerOf(note: Note): RelayMarker | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), RelayMarker), note.body);
  return parsed.success ? parsed.output : undefined;
}

/**
 * Stores a heartbeat in the marker. A relay that the table does not know is asked for everything. A restored API server raises the era. A
 * digest mismatch is looked at again, or, if it stood before, the head is invalidated.
 */
export async function learnFromHeartbeat(ports: Ports, record: ClusterRecord, message: EventMessage, heartbeat: Heartbeat): Promise<void> {
  const nowMs = ports.clock.nowMs();
  const known = await readMarker(ports, record.name);
  if (!known || (known.marker.session !== message.session && heartbeat.fullList === undefined && known.marker.era !== record.era)) {
    // The table does not know this relay, so it may have been dropped. Ask for everything again (R1).
    await askForEverything(ports, { ...record, after: message });
  }
  if (heartbeat.restored) {
    const { from, to } = heartbeat.restored;
    await raiseEra(ports, record, `the relay was shown version ${to} twice after it had heard of ${from}`);
  }
  if (record.kubeSystemUid === undefined)
    await ports.clusters.put({ ...record, kubeSystemUid: message.kubeSystemUid }, record.version).catch((error: unknown) => {
      // Another message stored the uid at the same time. If that was another cluster's uid, the next message of this sender is refused.
      if (!(error instanceof StaleWriteError)) throw error;
    });

  const server = await learnOfServer(ports, message, heartbeat, known?.marker);
  // Carry mismatches of unknown kinds along for functions that know them (decision 8).
  const suspects = Object.fromEntries(Object.entries(known?.marker.suspects ?? {}).filter(([text]) => isOfUnknownKind(text)));
  const mismatches: DigestMismatchMessage[] = [];
  const failures: unknown[] = [];
  const told = heartbeat.digests
    .filter(({ owner }) => isInScope(record, owner.namespace) && isKnownKind(owner))
    .map(({ owner, digest, parts = [] }) => ({ key: { cluster: record.name, ...owner }, digest: digestText(digest, parts), parts }));
  const heads = await readHeadsOf(
    ports,
    told.map(({ key }) => key),
  );
  // In parallel: a thousand large workloads, read one after another, would outlast the function, and with it the rest of its batch.
  await inParallel(told, WORKLOADS_AT_ONCE, async ({ key, digest, parts }) => {
    try {
      const seen = await differs(ports, record, { key, digest, parts }, heads.get(formatKey(key)));
      if (seen === undefined) return;
      const before = known?.marker.suspects[formatKey(key)];
      const sinceMs = before?.digest === digest ? before.sinceMs : nowMs;
      if (nowMs - sinceMs >= DIGEST_MISMATCH_SECONDS * 1000) await invalidate(ports, key);
      else {
        mismatches.push(mismatchOf(key, { told: digest, seen }));
        if (mismatches.length <= MOST_SUSPECTS) suspects[formatKey(key)] = { digest, sinceMs };
      }
    } catch (error) {
      failures.push(error);
    }
  });
  await sendMismatches(ports, mismatches);
  // By our own clock. The relay reports by its own clock how long ago the list began. The transport only makes that time later, never
  // earlier (R12).
  const begun = heartbeat.fullList && {
    ...heartbeat.fullList,
    startedAtMs: nowMs - Math.max(message.sentAtMs - heartbeat.fullList.startedAtMs, 0),
  };
  const fullList = begun ?? known?.marker.fullList;
  const external = externalOwnersSince(known?.marker.externalJobs ?? [], message.session, heartbeat.externalJobs ?? []);
  // Of two heartbeats of a session the later one counts, whichever comes first.
  const nodeApi = server.sequence === message.sequence ? heartbeat.nodeApi : known?.marker.nodeApi;
  const marker: RelayMarker = {
    session: message.session,
    era: record.era,
    heardAtMs: nowMs,
    clockOffsetMs: Math.max(-LARGEST_OFFSET_MS, Math.min(LARGEST_OFFSET_MS, heartbeat.clockOffsetMs)),
    watches: heartbeat.watches.map(({ refused, ...watch }) => ({ ...watch, ...(refused && { refused }) })),
    suspects,
    ...server,
    ...(fullList && { fullList }),
    ...(external.told.length > 0 && { externalJobs: external.told }),
    ...(nodeApi && { nodeApi: { address: nodeApi.address, ports: { ...nodeApi.ports } } }),
  };
  // Count only after storing, so that a repeated report counts nothing.
  if (await putMarker(ports, record.name, marker, known?.version ?? 0)) countExternalOwners(ports.telemetry, external.fresh);
  // Nobody can look into pods before their Nodes name the new place.
  if (nodeApi && JSON.stringify(nodeApi) !== JSON.stringify(known?.marker.nodeApi))
    await sendNodeLooks(ports, [record], { movedBy: `${message.session}:${message.sequence}` });
  // A workload that could not be looked at does not delay the others or the marker (R13). The message comes back for it.
  if (failures.length > 0) throw failures[0];
}

/**
 * Whether the API server answers its relay. A change puts the cluster's work off, or triggers a look at once (R14). A repeated report
 * changes nothing, because passes may have found another way since.
 */
async function learnOfServer(
  ports: Ports,
  { cluster, session, sequence }: EventMessage,
  { apiServer }: Heartbeat,
  before: RelayMarker | undefined,
): Promise<Pick<RelayMarker, 'sequence' | 'apiServer'>> {
  const isOvertaken = before?.session === session && (before.sequence ?? 0) > sequence;
  if (isOvertaken) return { sequence: before.sequence, ...(before.apiServer && { apiServer: before.apiServer }) };
  const reachability = new Reachability(ports);
  if (!apiServer) {
    if (before?.apiServer && (await reachability.relaySawAnswer(cluster))) await sendLookAfter(ports, cluster, { session, sequence });
    return { sequence };
  }
  const { state, forMs, reason } = apiServer;
  const same = before?.apiServer?.state === state ? before.apiServer : undefined;
  const sinceMs = same?.sinceMs ?? ports.clock.nowMs() - forMs;
  if (!same && state === 'silent') await reachability.relaySawSilence(cluster, { sinceMs, reason });
  return { sequence, apiServer: { state, sinceMs, reason } };
}

/**
 * @param read the head as read a moment ago
 * @returns the view's own digest if it differs; undefined if there is no mismatch
 */
async function differs(
  ports: Ports,
  record: ClusterRecord,
  { key, digest, parts }: { key: WorkloadKey; digest: string; parts: readonly PartsDigest[] },
  read: { head: Head | undefined } | undefined,
): Promise<string | undefined> {
  const { head } = read ?? { head: await ports.store.readHead(key) };
  if (!head) {
    // The relay knows a workload that the table does not know. A pass looks it up.
    await createHead(ports, key, record);
    await wake(ports, key);
    return undefined;
  }
  const { part, hasMissingItem, children } = await readView(ports.store, head, record.era);
  const seen = seenText(factsFor(key.kind), { part, children }, parts);
  return seen !== digest || hasMissingItem ? seen : undefined;
}
