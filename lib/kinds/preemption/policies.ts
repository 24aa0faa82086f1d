// What the node's pass asks of the policies of admission: whether a pod fits, who must go for it, what it takes.
import type { KubernetesObject, Pod } from '../../objects/kubernetes.ts';

export interface Node extends KubernetesObject {
  spec?: object;
  status?: { allocatable?: Record<string, string>; [field: string]: unknown };
}

export interface AdmissionPolicies {
  /** Checks one pod against others. The ordering of victims is the policy's own. */
  admit: (input: AdmissionInput) => Admission;
  /** By resource, as the fit check counts: cpu in thousandths, all else in whole units; without `pods`. */
  requestsOf: (pod: Pod) => ReadonlyMap<string, bigint>;
}

export interface AdmissionInput {
  node: Node;
  /** Pods that take room, in the order of their admission. */
  pods: readonly Pod[];
  /** Those of them that may be evicted, in the same order. */
  candidates: readonly Pod[];
  incoming: Pod;
}

export interface Admission {
  state: 'admitted' | 'preempting' | 'rejected';
  /** Of a rejection: reason, and message without prefix. */
  reason?: string;
  message?: string;
  /** What the general checks found, in their order, before anybody is evicted. */
  failures: readonly AdmissionFailure[];
  /** In the order of eviction. */
  victims: readonly Pod[];
}

export type AdmissionFailure =
  { resource: string; requested: bigint; used: bigint; capacity: bigint } | { predicate: string; message: string };
