// What another registration of the same cluster would change though nobody asked for it: an option that was given then and not now. Forgetting
// `--access relayed` must not bring a credential of the cluster to AWS.
import type { StoredAccess } from '../adapters/dynamodb-clusters.ts';
import type { ClusterRecord } from '../ports/clusters.ts';

export interface Registered {
  record: Omit<ClusterRecord, 'version' | 'senders'>;
  /** Absent where nothing dials the cluster. */
  access: StoredAccess | undefined;
}

/** What `farloop cluster add` takes, by option; what a record does not tell is left out. */
function optionsOf({ record, access }: Registered): Record<string, string | undefined> {
  const { namespaces, budget, workloadWithJob } = record;
  return {
    access: record.access ?? 'direct',
    manage: record.manages.join(','),
    namespaces: namespaces.length === 0 ? undefined : namespaces.toSorted().join(','),
    budget: String(budget.writesPerSecond),
    identity: record.identity,
    credential: record.credential,
    'eks-region': record.eks?.region,
    'workload-with-job': workloadWithJob ? '' : undefined,
    server: access?.server,
    'tls-server-name': access?.tlsServerName,
  };
}

/** Has no sense any more once another way was asked for. */
const OF_THE_WAY: Readonly<Record<string, (wanted: Registered) => boolean>> = {
  credential: ({ access }) => access !== undefined,
  server: ({ access }) => access !== undefined,
  'tls-server-name': ({ access }) => access !== undefined,
  'eks-region': ({ record }) => record.eks !== undefined,
};

/**
 * @param isGiven whether an option, named without dashes, was given this time: then its change is asked for
 * @returns options as they were given: `--access relayed`; none where nothing changes unasked
 */
export function unaskedChanges(known: Registered, wanted: Registered, isGiven: (option: string) => boolean): string[] {
  const next = optionsOf(wanted);
  return Object.entries(optionsOf(known)).flatMap(([option, was]) =>
    was === undefined || was === next[option] || isGiven(option) || OF_THE_WAY[option]?.(wanted) === false
      ? []
      : [`--${option} ${was}`.trimEnd()],
  );
}
