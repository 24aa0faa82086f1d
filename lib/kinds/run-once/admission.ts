// Which pods of a run their node takes, in the order of the manifest. Each pod counts the pods that were admitted before it (spec section 3).
import type { Node, Pod } from '../../objects/kubernetes.ts';
import { admit } from '../preemption/checks/admission.ts';
import type { Refusal } from '../preemption/checks/admission-failures.ts';
import { unsupportedIn } from '../virtual-node/unsupported.ts';
import type { OthersOnNode } from './step-words.ts';

/** Fields that no pod of the provider can have. */
export type Cannot = readonly { field: string; why: string }[];

export interface AdmissionGiven {
  node: Node;
  pods: readonly Pod[];
  /** Pods of the node that are none of this run's. */
  others: OthersOnNode;
  cannot: Cannot;
}

export interface PodAdmission {
  /** Absent: it is admitted. */
  refusal?: Refusal;
  /** Pods that must end first. */
  victims: readonly Pod[];
}

/** By the place of the pod. Pods of this run are never evicted for each other: the caller asked for all of them. */
export function admissionsOf({ node, pods, others, cannot }: AdmissionGiven): PodAdmission[] {
  const { evictable = new Set() } = others;
  let taking = [...others.pods];
  return pods.map((incoming) => {
    const unsupported = unsupportedIn(incoming, cannot);
    if (unsupported) return { refusal: unsupported, victims: [] };
    const candidates = taking.filter(({ metadata: { uid = '' } }) => evictable.has(uid));
    const {
      state,
      reason = '',
      message = '',
      victims,
    } = admit({ node, pods: taking, candidates, incoming, settings: { ordering: 'qos' } });
    if (state === 'rejected') return { refusal: { reason, message }, victims: [] };
    taking = [...taking.filter((pod) => !victims.includes(pod)), incoming];
    return { victims };
  });
}
