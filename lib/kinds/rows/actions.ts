// Builders of actions, for planners of any kind. What is the same for all objects of a workload follows from the kind's row: labels, the owner
// reference, a pod's name and number.
import { canonicalText, resourceKeyOf, type ChildState } from '../../objects/child-state.ts';
import type { KubernetesObject, ObjectMeta, Pod, WorkloadObject } from '../../objects/kubernetes.ts';
import { CHILD_NUMBER, isActive, type PodFacts } from '../../objects/pods/pod-facts.ts';
import { PODS, type Resource } from '../../objects/resources.ts';
import { labelsFor, referenceTo, targetOf } from './belonging.ts';
import { childPartOf } from './child.ts';
import { reasonOf, SLOT_LABEL, slotInLabel } from './define-facts.ts';
import type { KindFacts } from './kind.ts';
import { nameKeyOf, type Action, type ChildPlace, type Snapshot, type Target } from './plan.ts';

type Facts = Pick<KindFacts, 'resource' | 'labels' | 'pods' | 'children'>;
type EventAction = Extract<Action, { verb: 'event' }>;
type PatchAction = Extract<Action, { verb: 'patch' }>;

export interface NewEvent {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** The one object whose create or delete it reports: see `aboutOf`. */
  about?: string;
  evenUnanswered?: true;
}

/** @param regarding the owner, unless the event is about another object */
export const eventAction = (regarding: Target, event: NewEvent, why = 'people and tools follow it by its events'): EventAction => ({
  verb: 'event',
  ...event,
  regarding,
  why,
});

/** About the owner. */
export const ownerEvent = ({ resource }: Pick<Facts, 'resource'>, { metadata }: WorkloadObject, event: NewEvent): EventAction =>
  eventAction(targetOf(resource, metadata), event);

/** The pod is taken to be active, or its version is a precondition for another reason. */
export const deletePodAction = (
  pod: PodFacts,
  why: string,
  { active = isActive(pod), evenTracked }: { active?: boolean; evenTracked?: boolean } = {},
): Action => ({
  verb: 'delete',
  resource: PODS,
  ...targetOf(PODS, pod),
  active,
  // Of an ended pod, too: on an API server that was restored from a backup it may run again.
  resourceVersion: pod.resourceVersion,
  ...(evenTracked && { evenTracked }),
  why,
});

export const deleteChildAction = (resource: Resource, child: ChildState, why: string): Action => ({
  verb: 'delete',
  resource,
  ...targetOf(resource, child),
  active: false,
  why,
});

/** Puts an object right. */
export const correctAction = (
  { resource, child }: { resource: Resource; child: Pick<ChildState, 'namespace' | 'name' | 'uid'> },
  { type, patch, isDebounced }: { type: 'merge' | 'strategic'; patch: object; isDebounced?: true | undefined },
  why: string,
): PatchAction => ({
  verb: 'patch',
  resource,
  ...targetOf(resource, child),
  purpose: 'correct',
  canBeTakenBack: true,
  ...(isDebounced && { isDebounced }),
  type,
  patch,
  why,
});

/**
 * Neighbouring creates run in parallel, and so do neighbouring deletes (B-45). An event between them would part them: those that depend on no
 * action come first, the others last.
 */
export function inWaves(actions: readonly Action[]): Action[] {
  const rankOf = (action: Action): 'first' | 'write' | 'last' =>
    action.verb !== 'event' ? 'write' : action.about === undefined ? 'first' : 'last';
  const { first = [], write = [], last = [] } = Object.groupBy(actions, rankOf);
  return [...first, ...write, ...last];
}

/** An object of the owner: in its namespace, with the labels by which its kind's objects are known, controlled by it. */
export function objectOf<Made extends KubernetesObject>(
  { resource, labels }: Pick<Facts, 'resource' | 'labels'>,
  owner: WorkloadObject,
  of: Resource,
  { metadata, ...body }: Made,
): Made {
  const { namespace = '', name = '' } = owner.metadata;
  const made = {
    apiVersion: of.apiVersion,
    kind: of.kind,
    metadata: {
      ...metadata,
      namespace,
      labels: { ...metadata.labels, ...(labels !== undefined && labelsFor(labels, name)) },
      ownerReferences: [referenceTo(resource, owner)],
    },
    ...body,
  };
  return made as unknown as Made;
}

/** A pod as its planner wants it; name, number and the kind's labels are put in. */
export type NewPod = Pick<Pod, 'spec'> & { metadata?: Pick<ObjectMeta, 'labels' | 'annotations' | 'finalizers'> };

/** The create of a pod and its event. Name and number follow from the slot, by the row alone (R5). */
export function createPodActions(facts: Facts, owner: WorkloadObject, child: ChildPlace, pod: NewPod, why: string): Action[] {
  const { pods } = facts;
  if (!pods) throw new TypeError(`${facts.resource.kind} has no pods`);
  const name = pods.nameOf(owner, child);
  const metadata = {
    ...pod.metadata,
    name,
    labels: { ...pod.metadata?.labels, ...(pods.slotOf === slotInLabel && { [SLOT_LABEL]: String(child.slot) }) },
    annotations: { ...pod.metadata?.annotations, [CHILD_NUMBER]: String(child.number) },
  };
  const object = objectOf<Pod>(facts, owner, PODS, { ...pod, metadata });
  const created: NewEvent = {
    type: 'Normal',
    reason: reasonOf('Successful', 'Create', 'Pod'),
    message: `Created pod: ${name}`,
    about: name,
  };
  return [{ verb: 'create', resource: PODS, object, child, why }, ownerEvent(facts, owner, created)];
}

/** The delete of a pod and its event. */
export const deletePodActions = (facts: Facts, owner: WorkloadObject, pod: PodFacts, why: string): Action[] => [
  deletePodAction(pod, why),
  ownerEvent(facts, owner, {
    type: 'Normal',
    reason: reasonOf('Successful', 'Delete', 'Pod'),
    message: `Deleted pod: ${pod.name}`,
    about: pod.name,
  }),
];

export const childrenIn = ({ children }: Pick<Snapshot<WorkloadObject>, 'children'>, resource: Resource): readonly ChildState[] =>
  children?.get(resourceKeyOf(resource)) ?? [];

/** A child as its planner wants it, with the fields of its resource. */
export type NewObject = { metadata: ObjectMeta & { name: string } } & { [field: string]: unknown };

/**
 * Makes the children of one resource what these objects say. One that is missing is made; one of which the compared part differs, or that has
 * lost a label by which it is found (trap 1), is put right; the others go. One that is being deleted, or whose name somebody else has, is left
 * alone: its place waits (trap 6). Nothing where the cluster has no such children (trap 8).
 */
export function childActions<Owner extends WorkloadObject>(
  facts: Facts,
  given: Snapshot<Owner>,
  resource: Resource,
  wanted: readonly NewObject[],
): Action[] {
  const { owner, children, held } = given;
  const row = facts.children.find((child) => resourceKeyOf(child.resource) === resourceKeyOf(resource));
  if (!row || !children?.has(resourceKeyOf(resource))) return [];
  const known = new Map(childrenIn(given, resource).map((child) => [child.name, child]));
  const actions = wanted.flatMap((body): Action[] => {
    const { name } = body.metadata;
    const child = known.get(name);
    known.delete(name);
    if (child?.terminating || (!child && held?.has(nameKeyOf(resource, name)))) return [];
    const object = objectOf<NewObject>(facts, owner, resource, body);
    if (!child) return [{ verb: 'create', resource, object, why: 'it is missing' }];
    const { labels = {} } = object.metadata;
    const isLabelled = Object.entries(labels).every(([label, value]) => child.labels?.[label] === value);
    if (isLabelled && canonicalText(childPartOf(row, object)) === canonicalText(child.part)) return [];
    const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...fields } = object;
    return [correctAction({ resource, child }, { type: 'merge', patch: { ...fields, metadata: { labels } } }, 'it differs')];
  });
  return [...actions, ...deleteChildActions(resource, [...known.values()], 'nothing needs it any more')];
}

/** Those that are going already are left alone. */
export const deleteChildActions = (resource: Resource, children: readonly ChildState[], why: string): Action[] =>
  children.filter(({ terminating }) => !terminating).map((child) => deleteChildAction(resource, child, why));

/** The status, if it differs from the owner's. @param isFinal see `Action` */
export function statusActions({ status: before = {} }: WorkloadObject, status: object, why: string, isFinal = false): Action[] {
  const plain: object = JSON.parse(JSON.stringify(status));
  if (canonicalText(plain) === canonicalText(before)) return [];
  return [{ verb: 'status', status: plain, ...(isFinal && { isFinal }), why }];
}

/** Names of children that objects of somebody else have. */
export const isHeld = ({ held }: Pick<Snapshot<WorkloadObject>, 'held'>, resource: Resource, name: string): boolean =>
  held?.has(nameKeyOf(resource, name)) ?? false;
