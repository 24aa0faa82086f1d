// The actions of a pass over a Job: pods started and stopped, the status written, events.
import type { Job, JobStatus } from '../../../objects/kubernetes.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';
import { PODS } from '../../../objects/resources.ts';
import type { Action, Target } from '../../rows/plan.ts';
import type { NewEvent } from '../terms/event.ts';
import type { Child } from './numbers.ts';
import { stripAction, targetOf } from './ownership.ts';
import { podMaker, type SchedulingGroup } from './pod.ts';

const jobTarget = ({ metadata }: Job): Target => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
});

export const eventAction = (job: Job, event: NewEvent): Action => ({
  verb: 'event',
  ...event,
  regarding: jobTarget(job),
  why: 'people and tools follow a Job by its events',
});

/** The creates, then their events. @param delayed failed pods whose places are taken, by index */
export function createActions(
  job: Job,
  children: readonly Child[],
  { delayed, why, group }: { delayed: ReadonlyMap<number, PodFacts>; why: string; group?: SchedulingGroup | undefined },
): Action[] {
  if (children.length === 0) return [];
  const make = podMaker(job, group);
  const indexed = job.spec.completionMode === 'Indexed';
  const regarding = jobTarget(job);
  const creates: Action[] = [];
  const events: Action[] = [];
  for (const { slot, number } of children) {
    const replaces = delayed.get(slot);
    const object = make({ slot, number, replaces });
    const reason = !indexed
      ? why
      : replaces
        ? `${why}; index ${slot} is tried again, ${replaces.name} failed`
        : `${why}; index ${slot} is open`;
    creates.push({ verb: 'create', resource: PODS, object, child: { slot, number }, why: reason });
    const about = object.metadata.name ?? '';
    const message = `Created pod: ${about}`;
    events.push({ verb: 'event', type: 'Normal', reason: 'SuccessfulCreate', message, regarding, about, why: 'a pod was created' });
  }
  return [...creates, ...events];
}

/**
 * The deletes of active pods, then their events.
 * @param uncounted the finalizer comes off first, so that the pod is never counted as failed
 * @param evenTracked if the API server refuses that, the pod is deleted all the same
 */
export function deleteActions(
  job: Job,
  pods: readonly PodFacts[],
  { uncounted, evenTracked = false, why }: { uncounted: boolean; evenTracked?: boolean; why: string },
): Action[] {
  if (pods.length === 0) return [];
  const strips = uncounted ? pods.filter(({ tracked }) => tracked).map((pod) => stripAction(pod, `removed and not counted: ${why}`)) : [];
  const deletes = pods.map((pod): Action => {
    return {
      verb: 'delete',
      resource: PODS,
      ...targetOf(pod),
      active: true,
      resourceVersion: pod.resourceVersion,
      ...(evenTracked && { evenTracked }),
      why,
    };
  });
  const regarding = jobTarget(job);
  const events = pods.map(({ name }): Action => {
    const message = `Deleted pod: ${name}`;
    return { verb: 'event', type: 'Normal', reason: 'SuccessfulDelete', message, regarding, about: name, why: 'a pod was deleted' };
  });
  return [...strips, ...deletes, ...events];
}

/** The status as the API server stores it: counters that are 0 and empty texts are left out, `ready` and `terminating` are not. */
export function storedStatus(status: JobStatus): JobStatus {
  const { conditions, startTime, completionTime, active, succeeded, failed, terminating, ready } = status;
  const { completedIndexes, failedIndexes, uncountedTerminatedPods } = status;
  return {
    ...(conditions?.length && { conditions }),
    ...(startTime !== undefined && { startTime }),
    ...(completionTime !== undefined && { completionTime }),
    ...(active && { active }),
    ...(succeeded && { succeeded }),
    ...(failed && { failed }),
    ...(terminating !== undefined && { terminating }),
    ...(completedIndexes && { completedIndexes }),
    ...(failedIndexes !== undefined && { failedIndexes }),
    uncountedTerminatedPods: uncountedTerminatedPods ?? {},
    ...(ready !== undefined && { ready }),
  };
}

/** The events of a Job's end: the terminal condition's reason, after a warning if more pods succeeded than were asked for. */
export function finishEvents(job: Job, status: JobStatus, verdict: { succeeded: boolean; reason: string; message: string }): Action[] {
  if (!verdict.succeeded) return [eventAction(job, { type: 'Warning', reason: verdict.reason, message: verdict.message })];
  const completed = eventAction(job, { type: 'Normal', reason: 'Completed', message: 'Job completed' });
  const { completions } = job.spec;
  if (completions === undefined || (status.succeeded ?? 0) <= completions) return [completed];
  const message = 'Too many succeeded pods running after completion count reached';
  return [eventAction(job, { type: 'Warning', reason: 'TooManySucceededPods', message }), completed];
}
