// The words for the actions of a pod's admission.
import type { KindShown } from '../rows/kind-shown.ts';

export const virtualPodShown: Pick<KindShown, 'purposes' | 'eventsPerPod' | 'hiddenStatus'> = {
  purposes: {},
  eventsPerPod: new Set(['Preempting']),
  hiddenStatus: new Set(['qosClass']),
};
