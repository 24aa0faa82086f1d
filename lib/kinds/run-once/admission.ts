// Which pods of a run their node takes, in the order of the manifest. Each pod counts the pods that were admitted before it (spec section 3).
import type { Node, Pod } from '../../objects/kubernetes.ts';
import { admit } from '../preemption/checks/admission.ts';
import type { Refusal } from '../preemption/checks/admission-failures.ts';
import { unsupportedIn } from '../virtual-node/unsupported.ts';

/** Fields that no pod of the provider can have. */
export type Cannot = readonly { field: string; why: string }[];

export interface AdmissionGiven {
  node: Node;
  pods: readonly Pod[];
  /** Pods of the node that are none of this run's. */
  others: readonly Pod[];
  cannot: Cannot;
}

/**
 * By the place of the pod; undefined: it is admitted. Nobody is evicted for a pod of a run: the pods around it belong to others, and those of
 * the run are what the caller asked for.
 */
export function admissionsOf({ node, pods, others, cannot }: AdmissionGiven): (Refusal | undefined)[] {
  const taking = [...others];
  return pods.map((pod) => {
    const refusal = unsupportedIn(pod, cannot) ?? refusalOf(node, taking, pod);
    if (!refusal) taking.push(pod);
    return refusal;
  });
}

function refusalOf(node: Node, pods: readonly Pod[], incoming: Pod): Refusal | undefined {
  const { state, reason = '', message = '' } = admit({ node, pods, candidates: [], incoming, settings: { ordering: 'qos' } });
  return state === 'admitted' ? undefined : { reason, message };
}
