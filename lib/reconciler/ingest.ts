// Events queue → view → wakes. Decodes within limits, trusts a sender only about its own cluster (R15), merges the batch per workload in
// memory, writes the view (R8), then wakes (R9).
import { factsFor } from '../kinds/facts.ts';
import type { KindFacts, Urgency } from '../kinds/rows/kind.ts';
import { isNewer } from '../objects/values/resource-version.ts';
import type { WorkloadKey } from '../objects/workload.ts';
import { formatKey } from '../objects/workload.ts';
import { isInScope, type ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import type { Head } from '../ports/store.ts';
import { StaleWriteError } from '../ports/store.ts';
import { decodeAnswer, isAnswer } from '../wire/command-answers.ts';
import { encodeQuestions } from '../wire/messages.ts';
import { areRelayQuestions, decodeRelayQuestions } from '../wire/questions.ts';
import type { ChildState } from '../objects/child-state.ts';
import type { PodFacts } from '../objects/pods/pod-facts.ts';
import { codecOf, POD_RESOURCE } from '../wire/packing/codecs.ts';
import type { EventMessage, ResourceReport, WorkloadReport } from '../wire/words/observations.ts';
import { invalidate } from './cluster/digest-mismatch.ts';
import { createHead, newHead, readHeadsOf } from './head/heads.ts';
import { learnFromHeartbeat } from './cluster/heartbeats.ts';
import { countsOfChange } from './view/view-counts.ts';
import { mergedReports } from './view/merged-reports.ts';
import { fromRegistered, openEvents, openMessage, type EventDelivery } from './incoming.ts';
import { inParallel, WORKLOADS_AT_ONCE } from './invocation/parallel.ts';
import { SendsTogether } from './invocation/send-batcher.ts';
import { emptyPart, mergeNews, newsOf, type News } from './view/view.ts';
import { floorIn } from './view/floors.ts';
import { firstView, writeChildren, writeView } from './view/view-access.ts';
import type { WakePorts } from './head/wake.ts';
import { prepareWake, sendWake, wake } from './head/wake.ts';

/** A relay's answers to commands change no view. They are stored for the waiting pass. */
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

/** A relay's questions about its virtual nodes go on to `reconcile`, which alone reaches their providers. */
async function passOn(delivery: EventDelivery, ports: Ports): Promise<'done' | 'undone'> {
  const opened = await openMessage(delivery, decodeRelayQuestions, ports);
  if (opened === 'unreadable') return 'undone';
  if (opened === 'dropped') return 'done';
  const { kubeSystemUid: _uid, ...questions } = opened.message;
  const { name: cluster } = opened.record;
  try {
    const body = encodeQuestions({ ...questions, answerTo: 'relay' });
    await ports.queue.send('wakes', [{ body, groupId: `questions:${cluster}:${questions.id}`, deduplicationId: questions.id }]);
  } catch (error) {
    // The relay waits for some seconds only: nothing comes back.
    ports.telemetry.warn('questions of a relay not passed on', { cluster, error });
  }
  return 'done';
}

/**
 * Bytes that were read and are not stored yet. Several large messages are stored one after the other, so that together they need no more
 * heap.
 */
const BYTES_AT_ONCE = 64 * 1_048_576;

interface Accepted {
  delivery: EventDelivery;
  message: EventMessage;
  record: ClusterRecord;
}

/**
 * @returns ids of the messages that must come back: unreadable ones until they are dead letters, and those whose reports could not be
 * stored
 */
export async function ingestBatch(deliveries: readonly EventDelivery[], ports: Ports): Promise<string[]> {
  const undone = new Set<string>();
  const registered = await fromRegistered(deliveries, ports);
  const answers = registered.filter(({ body }) => isAnswer(body));
  // The shortest first, so that small messages do not wait for large ones.
  const events = registered
    .filter(({ body }) => !isAnswer(body) && !areRelayQuestions(body))
    .toSorted((a, b) => a.body.length - b.body.length);
  // Answers come first, because passes wait for them.
  await Promise.all(
    answers.map(async (delivery) => {
      if ((await keepAnswer(delivery, ports)) === 'undone') undone.add(delivery.messageId);
    }),
  );
  await Promise.all(
    registered
      .filter(({ body }) => areRelayQuestions(body))
      .map(async (delivery) => {
        if ((await passOn(delivery, ports)) === 'undone') undone.add(delivery.messageId);
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
      // The other reports are stored now. A report of an unknown kind stays in the queue for functions that know the kind. The message then
      // brings the other reports once more, which changes nothing (R2).
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

/** @param undone grows by the ids of messages whose reports could not be stored */
async function keepAll(accepted: readonly Accepted[], ports: Ports, undone: Set<string>): Promise<void> {
  const work = new Map<string, Work & { reports: WorkloadReport[]; messageIds: string[] }>();
  for (const { delivery, message, record } of accepted)
    for (const report of message.reports) {
      if (!isInScope(record, report.owner.namespace) || isEmpty(report)) continue;
      const key: WorkloadKey = { cluster: record.name, ...report.owner };
      const entry = work.get(formatKey(key)) ?? { key, record, reports: [], messageIds: [], enqueuedAtMs: undefined };
      entry.reports.push(report);
      entry.messageIds.push(delivery.messageId);
      entry.enqueuedAtMs = earlierOf(entry.enqueuedAtMs, delivery.sentAtMs);
      work.set(formatKey(key), entry);
    }

  const sends = new SendsTogether(ports.queue, ports.clock);
  const heads = await readHeadsOf(
    ports,
    [...work.values()].map(({ key }) => key),
  );
  const together = { ...ports, queue: sends };
  await inParallel([...work.entries()], WORKLOADS_AT_ONCE, async ([name, { key, record, reports, messageIds, enqueuedAtMs }]) => {
    try {
      await sends.task(
        async () => await keepNews(together, { key, record, reports: mergedReports(reports), enqueuedAtMs }, heads.get(name)),
      );
    } catch (error) {
      // A failing workload brings back its own messages only (R13).
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

/** An empty report. Relays send none; thousands would fit into a message, and each would cost a read. */
const isEmpty = ({ observed, children }: WorkloadReport): boolean =>
  !observed && children.every((each) => !each.whole && each.children.length === 0);

/** An invalid time would make a wake that nobody can read. */
function earlierOf(enqueuedAtMs: number | undefined, sentAtMs: number): number | undefined {
  if (!Number.isSafeInteger(sentAtMs) || sentAtMs <= 0) return enqueuedAtMs;
  return Math.min(enqueuedAtMs ?? Infinity, sentAtMs);
}

interface Work {
  key: WorkloadKey;
  record: ClusterRecord;
  reports: readonly WorkloadReport[];
  /** When the queue took the oldest of these messages, Unix milliseconds; undefined if the queue does not say. */
  enqueuedAtMs: number | undefined;
}

type IngestPorts = WakePorts & Pick<Ports, 'telemetry'>;

/** @param known the head as read a moment ago; every write is conditional on the head being unchanged */
async function keepNews(ports: IngestPorts, work: Work, known: { head: Head | undefined } | undefined): Promise<void> {
  try {
    await tryToKeep(ports, work, known ?? { head: await ports.store.readHead(work.key) });
  } catch (error) {
    // The table lost the head meanwhile, or the workload was forgotten. Begin with a new head.
    if (!isHeadGone(error)) throw error;
    try {
      await tryToKeep(ports, work, { head: await ports.store.readHead(work.key) });
    } catch (again) {
      // A second pass forgot the workload. It began after the first one, so it looked at the cluster after this report had arrived: the
      // report's objects are gone. Repeating the report would begin a head each time, and the next pass would forget it.
      if (!isHeadGone(again)) throw again;
    }
  }
}

const isHeadGone = (error: unknown): boolean => error instanceof StaleWriteError && error.current === undefined;

async function tryToKeep(ports: IngestPorts, work: Work, { head: found }: { head: Head | undefined }): Promise<void> {
  const { key, record, reports, enqueuedAtMs } = work;
  // Nothing is known and nothing is left to do: these are departed pods of a workload that is over.
  if (!found && !reports.some(concernsTheLiving)) return;
  const [first, ...others] = reports;
  const begun = !found && first && others.length === 0 ? await beginWith(ports, work, first) : undefined;
  if (begun === 'kept') return;
  let head = begun ?? found ?? (await createHead(ports, key, record));

  // Older than an earlier list: a late message, or an API server restored from an older state. A pass must look live (R3).
  const { era } = record;
  const isOlder = ({ resource, whole }: ResourceReport): boolean =>
    whole !== undefined && isNewer(floorIn(head, resource, era) ?? '0', whole.floor);
  if (reports.some(({ children }) => children.some(isOlder))) {
    await invalidate(ports, key);
    // The head has a new fence and a wake that follows it. Do not send another wake that follows the old fence (R9).
    head = (await ports.store.readHead(key)) ?? head;
  }

  let urgency: Urgency | undefined;
  for (const report of reports) {
    const wanted = urgencyOf(factsFor(key.kind), report);
    // Write the children first, so that the wake of the head's write follows all of the report.
    const { own, others: besides } = newsOf(report);
    const children = await keepChildren(ports.store, head, besides, { era, expected: expectedBy(report) });
    head = children.head;
    if (children.isNews) urgency = soonerOf(urgency, wanted);
    const written = await writeView(ports.store, head, own, {
      era,
      alongside: (current) => prepareWake(ports, current, wanted, enqueuedAtMs),
    });
    head = written.head;
    for (const { metric, value, labels } of written.counted) ports.telemetry.count(metric, value, 'Count', labels);
    // A message that changes nothing wakes too, because an earlier delivery may have died before its wake. It does not if a pass had
    // observed all of it.
    if (!written.observedByPass && !written.told) urgency = soonerOf(urgency, wanted);
  }
  if (urgency) await wake(ports, key, urgency, enqueuedAtMs);
}

/** Each resource has a floor of its own. A child of which only the version differs causes no wake. */
async function keepChildren(
  store: Ports['store'],
  before: Head,
  news: readonly News<ChildState>[],
  layout: { era: number; expected: number },
): Promise<{ head: Head; isNews: boolean }> {
  if (news.length === 0) return { head: before, isNews: false };
  const { head, marks, isNews, observedByPass } = await writeChildren(store, before, news, layout);
  const hasMarks = Object.keys(marks).length > 0;
  // As with pods: an earlier delivery may have died before its wake.
  return { head: hasMarks ? await store.updateHead(head.key, {}, marks) : head, isNews: isNews || !observedByPass };
}

const expectedBy = ({ owner, observed }: WorkloadReport): number => (observed ? factsFor(owner.kind).expectedChildren(observed.object) : 0);

/**
 * The first report of a small workload goes into the write that creates its head; then its wake is sent. Another function that observes the
 * workload at the same time finds that head and uses its fence. The write does not mark the wake as queued: the queue drops a second wake
 * with this fence, and sweep finds the head by its pending time (R9).
 */
async function beginWith(
  ports: IngestPorts,
  { key, record, enqueuedAtMs }: Work,
  report: WorkloadReport,
): Promise<Head | 'kept' | undefined> {
  const head = newHead(ports, key, record);
  const { own, others } = newsOf(report);
  const view = others.length === 0 ? firstView(head, own, record.era) : undefined;
  if (!view) return undefined;
  const stands = await ports.store.createHead({ ...head, view, viewVersion: 1, pendingSinceMs: ports.clock.nowMs() });
  if (stands.fence !== head.fence) return stands;
  await sendWake(ports, key, head.fence, enqueuedAtMs);
  const known = emptyPart<PodFacts>(POD_RESOURCE, head);
  const counted = countsOfChange(key.kind, { known, merged: mergeNews(known, own).part, news: own });
  for (const { metric, value, labels } of counted) ports.telemetry.count(metric, value, 'Count', labels);
  return 'kept';
}

const concernsTheLiving = ({ observed, children: told }: WorkloadReport): boolean =>
  (observed !== undefined && !observed.deleted) ||
  told.some(({ resource, children }) =>
    children.some(({ presence, child }) => presence === 'there' && !codecOf(resource).isLeaving(child)),
  );

const URGENCIES: readonly Urgency[] = ['now', 'soon', 'debounced'];

const soonerOf = (a: Urgency | undefined, b: Urgency): Urgency => (a === undefined || URGENCIES.indexOf(b) < URGENCIES.indexOf(a) ? b : a);

/** The kind says how soon a pass follows each change (R9). A change of the owner that can wait gets the urgency of the pods beside it. */
export function urgencyOf(facts: KindFacts, report: WorkloadReport): Urgency {
  const { observed, children } = report;
  const ofOwner = observed && (observed.deleted ? 'now' : facts.urgencyOfOwner(observed.object));
  if (ofOwner === 'now' || children.some(({ whole }) => whole)) return 'now';
  const ofPods = newsOf(report).own.children.map(({ presence, child }) => (presence === 'there' && facts.pods?.urgencyOf(child)) || 'soon');
  return ofPods.reduce<Urgency | undefined>(soonerOf, undefined) ?? ofOwner ?? 'soon';
}
