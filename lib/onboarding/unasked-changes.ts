// Finds changes that another registration of the same cluster would make unasked, because an option of the earlier one is missing now.
// Forgetting `--access relayed` must not bring a credential of the cluster to AWS.
import type { StoredAccess } from '../adapters/dynamodb/dynamodb-clusters.ts';
import { SWITCHED_ON } from '../objects/kind-options.ts';
import type { ClusterRecord } from '../ports/clusters.ts';

export interface Registered {
  record: Omit<ClusterRecord, 'version' | 'senders'>;
  /** Absent if functions do not connect to the cluster. */
  access: StoredAccess | undefined;
}

/** The options of `farloop cluster add`, as far as the record shows them. */
function optionsOf({ record, access }: Registered): Record<string, string | undefined> {
  const { namespaces, budget, options = {} } = record;
  return {
    access: record.access ?? 'direct',
    manage: record.manages.join(','),
    namespaces: namespaces.length === 0 ? undefined : namespaces.toSorted().join(','),
    budget: String(budget.writesPerSecond),
    identity: record.identity,
    credential: record.credential,
    'eks-region': record.eks?.region,
    actions: record.actions ? '' : undefined,
    ...Object.fromEntries(Object.entries(options).map(([name, value]) => [name, value === SWITCHED_ON ? '' : value])),
    server: access?.server,
    'tls-server-name': access?.tlsServerName,
  };
}

/** Options that mean nothing once another access is asked for. */
const OF_THE_WAY: Readonly<Record<string, (wanted: Registered) => boolean>> = {
  credential: ({ access }) => access !== undefined,
  server: ({ access }) => access !== undefined,
  'tls-server-name': ({ access }) => access !== undefined,
  'eks-region': ({ record }) => record.eks !== undefined,
};

/**
 * @param isGiven whether an option, named without dashes, was given this time; its change is then intended
 * @returns the earlier options as text, such as `--access relayed`; empty if nothing changes unasked
 */
export function unaskedChanges(known: Registered, wanted: Registered, isGiven: (option: string) => boolean): string[] {
  const next = optionsOf(wanted);
  return Object.entries(optionsOf(known)).flatMap(([option, was]) =>
    was === undefined || was === next[option] || isGiven(option) || OF_THE_WAY[option]?.(wanted) === false
      ? []
      : // One that is given several times is kept with blanks between its values.
        [
          was
            .split(' ')
            .map((value) => `--${option} ${value}`.trimEnd())
            .join(' '),
        ],
  );
}
