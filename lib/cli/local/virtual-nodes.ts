// The virtual nodes of a local instance: their Nodes are made at the start, and what their providers tell wakes the pods' passes.
import { nodeObject } from '../../kinds/virtual-node/node-object.ts';
import { VIRTUAL_POD } from '../../kinds/virtual-pod/facts.ts';
import { problemOfNode, virtualNodesIn } from '../../kinds/virtual-pod/node-options.ts';
import { nodeKindOf } from '../../kinds/settings.ts';
import { adopted } from '../../reconciler/cluster/node-adoption.ts';
import { NODES } from '../../objects/resources.ts';
import { isOfRun } from '../../objects/task.ts';
import { deadlineIn } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { ConflictError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import { wakeAnew } from '../../reconciler/head/heads.ts';
import type { LocalRuntime } from '../../runtime.ts';

const CREATE_MS = 10_000;

/** Makes those that are missing. @returns of each that somebody else made why it is left alone, for people */
export async function makeNodes(
  cluster: Pick<Cluster, 'create' | 'get' | 'patch'>,
  { clock }: Pick<Ports, 'clock'>,
  record: ClusterRecord,
): Promise<string[]> {
  const problems: string[] = [];
  for (const settings of virtualNodesIn(record.options))
    try {
      await cluster.create(NODES, nodeObject(settings), deadlineIn(clock, CREATE_MS));
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      const deadline = deadlineIn(clock, CREATE_MS);
      const { object } = await cluster.get(NODES, { namespace: '', name: settings.name }, deadline);
      const problem = problemOfNode(object);
      const kind = nodeKindOf(record);
      if (problem === undefined || !kind) continue;
      const taken = await adopted({ clock, cluster, deadline, kind, record }, object);
      if (!taken || 'problem' in taken) problems.push(taken ? taken.problem : problem);
    }
  return problems;
}

/** A change at the provider is a wake: the pass looks for itself. */
export function followTasks({ ports, onTaskChange }: Pick<LocalRuntime, 'ports' | 'onTaskChange'>, record: ClusterRecord): void {
  onTaskChange?.(({ uid, namespace, name }) => {
    if (isOfRun({ uid })) return;
    const key = { cluster: record.name, kind: VIRTUAL_POD, namespace, name, uid };
    // One that is lost is made up for by the node's own pass, which compares tasks with pods.
    wakeAnew(ports, key, record).catch((error: unknown) =>
      ports.telemetry.warn('a change at the provider was not heeded', { ...key, error }),
    );
  });
}
