// Workloads as the API tells them: what the view holds of the owner and its pods, what the head holds of its passes.
import type { Job } from '../objects/kubernetes.ts';
import type { PodFacts } from '../objects/pod-facts.ts';
import type { PodReason } from '../objects/pod-reasons.ts';
import type { WorkloadKey } from '../objects/workload.ts';
import { findFacts, KIND_NAMES } from '../kinds/facts.ts';
import type { Reason } from '../kinds/reasons.ts';
import { standingOf, type State } from '../kinds/state.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import type { PassRecord } from '../ports/recorder.ts';
import type { Head } from '../ports/store.ts';
import { clusterStatesOf } from '../reconciler/cluster/cluster-state.ts';
import { readKnownCluster } from '../reconciler/cluster/known-cluster.ts';
import { inParallel } from '../reconciler/parallel.ts';
import type { PassState } from '../reconciler/head/pass-state.ts';
import { decodeState } from '../reconciler/head/pass-state.ts';
import { readView } from '../reconciler/view/view-access.ts';
import type { ViewPart } from '../wire/observations.ts';
import type { Seen } from './reasons.ts';
import { workloadReasons } from './reasons.ts';
import { timeText } from './time-text.ts';

type ReadPorts = Pick<Ports, 'store' | 'clusters' | 'clock' | 'telemetry'>;

/** One line of a list. Absent fields are not known. */
export interface WorkloadSummary extends WorkloadKey {
  state: State;
  /** What it waits for, why it ended or what a person must do: see state.ts. */
  reason?: string;
  parallelism?: number;
  completions?: number;
  active?: number;
  ready?: number;
  succeeded?: number;
  failed?: number;
  creationTime?: string;
  startTime?: string;
  completionTime?: string;
  /** When a pass looks again though nothing happens. */
  nextWake?: { dueTime: string; attempt: number };
  /** A wake is on its way. */
  queued: boolean;
}

export interface PodSummary {
  name: string;
  uid: string;
  phase: string;
  index?: string;
  ready?: string;
  /** Its outcome is not in the Job's counters yet. */
  tracked: boolean;
  terminating: boolean;
  creationTime: string;
  exitCodes: number[];
  /** Why it does not run, or was ended, in the cluster's words. Absent where nothing is said. */
  reasons?: readonly PodReason[];
}

export interface WorkloadDetail extends WorkloadSummary {
  /** Why it stands where it stands, from a closed list; never empty. */
  reasons: Reason[];
  conditions: NonNullable<NonNullable<Job['status']>['conditions']>;
  status: NonNullable<Job['status']>;
  pods: PodSummary[];
  /** Pods beyond the limit are counted only. */
  podsLeftOut: number;
  /** What the passes keep; absent when it cannot be read, so that the workload counts as unknown. */
  passes?: PassState;
  head: { era: number; fence: string; floor: string; bornTime: string; openedTime: string; viewItems: number };
}

export interface WorkloadFilter {
  cluster?: string;
  kind?: string;
  namespace?: string;
  name?: string;
}

const KEYS_PER_PAGE = 1_000;
/** Of the index, one after the other for one answer, which has to be given within 29 s: a filter may pass nearly all of them over. */
const PAGES_PER_ANSWER = 100;
/** Workloads of one name in one namespace, of former uids all but one. */
const MOST_NAMESAKES = 20;
/** Of a key in the table. */
const KEY_BYTES_MAX = 1_024;
const READS_AT_ONCE = 16;
const MOST_PODS = 1_000;
/** Of what the latest ones met is told why a workload waits. */
const PASSES_THAT_TELL = 5;

/** Where a list goes on: after this workload of this cluster. */
interface Position {
  cluster: string;
  after?: string;
}

/**
 * Workloads in the order of clusters and keys.
 * @param options.limit 1 to 1,000
 * @param options.from as an earlier answer's `next`. @throws Error when it is none
 */
export async function listWorkloads(
  ports: ReadPorts,
  filter: WorkloadFilter,
  options: { limit: number; from?: string },
): Promise<{ items: WorkloadSummary[]; next?: string }> {
  const { keys, next } = await findKeys(ports, filter, options);
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
  return { items: items.filter((item) => item !== undefined), ...(next !== undefined && { next }) };
}

/** All that is known of the workloads of that name: several when one of a former uid is still being let go. */
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
    const passes = recorded.filter((pass) => pass.key.uid === key.uid);
    details.push(readableDetail(known, await surroundingsOf(ports, record, key.namespace), passes, ports));
  }
  return details.toSorted((a, b) => (b.creationTime ?? '').localeCompare(a.creationTime ?? ''));
}

/**
 * Of all namesakes, newest first, by one search: each takes up to 15 s on AWS, where a large log may take too long, and the rest is told
 * all the same, for passes only add to why a workload waits.
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

async function findKeys(
  { clusters, store }: ReadPorts,
  filter: WorkloadFilter,
  { limit, from }: { limit: number; from?: string },
): Promise<{ keys: FoundKey[]; next?: string }> {
  const start = from === undefined ? undefined : positionOf(from);
  const records = (await clusters.list())
    .filter(({ name }) => (filter.cluster === undefined || name === filter.cluster) && (start === undefined || name >= start.cluster))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const keys: FoundKey[] = [];
  // By name they are few.
  const pageSize = filter.name === undefined ? Math.min(limit, KEYS_PER_PAGE) : KEYS_PER_PAGE;
  let pages = 0;
  const isFull = (): boolean => keys.length >= limit || pages >= PAGES_PER_ANSWER;
  for (const [at, record] of records.entries()) {
    let after = start?.cluster === record.name ? start.after : undefined;
    do {
      const page = await store.workloads(record.name, { limit: pageSize, ...(after !== undefined && { after }) });
      pages += 1;
      for (const key of page.keys) if (matches(key, filter)) keys.push({ key, record });
      after = page.next;
      // Whole pages only, so that the store's own mark says where the next answer begins.
      if (isFull() && after !== undefined) return { keys, next: textOf({ cluster: record.name, after }) };
    } while (after !== undefined);
    const following = records[at + 1];
    if (isFull() && following) return { keys, next: textOf({ cluster: following.name }) };
  }
  return { keys };
}

/** Keys are in order, and those of one name side by side. */
async function keysNamed({ clusters, store }: ReadPorts, filter: Required<WorkloadFilter>): Promise<FoundKey[]> {
  const { cluster, namespace, name } = filter;
  const kind = KIND_NAMES.find((known) => known.toLowerCase() === filter.kind.toLowerCase());
  const record = (await clusters.list()).find((known) => known.name === cluster);
  const before = `${cluster}/${kind}/${namespace}/${name}/`;
  if (!kind || !record || Buffer.byteLength(before) > KEY_BYTES_MAX) return [];
  const { keys } = await store.workloads(cluster, { limit: MOST_NAMESAKES, after: before });
  return keys.filter((key) => matches(key, filter)).map((key) => ({ key, record }));
}

/** What a later build manages it shows. */
const matches = (key: WorkloadKey, { kind, namespace, name }: WorkloadFilter): boolean =>
  findFacts(key.kind) !== undefined &&
  (kind === undefined || key.kind.toLowerCase() === kind.toLowerCase()) &&
  (namespace === undefined || key.namespace === namespace) &&
  (name === undefined || key.name === name);

const textOf = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url');

function positionOf(text: string): Position {
  const position: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  if (typeof position !== 'object' || position === null || !('cluster' in position) || typeof position.cluster !== 'string')
    throw new Error('it names no cluster');
  const after = 'after' in position && typeof position.after === 'string' ? { after: position.after } : {};
  return { cluster: position.cluster, ...after };
}

interface Known {
  head: Head;
  view: ViewPart;
  state: PassState | undefined;
}

/** What is known of where it runs. */
interface Surroundings extends Pick<Seen, 'record' | 'trouble' | 'clusterStates'> {
  /** How far the cluster's clock is ahead of ours. */
  offsetMs: number;
}

async function surroundingsOf(ports: ReadPorts, record: ClusterRecord, namespace: string): Promise<Surroundings> {
  const { facts, marker } = await readKnownCluster(ports, record, namespace);
  const clusterStates = clusterStatesOf(facts, ports.clock.nowMs(), namespace);
  return { record, trouble: facts.trouble, clusterStates, offsetMs: marker?.clockOffsetMs ?? 0 };
}

async function readKnown({ store }: ReadPorts, key: WorkloadKey, record: ClusterRecord): Promise<Known | undefined> {
  const head = await store.readHead(key);
  if (!head) return undefined;
  const { part } = await readView(store, head, record.era);
  return { head, view: part, state: decodeState(head.state) };
}

/** The state is made without its latest passes, which a list does not read: so it is the same wherever it is shown. */
function summaryOf(known: Known, surroundings: Surroundings, nowMs: number): WorkloadSummary {
  const { head, state } = known;
  const owner = ownerIn(known);
  const { completions, parallelism } = owner?.spec ?? {};
  const { active, ready, succeeded, failed, startTime, completionTime } = owner?.status ?? {};
  const { creationTimestamp } = owner?.metadata ?? {};
  const parked = state?.park && state.park.untilMs > nowMs ? state.park.reason : undefined;
  const reasons = reasonsOf(known, podsIn(known), { surroundings, passes: [], nowMs });
  return {
    ...head.key,
    ...standingOf({ kind: head.key.kind, owner, isKnown: state !== undefined, parked, reasons }),
    ...(parallelism !== undefined && { parallelism }),
    ...(completions !== undefined && { completions }),
    ...(active !== undefined && { active }),
    ...(ready !== undefined && { ready }),
    ...(succeeded !== undefined && { succeeded }),
    ...(failed !== undefined && { failed }),
    ...(creationTimestamp !== undefined && { creationTime: creationTimestamp }),
    ...(startTime !== undefined && { startTime }),
    ...(completionTime !== undefined && { completionTime }),
    ...(head.wake && { nextWake: { dueTime: timeText(head.wake.dueAtMs), attempt: head.wake.attempt } }),
    queued: head.queued === head.fence,
  };
}

/** One workload that cannot be shown is a row that says so, and no trouble of the others (R13). */
function readableSummary(known: Known, surroundings: Surroundings, { clock, telemetry }: ReadPorts): WorkloadSummary {
  try {
    return summaryOf(known, surroundings, clock.nowMs());
  } catch (error) {
    telemetry.error('workload cannot be shown', { ...known.head.key, error });
    return unreadable(known, error);
  }
}

function unreadable({ head }: Known, error: unknown): WorkloadSummary & { reason: string } {
  const fault = error instanceof Error ? error.message : String(error);
  return {
    ...head.key,
    state: 'Unreadable',
    reason: `what the table keeps of it cannot be read: ${fault}`,
    queued: head.queued === head.fence,
  };
}

function readableDetail(
  known: Known,
  surroundings: Surroundings,
  passes: readonly PassRecord[],
  { clock, telemetry }: ReadPorts,
): WorkloadDetail {
  try {
    return detailOf(known, surroundings, passes, clock.nowMs());
  } catch (error) {
    telemetry.error('workload cannot be shown', { ...known.head.key, error });
    const summary = unreadable(known, error);
    const { era, fence, floor, items } = known.head;
    const reasons: Reason[] = [{ code: 'Unreadable', text: summary.reason }];
    const head = { era, fence, floor, bornTime: '', openedTime: '', viewItems: items.length };
    return { ...summary, reasons, conditions: [], status: {}, pods: [], podsLeftOut: 0, head };
  }
}

const ownerIn = ({ view }: Known): Job | undefined => (view.owner && !view.owner.deleted ? (view.owner.object as Job) : undefined);

const podsIn = ({ view }: Known): PodFacts[] => [...view.pods.values()].filter(({ deleted }) => !deleted).map(({ pod }) => pod);

function reasonsOf(
  { head, view, state }: Known,
  pods: readonly PodFacts[],
  { surroundings: { offsetMs, ...rest }, passes, nowMs }: { surroundings: Surroundings; passes: readonly PassRecord[]; nowMs: number },
): Reason[] {
  const owner = view.owner && !view.owner.deleted ? (view.owner.object as Job) : undefined;
  const ownerIs = head.key.kind === 'OrphanPod' ? 'none' : view.owner?.deleted ? 'gone' : undefined;
  const nextWakeAtMs = head.queued === head.fence ? nowMs : head.wake?.dueAtMs;
  return workloadReasons({ owner, ownerIs, pods, state, nextWakeAtMs, ...rest, passes }, { nowMs, offsetMs });
}

function detailOf(known: Known, surroundings: Surroundings, passes: readonly PassRecord[], nowMs: number): WorkloadDetail {
  const { head, state } = known;
  const owner = ownerIn(known);
  const pods = podsIn(known);
  pods.sort((a, b) => Number(a.index ?? 0) - Number(b.index ?? 0) || (a.name < b.name ? -1 : 1));
  return {
    ...summaryOf(known, surroundings, nowMs),
    reasons: reasonsOf(known, pods, { surroundings, passes, nowMs }),
    conditions: owner?.status?.conditions ?? [],
    status: owner?.status ?? {},
    pods: pods.slice(0, MOST_PODS).map(podSummaryOf),
    podsLeftOut: Math.max(pods.length - MOST_PODS, 0),
    ...(state && { passes: state }),
    head: {
      era: head.era,
      fence: head.fence,
      floor: head.floor,
      bornTime: timeText(head.bornAtMs),
      openedTime: timeText(head.openedAtMs),
      viewItems: head.items.length,
    },
  };
}

const podSummaryOf = (pod: PodFacts): PodSummary => ({
  name: pod.name,
  uid: pod.uid,
  phase: pod.phase,
  ...(pod.index !== undefined && { index: pod.index }),
  ...(pod.ready !== undefined && { ready: pod.ready }),
  tracked: pod.tracked,
  terminating: pod.deletedAt !== undefined,
  creationTime: timeText(pod.createdAt * 1000),
  exitCodes: pod.containers.flatMap(({ exitCode }) => (exitCode === undefined ? [] : [exitCode])),
  ...(pod.reasons && { reasons: pod.reasons }),
});
