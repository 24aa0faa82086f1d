// Finds the workload of a pod from the pod's metadata alone, so that it also works on a metadata-only list.
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { KindFacts, Membership } from '../../kinds/rows/kind.ts';
import type { ObjectMeta } from '../../objects/kubernetes.ts';
import { OBJECT_NAME, UID } from '../../wire/words/names.ts';
import type { OwnerName } from '../../wire/words/observations.ts';

export interface Belonging {
  owner: OwnerName;
  by: Membership['by'];
}

/**
 * The workload of a pod, by the first kind that claims it.
 * @param before the workload that the pod belonged to until now
 * @returns undefined for a pod that no workload of these kinds can own, and for one whose metadata holds an invalid name of its workload
 */
export function belongingOf(metadata: ObjectMeta, kinds: readonly KindFacts[] = ALL_FACTS, before?: OwnerName): Belonging | undefined {
  for (const facts of kinds) {
    const belonging = named(facts.pods?.membershipOf(metadata), facts, before);
    if (belonging) return belonging;
  }
  return undefined;
}

/**
 * The workload of an orphaned pod: the one kind whose controller would remove its finalizer. Other references to a workload are ignored.
 */
export function orphanOf(metadata: ObjectMeta, kinds: readonly KindFacts[]): Belonging | undefined {
  for (const facts of kinds) {
    const belonging = named(facts.pods?.membershipOf(metadata), facts);
    if (belonging?.by === 'finalizer') return belonging;
  }
  return undefined;
}

/** @param accepted an owner known to be valid. @returns undefined if the name, namespace or uid is invalid */
export function named(
  membership: Membership | undefined,
  { resource }: Pick<KindFacts, 'resource'>,
  accepted?: OwnerName,
): Belonging | undefined {
  if (!membership) return undefined;
  const { kind, namespace, name, uid, by } = membership;
  // Nearly every event is of a pod that stays with its workload: the three expressions below would cost as much as the rest of the search.
  if (accepted?.uid === uid && accepted.name === name && accepted.namespace === namespace && accepted.kind === kind)
    return { owner: accepted, by };
  const isPlaced = resource.namespaced ? OBJECT_NAME.test(namespace) : namespace === '';
  return isPlaced && OBJECT_NAME.test(name) && UID.test(uid) ? { owner: { kind, namespace, name, uid }, by } : undefined;
}
