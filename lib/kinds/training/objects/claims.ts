// Which pods and services are the job's by their labels: those that nobody controls are adopted, its own that lack the labels are let go, and
// those of another controller are left alone (8.1).
import type { Terms } from '../terms/framework.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';
import { PODS, type Resource, SERVICES } from '../../../objects/resources.ts';
import { resourceKeyOf } from '../../../objects/child-state.ts';
import type { Action, Snapshot } from '../../rows/plan.ts';
import type { TrainingJob } from '../terms/job-types.ts';
import { hasBaseLabels } from '../names/slots.ts';
import { ownerReferenceOf } from '../terms/terms.ts';

/** An object as its labels and its controller show it. */
interface Claimed {
  namespace: string;
  name: string;
  uid: string;
  labels: Readonly<Record<string, string>>;
  isOwn: boolean;
  isOrphan: boolean;
  isTerminating: boolean;
}

/** The patches that adopt and let go. The job is not being deleted: then it would do neither. */
export function claimActions(terms: Terms, { pods, children }: Pick<Snapshot<TrainingJob>, 'pods' | 'children'>): Action[] {
  const services = terms.framework.objects ? [] : (children?.get(resourceKeyOf(SERVICES)) ?? []);
  return [
    ...[...pods].flatMap((pod) => claimPatches(terms, PODS, ofPod(terms, pod))),
    ...services.flatMap(({ namespace, name, uid, labels = {}, orphaned, terminating }) =>
      claimPatches(terms, SERVICES, {
        namespace,
        name,
        uid,
        labels,
        isOwn: orphaned !== true,
        isOrphan: orphaned === true,
        isTerminating: terminating === true,
      }),
    ),
  ];
}

const ofPod = ({ uid: own }: Terms, { namespace, name, uid, labels, controller, deletedAt }: PodFacts): Claimed => ({
  namespace,
  name,
  uid,
  labels,
  isOwn: controller?.uid === own,
  isOrphan: controller === undefined,
  isTerminating: deletedAt !== undefined,
});

function claimPatches(terms: Terms, resource: Resource, object: Claimed): Action[] {
  const { framework, name, namespace, uid } = terms;
  const matches = object.namespace === namespace && hasBaseLabels(framework, name, object.labels);
  if (matches && object.isOrphan && !object.isTerminating)
    return [claimPatch(resource, object, 'adopt', [ownerReferenceOf(terms)], 'its labels are those of the job and nobody controls it')];
  if (!matches && object.isOwn)
    return [claimPatch(resource, object, 'release', [{ $patch: 'delete', uid }], 'its labels are no longer those of the job')];
  return [];
}

const claimPatch = (
  resource: Resource,
  { namespace, name, uid }: Claimed,
  purpose: 'adopt' | 'release',
  ownerReferences: readonly object[],
  why: string,
): Action => ({
  verb: 'patch',
  resource,
  apiVersion: resource.apiVersion,
  kind: resource.kind,
  namespace,
  name,
  uid,
  purpose,
  // The loop reads the job live before it: an owner that is gone, or another one by now, claims nothing (R10).
  canBeTakenBack: false,
  type: 'strategic',
  patch: { metadata: { uid, ownerReferences } },
  why,
});
