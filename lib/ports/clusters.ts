// The registered clusters. Kept apart from the store: it survives a dropped table (R1).

/** What names in a registration may be: they go into keys, names of queues, secrets and metrics, into signed headers and hosts. */
export const REGISTERED = {
  /** Of the cluster: lower case letters, digits and dashes, at most 40. The queue of `a-dead` would be that of the dead letters of `a`. */
  name: /^(?!.*-dead$)[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/,
  /** What EKS calls it. */
  eksName: /^[0-9A-Za-z][-0-9A-Za-z_]{0,99}$/,
  region: /^[a-z]{2}(-[a-z]+)+-\d$/,
} as const;

export interface ClusterRecord {
  name: string;
  /** Raised when the API server turns out to be restored from an older state (R3). */
  era: number;
  /** uid of the namespace kube-system; set at the first contact, then another uid is refused. */
  kubeSystemUid?: string;
  /** `own`: workloads that name Farloop as their manager; `all`: the built-in controller's too. */
  manage: 'own' | 'all';
  /** Empty: all namespaces. */
  namespaces: readonly string[];
  /** SQS `SenderId`s whose events may change this cluster's view (R15). */
  senders: readonly string[];
  /** Writes a second that all functions share, and how many may go at once. */
  budget: { writesPerSecond: number; burst: number };
  /** Work that has begun is finished, none is begun. */
  draining?: true;
  /** Being removed: no pass has a way to it any more, whichever it was. */
  leaving?: true;
  /**
   * How passes reach its API server. `direct` (also where it is absent): they dial it, with the credentials registered for it. `relayed`:
   * nothing dials it; its relay is sent commands and carries them out with credentials of its own, so that none is kept outside the cluster.
   */
  access?: 'direct' | 'relayed';
  /** Who its relay is in AWS, and what functions show it, as it was registered; the second is absent where nothing dials it. */
  identity?: 'user' | 'irsa' | 'pod-identity';
  credential?: 'service-account' | 'kubeconfig' | 'eks';
  /** Where on the cluster the relay and the functions' account are; absent in records of earlier versions. */
  relayNamespace?: string;
  /** What EKS knows it as, where EKS was told of us: who removes the cluster takes that back. */
  eks?: { name: string; region: string };
  /** Alpha: Jobs are made known to the scheduler as groups of pods (Workload and PodGroup). */
  workloadWithJob?: true;
  version: number;
}

/** @returns whether workloads of that namespace are this cluster's to look after */
export const isInScope = ({ namespaces }: Pick<ClusterRecord, 'namespaces'>, namespace: string): boolean =>
  namespaces.length === 0 || namespaces.includes(namespace);

/** A record that is read may be so old: a process keeps one for a while. Whatever follows a change of it must stand that. */
export const RECORD_AGE_MS_MAX = 10_000;

export interface Clusters {
  get(name: string): Promise<ClusterRecord | undefined>;
  list(): Promise<ClusterRecord[]>;
  /** @param expectedVersion 0 for a new one. @throws StaleWriteError<ClusterRecord> */
  put(record: Omit<ClusterRecord, 'version'>, expectedVersion: number): Promise<ClusterRecord>;
}
