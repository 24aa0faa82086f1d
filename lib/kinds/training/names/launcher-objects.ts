// The launcher of an MPIJob and the objects that it needs, as relay and passes find them: names, and what is compared of each.
import { canonicalText } from '../../../objects/child-state.ts';
import type { WantedFields } from '../../../objects/field-mask.ts';
import type { Json, KubernetesObject } from '../../../objects/kubernetes.ts';
import { CONFIG_MAPS, PODS, SERVICE_ACCOUNTS, type Resource } from '../../../objects/resources.ts';
import type { FurtherRight } from '../../rows/kind.ts';
import { digestOf } from './digest.ts';

export const ROLES: Resource = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', plural: 'roles', namespaced: true };
export const ROLE_BINDINGS: Resource = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
};

export const launcherName = ({ name }: { name: string }): string => `${name}-launcher`;
export const configMapName = ({ name }: { name: string }): string => `${name}-config`;

export const digestOfRules = (rules: unknown): string => digestOf(canonicalText(rules ?? []));
export const rolePartOf = (role: KubernetesObject): Json => ({ digest: digestOfRules((role as { rules?: unknown }).rules) });

export const digestOfData = (data: unknown): string => digestOf(canonicalText(data ?? {}));
export const configMapPartOf = (map: KubernetesObject): Json => ({ digest: digestOfData((map as { data?: unknown }).data) });

/** An object of a job, and what is compared of it. */
export interface ComparedObject {
  resource: Resource;
  /** Beside its metadata. */
  fields: Exclude<WantedFields, boolean>;
  partOf(this: void, object: KubernetesObject): Json;
}

const nothingOf = (): Json => ({});

export const LAUNCHER_OBJECTS: readonly ComparedObject[] = [
  { resource: CONFIG_MAPS, partOf: configMapPartOf, fields: { data: true } },
  { resource: SERVICE_ACCOUNTS, partOf: nothingOf, fields: {} },
  { resource: ROLES, partOf: rolePartOf, fields: { rules: true } },
  { resource: ROLE_BINDINGS, partOf: nothingOf, fields: {} },
];

/** A launcher reads pods and runs commands in its workers. RBAC lets nobody make a role with more than its own rights. */
export const LAUNCHER_RIGHTS: readonly FurtherRight[] = [
  { resource: PODS, subresource: 'exec', verbs: ['create'], isForGranting: true },
  // Passes get and list pods anyway.
  { resource: PODS, verbs: ['watch'], isForGranting: true },
];
