// Managed kinds that a cluster does not serve, with the way to install them. A relay has no watch of such a kind.
import type { ClusterSummary } from '../../api/clusters.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import { managedKinds } from '../../kinds/settings.ts';
import { readManages } from '../../objects/manages.ts';

/** The group whose definitions `farloop crds` prints. */
const OWN_DEFINITIONS = 'kubeflow.org/';

type Watched = Pick<ClusterSummary, 'name' | 'manages' | 'manage' | 'relay' | 'options'>;

/** Of each cluster with absent kinds one clause, without a full stop. @param kind that alone; absent: all */
export function absentKindTexts(clusters: readonly Watched[], kind?: string): string[] {
  return clusters.flatMap((cluster) => {
    const watched = cluster.relay?.watches ?? [];
    // Nothing is known before the first list.
    if (watched.length === 0) return [];
    // Behind a dash stands what is chosen of them, as the nodes of one name.
    const isWatched = (plural: string): boolean =>
      watched.some(({ resource }) => resource === plural || resource.startsWith(`${plural}.`) || resource.startsWith(`${plural}-`));
    const absent = managedKinds(readManages(cluster), ALL_FACTS, cluster).filter(
      (facts) => !facts.isOwnerless && (kind === undefined || facts.kind === kind) && !isWatched(facts.resource.plural),
    );
    if (absent.length === 0) return [];
    const kinds = absent.map((facts) => facts.kind).join(', ');
    const isOurs = absent.every(({ resource }) => resource.apiVersion.startsWith(OWN_DEFINITIONS));
    return [`cluster ${cluster.name} has no definition of ${kinds}${isOurs ? ': farloop crds | kubectl apply --server-side -f -' : ''}`];
  });
}
