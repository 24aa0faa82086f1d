// Fewer namespaces than a cluster was registered for: with the rights there, whoever looked after the Jobs in them goes.
import type { KubernetesAdministration } from '../adapters/kubernetes-administration.ts';
import { isInScope, type ClusterRecord } from '../ports/clusters.ts';
import { remainsOn, type Remains } from './removal.ts';

type Scope = Pick<ClusterRecord, 'namespaces'>;

const isWithin = (before: Scope, after: Scope): boolean =>
  after.namespaces.length === 0 || (before.namespaces.length > 0 && before.namespaces.every((name) => isInScope(after, name)));

/** @returns what was looked after and would not be any more; the cluster is asked only where something may be */
export const remainsLeft = async (
  administration: Pick<KubernetesAdministration, 'list'>,
  before: Scope & Pick<ClusterRecord, 'manages'>,
  after: Scope,
): Promise<Remains> => (isWithin(before, after) ? { unfinished: [], tracked: [] } : await remainsOn(administration, before, after));
