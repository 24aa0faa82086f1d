// A Job's plan with its scheduling group (alpha, behind the cluster's switch): two objects represent its pods for the scheduler. A pass
// reads them live and creates them before the first pod, one step per plan, so that a pass that died halfway leaves nothing to repair.
import * as v from 'valibot';
import {
  POD_GROUPS,
  SCHEDULING_WORKLOADS,
  WORKLOAD_WITH_JOB,
  type PodGroup,
  type SchedulingWorkload,
} from '../../../objects/job-scheduling.ts';
import { isJobFinished } from '../terms/owner-facts.ts';
import type { Job, JobStatus } from '../../../objects/kubernetes.ts';
import { readKeyOf, type Action, type NewPlan, type ReadWant, type Snapshot } from '../../rows/plan.ts';
import type { KindKept } from '../../rows/planner-row.ts';
import { podSetOf } from '../../rows/pod-set.ts';
import { eventAction } from '../pods/actions.ts';
import type { SchedulingGroup } from '../pods/pod.ts';
import { resourceOf } from './scheduling-actions.ts';
import { isNewJob, nextSchedulingStep, schedulingModeOf, type SchedulingObjects, type SchedulingStep } from './scheduling.ts';

export interface JobSnapshot extends Snapshot<Job> {
  /** The group that new pods are scheduled with. */
  schedulingGroup?: SchedulingGroup;
}

const Kept = v.object({
  /** The spec's generation for which the group was last checked. */
  groupedGeneration: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
});
type Kept = v.InferOutput<typeof Kept>;

/** The build before stored it as a field of the head itself. */
export const jobKept: KindKept = { schema: Kept, fieldsBefore: ['groupedGeneration'] };

const LISTED: readonly ReadWant[] = [{ resource: SCHEDULING_WORKLOADS }, { resource: POD_GROUPS }];

/** @param planOf plans everything else */
export function planWithGroup(snapshot: JobSnapshot, planOf: (snapshot: JobSnapshot) => NewPlan<JobStatus>): NewPlan<JobStatus> {
  const plan = planOf(snapshot);
  const { owner: job } = snapshot;
  if (!needsGroup(snapshot, plan)) return plan;
  // The group depends on template and annotations, which a view does not have.
  if (snapshot.isWhole !== true) return { ...plan, wants: [{ owner: 'whole' }] };
  const found = schedulingModeOf(job) === 'none' ? { workloads: [], podGroups: [] } : foundIn(snapshot);
  if (found === 'unread') return { ...plan, wants: LISTED };
  if (found === 'notServed')
    return parked(`the API server serves no ${SCHEDULING_WORKLOADS.apiVersion}: switch its Workload API on, or this feature off`);
  const next = nextSchedulingStep(job, found, podSetOf(snapshot.pods).size);
  if (next.step === 'fail') {
    const message = `Failed to compile Workload for Job ${job.metadata.name ?? ''}: ${next.problem}`;
    const event = eventAction(job, { type: 'Warning', reason: 'FailedWorkloadCompilation', message });
    return { ...parked(`ensuring Workload and PodGroup for Job ${nameOf(job)}: ${next.problem}`), actions: [event] };
  }
  if (next.step !== 'done')
    return {
      ...plan,
      actions: stepActions(job, next),
      status: job.status ?? {},
      outcome: 'acted',
      head: {},
      why: [next.why],
      continues: true,
    };
  const grouped = planOf({ ...snapshot, ...(next.group && { schedulingGroup: next.group }) });
  const kept: Kept = { groupedGeneration: job.metadata.generation ?? 0 };
  return { ...grouped, head: { ...grouped.head, kept }, whyRead: [next.why] };
}

/** Whether this plan needs its group before it is executed. Also before the first status, which shows that the Job has started. */
function needsGroup(snapshot: JobSnapshot, { actions, outcome }: NewPlan<JobStatus>): boolean {
  const { owner: job, options = {}, pods, kept } = snapshot;
  if (options[WORKLOAD_WITH_JOB] === undefined || snapshot.schedulingGroup || outcome === 'notOurs' || outcome === 'parked') return false;
  if (isJobFinished(job) || job.metadata.deletionTimestamp !== undefined) return false;
  const { groupedGeneration } = (kept ?? {}) as Kept;
  return (
    actions.some(({ verb }) => verb === 'create') ||
    isNewJob(job, podSetOf(pods).size) ||
    (groupedGeneration !== undefined && groupedGeneration !== job.metadata.generation)
  );
}

function foundIn({ read, owner: { metadata } }: JobSnapshot): SchedulingObjects | 'unread' | 'notServed' {
  const [workloads, podGroups] = LISTED.map((want) => read?.get(readKeyOf(want, metadata.namespace ?? '')));
  if (!workloads || !podGroups) return 'unread';
  if (!workloads.objects || !podGroups.objects) return 'notServed';
  return { workloads: workloads.objects as SchedulingWorkload[], podGroups: podGroups.objects as PodGroup[] };
}

function stepActions(job: Job, next: Extract<SchedulingStep, { step: 'create' | 'resize' }>): Action[] {
  const resource = resourceOf(next.object);
  const { namespace = job.metadata.namespace ?? '', name = '', uid = '', resourceVersion } = next.object.metadata;
  const { apiVersion, kind } = resource;
  const problem = `Error ${next.step === 'create' ? 'creating' : 'changing'} ${kind} for Job ${nameOf(job)}`;
  if (next.step === 'create') {
    const event = { reason: 'FailedWorkloadCreate', message: `Failed to create Workload for Job ${job.metadata.name ?? ''}` };
    return [
      { verb: 'create', resource, object: next.object, ifRefused: { problem, event }, why: next.why },
      eventAction(job, next.created),
    ];
  }
  const target = { apiVersion, kind, namespace, name, uid, ...(resourceVersion !== undefined && { resourceVersion }) };
  const how = { purpose: 'resize', canBeTakenBack: false, type: 'merge', patch: next.patch, ifRefused: { problem } } as const;
  return [{ verb: 'patch', resource, ...target, ...how, why: next.why }];
}

const parked = (why: string): NewPlan<JobStatus> => ({ actions: [], outcome: 'parked', why: [why] });

const nameOf = ({ metadata: { namespace = '', name = '' } }: Job): string => `${namespace}/${name}`;
