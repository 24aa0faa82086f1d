// Reasons why a workload is running or not: what each may tell, and those that may hold of a workload of any kind. A kind's own are in its
// row (kind-shown.ts); together they are a closed list.
import type { PodFacts } from '../objects/pod-facts.ts';
import type { ReasonState } from './state.ts';

/** Those that may hold of any workload, each with the state that it means where nothing more telling holds. */
export const COMMON_REASONS = {
  // ended
  EndedOtherwise: undefined,
  Expires: undefined,
  // not looked after
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
  // on its way to the end
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
  DeadlineAhead: undefined,
  AboutToStartPods: 'Pending',
} as const satisfies Record<string, ReasonState | undefined>;
export type CommonReason = keyof typeof COMMON_REASONS;

export interface Reason<Code extends string = string> {
  /** Of the closed list: one of `COMMON_REASONS`, or of its kind's own. */
  code: Code;
  /** One sentence for people. */
  text: string;
  /** The pods it is about; at most five names. */
  pods?: string[];
  exitCode?: number;
  /** The cluster's own word about the pods: `Unschedulable`, `ImagePullBackOff`; for a failed pod with its message. */
  podReason?: string;
  /** Which rule of a policy, from 0. */
  rule?: number;
  /** Completion index, or a text of several. */
  index?: string;
  /** How long still. */
  remainingSeconds?: number;
}

/** Facts about a workload that its objects do not show. */
export interface Circumstances {
  /** A person must act; looked at again after so long. */
  parked?: { reason: string; remainingMs: number };
  /** Its cluster does not answer, or refuses Farloop's credentials: since when (Unix milliseconds), and when it is asked again: 0 is now, and nothing is when something happens. */
  unreachable?: { sinceMs: number; reason: string; remainingMs?: number | undefined; isRefused?: boolean };
  /** Why nobody sees what happens on its cluster. */
  unobserved?: string;
  /** Its cluster refuses what Farloop needs in its namespace: how so. */
  forbidden?: string;
  /** No heartbeat of its cluster's relay for so long. */
  relaySilentMs?: number;
  /** Its cluster is drained: no work is begun there. */
  isDrained?: boolean;
  /** Its cluster is being removed: of a Job that has not ended only that is to be told, see LEAVING. */
  isLeaving?: boolean;
  /** It is unknown, and passes leave it alone for so long still (R1). */
  leftAloneMs?: number;
  /** Its latest pass could write nothing more, and comes again after so long (R14). */
  throttledMs?: number;
  /** What the API server said when it refused a pod last. */
  refusal?: string;
  /** What else it refused the latest pass, or gave no good answer to, for a pod or the owner, and in which words; tried again after so long. */
  hindered?: { what: string; reason: string; remainingMs: number; isUnanswered?: true };
}

/** At most so many names, or reasons of one sort, are shown. */
export const MOST_NAMES = 5;

/** Of all that waits on a cluster that is being removed, whatever else there is to say of it: nobody looks after it any more. */
export const LEAVING: Reason<CommonReason> = {
  code: 'ClusterLeaving',
  text: 'its cluster is being removed: nothing is done on it any more',
};

/** Of a workload that has no owner (any more): all that is left to do is to let its pods go. @param text what its row says of it */
export const lettingGoReason = (held: readonly PodFacts[], text: string): Reason<CommonReason> => ({
  code: 'LettingPodsGo',
  text,
  ...(held.length > 0 && { pods: names(held) }),
});

/** What holds up any workload, whatever is known of it. */
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
 * @param did as a sentence goes on after "the API server"
 * @param why begins with what divides it from the rest
 */
export function refusedReason(did: string, why: string, remainingMs: number): Reason<CommonReason> {
  const remainingSeconds = seconds(remainingMs);
  const text = `the API server ${did}${why}; tried again in ${span(remainingSeconds)}`;
  return { code: 'RefusedByApiServer', text, remainingSeconds };
}

/** The first few of them. */
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
