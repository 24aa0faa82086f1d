// The key of a workload, the unit of reconciliation, in messages, items and log lines.

/** A new uid is a new workload: nothing is inherited from one of the same name. */
export interface WorkloadKey {
  cluster: string;
  /** Name of the kind. It may be a kind that this build does not know. */
  kind: string;
  /** Empty for an owner whose resource is cluster-scoped. */
  namespace: string;
  name: string;
  uid: string;
}

/** Stands for the empty namespace where one must be named, such as in a path: no namespace can be called so. */
export const NO_NAMESPACE = '-';

/** The form of a kind's name. The table in lib/kinds lists this build's kinds; a later build knows more (decision 8). */
export const KIND_NAME = /^[A-Z][A-Za-z0-9]{0,62}$/;

/** `cluster/kind/namespace/name`: of all workloads of that name, one after the other. */
export const formatName = ({ cluster, kind, namespace, name }: Omit<WorkloadKey, 'uid'>): string =>
  `${cluster}/${kind}/${namespace}/${name}`;

/** `cluster/kind/namespace/name/uid`. No part may contain a slash; Kubernetes names cannot. */
export const formatKey = (key: WorkloadKey): string => `${formatName(key)}/${key.uid}`;

/** @returns undefined if the text is not a key: five parts, the second a kind's name, none empty but the namespace */
export function parseKey(text: string): WorkloadKey | undefined {
  const [cluster, kind, namespace, name, uid, ...rest] = text.split('/');
  if (!cluster || !kind || !KIND_NAME.test(kind) || namespace === undefined || !name || !uid || rest.length > 0) return undefined;
  return { cluster, kind, namespace, name, uid };
}
