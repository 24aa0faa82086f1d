// Reasons why a workload is running or not: the fields of a reason, and the codes that any kind may have. A kind's own codes are in its row
// (kind-shown.ts). Together they are a closed list.
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import type { ReasonState } from './state.ts';

/** Codes of any kind, each with its state. The state counts if no reason before it has one. */
export const COMMON_REASONS = {
  // ended
  EndedOtherwise: undefined,
  Expires: undefined,
  // not managed
  ManagedBySomebodyElse: 'Waiting',
  Parked: undefined,
  Unreachable: 'Waiting',
  Forbidden: 'Waiting',
  RelaySilent: 'Waiting',
  ClusterNotObserved: 'Waiting',
  ClusterDrained: 'Waiting',
  ClusterLeaving: 'Waiting',
  WaitsAfterLoss: 'Waiting',
  WriteBudgetSpent: 'Waiting',
  NotYetSeen: 'Pending',
  Unreadable: undefined,
  TooLargeForView: undefined,
  // about to end
  BeingDeleted: undefined,
  LettingPodsGo: undefined,
  Succeeding: 'Waiting',
  Failing: 'Waiting',
  // waiting
  Suspended: undefined,
  RefusedByApiServer: 'Waiting',
  BackingOff: 'BackingOff',
  WaitsForTerminatingPods: 'Waiting',
  NodeLost: 'Waiting',
  PodsWaiting: 'Waiting',
  PodsDisrupted: 'Waiting',
  PodsPending: 'Pending',
  PodsUnknown: 'Waiting',
  // running
  PodsRunning: 'Running',
  PodsEnded: undefined,
  DeadlineAhead: undefined,
  AboutToStartPods: 'Pending',
} as const satisfies Record<string, ReasonState | undefined>;
export type CommonReason = keyof typeof COMMON_REASONS;

export interface Reason<Code extends string = string> {
  /** From the closed list: one of `COMMON_REASONS`, or one of the kind's own. */
  code: Code;
  /** One sentence for people. */
  text: string;
  /** Names of the pods concerned, at most five. */
  pods?: string[];
  exitCode?: number;
  /** The cluster's own word for the pods' state: `Unschedulable`, `ImagePullBackOff`. For a failed pod with its message. */
  podReason?: string;
  /** Of pods that run, where others cannot: `3 of 4: ImagePullBackOff`. Shown beside the state. */
  trouble?: string;
  /** Position of a policy's rule, from 0. */
  rule?: number;
  /** A completion index, or a text of several. */
  index?: string;
  /** Time left. */
  remainingSeconds?: number;
}

/** Facts about a workload that its objects do not show. */
export interface Circumstances {
  /** A person must act. A pass looks again after `remainingMs`. */
  /** `remainingMs` absent: until the spec changes. */
  parked?: { reason: string; remainingMs?: number };
  /**
   * The cluster does not answer, or refuses Farloop's credentials. `sinceMs`: Unix milliseconds. `remainingMs`: until the next probe; 0:
   * now; absent: only after a change.
   */
  unreachable?: { sinceMs: number; reason: string; remainingMs?: number | undefined; isRefused?: boolean };
  /** Why changes on its cluster are not observed. */
  unobserved?: string;
  /** Why the cluster refuses rights that Farloop needs in the namespace. */
  forbidden?: string;
  /** Time since the last heartbeat of the cluster's relay, if it is late. */
  relaySilentMs?: number;
  /** The cluster is drained: no new work begins there. */
  isDrained?: boolean;
  /** The cluster is being removed. An unfinished Job then has only this reason, see LEAVING. */
  isLeaving?: boolean;
  /** The workload's state is unknown. Passes leave it alone for this time (R1). */
  leftAloneMs?: number;
  /** The latest pass had no write budget left. The next one runs after this time (R14). */
  throttledMs?: number;
  /** The API server's latest refusal to create or delete a pod, in its words. */
  refusal?: string;
  /**
   * Another call of the latest pass, about a pod or the owner, that was refused or had no good answer. It is retried after `remainingMs`.
   */
  hindered?: { what: string; reason: string; remainingMs: number; isUnanswered?: true };
}

/** Most names, or reasons of one sort, to show. */
export const MOST_NAMES = 5;

/** The only reason of a workload that waits on a cluster being removed: Farloop does not manage it any more. */
export const LEAVING: Reason<CommonReason> = {
  code: 'ClusterLeaving',
  text: 'its cluster is being removed: nothing is done on it any more',
};

/** For a workload without an owner: only releasing its pods is left. @param text from its row */
export const lettingGoReason = (held: readonly PodFacts[], text: string): Reason<CommonReason> => ({
  code: 'LettingPodsGo',
  text,
  ...(held.length > 0 && { pods: names(held) }),
});

/** Circumstances that delay a workload of any kind, whatever the state of its objects. */
export function obstaclesOf({
  parked,
  unreachable,
  forbidden,
  relaySilentMs,
  unobserved,
  isDrained = false,
  leftAloneMs,
  throttledMs,
  hindered,
}: Circumstances): Reason<CommonReason>[] {
  const reasons: Reason<CommonReason>[] = [];
  const add = (code: CommonReason, text: string, remainingMs?: number): unknown =>
    reasons.push({ code, text, ...(remainingMs !== undefined && { remainingSeconds: seconds(remainingMs) }) });
  if (parked) add('Parked', `a person must act: ${parked.reason}`, parked.remainingMs);
  if (unreachable) {
    const { sinceMs, reason, remainingMs, isRefused = false } = unreachable;
    const does = isRefused ? "the cluster refuses Farloop's credentials since" : 'no answer from the cluster since';
    const again = remainingMs === undefined ? 'when something happens' : remainingMs > 0 ? `in ${span(seconds(remainingMs))}` : 'now';
    add('Unreachable', `${does} ${momentText(sinceMs)}: ${reason}; tried again ${again}`, remainingMs === 0 ? undefined : remainingMs);
  }
  if (forbidden !== undefined) add('Forbidden', `its cluster does not allow what Farloop needs: ${forbidden}`);
  if (relaySilentMs !== undefined)
    add('RelaySilent', `nothing was heard of its cluster's relay for ${span(seconds(relaySilentMs))}: what happens there is not seen`);
  if (unobserved !== undefined) add('ClusterNotObserved', unobserved);
  if (isDrained) add('ClusterDrained', 'its cluster is drained: work that has begun is finished, none is begun');
  if (leftAloneMs !== undefined)
    add(
      'WaitsAfterLoss',
      `what was known of it is lost: it is left alone for ${span(seconds(leftAloneMs))}, until no earlier pass can be at work on it`,
      leftAloneMs,
    );
  if (throttledMs !== undefined)
    add(
      'WriteBudgetSpent',
      `its cluster takes no more writes just now (its write budget, or the API server itself): its turn comes in ${span(seconds(throttledMs))}`,
      throttledMs,
    );
  if (hindered) {
    const met = hindered.isUnanswered ? 'gave no good answer when asked to' : 'refused to';
    reasons.push(refusedReason(`${met} ${hindered.what}`, `: ${hindered.reason}`, hindered.remainingMs));
  }
  return reasons;
}

/**
 * @param did continues a sentence after "the API server"
 * @param why begins with its own separator
 */
export function refusedReason(did: string, why: string, remainingMs: number): Reason<CommonReason> {
  const remainingSeconds = seconds(remainingMs);
  const text = `the API server ${did}${why}; tried again in ${span(remainingSeconds)}`;
  return { code: 'RefusedByApiServer', text, remainingSeconds };
}

/** Names of the first few pods. */
export const names = (pods: readonly PodFacts[]): string[] => pods.slice(0, MOST_NAMES).map(({ name }) => name);
export const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
/** Rounded up to whole seconds, so that a wait never shows as shorter than it is. */
export const seconds = (ms: number): number => Math.max(Math.ceil(ms / 1000), 0);

/** For people: the day and the time of day, UTC. */
const momentText = (ms: number): string => (Number.isFinite(ms) ? `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC` : '-');

/** For people. @param total whole seconds */
export function span(total: number): string {
  if (total < 120) return `${total} s`;
  if (total < 7200) return `${Math.ceil(total / 60)} min`;
  return total < 172_800 ? `${Math.ceil(total / 3600)} h` : `${Math.ceil(total / 86_400)} d`;
}
