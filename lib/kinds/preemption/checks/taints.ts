// Whether a node drives a pod away that is there already. Taints that only keep a scheduler from it do not matter to the node.
import type { Node, Pod } from '../../../objects/kubernetes.ts';
import { intolerable } from '../../../objects/placement/taints.ts';
import { isStatic } from '../victims/critical-pods.ts';

export function isDrivenAway(pod: Pod, { spec }: Node): boolean {
  if (isStatic(pod)) return false;
  const taints = (spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
  return intolerable(pod, taints) !== undefined;
}
