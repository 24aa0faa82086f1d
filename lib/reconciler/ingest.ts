// Events queue → view → wakes. Decodes within limits, believes a sender only about its own cluster (R15), merges the batch per
// workload in memory, writes the view (R8), then wakes (R9).
import { factsFor } from '../kinds/facts.ts';
import type { KindFacts, Urgency } from '../kinds/kind.ts';
import { isNewer } from '../objects/resource-version.ts';
import type { WorkloadKey } from '../objects/workload.ts';
import { formatKey } from '../objects/workload.ts';
import { isInScope, type ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import type { Head } from '../ports/store.ts';
import { StaleWriteError } from '../ports/store.ts';
import { decodeAnswer, isAnswer } from '../wire/command-answers.ts';
import type { EventMessage, PodEntry, WholeChildren, WorkloadReport } from '../wire/observations.ts';
import { distrust } from './view/digest-mismatch.ts';
import { createHead, newHead, readHeadsOf } from './head/heads.ts';
import { learnFromHeartbeat } from './cluster/heartbeats.ts';
import { countsOfChange } from './report/view-counts.ts';
import { mergedReports } from './view/merged-reports.ts';
import { fromRegistered, openEvents, openMessage, type EventDelivery } from './incoming.ts';
import { inParallel, WORKLOADS_AT_ONCE } from './parallel.ts';
import { SendsTogether } from './send-batcher.ts';
import { emptyPart, type News } from './view/view.ts';
import { childFloor, writeChildren } from './view/children-access.ts';
import { firstView, writeView } from './view/view-access.ts';
import type { WakePorts } from './head/wake.ts';
import { prepareWake, sendWake, wake } from './head/wake.ts';

/** A relay's answers to commands have no view to change: they are kept for the pass that waits. */
async function keepAnswer(delivery: EventDelivery, ports: Ports): Promise<'done' | 'undone'> {
  const opened = await openMessage(delivery, decodeAnswer, ports);
  if (opened === 'unreadable') return 'undone';
  if (opened === 'dropped') return 'done';
  const { id, part, bytes } = opened.message;
  const { name: cluster } = opened.record;
  try {
    await ports.store.putAnswer(cluster, id, part, bytes);
    return 'done';
  } catch (error) {
    ports.telemetry.warn('answer not kept', { cluster, error });
    return 'undone';
  }
}

/** Of what was read and is not kept yet: several large messages are kept one after the other, so that together they need no more heap. */
const BYTES_AT_ONCE = 64 * 1_048_576;

interface Accepted {
  delivery: EventDelivery;
  message: EventMessage;
  record: ClusterRecord;
}

/** @returns ids of the messages that must come back: unreadable ones until they are dead letters, and those whose news could not be kept */
export async function ingestBatch(deliveries: readonly EventDelivery[], ports: Ports): Promise<string[]> {
  const undone = new Set<string>();
  const registered = await fromRegistered(deliveries, ports);
  const answers = registered.filter(({ body }) => isAnswer(body));
  // The shortest first: what is much to read waits for what is little.
  const events = registered.filter(({ body }) => !isAnswer(body)).toSorted((a, b) => a.body.length - b.body.length);
  // First: somebody waits for them.
  await Promise.all(
    answers.map(async (delivery) => {
      if ((await keepAnswer(delivery, ports)) === 'undone') undone.add(delivery.messageId);
    }),
  );
  const left = new Set<string>();
  let accepted: Accepted[] = [];
  let weight = { bytes: 0 };
  for (const delivery of events) {
    const opened = await openEvents(delivery, ports, weight);
    if (opened === 'unreadable') undone.add(delivery.messageId);
    else if (opened !== 'dropped') {
      accepted.push({ delivery, ...opened });
      // The other reports are kept now. Those of the kind that is not known stay in the queue for functions that know it, and the message
      // brings the others along once more: told twice, they change nothing (R2).
      if (opened.message.unknownKind !== undefined) left.add(delivery.messageId);
    }
    if (weight.bytes < BYTES_AT_ONCE) continue;
    await keepAll(accepted, ports, undone);
    accepted = [];
    weight = { bytes: 0 };
  }
  await keepAll(accepted, ports, undone);
  return [...new Set([...undone, ...left])];
}

/** @param undone grows by the ids of those whose news could not be kept */
async function keepAll(accepted: readonly Accepted[], ports: Ports, undone: Set<string>): Promise<void> {
  const work = new Map<string, Work & { reports: WorkloadReport[]; messageIds: string[] }>();
  for (const { delivery, message, record } of accepted)
    for (const report of message.reports) {
      if (!isInScope(record, report.owner.namespace) || isEmpty(report)) continue;
      const key: WorkloadKey = { cluster: record.name, ...report.owner };
      const entry = work.get(formatKey(key)) ?? { key, record, reports: [], messageIds: [], toldAtMs: undefined };
      entry.reports.push(report);
      entry.messageIds.push(delivery.messageId);
      entry.toldAtMs = earlierOf(entry.toldAtMs, delivery.sentAtMs);
      work.set(formatKey(key), entry);
    }

  const sends = new SendsTogether(ports.queue, ports.clock);
  const heads = await readHeadsOf(
    ports,
    [...work.values()].map(({ key }) => key),
  );
  const together = { ...ports, queue: sends };
  await inParallel([...work.entries()], WORKLOADS_AT_ONCE, async ([name, { key, record, reports, messageIds, toldAtMs }]) => {
    try {
      await sends.task(async () => await keepNews(together, { key, record, reports: mergedReports(reports), toldAtMs }, heads.get(name)));
    } catch (error) {
      // One workload's trouble brings back its own messages only (R13).
      ports.telemetry.warn('news not kept', { ...key, error });
      for (const id of messageIds) undone.add(id);
    }
  });
  for (const { delivery, message, record } of accepted)
    if (message.heartbeat && !undone.has(delivery.messageId))
      try {
        await learnFromHeartbeat(ports, record, message, message.heartbeat);
      } catch (error) {
        ports.telemetry.warn('heartbeat not kept', { cluster: record.name, error });
        undone.add(delivery.messageId);
      }
  for (const { delivery } of accepted)
    if (!undone.has(delivery.messageId))
      ports.telemetry.count('EventToWakeLag', Math.max(ports.clock.nowMs() - delivery.sentAtMs, 0), 'Milliseconds');
}

/** It tells nothing, and no relay sends such: thousands fit into a message, and each would be looked up. */
const isEmpty = ({ observed, pods, whole, children = [], wholeChildren = [] }: WorkloadReport): boolean =>
  !observed && !whole && pods.length + children.length + wholeChildren.length === 0;

/** A time that is none would make a wake that nobody reads. */
function earlierOf(toldAtMs: number | undefined, sentAtMs: number): number | undefined {
  if (!Number.isSafeInteger(sentAtMs) || sentAtMs <= 0) return toldAtMs;
  return Math.min(toldAtMs ?? Infinity, sentAtMs);
}

interface Work {
  key: WorkloadKey;
  record: ClusterRecord;
  reports: readonly WorkloadReport[];
  /** When the queue took the oldest message of these, Unix milliseconds; where it tells. */
  toldAtMs: number | undefined;
}

type IngestPorts = WakePorts & Pick<Ports, 'telemetry'>;

/** @param known its head as read a moment ago; what is written depends on that being so still */
async function keepNews(ports: IngestPorts, work: Work, known: { head: Head | undefined } | undefined): Promise<void> {
  try {
    await tryToKeep(ports, work, known ?? { head: await ports.store.readHead(work.key) });
  } catch (error) {
    // The table lost the head on the way, or the workload was forgotten: it begins anew.
    if (!isHeadGone(error)) throw error;
    try {
      await tryToKeep(ports, work, { head: await ports.store.readHead(work.key) });
    } catch (again) {
      // Forgotten a second time, by a pass that began after the first and so has looked at the cluster since this news came: there is
      // nothing left that it could be about. Told again and again, each time it would begin what the next pass forgets.
      if (!isHeadGone(again)) throw again;
    }
  }
}

const isHeadGone = (error: unknown): boolean => error instanceof StaleWriteError && error.current === undefined;

async function tryToKeep(ports: IngestPorts, work: Work, { head: found }: { head: Head | undefined }): Promise<void> {
  const { key, record, reports, toldAtMs } = work;
  // Nothing is known and nothing is left to do: departed pods of a workload that is over.
  if (!found && !reports.some(concernsTheLiving)) return;
  const [first, ...others] = reports;
  const begun = !found && first && others.length === 0 && !hasOtherChildren(first) ? await beginWith(ports, work, first) : undefined;
  if (begun === 'kept') return;
  let head = begun ?? found ?? (await createHead(ports, key, record));

  // Older than an earlier list: a late message, or an API server restored from an older state; a pass looks live (R3).
  const { floor } = head;
  const isOlder = ({ resource, floor: told }: WholeChildren): boolean => isNewer(childFloor(head, resource, record.era) ?? '0', told);
  if (reports.some(({ whole, wholeChildren = [] }) => (whole && isNewer(floor, whole.floor)) || wholeChildren.some(isOlder))) {
    await distrust(ports, key);
    // It has a new fence, and a wake that follows it: nobody is to send another one after the fence that it had (R9).
    head = (await ports.store.readHead(key)) ?? head;
  }

  let urgency: Urgency | undefined;
  for (const report of reports) {
    const wanted = urgencyOf(factsFor(key.kind), report);
    // First, so that the wake that goes with the head's write follows all of it.
    const children = await keepChildren(ports.store, head, report, record.era);
    head = children.head;
    if (children.isNews) urgency = soonerOf(urgency, wanted);
    const news = newsOf(report);
    const written = await writeView(ports.store, head, news, {
      era: record.era,
      alongside: (current) => prepareWake(ports, current, wanted, toldAtMs),
    });
    head = written.head;
    for (const { metric, value, labels } of written.counted) ports.telemetry.count(metric, value, 'Count', labels);
    // A message that changes nothing wakes too (an earlier delivery may have died before its wake), unless a pass had heard it all.
    if (!written.heardByPass && !written.told) urgency = soonerOf(urgency, wanted);
  }
  if (urgency) await wake(ports, key, urgency, toldAtMs);
}

/** Resource by resource, each with a floor of its own. A child that only has another version wakes nobody. */
async function keepChildren(
  store: Ports['store'],
  before: Head,
  { observed, children = [], wholeChildren = [] }: WorkloadReport,
  era: number,
): Promise<{ head: Head; isNews: boolean }> {
  let head = before;
  let isNews = false;
  const expected = observed ? factsFor(head.key.kind).expectedChildren(observed.object) : 0;
  const resources = new Set([...children.map(({ child }) => child.resource), ...wholeChildren.map(({ resource }) => resource)]);
  for (const resource of resources) {
    const news = {
      resource,
      children: children.filter(({ child }) => child.resource === resource),
      whole: wholeChildren.find((whole) => whole.resource === resource),
      byPass: false,
    };
    const written = await writeChildren(store, head, news, { era, expected });
    head = written.head;
    // As of pods: an earlier delivery may have died before its wake.
    isNews ||= written.isNews || !written.heardByPass;
  }
  return { head, isNews };
}

const hasOtherChildren = ({ children = [], wholeChildren = [] }: WorkloadReport): boolean => children.length + wholeChildren.length > 0;

const newsOf = (report: WorkloadReport): News => ({
  ...(report.observed && { owner: report.observed }),
  pods: report.pods,
  ...(report.whole && { whole: report.whole }),
  byPass: false,
});

/**
 * A small workload's first news goes into the very write that begins it, then its wake is sent: whoever else hears of it at the same time
 * finds that head, and follows its fence. That a wake is queued is not written beside it: a second one with this fence is dropped by the
 * queue, and sweep finds the head by when it began to wait (R9).
 */
async function beginWith(ports: IngestPorts, { key, record, toldAtMs }: Work, report: WorkloadReport): Promise<Head | 'kept' | undefined> {
  const head = newHead(ports, key, record);
  const view = firstView(head, newsOf(report), record.era);
  if (!view) return undefined;
  const stands = await ports.store.createHead({ ...head, view, viewVersion: 1, pendingSinceMs: ports.clock.nowMs() });
  if (stands.fence !== head.fence) return stands;
  await sendWake(ports, key, head.fence, toldAtMs);
  const merged = { ...emptyPart(head), pods: entriesOf(report) };
  const counted = countsOfChange(key.kind, { known: emptyPart(head), merged, news: newsOf(report) });
  for (const { metric, value, labels } of counted) ports.telemetry.count(metric, value, 'Count', labels);
  return 'kept';
}

const entriesOf = ({ pods }: WorkloadReport): Map<string, PodEntry> =>
  new Map(pods.map((observation) => [observation.pod.uid, { ...observation, byPass: false }]));

const concernsTheLiving = ({ observed, pods, children = [] }: WorkloadReport): boolean =>
  (observed !== undefined && !observed.deleted) ||
  children.some(({ presence, child }) => presence === 'there' && !child.terminating) ||
  pods.some(({ deleted, pod }) => !deleted && (pod.tracked || pod.deletedAt === undefined));

const URGENCIES: readonly Urgency[] = ['now', 'soon', 'debounced'];

const soonerOf = (a: Urgency | undefined, b: Urgency): Urgency => (a === undefined || URGENCIES.indexOf(b) < URGENCIES.indexOf(a) ? b : a);

/** How soon each change is looked at is its kind's to say (R9). News of the owner that can wait comes as soon as the pods beside it. */
export function urgencyOf(facts: KindFacts, { observed, whole, wholeChildren = [], pods }: WorkloadReport): Urgency {
  const ofOwner = observed && (observed.deleted ? 'now' : facts.urgencyOfOwner(observed.object));
  if (whole || wholeChildren.length > 0 || ofOwner === 'now') return 'now';
  const ofPods = pods.map(({ deleted, pod }) => (deleted ? 'soon' : facts.pods.urgencyOf(pod)));
  return ofPods.reduce<Urgency | undefined>(soonerOf, undefined) ?? ofOwner ?? 'soon';
}
