// Which nodes a pod may come to, and what is said of one that comes to none. Pure; the words are those of kube-scheduler.
import type { Node, Pod, Taint } from '../../objects/kubernetes.ts';
import { matchesNode } from '../../objects/placement/node-affinity.ts';
import { intolerable } from '../../objects/placement/taints.ts';
import { hasCondition, type ApiObject } from '../objects/api-object.ts';

const CORDONED: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const KEEPS_AWAY = new Set(['NoSchedule', 'NoExecute']);

/** The part of a node that decides which pods come to it: a report that changes nothing of it changes no placement. */
export interface Place {
  name: string;
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
  isCordoned: boolean;
  /** Quantities by resource. */
  allocatable: Readonly<Record<string, string | number>>;
}

/** As the controller manager of a real cluster would taint it. */
export function placeOf(node: Node & ApiObject): Place {
  const { name = '', labels = {} } = node.metadata;
  const taints = (node.spec?.taints ?? []).filter(({ key }) => key !== CORDONED.key && key !== NOT_READY.key);
  return {
    name,
    labels,
    taints: hasCondition(node, 'Ready') ? taints : [...taints, NOT_READY],
    isCordoned: node.spec?.['unschedulable'] === true,
    allocatable: node.status?.allocatable ?? {},
  };
}

/** Why the pod cannot come to the node, however much room there is; undefined: it may. */
export function obstacleOf(pod: Pod, { name, labels, taints, isCordoned }: Place): string | undefined {
  if (isCordoned && intolerable(pod, [CORDONED])) return 'node(s) were unschedulable';
  const keepsAway = taints.filter(({ effect }) => KEEPS_AWAY.has(effect));
  if (intolerable(pod, keepsAway)) return 'node(s) had untolerated taint(s)';
  return matchesNode(pod, { name, labels }) ? undefined : "node(s) didn't match Pod's node affinity/selector";
}

/** How many taints of the node ask, no more, that the pod goes elsewhere. */
export const reluctanceOf = (pod: Pod, { taints }: Place): number =>
  taints.filter((taint) => taint.effect === 'PreferNoSchedule' && intolerable(pod, [taint])).length;

/** @param reasons of each node: one, or one for each resource of which there is not enough */
export function unplacedText(nodes: number, reasons: readonly string[]): string {
  if (nodes === 0) return 'no nodes available to schedule pods';
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const told = [...counts].map(([reason, count]) => `${count} ${reason}`).toSorted();
  return `0/${nodes} nodes are available: ${told.join(', ')}.`;
}
