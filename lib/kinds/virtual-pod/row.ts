// The planner row of a pod on a virtual node.
import type { PodStatus } from '../../objects/kubernetes.ts';
import { keptAbout } from '../preemption/node/decision-on.ts';
import { definePlanner } from '../rows/planner-row.ts';
import { afterOwner } from './after-owner.ts';
import type { VirtualPod } from './facts.ts';
import { KEPT, type Kept } from './kept.ts';
import { virtualNodeNamed } from './node-options.ts';
import { plan } from './plan.ts';

export const virtualPodRow = definePlanner<VirtualPod, PodStatus, Kept>({
  plan,
  afterOwner,
  kept: { schema: KEPT },
  // Its node decides on a thousand others, too.
  heardOf: keptAbout,
  allocatableOf: (options, node) => virtualNodeNamed(options, node)?.capacity,
});
