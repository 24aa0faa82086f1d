// How a pod that names no owner is planned: by name alone, since every pod in the input may be somebody's child.
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import { defineManifests, type DocumentPlan, type ManifestGiven, type ReadOwner } from '../rows/kind-manifests.ts';
import { isPod, podProblem } from '../rows/manifest-shapes.ts';
import { podSetOf } from '../rows/pod-set.ts';
import { orphanPodFacts } from './facts.ts';
import { orphans } from './orphan-pod.ts';

export const orphanPodManifests = defineManifests<WorkloadObject>(orphanPodFacts, {
  schema: 'Pod',
  isOnlyByName: true,
  read: (document, { namespace }): ReadOwner<WorkloadObject> =>
    isPod(document) ? { owner: { ...document, metadata: { ...document.metadata, namespace } } } : { problem: podProblem(document) },
  plan,
});

function plan({ snapshot }: ManifestGiven<WorkloadObject>): DocumentPlan {
  const { owner, pods } = snapshot;
  const actions = orphans([...podSetOf(pods)].filter(({ uid }) => uid === owner.metadata.uid));
  return {
    actions,
    status: {},
    outcome: actions.length > 0 ? 'acted' : 'converged',
    why: [actions.length > 0 ? 'no Job owns this pod' : 'a Job owns this pod, or it carries no tracking finalizer'],
  };
}
