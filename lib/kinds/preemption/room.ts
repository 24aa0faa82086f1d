// What a pod takes of its node, in a form that outlives the pod's object.
import type { Pod } from '../../objects/kubernetes.ts';
import type { PodName, Room } from './node-decision.ts';
import type { AdmissionPolicies } from './policies.ts';

/** As the fit check counts the pod. */
export function roomOf(pod: Pod, { requestsOf }: Pick<AdmissionPolicies, 'requestsOf'>): Room {
  const requests: Record<string, string> = {};
  for (const [resource, amount] of requestsOf(pod)) if (amount > 0n) requests[resource] = quantityOf(resource, amount);
  const { containers, initContainers = [] } = pod.spec;
  const ports = [...containers, ...initContainers].flatMap((container) => (container['ports'] ?? []) as NonNullable<Room['hostPorts']>);
  const hostPorts = ports
    .filter(({ hostPort }) => hostPort > 0)
    .map(({ protocol, hostIP, hostPort }) => ({
      ...(protocol !== undefined && { protocol }),
      ...(hostIP !== undefined && { hostIP }),
      hostPort,
    }));
  return { requests, ...(hostPorts.length > 0 && { hostPorts }) };
}

/** A pod that takes this room, for checks that are made of pods. */
export const podTaking = ({ uid, namespace, name }: PodName, { requests, hostPorts = [] }: Room): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { uid, namespace, name },
  spec: { containers: [{ name: 'room', resources: { requests }, ports: hostPorts }] },
});

const quantityOf = (resource: string, amount: bigint): string => (resource === 'cpu' ? `${amount}m` : String(amount));
