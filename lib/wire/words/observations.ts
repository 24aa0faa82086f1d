// Words between relay, ingest, passes and the view: observations, each with the resourceVersion at which it was observed (R2). Fields named
// `heardAt` hold that version; they keep their name because it is written in messages and items.
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import type { ChildState } from '../../objects/child-state.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';

/** A workload within a cluster: the message names the cluster once. */
export interface OwnerName {
  kind: string;
  /** Empty for an owner whose resource is cluster-scoped. */
  namespace: string;
  name: string;
  uid: string;
}

/** A child of any resource. Pods have facts beside the common fields, other children a part. */
export type AnyChild = PodFacts | ChildState;

/**
 * `left`: a watch does not select it any more, as when somebody takes its label off. It may exist all the same: only a read by name shows.
 * `deleted`: it is gone.
 */
export type ChildPresence = 'there' | 'left' | 'deleted';

/** One observed state of a child. */
export interface Observation<Child extends AnyChild = AnyChild> {
  /** An event's own resourceVersion, or that of the list it was in. */
  heardAt: string;
  presence: ChildPresence;
  /** The last known state if it is not there. */
  child: Child;
}

export type PodObservation = Observation<PodFacts>;
/** Of a child that is no pod. */
export type ChildObservation = Observation<ChildState>;

export interface OwnerObservation {
  heardAt: string;
  deleted: boolean;
  /** Projected to the owner's facts; the last known state if it was deleted. */
  object: WorkloadObject;
}

/** A whole list (R19): at `floor`, nothing existed within these slots but the objects that the report names. */
export interface WholeList {
  /** The lowest resourceVersion of its pages. Versions are ordered per resource: it says nothing of another resource (R3). */
  floor: string;
  /** `all`, or the slots from (included) to (excluded); see slotOf in view-layout.ts. */
  slots: 'all' | { from: number; to: number };
  /** An object can leave the list without being deleted: by a label. */
  isSelected?: true;
}

/** Observations of a workload's children of one resource. */
export interface ResourceReport<Child extends AnyChild = AnyChild> {
  /** `plural.group`; the plural alone in the core group. */
  resource: string;
  children: readonly Observation<Child>[];
  whole?: WholeList | undefined;
}

/** Observations of one workload. */
export interface WorkloadReport {
  owner: OwnerName;
  observed?: OwnerObservation;
  /** At most one of each resource. */
  children: ResourceReport[];
}

export interface WatchState {
  resource: string;
  /** Since the last event, bookmark or list. */
  ageMs: number;
  resourceVersion: string;
  /** The API server does not let the relay list or watch it. */
  refused?: true;
}

/** How the API server fails to answer its relay. */
export interface ApiServerSilence {
  /** `refused`: it answers, and does not take the relay's credentials. */
  state: 'silent' | 'refused';
  /** Since its last answer. */
  forMs: number;
  reason: string;
}

/** Of the parts of a workload's children of one resource, as one revision of the row makes them. */
export interface PartsDigest {
  resource: string;
  revision: number;
  digest: string;
}

export interface WorkloadDigest {
  owner: OwnerName;
  /** Of the owner's and all its pods' uid and own resourceVersion, in any order; see digest.ts. */
  digest: string;
  /** The newest resourceVersion of pods that the relay had observed when it made the digest. */
  heardAt: string;
  /** Of a kind that has children other than pods: one for each resource, compared with a view of the same revision only. */
  parts?: PartsDigest[];
}

/** Owners of another manager that were created since the session began. */
export interface ExternalOwners {
  /** `spec.managedBy`, or `other`. */
  controllerName: string;
  count: number;
}

export interface FullList {
  /** Of the pods; `0` where no kind has pods. */
  resourceVersion: string;
  startedAtMs: number;
  /** Of the owners of kinds without pods, by kind; absent if there is no such kind. Versions of two resources are never compared. */
  owners?: Readonly<Record<string, string>>;
}

/** Where API servers reach the virtual nodes of this cluster: one address, a port for each. */
export interface NodeApiPlace {
  /** An IP address. */
  address: string;
  ports: Readonly<Record<string, number>>;
}

export interface Heartbeat {
  watches: WatchState[];
  /** Server `Date` minus the relay's clock, milliseconds; bounded by the reader (R12). */
  clockOffsetMs: number;
  digests: WorkloadDigest[];
  /** Set once all of a full list has been sent. Known workloads that the list did not name are looked up live. */
  fullList?: FullList;
  /** Two live lists in a row were older than what the relay had observed: the API server was restored from an older state (R3). */
  restored?: { from: string; to: string };
  /** Totals since the session began, so that a heartbeat that comes twice, late or never changes no count. */
  externalJobs?: ExternalOwners[];
  /** Absent while the API server answers the relay. */
  apiServer?: ApiServerSilence;
  /** Absent: this relay answers for no virtual node. */
  nodeApi?: NodeApiPlace;
}

/** One message on the events queue. */
export interface EventMessage {
  cluster: string;
  /** Random id of the relay's run; a new one follows each start. */
  session: string;
  /** Era that the session began in (R3). */
  era: number;
  /** uid of the namespace kube-system as the relay sees it. */
  kubeSystemUid: string;
  sequence: number;
  sentAtMs: number;
  reports: WorkloadReport[];
  heartbeat?: Heartbeat;
}

/** A message to be written. */
export interface OutgoingEvents extends Omit<EventMessage, 'reports'> {
  reports: readonly OutgoingReport[];
}

export interface OutgoingReport extends Omit<WorkloadReport, 'children'> {
  children: readonly OutgoingChildren[];
}

/** Children may come one by one, so that there is never an object for each of thousands. */
export interface OutgoingChildren extends Omit<ResourceReport, 'children'> {
  children: Iterable<Observation>;
}

/** A queued request to look at a key. It carries no facts. `follows`: the fence that the sender read. */
export interface WakeMessage extends SentForNews {
  key: string;
  follows: string;
}

/** For measuring alone: nothing is decided by it. */
interface SentForNews {
  /** When the oldest message with these observations was enqueued. Absent if there was none, and from builds before it. */
  toldAtMs?: number | undefined;
}

/** Asks `reconcile` to contact a cluster with direct access, whether or not there is work on it. */
export interface ClusterLookMessage {
  look: 'cluster';
  cluster: string;
}

/** Asks `reconcile` how the providers of these virtual nodes are. */
export interface NodeLookMessage {
  look: 'nodes';
  cluster: string;
  /** At most 10. */
  nodes: readonly string[];
  /** API servers reach them elsewhere than before: their Nodes are to name the new place. */
  isMoved?: true | undefined;
}

/** A moment at which a run is gone on with. Two messages with the same one say the same. */
export interface RunMoment {
  /** Version of the run's record as it was then. */
  follows: number;
  dueAtMs: number;
  /** How often a function came to this moment before its clock did. */
  turn: number;
}

/** Asks `reconcile` to go on with a run of pods; on the timers queue, later. */
export interface RunLookMessage {
  look: 'run';
  run: string;
  /** Absent: at once. */
  moment?: RunMoment | undefined;
}

/** A message of the wakes queue. */
export type WakingMessage = WakeMessage | ClusterLookMessage | NodeLookMessage | RunLookMessage;

export interface TimerMessage extends SentForNews {
  key: string;
  dueAtMs: number;
  attempt: number;
  follows: string;
}

/** A digest mismatch: the view is compared again a moment later. */
export interface DigestMismatchMessage {
  /** Key of the workload. */
  doubt: string;
  /** The relay's digest. */
  told: string;
  /** The view's digest at that time. If it has changed since, the view may be right by now. */
  seen: string;
}

/** Asks `timers` to look for stuck heads between two sweeps. */
export interface StaleLookMessage {
  look: 'stale';
  dueAtMs: number;
}

/** A message of the timers queue. */
export type DelayedMessage = TimerMessage | DigestMismatchMessage | StaleLookMessage | RunLookMessage;

/**
 * To a relay: report everything again, or one workload. `after`: the message that showed that something is missing. The relay need not list
 * again what it has listed since that message. `leases`: keep those of these nodes, for so long.
 */
export type RelayAsk =
  | { ask: 'everything'; era: number; after?: { session: string; sequence: number } | undefined }
  | { ask: 'workload'; owner: OwnerName }
  | { ask: 'leases'; nodes: readonly string[]; seconds: number };

/** The view's memory of a child. Not 'there': a tombstone, or a child that is looked for by name. */
export interface Entry<Child extends AnyChild = AnyChild> extends Observation<Child> {
  /** Observed as the answer to a pass's own call (R7), so that its event changes nothing. */
  byPass: boolean;
}

export type PodEntry = Entry<PodFacts>;
export type ChildEntry = Entry<ChildState>;

export interface OwnerEntry {
  heardAt: string;
  byPass: boolean;
  deleted: boolean;
  object: WorkloadObject;
}

/** One view item, unpacked: children of one resource. */
export interface ViewPart<Child extends AnyChild = PodFacts> {
  era: number;
  resource: string;
  /** Nothing else observed at or below it changes the part (R2). Of this resource alone (R3). */
  floor: string;
  /** Only in the part that lies in the head. */
  owner?: OwnerEntry;
  /** By uid. */
  children: Map<string, Entry<Child>>;
}

export type ChildrenPart = ViewPart<ChildState>;
