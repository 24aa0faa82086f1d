// The words of a kind's facts: all that relay, ingest, loop and onboarding may ask about its owner and its children. No code outside lib/kinds
// names a kind, or reads its spec or status; it asks the kind's row. The planner, which decides, has a table of its own (planners.ts).
import type { KindActions } from '../acting/kind-actions.ts';
import type { RemoteProvider } from '../../objects/placement/remote-provider.ts';
import type { Fault } from '../../objects/values/fact-checks.ts';
import type { Shape } from '../../objects/values/field-shapes.ts';
import type { WantedFields } from '../../objects/field-mask.ts';
import type { Json, KubernetesObject, ObjectMeta, WorkloadObject } from '../../objects/kubernetes.ts';
import type { LabelMatcher } from '../../objects/label-selector.ts';
import type { KindOptions } from '../../objects/kind-options.ts';
import type { Manages } from '../../objects/manages.ts';
import type { AskedFact, PodFacts } from '../../objects/pods/pod-facts.ts';
import type { Counted } from '../../objects/upstream-metrics.ts';
import type { Resource } from '../../objects/resources.ts';
import type { WorkloadKey } from '../../objects/workload.ts';

/** Selects the objects of a list or a watch, in one namespace or in all. */
export type ListSelection = { labelSelector: string } | { fieldSelector: string };

/**
 * How soon a pass follows a change (R9).
 * - `now`: at once.
 * - `soon`: within a second of the latest pass.
 * - `debounced`: with the next more urgent change, or some seconds after the latest pass.
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
  /** The owners that it includes, for people: `all Jobs`. */
  takes: string;
}

/** Labels of a workload's objects: one whose value is the owner's name, or all that this gives for a name. */
export type Labels = string | ((this: void, name: string) => Readonly<Record<string, string>>);

/** A row of facts. `defineFacts` makes one of what a kind says itself. */
export interface KindFacts<Owner extends WorkloadObject = WorkloadObject> {
  /** As in keys, messages and log lines. A build treats a kind that it does not know as a later version's (decision 8). */
  kind: string;
  /** The owner's own resource. */
  resource: Resource;
  /**
   * Selects its owners in lists and watches, by the settings of a cluster: a watch for each. Absent: all there are. An owner that another kind
   * has as a child is told to both.
   */
  ownersOn?(this: void, settings: KindSettings): readonly ListSelection[];
  /** Worked out of it, for one cluster. */
  ownerSelections?: readonly ListSelection[];
  /** Further names that people may use for it, in lower case, such as `pytj`. */
  shortNames?: readonly string[];
  /** The fields of the owner that relay and passes read. */
  fields: WantedFields;
  /** The workload has no owner to read: it is a child that lost its owner, or never had one. */
  isOwnerless?: true;
  /** Others write the owner's status too, which is no fight: its nodes' controllers, say. */
  hasOtherWriters?: true;
  /** Its workloads run as tasks of a provider. */
  hasTasks?: true;
  /** Source component of the Events of this owner, where it is not the same for all. */
  componentOf?(this: void, owner: Owner): string;
  /** Source component of the workload's Events. Upstream's, so that people find the events where they look for them. */
  component: string;
  /** Reasons of Events that repeat while a workload runs. Many of them in one pass are combined, and none is kept for a later pass. */
  repeatedReasons: ReadonlySet<string>;
  /** Reasons of the Events about a child that the API server refuses to create or delete. */
  refusedReasons: { create: string; delete: string };

  /**
   * The owner as the view keeps it: bounded, and the same from a list, a watch and the answer to a write. It must keep `status` whole and
   * `metadata.generation`: a status of which something is missing is not the one that a pass wrote, so that each pass after it counts live
   * (R18), which costs lists of the API server and which nothing else shows.
   */
  factsOf(object: Owner): Owner;
  /** Of spec and status: `faultOf` and a definition follow from it; absent: the kind has its own. */
  shape?: { spec: Shape; status: Shape };
  /** The first field that no such owner can have; undefined if the facts are possible. Ingest asks it about facts from outside. */
  faultOf(told: unknown): Fault | undefined;
  /** Whether these facts only mark an owner that is too large for the view. A pass reads such an owner live before it decides. */
  isReadLive(facts: Owner): boolean;

  options?: readonly KindOption[];
  /** The words of `--manage` for this kind. Each includes the ones before it. Empty: `plan` is all that works for the kind. */
  settings: readonly Setting[];
  /** Whether Farloop manages this owner, given these words. */
  isManaged(owner: Owner, manages: Manages): boolean;
  /**
   * Whether upstream's controller of this kind must be off, given these words. Farloop then has its duties. Absent: no other controller.
   */
  isAlone?(manages: Manages): boolean;
  /** The manager that the owner names; undefined if it names none. */
  managerOf(owner: Owner): string | undefined;
  hasStarted(owner: Owner): boolean;
  /**
   * Since when its present run goes on, in Unix seconds; undefined: it has not begun. Of pods that fell since, passes remember the first. Absent:
   * of a kind whose pods are each on their own.
   */
  runsSince?(owner: Owner): number | undefined;
  isFinished(owner: Owner): boolean;
  /** Most children at a time, for the layout of its view. 0: unknown. */
  expectedChildren(owner: Owner): number;
  /** How soon a pass follows a change of the owner that is not its deletion. */
  urgencyOfOwner(owner: Owner): Urgency;
  /** On every object that its workloads make; absent: its planner makes none by the builders of actions.ts. */
  labels?: Labels;
  /** Absent: its workloads have no pods. Their owners are reported, floored and swept by the owners' own list. */
  pods?: PodsOfKind<Owner>;
  /** Its children other than pods. */
  children: readonly ChildFacts<Owner>[];
  /** Of a kind whose owners are Nodes behind which no agent stands: their leases are kept (node-look.ts). */
  nodes?: {
    namesIn(this: void, settings: KindSettings): readonly string[];
    /** Nobody else serves it. */
    isOurs(this: void, node: KubernetesObject): boolean;
    /** A merge patch by which a Node that somebody else made becomes ours. Undefined: it is to be left alone. */
    adoptionOf(this: void, settings: KindSettings, name: string): object | undefined;
    /** Where its provider answers. Undefined: in the process that asks, or there is no such node. */
    remoteOf(this: void, settings: KindSettings, name: string): RemoteProvider | undefined;
    /** As it is made. Undefined: the settings name no such node. */
    objectOf(this: void, settings: KindSettings, name: string): KubernetesObject | undefined;
  };
  /** How people act on its workloads; absent: they do not. */
  actions?: KindActions;
  /** Rights of passes in addition to those for owner, pods and children. */
  furtherRights?: readonly FurtherRight[];
  /**
   * Owners that came and that another controller manages, under upstream's name; absent: they are not counted. Heartbeats do not say of
   * which kind they are, so one kind at most counts them.
   */
  externalCountOf?(this: void, came: { controllerName: string; count: number }): Counted;
}

/** A kind whose workloads have pods. */
export type KindWithPods = KindFacts & Required<Pick<KindFacts, 'pods'>>;

/** The part of a kind that planning from documents needs. */
export type PlannedFacts = Pick<KindFacts, 'kind' | 'resource' | 'shortNames' | 'isOwnerless' | 'settings' | 'options'> & {
  /** Absent: its owners have no pods. */
  pods?: Pick<PodsOfKind<WorkloadObject>, 'asks'>;
  /** Absent: no children but pods. */
  children?: KindFacts['children'];
};

/** Fields of a cluster's record that a row may read, in addition to the words of `--manage`. */
export interface KindSettings {
  options?: KindOptions | undefined;
}

/** An option that a cluster is registered with: a flag of `up`, `cluster add`, `relay`, `plan` and `sandbox`. */
export interface KindOption {
  /** The flag without dashes. */
  name: string;
  /** For `--help`. */
  describes: string;
  /** Absent: a switch. */
  value?: {
    placeholder: string;
    isOneOf?: readonly string[];
    /** Why a text is no value, for people; undefined if it is one. */
    problemOf?(this: void, text: string): string | undefined;
  };
  /** May be given several times. The values are kept with a space between. */
  repeats?: true;
  /** Resources that the API server must serve where the option has this value. */
  needs?(this: void, value: string): readonly Resource[];
  /** The alpha feature of the API server that it needs, by the server's name. */
  feature?: string;
  /** A flag of what runs passes alone: `farloop up` and `farloop cluster add`. */
  isForPasses?: true;
  /** It decides which children there are, so a relay is started with it too. */
  isForRelay?: true;
}

/** The rights of passes to a resource that is neither owner nor child. */
export interface FurtherRight {
  resource: Resource;
  subresource?: string;
  verbs: readonly ('get' | 'list' | 'watch' | 'create' | 'patch' | 'delete')[];
  /** The only namespace in which it is needed; absent: those of the cluster's registration. */
  namespace?: string;
  /** The only objects that it is needed for, on a cluster with these settings. RBAC cannot name what is created. */
  namesOn?(this: void, settings: KindSettings): readonly string[];
  /** Whether a cluster with these settings needs the right; absent: each cluster that manages the kind does. */
  isUsed?(this: void, settings: KindSettings): boolean;
  /** Held only to grant it: a role that passes make contains it, and RBAC lets a subject grant only its own rights. No command needs it. */
  isForGranting?: true;
}

/** Children of one resource other than pods. A view keeps a small part of each, or a digest: what their planner compares. */
export interface ChildFacts<Owner extends WorkloadObject = WorkloadObject> {
  resource: Resource;
  fields: WantedFields;
  /** Selects them in the relay's list and watch; absent: all of the namespace. */
  watch?: ListSelection;
  /** Whether a cluster with these settings has such children; absent: each cluster that manages the kind. If not, nothing asks for them. */
  isUsed?(this: void, settings: KindSettings): boolean;
  /** The workload of this kind that the object belongs to; undefined if it belongs to none. */
  membershipOf(metadata: ObjectMeta): Membership | undefined;
  /** Whether a workload adopts this object, which nobody controls. Absent: it adopts none. */
  mayAdopt?(this: void, key: Pick<WorkloadKey, 'namespace' | 'name'>, metadata: ObjectMeta): boolean;
  /** Selects them in a live list. */
  selection(key: WorkloadKey, owner: Owner | undefined): ListSelection;
  /** Its planner emits an event for each name that others have, once. Absent: the loop does. */
  plannerTellsOfTakenNames?: true;
  /** Reasons of the Events about a child that the API server refuses to create or delete; absent: the kind's own. */
  refusedReasons?: { create: string; delete: string };
  /** The part that its planner compares: at most 512 bytes of JSON, else a digest of it. Never the data of a config map or a secret. */
  partOf(object: KubernetesObject): Json;
  /** Revision of `partOf`: raise it with every change there. Builds side by side make parts of two revisions, which are never compared. */
  revision: number;
}

/** The pods of a kind's workloads: how to find and name them, and how soon a pass follows a change of one. */
export interface PodsOfKind<Owner extends WorkloadObject> {
  /** Facts of its pods that its planner reads beside the usual ones. They are absent from the messages and views of all other kinds. */
  asks?: readonly AskedFact[];
  /** Whether they carry the finalizer for counting ended pods. The removal of a cluster takes it off them. */
  haveTrackingFinalizer?: true;
  /** The workload of this kind that the pod belongs to; undefined if it belongs to none. */
  membershipOf(metadata: ObjectMeta): Membership | undefined;
  /** Selects them in a live list: by the owner's own selector if it is known. */
  selection(key: WorkloadKey, owner: Owner | undefined): ListSelection;
  /** Selects pods that `selection` misses because a person changed the selected label. Undefined if no label can find them. */
  strayedSelection?(key: WorkloadKey, owner: Owner | undefined): { labelSelector: string } | undefined;
  /** Whether a pod that the selection found belongs to this workload, or may be adopted by it. */
  concerns(key: WorkloadKey, pod: PodFacts): boolean;
  /**
   * Whether a pod of the view counts in the workload's digest. A released pod stays in the view until the next whole list, but the relay's
   * digest no longer includes it.
   */
  isCountedIn(owner: Owner): (pod: PodFacts) => boolean;
  /** Matches orphans that the owner adopts by a selector of its own. Undefined if labels alone decide. */
  ownSelector?(owner: Owner): LabelMatcher | undefined;
  /**
   * Names do not contain the number and are used again once the earlier pod is gone. The number is on the pod then, as an annotation, and a
   * pod of another number is not the one to be created (R5).
   */
  namesAreReused?: true;
  /** The planner emits an event for each name that others have, once. Absent: the loop does. */
  plannerTellsOfTakenNames?: true;
  /**
   * A success counts though its pod is gone before a pass has looked: the planner gets such pods as `Snapshot.ended`. Absent where a finalizer
   * keeps pods until they are counted.
   */
  successOutlivesPod?: true;
  /** A pod that is refused says nothing about those of other slots: they are tried nevertheless. */
  refusedAlone?: true;
  /** The pod's slot among its siblings. Absent: its completion index, else its number. */
  slotOf?(this: void, pod: PodFacts): number | undefined;
  /** The name that people use for the pod among its siblings, as `worker-1`. Absent: they tell them apart by index alone. */
  replicaOf?(this: void, pod: Pick<PodFacts, 'labels'>): string | undefined;
  /** The name for a slot and a number (R5). */
  nameOf(owner: Owner, child: { slot: number; number: number }): string;
  urgencyOf(pod: PodFacts): Urgency;
  /** Pods whose arrival in the view and removal from it a metric counts. */
  counted?: readonly CountedPods[];
}

export interface CountedPods {
  has(pod: PodFacts): boolean;
  countsOf(change: { came: number; went: number }): Counted[];
}
