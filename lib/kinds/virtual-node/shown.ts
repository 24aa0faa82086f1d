// A node's pass acts on nothing: the pods' own passes carry out what it has decided.
import type { KindShown } from '../rows/kind-shown.ts';

export const virtualNodeShown: Pick<KindShown, 'purposes' | 'eventsPerPod' | 'hiddenStatus'> = {
  purposes: {},
  eventsPerPod: new Set(),
  hiddenStatus: new Set(),
};
