// How a pod is displayed whose tracking finalizer nobody else removes.
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import { PATCH_PURPOSES } from '../job/reasons/patch-purposes.ts';
import { defineShown } from '../rows/kind-shown.ts';
import { orphanPodFacts } from './facts.ts';

export const orphanPodShown = defineShown<WorkloadObject>(orphanPodFacts, {
  reasonsOf: () => [{ code: 'NotYetSeen', text: 'nothing is known of it yet' }],
  lettingGoText: () => 'no Job owns this pod: the tracking finalizer comes off it',
  purposes: PATCH_PURPOSES,
  unmanagedText: () => 'a pod that names no owner is let go by Farloop whatever it manages',
});
