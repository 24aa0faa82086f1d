// A pod's share of its node, in a form that outlives the pod's object.
import type { Pod } from '../../../objects/kubernetes.ts';
import { hostPortsOf } from '../checks/host-ports.ts';
import type { PodName, Room } from './node-decision.ts';
import { effectiveRequestsOf } from '../../../objects/pods/pod-requests.ts';

/** As the fit check counts the pod. */
export function roomOf(pod: Pod): Room {
  const requests: Record<string, string> = {};
  for (const [resource, amount] of effectiveRequestsOf(pod))
    if (amount > 0n) requests[resource] = resource === 'cpu' ? `${amount}m` : String(amount);
  const hostPorts = hostPortsOf(pod);
  return { requests, ...(hostPorts.length > 0 && { hostPorts }) };
}

/** A pod that takes this room, for checks that are made of pods. */
export function podTaking({ uid, namespace, name }: PodName, { requests, hostPorts = [] }: Room): Pod {
  const ports = hostPorts.map(({ address, protocol, port }) => ({ hostIP: address, protocol, hostPort: port }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { uid, namespace, name },
    spec: { containers: [{ name: 'room', resources: { requests }, ports }] },
  };
}
