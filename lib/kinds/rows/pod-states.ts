// The states of a workload's pods: running, waiting and why, or without reports from their node.
import { isAtWork, type PodFacts } from '../../objects/pods/pod-facts.ts';
import { podReasonText, type PodReason } from '../../objects/pods/pod-reasons.ts';
import { counted, MOST_NAMES, names, seconds, span, type CommonReason, type Reason as AnyReason } from './reasons.ts';

type Reason = AnyReason<CommonReason>;

/** A live node reports a pod's end within the grace period. After so much longer the node counts as lost. */
const NODE_SILENT_MS = 60_000;

/** Empty if no pod is active. */
export function podReasons({ active }: { active: readonly PodFacts[] }): Reason[] {
  const unknown = active.filter(isUnknown);
  // Leave out unreadable pods: whether they have started is unknown. Their workload is parked, with a reason of its own.
  const known = active.filter((pod) => !isUnknown(pod) && pod.unreadable === undefined);
  const running = known.filter(isAtWork);
  const waiting = groupsOf(known.flatMap((pod) => waitsOf(pod).map((reason) => ({ pod, reason }))));
  const pending = known.filter((pod) => !isAtWork(pod) && waitsOf(pod).length === 0);
  const disrupted = groupsOf(known.flatMap((pod) => disruptionsOf(pod).map((reason) => ({ pod, reason }))));
  const reasons: Reason[] = [];
  if (running.length > 0) {
    const ready = running.filter((pod) => pod.ready === 'True').length;
    const trouble = troubleText(waiting, active.length);
    reasons.push({
      code: 'PodsRunning',
      text: `${counted(running.length, 'pod runs', 'pods run')}, ${ready} of them ready`,
      ...(trouble !== undefined && { trouble }),
    });
  }
  reasons.push(...said('PodsWaiting', waiting), ...said('PodsDisrupted', disrupted));
  if (pending.length > 0) {
    const unbound = pending.filter(({ assigned }) => !assigned).length;
    const where = unbound === 0 ? 'all of them on a node' : `${unbound} of them not on a node yet`;
    reasons.push({
      code: 'PodsPending',
      text: `${counted(pending.length, 'pod has', 'pods have')} not started, ${where}`,
      pods: names(pending),
    });
  }
  if (unknown.length > 0) {
    const text = `nobody knows whether ${counted(unknown.length, 'pod runs', 'pods run')}: no node says`;
    reasons.push({ code: 'PodsUnknown', text, pods: names(unknown) });
  }
  return reasons;
}

/** Terminating pods long past their grace period whose node has not reported their end. */
export function lostReasons({ terminating }: { terminating: readonly PodFacts[] }, nowMs: number): Reason[] {
  const overdueMs = (pod: PodFacts): number => nowMs - (pod.deletedAt ?? 0) * 1000;
  const lost = terminating.filter((pod) => pod.assigned && overdueMs(pod) > NODE_SILENT_MS);
  if (lost.length === 0) return [];
  const longest = span(seconds(lost.reduce((most, pod) => Math.max(most, overdueMs(pod)), 0)));
  const text = `${counted(lost.length, 'terminating pod has', 'terminating pods have')} been due to end for up to ${longest}: no node says that they have. Their node may be lost`;
  return [{ code: 'NodeLost', text, pods: names(lost) }];
}

const isUnknown = ({ phase, ready }: PodFacts): boolean => phase === 'Unknown' || ready === 'Unknown';

/** A reason of one container, or of a pod that is not scheduled yet. */
const isWait = ({ assigned }: PodFacts, { container }: PodReason): boolean => container !== undefined || !assigned;
const waitsOf = (pod: PodFacts): readonly PodReason[] => (pod.reasons ?? []).filter((reason) => isWait(pod, reason));
const disruptionsOf = (pod: PodFacts): readonly PodReason[] => (pod.reasons ?? []).filter((reason) => !isWait(pod, reason));

interface Group {
  reason: PodReason;
  pods: PodFacts[];
}

/** `3 of 4: ImagePullBackOff`, where some pods run and others cannot. */
function troubleText(waiting: readonly Group[], pods: number): string | undefined {
  const [largest] = waiting;
  return largest && `${new Set(waiting.flatMap((group) => group.pods)).size} of ${pods}: ${largest.reason.reason}`;
}

/** Pods with the same reason as one group, the largest group first. */
function groupsOf(each: readonly { pod: PodFacts; reason: PodReason }[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { pod, reason } of each) {
    const text = podReasonText(reason);
    const group = groups.get(text) ?? { reason, pods: [] };
    groups.set(text, group);
    group.pods.push(pod);
  }
  return [...groups.values()].toSorted((a, b) => b.pods.length - a.pods.length);
}

/** Shows only the first groups. The last one shown then stands for all the others. */
function said(code: 'PodsWaiting' | 'PodsDisrupted', groups: readonly Group[]): Reason[] {
  const told = groups.length > MOST_NAMES ? MOST_NAMES - 1 : groups.length;
  const reasons = groups.slice(0, told).map(({ reason, pods }): Reason => ({
    code,
    text: `${podReasonText(reason)}${pods.length > 1 ? ` (${pods.length} pods)` : ''}`,
    pods: names(pods),
    podReason: reason.reason,
  }));
  const others = groups.slice(told).flatMap(({ pods }) => pods);
  if (others.length > 0) {
    const words = [...new Set(groups.slice(told).map(({ reason }) => reason.reason))].slice(0, MOST_NAMES).join(', ');
    reasons.push({ code, text: `${words} (${counted(new Set(others).size, 'more pod', 'more pods')})`, pods: names([...new Set(others)]) });
  }
  return reasons;
}
