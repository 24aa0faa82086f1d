// Whether a pod asks for ports of its node that another pod has.
import type { Pod } from '../../../objects/kubernetes.ts';
import { listOf, numberOf, textOf } from '../../../objects/values/untyped-fields.ts';

export interface HostPort {
  address: string;
  protocol: string;
  port: number;
}

const EVERY_ADDRESS = '0.0.0.0';

/** Of the containers that run as long as the pod does. Without an address: `0.0.0.0`. */
export function hostPortsOf({ spec }: Pod): HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...sidecars, ...spec.containers].flatMap(({ ports }) =>
    listOf(ports).flatMap(({ hostIP, protocol, hostPort }) => {
      const port = numberOf(hostPort) ?? 0;
      return port > 0 ? [{ address: textOf(hostIP) || EVERY_ADDRESS, protocol: textOf(protocol) || 'TCP', port }] : [];
    }),
  );
}

function clash(one: HostPort, other: HostPort): boolean {
  const areOneAddress = one.address === other.address || [one.address, other.address].includes(EVERY_ADDRESS);
  return areOneAddress && one.protocol === other.protocol && one.port === other.port;
}

export function hasTakenPorts(incoming: Pod, others: readonly Pod[]): boolean {
  const wanted = hostPortsOf(incoming);
  if (wanted.length === 0) return false;
  const taken = others.flatMap(hostPortsOf);
  return wanted.some((port) => taken.some((other) => clash(port, other)));
}
