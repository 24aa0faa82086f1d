// Derives a workload's state from its row's view of the owner, and from its reasons.
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import { ownEntry } from '../../objects/values/untyped-fields.ts';
import type { KindShown } from './kind-shown.ts';
import { COMMON_REASONS, type Reason } from './reasons.ts';
import type { Standing } from './state.ts';

export interface Known {
  shown: Pick<KindShown, 'reasons' | 'standingOf' | 'isUnderWay'>;
  /** Whether workloads of its kind have no owners. */
  isOwnerless: boolean;
  /** Undefined: gone or unknown. */
  owner: WorkloadObject | undefined;
  /** Whether the state that its passes keep can be read. */
  isKnown: boolean;
  /** Why it is parked; undefined if it is not. */
  parked?: string | undefined;
  /** Most important first. */
  reasons: readonly Reason[];
}

export function standingOf({ shown, isOwnerless, owner, isKnown, parked, reasons }: Known): Standing {
  if (parked !== undefined) return { state: 'Parked', reason: parked };
  if (isOwnerless) return { state: 'Orphan' };
  if (!owner || !isKnown) return { state: 'Unknown' };
  const told = shown.standingOf(owner);
  if (told?.state === 'Complete' || told?.state === 'Failed') return told;
  if (owner.metadata.deletionTimestamp !== undefined) return { state: 'Terminating' };
  if (told) return told;
  const standings = reasons.flatMap((reason) => standingBy(reason, shown) ?? []);
  const running = standings.find(({ state }) => state === 'Running');
  if (running) return running;
  const [standing = { state: 'Pending' as const }] = standings;
  if (standing.state !== 'Pending') return standing;
  // A workload may have no pod for a moment, or its pods may be unknown here (TooLargeForView). Its status then decides.
  return { state: shown.isUnderWay(owner) ? 'Running' : 'Pending' };
}

/** The cluster's word for a container that restarts again and again. */
const RESTARTS_LATER = 'CrashLoopBackOff';

/** @returns undefined for a reason without a state, such as a deadline */
function standingBy({ code, podReason, trouble }: Reason, { reasons }: Known['shown']): Standing | undefined {
  const state = ownEntry(reasons, code) ?? ownEntry<Standing['state'] | undefined>(COMMON_REASONS, code);
  if (code === 'PodsWaiting' && podReason === RESTARTS_LATER) return { state: 'BackingOff', reason: podReason };
  if (state === undefined || state !== 'Waiting') return state && { state, ...(trouble !== undefined && { reason: trouble }) };
  // In other reasons `podReason` is evidence with a message. It does not name what the workload waits for.
  const isOfPods = code === 'PodsWaiting' || code === 'PodsDisrupted';
  return { state, reason: (isOfPods ? podReason : undefined) ?? code };
}
