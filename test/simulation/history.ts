// What has happened to Jobs and pods, told by the API servers' own commits: what checks compare with.
import { isJobFinished } from '../../lib/objects/job-facts.ts';
import type { Job, Pod } from '../../lib/objects/kubernetes.ts';
import { matcherOf } from '../../lib/objects/label-selector.ts';
import { COMPLETION_INDEX, controllerOf, TRACKING_FINALIZER } from '../../lib/objects/pod-facts.ts';
import type { Change } from '../../lib/sandbox/version.ts';
import type { Call } from './calls.ts';

export type Standing = 'Succeeded' | 'Failed' | 'terminating' | 'active';

export interface PodRecord {
  uid: string;
  name: string;
  /** As it is now, or was last. */
  pod: Pod;
  index: string | undefined;
  isGone: boolean;
  createdAtMs: number;
  /** The call that created it, where Farloop did. */
  createdBy: Call | undefined;
  /** Farloop was told that the create succeeded, or heard of the pod in another answer. */
  isKnown: boolean;
  /** The API server was restored from a state before it: to that server, and in its era, it never was (R3). */
  isUndone: boolean;
  /** Virtual milliseconds when such a restore made it run again, though it had ended or gone; negative: none did. */
  revivedAtMs: number;
  /** When its finalizer came off: how it stood then. */
  stripped: Standing | undefined;
  /** What its Job had decided by then. */
  strippedUnder: 'failing' | 'succeeding' | undefined;
  /** By another hand than Farloop's. */
  strippedByOthers: boolean;
  /** Its finalizer came off when its labels no longer matched its Job's selector: the Job let it go, and counts it no more. */
  released: boolean;
}

export interface JobRecord {
  cluster: string;
  uid: string;
  name: string;
  job: Job;
  isGone: boolean;
  finishedAtMs: number | undefined;
  pods: Map<string, PodRecord>;
  /** Most pods that were active at one moment. */
  mostActive: number;
  /** Its counts cannot be compared any more: the API server lost some of them. */
  isRestored: boolean;
  /** Virtual milliseconds of its server's last step back. */
  restoredAtMs: number;
}

export interface JobChange {
  kind: 'job';
  type: Change['type'];
  record: JobRecord;
  before: Job | undefined;
  now: Job;
  by: Call | undefined;
}

export interface PodChange {
  kind: 'pod';
  type: Change['type'];
  record: PodRecord;
  owner: JobRecord | undefined;
  before: Pod | undefined;
  now: Pod;
  by: Call | undefined;
}

export type ObjectChange = JobChange | PodChange;

export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
export const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';
export const isActivePod = (pod: Pod): boolean => !isOver(pod) && pod.metadata.deletionTimestamp === undefined;
export const isTerminatingPod = (pod: Pod): boolean => !isOver(pod) && pod.metadata.deletionTimestamp !== undefined;

export class History {
  readonly jobs = new Map<string, JobRecord>();
  readonly pods = new Map<string, PodRecord>();

  /** @returns what it means, undefined where it is about neither a Job nor a pod */
  note(cluster: string, change: Change, by: Call | undefined, nowMs: number): ObjectChange | undefined {
    if (change.resource === 'jobs.batch') return this.#noteJob(cluster, change, by, nowMs);
    return change.resource === 'pods' ? this.#notePod(change, by, nowMs) : undefined;
  }

  #noteJob(cluster: string, { type, current, previous }: Change, by: Call | undefined, nowMs: number): JobChange {
    const now = current.object as unknown as Job;
    const { uid = '', name = '' } = now.metadata;
    const before = previous?.object as unknown as Job | undefined;
    const record = this.jobs.get(uid) ?? {
      cluster,
      uid,
      name,
      job: now,
      isGone: false,
      finishedAtMs: undefined,
      pods: new Map(),
      mostActive: 0,
      isRestored: false,
      restoredAtMs: -1,
    };
    this.jobs.set(uid, record);
    record.job = now;
    record.isGone = type === 'DELETED';
    if (record.finishedAtMs === undefined && isJobFinished(now)) record.finishedAtMs = nowMs;
    return { kind: 'job', type, record, before, now, by };
  }

  #notePod({ type, current, previous }: Change, by: Call | undefined, nowMs: number): PodChange {
    const now = current.object as unknown as Pod;
    const { uid = '', name = '' } = now.metadata;
    const before = previous?.object as unknown as Pod | undefined;
    const record = this.pods.get(uid) ?? {
      uid,
      name,
      pod: now,
      index: now.metadata.annotations?.[COMPLETION_INDEX],
      isGone: false,
      createdAtMs: nowMs,
      createdBy: by,
      isKnown: false,
      isUndone: false,
      revivedAtMs: -Infinity,
      stripped: undefined,
      strippedUnder: undefined,
      strippedByOthers: false,
      released: false,
    };
    this.pods.set(uid, record);
    const owner = this.jobs.get(controllerOf(now.metadata.ownerReferences)?.uid ?? '');
    if (before && isTracked(before) && (!isTracked(now) || type === 'DELETED') && record.stripped === undefined) {
      record.stripped = standingOf(before);
      record.strippedUnder = owner && decidedOf(owner.job);
      record.strippedByOthers = by === undefined;
      record.released = owner !== undefined && !matcherOf(owner.job.spec.selector)(before.metadata.labels ?? {});
    }
    record.pod = now;
    record.isGone = type === 'DELETED';
    const former = this.jobs.get(controllerOf(before?.metadata.ownerReferences)?.uid ?? '');
    if (former !== owner) former?.pods.delete(uid);
    owner?.pods.set(uid, record);
    if (owner) owner.mostActive = Math.max(owner.mostActive, activeOf(owner).length);
    return { kind: 'pod', type, record, owner, before, now, by };
  }

  /** A pod is whose it was then: one that was released since is its Job's again, and one that was adopted since is nobody's. */
  #rehome(records: readonly JobRecord[], uid: string, now: Pod): void {
    const pod = this.pods.get(uid);
    if (!pod) return;
    const owner = controllerOf(now.metadata.ownerReferences)?.uid;
    for (const record of records)
      if (record.uid === owner) record.pods.set(uid, pod);
      else record.pods.delete(uid);
    if (owner !== undefined) pod.released = false;
    else Object.assign(pod, { pod: now, isGone: false });
  }

  /** What was heard of pods so far is lost. */
  forgetKnown(): void {
    for (const record of this.pods.values()) record.isKnown = false;
  }

  /** The server went back: what it has now is all there is. */
  restore(cluster: string, { jobs, pods, nowMs }: { jobs: readonly Job[]; pods: readonly Pod[]; nowMs: number }): void {
    const present = new Map(pods.map((pod) => [pod.metadata.uid ?? '', pod]));
    const records = [...this.jobs.values()].filter((record) => record.cluster === cluster);
    for (const [uid, now] of present) this.#rehome(records, uid, now);
    for (const record of records) {
      const job = jobs.find(({ metadata }) => metadata.uid === record.uid);
      record.isGone = job === undefined;
      record.isRestored = true;
      record.restoredAtMs = nowMs;
      if (job) record.job = job;
      if (!job || !isJobFinished(job)) record.finishedAtMs = undefined;
      for (const pod of record.pods.values()) {
        const now = present.get(pod.uid);
        pod.isUndone = now === undefined && (pod.isUndone || !pod.isGone);
        if (now && isActivePod(now) && (pod.isGone || isOver(pod.pod))) pod.revivedAtMs = nowMs;
        pod.isGone = now === undefined;
        if (!now) continue;
        pod.pod = now;
        if (isTracked(now)) pod.stripped = undefined;
      }
    }
  }
}

function decidedOf({ status }: Job): PodRecord['strippedUnder'] {
  const isTrue = (wanted: string): boolean => status?.conditions?.some(({ type, status: is }) => type === wanted && is === 'True') ?? false;
  return isTrue('FailureTarget') ? 'failing' : isTrue('SuccessCriteriaMet') ? 'succeeding' : undefined;
}

export function standingOf(pod: Pod): Standing {
  const phase = pod.status?.phase;
  if (phase === 'Succeeded' || phase === 'Failed') return phase;
  return pod.metadata.deletionTimestamp === undefined ? 'active' : 'terminating';
}

export const livingOf = ({ pods }: JobRecord): PodRecord[] => [...pods.values()].filter(({ isGone }) => !isGone);
export const activeOf = (record: JobRecord): PodRecord[] => livingOf(record).filter(({ pod }) => isActivePod(pod));
