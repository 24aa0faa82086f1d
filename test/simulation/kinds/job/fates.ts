// How the pods of a story fare.
import type { Pod } from '../../../../lib/objects/kubernetes.ts';
import type { FateOf } from '../../kubelet.ts';

export const indexOf = (pod: Pod): number => Number(pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index'] ?? -1);

/** All pods alike. */
export const all =
  (runsMs: number, exitCode = 0): FateOf =>
  () => ({ startsAfterMs: 300, runsMs, exitCode });
export const forEver: FateOf = () => ({ startsAfterMs: 300, runsMs: 0, exitCode: undefined });
export const firstFails: FateOf = (_, nth) => ({ startsAfterMs: 300, runsMs: 1_500, exitCode: nth === 0 ? 1 : 0 });
