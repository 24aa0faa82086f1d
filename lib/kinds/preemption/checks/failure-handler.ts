// Handles the failures of an admission: a critical pod does not fail for lack of room, others make it.
import type { Pod } from '../../../objects/kubernetes.ts';
import { isInsufficient, missingOf, type AdmissionFailure } from './admission-failures.ts';
import { isCritical } from '../victims/critical-pods.ts';
import { chooseVictims, NoVictimsError, type VictimsAsked } from '../victims/victims.ts';

export interface FailuresGiven extends Pick<VictimsAsked, 'candidates' | 'ordering'> {
  incoming: Pod;
  failures: readonly AdmissionFailure[];
}

/** The remaining failures, or why nobody can make room, in upstream's words. None remaining: the pod fits once the victims are gone. */
export type FailuresHandled = { remaining: readonly AdmissionFailure[]; victims: readonly Pod[] } | { error: string };

/** @see kubernetes › pkg/kubelet/preemption › CriticalPodAdmissionHandler */
export function handleFailures({ incoming, failures, candidates, ordering }: FailuresGiven): FailuresHandled {
  if (!isCritical(incoming)) return { remaining: failures, victims: [] };
  const others = failures.filter((failure) => !isInsufficient(failure));
  if (others.length > 0) return { remaining: others, victims: [] };
  const requirements = failures.filter(isInsufficient).map((failure) => ({ resource: failure.resource, quantity: missingOf(failure) }));
  try {
    return { remaining: [], victims: chooseVictims({ preemptor: incoming, candidates, requirements, ordering }) };
  } catch (error) {
    if (!(error instanceof NoVictimsError)) throw error;
    return { error: `preemption: error finding a set of pods to preempt: ${error.message}` };
  }
}
