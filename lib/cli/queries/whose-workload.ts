// Why Farloop does not manage an object that is on a cluster, and what to do about it.
import type { ClusterSummary } from '../../api/clusters.ts';
import type { ObjectOnCluster, ObjectsOnCluster } from '../../api/objects-on-cluster.ts';
import type { KindShown } from '../../kinds/rows/kind-shown.ts';
import { SHOWN, shownFor } from '../../kinds/shown.ts';
import { readManages } from '../../objects/manages.ts';

/** @param object one that is not managed. @param wanted the manager that its manifest names. @returns sentences, the last without a full stop */
export function whoseText(
  { unmanagedText }: Pick<KindShown, 'unmanagedText'>,
  { namespace, managedBy }: Pick<ObjectOnCluster, 'namespace' | 'managedBy'>,
  { manages, namespaces }: Pick<ObjectsOnCluster, 'manages' | 'namespaces'>,
  wanted?: string,
): string {
  if (namespaces.length > 0 && !namespaces.includes(namespace))
    return `Farloop works in ${namespaces.join(', ')} only. Let it work in ${namespace} too: --namespace ${namespace}`;
  return unmanagedText({ managedBy, wanted, manages });
}

/**
 * Where Farloop does not take all of a kind, or of each kind, and what it takes there: `on local Farloop takes only …`.
 * @returns none or one
 */
export function ownOnlyTexts(
  clusters: readonly (Pick<ClusterSummary, 'name'> & Parameters<typeof readManages>[0])[],
  kind: string | undefined,
): string[] {
  const kinds = kind === undefined ? Object.values<KindShown>(SHOWN) : [shownFor(kind)];
  const names = new Map<string, string[]>();
  for (const { name, ...told } of clusters)
    for (const { ownOnlyText } of kinds) {
      const text = ownOnlyText(readManages(told));
      if (text !== undefined) names.set(text, [...(names.get(text) ?? []), name]);
    }
  const texts = [...names].map(([text, those]) => `on ${those.join(', ')} ${text}`);
  return texts.length === 0 ? [] : [texts.join(', and ')];
}
