// A pod with the Job tracking finalizer that names no Job at all. It is a workload of its own, without an owner: nobody else would remove the
// finalizer, and the pod could never go away.
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import { stripOrphan } from '../job/pods/ownership.ts';
import type { Action, AfterOwner, LeftBehind, NewPlan } from '../rows/plan.ts';

export const orphanPodPlanner = {
  plan: (): NewPlan<object> => ({ actions: [], why: ['an orphan has no owner to plan for'] }),
  afterOwner: ({ pods }: LeftBehind): AfterOwner => ({ actions: orphans(pods), isDone: true }),
};

/** Only if it still has no controller: a controller sees to the finalizer itself. */
export function orphans(pods: readonly PodFacts[]): Action[] {
  return pods
    .filter(({ tracked, controller }) => tracked && controller === undefined)
    .map((pod) => stripOrphan(pod, 'it carries the tracking finalizer, and no Job owns it'));
}
