// A workload that was named and is not known: whose it is, where it is, or which one may have been meant.
import type { ClusterSummary } from '../../api/clusters.ts';
import type { ObjectsOnCluster } from '../../api/objects-on-cluster.ts';
import type { WorkloadSummary } from '../../api/told-workload.ts';
import { readManages } from '../../objects/manages.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { pluralOf } from '../../kinds/kind-names.ts';
import { shownFor } from '../../kinds/shown.ts';
import { absentKindTexts } from './absent-kinds.ts';
import type { ApiClient } from '../instance/api-client.ts';
import { FailedError } from '../terminal/exit.ts';
import { suggestionText } from '../terminal/suggestions.ts';
import { ownOnlyTexts, whoseText } from './whose-workload.ts';

export interface SoughtWorkload {
  kind?: string | undefined;
  name: string;
  namespace?: string | undefined;
  cluster?: string | undefined;
}

/** More clusters are not asked. */
const MOST_CLUSTERS_ASKED = 10;

/**
 * Why a workload that was named is not known. Its object is looked for on the clusters themselves, where the API can: one that somebody
 * else manages is not one that does not exist.
 * @param known all workloads of that kind. @returns sentences, the last without a full stop
 */
export async function absenceOf(api: ApiClient, sought: SoughtWorkload, known: readonly WorkloadSummary[]): Promise<string> {
  const absence = absenceText(sought, known);
  const kinds = ALL_FACTS.filter(({ kind, isOwnerless }) => !isOwnerless && (sought.kind === undefined || sought.kind === kind));
  if (kinds.length === 0) return absence;
  const { items } = await api.get<{ items: ClusterSummary[] }>('/v1/clusters');
  const clusters = items.filter(({ name }) => sought.cluster === undefined || name === sought.cluster).slice(0, MOST_CLUSTERS_ASKED);
  const undefinedKinds = new Map(
    clusters.flatMap((cluster) =>
      sought.kind === undefined ? [] : absentKindTexts([cluster], sought.kind).map((text): [string, string] => [cluster.name, text]),
    ),
  );
  const unseen = new Map<string, Pick<ClusterSummary, 'manage' | 'manages'>>();
  const silent = new Map<string, string>();
  for (const facts of kinds)
    for (const { name, ...told } of clusters) {
      const found = await objectsNamed(api, { ...sought, cluster: name }, facts);
      // Where the kind has no definition, asking for its objects fails: that is reported as such, and not as a silent cluster.
      if (found?.problem !== undefined && !undefinedKinds.has(name)) silent.set(name, found.problem);
      else if (found?.live !== true) unseen.set(name, told);
      const [object] = found?.items ?? [];
      if (!found || !object) continue;
      const within = object.namespace === '' ? '' : `in namespace ${object.namespace} `;
      const what = `${facts.kind} ${object.name} is ${within}on cluster ${name}`;
      if (object.managed) return `${what}, and Farloop has not observed it yet: ask again in a moment`;
      return `${what}, and Farloop does not manage it: ${whoseText(shownFor(facts.kind), object, { ...found, manages: readManages(found) })}`;
    }
  if (silent.size > 0) {
    const problems = [...silent].map(([name, problem]) => `cluster ${name} could not be asked: ${problem}`).join('; ');
    return `${unknownText(sought, known)}: ${problems}`;
  }
  const [which] = ownOnlyTexts(
    [...unseen].map(([name, told]) => ({ name, ...told })),
    sought.kind,
  );
  if (undefinedKinds.size > 0) return `${absence}. ${[...undefinedKinds.values()].join('; ').replace(/^cluster/, 'Cluster')}`;
  return which === undefined ? absence : `${absence}. ${which.replace(/^on/, 'On')}`;
}

/** @returns undefined for an API of an earlier version, which does not know this question: the known part is shown all the same */
async function objectsNamed(
  api: ApiClient,
  { name, namespace, cluster }: SoughtWorkload & { cluster: string },
  facts: KindFacts,
): Promise<ObjectsOnCluster | undefined> {
  const query = namespace === undefined ? '' : `?namespace=${encodeURIComponent(namespace)}`;
  const path = ['v1', 'clusters', cluster, pluralOf(facts), name].map(encodeURIComponent).join('/');
  try {
    return await api.get<ObjectsOnCluster>(`/${path}${query}`);
  } catch (error) {
    if (error instanceof FailedError) return undefined;
    throw error;
  }
}

/** An object of a cluster that does not answer may be there all the same. */
function unknownText(sought: SoughtWorkload, known: readonly WorkloadSummary[]): string {
  const names = [...new Set(known.map(({ name }) => name))];
  const meant = names.includes(sought.name) ? '' : suggestionText(sought.name, names);
  return `Farloop knows of no ${sought.kind ?? 'workload'} ${sought.name}${withinText(sought)}${meant}, and cannot tell whether there is one`;
}

const withinText = ({ namespace, cluster }: SoughtWorkload): string =>
  `${namespace === undefined ? '' : ` in namespace ${namespace}`}${cluster === undefined ? '' : ` on cluster ${cluster}`}`;

/** @param known all workloads of that kind. @returns one sentence without a full stop */
export function absenceText(sought: SoughtWorkload, known: readonly WorkloadSummary[]): string {
  const { kind = 'workload', name } = sought;
  const what = `there is no ${kind} ${name}${withinText(sought)}`;
  if (known.length === 0) return `${what}: Farloop knows of no ${kind} yet`;
  const elsewhere = known.filter((workload) => workload.name === name);
  if (elsewhere.length > 0) {
    const places = new Set(
      elsewhere.map(({ namespace, cluster: on }) => `${namespace === '' ? '' : `in namespace ${namespace} `}on cluster ${on}`),
    );
    return `${what}: there is one ${[...places].slice(0, 3).join(', and one ')}`;
  }
  const names = [...new Set(known.map((workload) => workload.name))];
  return `${what}${suggestionText(name, names)}: "farloop get workloads" shows what there is`;
}
