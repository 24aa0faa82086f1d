// How the objects of a workload are known, said once for pods and every child: the owner's uid controls them, and labels with the owner's name
// select them in lists and watches.
import type { ObjectMeta, OwnerReference, WorkloadObject } from '../../objects/kubernetes.ts';
import { controllerOf, type PodFacts } from '../../objects/pods/pod-facts.ts';
import type { Resource } from '../../objects/resources.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import type { ChildFacts, Labels, ListSelection, Membership, PodsOfKind } from './kind.ts';
import type { Target } from './plan.ts';

/** A longer text is no label value. */
const LONGEST_LABEL = 63;

/** The value of a label that names an owner. Names beyond 63 characters share a value; uids tell their objects apart. */
export function labelValueOf(name: string): string {
  let end = Math.min(name.length, LONGEST_LABEL);
  while (end > 0 && !/[a-zA-Z0-9]/.test(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

export const labelsFor = (labels: Labels, name: string): Readonly<Record<string, string>> =>
  typeof labels === 'string' ? { [labels]: labelValueOf(name) } : labels(name);

export const hasLabels = (labels: Labels, name: string, own: Readonly<Record<string, string>> = {}): boolean =>
  Object.entries(labelsFor(labels, name)).every(([label, value]) => own[label] === value);

const groupOf = (apiVersion: string): string => apiVersion.slice(0, apiVersion.lastIndexOf('/') + 1);

/** The workload whose uid controls the object. Any version of the owner's group names it. */
export const controlledBy =
  (resource: Pick<Resource, 'apiVersion' | 'kind'>) =>
  ({ namespace = '', ownerReferences }: ObjectMeta): Membership | undefined => {
    const { kind } = resource;
    const controller = controllerOf(ownerReferences);
    if (controller?.kind !== kind || groupOf(controller.apiVersion) !== groupOf(resource.apiVersion)) return undefined;
    return { kind, namespace, name: controller.name, uid: controller.uid, by: 'controller' };
  };

/** An object as actions name it. */
export const targetOf = ({ apiVersion, kind }: Pick<Resource, 'apiVersion' | 'kind'>, { namespace, name, uid }: ObjectMeta): Target => ({
  apiVersion,
  kind,
  namespace: namespace ?? '',
  name: name ?? '',
  uid: uid ?? '',
});

/** On every object that a workload makes. */
export const referenceTo = ({ apiVersion, kind }: Pick<Resource, 'apiVersion' | 'kind'>, { metadata }: WorkloadObject): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});

export const selectionBy =
  (labels: Labels) =>
  ({ name }: Pick<WorkloadKey, 'name'>): ListSelection => ({
    labelSelector: Object.entries(labelsFor(labels, name.slice(0, LONGEST_LABEL)))
      .map(([label, value]) => `${label}=${value}`)
      .join(','),
  });

/** @param adopts whether a pod with the labels that nobody controls is the workload's too */
export function podsBy(
  resource: Resource,
  labels: Labels,
  adopts: boolean,
): Pick<PodsOfKind<WorkloadObject>, 'membershipOf' | 'selection' | 'concerns' | 'isCountedIn' | 'ownSelector'> {
  const isOf = ({ uid, name }: { uid: string | undefined; name: string }, { controller, labels: own }: PodFacts): boolean =>
    controller ? controller.uid === uid : adopts && hasLabels(labels, name, own);
  return {
    membershipOf: controlledBy(resource),
    selection: selectionBy(labels),
    concerns: (key, pod) => isOf(key, pod),
    isCountedIn:
      ({ metadata: { uid, name = '' } }) =>
      (pod) =>
        isOf({ uid, name }, pod),
    ...(adopts && {
      ownSelector:
        ({ metadata: { name = '' } }) =>
        (own) =>
          hasLabels(labels, name, own),
    }),
  };
}

export const childrenBy = (
  resource: Resource,
  labels: Labels,
): Pick<ChildFacts, 'membershipOf' | 'selection'> & Partial<Pick<ChildFacts, 'watch'>> => ({
  membershipOf: controlledBy(resource),
  selection: selectionBy(labels),
  ...(typeof labels === 'string' && { watch: { labelSelector: labels } }),
});

/** Whether a workload of the name adopts an object with its labels. */
export const adoptsBy =
  (labels: Labels): NonNullable<ChildFacts['mayAdopt']> =>
  ({ namespace, name }, metadata) =>
    metadata.namespace === namespace && hasLabels(labels, name, metadata.labels);
