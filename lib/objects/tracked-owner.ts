// Whose a pod with the tracking finalizer is.
import { labelledJobUid } from './job-labels.ts';
import type { ObjectMeta } from './kubernetes.ts';
import { controllerOf } from './pod-facts.ts';

/** The uid of the owner that it names: its controller's, else by its label. */
export const trackedOwnerUid = ({ ownerReferences, labels = {} }: ObjectMeta): string | undefined =>
  controllerOf(ownerReferences)?.uid ?? labelledJobUid(labels);
