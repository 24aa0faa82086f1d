// Kinds of objects that a registration leaves on a cluster, and how ours are found there again.
import type { KubernetesAdministration } from '../adapters/kubernetes-administration.ts';
import type { KubernetesObject } from '../objects/kubernetes.ts';
import type { Resource } from '../objects/resources.ts';
import { NAMESPACES } from '../objects/resources.ts';
import { TerminalError } from '../ports/errors.ts';
import type { Manifest } from './relay-manifests.ts';
import { OURS_LABEL } from './relay-manifests.ts';

const rbac = (kind: string, plural: string, namespaced: boolean): Resource => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  plural,
  namespaced,
});

/** In the order in which they are removed: first what is at work, then what gives it rights, at last where it lived. */
export const OURS: readonly Resource[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments', namespaced: true },
  rbac('ClusterRoleBinding', 'clusterrolebindings', false),
  rbac('RoleBinding', 'rolebindings', true),
  rbac('ClusterRole', 'clusterroles', false),
  rbac('Role', 'roles', true),
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', namespaced: true },
  { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true },
  { apiVersion: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true },
  { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases', namespaced: true },
  NAMESPACES,
];

/** @throws Error for a kind that no registration leaves */
export function resourceOf({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): Resource {
  const found = OURS.find((resource) => resource.apiVersion === apiVersion && resource.kind === kind);
  if (!found) throw new Error(`${apiVersion} ${kind} is none of the kinds that a registration makes`);
  return found;
}

export interface OurObject {
  resource: Resource;
  namespace?: string;
  name: string;
}

/** `Secret farloop/farloop-relay-aws`, as steps and remains are told. */
export const objectText = ({ resource, namespace, name }: OurObject): string =>
  `${resource.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

export function ourObject(manifest: Manifest): OurObject {
  const { namespace, name = '' } = manifest.metadata;
  return { resource: resourceOf(manifest), ...(namespace !== undefined && { namespace }), name };
}

/** Whatever carries our label, of every kind and in every namespace. @param namespace the relay's */
export async function findOurs(administration: KubernetesAdministration, namespace: string): Promise<OurObject[]> {
  const found: OurObject[] = [];
  for (const resource of OURS)
    for (const { metadata } of await labelled(administration, resource, namespace))
      found.push({ resource, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }), name: metadata.name ?? '' });
  return found;
}

async function labelled(administration: KubernetesAdministration, resource: Resource, namespace: string): Promise<KubernetesObject[]> {
  try {
    return await administration.list(resource, { labelSelector: `${OURS_LABEL}=${namespace}` });
  } catch (error) {
    // An API server that does not know the kind has none of it: the sandbox knows no RBAC.
    if (error instanceof TerminalError && error.code === 404) return [];
    throw error;
  }
}
