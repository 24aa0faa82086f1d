// Why a pod is admitted or not, and why just these others make room for it, in words for people.
import type { Pod } from '../../objects/kubernetes.ts';
import { podQosClassOf } from '../../objects/pods/qos-class.ts';
import { formatQuantity } from '../../objects/values/quantity.ts';
import type { Admission, PreemptionSettings } from '../preemption/checks/admission.ts';
import { isInsufficient, missingOf, type AdmissionFailure } from '../preemption/checks/admission-failures.ts';
import { priorityOf } from '../preemption/victims/critical-pods.ts';
import { victimRequestsOf } from '../../objects/pods/pod-requests.ts';

export interface ReasonsAbout {
  node: string;
  /** The others of the node. */
  pods: readonly Pod[];
  ordering: PreemptionSettings['ordering'];
}

/** Who goes first. */
const RULES: Record<PreemptionSettings['ordering'], string> = {
  qos: 'a burstable pod goes only for what best-effort pods cannot give, a guaranteed one only for what both cannot',
  priority: 'a pod goes only for what pods of a lower priority, and of its own priority those of a lower quality of service, cannot give',
};
const CLOSEST = 'of the others those go whose requests are closest to what is missing; of equal ones the youngest';

export function reasonsFor(
  { state, reason, message = '', failures, victims }: Admission,
  { node, pods, ordering }: ReasonsAbout,
): string[] {
  if (state === 'admitted') return [`${node} admits it: it fits beside ${countText(pods.length, 'other pod')}`];
  const found = failures.map(failureText);
  if (state === 'preempting') {
    const goes =
      victims.length === 0
        ? 'pods that end anyway leave enough'
        : `${countText(victims.length, 'pod')} of lower rank ${victims.length === 1 ? 'goes' : 'go'}`;
    return [`it is critical, so ${node} makes room for it: ${goes}`, ...found, ...(victims.length === 0 ? [] : [RULES[ordering], CLOSEST])];
  }
  if (reason === 'UnexpectedAdmissionError')
    return [`${node} rejects it: it is critical, but too little is left when all pods of lower rank go`, ...found];
  const isFull = failures.length > 0 && failures.every(isInsufficient);
  if (isFull) return [`${node} rejects it: it does not fit, and only for a critical pod others go`, ...found];
  return [`${node} rejects it: ${message}`, ...found];
}

function failureText(failure: AdmissionFailure): string {
  if (!isInsufficient(failure)) return `${failure.predicate}: ${failure.message}`;
  const { resource, requested, used, capacity } = failure;
  const text = (amount: bigint): string => amountText(resource, amount);
  return `${resource}: ${text(missingOf(failure))} missing; it asks for ${text(requested)}, and ${text(used)} of ${text(capacity)} are taken`;
}

/** Describes a victim, and the scarce resources that it frees. */
export function victimText(victim: Pod, failures: readonly AdmissionFailure[]): string {
  const requests = victimRequestsOf(victim);
  const frees = failures.filter(isInsufficient).flatMap(({ resource }) => {
    const amount = requests.get(resource) ?? 0n;
    return amount > 0n ? [`${amountText(resource, amount)} of ${resource}`] : [];
  });
  const priority = priorityOf(victim);
  return `${podQosClassOf(victim)}, ${priority === undefined ? 'no priority' : `priority ${priority}`}; frees ${frees.join(', ')}`;
}

const BYTES = /^(?:memory|ephemeral-storage|hugepages-.*)$/;

/** @param amount thousandths of cpu, whole units of all else */
function amountText(resource: string, amount: bigint): string {
  if (resource === 'cpu') return `${amount}m`;
  return BYTES.test(resource) ? formatQuantity({ nanos: amount * 10n ** 9n, format: 'BinarySI' }) : String(amount);
}

const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
