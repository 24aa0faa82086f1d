// How often pods of one owner have failed on this node: the attempt that `sim.farloop.dev/exit-codes` speaks of.
import type { Pod } from '../objects/kubernetes.ts';
import { completionIndexOf } from './program.ts';

const ownersRemembered = 10_000;

/** Failed pods by owner and completion index; the owner who failed longest ago is forgotten first. */
export class Failures {
  readonly uidsOf = new Map<string, Set<string>>();

  /** Notes a failed pod, once. */
  note(pod: Pod): void {
    const key = keyOf(pod);
    if (key === undefined) return;
    const uids = this.uidsOf.get(key) ?? new Set();
    uids.add(pod.metadata.uid ?? '');
    this.uidsOf.delete(key);
    this.uidsOf.set(key, uids);
    const [oldest] = this.uidsOf.keys();
    if (this.uidsOf.size > ownersRemembered && oldest !== undefined) this.uidsOf.delete(oldest);
  }

  /** Failed pods of the pod's owner and index, itself not counted. */
  before(pod: Pod): number {
    const uids = this.uidsOf.get(keyOf(pod) ?? '');
    if (uids === undefined) return 0;
    return uids.has(pod.metadata.uid ?? '') ? uids.size - 1 : uids.size;
  }
}

function keyOf(pod: Pod): string | undefined {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner === undefined ? undefined : `${owner.uid}/${completionIndexOf(pod) ?? ''}`;
}
