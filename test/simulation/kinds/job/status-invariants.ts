// Invariants of Jobs and their statuses as the API server commits them.
import { isJobFinished } from '../../../../lib/kinds/job/terms/owner-facts.ts';
import { validateJobStatusUpdate } from '../../../../lib/admission/job/job-validation.ts';
import type { Job } from '../../../../lib/objects/kubernetes.ts';
import {
  comparableOf,
  isActivePod,
  isTracked,
  livingOf,
  standingOf,
  type ObjectChange,
  type OwnerChange,
  type OwnerRecord,
  type PodRecord,
} from '../../history.ts';
import { settledOf } from './history.ts';
import { completedIndexesOf } from './index-set.ts';
import type { Invariant } from '../../invariants/table.ts';

const TERMINAL = ['Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet'];

const isTrue = (job: Job | undefined, wanted: string): boolean =>
  job?.status?.conditions?.some(({ type, status }) => type === wanted && status === 'True') ?? false;

type JobChange = OwnerChange & { before: Job | undefined; now: Job };

/** A Job that Farloop changed. */
const writtenIn = (change: ObjectChange): JobChange | undefined =>
  change.kind === 'owner' && change.record.kind === 'Job' && change.type === 'MODIFIED' && change.by?.port === 'cluster'
    ? (change as JobChange)
    : undefined;

const isDeletion = ({ before, now }: JobChange): boolean =>
  now.metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined;

const isElastic = ({ spec }: Job): boolean => spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;

export const OF_JOB_STATUS: readonly Invariant[] = [
  {
    name: 'a status never violates what the API server asks of it',
    rule: 'R1',
    onChange: (change) => {
      const written = writtenIn(change);
      if (!written?.before || isDeletion(written)) return undefined;
      const errors = validateJobStatusUpdate(written.now, written.before);
      return errors.length > 0 ? JSON.stringify(errors) : undefined;
    },
  },
  {
    name: 'a Job is deleted only when its time after finishing is over',
    rule: 'R10',
    onChange: (change) => {
      const written = writtenIn(change);
      if (!written || !isDeletion(written)) return undefined;
      const { metadata, spec, status } = written.now;
      const end = status?.conditions?.find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True');
      const expiresAtMs = Date.parse(end?.lastTransitionTime ?? '') + (spec.ttlSecondsAfterFinished ?? NaN) * 1000;
      return Date.parse(metadata.deletionTimestamp ?? '') >= expiresAtMs ? undefined : written.record.name;
    },
  },
  {
    name: 'conditions never go back',
    rule: 'R1',
    onChange: (change) => {
      const written = writtenIn(change);
      const lost = TERMINAL.filter((type) => isTrue(written?.before, type) && !isTrue(written?.now, type));
      return lost.length > 0 ? `${lost.join()} of ${written?.record.name} are no longer true` : undefined;
    },
  },
  {
    name: 'a Job does not both complete and fail',
    rule: 'R1',
    onChange: (change) => {
      const written = writtenIn(change);
      return written && isTrue(written.now, 'Complete') && isTrue(written.now, 'Failed') ? written.record.name : undefined;
    },
  },
  {
    name: 'counters never fall',
    rule: 'R18',
    onChange: (change) => {
      const written = writtenIn(change);
      if (!written) return undefined;
      const [before, now] = [written.before?.status, written.now.status];
      if ((now?.failed ?? 0) < (before?.failed ?? 0)) return `failed fell from ${before?.failed} to ${now?.failed ?? 0}`;
      if (!isElastic(written.now) && (now?.succeeded ?? 0) < (before?.succeeded ?? 0)) return `succeeded fell from ${before?.succeeded}`;
      return undefined;
    },
  },
  {
    name: 'no success is counted twice',
    rule: 'R18',
    onChange: (change) => {
      const written = writtenIn(change);
      if (!written || written.record.isRestored) return undefined;
      const { succeeded = 0, uncountedTerminatedPods: waiting } = written.now.status ?? {};
      const ever = comparableOf(written.record).filter(({ pod }) => pod.status?.phase === 'Succeeded');
      const counted = succeeded + (waiting?.succeeded?.length ?? 0) - (settledOf(written.record)?.succeeded ?? 0);
      return counted > ever.length ? `${counted} successes of ${ever.length} pods` : undefined;
    },
  },
  {
    name: 'an index is completed by a pod of it',
    rule: 'R18',
    onChange: (change) => {
      const written = writtenIn(change);
      if (!written || written.record.isRestored) return undefined;
      const ran = new Set(
        [...written.record.pods.values()].filter(({ pod }) => pod.status?.phase === 'Succeeded').map(({ index }) => Number(index)),
      );
      const settled = settledOf(written.record);
      const invented = [...completedIndexesOf(written.now)].filter((index) => !ran.has(index) && !settled?.indexes.has(index));
      return invented.length > 0 ? `no pod of index ${invented.join()} has succeeded` : undefined;
    },
  },
  {
    name: 'no failure is counted twice',
    rule: 'R18',
    onChange: (change) => {
      const written = writtenIn(change);
      if (!written || written.record.isRestored) return undefined;
      const { failed = 0, uncountedTerminatedPods: waiting } = written.now.status ?? {};
      const isFailing = isTrue(written.now, 'FailureTarget');
      const ever = comparableOf(written.record).filter(({ pod }) => pod.status?.phase !== 'Succeeded' && (isFailing || !isActivePod(pod)));
      const counted = failed + (waiting?.failed?.length ?? 0) - (settledOf(written.record)?.failed ?? 0);
      return counted > ever.length ? `${counted} failures of ${ever.length} pods` : undefined;
    },
  },
  {
    name: 'what waits to be counted is pods of the Job, each once',
    rule: 'R18',
    onChange: (change) => {
      const written = writtenIn(change);
      if (!written) return undefined;
      const { succeeded = [], failed = [] } = written.now.status?.uncountedTerminatedPods ?? {};
      const uids = [...succeeded, ...failed];
      if (new Set(uids).size < uids.length) return `a uid stands twice: ${uids.join()}`;
      const unknown = uids.filter((uid) => !written.record.pods.has(uid));
      return unknown.length > 0 ? `unknown: ${unknown.join()}` : undefined;
    },
  },
  {
    name: 'when a Job ends every pod is in its counts',
    rule: 'R18',
    onChange: (change) => {
      const written = writtenIn(change);
      if (!written || isJobFinishedIn(written.before) || !isJobFinished(written.now) || written.record.isRestored) return undefined;
      return countsDiffer(written.record, written.now);
    },
  },
  {
    name: 'a deadline never fires early',
    rule: 'R12',
    onChange: (change, simulation) => {
      const written = writtenIn(change);
      const failure = written?.now.status?.conditions?.find(
        ({ type, reason }) => type === 'FailureTarget' && reason === 'DeadlineExceeded',
      );
      if (!written || !failure || isTrue(written.before, 'FailureTarget')) return undefined;
      const startMs = Date.parse(written.before?.status?.startTime ?? written.now.status?.startTime ?? '');
      const ranMs = simulation.server(written.record.cluster).nowMs() - startMs;
      const limitMs = (written.now.spec.activeDeadlineSeconds ?? 0) * 1000;
      return ranMs < limitMs ? `after ${ranMs} ms of ${limitMs}` : undefined;
    },
  },
  {
    name: 'active is what there is when a Job ends',
    rule: 'R18',
    onChange: (change) => {
      const written = writtenIn(change);
      if (!written || !isJobFinished(written.now) || isJobFinishedIn(written.before) || written.record.isRestored) return undefined;
      const active = livingOf(written.record).filter(({ pod }) => isActivePod(pod));
      return active.length > 0 ? `${active.map(({ name }) => name).join()} still run` : undefined;
    },
  },
];

const isJobFinishedIn = (job: Job | undefined): boolean => job !== undefined && isJobFinished(job);

/** How each pod must be counted: as it stood when its finalizer came off, or as it stands. */
function countsDiffer(record: OwnerRecord, job: Job): string | undefined {
  const pods = comparableOf(record);
  const settled = settledOf(record);
  const isFailing = isTrue(job, 'Failed');
  const wanted = { succeeded: settled?.succeeded ?? 0, failed: settled?.failed ?? 0, either: 0 };
  const indexes = new Set([...(settled?.indexes ?? [])].map(String));
  for (const pod of pods) {
    const as = isIgnored(pod, job) ? 'either' : countedAs(pod, isFailing);
    if (!as || (pod.index !== undefined && Number(pod.index) >= (job.spec.completions ?? 0))) continue;
    if (as === 'succeeded' && pod.index !== undefined) {
      if (indexes.has(pod.index)) continue;
      indexes.add(pod.index);
    }
    wanted[as] += 1;
  }
  const { succeeded = 0, failed = 0 } = job.status ?? {};
  const isRight = (found: number, least: number): boolean => found >= least && found <= least + wanted.either;
  if (isRight(succeeded, wanted.succeeded) && isRight(failed, wanted.failed)) return undefined;
  const stood = pods
    .map(({ name, pod, stripped, strippedUnder }) => `${name} ${stripped ?? standingOf(pod)} ${strippedUnder ?? ''}`)
    .join(', ');
  return `counted ${succeeded} and ${failed}, but ${wanted.succeeded} succeeded and ${wanted.failed} failed: ${stood}`;
}

/** A failure that the policy of the Job leaves out of the counts, unless the Job was failing anyway. */
export function isIgnored({ pod }: Pick<PodRecord, 'pod'>, { spec }: Job): boolean {
  const [exitCode] = (pod.status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.exitCode ?? []);
  const rule = spec.podFailurePolicy?.rules.find(({ onExitCodes }) => onExitCodes?.values.includes(exitCode ?? 0));
  return pod.status?.phase === 'Failed' && rule?.action === 'Ignore';
}

/** `either`: it depends on what had been heard of it. Undefined: it was taken out of the counts on purpose, or never was in them. */
function countedAs(
  { pod, stripped, strippedUnder, strippedByOthers, released, isGone }: PodRecord,
  isFailing: boolean,
): 'succeeded' | 'failed' | 'either' | undefined {
  // One that was released may have been counted before somebody took its labels.
  if (strippedByOthers || released) return 'either';
  if (stripped === undefined) {
    if (!isTracked(pod)) return undefined;
    if (isGone) return 'either';
    const standing = standingOf(pod);
    if (standing === 'Succeeded') return 'succeeded';
    if (standing === 'active') return isFailing ? 'failed' : undefined;
    return standing === 'terminating' && !isFailing ? 'either' : 'failed';
  }
  if (stripped === 'Succeeded') return 'succeeded';
  // Judged while it was terminating, after the Job had all it wanted; it may have ended meanwhile.
  if (stripped === 'Failed') return strippedUnder === 'succeeding' && pod.metadata.deletionTimestamp !== undefined ? 'either' : 'failed';
  if (strippedUnder === 'failing') return 'failed';
  if (stripped === 'active') return undefined;
  return strippedUnder === 'succeeding' ? 'either' : 'failed';
}
