// The one word for where a workload stands, out of the reasons that hold of it: what lists, `explain`, `up --apply` and the console show.
import { trueCondition } from './job/conditions.ts';
import type { Job } from '../objects/kubernetes.ts';
import type { Reason, ReasonCode } from './reasons.ts';

export const STATES = [
  'Pending',
  'Running',
  'BackingOff',
  'Waiting',
  'Suspended',
  'Complete',
  'Failed',
  'Terminating',
  'Parked',
  'Orphan',
  'Unknown',
  'Unreadable',
] as const;
export type State = (typeof STATES)[number];

export interface Standing {
  state: State;
  /**
   * Of Complete and Failed the condition's reason, of Parked what a person must do; of Waiting and BackingOff what for: a code of the
   * closed list, or the cluster's own word for what its pods wait for, such as `Unschedulable` or `ImagePullBackOff`.
   */
  reason?: string;
}

export interface Known {
  kind: string;
  /** Undefined: gone, or not known. */
  owner: Job | undefined;
  /** Whether what its passes keep can be read. */
  isKnown: boolean;
  /** Why it is parked; undefined where it is not. */
  parked?: string | undefined;
  /** The most telling first. */
  reasons: readonly Reason[];
}

export function standingOf({ kind, owner, isKnown, parked, reasons }: Known): Standing {
  if (parked !== undefined) return { state: 'Parked', reason: parked };
  if (kind === 'OrphanPod') return { state: 'Orphan' };
  if (!owner || !isKnown) return { state: 'Unknown' };
  for (const type of ['Complete', 'Failed'] as const) {
    const condition = trueCondition(owner.status?.conditions, type);
    if (condition) return { state: type, ...(condition.reason !== undefined && { reason: condition.reason }) };
  }
  if (owner.metadata.deletionTimestamp !== undefined) return { state: 'Terminating' };
  if (owner.spec.suspend === true) return { state: 'Suspended' };
  if (reasons.some(({ code }) => code === 'PodsRunning')) return { state: 'Running' };
  const [standing = { state: 'Pending' as const }] = reasons.flatMap((reason) => standingBy(reason) ?? []);
  if (standing.state !== 'Pending') return standing;
  const { ready = 0, succeeded = 0, failed = 0 } = owner.status ?? {};
  // Between its pods a Job goes on, and where its pods are not known here (TooLargeForView) the status counts those that are ready.
  return { state: ready + succeeded + failed > 0 ? 'Running' : 'Pending' };
}

/** What a pod that starts again and again is in. */
const RESTARTS_LATER = 'CrashLoopBackOff';

const BACKS_OFF = new Set<ReasonCode>(['BackingOff', 'IndexBackingOff']);
const WAITS = new Set<ReasonCode>([
  'ManagedBySomebodyElse',
  'UnknownCompletionMode',
  'UnreadableSelector',
  'Unreachable',
  'Forbidden',
  'RelaySilent',
  'ClusterNotObserved',
  'ClusterDrained',
  'ClusterLeaving',
  'WaitsAfterLoss',
  'WriteBudgetSpent',
  'Succeeding',
  'Failing',
  'NoParallelism',
  'RefusedByApiServer',
  'WaitsForTerminatingPods',
  'NodeLost',
  'PodsWaiting',
  'PodsDisrupted',
  'PodsUnknown',
]);

/** @returns undefined for one that does not say where it stands, such as a deadline */
function standingBy({ code, podReason }: Reason): Standing | undefined {
  if (BACKS_OFF.has(code)) return { state: 'BackingOff' };
  if (code === 'PodsWaiting' && podReason === RESTARTS_LATER) return { state: 'BackingOff', reason: podReason };
  // Of other reasons it is the evidence, with its message, and not what the Job waits for.
  const isOfPods = code === 'PodsWaiting' || code === 'PodsDisrupted';
  if (WAITS.has(code)) return { state: 'Waiting', reason: (isOfPods ? podReason : undefined) ?? code };
  return code === 'PodsPending' || code === 'NotYetSeen' || code === 'AboutToStartPods' ? { state: 'Pending' } : undefined;
}
