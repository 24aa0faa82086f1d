// How the virtual nodes of a local instance are reached, as `farloop up` is told of it.
import { isLoopback } from '../../objects/values/loopback.ts';
import { NODE_OPTIONS } from '../../kinds/virtual-pod/node-options.ts';
import { UsageError } from '../terminal/exit.ts';

export interface NodeApiChoice {
  /** Where the cluster's API server reaches this machine; absent: its first address, or the loopback for the sandbox. */
  address?: string;
  /** Serves API servers that show no credentials, but for logs and commands. */
  isOpen: boolean;
}

/** @throws UsageError */
export function nodeApiOf(
  { nodeApiAddress: address, nodeApiOpen: isOpen }: { nodeApiAddress: string | undefined; nodeApiOpen: boolean },
  { isSandbox, hasNodes }: { isSandbox: boolean; hasNodes: boolean },
): NodeApiChoice {
  const flag = address === undefined ? (isOpen ? '--node-api-open' : undefined) : '--node-api-address';
  if (flag === undefined) return { isOpen: false };
  if (!hasNodes) throw new UsageError(`${flag} needs --${NODE_OPTIONS.node}: without one there is no virtual node to be reached`);
  if (isSandbox) throw new UsageError(`${flag} needs --kubeconfig: the sandbox reaches its nodes on the loopback, and shows credentials`);
  if (address !== undefined && isLoopback({ hostname: address.includes(':') ? `[${address}]` : address }))
    throw new UsageError(`--node-api-address ${address}: API servers do not dial the loopback; give an address of a network`);
  return { ...(address !== undefined && { address }), isOpen };
}
