// What has happened to Jobs and pods, told by the API servers' own commits: what checks compare with.
import { isJobFinished } from '../../lib/objects/job-facts.ts';
import type { Job, Pod } from '../../lib/objects/kubernetes.ts';
import { matcherOf } from '../../lib/objects/label-selector.ts';
import { COMPLETION_INDEX, controllerOf, TRACKING_FINALIZER } from '../../lib/objects/pod-facts.ts';
import type { Change } from '../../lib/sandbox/storage/version.ts';
import type { Call } from './calls.ts';
import { completedIndexesOf } from './kinds/job/index-set.ts';

export type Standing = 'Succeeded' | 'Failed' | 'terminating' | 'active';

export interface PodRecord {
  cluster: string;
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
  /** When what is asked of counts began again, it stood in them, or in none for good. */
  isSettled: boolean;
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
  /** Its counts cannot be compared: the API server lost some of them, and Farloop may not have taken that in yet. */
  isRestored: boolean;
  /** What its status had counted when it could be compared again. */
  settled: Settled | undefined;
  /** Virtual milliseconds when the era began from which on passes know what the server has lost. */
  eraSinceMs: number;
  /** Virtual milliseconds of its server's last step back. */
  restoredAtMs: number;
}

export interface Settled {
  succeeded: number;
  failed: number;
  indexes: ReadonlySet<number>;
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

/** A uid alone names nothing: a cluster made from another one's backup has the same ones. */
const idOf = (cluster: string, uid: string | undefined): string => `${cluster} ${uid}`;

export class History {
  readonly #jobs = new Map<string, JobRecord>();
  readonly #pods = new Map<string, PodRecord>();
  /** Every state of every Job and pod that a cluster has ever shown. */
  readonly #committed = new Set<string>();

  get jobs(): JobRecord[] {
    return [...this.#jobs.values()];
  }

  get pods(): PodRecord[] {
    return [...this.#pods.values()];
  }

  /** Whether that cluster has ever had an object of this uid at this version of its own. */
  hasShown(cluster: string, { uid, resourceVersion }: { uid?: string | undefined; resourceVersion?: string | undefined }): boolean {
    return this.#committed.has(`${idOf(cluster, uid)} ${resourceVersion}`);
  }

  job(cluster: string, uid: string | undefined): JobRecord | undefined {
    return this.#jobs.get(idOf(cluster, uid));
  }

  pod(cluster: string, uid: string | undefined): PodRecord | undefined {
    return this.#pods.get(idOf(cluster, uid));
  }

  /** @returns what it means, undefined where it is about neither a Job nor a pod */
  note(cluster: string, change: Change, by: Call | undefined, nowMs: number): ObjectChange | undefined {
    const { uid, resourceVersion } = change.current.object.metadata;
    this.#committed.add(`${idOf(cluster, uid)} ${resourceVersion}`);
    if (change.resource === 'jobs.batch') return this.#noteJob(cluster, change, by, nowMs);
    return change.resource === 'pods' ? this.#notePod(cluster, change, by, nowMs) : undefined;
  }

  #noteJob(cluster: string, { type, current, previous }: Change, by: Call | undefined, nowMs: number): JobChange {
    const now = current.object as unknown as Job;
    const { uid = '', name = '' } = now.metadata;
    const before = previous?.object as unknown as Job | undefined;
    const record = this.job(cluster, uid) ?? {
      cluster,
      uid,
      name,
      job: now,
      isGone: false,
      finishedAtMs: undefined,
      pods: new Map(),
      mostActive: 0,
      isRestored: false,
      settled: undefined,
      eraSinceMs: -1,
      restoredAtMs: -1,
    };
    this.#jobs.set(idOf(cluster, uid), record);
    doubtOldPass(record, by);
    record.job = now;
    record.isGone = type === 'DELETED';
    if (record.finishedAtMs === undefined && isJobFinished(now)) record.finishedAtMs = nowMs;
    return { kind: 'job', type, record, before, now, by };
  }

  #notePod(cluster: string, { type, current, previous }: Change, by: Call | undefined, nowMs: number): PodChange {
    const now = current.object as unknown as Pod;
    const { uid = '', name = '' } = now.metadata;
    const before = previous?.object as unknown as Pod | undefined;
    const record = this.pod(cluster, uid) ?? {
      cluster,
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
      isSettled: false,
      released: false,
    };
    this.#pods.set(idOf(cluster, uid), record);
    const owner = this.job(cluster, controllerOf(now.metadata.ownerReferences)?.uid);
    if (owner) doubtOldPass(owner, by);
    if (before && isTracked(before) && (!isTracked(now) || type === 'DELETED') && record.stripped === undefined) {
      record.stripped = standingOf(before);
      record.strippedUnder = owner && decidedOf(owner.job);
      record.strippedByOthers = by === undefined;
      record.released = owner !== undefined && !matcherOf(owner.job.spec.selector)(before.metadata.labels ?? {});
    }
    record.pod = now;
    record.isGone = type === 'DELETED';
    const former = this.job(cluster, controllerOf(before?.metadata.ownerReferences)?.uid);
    if (former !== owner) former?.pods.delete(uid);
    owner?.pods.set(uid, record);
    if (owner) owner.mostActive = Math.max(owner.mostActive, activeOf(owner).length);
    return { kind: 'pod', type, record, owner, before, now, by };
  }

  /** A pod is whose it was then: one that was released since is its Job's again, and one that was adopted since is nobody's. */
  #rehome(cluster: string, records: readonly JobRecord[], uid: string, now: Pod): void {
    const pod = this.pod(cluster, uid);
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
    for (const record of this.pods) record.isKnown = false;
  }

  /** The server went back: what it has now is all there is. */
  restore(cluster: string, { jobs, pods, nowMs }: { jobs: readonly Job[]; pods: readonly Pod[]; nowMs: number }): void {
    const present = new Map(pods.map((pod) => [pod.metadata.uid ?? '', pod]));
    const records = this.jobs.filter((record) => record.cluster === cluster);
    for (const [uid, now] of present) this.#rehome(cluster, records, uid, now);
    for (const record of records) {
      const job = jobs.find(({ metadata }) => metadata.uid === record.uid);
      record.isGone = job === undefined;
      record.isRestored = true;
      record.settled = undefined;
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

/** A pass of before the new era may still act on what the server has lost. */
function doubtOldPass(record: JobRecord, by: Call | undefined): void {
  if (record.settled && (by?.invocation?.beganAtMs ?? Infinity) <= record.eraSinceMs)
    Object.assign(record, { isRestored: true, settled: undefined });
}

/**
 * The Job can be compared again from here on: a pass of the new era has come to its end, and each of its pods stands in its counts or is still
 * to be counted, which its finalizer tells. Where some are on their way from one to the other, a later pass has its turn.
 * @param eraSinceMs when that era began
 */
export function settle(record: JobRecord, eraSinceMs: number): void {
  const { spec, status } = record.job;
  const { succeeded = [], failed = [] } = status?.uncountedTerminatedPods ?? {};
  const isOnItsWay = (pod: Pod): boolean => isTracked(pod) && (isOver(pod) || pod.metadata.deletionTimestamp !== undefined);
  const isElastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  if (succeeded.length + failed.length > 0 || isElastic || livingOf(record).some(({ pod }) => isOnItsWay(pod))) return;
  for (const pod of record.pods.values()) {
    pod.isSettled = pod.isGone || !isTracked(pod.pod);
    if (!pod.isSettled) Object.assign(pod, { stripped: undefined, strippedUnder: undefined, strippedByOthers: false });
  }
  record.settled = { succeeded: status?.succeeded ?? 0, failed: status?.failed ?? 0, indexes: completedIndexesOf(record.job) };
  record.eraSinceMs = eraSinceMs;
  record.isRestored = false;
}

/** Pods whose counting can be compared. */
export const comparableOf = ({ pods }: JobRecord): PodRecord[] => [...pods.values()].filter(({ isSettled }) => !isSettled);

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
