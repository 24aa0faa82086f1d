// The virtual nodes of a cluster that leaves, or is registered without one of them: first their pods end, then lease and Node go.
import type { DynamoDbClusters } from '../adapters/dynamodb/dynamodb-clusters.ts';
import type { KubernetesAdministration } from '../adapters/kubernetes/kubernetes-administration.ts';
import { nodeKindOf, type NodeKind } from '../kinds/settings.ts';
import type { Pod } from '../objects/kubernetes.ts';
import { LEASES, NODE_LEASES } from '../objects/placement/lease.ts';
import { NODES, PODS } from '../objects/resources.ts';
import type { Clock } from '../ports/clock.ts';
import { RECORD_AGE_MS_MAX, type ClusterRecord } from '../ports/clusters.ts';
import { NotFoundError, TerminalError } from '../ports/errors.ts';
import { marked } from './marked-record.ts';
import type { Tell } from './tell.ts';

type Administration = Pick<KubernetesAdministration, 'delete' | 'get' | 'list' | 'patch'>;

export interface NamedNode {
  name: string;
  kind: NodeKind;
}

export const virtualNodesOf = (record: Pick<ClusterRecord, 'manages' | 'options'>): NamedNode[] => {
  const kind = nodeKindOf(record);
  return (kind?.nodes.namesIn(record) ?? []).map((name) => ({ name, kind: kind as NodeKind }));
};

/** Beyond the longest grace of a pod: its provider may be slow to say that it has ended. */
const END_MS = 120_000;
const LOOK_EVERY_MS = 2_000;

/**
 * Deletes the pods of the nodes, and waits until passes have stopped what runs for them. No pod begins meanwhile. Safe to repeat.
 * @returns the record as it stands then
 * @throws TerminalError pods do not end
 */
export async function emptyNodes(
  { clusters, clock }: { clusters: Pick<DynamoDbClusters, 'put'>; clock: Pick<Clock, 'wait' | 'monotonicMs'> },
  administration: Administration,
  { record, nodes }: { record: ClusterRecord; nodes: readonly NamedNode[] },
  tell: Tell,
): Promise<ClusterRecord> {
  const ours = await oursAmong(administration, nodes);
  const pods = await podsOf(administration, ours);
  if (ours.length === 0 || record.leaving === true) return record;
  const draining = await marked(clusters, record, 'draining');
  for (const name of ours) await cordon(administration, name);
  tell('nodes', `${ours.join(', ')} take no pods any more`);
  if (pods.length === 0) return draining;
  // Passes with an older record may still begin some.
  if (draining !== record) await clock.wait(RECORD_AGE_MS_MAX);
  const begun = await podsOf(administration, ours);
  for (const { metadata } of begun) await administration.delete(PODS, { namespace: metadata.namespace ?? '', name: metadata.name ?? '' });
  const longestGraceMs = Math.max(0, ...begun.map(({ spec }) => (spec.terminationGracePeriodSeconds ?? 30) * 1_000));
  const untilMs = clock.monotonicMs() + longestGraceMs + END_MS;
  const uids = new Set(begun.map(({ metadata }) => metadata.uid));
  for (;;) {
    // Others, as of DaemonSets, come again and are not begun.
    const left = (await podsOf(administration, ours)).filter(({ metadata }) => uids.has(metadata.uid));
    if (left.length === 0) break;
    if (clock.monotonicMs() > untilMs)
      throw new TerminalError(
        `${left.length} pods of ${ours.join(', ')} have not ended, as ${left[0]?.metadata.namespace}/${left[0]?.metadata.name}: see with farloop explain why their provider does not stop them, then give the command again`,
      );
    await clock.wait(LOOK_EVERY_MS);
  }
  tell('pods', `${begun.length} of ${ours.join(', ')} have ended`);
  return draining;
}

/** Leases first, then the Nodes; those alone that Farloop made. @returns what is gone, in words */
export async function removeNodes(administration: Administration, nodes: readonly NamedNode[]): Promise<string[]> {
  const gone: string[] = [];
  for (const name of await oursAmong(administration, nodes)) {
    if (await administration.delete(LEASES, { namespace: NODE_LEASES, name })) gone.push(`Lease ${NODE_LEASES}/${name}`);
    if (await administration.delete(NODES, { name })) gone.push(`Node ${name}`);
  }
  return gone;
}

async function oursAmong(administration: Administration, nodes: readonly NamedNode[]): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of nodes) {
    const node = await administration.get(NODES, { name });
    if (node && kind.nodes.isOurs(node)) found.push(name);
  }
  return found;
}

async function podsOf(administration: Administration, names: readonly string[]): Promise<Pod[]> {
  const found: Pod[] = [];
  for (const name of names) found.push(...(await administration.list<Pod>(PODS, { fieldSelector: `spec.nodeName=${name}` })));
  return found;
}

async function cordon(administration: Administration, name: string): Promise<void> {
  try {
    await administration.patch(NODES, { name }, [{ op: 'add', path: '/spec/unschedulable', value: true }]);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}
