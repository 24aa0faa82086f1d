// Whether a node drives a pod away that is there already. Taints that only keep a scheduler from it do not matter to the node.
import type { Node, Pod, Taint } from '../../../objects/kubernetes.ts';
import { listOf, textOf, type Fields } from '../../../objects/values/untyped-fields.ts';
import { isStatic } from '../victims/critical-pods.ts';

export function isDrivenAway(pod: Pod, { spec }: Node): boolean {
  if (isStatic(pod)) return false;
  const taints = (spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
  const tolerations = listOf(pod.spec['tolerations']);
  return taints.some((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** A field that a toleration leaves out matches everything. */
function tolerates({ effect, key, operator, value }: Fields, taint: Taint): boolean {
  if (textOf(effect) !== '' && effect !== taint.effect) return false;
  if (textOf(key) !== '' && key !== taint.key) return false;
  const how = textOf(operator) || 'Equal';
  return how === 'Exists' || (how === 'Equal' && textOf(value) === (taint.value ?? ''));
}
