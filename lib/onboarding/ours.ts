// The resources of a registration's objects on a cluster, and how to find these objects again.
import type { KubernetesAdministration } from '../adapters/kubernetes/kubernetes-administration.ts';
import type { KubernetesObject } from '../objects/kubernetes.ts';
import { fieldsOf, textOf } from '../objects/values/untyped-fields.ts';
import type { Resource } from '../objects/resources.ts';
import { NAMESPACES } from '../objects/resources.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import { TerminalError } from '../ports/errors.ts';
import type { Manifest } from './relay-manifests.ts';
import { OURS_LABEL, RELAY_SELECTOR } from './relay-manifests.ts';

const rbac = (kind: string, plural: string, namespaced: boolean): Resource => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  plural,
  namespaced,
});

const DEPLOYMENTS: Resource = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments', namespaced: true };

/** In the order of removal: running workloads first, then their rights, then their namespace. */
export const OURS: readonly Resource[] = [
  DEPLOYMENTS,
  rbac('ClusterRoleBinding', 'clusterrolebindings', false),
  rbac('RoleBinding', 'rolebindings', true),
  rbac('ClusterRole', 'clusterroles', false),
  rbac('Role', 'roles', true),
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', plural: 'networkpolicies', namespaced: true },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', namespaced: true },
  { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true },
  { apiVersion: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true },
  { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases', namespaced: true },
  NAMESPACES,
];

/** @throws Error for a kind that no registration makes */
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

/** `Secret farloop/farloop-relay-aws`, as in the output of steps and remains. */
export const objectText = ({ resource, namespace, name }: OurObject): string =>
  `${resource.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

export function ourObject(manifest: Manifest): OurObject {
  const { namespace, name = '' } = manifest.metadata;
  return { resource: resourceOf(manifest), ...(namespace !== undefined && { namespace }), name };
}

/** All objects with our label, of every kind and in every namespace. @param namespace the relay's */
export async function findOurs(administration: Pick<KubernetesAdministration, 'list'>, namespace: string): Promise<OurObject[]> {
  const found: OurObject[] = [];
  for (const resource of OURS)
    for (const { metadata } of await labelled(administration, resource, `${OURS_LABEL}=${namespace}`))
      found.push({ resource, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }), name: metadata.name ?? '' });
  return found;
}

/**
 * Objects of an earlier registration that this one does not want. Excludes a relay installed by the chart or the kustomize base. Excludes
 * namespaces, because they may hold foreign objects by now.
 */
export async function staleOf(
  administration: Pick<KubernetesAdministration, 'list'>,
  { relayNamespace, wanted }: { relayNamespace: string; wanted: readonly Manifest[] },
): Promise<OurObject[]> {
  const names = new Set(wanted.map((manifest) => objectText(ourObject(manifest))));
  return (await findOurs(administration, relayNamespace)).filter(
    (object) => object.resource !== NAMESPACES && !names.has(objectText(object)),
  );
}

/** The stage, cluster and namespaces in a relay's arguments; undefined if the arguments are not filled in literally. */
function reportsOf(deployment: KubernetesObject): { stackName: string; cluster: string; namespaces: string[] } | undefined {
  const template = fieldsOf(fieldsOf(fieldsOf(fieldsOf(deployment)['spec'])['template'])['spec']);
  const [container] = Array.isArray(template['containers']) ? template['containers'] : [];
  const given = fieldsOf(container)['args'];
  const said = Array.isArray(given) ? given.map(textOf).join('\n') : '';
  const [, cluster] = /^--cluster=([a-z0-9-]+)$/m.exec(said) ?? [];
  const [, stackName] = /^--events-queue-url=.*\/([^/\n]+)-events$/m.exec(said) ?? [];
  const namespaces = [...said.matchAll(/^--namespace=(.+)$/gm)].map(([, name = '']) => name);
  return cluster === undefined || stackName === undefined ? undefined : { stackName, cluster, namespaces };
}

/** The default namespace. */
export const RELAY_NAMESPACE = 'farloop';

/**
 * The namespace of the relay and of the functions' account: from the record, or for the record of an earlier version the given one.
 * @throws TerminalError the given namespace differs from the record's: objects in the old one would be left behind
 */
export function relayNamespaceOf(
  record: Pick<ClusterRecord, 'relayNamespace'> | undefined,
  { cluster, given }: { cluster: string; given: string | undefined },
): string {
  const known = record?.relayNamespace;
  if (known !== undefined && given !== undefined && known !== given) throw livesElsewhere({ cluster, namespace: known, given });
  return known ?? given ?? RELAY_NAMESPACE;
}

const livesElsewhere = ({ cluster, namespace, given }: { cluster: string; namespace: string; given: string }): TerminalError =>
  new TerminalError(`the relay of ${cluster} lives in the namespace ${namespace}, not in ${given}: give --relay-namespace ${namespace}`);

export interface MeantRelay {
  stackName: string;
  cluster: string;
  relayNamespace: string;
  /** True: a relay there that no registration made is left to its installer. False: it is an obstacle. */
  leavesInstalled: boolean;
  /** The namespaces to manage; empty: all; undefined: none, because the cluster is removed. */
  namespaces: readonly string[] | undefined;
}

const meet = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === 0 || others.length === 0 || some.some((name) => others.includes(name));

/**
 * Relays are identified by their namespace. The intended namespace may have the relay of another stage, and ours may live in another one. A
 * relay of Helm or kustomize must not be changed without their knowledge.
 */
export async function refuseOtherRelays(
  administration: Pick<KubernetesAdministration, 'list'>,
  { stackName, cluster, relayNamespace, leavesInstalled, namespaces }: MeantRelay,
): Promise<void> {
  for (const deployment of await labelled(administration, DEPLOYMENTS, RELAY_SELECTOR)) {
    const { namespace = '', labels = {} } = deployment.metadata;
    const reports = reportsOf(deployment);
    const isOthers = reports !== undefined && reports.stackName !== stackName;
    if (isOthers && (namespace === relayNamespace || (namespaces && meet(namespaces, reports.namespaces))))
      throw new TerminalError(
        `the relay in the namespace ${namespace} is that of ${reports.stackName}, not of ${stackName}: ${
          namespaces
            ? `two installations must not manage the same Jobs. Take the cluster out of ${reports.stackName} first; where that is lost, its relay and the functions' account (docs/deploy.md, "When something is lost"). For both at once give each --namespaces and a --relay-namespace of its own`
            : 'what is there is not ours to remove. --unreachable leaves the cluster as it is'
        }`,
      );
    if (namespace !== relayNamespace && reports?.stackName === stackName && reports.cluster === cluster)
      throw livesElsewhere({ cluster, namespace, given: relayNamespace });
    if (namespace === relayNamespace && labels[OURS_LABEL] === undefined && !leavesInstalled)
      throw new TerminalError(
        `the relay in the namespace ${namespace} was installed by other means than "farloop cluster add": take it away by the same first ("helm uninstall", "kubectl delete -k")`,
      );
  }
}

async function labelled(
  administration: Pick<KubernetesAdministration, 'list'>,
  resource: Resource,
  labelSelector: string,
): Promise<KubernetesObject[]> {
  try {
    return await administration.list(resource, { labelSelector });
  } catch (error) {
    // An API server without the kind has no objects of it. The sandbox has no Deployments, for example.
    if (error instanceof TerminalError && error.code === 404) return [];
    throw error;
  }
}
