// Reads Jobs from documents: adds the API server's defaults and refuses what the server would refuse.
import { withJobDefaults, withStoredJobDefaults } from '../../admission/job/job-defaults.ts';
import { validateJob, validateJobUpdate } from '../../admission/job/job-validation.ts';
import { isJobFinished } from '../../objects/job-facts.ts';
import { legacyControllerUidLabel } from '../../objects/job-labels.ts';
import { POD_GROUPS, SCHEDULING_WORKLOADS, type PodGroup, type SchedulingWorkload } from '../../objects/job-scheduling.ts';
import type { Job } from '../../objects/kubernetes.ts';
import { isFields, type Fields } from '../../objects/untyped-fields.ts';
import { defineManifests, UNSTORED_UID, type Features, type ManifestGiven, type ReadOwner } from '../kind-manifests.ts';
import type { Plan } from '../plan.ts';
import { podSetOf } from '../pod-set.ts';
import { isJob, jobProblem, podGroupProblem, schedulingWorkloadProblem } from './manifest-shapes.ts';
import { schedulingActions } from './scheduling/scheduling-actions.ts';

/** Alpha: also plans the Workload and PodGroup of a Job's pods. If it is off, `spec.scheduling` has no meaning. */
const WORKLOAD_WITH_JOB = 'WorkloadWithJob';

export const jobManifests = defineManifests<Job>({
  schema: 'Job',
  besides: (features) =>
    features.has(WORKLOAD_WITH_JOB)
      ? [
          { resource: SCHEDULING_WORKLOADS, problemOf: schedulingWorkloadProblem },
          { resource: POD_GROUPS, problemOf: podGroupProblem },
        ]
      : [],
  prepare,
  read,
  plan,
});

function prepare({ spec }: Fields, features: Features): void {
  if (!features.has(WORKLOAD_WITH_JOB) && isFields(spec)) delete spec['scheduling'];
}

function read(document: Fields, { namespace, now }: { namespace: string; now: Date }): ReadOwner<Job> {
  if (!isJob(document)) return { problem: jobProblem(document) };
  const { metadata, ...rest } = document;
  const creationTimestamp = metadata.creationTimestamp ?? now.toISOString().replace(/\.\d+Z$/, 'Z');
  const given = { ...rest, metadata: { ...metadata, namespace, uid: metadata.uid || UNSTORED_UID, creationTimestamp } };
  const job = isStored(document) ? withStoredJobDefaults(given) : withJobDefaults(given);
  const [refusal, ...others] = isStored(document) ? validateJobUpdate(job, job) : validateJob(job);
  return refusal ? { refusals: [refusal, ...others] } : { owner: job };
}

/** An API server has stored it. Add nothing to it: a Job from before Kubernetes 1.27 has no labels with the prefix, nor have its pods. */
const isStored = ({ metadata, spec }: Job): boolean =>
  Boolean(metadata.uid) && spec.selector !== undefined && spec.template?.metadata?.labels?.[legacyControllerUidLabel] === metadata.uid;

/** The plan with the scheduling group of the pods: its objects are created or changed before everything else. */
function plan({ snapshot, read: found, features, planOf }: ManifestGiven<Job>): Plan<object> {
  const alone = planOf(snapshot);
  const { owner: job, pods } = snapshot;
  if (!features.has(WORKLOAD_WITH_JOB)) return alone;
  if (alone.outcome === 'notOurs' || alone.outcome === 'parked' || isJobFinished(job) || job.metadata.deletionTimestamp !== undefined)
    return alone;
  const objects = {
    workloads: (found.get(SCHEDULING_WORKLOADS) ?? []) as readonly SchedulingWorkload[],
    podGroups: (found.get(POD_GROUPS) ?? []) as readonly PodGroup[],
  };
  const { actions, group, why, problem } = schedulingActions(job, objects, podSetOf(pods).size);
  if (problem !== undefined) return { ...alone, actions: [], status: job.status ?? {}, outcome: 'parked', why: [problem] };
  const grouped = planOf({ ...snapshot, ...(group && { schedulingGroup: group }) });
  return {
    ...grouped,
    actions: [...actions, ...grouped.actions],
    ...(actions.length > 0 && { outcome: 'acted' }),
    why: [...grouped.why, why],
  };
}
