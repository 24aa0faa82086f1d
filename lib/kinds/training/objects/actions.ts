// The actions of a pass over a training job.
import type { Terms } from '../terms/framework.ts';
import type { ChildState } from '../../../objects/child-state.ts';
import type { KubernetesObject } from '../../../objects/kubernetes.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';
import type { Resource } from '../../../objects/resources.ts';
import { aboutOf, type Action, type ChildPlace, type Target } from '../../rows/plan.ts';
import { deleteChildAction, deletePodAction, eventAction as eventAbout, type NewEvent } from '../../rows/actions.ts';

export { correctAction, type NewEvent } from '../../rows/actions.ts';

export const targetOfJob = ({ framework: { kind }, namespace, name, uid }: Terms): Target => ({
  apiVersion: 'kubeflow.org/v1',
  kind,
  namespace,
  name,
  uid,
});

export const eventAction = (terms: Terms, event: NewEvent): Action =>
  eventAbout(targetOfJob(terms), event, 'people and tools follow a job by its events');

/** The delete, and its event. */
export const deletePodActions = (terms: Terms, pod: PodFacts, why: string): Action[] => [
  deletePodAction(pod, why),
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
  const removal = deleteChildAction(resource, child, why);
  return event ? [removal, eventAction(terms, { type: 'Normal', ...event, about: aboutOf(resource, child.name) })] : [removal];
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
