// What is said between relay, ingest, passes and the view: observations, each with the resourceVersion at which it was heard (R2).
import type { Job } from '../objects/kubernetes.ts';
import type { PodFacts } from '../objects/pod-facts.ts';

/** A workload within a cluster: the message names the cluster once. */
export interface OwnerName {
  kind: string;
  /** Empty for an owner whose resource is cluster-scoped. */
  namespace: string;
  name: string;
  uid: string;
}

export interface PodObservation {
  /** An event's own resourceVersion, or that of the list it was in. */
  heardAt: string;
  /** True: it is gone (a watch's DELETED event); `pod` is its last known state. */
  deleted: boolean;
  pod: PodFacts;
}

export interface OwnerObservation {
  heardAt: string;
  deleted: boolean;
  /** Projected by job-facts.ts; last known state when deleted. */
  object: Job;
}

/** A whole list (R19): within these slots nothing but what the report names existed at `floor`. */
export interface WholeList {
  /** The lowest resourceVersion of its pages. */
  floor: string;
  /** `all`, or the slots from (included) to (excluded); see slotOf in view-layout.ts. */
  slots: 'all' | { from: number; to: number };
}

/** News of one workload. */
export interface WorkloadReport {
  owner: OwnerName;
  observed?: OwnerObservation;
  pods: PodObservation[];
  whole?: WholeList;
}

export interface WatchState {
  resource: string;
  /** Since the last event, bookmark or list. */
  ageMs: number;
  resourceVersion: string;
  /** The API server does not let the relay list or watch it. */
  refused?: true;
}

/** What the API server does instead of answering its relay. */
export interface ApiServerSilence {
  /** `refused`: it answers, and does not take the relay's credentials. */
  state: 'silent' | 'refused';
  /** Since its last answer. */
  forMs: number;
  reason: string;
}

export interface WorkloadDigest {
  owner: OwnerName;
  /** Of the owner's and all its pods' uid and own resourceVersion, in any order; see digest.ts. */
  digest: string;
  /** The newest resourceVersion that the relay had heard of pods when it made the digest. */
  heardAt: string;
}

/** Jobs that came since the session began, and are managed by somebody else. */
export interface ExternalJobs {
  /** `spec.managedBy`, or `other`. */
  controllerName: string;
  count: number;
}

export interface Heartbeat {
  watches: WatchState[];
  /** Server `Date` minus the relay's clock, milliseconds; bounded by the reader (R12). */
  clockOffsetMs: number;
  digests: WorkloadDigest[];
  /** Set once all of a full list has been sent: its session and versions; known workloads that it did not name are looked up live. */
  fullList?: { resourceVersion: string; startedAtMs: number };
  /** Two live lists, one after the other, were older than what the relay had heard: the API server was set back (R3). */
  restored?: { from: string; to: string };
  /** All of the session's so far, so that what is told twice, late or never is counted once. */
  externalJobs?: ExternalJobs[];
  /** Absent while the API server answers the relay. */
  apiServer?: ApiServerSilence;
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

/** A message to be written: pods of a report may come one by one, so that there is never an object for each of thousands. */
export interface OutgoingEvents extends Omit<EventMessage, 'reports'> {
  reports: readonly OutgoingReport[];
}

export interface OutgoingReport extends Omit<WorkloadReport, 'pods'> {
  pods: Iterable<PodObservation>;
}

/** A queued request to look at a key; carries no facts. `follows`: the fence it was sent after. */
export interface WakeMessage extends SentForNews {
  key: string;
  follows: string;
}

/** What is measured, and nothing is decided by. */
interface SentForNews {
  /** When the queue took the oldest message that told the news; missing where there was none, and from builds that do not tell it. */
  toldAtMs?: number | undefined;
}

/** A cluster that is dialled is to be looked at, whether or not there is work on it. */
export interface ClusterLookMessage {
  look: 'cluster';
  cluster: string;
}

/** What comes through the wakes queue. */
export type WakingMessage = WakeMessage | ClusterLookMessage;

export interface TimerMessage extends SentForNews {
  key: string;
  dueAtMs: number;
  attempt: number;
  follows: string;
}

/** A view differed from what a relay told of it: looked at again a moment later. */
export interface DoubtMessage {
  /** Key of the workload. */
  doubt: string;
  /** Digest that the relay told. */
  told: string;
  /** Digest of the view at that time: one that has changed since may be right by now. */
  seen: string;
}

/** Heads that went stale are looked for between two sweeps. */
export interface StaleLookMessage {
  look: 'stale';
  dueAtMs: number;
}

/** What comes through the timers queue. */
export type DelayedMessage = TimerMessage | DoubtMessage | StaleLookMessage;

/**
 * To a relay: send these again, all of a cluster or one workload. `after`: the message that showed that something is missing; what
 * the relay has listed since need not be listed again for it.
 */
export type RelayAsk =
  { ask: 'everything'; era: number; after?: { session: string; sequence: number } | undefined } | { ask: 'workload'; owner: OwnerName };

/** What the view remembers of one pod. */
export interface PodEntry {
  heardAt: string;
  /** Heard as the answer to a pass's own call (R7): its event brings no news. */
  byPass: boolean;
  /** A tombstone. */
  deleted: boolean;
  pod: PodFacts;
}

export interface OwnerEntry {
  heardAt: string;
  byPass: boolean;
  deleted: boolean;
  object: Job;
}

/** One view item, unpacked. `floor`: nothing heard at or below it by other means changes the item. */
export interface ViewPart {
  era: number;
  floor: string;
  owner?: OwnerEntry;
  /** By uid. */
  pods: Map<string, PodEntry>;
}
