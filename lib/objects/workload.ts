// What is reconciled as one, and how it is named in every message, item and log line.

/** A new uid is a new workload: nothing is inherited from one of the same name. */
export interface WorkloadKey {
  cluster: string;
  kind: WorkloadKind;
  namespace: string;
  name: string;
  uid: string;
}

/** `OrphanPod`: a pod with our finalizer that names no owner; its key is the pod's own. */
export const WORKLOAD_KINDS = ['Job', 'OrphanPod'] as const;
export type WorkloadKind = (typeof WORKLOAD_KINDS)[number];

/** `cluster/kind/namespace/name/uid`: none of the parts may hold a slash, as Kubernetes names cannot. */
export const formatKey = ({ cluster, kind, namespace, name, uid }: WorkloadKey): string => `${cluster}/${kind}/${namespace}/${name}/${uid}`;

export const isWorkloadKind = (text: string | undefined): text is WorkloadKind => WORKLOAD_KINDS.some((kind) => kind === text);

/** @returns undefined when the text is not a key: five parts, a known kind, nothing empty */
export function parseKey(text: string): WorkloadKey | undefined {
  const [cluster, kind, namespace, name, uid, ...rest] = text.split('/');
  if (!cluster || !isWorkloadKind(kind) || !namespace || !name || !uid || rest.length > 0) return undefined;
  return { cluster, kind, namespace, name, uid };
}
