// Rejects a pod that its node does not take.
import type { Pod, PodStatus } from '../../../objects/kubernetes.ts';
import { podQosClassOf } from '../../../objects/pods/qos-class.ts';
import type { Refusal } from './admission-failures.ts';

/** The status has a prefix that the event has not. */
export const rejectedStatus = (pod: Pod, { reason, message }: Refusal): PodStatus => ({
  phase: 'Failed',
  reason,
  message: `Pod was rejected: ${message}`,
  qosClass: podQosClassOf(pod),
});

export const rejectionEvent = ({ reason, message }: Refusal) => ({ type: 'Warning', reason, message }) as const;
