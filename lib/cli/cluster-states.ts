// The states of clusters in a table: words in a column, and a line with the reason below. What holds is decided elsewhere
// (lib/reconciler/cluster/cluster-state.ts).
import type { ClusterSummary } from '../api/clusters.ts';

/** As `Unreachable, Draining`. */
export const stateText = ({ states }: Pick<ClusterSummary, 'states'>): string => states.map(({ state }) => state).join(', ');

/** The table, and a line for each state that is not as it should be. */
export function withReasons(items: readonly Pick<ClusterSummary, 'name' | 'states'>[], table: string): string {
  const lines = items.flatMap(({ name, states }) =>
    states
      .filter(({ state }) => state !== 'Watching')
      .map(({ state, sinceTime, reason }) => `${name}: ${state}${sinceTime === undefined ? '' : ` since ${sinceTime}`}: ${reason}`),
  );
  return lines.length === 0 ? table : `${table}\n\n${lines.join('\n')}`;
}
