// The two objects that stand for a Job's pods before the scheduler (alpha, behind the cluster's switch): looked up live and made before
// the first pod. Each step is decided anew from what there is, so that a pass that died halfway leaves nothing to repair.
import { POD_GROUPS, SCHEDULING_WORKLOADS, type PodGroup, type SchedulingWorkload } from '../../objects/job-scheduling.ts';
import { isJobFinished } from '../../objects/job-facts.ts';
import type { Job, KubernetesObject } from '../../objects/kubernetes.ts';
import { isNewJob, nextSchedulingStep, schedulingModeOf, type SchedulingGroup, type SchedulingStep } from '../../kinds/job/scheduling.ts';
import { eventAction } from '../../kinds/job/actions.ts';
import type { Plan } from '../../kinds/plan.ts';
import { ConflictError, NotDoneError, NotFoundError, TerminalError, ThrottledError } from '../../ports/errors.ts';
import type { Execution } from './actions.ts';
import { wordsOf } from './parking.ts';
import type { Pass } from './pass.ts';

/** A Workload and a group made, both changed, and two races lost. */
const MOST_STEPS = 8;

/** Whether this plan must know its group before it is carried out: before the first status too, which tells that the Job has begun. */
export function needsSchedulingGroup({ record, owner: workload, pods, state }: Pass, { actions, outcome }: Plan<object>): boolean {
  const owner = workload as Job | undefined;
  if (record.workloadWithJob !== true || !owner || outcome === 'notOurs' || outcome === 'parked') return false;
  if (isJobFinished(owner) || owner.metadata.deletionTimestamp !== undefined) return false;
  return (
    actions.some(({ verb }) => verb === 'create') ||
    isNewJob(owner, pods.size) ||
    (state.groupedGeneration !== undefined && state.groupedGeneration !== owner.metadata.generation)
  );
}

/**
 * Makes or changes what is missing.
 * @returns the group, none, or why a person must act
 * @throws what passes by itself: ports/errors.ts
 */
export async function ensureSchedulingGroup(execution: Execution): Promise<{ group: SchedulingGroup | undefined } | { problem: string }> {
  const { pass } = execution;
  // Template and annotations decide, which no view holds.
  const { owner } = (pass.live ?? (await pass.readOwner())) as { owner: Job };
  let found = schedulingModeOf(owner) === 'none' ? { workloads: [], podGroups: [] } : await findObjects(pass);
  if (found === undefined)
    return { problem: `the API server serves no ${SCHEDULING_WORKLOADS.apiVersion}: switch its Workload API on, or this feature off` };
  for (let count = 1; count <= MOST_STEPS; count++) {
    const next = nextSchedulingStep(owner, found, pass.pods.size);
    if (next.step === 'fail') {
      const message = `Failed to compile Workload for Job ${owner.metadata.name ?? ''}: ${next.problem}`;
      tell(pass, owner, { type: 'Warning', reason: 'FailedWorkloadCompilation', message });
      return { problem: `ensuring Workload and PodGroup for Job ${nameOf(owner)}: ${next.problem}` };
    }
    if (next.step === 'done') {
      pass.why.push(next.why);
      pass.state = { ...pass.state, groupedGeneration: owner.metadata.generation ?? 0 };
      return { group: next.group };
    }
    try {
      await take(execution, owner, next);
    } catch (error) {
      if (error instanceof TerminalError) {
        const { kind } = next.object;
        if (next.step === 'create')
          tell(pass, owner, { type: 'Warning', reason: 'FailedWorkloadCreate', message: failureText(owner, error) });
        return { problem: `Error ${next.step === 'create' ? 'creating' : 'changing'} ${kind} for Job ${nameOf(owner)}: ${error.message}` };
      }
      // Somebody was first, or has just deleted it: what there is decides.
      if (!(error instanceof ConflictError || error instanceof NotFoundError)) throw error;
    }
    found = (await findObjects(pass)) ?? found;
  }
  throw new NotDoneError('Workload and PodGroup changed again and again');
}

const nameOf = ({ metadata: { namespace = '', name = '' } }: Job): string => `${namespace}/${name}`;
const failureText = ({ metadata: { name = '' } }: Job, error: Error): string =>
  `Failed to create Workload for Job ${name}: ${wordsOf(error)}`;

/** @returns undefined where the API is not served */
async function findObjects(pass: Pass): Promise<{ workloads: SchedulingWorkload[]; podGroups: PodGroup[] } | undefined> {
  const { namespace } = pass.key;
  try {
    const workloads = await pass.cluster.list<SchedulingWorkload>(SCHEDULING_WORKLOADS, { namespace }, pass.deadline);
    const podGroups = await pass.cluster.list<PodGroup>(POD_GROUPS, { namespace }, pass.deadline);
    return { workloads: workloads.items, podGroups: podGroups.items };
  } catch (error) {
    if (error instanceof NotFoundError || (error instanceof TerminalError && error.code === 404)) return undefined;
    throw error;
  }
}

async function take({ pass, budget }: Execution, owner: Job, next: Extract<SchedulingStep, { step: 'create' | 'resize' }>): Promise<void> {
  const { granted, retryAfterMs } = await budget.take(pass.record, 1);
  if (granted === 0) throw new ThrottledError('the write budget is spent', { retryAfterSeconds: Math.max(retryAfterMs / 1000, 0.2) });
  const resource = next.object.kind === POD_GROUPS.kind ? POD_GROUPS : SCHEDULING_WORKLOADS;
  const { name = '', uid = '', resourceVersion } = next.object.metadata;
  if (next.step === 'create') {
    await pass.cluster.create<KubernetesObject>(resource, next.object, pass.deadline);
    tell(pass, owner, next.created);
  } else {
    const body = { ...next.patch, metadata: { uid, ...(resourceVersion !== undefined && { resourceVersion }) } };
    await pass.cluster.patch(resource, { namespace: pass.key.namespace, name, uid }, { type: 'merge', body }, pass.deadline);
  }
  const verb = next.step === 'create' ? `create ${resource.kind}` : `resize ${resource.kind}`;
  pass.actions.push({ verb, target: name, why: next.why, result: 'done' });
}

function tell(pass: Pass, owner: Job, event: Parameters<typeof eventAction>[1]): void {
  const action = eventAction(owner, event);
  if (action.verb === 'event') pass.events.push(action);
}
