// Taints of a node, and whether a pod tolerates them.
import type { Pod, Taint } from '../kubernetes.ts';
import { listOf, textOf, type Fields } from '../values/untyped-fields.ts';

/** The first of the taints that the pod does not tolerate; undefined if it tolerates all. */
export function intolerable({ spec }: Pod, taints: readonly Taint[]): Taint | undefined {
  const tolerations = listOf(spec['tolerations']);
  return taints.find((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** A field that a toleration leaves out matches everything. */
function tolerates({ effect, key, operator, value }: Fields, taint: Taint): boolean {
  if (textOf(effect) !== '' && effect !== taint.effect) return false;
  if (textOf(key) !== '' && key !== taint.key) return false;
  const how = textOf(operator) || 'Equal';
  return how === 'Exists' || (how === 'Equal' && textOf(value) === (taint.value ?? ''));
}
