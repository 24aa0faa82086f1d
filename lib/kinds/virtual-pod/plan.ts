// A pod's pass: from what its node has decided, what the provider shows of its task, and what the pod itself asks for, to the next step.
import type { Pod, PodStatus } from '../../objects/kubernetes.ts';
import { CONFIG_MIRROR } from '../../objects/pods/config-annotations.ts';
import { NODES, PODS } from '../../objects/resources.ts';
import type { Task } from '../../objects/task.ts';
import { ownerEvent, type NewEvent } from '../rows/actions.ts';
import {
  readKeyOf,
  sightKeyOf,
  type Action,
  type NewPlan,
  type ReadWant,
  type SightWant,
  type Snapshot,
  type ToldWorkload,
  type WorkloadName,
} from '../rows/plan.ts';
import { decisionOn } from '../preemption/node/decision-on.ts';
import { dutyOf, type PodDuty } from '../preemption/node/pod-duty.ts';
import { LATE_EVENT, PREEMPTING_EVENT } from '../preemption/victims/eviction.ts';
import { rejectedStatus, rejectionEvent } from '../preemption/checks/rejection.ts';
import { afterFailure, noteOfFailure } from './failed-calls.ts';
import { virtualPodFacts, type VirtualPod } from './facts.ts';
import { NOTHING_KEPT, type Kept } from './kept.ts';
import { problemOfNode, virtualNodeNamed } from './node-options.ts';
import { endedUnstarted, evicted, isFinal, isShownBy, lostStatus, statusOf, toBeEvicted } from './task-status.ts';

type PodPlan = NewPlan<PodStatus, Kept>;
type Given = Snapshot<VirtualPod, Kept>;

/** After so long no pass can still be sending a start (R17). */
export const SENDING_MS = 30_000;
/** A task that was taken and never seen is lost no sooner: a provider may show it late (spec section 19.5). */
const UNSEEN_MS = 120_000;
/** Two looks, so far apart, must miss a task that had been seen. */
const LOST_AFTER_MS = 10_000;
/** An edge that was started anew does not know at once what runs. */
const EDGE_LOST_AFTER_MS = 30_000;
const LOOK_AGAIN_SECONDS = 2;
const STOP_AGAIN_MS = 10_000;
/** A start without an answer is repeated: its name makes it the same. */
const START_AGAIN_MS = 2_000;
const NODE_AGAIN_SECONDS = 4;
/** Until a task that has not begun is looked at again, by how long ago it was ordered: some wait for hours in a queue. */
const BEGIN_AGAIN = [
  { underMs: 60_000, seconds: 4 },
  { underMs: 600_000, seconds: 15 },
  { underMs: Infinity, seconds: 60 },
] as const;
const REMOVE_AGAIN_SECONDS = 5;

/** The pod as its steps see it. */
interface About {
  pod: VirtualPod;
  kept: Kept;
  node: { name: string; uid: string };
  /** Undefined: none is known to the provider. */
  task: Task | undefined;
  duty: PodDuty;
  now: Date;
  given: Given;
}

type Mirrored = Pick<About, 'pod' | 'kept' | 'node' | 'given'>;

export function plan(given: Given, now: Date): PodPlan {
  const { owner, kept = NOTHING_KEPT } = given;
  const pod = virtualPodFacts.factsOf(owner) as VirtualPod;
  // A server that was restored shows it as before its end (R3): then its status is written once more.
  if (kept.ended && (isFinal(pod.status) || pod.metadata.deletionTimestamp !== undefined)) return closed(pod, kept, given.isWhole === true);
  const want: SightWant = { sight: 'task', node: pod.spec.nodeName, uid: pod.metadata.uid, attempt: kept.attempt };
  const found = nodeOf(given, kept, pod);
  if ('plan' in found) return { ...found.plan, ...(found.plan.wants && { wants: [...found.plan.wants, want] }) };
  const { node, decision } = found;
  if (pod.metadata.annotations?.[CONFIG_MIRROR] !== undefined)
    return mirrored({ pod, kept: { ...kept, node }, node, given }, decision === undefined);
  if (given.sights?.has(sightKeyOf(want)) !== true) return { actions: [], wants: [want], why: [] };
  const task = (given.sights.get(sightKeyOf(want)) ?? undefined) as Task | undefined;
  // A lost head is made up for by the provider: it shows the task.
  const known: Kept = task && !kept.ordered ? { ...kept, ordered: { atMs: now.getTime(), digest: pod.spec.digest, isTaken: true } } : kept;
  const about = { pod, kept: { ...known, node }, node, task, duty: dutyOf(decision), now, given };
  if (given.failedCall) return afterFailure({ pod, kept: about.kept, now }, given.failedCall);
  return nextStep(about, decision === undefined);
}

/** The node's decision on the pod, by two reads: which Node that is, and what its passes keep. */
function nodeOf(
  { read, sights }: Given,
  kept: Kept,
  pod: VirtualPod,
): { plan: PodPlan } | { node: About['node']; decision: ReturnType<typeof decisionOn> } {
  const { nodeName: name } = pod.spec;
  const wanted: ReadWant = { resource: NODES, namespace: '', name, fields: { apiVersion: true, kind: true, metadata: true } };
  const live = read?.get(readKeyOf(wanted, pod.metadata.namespace));
  const [found] = live?.objects ?? [];
  // Another agent serves it, and lets its pods go.
  const foreign = found && problemOfNode(found);
  if (foreign !== undefined) return { plan: { actions: [], why: [foreign], outcome: 'parked' } };
  const node = live ? { name, uid: found?.metadata.uid ?? '' } : kept.node;
  if (!node) return { plan: { actions: [], wants: [wanted], why: [] } };
  const sight: SightWant = { sight: 'workloads', workloads: [nodeWorkload(node)] };
  const answer = node.uid === '' ? { '': null } : (sights?.get(sightKeyOf(sight)) as Record<string, unknown> | undefined);
  if (answer === undefined) return { plan: { actions: [], wants: [sight], why: [] } };
  const itsKept = answer[node.uid];
  if (itsKept !== null) return { node, decision: decisionOn(pod.metadata.uid, itsKept) };
  // No pass has looked at this one yet.
  if (live) return { node, decision: undefined };
  // Another Node has its name now: which one, the next pass reads.
  const { node: _former, ...rest } = kept;
  return { plan: waiting(rest, `another Node is called ${name} now`, 0.1) };
}

export const nodeWorkload = ({ name, uid }: { name: string; uid: string }): WorkloadName => ({
  kind: 'VirtualNode',
  namespace: '',
  name,
  uid,
});

/** A run starts, stops and reports the pod that it shows. It only has to go when it is deleted, and its node gets its room back. */
function mirrored(about: Mirrored, isUndecided: boolean): PodPlan {
  const { pod, kept, node } = about;
  if (isFinal(pod.status) || pod.metadata.deletionTimestamp !== undefined) return ended(about);
  const why = 'it mirrors a pod of farloop run-once, which runs it and writes its status';
  const tells = [{ ...nodeWorkload(node), evenUnknown: true as const }];
  return { actions: [], why: [why], head: { kept: { ...kept, note: why } }, ...(isUndecided && { tells }) };
}

function nextStep(about: About, isUndecided: boolean): PodPlan {
  const { pod, kept, duty, task } = about;
  if (isStale(about)) return waiting(kept, 'the provider shows an older state of its task than before', LOOK_AGAIN_SECONDS);
  if (isFinal(pod.status)) return finished(about);
  if (task?.hasEnded) return written(about, statusOf(pod, task, kept, about.now), 'its task has ended', { isFinal: true });
  if (pod.metadata.deletionTimestamp !== undefined)
    return task ? stopped(about, 'it is being deleted') : neverRan(about, 'it is being deleted');
  switch (duty.verb) {
    case 'reject': {
      const { reason, message } = duty;
      const status = { ...pod.status, ...rejectedStatus(about.given.owner as unknown as Pod, { reason, message }) };
      return {
        ...written(about, status, `its node rejects it: ${message}`, { isFinal: true }),
        actions: [statusAction(status, 'a rejected pod is never decided on again', true), event(pod, rejectionEvent({ reason, message }))],
      };
    }
    case 'evict':
      return evictedStep(about, duty.isLate);
    case 'wait': {
      const { name } = about.node;
      // Its node's decision is lost: a task that runs is part of the next one.
      if (task) return { ...running(about, task), ...(isUndecided && { tells: [undecidedNode(about)] }) };
      const why = isUndecided ? `${name} has not decided on it yet` : `${name} keeps a place for it until others have ended`;
      return { ...waiting(kept, why, NODE_AGAIN_SECONDS), ...(isUndecided && { tells: [undecidedNode(about)] }) };
    }
    case 'start':
      return task ? running(about, task) : starting(about);
    case 'leave':
      return task ? running(about, task) : missing(about);
  }
}

/** Its head may be lost: the pass has seen that the Node is there. */
const undecidedNode = ({ node }: About): ToldWorkload => ({ ...nodeWorkload(node), evenUnknown: true });

/** Its phase is final: nothing may run any more. */
function finished(about: About): PodPlan {
  const { task, now } = about;
  const { ordered, seen } = about.kept;
  if (task && !task.hasEnded) return stopped(about, 'its phase is final, and something of it may still run');
  if (!task && ordered && seen === undefined && now.getTime() - ordered.atMs < SENDING_MS)
    return waiting(about.kept, 'a start of its task may still be on its way', secondsUntil(ordered.atMs + SENDING_MS, now));
  return ended(about);
}

/** Noted before its node may give its room to others. */
function ended({ pod, kept, node, given }: Mirrored): PodPlan {
  const wasKilled = kept.stop?.evicted === true;
  return {
    ...closed(pod, kept, given.isWhole === true),
    head: { kept: { attempt: kept.attempt, node, ended: { wasKilled }, note: 'it has ended' } },
    tells: [nodeWorkload(node)],
  };
}

/**
 * Nothing of it runs, and nothing will: what is left is that the API server lets it go.
 * @param isLive it was read live in this pass
 */
function closed({ metadata }: VirtualPod, kept: Kept, isLive: boolean): PodPlan {
  const { namespace, name, uid, deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = metadata;
  const why = ['nothing of it runs, and nothing will'];
  const isAsked = deletionGracePeriodSeconds === 0;
  // Its last finalizer lets it go.
  if (deletionTimestamp === undefined || (isAsked && finalizers.length > 0)) return { actions: [], why, head: { kept } };
  // The word that it is gone may be lost.
  if (isAsked && !isLive) return { actions: [], why, wants: [{ owner: 'whole' }] };
  const target = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
  const remove: Action = {
    verb: 'delete',
    resource: PODS,
    active: true,
    gracePeriodSeconds: 0,
    ...target,
    why: 'it is being deleted, and nothing of it runs',
  };
  return { actions: [remove], why, head: { kept }, ...(isAsked && { requeueAfterSeconds: REMOVE_AGAIN_SECONDS }) };
}

/** @param isFinal the pass goes on from there: its end is noted once the API server has it */
function written({ pod, kept, task }: About, status: PodStatus, why: string, { isFinal: final = false } = {}): PodPlan {
  const head = { kept: { ...kept, ...(task && { seen: task.version ?? 0 }), note: why } };
  if (isShownBy(status, pod.status)) return { actions: [], why: [why], head };
  return { actions: [statusAction(status, why, final)], status, why: [why], head, ...(final && { continues: true }) };
}

const statusAction = (status: PodStatus, why: string, isFinalStatus = false): Action => ({
  verb: 'status',
  status,
  ...(isFinalStatus && { isFinal: true }),
  why,
});

/** Of a pod that is to go, and of which no task is known. */
function neverRan(about: About, why: string): PodPlan {
  const { pod, kept, now } = about;
  const { ordered, seen } = kept;
  if (ordered && seen === undefined && now.getTime() - ordered.atMs < SENDING_MS)
    return waiting(kept, `${why}, and a start of its task may still be on its way`, secondsUntil(ordered.atMs + SENDING_MS, now));
  // Nobody needs the status of a pod that goes at once.
  if ((pod.metadata['finalizers'] ?? []).length === 0) return ended(about);
  const status = seen === undefined ? endedUnstarted(pod, now) : lostStatus(pod, now);
  return written(about, status, why, { isFinal: true });
}

function evictedStep(about: About, isLate: boolean): PodPlan {
  const { pod, kept, task, now } = about;
  const why = 'it makes room for a critical pod';
  const preempting = event(pod, PREEMPTING_EVENT);
  if (!task) {
    const { ordered, seen } = kept;
    if (ordered && seen === undefined && now.getTime() - ordered.atMs < SENDING_MS)
      return waiting(kept, `${why}, and a start of its task may still be on its way`, secondsUntil(ordered.atMs + SENDING_MS, now));
    const status = evicted(pod, pod.status ?? {}, now);
    const isTold = kept.stop?.evicted === true;
    return {
      ...written({ ...about, kept: withStop(about, { evicted: true }) }, status, why, { isFinal: true }),
      actions: [statusAction(status, why, true), ...(isTold ? [] : [preempting])],
    };
  }
  if (kept.stop?.evicted !== true) {
    const status = toBeEvicted(pod, now);
    // By a pass of whose head nothing is left.
    if (isShownBy(status, pod.status)) return stopped({ ...about, kept: withStop(about, { evicted: true }) }, why);
    return {
      actions: [statusAction(status, `${why}: the condition comes before the stop`, true), preempting],
      status,
      why: [why],
      head: { kept: withStop(about, { evicted: true }) },
      continues: true,
    };
  }
  if (isLate && kept.stop.isLate !== true) {
    const next = stopped({ ...about, kept: withStop(about, { isLate: true }) }, why);
    return { ...next, actions: [event(pod, LATE_EVENT), ...next.actions] };
  }
  return stopped(about, why);
}

function withStop({ pod, kept, now }: About, more: Partial<NonNullable<Kept['stop']>>): Kept {
  const before = kept.stop ?? { atMs: now.getTime(), graceSeconds: graceOf(pod, undefined) };
  return { ...kept, stop: { ...before, ...more } };
}

/** The smallest that was asked for so far, at least 1 s (spec section 20.3). */
function graceOf({ metadata, spec }: VirtualPod, before: number | undefined): number {
  const asked =
    (metadata.deletionTimestamp === undefined ? undefined : metadata.deletionGracePeriodSeconds) ??
    spec.terminationGracePeriodSeconds ??
    30;
  return Math.max(1, Math.min(before ?? Infinity, asked));
}

/** Asks the provider to end it, again and again until nothing runs: a repeated call is harmless, and a shorter grace shortens the wait. */
function stopped(about: About, why: string): PodPlan {
  const { pod, kept, node, now } = about;
  const graceSeconds = graceOf(pod, kept.stop?.graceSeconds);
  const { isSentAtMs, graceSeconds: before = Infinity } = kept.stop ?? {};
  const status = about.task ? statusOf(pod, about.task, kept, now) : undefined;
  const stop = { ...kept.stop, atMs: kept.stop?.atMs ?? now.getTime(), graceSeconds };
  const isDue = isSentAtMs === undefined || graceSeconds < before || now.getTime() - isSentAtMs >= STOP_AGAIN_MS;
  if (!isDue) {
    const told = status && !isShownBy(status, pod.status) ? [statusAction(status, 'its task ends')] : [];
    return { ...waiting({ ...kept, stop }, `${why}: its task is being stopped`, LOOK_AGAIN_SECONDS), actions: told };
  }
  const { uid, attempt } = { uid: pod.metadata.uid, attempt: kept.attempt };
  const first: NewEvent[] =
    isSentAtMs === undefined ? [{ type: 'Normal', reason: 'ProviderDeleteSuccess', message: 'Delete pod in provider successfully' }] : [];
  return {
    actions: [{ verb: 'call', call: 'stop', node: node.name, uid, attempt, graceSeconds, why }, ...first.map((each) => event(pod, each))],
    why: [`${why}: its task is stopped`],
    head: {
      kept: { ...kept, seen: kept.seen ?? 0, stop: { ...stop, isSentAtMs: now.getTime() }, note: `${why}: its task is being stopped` },
    },
    requeueAfterSeconds: LOOK_AGAIN_SECONDS,
    continues: true,
  };
}

/** Admitted, and no task is known of it. */
function starting(about: About): PodPlan {
  const { pod, kept, node, now, given } = about;
  const { ordered, failures, seen } = kept;
  if (failures && failures.untilMs > now.getTime()) return waiting(kept, noteOfFailure(failures), secondsUntil(failures.untilMs, now));
  if (kept.ended)
    return written(about, lostStatus(pod, now), 'it has ended, and its provider does not know it any more', { isFinal: true });
  // The API server shows that it ran, even if what was kept of it is lost.
  if (virtualPodFacts.hasStarted(pod) || (ordered && (seen !== undefined || ordered.isTaken))) return missing(about);
  if (ordered && given.calls?.includes('start'))
    return waiting({ ...kept, ordered: { ...ordered, isTaken: true } }, 'the provider has taken it', LOOK_AGAIN_SECONDS);
  if (ordered && now.getTime() - ordered.atMs < START_AGAIN_MS)
    return waiting(kept, 'a start of its task had no answer', secondsUntil(ordered.atMs + START_AGAIN_MS, now));
  const { uid } = pod.metadata;
  const told: NewEvent = { type: 'Normal', reason: 'ProviderCreateSuccess', message: 'Create pod in provider successfully' };
  const why = `${node.name} admits it: its provider is to start a task`;
  return {
    actions: [{ verb: 'call', call: 'start', node: node.name, uid, attempt: kept.attempt, why }, event(pod, told)],
    why: [why],
    head: { kept: { ...kept, ordered: { atMs: now.getTime(), digest: pod.spec.digest }, note: why } },
    requeueAfterSeconds: LOOK_AGAIN_SECONDS,
    continues: true,
  };
}

/** A task that was there, or had been taken, and that the provider does not know: believed after two looks. */
function missing(about: About): PodPlan {
  const { pod, kept, now } = about;
  const nowMs = now.getTime();
  const lost = { sinceMs: kept.lost?.sinceMs ?? nowMs, looks: (kept.lost?.looks ?? 0) + 1 };
  const wasSeen = kept.seen !== undefined || virtualPodFacts.hasStarted(pod);
  const { provider } = virtualNodeNamed(about.given.options, about.node.name) ?? {};
  const lostAfterMs = provider === 'interlink' ? EDGE_LOST_AFTER_MS : LOST_AFTER_MS;
  const believedAtMs = Math.max(lost.sinceMs + lostAfterMs, wasSeen ? 0 : (kept.ordered?.atMs ?? nowMs) + UNSEEN_MS);
  if (lost.looks < 2 || nowMs < believedAtMs)
    return waiting(
      { ...kept, lost },
      'the provider does not know its task: it is looked for once more',
      Math.min(secondsUntil(believedAtMs, now), NODE_AGAIN_SECONDS),
    );
  return written({ ...about, kept: { ...kept, lost } }, lostStatus(pod, now), 'the provider has lost its task', { isFinal: true });
}

function running(about: About, task: Task): PodPlan {
  const { pod, node, now } = about;
  const { ordered, lost: _lost, failures, ...kept } = about.kept;
  const nowMs = now.getTime();
  const isChanged = ordered !== undefined && ordered.digest !== pod.spec.digest;
  const mayCall = !failures || failures.untilMs <= nowMs;
  const taken = { ...kept, ordered: { atMs: ordered?.atMs ?? nowMs, digest: ordered?.digest ?? pod.spec.digest, isTaken: true as const } };
  const known: Kept = isChanged && failures ? { ...taken, failures } : taken;
  const next = written({ ...about, kept: known }, statusOf(pod, task, known, now), noteOf(task));
  if (!isChanged || !mayCall) {
    const isUnderWay = task.status.phase !== 'Running';
    const ageMs = nowMs - taken.ordered.atMs;
    const beginSeconds = isUnderWay ? BEGIN_AGAIN.find(({ underMs }) => ageMs < underMs)?.seconds : undefined;
    const againSeconds = isChanged && failures ? secondsUntil(failures.untilMs, now) : beginSeconds;
    return againSeconds === undefined ? next : { ...next, requeueAfterSeconds: againSeconds };
  }
  const told: NewEvent = { type: 'Normal', reason: 'ProviderUpdateSuccess', message: 'Update pod in provider successfully' };
  const update: Action = {
    verb: 'call',
    call: 'update',
    node: node.name,
    uid: pod.metadata.uid,
    attempt: taken.attempt,
    why: 'the pod has changed since the provider heard of it',
  };
  return {
    ...next,
    actions: [update, event(pod, told), ...next.actions],
    why: [...next.why, 'the pod has changed: the provider is told'],
    head: { kept: { ...known, seen: task.version ?? 0, ordered: { ...taken.ordered, digest: pod.spec.digest } } },
  };
}

function noteOf({ status: { containerStatuses = [], phase } }: Task): string {
  const waits = containerStatuses.find(({ state }) => state?.waiting)?.state?.waiting;
  if (phase === 'Running') return 'its task runs';
  return waits?.reason === undefined
    ? 'its task begins'
    : `its task waits: ${waits.reason}${waits.message === undefined ? '' : `: ${waits.message}`}`;
}

const isStale = ({ kept: { seen }, task }: About): boolean => seen !== undefined && task?.version !== undefined && task.version < seen;

const waiting = (kept: Kept, why: string, requeueAfterSeconds: number): PodPlan => ({
  actions: [],
  why: [why],
  head: { kept: { ...kept, note: why } },
  requeueAfterSeconds,
});

const event = (pod: VirtualPod, told: NewEvent): Action => ownerEvent(virtualPodFacts, pod, told);

const secondsUntil = (ms: number, now: Date): number => Math.max((ms - now.getTime()) / 1000, 0.1);
