// The owner of a pod with the tracking finalizer.
import { labelledJobUid } from '../objects/job-labels.ts';
import type { ObjectMeta } from '../objects/kubernetes.ts';
import { controllerOf } from '../objects/pods/pod-facts.ts';

/** The uid of its controller, or otherwise the uid in its label. */
export const trackedOwnerUid = ({ ownerReferences, labels = {} }: ObjectMeta): string | undefined =>
  controllerOf(ownerReferences)?.uid ?? labelledJobUid(labels);
