// The registered clusters. Their records are stored apart from views and heads, so that they survive a dropped table (R1).
import type { KindOptions } from '../objects/kind-options.ts';
import type { Manages } from '../objects/manages.ts';

/** Which names a registration may have. They go into keys, names of queues, secrets and metrics, signed headers and hosts. */
export const REGISTERED = {
  /** Of the cluster: lower case letters, digits and dashes, at most 40. Not `a-dead`: its queue would be the dead-letter queue of `a`. */
  name: /^(?!.*-dead$)[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/,
  /** Its name in EKS. */
  eksName: /^[0-9A-Za-z][-0-9A-Za-z_]{0,99}$/,
  region: /^[a-z]{2}(-[a-z]+)+-\d$/,
} as const;

export interface ClusterRecord {
  name: string;
  /** Raised when a pass or the relay finds that the API server was restored from an older state (R3). */
  era: number;
  /** uid of the namespace kube-system. Set at the first contact; from then on a cluster with another uid is refused. */
  kubeSystemUid?: string;
  /** Which kinds are managed, by their words; one that this build does not know is carried along. */
  manages: Manages;
  /** Empty: all namespaces. */
  namespaces: readonly string[];
  /** SQS `SenderId`s whose events may change this cluster's view (R15). */
  senders: readonly string[];
  /** Writes a second that all functions share, and how many may go at once. */
  budget: { writesPerSecond: number; burst: number };
  /** Workloads that have begun are finished; no other one is begun. */
  draining?: true;
  /** Being removed: no pass acts on it any more, whatever its access is. */
  leaving?: true;
  /**
   * How passes reach its API server. `direct`, or absent: they dial it with the credentials registered for it. `relayed`: they send commands
   * to its relay, which carries them out with its own credentials. So no credential is kept outside the cluster.
   */
  access?: 'direct' | 'relayed';
  /** As registered: who its relay is in AWS, and which credential functions use. `credential` is absent for relayed access. */
  identity?: 'user' | 'irsa' | 'pod-identity';
  credential?: 'service-account' | 'kubeconfig' | 'eks';
  /** Namespace of the relay and of the functions' account. Absent in records of earlier versions. */
  relayNamespace?: string;
  /** Its name in EKS, if registration changed EKS: removing the cluster undoes that. */
  eks?: { name: string; region: string };
  /** Options of kinds; one that this build does not know is carried along. */
  options?: KindOptions;
  /** People may act on its workloads: its relay or the functions' account hold the rights for it. */
  actions?: true;
  version: number;
}

/** @param namespace empty: the owner's resource is cluster-scoped, and no choice of namespaces is about it. @returns whether the registration covers workloads of that namespace */
export const isInScope = ({ namespaces }: Pick<ClusterRecord, 'namespaces'>, namespace: string): boolean =>
  namespaces.length === 0 || namespace === '' || namespaces.includes(namespace);

/** A process caches a record for so long. After a change of a record, expect functions to act on the old one until then. */
export const RECORD_AGE_MS_MAX = 10_000;

export interface Clusters {
  get(name: string): Promise<ClusterRecord | undefined>;
  list(): Promise<ClusterRecord[]>;
  /** @param expectedVersion 0 for a new one. @throws StaleWriteError<ClusterRecord> */
  put(record: Omit<ClusterRecord, 'version'>, expectedVersion: number): Promise<ClusterRecord>;
}
