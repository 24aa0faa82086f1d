// The words of a kind's facts: all that relay, ingest, loop and onboarding may ask about its owner and its children. No code outside lib/kinds
// names a kind, or reads its spec or status; it asks the kind's row. The planner, which decides, has a table of its own (planners.ts).
import type { Fault } from '../objects/fact-checks.ts';
import type { WantedFields } from '../objects/field-mask.ts';
import type { Json, KubernetesObject, ObjectMeta, WorkloadObject } from '../objects/kubernetes.ts';
import type { LabelMatcher } from '../objects/label-selector.ts';
import type { Manages } from '../objects/manages.ts';
import type { PodFacts } from '../objects/pod-facts.ts';
import type { Counted } from '../objects/reference-metrics.ts';
import type { Resource } from '../objects/resources.ts';
import type { WorkloadKey } from '../objects/workload.ts';

/** Selects the objects of a list or a watch, in one namespace or in all. */
export type ListSelection = { labelSelector: string } | { fieldSelector: string };

/**
 * How soon a pass follows a change (R9). `now`. `soon`: within a second of the latest pass. `debounced`: with the next more urgent change, or
 * some seconds after the latest pass.
 */
export type Urgency = 'now' | 'soon' | 'debounced';

/** The workload that an object belongs to. The object's metadata alone decides, so that an audit, which lists only metadata, agrees. */
export interface Membership {
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  /**
   * `controller`: the object's controller reference names the workload. `labels`: an orphan with the workload's labels. `finalizer`: it names
   * no workload, but only this kind would ever remove its finalizer.
   */
  by: 'controller' | 'labels' | 'finalizer';
}

/** A word of `--manage`. */
export interface Setting {
  word: string;
  /** What it takes, for people: `all Jobs`. */
  takes: string;
}

export interface KindFacts<Owner extends WorkloadObject = WorkloadObject> {
  /** As in keys, messages and log lines. A build treats a kind that it does not know as a later version's (decision 8). */
  kind: string;
  /** The owner's own resource. */
  resource: Resource;
  /** Words that people may use for it beside kind and plural, in lower case, such as `pytj`. */
  shortNames?: readonly string[];
  /** What relay and passes read of the owner. */
  fields: WantedFields;
  /** There is no owner to read: the workload is a child that lost its owner, or never had one. */
  isOwnerless?: true;
  /** Source component of the workload's Events. Upstream's, so that people find the events where they look for them. */
  component: string;
  /** Reasons of Events that repeat while a workload runs. Many of them in one pass are combined, and none is kept for a later pass. */
  repeatedReasons: ReadonlySet<string>;
  /** Reasons of the Events about a child that the API server refuses to create or delete. */
  refusedReasons: { create: string; delete: string };

  /** The owner as the view keeps it: bounded, and the same from a list, a watch and the answer to a write. */
  factsOf(object: Owner): Owner;
  /** The first field that no such owner can have; undefined if the facts are possible. Ingest asks it about facts from outside. */
  faultOf(told: unknown): Fault | undefined;
  /** Whether these facts only mark an owner that is too large to be kept. A pass reads it live before it decides anything. */
  isReadLive(facts: Owner): boolean;

  /** The words of `--manage` by which the kind is managed, each of which takes all that those before it take. None: it is planned only. */
  settings: readonly Setting[];
  /** Whether Farloop manages this owner, given these words. */
  isManaged(owner: Owner, manages: Manages): boolean;
  /**
   * Whether upstream's controller of this kind must be off, given these words. Then what it would do is left to Farloop. Absent: there is no
   * other controller.
   */
  isAlone?(manages: Manages): boolean;
  /** The manager that the owner names; undefined if it names none. */
  managerOf(owner: Owner): string | undefined;
  hasStarted(owner: Owner): boolean;
  isFinished(owner: Owner): boolean;
  /** How many children it may have at a time, for the layout of its view. 0: unknown. */
  expectedChildren(owner: Owner): number;
  /** How soon a pass follows a change of the owner that is not its deletion. */
  urgencyOfOwner(owner: Owner): Urgency;
  pods: PodsOfKind<Owner>;
  /** Its children beside pods. */
  children: readonly ChildFacts<Owner>[];
  /** Rights of passes beside those that follow from owner, pods and children. */
  furtherRights?: readonly FurtherRight[];
  /** Whether owners that another controller manages are counted, by controller: upstream's metric. */
  countsExternal?: true;
}

/** What of a cluster's record a row may ask beside the words of `--manage`. */
export interface KindSettings {
  workloadWithJob?: boolean;
}

/** What passes do with a resource that is neither owner nor child. */
export interface FurtherRight {
  resource: Resource;
  subresource?: string;
  verbs: readonly ('get' | 'list' | 'create' | 'patch' | 'delete')[];
  /** Whether it is given where the cluster is registered so; absent: wherever the kind is managed. */
  isUsed?(settings: KindSettings): boolean;
  /**
   * Held only because a role that passes make grants it: RBAC lets nobody grant what they may not do. No command of a relay needs it.
   */
  isForGranting?: true;
}

/** Children of one resource other than pods. A view keeps a small part of each, or a digest: what their planner compares. */
export interface ChildFacts<Owner extends WorkloadObject = WorkloadObject> {
  resource: Resource;
  fields: WantedFields;
  /** Selects them in the relay's list and watch; absent: all of the namespace. */
  watch?: ListSelection;
  /** The workload of this kind that such an object belongs to; undefined where it belongs to none of this kind. */
  membershipOf(metadata: ObjectMeta): Membership | undefined;
  /** Selects them in a live list. */
  selection(key: WorkloadKey, owner: Owner | undefined): ListSelection;
  /** What its planner compares: at most 512 bytes of JSON, else a digest of it. Never the data of a config map or a secret. */
  partOf(object: KubernetesObject): Json;
  /** Of `partOf`: raise it with every change there. Builds side by side make parts of two revisions, which are never compared. */
  revision: number;
}

/** The pods of a kind's workloads: how they are found and named, and how soon a change of one is looked at. */
export interface PodsOfKind<Owner extends WorkloadObject> {
  /** Whether they carry the finalizer by which ended pods are counted: a cluster that is removed has it taken off them. */
  haveTrackingFinalizer?: true;
  /** The workload of this kind that a pod belongs to; undefined where it belongs to none of this kind. */
  membershipOf(metadata: ObjectMeta): Membership | undefined;
  /** Selects them in a live list: by the owner's own selector where it is known. */
  selection(key: WorkloadKey, owner: Owner | undefined): ListSelection;
  /** Selects pods that `selection` misses because a person changed the label that it asks for. Undefined if no label can find them. */
  strayedSelection?(key: WorkloadKey, owner: Owner | undefined): { labelSelector: string } | undefined;
  /** Whether a pod that the selection found belongs to this workload, or may be adopted by it. */
  concerns(key: WorkloadKey, pod: PodFacts): boolean;
  /**
   * Whether a pod of the view belongs into the workload's digest. A released pod stays in the view until the next whole list, but the relay
   * has left it out of its digest already.
   */
  isCountedIn(owner: Owner): (pod: PodFacts) => boolean;
  /** Matches orphans that it takes by a selector of its own. Undefined if labels alone decide. */
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

/** Erases the owner's type, once. Callers must pass a row only owners of its kind. */
export const defineFacts = <Owner extends WorkloadObject>(facts: KindFacts<Owner>): KindFacts => facts;
