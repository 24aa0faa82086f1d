// The HTTP APIs of a local instance's virtual nodes: this process answers what API servers ask of them.
import { networkInterfaces } from 'node:os';
import { virtualNodesIn } from '../../kinds/virtual-pod/node-options.ts';
import { serveNodes, type ServedNodes } from '../../node-api/served-nodes.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { LocalRuntime } from '../../runtime.ts';
import { UsageError } from '../terminal/exit.ts';

/** One that an API server elsewhere could dial: neither the loopback nor an address that is valid on one link alone. */
export function addressOfThisMachine(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const usable = all.filter(({ internal, address, scopeid }) => !internal && !address.startsWith('169.254.') && !scopeid);
  return (usable.find(({ family }) => family === 'IPv4') ?? usable[0])?.address;
}

/** @throws UsageError the address given is none of this machine's */
export async function serveNodesOf(
  { ports, sourceOf }: Pick<LocalRuntime, 'ports' | 'sourceOf'>,
  record: ClusterRecord,
  { address, isOpen }: { address: string; isOpen: boolean },
): Promise<ServedNodes> {
  const { clock, telemetry } = ports;
  const nodes = virtualNodesIn(record.options).flatMap(({ name: node, remote }) => {
    const tasks = ports.providerOf?.(record, node, remote);
    return tasks ? [{ node, tasks }] : [];
  });
  return await serveNodes({ nodes, address, firstPort: 0, isOpen, cluster: sourceOf(record.name), clock, telemetry }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRNOTAVAIL' && error.code !== 'EINVAL') throw error;
      throw new UsageError(`--node-api-address ${address}: this machine has no such address; API servers reach it at one of its own`, {
        cause: error,
      });
    },
  );
}
