// Finds workloads by kind or name, and reads each.
import { factsFor, findFacts } from '../kinds/facts.ts';
import { findKindNamed } from '../kinds/kind-names.ts';
import { shownFor } from '../kinds/shown.ts';
import type { WorkloadKey } from '../objects/workload.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import type { PassRecord } from '../ports/recorder.ts';
import { clusterStatesOf } from '../reconciler/cluster/cluster-state.ts';
import { readKnownCluster } from '../reconciler/cluster/known-cluster.ts';
import { decodeState } from '../reconciler/head/pass-state.ts';
import { inParallel } from '../reconciler/invocation/parallel.ts';
import { readView } from '../reconciler/view/view-access.ts';
import { readableDetail, readableSummary } from './told-workload.ts';
import type { Known, Surroundings, WorkloadDetail, WorkloadSummary } from './told-workload.ts';

type ReadPorts = Pick<Ports, 'store' | 'clusters' | 'clock' | 'telemetry'>;

export interface WorkloadFilter {
  cluster?: string;
  kind?: string;
  namespace?: string;
  name?: string;
}

const KEYS_PER_PAGE = 1_000;
/** Pages of the index read for one answer. An answer must come within 29 s, and a filter may reject nearly every workload. */
const PAGES_PER_ANSWER = 100;
/** Most workloads of one name in one namespace. All but one are of former uids. */
const MOST_NAMESAKES = 20;
/** Bytes of a key in the table. */
const KEY_BYTES_MAX = 1_024;
const READS_AT_ONCE = 16;
/** Latest passes that a workload's reasons are derived from. */
const PASSES_THAT_TELL = 5;

/**
 * Workloads in the order of clusters and keys, each read from its head and view: as they stand at this moment. Lists of many come from
 * summaries (list/list-summaries.ts).
 * @param options.limit 1 to 1,000
 */
export async function listWorkloads(
  ports: ReadPorts,
  filter: WorkloadFilter,
  { limit }: { limit: number },
): Promise<{ items: WorkloadSummary[] }> {
  const kind = kindIn(filter);
  const keys = await findKeys(ports, { ...filter, ...(kind !== undefined && { kind }) }, limit);
  const items: (WorkloadSummary | undefined)[] = Array.from({ length: keys.length });
  const surroundings = new Map<string, Promise<Surroundings>>();
  await inParallel([...keys.entries()], READS_AT_ONCE, async ([at, { key, record }]) => {
    const known = await readKnown(ports, key, record);
    if (!known) return;
    const place = `${key.cluster}/${key.namespace}`;
    const reading = surroundings.get(place) ?? surroundingsOf(ports, record, key.namespace);
    surroundings.set(place, reading);
    items[at] = readableSummary(known, await reading, ports);
  });
  return { items: items.filter((item) => item !== undefined) };
}

/** All workloads of that name: several if the pods of a former uid are still being released. */
export async function describeWorkloads(
  ports: ReadPorts & Pick<Ports, 'recorder'>,
  filter: Required<WorkloadFilter>,
): Promise<WorkloadDetail[]> {
  const keys = await keysNamed(ports, filter);
  const recorded = await latestPasses(ports, keys);
  const details: WorkloadDetail[] = [];
  for (const { key, record } of keys) {
    const known = await readKnown(ports, key, record);
    if (!known) continue;
    const passes = recorded.filter((pass) => pass.key.uid === key.uid && pass.by === undefined);
    details.push(readableDetail(known, await surroundingsOf(ports, record, key.namespace), passes, ports));
  }
  return details.toSorted((a, b) => (b.creationTime ?? '').localeCompare(a.creationTime ?? ''));
}

/** The views of all workloads of that name, without their passes: the youngest first. */
export async function viewsNamed(ports: ReadPorts, filter: Required<WorkloadFilter>): Promise<{ known: Known; record: ClusterRecord }[]> {
  const found = await Promise.all(
    (await keysNamed(ports, filter)).map(async ({ key, record }) => ({ known: await readKnown(ports, key, record), record })),
  );
  return found
    .flatMap(({ known, record }) => (known ? [{ known, record }] : []))
    .toSorted((a, b) => b.known.head.bornAtMs - a.known.head.bornAtMs);
}

/**
 * The passes of all namesakes, newest first, in one search: each search takes up to 15 s on AWS. A large log may take too long. The
 * workloads are answered all the same, because passes only add to their reasons.
 */
async function latestPasses(
  { recorder, telemetry }: Pick<Ports, 'recorder' | 'telemetry'>,
  keys: readonly FoundKey[],
): Promise<PassRecord[]> {
  const [first] = keys;
  if (!first) return [];
  try {
    return await recorder.passes(first.key, PASSES_THAT_TELL * keys.length);
  } catch (error) {
    telemetry.warn('a workload is told of without its latest passes', { ...first.key, error });
    return [];
  }
}

interface FoundKey {
  key: WorkloadKey;
  record: ClusterRecord;
}

async function findKeys({ clusters, store }: ReadPorts, filter: WorkloadFilter, limit: number): Promise<FoundKey[]> {
  const records = (await clusters.list())
    .filter(({ name }) => filter.cluster === undefined || name === filter.cluster)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const found: FoundKey[] = [];
  // With a name, few workloads match.
  const pageSize = filter.name === undefined ? Math.min(limit, KEYS_PER_PAGE) : KEYS_PER_PAGE;
  let pages = 0;
  for (const record of records) {
    let after: string | undefined;
    do {
      const page = await store.workloads(record.name, { limit: pageSize, ...(after !== undefined && { after }) });
      pages += 1;
      for (const key of page.keys) if (matches(key, filter)) found.push({ key, record });
      if (found.length >= limit || pages >= PAGES_PER_ANSWER) return found;
      after = page.next;
    } while (after !== undefined);
  }
  return found;
}

/** Keys are sorted, so those of one name are neighbours. */
async function keysNamed({ clusters, store }: ReadPorts, filter: Required<WorkloadFilter>): Promise<FoundKey[]> {
  const { cluster, namespace, name } = filter;
  const kind = kindIn(filter);
  const record = (await clusters.list()).find((known) => known.name === cluster);
  const before = `${cluster}/${kind}/${namespace}/${name}/`;
  if (!kind || !record || Buffer.byteLength(before) > KEY_BYTES_MAX) return [];
  const { keys } = await store.workloads(cluster, { limit: MOST_NAMESAKES, after: before });
  return keys.filter((key) => matches(key, { ...filter, kind })).map((key) => ({ key, record }));
}

/** Resolves the names that people use for kinds. */
const kindIn = ({ kind }: WorkloadFilter): string | undefined => kind && (findKindNamed(kind)?.kind ?? kind);

/** Hides kinds that only a later build knows; that build shows them. */
const matches = (key: WorkloadKey, { kind, namespace, name }: WorkloadFilter): boolean =>
  findFacts(key.kind) !== undefined &&
  (kind === undefined || key.kind === kind) &&
  (namespace === undefined || key.namespace === namespace) &&
  (name === undefined || key.name === name);

async function surroundingsOf(ports: ReadPorts, record: ClusterRecord, namespace: string): Promise<Surroundings> {
  const { facts, marker } = await readKnownCluster(ports, record, namespace);
  const clusterStates = clusterStatesOf(facts, ports.clock.nowMs(), namespace);
  return { record, trouble: facts.trouble, clusterStates, offsetMs: marker?.clockOffsetMs ?? 0 };
}

async function readKnown({ store }: ReadPorts, key: WorkloadKey, record: ClusterRecord): Promise<Known | undefined> {
  const head = await store.readHead(key);
  if (!head) return undefined;
  const { part, children } = await readView(store, head, record.era);
  const row = { facts: factsFor(key.kind), shown: shownFor(key.kind) };
  return { row, head, view: part, children, state: decodeState(head.state) };
}
