// The planner row of a pod on a virtual node.
import type { PodStatus } from '../../objects/kubernetes.ts';
import { keptAbout } from '../preemption/node/decision-on.ts';
import { definePlanner } from '../rows/planner-row.ts';
import { afterOwner } from './after-owner.ts';
import type { VirtualPod } from './facts.ts';
import { KEPT, type Kept } from './kept.ts';
import { NODE_OPTIONS, virtualNodeNamed } from './node-options.ts';
import { plan } from './plan.ts';

export const virtualPodRow = definePlanner<VirtualPod, PodStatus, Kept>({
  plan,
  afterOwner,
  kept: { schema: KEPT },
  // Its node decides on a thousand others, too.
  heardOf: keptAbout,
  nodeOf: (options, name) => {
    const node = virtualNodeNamed(options, name);
    return node && { allocatable: node.capacity, getsTokens: options?.[NODE_OPTIONS.tokens] !== undefined };
  },
});
