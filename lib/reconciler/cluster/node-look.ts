// Once a minute: are the providers behind a cluster's virtual nodes well? The relay is asked to keep the leases of those that are. The health decision and
// the renewal have one source, so a node never flaps between two.
import type { Node } from '../../objects/kubernetes.ts';
import { LEASES, leaseOf, NODE_LEASES, renewedAtMs, type Lease } from '../../objects/placement/lease.ts';
import { NODES } from '../../objects/resources.ts';
import { deadlineIn } from '../../ports/clock.ts';
import type { Deadline } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { ConflictError, NotFoundError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import { nodeKindOf, type NodeKind } from '../../kinds/settings.ts';
import { encodeAsk } from '../../wire/messages.ts';
import type { NodeLookMessage } from '../../wire/words/observations.ts';
import { endpointOf } from './heartbeats.ts';
import { adopted } from './node-adoption.ts';
import { wakeAnew } from '../head/heads.ts';

/** The relay renews so long without another word. */
const KEPT_SECONDS = 300;
const LOOK_MS = 20_000;

/** @throws errors of store and queue */
export async function lookAtNodes(
  ports: Ports,
  { cluster: name, nodes, isMoved }: Pick<NodeLookMessage, 'cluster' | 'nodes' | 'isMoved'>,
): Promise<void> {
  const deadline = deadlineIn(ports.clock, LOOK_MS);
  const record = await ports.clusters.get(name);
  const kind = record && nodeKindOf(record);
  if (!record || record.leaving || !kind) return;
  const known = new Set(kind.nodes.namesIn(record));
  const cluster = ports.connect(record);
  const seen = await Promise.all(
    nodes
      .filter((node) => known.has(node))
      .map(async (node) => {
        try {
          return (await isKept({ ports, record, kind, cluster, deadline, isMoved: isMoved === true }, node)) ? [node] : [];
        } catch (error) {
          // Its lease lapses by itself if that lasts.
          ports.telemetry.warn('no look at a virtual node before the next sweep', { cluster: name, node, error });
          return [];
        }
      }),
  );
  const well = seen.flat();
  if (well.length > 0)
    await ports.queue.send(`relay-${name}`, [{ body: encodeAsk({ ask: 'leases', nodes: well, seconds: KEPT_SECONDS }) }]);
}

interface About {
  ports: Ports;
  record: ClusterRecord;
  kind: NodeKind;
  cluster: Cluster;
  deadline: Deadline;
  isMoved: boolean;
}

/**
 * Its provider is well, and it has a lease. The pass of a Node that says otherwise than its provider is woken. A Node that is missing is made once its
 * provider is well.
 */
async function isKept(about: About, name: string): Promise<boolean> {
  const { ports, record, kind, cluster, deadline, isMoved } = about;
  const provider = ports.providerOf?.(record, name, kind.nodes.remoteOf(record, name));
  if (!provider) return false;
  const [isWell, node] = await Promise.all([
    provider.health(deadline).then(
      ({ problem }) => problem === undefined,
      () => false,
    ),
    found(cluster.get<Node>(NODES, { namespace: '', name }, deadline)),
  ]);
  if (!isWell) ports.telemetry.count('UnwellVirtualNodes', 1, 'Count', { cluster: record.name });
  if (!node && isWell) await makeNode(about, name);
  const { uid } = node?.metadata ?? {};
  if (!node || uid === undefined) return false;
  if (!kind.nodes.isOurs(node)) {
    const taken = await adopted({ clock: ports.clock, cluster, deadline, kind, record }, node);
    if (taken && 'problem' in taken)
      ports.telemetry.warn('a virtual node is not taken over', { cluster: record.name, node: name, reason: taken.problem });
    if (!taken || 'problem' in taken) return false;
    await wakeAnew(ports, { cluster: record.name, kind: kind.kind, namespace: '', name, uid }, record);
  }
  const conditions = (node.status?.['conditions'] ?? []) as { type: string; status: string }[];
  const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  // Between two moves the node's own passes see where it is reached.
  const isNamed = !isMoved || namesEndpoint(node, await endpointOf(ports, record.name, name));
  if (isReady !== isWell || !isNamed) await wakeAnew(ports, { cluster: record.name, kind: kind.kind, namespace: '', name, uid }, record);
  if (!isWell) return false;
  const lease = await found(cluster.get<Lease>(LEASES, { namespace: NODE_LEASES, name }, deadline));
  if (lease) {
    const lateMs = Math.max(ports.clock.nowMs() - renewedAtMs(lease), 0);
    ports.telemetry.count('LeaseLateness', lateMs, 'Milliseconds', { cluster: record.name });
    return true;
  }
  await cluster.create<Lease>(LEASES, leaseOf({ name, uid }, ports.clock.nowMs()), deadline).catch((error: unknown) => {
    if (!(error instanceof ConflictError)) throw error;
  });
  return true;
}

/** Undefined: it is not known, so the Node says what it said. */
function namesEndpoint({ status = {} }: Node, endpoint: { address: string; port: number } | undefined): boolean {
  if (!endpoint) return true;
  const [{ address } = {}] = (status['addresses'] ?? []) as { address?: string }[];
  const { kubeletEndpoint } = (status['daemonEndpoints'] ?? {}) as { kubeletEndpoint?: { Port?: number } };
  return address === endpoint.address && kubeletEndpoint?.Port === endpoint.port;
}

/** The relay tells of it, and its first pass says that it is ready. */
async function makeNode({ record, kind, cluster, deadline }: About, name: string): Promise<void> {
  const object = kind.nodes.objectOf(record, name);
  if (!object) return;
  await cluster.create(NODES, object, deadline).catch((error: unknown) => {
    if (!(error instanceof ConflictError)) throw error;
  });
}

/** @returns undefined: there is no such object */
async function found<Item>(reading: Promise<{ object: Item }>): Promise<Item | undefined> {
  try {
    return (await reading).object;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
