// Once a minute: repairs losses. The safety net under wakes, timers and relays. A failing item never ends the sweep.
import { formatKey, type WorkloadKey } from '../objects/workload.ts';
import { isNewer } from '../objects/values/resource-version.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import { clusterStatesOf, type ClusterStateName } from './cluster/cluster-state.ts';
import { readHeadsOf } from './head/heads.ts';
import { putMarker } from './cluster/heartbeats.ts';
import { readKnownCluster } from './cluster/known-cluster.ts';
import { wakeOverdueRuns } from './runs/run-messages.ts';
import { isKnownKind } from './invocation/known-kinds.ts';
import { inParallel } from './invocation/parallel.ts';
import { countRelayDeadLetters } from './cluster/relay-dead-letters.ts';
import { sendNodeLooks } from './cluster/send-node-looks.ts';
import { sendClusterLooks } from './cluster/send-cluster-looks.ts';
import { sendStaleLooks, wakeStale } from './head/stuck-heads.ts';
import { UNKNOWN_ERA } from './view/floors.ts';
import { SWEEP_EVERY_MS } from './head/timeouts.ts';
import { sendTimer, wake } from './head/wake.ts';

export interface SweepOptions {
  /** Items per page when a whole index is read. */
  pageSize: number;
  /** Stuck or due workloads handled in one sweep; those that have waited longest come first. */
  mostAtOnce: number;
}

/** Five thousand a minute: the Jobs of all clusters end, and an hour later each is due for its deletion. */
const SWEEP_OPTIONS: SweepOptions = { pageSize: 500, mostAtOnce: 5_000 };

const WORKLOADS_AT_ONCE = 16;
/** A renewal may wait 10 s for a cluster that does not answer. */
const RENEWALS_AT_ONCE = 32;

export interface Swept {
  woken: number;
  due: number;
  silentClusters: string[];
  lookedUp: number;
}

/** @returns the number of workloads and clusters that it found and woke */
export async function sweep(ports: Ports, options: SweepOptions = SWEEP_OPTIONS): Promise<Swept> {
  const swept: Swept = { woken: 0, due: 0, silentClusters: [], lookedUp: 0 };
  const nowMs = ports.clock.nowMs();
  // List the clusters once, and only when needed. After a failure the next caller lists again.
  let listed: Promise<ClusterRecord[]> | undefined;
  const registered = async (): Promise<ClusterRecord[]> =>
    await (listed ??= ports.clusters.list().catch((error: unknown) => {
      listed = undefined;
      throw error;
    }));
  swept.woken = await wakeStale(ports, options.mostAtOnce, async (cluster) => (await registered()).find(({ name }) => name === cluster));
  await sendStaleLooks(ports).catch((error: unknown) =>
    ports.telemetry.warn('no look for stale workloads before the next sweep', { error }),
  );
  try {
    const overdue = await wakeOverdueRuns(ports);
    if (overdue > 0) ports.telemetry.count('OverdueRuns', overdue, 'Count', {});
  } catch (error) {
    ports.telemetry.warn('no overdue run is woken before the next sweep', { error });
  }
  const due = (await ports.store.dueBefore(nowMs + SWEEP_EVERY_MS, options.mostAtOnce)).filter(isKnownKind);
  await each(ports, due, async (key) => {
    const head = await ports.store.readHead(key);
    if (!head?.wake || head.queued === head.fence) return;
    swept.due += 1;
    if (head.wake.dueAtMs <= ports.clock.nowMs()) await wake(ports, key);
    else await sendTimer(ports, head, head.wake);
  });
  const records = (await registered()).filter(({ leaving }) => leaving !== true);
  await sendClusterLooks(ports, records).catch((error: unknown) =>
    ports.telemetry.warn('no look at clusters before the next sweep', { error }),
  );
  await sendNodeLooks(ports, records).catch((error: unknown) =>
    ports.telemetry.warn('no look at virtual nodes before the next sweep', { error }),
  );
  const renewed = inParallel(records, RENEWALS_AT_ONCE, async (record) => await renewCredential(ports, record));
  // Before the slow part, which grows with the number of workloads.
  await countRelayDeadLetters(ports, records, nowMs);
  for (const record of records) {
    try {
      await lookAfter(ports, record, options, swept);
    } catch (error) {
      ports.telemetry.error('sweep could not look after a cluster', { cluster: record.name, error });
    }
  }
  await renewed;
  ports.telemetry.info('swept', { ...swept });
  ports.telemetry.count('SweepsFinished', 1, 'Count');
  return swept;
}

/** A workload that cannot be repaired does not stop the others (R13). @returns how many could not be repaired */
async function each(
  { telemetry }: Pick<Ports, 'telemetry'>,
  keys: readonly WorkloadKey[],
  mend: (key: WorkloadKey) => Promise<void>,
): Promise<number> {
  let bad = 0;
  await inParallel(keys, WORKLOADS_AT_ONCE, async (key) => {
    try {
      await mend(key);
    } catch (error) {
      bad += 1;
      telemetry.error('sweep could not mend a workload', { ...key, error });
    }
  });
  return bad;
}

/** A credential that cannot be renewed is reported every minute, and does not affect other clusters. */
async function renewCredential({ renewCredential: renew, telemetry }: Ports, record: ClusterRecord): Promise<void> {
  try {
    if (await renew?.(record)) telemetry.info('credential of a cluster renewed', { cluster: record.name });
  } catch (error) {
    telemetry.error('credential of a cluster cannot be renewed', { cluster: record.name, error });
    telemetry.count('CredentialsNotRenewed', 1, 'Count', { cluster: record.name });
  }
}

/** The API server answers no one, or at least not its relay. */
const SILENT_STATES: readonly ClusterStateName[] = ['Unreachable', 'Refused', 'RelayCutOff'];

/** Counts the cluster's state for the alarms. After a full list, known workloads that it did not name are looked up live. */
async function lookAfter(ports: Ports, record: ClusterRecord, { pageSize }: SweepOptions, swept: Swept): Promise<void> {
  const { facts, marker: known, markerVersion } = await readKnownCluster(ports, record);
  const states = clusterStatesOf(facts, ports.clock.nowMs());
  const isIn = (...names: readonly ClusterStateName[]): boolean => states.some(({ state }) => names.includes(state));
  // Counted once a minute as long as it lasts. WatchAge shows the other states.
  if (isIn(...SILENT_STATES)) ports.telemetry.count('SilentClusters', 1, 'Count', { cluster: record.name });
  if (isIn('Forbidden')) ports.telemetry.count('ForbiddenClusters', 1, 'Count', { cluster: record.name });
  // The cluster was just registered; or its relay never started; or the table lost the data of a relay that is silent since.
  if (isIn('Waiting')) ports.telemetry.count('UnheardClusters', 1, 'Count', { cluster: record.name });
  if (!known) return;
  const silentForMs = ports.clock.nowMs() - known.heardAtMs;
  const watchAgeMs = Math.max(silentForMs, ...known.watches.map(({ ageMs }) => ageMs));
  ports.telemetry.count('WatchAge', watchAgeMs, 'Milliseconds', { cluster: record.name });
  ports.telemetry.count('ClockOffset', Math.abs(known.clockOffsetMs), 'Milliseconds', { cluster: record.name });
  if (isIn('Silent')) {
    swept.silentClusters.push(record.name);
    ports.telemetry.error('relay is silent', { cluster: record.name, silentForMs });
  }
  const { fullList, ...marker } = known;
  if (!fullList) return;
  let after: string | undefined;
  let isWhole = true;
  do {
    const page = await ports.store.workloads(record.name, { limit: pageSize, ...(after !== undefined && { after }) });
    // Read the heads together. One by one, those of a cluster with tens of thousands of Jobs would outlast the function, every minute anew.
    const heads = await readHeadsOf(ports, page.keys);
    const bad = await each(ports, page.keys, async (key) => {
      const { head } = heads.get(formatKey(key)) ?? { head: await ports.store.readHead(key) };
      if (!head || head.bornAtMs >= fullList.startedAtMs) return;
      // A floor of an earlier era says nothing about this one (R3).
      const listed = fullList.owners?.[key.kind] ?? fullList.resourceVersion;
      if (head.era >= record.era && !isNewer(listed, head.floor)) return;
      // No function of this build can take a wake of an unknown kind. The head waits for the sweep of functions that know the kind.
      const isKnown = isKnownKind(key);
      await ports.store.updateHead(key, {}, { era: UNKNOWN_ERA, ...(!isKnown && { pendingSinceMs: ports.clock.nowMs() }) });
      if (!isKnown) return;
      await wake(ports, key);
      swept.lookedUp += 1;
    });
    isWhole &&= bad === 0;
    after = page.next;
  } while (after !== undefined);
  // Otherwise the next sweep looks up the rest.
  if (isWhole) await putMarker(ports, record.name, marker, markerVersion);
}
