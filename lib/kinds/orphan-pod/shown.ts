// How a pod is displayed whose tracking finalizer nobody else removes.
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import { PATCH_PURPOSES } from '../job/reasons/patch-purposes.ts';
import { defineShown } from '../rows/kind-shown.ts';

export const orphanPodShown = defineShown<WorkloadObject>({
  reasons: {},
  reasonsOf: () => [{ code: 'NotYetSeen', text: 'nothing is known of it yet' }],
  knownBackoff: () => ({ failures: 0 }),
  lettingGoText: () => 'no Job owns this pod: the tracking finalizer comes off it',
  standingOf: () => undefined,
  isUnderWay: () => false,
  fields: [],
  figuresOf: () => [],
  purposes: PATCH_PURPOSES,
  eventsPerPod: new Set(),
  hiddenStatus: new Set(),
  ownOnlyText: () => undefined,
  unmanagedText: () => 'a pod that names no owner is let go by Farloop whatever it manages',
});
