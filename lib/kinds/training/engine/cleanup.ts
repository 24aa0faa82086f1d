// The pods and objects that go once a job is finished or suspended.
import { SERVICES } from '../../../objects/resources.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';
import type { Action } from '../../rows/plan.ts';
import { deleteChildActions, deletePodActions, eventAction } from '../objects/actions.ts';
import { AUTOSCALERS } from '../objects/autoscaler.ts';
import { livingIn, type Situation } from './situation.ts';

/** Why the objects go. Only a finished job has a choice. */
export type CleanUpCause = { is: 'finished'; cleanPodPolicy: string } | { is: 'suspended' } | { is: 'limit' };

/** Whether the pod stays. */
export function keepsPod(cause: CleanUpCause, { phase }: Pick<PodFacts, 'phase'>): boolean {
  if (cause.is !== 'finished') return false;
  if (cause.cleanPodPolicy === 'None') return true;
  return cause.cleanPodPolicy === 'Running' && phase !== 'Running' && phase !== 'Pending';
}

/** Whether the service stays: it does with its slot's pod. @param pod of the same name */
export function keepsService(cause: CleanUpCause, pod: Pick<PodFacts, 'phase'> | undefined): boolean {
  if (cause.is === 'finished' && cause.cleanPodPolicy === 'None') return true;
  return pod !== undefined && keepsPod(cause, pod);
}

/** Deletes of pods and services, by the cause. A delete that was refused a moment ago waits. */
export function cleanUpActions(situation: Situation, cause: CleanUpCause): { actions: Action[]; heldSeconds?: number } {
  const { given, terms, present, nowMs } = situation;
  const { head } = given;
  const byName = new Map(present.own.map((pod) => [pod.name, pod]));
  const why = `the job is ${cause.is === 'limit' ? 'over one of its limits' : cause.is}`;
  const leaving = present.own.filter(
    (pod) => pod.deletedAt === undefined && !keepsPod(cause, pod) && !head.expectations.delete.includes(pod.uid),
  );
  const heldMs = (head.deleteHoldUntilMs ?? 0) - nowMs;
  const isHeld = heldMs > 0 && leaving.length > 0;
  const services = livingIn(situation, SERVICES).filter(({ name }) => !keepsService(cause, byName.get(name)));
  return {
    actions: [
      ...(isHeld ? [] : leaving).flatMap((pod) => deletePodActions(terms, pod, why)),
      ...services.flatMap((child) =>
        deleteChildActions(terms, { resource: SERVICES, child }, why, {
          reason: 'SuccessfulDeleteService',
          message: `Deleted service: ${child.name}`,
        }),
      ),
    ],
    ...(isHeld && { heldSeconds: heldMs / 1000 }),
  };
}

/** The pod group goes with its events, and the autoscaler. */
export function leavingObjects(situation: Situation, why: string): Action[] {
  const { gang, terms } = situation;
  const groups = gang ? livingIn(situation, gang.resource).filter(({ terminating }) => !terminating) : [];
  const scalers = terms.framework.isAutoscaled ? livingIn(situation, AUTOSCALERS) : [];
  return [
    ...(gang
      ? groups.flatMap((child) => [
          eventAction(terms, { type: 'Normal', reason: 'JobTerminated', message: 'Job has been terminated. Deleting PodGroup' }),
          ...deleteChildActions(terms, { resource: gang.resource, child }, why, {
            reason: 'SuccessfulDeletePodGroup',
            message: `Deleted PodGroup: ${terms.name}`,
          }),
        ])
      : []),
    ...scalers.flatMap((child) => deleteChildActions(terms, { resource: AUTOSCALERS, child }, why)),
  ];
}
