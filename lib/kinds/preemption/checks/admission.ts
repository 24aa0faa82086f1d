// Whether a node takes a pod that is bound to it: as it is, once others have made room, or not at all.
import type { Node, Pod } from '../../../objects/kubernetes.ts';
import { outOfResource } from '../../../objects/pods/resource-shortage.ts';
import { fieldsOf } from '../../../objects/values/untyped-fields.ts';
import { isInsufficient, type AdmissionFailure, type FailedPredicate, type Refusal } from './admission-failures.ts';
import { handleFailures } from './failure-handler.ts';
import { missingFor } from './fit.ts';
import { hasTakenPorts } from './host-ports.ts';
import { matchesNode } from '../../../objects/placement/node-affinity.ts';
import { nodeLabelsOf, refusalForOs } from './operating-system.ts';
import { isDrivenAway } from './taints.ts';

export interface PreemptionSettings {
  /** `qos`: victims by quality of service alone. `priority`: by priority first. */
  ordering: 'qos' | 'priority';
}

export interface AdmissionInput {
  node: Node;
  /** All that take room on the node, in the order of their admission. */
  pods: readonly Pod[];
  /** Those of them that may be evicted; all of them unless given. */
  candidates?: readonly Pod[];
  /** Read with the API server's defaults. */
  incoming: Pod;
  settings: PreemptionSettings;
}

export interface Admission extends Partial<Refusal> {
  /** `preempting`: it fits once the victims are gone. Reason and message are those of a rejection. */
  state: 'admitted' | 'preempting' | 'rejected';
  /** All that the checks of room and place found, before anybody made room. */
  failures: readonly AdmissionFailure[];
  /** In the order of eviction. */
  victims: readonly Pod[];
}

/** @see kubernetes › pkg/kubelet/lifecycle › predicateAdmitHandler */
export function admit({ node, pods, candidates = pods, incoming, settings }: AdmissionInput): Admission {
  const refusal = refusalForOs(incoming, node) ?? refusalForGroups(incoming, node);
  if (refusal !== undefined) return rejected(refusal, []);
  const failures = [...missingFor(incoming, node, pods), ...failedPredicates(node, pods, incoming)];
  if (failures.length === 0) return { state: 'admitted', failures, victims: [] };
  const handled = handleFailures({ incoming, failures, candidates, ordering: settings.ordering });
  if ('error' in handled) {
    const message = `Unexpected error while attempting to recover from admission failure: ${handled.error}`;
    return rejected({ reason: 'UnexpectedAdmissionError', message }, failures);
  }
  const [first] = handled.remaining;
  return first === undefined ? { state: 'preempting', failures, victims: handled.victims } : rejected(refusalOf(first), failures);
}

const rejected = (refusal: Refusal, failures: readonly AdmissionFailure[]): Admission => ({
  state: 'rejected',
  ...refusal,
  failures,
  victims: [],
});

function refusalForGroups({ spec }: Pod, { status }: Node): Refusal | undefined {
  const policy = fieldsOf(spec['securityContext'])['supplementalGroupsPolicy'];
  if (policy !== 'Strict' || fieldsOf(status?.['features'])['supplementalGroupsPolicy'] === true) return undefined;
  return { reason: 'SupplementalGroupsPolicyNotSupported', message: 'SupplementalGroupsPolicy=Strict is not supported in this node' };
}

/** Nobody who goes can change what these find. */
function failedPredicates(node: Node, pods: readonly Pod[], incoming: Pod): FailedPredicate[] {
  const { name = '' } = node.metadata;
  const { nodeName = '' } = incoming.spec;
  const checks: [boolean, string, string][] = [
    [matchesNode(incoming, { name, labels: nodeLabelsOf(node) }), 'NodeAffinity', "node(s) didn't match Pod's node affinity/selector"],
    [nodeName === '' || nodeName === name, 'NodeName', "node(s) didn't match the requested node name"],
    [!hasTakenPorts(incoming, pods), 'NodePorts', "node(s) didn't have free ports for the requested pod ports"],
    [!isDrivenAway(incoming, node), 'TaintToleration', "node(s) had taints that the pod didn't tolerate"],
  ];
  return checks.flatMap(([holds, predicate, message]) => (holds ? [] : [{ predicate, message }]));
}

function refusalOf(failure: AdmissionFailure): Refusal {
  if (!isInsufficient(failure)) return { reason: failure.predicate, message: `Predicate ${failure.predicate} failed: ${failure.message}` };
  return outOfResource(failure);
}
