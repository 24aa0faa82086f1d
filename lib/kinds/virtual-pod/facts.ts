// A pod that is bound to a virtual node, as far as `farloop plan` knows it: one that asks its node for room.
import { PODS } from '../../objects/resources.ts';
import type { PlannedFacts } from '../rows/kind.ts';
import { preemptionOrdering } from './ordering.ts';

export const virtualPodFacts: PlannedFacts = {
  kind: 'VirtualPod',
  resource: PODS,
  shortNames: ['po'],
  settings: [],
  options: [preemptionOrdering],
};
