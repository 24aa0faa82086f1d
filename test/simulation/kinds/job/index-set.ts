// The indexes that a status names, for small Jobs.
import type { Job } from '../../../../lib/objects/kubernetes.ts';

/** `0-2,5` → 0, 1, 2, 5. */
export function completedIndexesOf({ status }: Job): Set<number> {
  const indexes = new Set<number>();
  for (const run of (status?.completedIndexes ?? '').split(',').filter(Boolean)) {
    const [from = '0', to = from] = run.split('-');
    for (let index = Number(from); index <= Number(to); index++) indexes.add(index);
  }
  return indexes;
}
