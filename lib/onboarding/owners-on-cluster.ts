// Lists the owners of the managed kinds live on a cluster, with its administrator's rights.
import type { KubernetesAdministration } from '../adapters/kubernetes/kubernetes-administration.ts';
import { ALL_FACTS } from '../kinds/facts.ts';
import type { KindFacts } from '../kinds/rows/kind.ts';
import type { ListSelection } from '../ports/cluster.ts';
import { managedKinds } from '../kinds/settings.ts';
import type { WorkloadObject } from '../objects/kubernetes.ts';
import { isInScope, type ClusterRecord } from '../ports/clusters.ts';
import { TerminalError } from '../ports/errors.ts';

export interface OwnersOfKind {
  facts: KindFacts;
  owners: readonly WorkloadObject[];
}

/** Names of workloads, and the kinds that were listed. */
export interface NamedWorkloads {
  kinds: readonly string[];
  /** Sorted by name within a kind. `name`: `namespace/name`. */
  found: readonly { kind: string; name: string }[];
}

type Managed = Pick<ClusterRecord, 'manages' | 'options'>;

/** The managed kinds whose workloads have owners and may end, in the order of the table. A node is there for others. */
export const kindsWithOwners = ({ manages, options }: Managed, kinds: readonly KindFacts[] = ALL_FACTS): KindFacts[] =>
  managedKinds(manages, kinds, { options }).filter(({ isOwnerless, nodes }) => isOwnerless !== true && !nodes);

/** Owners of all managers, in the namespaces of the record. */
export async function ownersOn(
  administration: Pick<KubernetesAdministration, 'list'>,
  record: Managed & Pick<ClusterRecord, 'namespaces'>,
  kinds: readonly KindFacts[] = ALL_FACTS,
): Promise<OwnersOfKind[]> {
  const found: OwnersOfKind[] = [];
  for (const facts of kindsWithOwners(record, kinds)) {
    const owners = await listed(administration, facts);
    found.push({ facts, owners: owners.filter(({ metadata: { namespace = '' } }) => isInScope(record, namespace)) });
  }
  return found;
}

const EVERYTHING: readonly ListSelection[] = [{}];

async function listed(
  administration: Pick<KubernetesAdministration, 'list'>,
  { resource, ownerSelections }: KindFacts,
): Promise<WorkloadObject[]> {
  try {
    const found: WorkloadObject[] = [];
    for (const selection of ownerSelections ?? EVERYTHING) found.push(...(await administration.list<WorkloadObject>(resource, selection)));
    return found;
  } catch (error) {
    // The definition is not installed, so the cluster has no such owners.
    if (error instanceof TerminalError && error.code === 404) return [];
    throw error;
  }
}

/** @param isMeant called for the owners that we manage */
export function namedIn(
  owners: readonly OwnersOfKind[],
  { manages }: Pick<ClusterRecord, 'manages'>,
  isMeant: (facts: KindFacts, owner: WorkloadObject) => boolean,
): NamedWorkloads {
  const found = owners.flatMap(({ facts, owners: ofKind }) =>
    ofKind
      .filter((owner) => facts.isManaged(owner, manages) && isMeant(facts, owner))
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
      .toSorted()
      .map((name) => ({ kind: facts.kind, name })),
  );
  return { kinds: owners.map(({ facts }) => facts.kind), found };
}

/** Workloads that have started and not finished. */
export async function runningOn(
  administration: Pick<KubernetesAdministration, 'list'>,
  record: Managed & Pick<ClusterRecord, 'namespaces'>,
  kinds: readonly KindFacts[] = ALL_FACTS,
): Promise<NamedWorkloads> {
  const owners = await ownersOn(administration, record, kinds);
  return namedIn(owners, record, (facts, owner) => facts.hasStarted(owner) && !facts.isFinished(owner));
}
