// Counts ended pods that still have the tracking finalizer, as they enter and leave the view.
import { isFinished } from '../../../objects/pods/pod-facts.ts';
import type { CountedPods } from '../../rows/kind.ts';

export const terminatedPods: CountedPods = {
  has: (pod) => pod.tracked && isFinished(pod),
  countsOf: ({ came, went }) =>
    (
      [
        ['add', came],
        ['delete', went],
      ] as const
    )
      .filter(([, value]) => value > 0)
      .map(([event, value]) => ({ metric: 'job_controller_terminated_pods_tracking_finalizer_total', value, labels: { event } })),
};
