// Makes a row of facts of what a kind says itself. Where it says nothing, these defaults hold; each is the safe one.
import { checkOf, type Shape as FieldShape } from '../../objects/values/field-shapes.ts';
import type { WantedFields } from '../../objects/field-mask.ts';
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import { isActive, isReady, type PodFacts } from '../../objects/pods/pod-facts.ts';
import type { Resource } from '../../objects/resources.ts';
import { fieldsOf } from '../../objects/values/untyped-fields.ts';
import { USUAL_ACTIONS } from '../acting/usual-actions.ts';
import { childrenBy, podsBy } from './belonging.ts';
import type { ChildFacts, KindFacts, KindWithPods, Labels, PodsOfKind, Urgency } from './kind.ts';
import { ifSmall, isReadLive, keptOwner, ownerCheck, ownerFieldsWithout, present, specWithout, type SpecPath } from './owner-facts.ts';

type Belonging = 'membershipOf' | 'selection' | 'concerns' | 'isCountedIn';

interface OfPods<Owner extends WorkloadObject> extends Partial<Omit<PodsOfKind<Owner>, Belonging | 'namesAreReused'>> {
  /**
   * `nameOf` puts the number into the name, so that no name comes again. Absent: a name is free again once its pod is gone, and the number is
   * an annotation of the pod.
   */
  namesHoldNumbers?: true;
  /** A pod with the labels that nobody controls is the workload's too, and its planner adopts it. */
  adopts?: true;
}

/** Absent parts of the belonging follow from the kind's labels. */
export type NewPods<Owner extends WorkloadObject> = OfPods<Owner> & Partial<Pick<PodsOfKind<Owner>, Belonging>>;

/** Absent parts of the belonging follow from the kind's labels, `fields` are those beside metadata; absent: `spec`. */
export type NewChild<Owner extends WorkloadObject> = Pick<ChildFacts<Owner>, 'resource' | 'partOf'> &
  Partial<Omit<ChildFacts<Owner>, 'fields'>> & { fields?: Exclude<WantedFields, boolean> };

interface Said<Owner extends WorkloadObject> {
  resource: Resource;
  isFinished(owner: Owner): boolean;
  /** Fields of the spec that no view keeps, such as `template` or `replicas.*.template`: only a whole owner (`Snapshot.isWhole`) has them. */
  liveOnly?: readonly SpecPath[];
}

/** The shape of its owners: what a planner may take for granted, and what its definition says. */
type Shape = { spec: FieldShape; status: FieldShape } | Pick<KindFacts, 'faultOf'>;
/** How its objects are known. */
type KnownBy<Owner extends WorkloadObject> =
  | { labels: Labels; pods?: NewPods<Owner>; children?: readonly NewChild<Owner>[] }
  | { labels?: undefined; pods: OfPods<Owner> & Pick<PodsOfKind<Owner>, Belonging>; children?: readonly ChildFacts<Owner>[] }
  | { labels?: undefined; hasNoPods: true; pods?: undefined; children?: readonly ChildFacts<Owner>[] };

export type NewFacts<Owner extends WorkloadObject> = Said<Owner> &
  Shape &
  KnownBy<Owner> &
  Partial<Omit<KindFacts<Owner>, keyof Said<Owner> | 'labels' | 'pods' | 'children' | 'faultOf'>>;

interface Members extends Said<WorkloadObject>, Partial<Omit<KindFacts, keyof Said<WorkloadObject> | 'pods' | 'children'>> {
  spec?: FieldShape;
  status?: FieldShape;
  children?: readonly NewChild<WorkloadObject>[];
  pods?: NewPods<WorkloadObject>;
  hasNoPods?: true;
}

/** Erases the owner's type, once. Callers must pass a row only owners of its kind. */
export function defineFacts<Owner extends WorkloadObject>(said: NewFacts<Owner> & { hasNoPods: true }): KindFacts;
export function defineFacts<Owner extends WorkloadObject>(said: NewFacts<Owner>): KindWithPods;
export function defineFacts<Owner extends WorkloadObject>(said: NewFacts<Owner>): KindFacts {
  const { resource, labels, pods = {}, hasNoPods, children = [], liveOnly = [], spec, status, ...others } = said as unknown as Members;
  const { apiVersion, kind, plural, namespaced } = resource;
  const group = apiVersion.includes('/') ? apiVersion.replace(/\/.*/, '') : '';
  const settings = others.settings ?? [{ word: plural, takes: `all ${plural}.${group}` }];
  const managerOf = others.managerOf ?? managerIn;
  const hasStarted = others.hasStarted ?? ((owner: WorkloadObject) => Object.keys(owner.status ?? {}).length > 0);
  return {
    kind,
    fields: ownerFieldsWithout(liveOnly),
    component: `${kind.toLowerCase()}-controller`,
    repeatedReasons: repeatedReasonsOf(['Pod', ...children.map((child) => child.resource.kind)]),
    refusedReasons: refusedReasonsOf('Pod'),
    factsOf: (owner) => usualFactsOf(owner, { group, liveOnly }),
    ...(spec && status && { shape: { spec, status } }),
    faultOf: spec && status ? ownerCheck({ namespaced, spec: checkOf(spec), status: checkOf(status) }) : NO_FAULT,
    isReadLive,
    ...(others.isOwnerless !== true && others.hasTasks !== true && { actions: USUAL_ACTIONS }),
    isManaged: (owner, manages) => settings.some(({ word }) => manages.includes(word)) && managerOf(owner) === undefined,
    expectedChildren: () => 0,
    urgencyOfOwner: (owner) => (isNew(owner) || !hasStarted(owner) ? 'now' : 'soon'),
    ...others,
    resource,
    settings,
    managerOf,
    hasStarted,
    ...(labels !== undefined && { labels }),
    ...(!hasNoPods && { pods: podsOf(resource, labels, pods) }),
    children: children.map((child) => childOf(resource, labels, child)),
  };
}

const NO_FAULT = (): undefined => undefined;

const managerIn = ({ spec }: WorkloadObject): string | undefined => {
  const { managedBy } = fieldsOf(spec);
  return typeof managedBy === 'string' ? managedBy : undefined;
};

/** A generation above 1 was edited, now or earlier: at worst that costs one look too many. */
const isNew = ({ metadata }: WorkloadObject): boolean => metadata.deletionTimestamp !== undefined || (metadata.generation ?? 1) > 1;

/** The reason of an Event about a create or delete, by the kind of the object. */
export const reasonOf = (end: 'Successful' | 'Failed', verb: 'Create' | 'Delete', kind: string): string => `${end}${verb}${kind}`;
const refusedReasonsOf = (kind: string) => ({ create: reasonOf('Failed', 'Create', kind), delete: reasonOf('Failed', 'Delete', kind) });

const repeatedReasonsOf = (kinds: readonly string[]): ReadonlySet<string> =>
  new Set(
    (['Successful', 'Failed'] as const).flatMap((end) =>
      (['Create', 'Delete'] as const).flatMap((verb) => kinds.map((kind) => reasonOf(end, verb, kind))),
    ),
  );

/** Fields that a mark holds, so that it is known whose it is and how it ended. */
const usualFactsOf = (owner: WorkloadObject, { group, liveOnly }: { group: string; liveOnly: readonly SpecPath[] }): WorkloadObject =>
  keptOwner(owner, {
    keepsAnnotation: (key) => key.startsWith('farloop.dev/') || (group !== '' && key.startsWith(`${group}/`)),
    spec: specWithout(owner.spec, liveOnly),
    markOf: ({ spec, status }) => {
      const { managedBy, suspend } = fieldsOf(spec);
      return { spec: present({ managedBy: ifSmall(managedBy), suspend: ifSmall(suspend) }), ...present({ status: ifSmall(status) }) };
    },
  });

/** The slot of a pod whose kind has no label of its own for it. */
export const SLOT_LABEL = 'farloop.dev/slot';

export function slotInLabel({ labels }: Pick<PodFacts, 'labels'>): number | undefined {
  const text = labels[SLOT_LABEL] ?? '';
  return /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : undefined;
}

/** A start changes only counts. A pod that is ready, has restarted or has ended may change what its workload does. */
const usualUrgencyOf = (pod: PodFacts): Urgency =>
  isActive(pod) && !isReady(pod) && pod.containers.every(({ restarts }) => restarts === 0) ? 'debounced' : 'soon';

function podsOf(resource: Resource, labels: Labels | undefined, pods: NewPods<WorkloadObject>): PodsOfKind<WorkloadObject> {
  const { namesHoldNumbers = false, adopts = false, ...given } = pods;
  return {
    nameOf: ({ metadata }, { slot }) => `${metadata.name}-${slot}`,
    urgencyOf: usualUrgencyOf,
    ...(!namesHoldNumbers && { namesAreReused: true, slotOf: slotInLabel }),
    ...(labels !== undefined && podsBy(resource, labels, adopts)),
    ...given,
  } as PodsOfKind<WorkloadObject>;
}

const METADATA: WantedFields = { '*': true, managedFields: false };

function childOf(owner: Resource, labels: Labels | undefined, child: NewChild<WorkloadObject>): ChildFacts {
  const { fields = { spec: true }, ...given } = child;
  return {
    revision: 1,
    refusedReasons: refusedReasonsOf(given.resource.kind),
    ...(labels !== undefined && childrenBy(owner, labels)),
    ...given,
    fields: { apiVersion: true, kind: true, metadata: METADATA, ...fields },
  } as ChildFacts;
}
