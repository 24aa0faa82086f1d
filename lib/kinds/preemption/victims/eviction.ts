// Evicts a pod that makes room: its status, and the event that says why.
import type { Condition, Pod, PodStatus } from '../../../objects/kubernetes.ts';
import { timeOf } from '../../../objects/pods/pod-facts.ts';

const MESSAGE = 'Preempted in order to admit critical pod';

export const PREEMPTING_EVENT = { type: 'Warning', reason: 'Preempting', message: MESSAGE } as const;

/** Of a victim that still runs when nobody waits for it any more. */
export const LATE_EVENT = {
  type: 'Warning',
  reason: 'ExceededGracePeriod',
  message: 'Container runtime did not kill the pod within specified grace period.',
} as const;

/** The changed part of the victim's status. @param now the time of the change */
export function evictedStatus({ metadata: { generation } }: Pod, now: Date): PodStatus & { conditions: Condition[] } {
  return {
    phase: 'Failed',
    reason: 'Preempting',
    message: MESSAGE,
    conditions: [
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'TerminationByKubelet',
        message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
        lastTransitionTime: timeOf(Math.floor(now.getTime() / 1000)),
        ...(generation !== undefined && { observedGeneration: generation }),
      },
    ],
  };
}
