// The states of clusters in a table: words in a column, and a line with the reason below. What holds is decided elsewhere
// (lib/reconciler/cluster/cluster-state.ts).
import type { ClusterSummary } from '../../api/clusters.ts';
import { unknownWords } from '../../kinds/settings.ts';

/** As `Unreachable, Draining`. */
export const stateText = ({ states }: Pick<ClusterSummary, 'states'>): string => states.map(({ state }) => state).join(', ');

/** The table, and a line for each state that is not as it should be, and for each word of `--manage` that no kind has here. */
export function withReasons(
  items: readonly (Pick<ClusterSummary, 'name' | 'states'> & Partial<Pick<ClusterSummary, 'manages'>>)[],
  table: string,
): string {
  const unknown = items.flatMap(({ name, manages = [] }) =>
    unknownWords(manages).map(
      (word) => `${name}: ${word}: this version of Farloop knows no kind of that word, and does nothing about its workloads`,
    ),
  );
  const reasons = items.flatMap(({ name, states }) =>
    states
      .filter(({ state }) => state !== 'Watching')
      .map(({ state, sinceTime, reason }) => `${name}: ${state}${sinceTime === undefined ? '' : ` since ${sinceTime}`}: ${reason}`),
  );
  const lines = [...reasons, ...unknown];
  return lines.length === 0 ? table : `${table}\n\n${lines.join('\n')}`;
}
