// The HTTP APIs of several virtual nodes at one address, a port for each.
import { serveNode, type NodeServer, type NodeServerOptions, type NodeTasks } from './node-server.ts';

export interface ServedNodesOptions extends Pick<NodeServerOptions, 'address' | 'isOpen' | 'cluster' | 'clock' | 'telemetry'> {
  nodes: readonly { node: string; tasks: NodeTasks }[];
  /** The nodes have the ports from there on, in their order; 0: any free ones. */
  firstPort: number;
}

export interface ServedNodes {
  /** Where they are reached. */
  place: { address: string; ports: Record<string, number> };
  /** Streams end with it. */
  close: () => Promise<void>;
}

/** All of them or none. @throws Error the address or a port cannot be listened on */
export async function serveNodes({ nodes, firstPort, ...options }: ServedNodesOptions): Promise<ServedNodes> {
  const { address } = options;
  const servers = new Map<string, NodeServer>();
  const close = async (): Promise<void> => void (await Promise.all([...servers.values()].map(async (server) => await server.close())));
  try {
    for (const [at, { node, tasks }] of nodes.entries())
      servers.set(node, await serveNode({ ...options, node, tasks, host: address, port: firstPort === 0 ? 0 : firstPort + at }));
  } catch (error) {
    await close();
    throw error;
  }
  return { place: { address, ports: Object.fromEntries([...servers].map(([node, { port }]) => [node, port])) }, close };
}
