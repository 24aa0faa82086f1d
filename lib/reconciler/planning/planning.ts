// Plans from the view, and from live reads if an action could not be taken back (R10) or counting needs them (R18).
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import type { Action, Failure, Plan, PlanHead, ReadWant } from '../../kinds/rows/plan.ts';
import { podSetOf, type Pods } from '../../kinds/rows/pod-set.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import type { Clock } from '../../ports/clock.ts';
import { isInScope } from '../../ports/clusters.ts';
import { NotDoneError, UnreadableObjectError } from '../../ports/errors.ts';
import { foreignWriterOf } from './foreign-writer.ts';
import { holdIn, type Standing } from './parking.ts';
import type { Pass, Planned } from '../pass/pass.ts';
import { OwnerGoneError } from '../pass/knowledge.ts';
import { statusDigestOf, type PassState } from '../head/pass-state.ts';
import { lowestFreeNumber } from '../live/settle.ts';
import { readSights } from '../live/sights.ts';
import { MOST_READS, readWants, unreadOf, unseenOf } from '../live/wanted.ts';
import type { Execution } from '../pass/execution.ts';

const MOST_ROUNDS_OF_READS = 2;

/** The pass has too little time left. Its next one begins anew. */
export class LateError extends NotDoneError {}

/** No planner can handle this workload as it is. */
export class PlannerFailedError extends Error {}

/**
 * Plans from the view. If the plan has an action that cannot be taken back, reads the owner live and plans again (R10). It does the same
 * for the objects that the plan wants.
 * @returns undefined if the workload is not ours; a rival if another controller writes its status again and again
 */
export async function planPass({
  clock,
  ports,
  pass,
}: Pick<Execution, 'clock' | 'ports' | 'pass'>): Promise<Plan<object> | { rival: string } | undefined> {
  for (let rounds = 0; ;) {
    await lookBeforeCounting(pass);
    const rival = rivalOf(clock, pass);
    if (rival !== undefined) return { rival };
    const planned = planFrom(clock, pass);
    const { outcome, actions, wants } = planned.plan;
    if (outcome === 'notOurs') return undefined;
    const unread = unreadOf(pass, wants);
    const unseen = unseenOf(pass, wants);
    const wantsOwner = wants?.some((want) => 'owner' in want) ?? false;
    const needsOwner = !pass.known.live && (wantsOwner || actions.some((action) => isGrave(pass, action)));
    if (!needsOwner && unread.length + unseen.length === 0) {
      pass.decided.planned = planned;
      return planned.plan;
    }
    if (unread.length + unseen.length > 0) rounds += 1;
    refuseReads(clock, pass, unread);
    const reads = pass.known.read.size + unread.length + pass.known.sights.size + unseen.length;
    if (rounds > MOST_ROUNDS_OF_READS || reads > MOST_READS)
      throw new PlannerFailedError(`its planner wants more than ${MOST_ROUNDS_OF_READS} rounds or ${MOST_READS} reads`);
    if (needsOwner) await pass.known.readOwner();
    await readWants(pass, unread);
    await readSights(ports, pass, unseen);
  }
}

/**
 * Wants are read with at least half of the pass's time left, and in namespaces that the cluster is registered for.
 * @throws PlannerFailedError; LateError
 */
function refuseReads(clock: Clock, { record, key, startedAtMs, deadline }: Pass, wants: readonly ReadWant[]): void {
  for (const { resource, namespace = key.namespace } of wants)
    if (resource.namespaced && !isInScope(record, namespace))
      throw new PlannerFailedError(`it needs ${resource.kind} objects of namespace ${namespace}, which its cluster is not registered for`);
  if (wants.length > 0 && clock.nowMs() > (startedAtMs + deadline.wallMs) / 2) throw new LateError('too little time is left for reads');
}

/** The manager that writes the same status again and again. It shows if the owner was read live, and the head remembers it. */
export function rivalOf(clock: Clock, pass: Pass): string | undefined {
  if (!pass.known.live || pass.facts.hasOtherWriters) return undefined;
  const sinceMs = pass.pending.state.statusWrittenAtMs ?? pass.pending.head.bornAtMs + pass.offsetMs;
  const writer = foreignWriterOf(pass.known.live.owner, pass.pending.state, { sinceMs, nowMs: pass.known.live.dateMs });
  if (writer) pass.pending.state = { ...pass.pending.state, foreign: writer.state };
  if (!writer?.isFight) return undefined;
  // If the workload is not ours, or is left to its other controller meanwhile, that one may write the status as often as it likes.
  const { outcome, yieldsTo } = planOnce(clock, pass);
  return outcome !== 'notOurs' && yieldsTo === undefined ? writer.manager : undefined;
}

/** Plans from the pass's present knowledge. @throws OwnerGoneError; PlannerFailedError */
export const planOnce = (clock: Clock, pass: Pass): Plan<object> => planFrom(clock, pass).plan;

function planFrom(clock: Clock, pass: Pass): Planned {
  const { given, nowMs } = givenTo(clock, pass);
  try {
    return { given, nowMs, plan: pass.row.planner.plan(given, new Date(nowMs)) };
  } catch (error) {
    throw new PlannerFailedError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** The planner's input now. @throws OwnerGoneError */
function givenTo(clock: Clock, pass: Pass): Pick<Planned, 'given' | 'nowMs'> {
  const owner = pass.known.owner;
  if (!owner) throw new OwnerGoneError('the owner is gone');
  refuseUnreadable(owner, pass.known.pods);
  const nowMs = pass.known.live?.dateMs ?? clock.nowMs() + pass.offsetMs;
  // The number is also above those of pods that have vanished since the last commit (R5).
  const head = {
    ...planHeadOf(
      { state: pass.pending.state, owner, pods: pass.known.pods },
      nowMs,
      pass.row.backoff.known(pass.pending.state.backoff, owner),
    ),
    ordinal: lowestFreeNumber(pass),
  };
  const { manages } = pass.record;
  const seen = {
    options: pass.record.options,
    isWhole: pass.known.live !== undefined,
    read: pass.known.read,
    ...(pass.known.sights.size > 0 && { sights: pass.known.sights }),
    ...(pass.known.calls.length > 0 && { calls: pass.known.calls }),
    ...(pass.known.failedCall && { failedCall: pass.known.failedCall }),
    kept: pass.pending.state.kept,
  };
  const others = pass.facts.children.length > 0 ? { children: pass.known.children.living } : {};
  const held = pass.known.held.size > 0 ? { held: pass.known.held } : {};
  const ended = pass.facts.pods?.successOutlivesPod ? endedPods(pass) : [];
  return { given: { owner, pods: pass.known.pods, ...(ended.length > 0 && { ended }), ...others, ...held, head, manages, ...seen }, nowMs };
}

/** The view's tombstones of pods that had succeeded: no pass may have looked before they went. */
const endedPods = ({ key, known }: Pass): PodFacts[] =>
  [...known.view.children.values()].flatMap(({ presence, child }) =>
    presence !== 'there' && child.phase === 'Succeeded' && child.controller?.uid === key.uid ? [child] : [],
  );

/**
 * State of earlier passes for the planner, as far as it still holds.
 * @param nowMs by the cluster's clock
 * @param backoff as the kind takes it
 */
export function planHeadOf(known: Standing, nowMs: number, backoff: PlanHead['backoff']): PlanHead {
  const { ordinal, createsLast, failure } = known.state;
  const isOfThisSpec = failure?.generation === (known.owner?.metadata.generation ?? 0);
  return {
    // Empty, because intents are settled before a pass plans.
    expectations: { create: [], delete: [], strip: [] },
    backoff,
    ordinal,
    ...holdIn(known, nowMs),
    ...(createsLast && { createsLast }),
    ...(failure && isOfThisSpec && { failure: failureIn(failure) }),
  };
}

/**
 * A pod that cannot be read may have ended or may be running. If it belongs to this workload, or the workload may adopt it, no pod is
 * created in its place and nothing is counted. The pods of a workload that is being deleted are not counted any more, and are released
 * in any case.
 * @throws UnreadableObjectError
 */
function refuseUnreadable({ metadata }: WorkloadObject, pods: Pods): void {
  const { unreadable } = podSetOf(pods);
  if (unreadable === 0 || metadata.deletionTimestamp !== undefined) return;
  for (const { namespace, name, controller, unreadable: why } of pods)
    if (why !== undefined && (!controller || controller.uid === metadata.uid))
      throw new UnreadableObjectError(`Pod ${namespace}/${name}`, why);
}

/** Without the generation, which belongs to the loop. */
function failureIn({ generation: _generation, reason, message, ...details }: NonNullable<PassState['failure']>): Failure {
  const texts = Object.entries(details).filter((detail): detail is [string, string] => typeof detail[1] === 'string');
  return { ...Object.fromEntries(texts), reason, message };
}

/** R18: if the status is not the one that we wrote last, or names pods that are not known, the children are listed live first. */
async function lookBeforeCounting(pass: Pass): Promise<void> {
  if ((pass.known.listed && !pass.known.listIsOlderThanOwner) || !pass.known.owner) return;
  const status = pass.known.owner.status;
  const isOurs =
    !pass.known.listIsOlderThanOwner &&
    (pass.pending.state.statusDigest === undefined || pass.pending.state.statusDigest === statusDigestOf(status));
  if (isOurs && pass.row.status.childrenIn(pass.known.owner).every((uid) => pass.known.view.children.has(uid))) return;
  // Read the owner before its pods: a pod is counted on evidence at least as new as the status to which it is added.
  await pass.known.readOwner();
  await pass.known.children.pods?.list();
  pass.pending.state = { ...pass.pending.state, statusDigest: statusDigestOf(pass.known.owner.status) };
}

/** R10: these actions cannot be taken back. A status that only counts is guarded by its resourceVersion. */
function isGrave({ known: { children } }: Pass, action: Action): boolean {
  if (action.verb === 'create') return true;
  if (action.verb === 'call') return true;
  // A pod that has ended is judged by its uid. Nothing shows that another object is not needed, except the owner.
  if (action.verb === 'delete') return action.active || !children.isCounted(action.resource);
  if (action.verb === 'patch') return !action.canBeTakenBack;
  return action.verb === 'status' && action.isFinal === true;
}
