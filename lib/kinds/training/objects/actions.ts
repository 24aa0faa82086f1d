// The actions of a pass over a training job.
import type { Terms } from '../terms/framework.ts';
import type { ChildState } from '../../../objects/child-state.ts';
import type { KubernetesObject } from '../../../objects/kubernetes.ts';
import { isActive, type PodFacts } from '../../../objects/pods/pod-facts.ts';
import { PODS, type Resource } from '../../../objects/resources.ts';
import { aboutOf, type Action, type ChildPlace, type Target } from '../../rows/plan.ts';

export interface NewEvent {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** The one object whose create or delete it reports: see `aboutOf`. */
  about?: string;
  evenUnanswered?: true;
}

export const targetOfJob = ({ framework: { kind }, namespace, name, uid }: Terms): Target => ({
  apiVersion: 'kubeflow.org/v1',
  kind,
  namespace,
  name,
  uid,
});

export const eventAction = (terms: Terms, event: NewEvent): Action => ({
  verb: 'event',
  ...event,
  regarding: targetOfJob(terms),
  why: 'people and tools follow a job by its events',
});

/** The delete, and its event. */
export const deletePodActions = (terms: Terms, pod: PodFacts, why: string): Action[] => [
  {
    verb: 'delete',
    resource: PODS,
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: pod.namespace,
    name: pod.name,
    uid: pod.uid,
    active: isActive(pod),
    // Of an ended pod, too: on an API server that was restored from a backup it may run again.
    resourceVersion: pod.resourceVersion,
    why,
  },
  eventAction(terms, { type: 'Normal', reason: 'SuccessfulDeletePod', message: `Deleted pod: ${pod.name}`, about: pod.name }),
];

/** One that is going already is left alone. @param event emitted for it; absent: no event */
export function deleteChildActions(
  terms: Terms,
  { resource, child }: { resource: Resource; child: ChildState },
  why: string,
  event?: { reason: string; message: string },
): Action[] {
  if (child.terminating) return [];
  const { apiVersion, kind } = resource;
  const { namespace, name, uid } = child;
  const removal: Action = { verb: 'delete', resource, apiVersion, kind, namespace, name, uid, active: false, why };
  return event ? [removal, eventAction(terms, { type: 'Normal', ...event, about: aboutOf(resource, name) })] : [removal];
}

/** @param event emitted for it; absent: no event */
export function createActions(
  terms: Terms,
  made: { resource: Resource; object: KubernetesObject; child?: ChildPlace },
  why: string,
  event?: { reason: string; message: string },
): Action[] {
  const create: Action = { verb: 'create', ...made, why };
  if (!event) return [create];
  const about = aboutOf(made.resource, made.object.metadata.name ?? '');
  return [create, eventAction(terms, { type: 'Normal', ...event, about })];
}

/** Puts an object of the job right. */
export const correctAction = (
  { resource, child }: { resource: Resource; child: ChildState },
  { type, patch, isDebounced }: { type: 'merge' | 'strategic'; patch: object; isDebounced?: true | undefined },
  why: string,
): Action => ({
  verb: 'patch',
  resource,
  apiVersion: resource.apiVersion,
  kind: resource.kind,
  namespace: child.namespace,
  name: child.name,
  uid: child.uid,
  purpose: 'correct',
  canBeTakenBack: true,
  ...(isDebounced && { isDebounced }),
  type,
  patch,
  why,
});
