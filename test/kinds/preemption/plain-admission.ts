// Admission as plain as may be, for playing the node's decisions: room alone is checked, and the youngest pods of less priority go first.
import type { Admission, AdmissionFailure, AdmissionPolicies } from '../../../lib/kinds/preemption/policies.ts';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { amountOf, fitRequestOf, type Amounts } from './plain-requests.ts';

const SYSTEM_CRITICAL = 2_000_000_000;

type Insufficient = Extract<AdmissionFailure, { resource: string }>;

const takenBy = (pod: Pod): Amounts => ({ ...fitRequestOf(pod), pods: 1n });
const priorityOf = ({ spec }: Pod): number => Number(spec['priority'] ?? 0);

function missingOf(allocatable: Record<string, string>, pods: readonly Pod[], incoming: Pod): Insufficient[] {
  const wanted = takenBy(incoming);
  return ['pods', 'cpu', 'memory']
    .map((resource) => ({
      resource,
      requested: wanted[resource] ?? 0n,
      used: pods.map((pod) => takenBy(pod)[resource] ?? 0n).reduce((sum, amount) => sum + amount, 0n),
      capacity: amountOf(resource, allocatable[resource] ?? 0),
    }))
    .filter(({ requested, used, capacity }) => requested > 0n && requested > capacity - used);
}

/** Each victim frees something that is missing still. Undefined: all of them are not enough. */
function victimsOf(
  allocatable: Record<string, string>,
  pods: readonly Pod[],
  candidates: readonly Pod[],
  incoming: Pod,
): Pod[] | undefined {
  const victims: Pod[] = [];
  const missing = (): Insufficient[] =>
    missingOf(
      allocatable,
      pods.filter((pod) => !victims.includes(pod)),
      incoming,
    );
  for (const pod of candidates.toReversed())
    if (priorityOf(pod) < priorityOf(incoming) && missing().some(({ resource }) => (takenBy(pod)[resource] ?? 0n) > 0n)) victims.push(pod);
  return missing().length === 0 ? victims : undefined;
}

export const plainPolicies: AdmissionPolicies = {
  admit({ node, pods, candidates, incoming }): Admission {
    const allocatable = node.status?.allocatable ?? {};
    const failures = missingOf(allocatable, pods, incoming);
    const [first] = failures;
    if (first === undefined) return { state: 'admitted', failures, victims: [] };
    if (priorityOf(incoming) < SYSTEM_CRITICAL) {
      const { resource, requested, used, capacity } = first;
      const amounts = `requested: ${requested}, used: ${used}, capacity: ${capacity}`;
      const message = `Node didn't have enough resource: ${resource}, ${amounts}`;
      return { state: 'rejected', reason: `OutOf${resource}`, message, failures, victims: [] };
    }
    const victims = victimsOf(allocatable, pods, candidates, incoming);
    if (victims !== undefined) return { state: 'preempting', failures, victims };
    return { state: 'rejected', reason: 'UnexpectedAdmissionError', message: 'no set of running pods found', failures, victims: [] };
  },
  requestsOf: (pod) => new Map(Object.entries(fitRequestOf(pod))),
};
