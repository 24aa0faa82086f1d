// The API server's resources that Farloop calls, as the paths need them.

export interface Resource {
  /** `v1`, or group and version as in `batch/v1`. */
  apiVersion: string;
  kind: string;
  plural: string;
  namespaced: boolean;
}

/** The fate of an object's dependents when it is deleted. */
export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

export type PatchType = 'merge' | 'json' | 'strategic';

export const PATCH_CONTENT_TYPES: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

export const PODS: Resource = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
export const JOBS: Resource = { apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs', namespaced: true };
export const NODES: Resource = { apiVersion: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
export const NAMESPACES: Resource = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
export const SERVICES: Resource = { apiVersion: 'v1', kind: 'Service', plural: 'services', namespaced: true };
export const CONFIG_MAPS: Resource = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
export const SECRETS: Resource = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
export const SERVICE_ACCOUNTS: Resource = { apiVersion: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true };
/** Of an eviction: created at the pod's subresource `eviction`. */
export const EVICTION = { apiVersion: 'policy/v1', kind: 'Eviction' } as const;
export const EVENTS: Resource = { apiVersion: 'v1', kind: 'Event', plural: 'events', namespaced: true };

/** `/api/v1/namespaces/n/pods/p/status` and its shorter forms. */
export function pathOf(
  resource: Resource,
  target: { namespace?: string | undefined; name?: string | undefined; subresource?: string | undefined } = {},
): string {
  const root = resource.apiVersion.includes('/') ? `/apis/${resource.apiVersion}` : `/api/${resource.apiVersion}`;
  const scope = resource.namespaced && target.namespace !== undefined ? `/namespaces/${encodeURIComponent(target.namespace)}` : '';
  const name = target.name === undefined ? '' : `/${encodeURIComponent(target.name)}`;
  const subresource = target.subresource === undefined ? '' : `/${target.subresource}`;
  return `${root}${scope}/${resource.plural}${name}${subresource}`;
}
