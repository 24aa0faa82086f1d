// A node's pass: decides on all pods that wait, oldest first, from one snapshot. See docs/decisions/0012-admission-is-the-nodes-pass.md.
// It runs again at any moment: a decision is never taken twice, victims are never chosen again.
import type { Node, Pod } from '../../../objects/kubernetes.ts';
import { admit, type PreemptionSettings } from '../checks/admission.ts';
import { isMirror } from '../victims/critical-pods.ts';
import { countedPods, isPhaseFinal, newDecision, uidOf } from './counted-pods.ts';
import { killWaitSeconds } from './kill-wait.ts';
import { makeRoom, type RoomMaking } from './making-room.ts';
import type { NodeDecision, PodDecision, PodName, Wait } from './node-decision.ts';

export interface NodeSnapshot {
  /** Undefined: it could not be read. */
  node: Node | undefined;
  /** All pods that are bound to the node, of every namespace, from one list read live. */
  pods: readonly Pod[];
  /** As stored. After its loss: `rebuiltDecision`. */
  decision: NodeDecision;
  /** Pods of which nothing runs and nothing will, by uid, as their own passes have noted. */
  ended: ReadonlyMap<string, PodEnd>;
  settings: PreemptionSettings;
  /** Characters of JSON that all decisions may take together: pods beyond wait for a later pass. Absent: any. */
  mostCharacters?: number;
  /** Why no room is any use to this pod; absent: nothing but room counts. */
  refusalOf?(this: void, pod: Pod): { reason: string; message: string } | undefined;
}

export interface PodEnd {
  /** Its pass stopped it as a victim. False: it had ended by itself, or never ran. */
  wasKilled: boolean;
}

export interface NodeAdmission {
  /** To be stored before anything else is done with it. */
  decision: NodeDecision;
  isChanged: boolean;
  /** Pods to be woken once the decision is stored, those included that a crash left unwoken. Then `afterTelling` is stored. */
  tells: readonly PodName[];
  /** Pods that are waited for, each with the latest moment. */
  waits: readonly Wait[];
  /** RFC 3339: when a pass is due though nothing happens. */
  requeueAt?: string;
  /** To be counted once the decision is stored. */
  counted: readonly AdmissionCount[];
}

/** An increment by one; for a histogram, an observation in seconds. */
export type AdmissionCount =
  | { metric: 'kubelet_preemptions'; labels: { preemption_signal: string } }
  | { metric: 'virtual_node_admissions_total'; labels: { result: 'admitted' | 'rejected' | 'preempting'; reason: string } }
  | { metric: 'virtual_node_preemption_wait_seconds'; seconds: number };

/** A node that cannot be read is read again for so long before pods are rejected for it. */
const UNREADABLE_SECONDS = 60;
const UNREADABLE_RETRY_SECONDS = 10;

/** The decisions of a pass so far. */
interface Ledger {
  readonly listed: ReadonlyMap<string, Pod>;
  readonly now: Date;
  /** By uid, in the order of decision. */
  readonly pods: Map<string, PodDecision>;
  readonly counted: AdmissionCount[];
  latest: number;
  unreadableSince: string | undefined;
  isChanged: boolean;
}

export function decideAdmissions(snapshot: NodeSnapshot, now: Date): NodeAdmission {
  const { decision, ended } = snapshot;
  const listed = new Map(snapshot.pods.map((pod) => [uidOf(pod), pod]));
  const ledger: Ledger = {
    listed,
    now,
    pods: new Map(decision.pods.map((pod) => [pod.uid, pod])),
    counted: [],
    latest: decision.latest,
    unreadableSince: decision.unreadableSince,
    isChanged: false,
  };
  noteEnds(ledger, ended);
  cancelDeleted(ledger);
  markLate(ledger);
  admitWaited(ledger);
  decideNew(ledger, snapshot);
  forgetGone(ledger);
  return answerOf(ledger, decision);
}

/** The decision once all these pods have been woken. */
export const afterTelling = (decision: NodeDecision): NodeDecision => ({ ...decision, told: decision.latest });

/** A pod's end gives its room back. A pod that ended undecided is never admitted. */
function noteEnds(ledger: Ledger, ended: ReadonlyMap<string, PodEnd>): void {
  for (const [uid, { wasKilled }] of ended) {
    const decision = ledger.pods.get(uid);
    const pod = ledger.listed.get(uid);
    if (decision === undefined) {
      if (pod !== undefined && !isPhaseFinal(pod)) put(ledger, numbered(ledger, pod, 'cancelled'));
    } else if (decision.state === 'preempting') cancel(ledger, decision);
    else if (decision.state === 'admitted' && decision.hasEnded === undefined) {
      const { room: _, ...rest } = decision;
      put(ledger, { ...rest, hasEnded: true });
      // A victim that outlived its deadline is not counted, nor one that ended by itself.
      const { signal, isLate } = decision.eviction ?? {};
      if (signal !== undefined && !isLate && wasKilled)
        ledger.counted.push({ metric: 'kubelet_preemptions', labels: { preemption_signal: signal } });
    }
  }
}

function cancelDeleted(ledger: Ledger): void {
  for (const decision of ledger.pods.values()) {
    const pod = ledger.listed.get(decision.uid);
    if (decision.state === 'preempting' && (pod === undefined || isLeaving(pod))) cancel(ledger, decision);
  }
}

/** It keeps no room. Its victims are not revived. */
function cancel(ledger: Ledger, decision: PodDecision): void {
  const { room: _, preemption: __, ...rest } = decision;
  put(ledger, { ...rest, state: 'cancelled' });
}

function markLate(ledger: Ledger): void {
  for (const decision of ledger.pods.values()) {
    const { eviction, hasEnded } = decision;
    if (eviction === undefined || eviction.isLate || hasEnded || !isPast(ledger, eviction.deadline)) continue;
    put(ledger, { ...decision, changed: (ledger.latest += 1), eviction: { ...eviction, isLate: true } });
  }
}

/** Admits pods that need not wait any longer, without another check: a second one could evict again. */
function admitWaited(ledger: Ledger): void {
  for (const decision of ledger.pods.values()) {
    const { preemption, ...rest } = decision;
    if (preemption === undefined) continue;
    if ([...preemption.victims, ...preemption.claims].some((wait) => !isOver(ledger, wait))) continue;
    put(ledger, { ...rest, state: 'admitted', changed: (ledger.latest += 1) });
    const seconds = Math.max(0, (ledger.now.getTime() - Date.parse(preemption.startedAt)) / 1000);
    ledger.counted.push({ metric: 'virtual_node_preemption_wait_seconds', seconds });
  }
}

function isOver(ledger: Ledger, { uid, deadline }: Wait): boolean {
  const decision = ledger.pods.get(uid);
  return decision === undefined || decision.hasEnded === true || isPast(ledger, deadline);
}

/** Each decision counts the ones before it. */
function decideNew(
  ledger: Ledger,
  { node, settings, mostCharacters = Infinity, refusalOf }: Pick<NodeSnapshot, 'node' | 'settings' | 'mostCharacters' | 'refusalOf'>,
): void {
  const { listed, pods } = ledger;
  const waiting = [...listed.values()].filter((pod) => !pods.has(uidOf(pod)) && !isLeaving(pod)).toSorted(olderFirst);
  if (node === undefined) {
    decideWithoutNode(ledger, waiting);
    return;
  }
  setUnreadableSince(ledger, undefined);
  if (waiting.length === 0) return;
  let characters = charactersOf([...pods.values()]);
  for (const incoming of waiting) {
    if (characters > mostCharacters) return;
    const refusal = isMirror(incoming) ? undefined : refusalOf?.(incoming);
    // It runs already: nobody asks whether it may, and it takes room.
    if (isMirror(incoming)) note(ledger, numbered(ledger, incoming, 'admitted'));
    else if (refusal) reject(ledger, incoming, refusal);
    else decide(ledger, { node, incoming, settings });
    characters += charactersOf(pods.get(uidOf(incoming)));
  }
}

const charactersOf = (decided: PodDecision | PodDecision[] | undefined): number => JSON.stringify(decided)?.length ?? 0;

function decide(ledger: Ledger, asked: { node: Node; incoming: Pod; settings: PreemptionSettings }): void {
  const { incoming } = asked;
  const counted = countedPods(ledger.pods.values(), ledger.listed);
  const found = admit({ ...asked, pods: counted.map(({ pod }) => pod) });
  const lacksRoomOnly = found.state === 'preempting' || found.reason === 'UnexpectedAdmissionError';
  if (found.state === 'admitted') note(ledger, numbered(ledger, incoming, 'admitted'));
  else if (!lacksRoomOnly) reject(ledger, incoming, found);
  else {
    const making = makeRoom({ ...asked, counted, claimed: claimedIn(ledger.pods.values()) });
    if ('rejected' in making) reject(ledger, incoming, making.rejected);
    else preempt(ledger, incoming, making);
  }
}

function preempt(ledger: Ledger, incoming: Pod, { victims, claims, signal }: RoomMaking): void {
  const waitFor = (pod: Pod): Wait => ({ uid: uidOf(pod), deadline: timeAfter(ledger.now, killWaitSeconds(pod)) });
  const isWaiting = victims.length + claims.length > 0;
  const preemption = { startedAt: ledger.now.toISOString(), victims: victims.map(waitFor), claims: claims.map(waitFor) };
  const decision = numbered(ledger, incoming, isWaiting ? 'preempting' : 'admitted');
  note(ledger, isWaiting ? { ...decision, preemption } : decision);
  for (const { uid, deadline } of preemption.victims) {
    const victim = ledger.pods.get(uid);
    if (victim === undefined) continue;
    const eviction = { by: decision.uid, ...(signal !== undefined && { signal }), deadline };
    put(ledger, { ...victim, changed: (ledger.latest += 1), eviction });
  }
}

function reject(ledger: Ledger, pod: Pod, { reason = '', message = '' }: { reason?: string; message?: string }): void {
  note(ledger, { ...numbered(ledger, pod, 'rejected'), rejection: { reason, message } });
}

/** The API server may only be slow. Upstream would reject at once. */
function decideWithoutNode(ledger: Ledger, waiting: readonly Pod[]): void {
  if (waiting.length === 0) {
    setUnreadableSince(ledger, undefined);
    return;
  }
  setUnreadableSince(ledger, ledger.unreadableSince ?? ledger.now.toISOString());
  if (!isPast(ledger, timeAfter(new Date(ledger.unreadableSince ?? ledger.now), UNREADABLE_SECONDS))) return;
  for (const pod of waiting) reject(ledger, pod, { reason: 'InvalidNodeInfo', message: 'Kubelet cannot get node info.' });
}

function setUnreadableSince(ledger: Ledger, since: string | undefined): void {
  ledger.isChanged ||= ledger.unreadableSince !== since;
  ledger.unreadableSince = since;
}

/** A decision is kept until the API server shows what came of it: a final phase, or that the pod is gone. Until the pod's end in any case. */
function forgetGone(ledger: Ledger): void {
  for (const { uid, state, hasEnded } of ledger.pods.values()) {
    const pod = ledger.listed.get(uid);
    const isShown = pod === undefined || isPhaseFinal(pod);
    const isDone = state === 'rejected' || state === 'cancelled' || hasEnded === true;
    if (!isShown || !isDone) continue;
    ledger.pods.delete(uid);
    ledger.isChanged = true;
  }
}

function answerOf(ledger: Ledger, { told }: NodeDecision): NodeAdmission {
  const { pods, latest, unreadableSince, isChanged, counted, now } = ledger;
  const decision = { latest, told, pods: [...pods.values()], ...(unreadableSince !== undefined && { unreadableSince }) };
  const waits = waitsIn(pods).filter(({ deadline }) => !isPast(ledger, deadline));
  const deadlines = [
    ...waits.map(({ deadline }) => deadline),
    ...(unreadableSince === undefined ? [] : [timeAfter(now, UNREADABLE_RETRY_SECONDS)]),
  ];
  const requeueAt = deadlines.toSorted()[0];
  return {
    decision,
    isChanged,
    tells: decision.pods
      .filter(({ changed, sequence }) => (changed ?? sequence) > told)
      .map(({ uid, namespace, name }) => ({ uid, namespace, name })),
    waits,
    ...(requeueAt !== undefined && { requeueAt }),
    counted,
  };
}

/** Of all pods that are waited for, also of a victim whose preemptor was cancelled. */
function waitsIn(pods: ReadonlyMap<string, PodDecision>): Wait[] {
  const waits = new Map<string, Wait>();
  for (const { uid, preemption, eviction, hasEnded } of pods.values()) {
    if (eviction !== undefined && !eviction.isLate && !hasEnded)
      waits.set(`${uid} ${eviction.deadline}`, { uid, deadline: eviction.deadline });
    for (const wait of [...(preemption?.victims ?? []), ...(preemption?.claims ?? [])]) {
      const awaited = pods.get(wait.uid);
      if (awaited !== undefined && !awaited.hasEnded) waits.set(`${wait.uid} ${wait.deadline}`, wait);
    }
  }
  return [...waits.values()];
}

function claimedIn(pods: Iterable<PodDecision>): Set<string> {
  const claimed = new Set<string>();
  for (const { preemption } of pods)
    for (const { uid } of [...(preemption?.victims ?? []), ...(preemption?.claims ?? [])]) claimed.add(uid);
  return claimed;
}

function note(ledger: Ledger, decision: PodDecision): void {
  put(ledger, decision);
  const { state, rejection } = decision;
  if (state !== 'cancelled')
    ledger.counted.push({ metric: 'virtual_node_admissions_total', labels: { result: state, reason: rejection?.reason ?? '' } });
}

const numbered = (ledger: Ledger, pod: Pod, state: PodDecision['state']): PodDecision =>
  newDecision(pod, { sequence: (ledger.latest += 1), state });

function put(ledger: Ledger, decision: PodDecision): void {
  ledger.pods.set(decision.uid, decision);
  ledger.isChanged = true;
}

const isLeaving = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined || isPhaseFinal(pod);

const isPast = ({ now }: Ledger, time: string): boolean => Date.parse(time) <= now.getTime();

const timeAfter = (from: Date, seconds: number): string => new Date(from.getTime() + seconds * 1000).toISOString();

/** Oldest creation first, then by uid. */
export function olderFirst(one: Pod, other: Pod): number {
  const [a, b] = [one.metadata.creationTimestamp ?? '', other.metadata.creationTimestamp ?? ''];
  if (a !== b) return a < b ? -1 : 1;
  return uidOf(one) < uidOf(other) ? -1 : 1;
}
