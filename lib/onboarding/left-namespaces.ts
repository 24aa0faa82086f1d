// Finds the workloads that a narrower registration leaves unmanaged. With fewer namespaces or kinds, Farloop loses its rights to them.
import type { KubernetesAdministration } from '../adapters/kubernetes/kubernetes-administration.ts';
import { ALL_FACTS } from '../kinds/facts.ts';
import type { KindFacts } from '../kinds/rows/kind.ts';
import { isManagedKind, managedKinds } from '../kinds/settings.ts';
import { isInScope, type ClusterRecord } from '../ports/clusters.ts';
import { remainsOn, type Remains } from './removal.ts';

type Scope = Pick<ClusterRecord, 'manages' | 'namespaces' | 'options'>;

/** The option that narrows the registration. */
export type NarrowedBy = '--namespaces' | '--manage' | '--virtual-node';

/** @returns the options that narrow the registration. A kind that stays managed, by whichever word, is not narrowed */
export function narrowedBy(before: Scope, after: Scope, kinds: readonly KindFacts[] = ALL_FACTS): NarrowedBy[] {
  const isWithin =
    after.namespaces.length === 0 || (before.namespaces.length > 0 && before.namespaces.every((name) => isInScope(after, name)));
  const keepsKinds = managedKinds(before.manages, kinds).every((facts) => isManagedKind(facts, after.manages));
  const nodesIn = ({ manages, options }: Scope): string[] =>
    managedKinds(manages, kinds, { options }).flatMap(({ nodes }) => nodes?.namesIn({ options }) ?? []);
  const nodesAfter = nodesIn(after);
  return [
    ...(isWithin ? [] : (['--namespaces'] as const)),
    ...(keepsKinds ? [] : (['--manage'] as const)),
    ...(nodesIn(before).every((name) => nodesAfter.includes(name)) ? [] : (['--virtual-node'] as const)),
  ];
}

/** @returns the workloads that would become unmanaged. Reads the cluster only if there may be some */
export const remainsLeft = async (
  administration: Pick<KubernetesAdministration, 'list'>,
  before: Scope,
  after: Scope,
  kinds: readonly KindFacts[] = ALL_FACTS,
): Promise<Remains> =>
  narrowedBy(before, after, kinds).length === 0
    ? { unfinished: { kinds: [], found: [] }, tracked: [] }
    : await remainsOn(administration, before, { kept: after, kinds });
