// Whose business a pod is, read from its metadata alone, so that a metadata-only list can be asked the same.
import { ALL_FACTS } from '../kinds/facts.ts';
import type { KindFacts, Membership } from '../kinds/kind.ts';
import type { ObjectMeta } from '../objects/kubernetes.ts';
import { OBJECT_NAME, UID } from '../wire/names.ts';
import type { OwnerName } from '../wire/observations.ts';

export interface Belonging {
  owner: OwnerName;
  by: Membership['by'];
}

/**
 * The workload that a pod reports to: of the first kind that claims it.
 * @returns undefined for a pod that no workload of these kinds can own, and where what should name it could not be a name
 */
export function belongingOf(metadata: ObjectMeta, kinds: readonly KindFacts[] = ALL_FACTS): Belonging | undefined {
  for (const facts of kinds) {
    const belonging = named(facts.pods.membershipOf(metadata), facts);
    if (belonging) return belonging;
  }
  return undefined;
}

/** The workload of a pod that only one kind would ever take its finalizer off; what else names it is not looked at. */
export function orphanOf(metadata: ObjectMeta, kinds: readonly KindFacts[]): Belonging | undefined {
  for (const facts of kinds) {
    const belonging = named(facts.pods.membershipOf(metadata), facts);
    if (belonging?.by === 'finalizer') return belonging;
  }
  return undefined;
}

/** @returns undefined where what should name it could not be a name */
export function named(membership: Membership | undefined, { resource }: Pick<KindFacts, 'resource'>): Belonging | undefined {
  if (!membership) return undefined;
  const { kind, namespace, name, uid, by } = membership;
  const isPlaced = resource.namespaced ? OBJECT_NAME.test(namespace) : namespace === '';
  return isPlaced && OBJECT_NAME.test(name) && UID.test(uid) ? { owner: { kind, namespace, name, uid }, by } : undefined;
}
