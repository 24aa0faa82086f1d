// A pod's pass after a call of the provider that failed (spec sections 7.5 and 9.1).
import type { PodStatus } from '../../objects/kubernetes.ts';
import { ownerEvent } from '../rows/actions.ts';
import type { Action, FailedCall, NewPlan } from '../rows/plan.ts';
import { virtualPodFacts, type VirtualPod } from './facts.ts';
import type { Kept } from './kept.ts';
import { failedStatus, isShownBy } from './task-status.ts';

/** Afterwards a person, or the sweep, must look. */
const MOST_TRIES = 20;
/** A trouble that may pass shows in the status only from then on. */
const TRIES_BEFORE_STATUS = 5;
const BACKOFF_MS = { first: 1_000, most: 300_000 };

/** An object that its environment names may come at any time: it is looked for again and again. */
const UNRESOLVED_MS = { first: 1_000, most: 60_000 };

const REASONS = {
  start: 'ProviderCreateFailed',
  update: 'ProviderUpdateFailed',
  stop: 'ProviderDeleteFailed',
  forget: 'ProviderDeleteFailed',
} as const;
const LONGEST_MESSAGE = 900;

export function afterFailure({ pod, kept, now }: { pod: VirtualPod; kept: Kept; now: Date }, failed: FailedCall): NewPlan<PodStatus, Kept> {
  const { call, message, outcome } = failed;
  const { namespace, name } = pod.metadata;
  const text = message.slice(0, LONGEST_MESSAGE);
  const told: Action = ownerEvent(virtualPodFacts, pod, { type: 'Warning', reason: REASONS[call], message: text });
  // It is not there to be stopped: that is what was wanted.
  if (call === 'stop' && outcome === 'notFound')
    return {
      actions: [told],
      why: ['the provider knows no such task'],
      head: { kept: { ...kept, note: 'the provider knows no such task' } },
      requeueAfterSeconds: 1,
    };
  if (outcome === 'unresolved') return unresolved({ pod, kept, now }, failed);
  const count = (kept.failures?.isUnresolved ? 0 : (kept.failures?.count ?? 0)) + 1;
  const waitMs = Math.max(Math.min(BACKOFF_MS.first * 2 ** (count - 1), BACKOFF_MS.most), (failed.retryAfterSeconds ?? 0) * 1000);
  const failures = { count, untilMs: now.getTime() + waitMs, message: text };
  const next = keptAfter(kept, failed, pod, failures);
  const why = `the provider does not ${call} its task: ${text}`;
  const head = { kept: { ...next, note: why } };
  const status = call === 'start' && (outcome === 'refused' || count > TRIES_BEFORE_STATUS) ? failedStatus(pod, text) : undefined;
  const writes: Action[] =
    status && !isShownBy(status, pod.status) ? [{ verb: 'status', status, why, ...(status.phase === 'Failed' && { isFinal: true }) }] : [];
  if (count >= MOST_TRIES && status?.phase !== 'Failed') {
    const problem = `maximum retries (${MOST_TRIES}) reached: failed to ${call === 'stop' ? 'delete' : 'sync'} pod "${namespace}/${name}" in the provider: ${text}`;
    return { actions: [told], why: [problem], outcome: 'parked', head: { kept: { ...next, failures: { ...failures, count: 0 } } } };
  }
  return {
    actions: [...writes, told],
    why: [why],
    head,
    requeueAfterSeconds: waitMs / 1000,
    ...(status?.phase === 'Failed' && { continues: true }),
  };
}

/** Events have told what is missing (spec section 7.4): no status does, and the pod is not parked. */
function unresolved({ pod, kept, now }: { pod: VirtualPod; kept: Kept; now: Date }, failed: FailedCall): NewPlan<PodStatus, Kept> {
  const message = failed.message.slice(0, LONGEST_MESSAGE);
  const count = (kept.failures?.isUnresolved ? kept.failures.count : 0) + 1;
  const waitMs = Math.max(
    Math.min(UNRESOLVED_MS.first * 2 ** Math.min(count - 1, 10), UNRESOLVED_MS.most),
    (failed.retryAfterSeconds ?? 0) * 1_000,
  );
  const next = keptAfter(kept, failed, pod, { count, untilMs: now.getTime() + waitMs, message, isUnresolved: true });
  const why = noteOfFailure(next.failures);
  return { actions: [], why: [why], head: { kept: { ...next, note: why } }, requeueAfterSeconds: waitMs / 1000 };
}

/** Why its task is not started now. */
export const noteOfFailure = ({ message, isUnresolved }: Partial<NonNullable<Kept['failures']>> = {}): string =>
  isUnresolved ? `its environment cannot be had yet: ${message}` : `the provider failed: ${message}`;

/** A start that was not carried out is none: nothing of it can be there. One without an answer may be. */
function keptAfter(kept: Kept, { call, outcome }: FailedCall, pod: VirtualPod, failures: NonNullable<Kept['failures']>): Kept {
  if (call === 'start') {
    const { ordered, ...rest } = kept;
    return outcome === 'unknown' ? { ...rest, ...(ordered && { ordered }), failures } : { ...rest, failures };
  }
  // Refused for good: it is not asked for again until the pod changes once more.
  if (call === 'update' && kept.ordered) {
    const digest = outcome === 'refused' || outcome === 'notFound' ? pod.spec.digest : '';
    return { ...kept, ordered: { ...kept.ordered, digest }, failures };
  }
  const { isSentAtMs: _sent, ...stop } = kept.stop ?? { atMs: 0, graceSeconds: 1 };
  return call === 'stop' ? { ...kept, stop, failures } : { ...kept, failures };
}
