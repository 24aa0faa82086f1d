// Where a workload stands, out of what its row tells of the owner and the reasons that hold of it.
import type { WorkloadObject } from '../objects/kubernetes.ts';
import { ownEntry } from '../objects/untyped-fields.ts';
import type { KindShown } from './kind-shown.ts';
import { COMMON_REASONS, type Reason } from './reasons.ts';
import type { Standing } from './state.ts';

export interface Known {
  shown: Pick<KindShown, 'reasons' | 'standingOf' | 'isUnderWay'>;
  /** Whether its kind has no owners at all. */
  isOwnerless: boolean;
  /** Undefined: gone, or not known. */
  owner: WorkloadObject | undefined;
  /** Whether what its passes keep can be read. */
  isKnown: boolean;
  /** Why it is parked; undefined where it is not. */
  parked?: string | undefined;
  /** The most telling first. */
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
  if (standings.some(({ state }) => state === 'Running')) return { state: 'Running' };
  const [standing = { state: 'Pending' as const }] = standings;
  if (standing.state !== 'Pending') return standing;
  // Between its pods a workload goes on, and where its pods are not known here (TooLargeForView) its status tells.
  return { state: shown.isUnderWay(owner) ? 'Running' : 'Pending' };
}

/** What a pod that starts again and again is in. */
const RESTARTS_LATER = 'CrashLoopBackOff';

/** @returns undefined for one that does not say where it stands, such as a deadline */
function standingBy({ code, podReason }: Reason, { reasons }: Known['shown']): Standing | undefined {
  const state = ownEntry(reasons, code) ?? ownEntry<Standing['state'] | undefined>(COMMON_REASONS, code);
  if (code === 'PodsWaiting' && podReason === RESTARTS_LATER) return { state: 'BackingOff', reason: podReason };
  if (state === undefined || state !== 'Waiting') return state && { state };
  // Of other reasons it is the evidence, with its message, and not what the workload waits for.
  const isOfPods = code === 'PodsWaiting' || code === 'PodsDisrupted';
  return { state, reason: (isOfPods ? podReason : undefined) ?? code };
}
