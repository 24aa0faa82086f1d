// A virtual node, as far as `farloop plan` knows it: it decides on the pods that wait for room on it.
import { NODES } from '../../objects/resources.ts';
import type { PlannedFacts } from '../rows/kind.ts';
import { preemptionOrdering } from '../virtual-pod/ordering.ts';

export const virtualNodeFacts: PlannedFacts = {
  kind: 'VirtualNode',
  resource: NODES,
  shortNames: ['no'],
  settings: [],
  options: [preemptionOrdering],
};
