// Fewer namespaces, or fewer kinds, than a cluster was registered for: with the rights there, whoever looked after the workloads goes.
import type { KubernetesAdministration } from '../adapters/kubernetes-administration.ts';
import { ALL_FACTS } from '../kinds/facts.ts';
import type { KindFacts } from '../kinds/kind.ts';
import { isManagedKind, managedKinds } from '../kinds/settings.ts';
import { isInScope, type ClusterRecord } from '../ports/clusters.ts';
import { remainsOn, type Remains } from './removal.ts';

type Scope = Pick<ClusterRecord, 'manages' | 'namespaces'>;

/** The option by which something is left out. */
export type NarrowedBy = '--namespaces' | '--manage';

/** @returns by which options less is looked after than before; of a kind that stays managed, by whichever word, nothing is left out */
export function narrowedBy(before: Scope, after: Scope, kinds: readonly KindFacts[] = ALL_FACTS): NarrowedBy[] {
  const isWithin =
    after.namespaces.length === 0 || (before.namespaces.length > 0 && before.namespaces.every((name) => isInScope(after, name)));
  const keepsKinds = managedKinds(before.manages, kinds).every((facts) => isManagedKind(facts, after.manages));
  return [...(isWithin ? [] : (['--namespaces'] as const)), ...(keepsKinds ? [] : (['--manage'] as const))];
}

/** @returns what was looked after and would not be any more; the cluster is asked only where something may be */
export const remainsLeft = async (
  administration: Pick<KubernetesAdministration, 'list'>,
  before: Scope,
  after: Scope,
  kinds: readonly KindFacts[] = ALL_FACTS,
): Promise<Remains> =>
  narrowedBy(before, after, kinds).length === 0
    ? { unfinished: { kinds: [], found: [] }, tracked: [] }
    : await remainsOn(administration, before, { kept: after, kinds });
