// A workload that a person must look at is parked: back-off, an Event, a metric and a reason in the console (R13).
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import { isFinished } from '../../objects/pods/pod-facts.ts';
import { formatKey } from '../../objects/workload.ts';
import type { PlanHead } from '../../kinds/rows/plan.ts';
import type { Resource } from '../../objects/resources.ts';
import type { Pods } from '../../kinds/rows/pod-set.ts';
import { TerminalError, UnknownOutcomeError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Ending } from '../pass/ending.ts';
import type { EventAction, Refusal } from '../pass/result.ts';
import type { PassState } from '../head/pass-state.ts';
import type { Pass } from '../pass/pass.ts';

const LONGEST_REASON = 500;
/** The cause may be mended elsewhere, as in a definition or a policy, which sends no event. So the longest wait is one that a person can sit out. */
const PARKED_MS = { first: 60_000, most: 300_000 };
/** The back-off of an action that the API server refuses. */
export const HELD_MS = { first: 1_000, most: 60_000 };
/** The error of a pass that planned again and again without success, if no single refusal ended it. */
export const TOO_OFTEN = 'planned again too often in one pass';

/**
 * @param longestMs the longest back-off; shorter than usual if the trouble may end at any time
 * @returns milliseconds until the next look; a changed spec is looked at at once
 */
export function park(
  pass: Pass,
  reason: string,
  { clock, telemetry }: Pick<Ports, 'clock' | 'telemetry'>,
  longestMs: number = PARKED_MS.most,
): number {
  const generation = pass.known.generation ?? 0;
  const { park: before } = pass.pending.state;
  // Of a changed spec the trouble is a new one.
  const failures = (before?.generation === generation ? before.failures : 0) + 1;
  const againInMs = backoffMs(failures, { first: PARKED_MS.first, most: longestMs });
  pass.pending.state = {
    ...pass.pending.state,
    park: { failures, untilMs: clock.nowMs() + againInMs, reason: markedReason(reason), generation },
  };
  if (!pass.decided.why.includes(reason)) pass.decided.why.push(reason);
  telemetry.error('workload parked', { ...pass.key, reason });
  telemetry.count('ParkedWorkloads', 1, 'Count', { cluster: pass.key.cluster, kind: pass.key.kind });
  if (!pass.pending.events.some(({ type }) => type === 'Warning'))
    pass.pending.events.push({
      verb: 'event',
      type: 'Warning',
      reason: 'Parked',
      message: reason,
      regarding: regardingOf(pass),
      why: 'a person must act',
    });
  return againInMs;
}

/**
 * All or a part of the workload's view cannot be read. The pass reports this once and looks again with each wake: an object that becomes
 * readable arrives as an event like any other.
 */
export function parkUnreadable(pass: Pass, error: Error, ports: Pick<Ports, 'clock' | 'telemetry'>): Ending {
  const { park: known } = pass.pending.state;
  const nowMs = ports.clock.nowMs();
  const isTold = known?.unreadable === true && known.reason === markedReason(error.message) && isAhead(known.untilMs, nowMs, PARKED_MS);
  if (isTold) {
    pass.decided.why.push(known.reason);
    return { outcome: 'parked', againInMs: known.untilMs - nowMs };
  }
  ports.telemetry.count('UnreadableObjects', 1, 'Count', { cluster: pass.key.cluster });
  const againInMs = park(pass, error.message, ports);
  if (pass.pending.state.park) pass.pending.state = { ...pass.pending.state, park: { ...pass.pending.state.park, unreadable: true } };
  return { outcome: 'parked', againInMs, error };
}

/** Everything has been read, so the reason for parking is over. */
export function endUnreadable(pass: Pass): void {
  if (pass.pending.state.park?.unreadable === true) pass.pending.state = { ...pass.pending.state, park: undefined };
}

/** The spec has changed, and is no reason for parking any more. */
export function endUntilChanged(pass: Pass): void {
  if (pass.pending.state.park?.untilChanged === true) pass.pending.state = { ...pass.pending.state, park: undefined };
}

/** Only another spec ends it. The planner has emitted its event, so none is emitted here, and no timer brings it back. */
export function parkUntilChanged(pass: Pass, reason: string, { clock, telemetry }: Pick<Ports, 'clock' | 'telemetry'>): Ending {
  const generation = pass.known.generation ?? 0;
  const { park: before } = pass.pending.state;
  const isKnown = before?.untilChanged === true && before.generation === generation;
  pass.pending.state = {
    ...pass.pending.state,
    park: { failures: 1, untilMs: clock.nowMs(), reason: markedReason(reason), generation, untilChanged: true },
  };
  if (!isKnown) telemetry.count('ParkedWorkloads', 1, 'Count', { cluster: pass.key.cluster, kind: pass.key.kind });
  return { outcome: 'parked' };
}

const markedReason = (reason: string): string => reason.slice(0, LONGEST_REASON);

/** @returns how a pass that parks its workload ends */
export const parkedEnding = (ports: Pick<Ports, 'clock' | 'telemetry'>, pass: Pass, reason: string): Ending => ({
  outcome: 'parked',
  againInMs: park(pass, reason, ports),
});

/** Milliseconds that the workload stays parked; undefined if it is not parked now. */
export function parkedFor(pass: Pass, nowMs: number): number | undefined {
  const parked = pass.pending.state.park;
  if (!parked || parked.unreadable === true || !isAhead(parked.untilMs, nowMs, PARKED_MS) || pass.known.generation !== parked.generation)
    return undefined;
  pass.decided.why.push(parked.reason);
  return parked.untilMs - nowMs;
}

/** A workload as a pass or the API knows it. */
export interface Standing {
  state: PassState;
  owner: WorkloadObject | undefined;
  pods: Pods;
}

/**
 * Until when creates or deletes are held, if they still are. A pod of the workload that has ended or gone since may have made room for
 * another: then they are tried at once. So they are after a change of the spec. No other change has them tried early.
 * @param nowMs by the cluster's clock
 */
export function holdIn({ state: { hold }, owner, pods }: Standing, nowMs: number): Pick<PlanHead, 'holdUntilMs' | 'deleteHoldUntilMs'> {
  if (!hold || hold.generation !== (owner?.metadata.generation ?? 0) || !isAhead(hold.untilMs, nowMs, HELD_MS)) return {};
  if (hold.room !== undefined && roomTaken({ owner, pods }) < hold.room) return {};
  return hold.verb === 'delete' ? { deleteHoldUntilMs: hold.untilMs } : { holdUntilMs: hold.untilMs };
}

/** Of the workload's pods: an ended pod counts once and any other twice, because some quotas count ended pods and some do not. */
export function roomTaken({ owner, pods }: Pick<Standing, 'owner' | 'pods'>): number {
  let taken = 0;
  for (const pod of pods) if (pod.controller?.uid === owner?.metadata.uid) taken += isFinished(pod) ? 1 : 2;
  return taken;
}

/** A time further ahead than any back-off was written before the clock was set back (R12). */
const isAhead = (untilMs: number, nowMs: number, { most }: { most: number }): boolean => untilMs > nowMs && untilMs <= nowMs + 2 * most;

/** Two controllers write one status. */
export const fightText = ({ key }: Pass, rival: string): string =>
  `${rival} writes the status of this ${key.kind} too: switch its ${key.kind} controller off, or let Farloop manage its own workloads only`;

/**
 * The API server's own words if it was asked, else the error's. For a call without an answer, the error's words would give no more than an
 * address.
 */
export function wordsOf(error: Error): string {
  if (error instanceof UnknownOutcomeError) return error.said ?? 'the API server gave no answer that tells what came of it';
  return error instanceof TerminalError ? (error.said ?? error.message) : error.message;
}

/** The event about a refused create or delete. */
export const refusalEvent = (pass: Pass, { during, resource }: Pick<Refusal, 'during' | 'resource'>, error: Error): EventAction => ({
  verb: 'event',
  type: 'Warning',
  reason: ((resource && pass.known.children.of(resource)?.refusedReasons) ?? pass.facts.refusedReasons)[
    during === 'create' ? 'create' : 'delete'
  ],
  message: `Error ${during === 'create' ? 'creating' : 'deleting'}: ${wordsOf(error)}`,
  regarding: regardingOf(pass),
  why: `the API server refuses it: ${formatKey(pass.key)}`,
});

/** The event about a child whose name an object of somebody else has. In the API server's words, as for any create that it refuses. */
export const takenNameEvent = (pass: Pass, { resource, name }: { resource: Resource; name: string }): EventAction =>
  refusalEvent(pass, { during: 'create', resource }, new Error(`${resource.plural} "${name}" already exists and belongs to somebody else`));

/** The event about a refused action that all others depend on. */
export const requiredEvent = (pass: Pass, { reason, message }: { reason: string; message: string }, error: Error): EventAction => ({
  verb: 'event',
  type: 'Warning',
  reason,
  message: `${message}: ${wordsOf(error)}`,
  regarding: regardingOf(pass),
  why: 'nothing else can be done before it',
});

/** Doubles with each failure, from `first` up to `most`. */
export const backoffMs = (failures: number, { first, most }: { first: number; most: number }): number =>
  Math.min(first * 2 ** Math.min(failures - 1, 20), most);

const regardingOf = ({ key, facts }: Pass): EventAction['regarding'] => ({
  apiVersion: facts.resource.apiVersion,
  kind: facts.resource.kind,
  namespace: key.namespace,
  name: key.name,
  uid: key.uid,
});
