// What must hold of the pods of Jobs, as the API server commits them.
import type { Job } from '../../../../lib/objects/kubernetes.ts';
import { matcherOf } from '../../../../lib/objects/label-selector.ts';
import { controllerOf } from '../../../../lib/objects/pods/pod-facts.ts';
import {
  activeOf,
  isTerminatingPod,
  isTracked,
  livingOf,
  standingOf,
  type ObjectChange,
  type OwnerRecord,
  type PodChange,
  type PodRecord,
} from '../../history.ts';
import { WAITS } from '../../faults.ts';
import { jobOf } from './history.ts';
import { completedIndexesOf } from './index-set.ts';
import { isIgnored } from './status-invariants.ts';
import type { Invariant } from '../../invariants/table.ts';

interface Created extends PodChange {
  owner: OwnerRecord;
}

/** A pod that Farloop created for a Job. */
function createdIn(change: ObjectChange): Created | undefined {
  if (change.kind !== 'pod' || change.type !== 'ADDED' || !change.by || change.owner?.kind !== 'Job') return undefined;
  // A surplus: what becomes of it is asked at the end.
  if (change.by.isLate) return undefined;
  // What was read live has been undone since.
  if ((change.by.invocation?.beganAtMs ?? 0) <= change.owner.restoredAtMs) return undefined;
  return { ...change, owner: change.owner };
}

const liveOf = ({ by, owner }: Created): Job | undefined => by?.invocation?.live.get(owner.uid) as Job | undefined;

/** Until a restore shows, which a heartbeat tells at the latest, a pod whose end the server has forgotten is one that has ended (R3). */
const countsAsEnded = ({ revivedAtMs }: PodRecord, { by }: Created): boolean =>
  (by?.invocation?.beganAtMs ?? 0) <= revivedAtMs + WAITS.heartbeat.ms;

/**
 * Two Farloops keep out of each other's way by the names of their pods, which both number alike: the table of neither tells of the other.
 * After a restore each goes on from what it knew by then (R3), and their numbers part: what the other one has made since this pass began
 * is none that its creates could have met. The next pass sees them all.
 */
const activeBeside = (created: Created): PodRecord[] =>
  activeOf(created.owner).filter((pod) => {
    const { createdBy, createdAtMs } = pod;
    const { by, owner } = created;
    if (!owner.isRestored || createdBy === undefined) return true;
    if (countsAsEnded(pod, created)) return false;
    return createdBy.process.installation === by?.process.installation || createdAtMs <= (by?.invocation?.beganAtMs ?? 0);
  });

export const OF_JOB_PODS: readonly Invariant[] = [
  {
    name: 'never more active pods than parallelism as last read live',
    rule: 'R10',
    onChange: (change) => {
      const created = createdIn(change);
      const live = created && liveOf(created);
      if (!created || !live) return undefined;
      const active = activeBeside(created).length;
      const limit = live.spec.parallelism ?? 1;
      return active > limit ? `${active} active pods of ${created.owner.name}, parallelism ${limit}` : undefined;
    },
  },
  {
    name: 'never more pods than successes still missing',
    rule: 'R10',
    onChange: (change) => {
      const created = createdIn(change);
      const live = created && liveOf(created);
      if (!created || live?.spec.completions === undefined) return undefined;
      const active = activeBeside(created).length;
      const missing = live.spec.completions - (live.status?.succeeded ?? 0);
      return active > missing ? `${active} active pods of ${created.owner.name}, ${missing} successes are missing` : undefined;
    },
  },
  {
    name: 'terminating pods count under podReplacementPolicy Failed',
    rule: 'R10',
    onChange: (change) => {
      const created = createdIn(change);
      const live = created && liveOf(created);
      if (!created || live?.spec.podReplacementPolicy !== 'Failed') return undefined;
      const there = livingOf(created.owner).filter(({ pod }) => isTerminatingPod(pod)).length + activeOf(created.owner).length;
      return there > (live.spec.parallelism ?? 1) ? `${there} pods active or terminating, parallelism ${live.spec.parallelism}` : undefined;
    },
  },
  {
    name: 'no index is run by two pods at once',
    rule: 'R5',
    onChange: (change) => {
      const created = createdIn(change);
      const { index } = created?.record ?? {};
      if (!created || index === undefined) return undefined;
      const same = activeOf(created.owner).filter((pod) => pod.index === index && !countsAsEnded(pod, created));
      return same.length > 1 ? `index ${index} is run by ${same.map(({ name }) => name).join(' and ')}` : undefined;
    },
  },
  {
    name: 'an index that has succeeded is not run again',
    rule: 'R10',
    onChange: (change) => {
      const created = createdIn(change);
      const live = created && liveOf(created);
      const index = created?.record.index;
      if (!created || !live || index === undefined) return undefined;
      return completedIndexesOf(live).has(Number(index)) ? `index ${index} had succeeded` : undefined;
    },
  },
  {
    name: 'a finished Job never gets a pod',
    rule: 'R10',
    onChange: (change) => {
      const created = createdIn(change);
      return created && created.owner.finishedAtMs !== undefined ? `${created.owner.name} had finished` : undefined;
    },
  },
  {
    name: 'a Job that is being deleted gets no pod once that was read',
    rule: 'R10',
    onChange: (change) => {
      const created = createdIn(change);
      return created && liveOf(created)?.metadata.deletionTimestamp !== undefined ? `${created.owner.name} was being deleted` : undefined;
    },
  },
  {
    name: 'a suspended Job gets no pod once that was read',
    rule: 'R10',
    onChange: (change) => {
      const created = createdIn(change);
      return created && liveOf(created)?.spec.suspend === true ? `${created.owner.name} was suspended` : undefined;
    },
  },
  {
    name: 'a finalizer comes off only once the pod is counted',
    rule: 'R1',
    onChange: (change) => {
      if (change.kind !== 'pod' || !change.by || !change.before || !isTracked(change.before)) return undefined;
      if (isTracked(change.now) && change.type !== 'DELETED') return undefined;
      const { owner, record } = change;
      if (owner?.kind !== 'Job' || owner.isGone || owner.finishedAtMs !== undefined || owner.isRestored) return undefined;
      if (isIgnored({ pod: change.before }, jobOf(owner))) return undefined;
      // Released, as in the reference: no pod of the Job's any more, in no count, however it ended before that came to pass.
      if (record.released) return undefined;
      // Judged while it was terminating, after the Job had all it wanted: in no count, however it ended meanwhile.
      if (record.strippedUnder === 'succeeding' && change.before.metadata.deletionTimestamp !== undefined) return undefined;
      return isCounted(jobOf(owner), { uid: record.uid, index: record.index, standing: standingOf(change.before) })
        ? undefined
        : `${record.name} had ${standingOf(change.before)} and is in no count: ${JSON.stringify(owner.object.status)}`;
    },
  },
  {
    name: 'the pods of others are left alone',
    rule: 'R15',
    onChange: (change, { history }) => {
      if (change.kind !== 'pod' || !change.by || change.type === 'ADDED') return undefined;
      const { key } = change.by.invocation ?? {};
      const record = key && history.owner(key.cluster, key.uid);
      if (record && record.kind !== 'Job') return undefined;
      const job = record && jobOf(record);
      const owner = controllerOf(change.before?.metadata.ownerReferences)?.uid;
      const isWanted = job !== undefined && matcherOf(job.spec.selector)(change.now.metadata.labels ?? {});
      const isOwn = owner === undefined ? isWanted : owner === key?.uid;
      return isOwn || (owner === undefined && change.now.metadata.uid === key?.uid)
        ? undefined
        : `${change.record.name} was touched by a pass of ${key?.name}`;
    },
  },
];

function isCounted(
  job: Job,
  { uid, index, standing }: { uid: string; index: string | undefined; standing: ReturnType<typeof standingOf> },
): boolean {
  const { uncountedTerminatedPods: { succeeded = [], failed = [] } = {} } = job.status ?? {};
  if (standing === 'active' || standing === 'terminating') return true;
  if (failed.includes(uid) || succeeded.includes(uid)) return true;
  if (job.spec.completionMode !== 'Indexed') return false;
  if (Number(index) >= (job.spec.completions ?? 0)) return true;
  return standing === 'Succeeded' && completedIndexesOf(job).has(Number(index));
}
