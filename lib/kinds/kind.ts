// What a kind is to relay, ingest, loop and onboarding: facts about its owner and about its children. Nobody outside lib/kinds names a kind
// or reads its spec or status; they ask its row. How a kind decides is its planner's row (planners.ts).
import type { Fault } from '../objects/fact-checks.ts';
import type { WantedFields } from '../objects/field-mask.ts';
import type { ObjectMeta, WorkloadObject } from '../objects/kubernetes.ts';
import type { LabelMatcher } from '../objects/label-selector.ts';
import type { PodFacts } from '../objects/pod-facts.ts';
import type { Counted } from '../objects/reference-metrics.ts';
import type { Resource } from '../objects/resources.ts';
import type { WorkloadKey } from '../objects/workload.ts';

/** Which objects a list or a watch takes; of a namespace, or of all of them. */
export type ListSelection = { labelSelector: string } | { fieldSelector: string };

/** How soon a pass follows a change (R9): `now`; `soon`: once more of it may have come; `debounced`: with the next change of more account. */
export type Urgency = 'now' | 'soon' | 'debounced';

/** The workload that an object belongs to, by the object's metadata alone, so that a metadata-only list can be asked the same. */
export interface Membership {
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  /**
   * `controller`: the object names the workload so. `labels`: an orphan that carries the workload's labels. `finalizer`: it names nobody,
   * but only this kind would ever take its finalizer off.
   */
  by: 'controller' | 'labels' | 'finalizer';
}

export interface KindFacts<Owner extends WorkloadObject = WorkloadObject> {
  /** As in keys, messages and log lines. A kind that a build does not know is a later version's to it (decision 8). */
  kind: string;
  /** The owner's own resource. */
  resource: Resource;
  /** What relay and passes read of the owner. */
  fields: WantedFields;
  /** No object of such a key is ever read: the workload is what is left of children without an owner. */
  isOwnerless?: true;
  /** Source component of the workload's Events: upstream's. */
  component: string;
  /** Reasons of Events that repeat while a workload runs: of these the latest is not kept for a later pass, and many are told as one. */
  repeatedReasons: ReadonlySet<string>;
  /** Reasons of the Events about a child that the API server refuses to create or delete. */
  refusedReasons: { create: string; delete: string };

  /** What the view keeps of the owner: bounded, and the same from a list, a watch and the answer to a write. */
  factsOf(object: Owner): Owner;
  /** The first of its fields that could not be such an owner's; undefined where all could. Asked of facts that came from outside. */
  faultOf(told: unknown): Fault | undefined;
  /** Whether these facts stand for an owner that is too large to be kept: it is read live before anything is decided about it. */
  isReadLive(facts: Owner): boolean;

  /** Whether it is ours to reconcile. `own`: it must name Farloop as its manager; `all`: the built-in controller's too. */
  isManaged(owner: Owner, manage: 'own' | 'all'): boolean;
  /** Who manages it, where it says so. */
  managerOf(owner: Owner): string | undefined;
  hasStarted(owner: Owner): boolean;
  isFinished(owner: Owner): boolean;
  /** How many children it may come to, for the layout of its view. 0: not known. */
  expectedChildren(owner: Owner): number;
  /** How soon a pass follows a change of the owner that is not its deletion. */
  urgencyOfOwner(owner: Owner): Urgency;
  pods: PodsOfKind<Owner>;
  /** What it owns beside pods. */
  children: readonly ChildFacts<Owner>[];
  /** Rights of passes beside those that follow from owner, pods and children. */
  furtherRights?: readonly FurtherRight[];
  /** Whether owners that another controller manages are counted, by controller: upstream's metric. */
  countsExternal?: true;
}

/** What passes do with a resource that is neither owner nor child: asked for where the cluster's record says so. */
export interface FurtherRight {
  resource: Resource;
  verbs: readonly ('get' | 'list' | 'create' | 'patch' | 'delete')[];
}

/** Children of one resource other than pods: what their planner compares of each is a part, small or a digest. */
export interface ChildFacts<Owner extends WorkloadObject = WorkloadObject> {
  resource: Resource;
  fields: WantedFields;
  /** Selects them in the relay's list and watch; absent: all of the namespace. */
  watch?: ListSelection;
  /** The workload of this kind that such an object belongs to; undefined where it belongs to none of this kind. */
  membershipOf(metadata: ObjectMeta): Membership | undefined;
  /** Selects them in a live list. */
  selection(key: WorkloadKey, owner: Owner | undefined): ListSelection;
}

/** The pods of a kind's workloads: how they are found and named, and how soon a change of one is looked at. */
export interface PodsOfKind<Owner extends WorkloadObject> {
  /** The workload of this kind that a pod belongs to; undefined where it belongs to none of this kind. */
  membershipOf(metadata: ObjectMeta): Membership | undefined;
  /** Selects them in a live list: by the owner's own selector where it is known. */
  selection(key: WorkloadKey, owner: Owner | undefined): ListSelection;
  /** Selects those that the first selection misses, somebody having changed the label that it asks for; undefined where nothing can. */
  strayedSelection?(key: WorkloadKey, owner: Owner | undefined): { labelSelector: string } | undefined;
  /** Whether a pod that the selection found is this workload's business: controlled by it, or by nobody. */
  concerns(key: WorkloadKey, pod: PodFacts): boolean;
  /**
   * Whether it counts as this workload's in a digest: a pod that was released stays in the view until the next whole list, and the relay
   * does not count it as this workload's any more.
   */
  isCountedIn(owner: Owner): (pod: PodFacts) => boolean;
  /** Which pods without a controller it chooses by a selector of its own; undefined where its labels alone tell. */
  ownSelector?(owner: Owner): LabelMatcher | undefined;
  /** The name that a slot and a number stand for (R5). */
  nameOf(owner: Owner, child: { slot: number; number: number }): string;
  urgencyOf(pod: PodFacts): Urgency;
  /** Those whose coming into the view and going from it a metric counts. */
  counted?: CountedPods;
}

export interface CountedPods {
  has(pod: PodFacts): boolean;
  countsOf(change: { came: number; went: number }): Counted[];
}

/** Types are erased here, once: whoever asks a row gives it owners of its kind. */
export const defineFacts = <Owner extends WorkloadObject>(facts: KindFacts<Owner>): KindFacts => facts;
