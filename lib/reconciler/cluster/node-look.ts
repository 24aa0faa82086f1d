// Once a minute: are the providers behind a cluster's virtual nodes well? The relay is asked to keep the leases of those that are. The health decision and
// the renewal have one source, so a node never flaps between two.
import type { Node } from '../../objects/kubernetes.ts';
import { LEASES, leaseOf, NODE_LEASES, type Lease } from '../../objects/placement/lease.ts';
import { NODES } from '../../objects/resources.ts';
import { deadlineIn } from '../../ports/clock.ts';
import type { Deadline } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { ConflictError, NotFoundError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import { managedKinds } from '../../kinds/settings.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { encodeAsk, encodeNodeLook } from '../../wire/messages.ts';
import { wakeAnew } from '../head/heads.ts';
import { SWEEP_EVERY_MS } from '../head/timeouts.ts';

/** Nodes of one look. */
const NODES_OF_A_LOOK = 10;
/** The relay renews so long without another word. */
const KEPT_SECONDS = 300;
const LOOK_MS = 20_000;

type NodeKind = KindFacts & Required<Pick<KindFacts, 'nodes'>>;

const nodeKindOf = ({ manages, options }: ClusterRecord): NodeKind | undefined =>
  managedKinds(manages, undefined, { options }).find((kind): kind is NodeKind => kind.nodes !== undefined);

/** Two sweeps at the same time send one look. */
export async function sendNodeLooks({ queue, clock }: Pick<Ports, 'queue' | 'clock'>, records: readonly ClusterRecord[]): Promise<void> {
  const halfMinute = Math.floor(clock.nowMs() / (SWEEP_EVERY_MS / 2));
  const messages = records.flatMap((record) => {
    const nodes = nodeKindOf(record)?.nodes.namesIn(record) ?? [];
    return Array.from({ length: Math.ceil(nodes.length / NODES_OF_A_LOOK) }, (_, at) => ({
      body: encodeNodeLook({
        look: 'nodes',
        cluster: record.name,
        nodes: nodes.slice(at * NODES_OF_A_LOOK, (at + 1) * NODES_OF_A_LOOK),
      }),
      groupId: `look:${record.name}:nodes:${at}`,
      deduplicationId: `look:${record.name}:nodes:${at}:${halfMinute}`,
    }));
  });
  if (messages.length > 0) await queue.send('wakes', messages);
}

/** @throws errors of store and queue */
export async function lookAtNodes(ports: Ports, { cluster: name, nodes }: { cluster: string; nodes: readonly string[] }): Promise<void> {
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
          return (await isKept({ ports, record, kind, cluster, deadline }, node)) ? [node] : [];
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
}

/** Its provider is well, and it has a lease. The pass of a Node that says otherwise than its provider is woken. */
async function isKept({ ports, record, kind, cluster, deadline }: About, name: string): Promise<boolean> {
  const provider = ports.providerOf?.(record, name);
  if (!provider) return false;
  const [isWell, node] = await Promise.all([
    provider.health(deadline).then(
      ({ problem }) => problem === undefined,
      () => false,
    ),
    found(cluster.get<Node>(NODES, { namespace: '', name }, deadline)),
  ]);
  const { uid } = node?.metadata ?? {};
  if (!node || uid === undefined || !kind.nodes.isOurs(node)) return false;
  const conditions = (node.status?.['conditions'] ?? []) as { type: string; status: string }[];
  const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  if (isReady !== isWell) await wakeAnew(ports, { cluster: record.name, kind: kind.kind, namespace: '', name, uid }, record);
  if (!isWell) return false;
  if (await found(cluster.get<Lease>(LEASES, { namespace: NODE_LEASES, name }, deadline))) return true;
  await cluster.create<Lease>(LEASES, leaseOf({ name, uid }, ports.clock.nowMs()), deadline).catch((error: unknown) => {
    if (!(error instanceof ConflictError)) throw error;
  });
  return true;
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
