// How long another pod waits for a pod that is to be killed.
import type { Pod } from '../../../objects/kubernetes.ts';

const LEAST_SECONDS = 10;

/** Seconds: the grace period and half of it, whole, at least 10. Upstream waits as long for a victim. */
export function killWaitSeconds({ spec }: Pick<Pod, 'spec'>): number {
  const grace = spec.terminationGracePeriodSeconds ?? 0;
  return Math.max(LEAST_SECONDS, grace + Math.trunc(grace / 2));
}
