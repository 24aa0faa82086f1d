// Actions of a decision on a pod: evictions, events, writes.
import type { Pod } from '../../objects/kubernetes.ts';
import type { DocumentPlan, EvictAction } from '../rows/kind-manifests.ts';
import type { Action, Target } from '../rows/plan.ts';
import type { Admission } from '../preemption/checks/admission.ts';
import { isInsufficient, type AdmissionFailure, type Refusal } from '../preemption/checks/admission-failures.ts';
import { evictedStatus, PREEMPTING_EVENT } from '../preemption/victims/eviction.ts';
import { killWaitSeconds } from '../preemption/node/kill-wait.ts';
import { rejectedStatus, rejectionEvent } from '../preemption/checks/rejection.ts';
import { reasonsFor, victimText, type ReasonsAbout } from './reasons.ts';

export type Answer = Omit<DocumentPlan, 'head'>;

interface About extends ReasonsAbout {
  incoming: Pod;
  now: Date;
}

/** The answer to a decision that was just made. */
export function decided(made: Admission, about: About): Answer {
  const { state, reason = '', message = '', failures, victims } = made;
  const { incoming, now } = about;
  const admission = {
    state,
    ...(state === 'rejected' && { reason, message }),
    failures: failures.map(shownFailure),
    victims: victims.map(nameOf),
  };
  const why = reasonsFor(made, about);
  if (state === 'rejected') return { ...rejected({ reason, message }, incoming), admission, why };
  return {
    actions: victims.flatMap((victim) => evictions(victim, { incoming, now, why: victimText(victim, failures) })),
    status: incoming.status ?? {},
    admission,
    ...(victims.length > 0 && { requeueAfterSeconds: Math.min(...victims.map(killWaitSeconds)) }),
    outcome: state === 'admitted' ? 'converged' : 'acted',
    why,
  };
}

export function rejected(refusal: Refusal, incoming: Pod): Omit<Answer, 'why'> {
  const status = rejectedStatus(incoming, refusal);
  return {
    actions: [
      { verb: 'event', ...rejectionEvent(refusal), regarding: targetOf(incoming), why: '' },
      { verb: 'status', status, why: 'a rejected pod is never decided on again' },
    ],
    status,
    outcome: 'acted',
  };
}

/** @param why what the victim is and frees */
export function evictions(victim: Pod, { incoming, now, why }: { incoming: Pod; now: Date; why: string }): (Action | EvictAction)[] {
  const reason = `for ${incoming.metadata.namespace}/${incoming.metadata.name}: ${why}`;
  return [
    { verb: 'event', ...PREEMPTING_EVENT, regarding: targetOf(victim), why: reason },
    { verb: 'evict', ...targetOf(victim), status: evictedStatus(victim, now), why: reason },
  ];
}

export const targetOf = (pod: Pod): Target => ({ apiVersion: 'v1', kind: 'Pod', ...nameOf(pod) });

const nameOf = ({ metadata: { namespace = '', name = '', uid = '' } }: Pod) => ({ namespace, name, uid });

/** With numbers, as JSON has them. */
function shownFailure(failure: AdmissionFailure): object {
  if (!isInsufficient(failure)) return { predicate: failure.predicate, message: failure.message };
  const { resource, requested, used, capacity } = failure;
  return { resource, requested: Number(requested), used: Number(used), capacity: Number(capacity) };
}
