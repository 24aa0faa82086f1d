// Marks a cluster's record, for passes to heed within seconds.
import type { DynamoDbClusters } from '../adapters/dynamodb/dynamodb-clusters.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import { StaleWriteError } from '../ports/store.ts';

const MOST_TRIES = 5;

/** @returns the record as it stands then; one that is gone meanwhile as it was. @throws StaleWriteError it is written again and again */
export async function marked(
  clusters: Pick<DynamoDbClusters, 'put'>,
  record: ClusterRecord,
  mark: 'draining' | 'leaving',
): Promise<ClusterRecord> {
  let found = record;
  for (let attempt = 1; found[mark] !== true; attempt++) {
    const { version, ...rest } = found;
    try {
      found = await clusters.put({ ...rest, [mark]: true }, version);
    } catch (error) {
      // A pass wrote a fact about the cluster into the record meanwhile.
      if (!(error instanceof StaleWriteError) || attempt === MOST_TRIES) throw error;
      const { current } = error as StaleWriteError<ClusterRecord>;
      if (current === undefined) return found;
      found = current;
    }
  }
  return found;
}
