// What is reconciled as one, and how it is named in every message, item and log line.

/** A new uid is a new workload: nothing is inherited from one of the same name. */
export interface WorkloadKey {
  cluster: string;
  /** A kind's name, also of one that this build does not know. */
  kind: string;
  /** Empty for an owner whose resource is cluster-scoped. */
  namespace: string;
  name: string;
  uid: string;
}

/** What a kind's name looks like. Which kinds there are says the table of lib/kinds; a later build knows more (decision 8). */
export const KIND_NAME = /^[A-Z][A-Za-z0-9]{0,62}$/;

/** `cluster/kind/namespace/name/uid`: none of the parts may hold a slash, as Kubernetes names cannot. */
export const formatKey = ({ cluster, kind, namespace, name, uid }: WorkloadKey): string => `${cluster}/${kind}/${namespace}/${name}/${uid}`;

/** @returns undefined when the text is not a key: five parts, a name of a kind, nothing empty but the namespace */
export function parseKey(text: string): WorkloadKey | undefined {
  const [cluster, kind, namespace, name, uid, ...rest] = text.split('/');
  if (!cluster || !kind || !KIND_NAME.test(kind) || namespace === undefined || !name || !uid || rest.length > 0) return undefined;
  return { cluster, kind, namespace, name, uid };
}
