// The actions of a pass over a Job: pods started and stopped, the status written, events.
import type { Job, JobStatus } from '../../../objects/kubernetes.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';
import { PODS } from '../../../objects/resources.ts';
import type { Action } from '../../rows/plan.ts';
import type { NewEvent } from '../../rows/actions.ts';
import type { Child } from './numbers.ts';
import { stripAction } from './ownership.ts';
import { targetOf } from '../../rows/belonging.ts';
import { podMaker, type SchedulingGroup } from './pod.ts';
import { JOBS } from '../../../objects/resources.ts';
import { deletePodAction, eventAction as eventAbout } from '../../rows/actions.ts';

export const eventAction = (job: Job, event: NewEvent, why = 'people and tools follow a Job by its events'): Action =>
  eventAbout(targetOf(JOBS, job.metadata), event, why);

/** The creates, then their events. @param delayed failed pods whose places are taken, by index */
export function createActions(
  job: Job,
  children: readonly Child[],
  { delayed, why, group }: { delayed: ReadonlyMap<number, PodFacts>; why: string; group?: SchedulingGroup | undefined },
): Action[] {
  if (children.length === 0) return [];
  const make = podMaker(job, group);
  const indexed = job.spec.completionMode === 'Indexed';
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
    const created: NewEvent = { type: 'Normal', reason: 'SuccessfulCreate', message: `Created pod: ${about}`, about };
    events.push(eventAction(job, created, 'a pod was created'));
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
  const deletes = pods.map((pod) => deletePodAction(pod, why, { active: true, evenTracked }));
  const events = pods.map(({ name }) => {
    const deleted: NewEvent = { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${name}`, about: name };
    return eventAction(job, deleted, 'a pod was deleted');
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
