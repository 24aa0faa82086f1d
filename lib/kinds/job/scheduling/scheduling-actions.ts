// The steps to a Job's scheduling group as actions: those of a pass in which each one succeeds.
import { POD_GROUPS, SCHEDULING_WORKLOADS, type PodGroup, type SchedulingWorkload } from '../../../objects/job-scheduling.ts';
import type { Job, KubernetesObject } from '../../../objects/kubernetes.ts';
import type { Resource } from '../../../objects/resources.ts';
import type { Action } from '../../rows/plan.ts';
import { eventAction } from '../pods/actions.ts';
import type { SchedulingGroup } from '../pods/pod.ts';
import { nextSchedulingStep, type SchedulingObjects } from './scheduling.ts';

/** A Workload and a group, each created or changed. */
const MOST_STEPS = 6;
/** For an object that no API server has stored yet. */
const UNSTORED_UID = '00000000-0000-0000-0000-000000000000';

export interface SchedulingActions {
  actions: Action[];
  group: SchedulingGroup | undefined;
  why: string;
  /** Why it cannot continue. */
  problem?: string;
}

/** @param pods number of the Job's pods */
export function schedulingActions(job: Job, given: SchedulingObjects, pods: number): SchedulingActions {
  const actions: Action[] = [];
  let found = given;
  for (let count = 0; count < MOST_STEPS; count++) {
    const next = nextSchedulingStep(job, found, pods);
    if (next.step === 'fail') return { actions, group: undefined, why: next.problem, problem: next.problem };
    if (next.step === 'done') return { actions, group: next.group, why: next.why };
    if (next.step === 'create') {
      actions.push(
        { verb: 'create', resource: resourceOf(next.object), object: next.object, why: next.why },
        eventAction(job, next.created),
      );
      found = withObject(found, { ...next.object, metadata: { ...next.object.metadata, uid: UNSTORED_UID } });
    } else {
      const { apiVersion = '', kind = '', metadata } = next.object;
      const { namespace = '', name = '', uid = '' } = metadata;
      const target = { apiVersion, kind, namespace, name, uid };
      actions.push({
        verb: 'patch',
        resource: resourceOf(next.object),
        purpose: 'resize',
        canBeTakenBack: false,
        ...target,
        type: 'merge',
        patch: next.patch,
        why: next.why,
      });
      found = withObject(found, changed(next.object, next.patch));
    }
  }
  throw new Error('the steps to a scheduling group do not end');
}

export const resourceOf = ({ kind }: KubernetesObject): Resource => (kind === POD_GROUPS.kind ? POD_GROUPS : SCHEDULING_WORKLOADS);

const isPodGroup = (object: KubernetesObject): object is PodGroup => object.kind === 'PodGroup';

function withObject({ workloads, podGroups }: SchedulingObjects, object: KubernetesObject): SchedulingObjects {
  const others = <Item extends KubernetesObject>(items: readonly Item[]): Item[] =>
    items.filter(({ metadata }) => metadata.name !== object.metadata.name);
  return isPodGroup(object)
    ? { workloads, podGroups: [...others(podGroups), object] }
    : { workloads: [...others(workloads), object as SchedulingWorkload], podGroups };
}

/** Applies a merge patch of the spec: merges objects, replaces anything else. */
function changed<Value extends object>(object: Value, patch: object): Value {
  const joined: Record<string, unknown> = Object.fromEntries(Object.entries(object));
  for (const [field, value] of Object.entries(patch) as [string, unknown][]) {
    const known = joined[field];
    const areObjects = [known, value].every((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
    joined[field] = areObjects ? changed(known as object, value as object) : value;
  }
  return { ...object, ...joined };
}
