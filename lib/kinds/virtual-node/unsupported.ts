// Fields that no pod of a provider can have, as it says: such a pod is rejected before anything is called.
import type { Pod } from '../../objects/kubernetes.ts';
import { isFields } from '../../objects/values/untyped-fields.ts';
import type { Refusal } from '../preemption/checks/admission-failures.ts';
import { NODE_OPTIONS } from '../virtual-pod/node-options.ts';

/** Fields with these values ask for nothing. */
const asksForNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0);

const REASON = 'UnsupportedByProvider';

/** @returns why the node rejects it, undefined if the provider can run it */
export function unsupportedIn(pod: Pod, cannot: readonly { field: string; why: string }[]): Refusal | undefined {
  for (const { field, why } of cannot) {
    const at = pathIn(pod, field.split('.'), '');
    if (at !== undefined) return { reason: REASON, message: `${at}: ${why}` };
  }
  return undefined;
}

/** @returns why the node rejects it, undefined if it is no DaemonSet's */
export function daemonSetRefusal({ metadata }: Pod): Refusal | undefined {
  const at = (metadata.ownerReferences ?? []).findIndex(({ kind, controller }) => kind === 'DaemonSet' && controller === true);
  if (at < 0) return undefined;
  return {
    reason: REASON,
    message: `metadata.ownerReferences[${at}]: the node takes no pods of DaemonSets (--${NODE_OPTIONS.noDaemonSets})`,
  };
}

/** The first place that asks for something there. */
function pathIn(value: unknown, [step, ...rest]: readonly string[], path: string): string | undefined {
  if (step === undefined) return asksForNothing(value) ? undefined : path;
  if (step === '*') {
    for (const [at, item] of (Array.isArray(value) ? value : []).entries()) {
      const found = pathIn(item, rest, `${path}[${at}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return isFields(value) ? pathIn(value[step], rest, path === '' ? step : `${path}.${step}`) : undefined;
}
