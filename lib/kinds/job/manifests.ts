// Reads Jobs from documents: adds the API server's defaults and refuses what the server would refuse.
import { withJobDefaults, withStoredJobDefaults } from '../../admission/job/job-defaults.ts';
import { validateJob, validateJobUpdate } from '../../admission/job/job-validation.ts';
import { isJobFinished } from './terms/owner-facts.ts';
import { jobFacts } from './facts.ts';
import { legacyControllerUidLabel } from '../../objects/job-labels.ts';
import {
  POD_GROUPS,
  SCHEDULING_WORKLOADS,
  WORKLOAD_WITH_JOB,
  type PodGroup,
  type SchedulingWorkload,
} from '../../objects/job-scheduling.ts';
import type { KindOptions } from '../../objects/kind-options.ts';
import type { Job } from '../../objects/kubernetes.ts';
import { isFields, type Fields } from '../../objects/values/untyped-fields.ts';
import { defineManifests, UNSTORED_UID, type ManifestGiven, type ReadOwner } from '../rows/kind-manifests.ts';
import type { Plan } from '../rows/plan.ts';
import { podSetOf } from '../rows/pod-set.ts';
import { isJob, jobProblem, podGroupProblem, schedulingWorkloadProblem } from './manifest-shapes.ts';
import { schedulingActions } from './scheduling/scheduling-actions.ts';

export const jobManifests = defineManifests<Job>(jobFacts, {
  schema: 'Job',
  besides: (options) =>
    options[WORKLOAD_WITH_JOB] !== undefined
      ? [
          { resource: SCHEDULING_WORKLOADS, problemOf: schedulingWorkloadProblem },
          { resource: POD_GROUPS, problemOf: podGroupProblem },
        ]
      : [],
  prepare,
  read,
  plan,
});

function prepare({ spec }: Fields, options: KindOptions): void {
  if (options[WORKLOAD_WITH_JOB] === undefined && isFields(spec)) delete spec['scheduling'];
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

/** Alpha: without its option `spec.scheduling` has no meaning. The plan with the scheduling group of the pods: its objects are created or changed before everything else. */
function plan({ snapshot, read: found, options, planOf }: ManifestGiven<Job>): Plan<object> {
  // Its objects are among the documents, so the planner need not want them.
  const { options: _options, ...unread } = snapshot;
  const alone = planOf(unread);
  const { owner: job, pods } = snapshot;
  if (options[WORKLOAD_WITH_JOB] === undefined) return alone;
  if (alone.outcome === 'notOurs' || alone.outcome === 'parked' || isJobFinished(job) || job.metadata.deletionTimestamp !== undefined)
    return alone;
  const objects = {
    workloads: (found.get(SCHEDULING_WORKLOADS) ?? []) as readonly SchedulingWorkload[],
    podGroups: (found.get(POD_GROUPS) ?? []) as readonly PodGroup[],
  };
  const { actions, group, why, problem } = schedulingActions(job, objects, podSetOf(pods).size);
  if (problem !== undefined) return { ...alone, actions: [], status: job.status ?? {}, outcome: 'parked', why: [problem] };
  const grouped = planOf({ ...unread, ...(group && { schedulingGroup: group }) });
  return {
    ...grouped,
    actions: [...actions, ...grouped.actions],
    ...(actions.length > 0 && { outcome: 'acted' }),
    why: [...grouped.why, why],
  };
}
