// What is wrong with the clusters of a table: a word in their state, a line with the reason below.
import type { ClusterSummary } from '../api/clusters.ts';

/** As `Watching, draining, in trouble`. */
export const stateText = ({
  state,
  draining,
  leaving,
  trouble,
}: Pick<ClusterSummary, 'state' | 'draining' | 'leaving' | 'trouble'>): string =>
  [state, draining && 'draining', leaving && 'leaving', trouble && 'in trouble'].filter((word) => typeof word === 'string').join(', ');

/** The table, and a line for each cluster whose API server does not let Farloop work. */
export function withTroubles(items: readonly Pick<ClusterSummary, 'name' | 'trouble'>[], table: string): string {
  const lines = items.flatMap(({ name, trouble }) =>
    trouble ? [`${name}: in trouble since ${trouble.sinceTime}: ${trouble.reason}`] : [],
  );
  return lines.length === 0 ? table : `${table}\n\n${lines.join('\n')}`;
}
