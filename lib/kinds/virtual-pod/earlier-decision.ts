// A decision that an earlier pass made: it is carried out, and never made again.
import type { Pod } from '../../objects/kubernetes.ts';
import type { Action } from '../rows/plan.ts';
import { LATE_EVENT } from '../preemption/victims/eviction.ts';
import { evictions, rejected, targetOf, type Answer } from './decision-plan.ts';
import type { AdmissionRecord } from './manifest-shapes.ts';

type Victim = NonNullable<AdmissionRecord['preemption']>['victims'][number];

interface About {
  /** The others of its node, without those that have ended. */
  pods: readonly Pod[];
  incoming: Pod;
  now: Date;
}

export function carriedOut({ state, reason = '', message = '', preemption }: AdmissionRecord, about: About): Answer {
  const { incoming } = about;
  const victims = preemption?.victims ?? [];
  const admission = { failures: [], victims: victims.map(({ namespace, name, uid }) => ({ namespace, name, uid })) };
  const why = [`an earlier pass decided: ${state}`];
  const unchanged: Answer = { actions: [], status: incoming.status ?? {}, admission: { state, ...admission }, outcome: 'converged', why };
  if (state === 'rejected') {
    const told = { admission: { state, reason, message, ...admission }, why };
    return { ...(incoming.status?.phase === 'Failed' ? unchanged : rejected({ reason, message }, incoming)), ...told };
  }
  if (state !== 'preempting') return unchanged;
  if (incoming.metadata.deletionTimestamp !== undefined)
    return { ...unchanged, admission: { state: 'cancelled', ...admission }, why: [...why, 'the pod is deleted, so it waits no longer'] };
  const waiting = waitingFor(victims, about);
  const isOver = waiting.requeueAfterSeconds === undefined;
  return {
    ...unchanged,
    ...waiting,
    admission: { state: isOver ? 'admitted' : state, ...admission },
    why: [...why, isOver ? 'it waits for no victim any more, so it is admitted without another check' : 'victims of it have not ended'],
  };
}

/** A victim has ended if it is gone or its phase is final. At its deadline it counts as ended. */
function waitingFor(
  victims: readonly Victim[],
  { pods, incoming, now }: About,
): Pick<Answer, 'actions' | 'outcome'> & { requeueAfterSeconds?: number } {
  const awaited = victims.flatMap(({ uid, deadline, done, failed }) => {
    const pod = done || failed ? undefined : pods.find(({ metadata }) => metadata.uid === uid);
    return pod ? [{ pod, seconds: (Date.parse(deadline) - now.getTime()) / 1000 }] : [];
  });
  const late = awaited.filter(({ seconds }) => seconds <= 0);
  const inTime = awaited.filter(({ seconds }) => seconds > 0);
  return {
    actions: [
      ...late.map(({ pod }): Action => ({ verb: 'event', ...LATE_EVENT, regarding: targetOf(pod), why: '' })),
      // Repeated, for a crash may have come before them.
      ...inTime.flatMap(({ pod }) => evictions(pod, { incoming, now, why: 'an earlier pass chose it' })),
    ],
    outcome: awaited.length > 0 ? 'acted' : 'converged',
    ...(inTime.length > 0 && { requeueAfterSeconds: Math.min(...inTime.map(({ seconds }) => seconds)) }),
  };
}
