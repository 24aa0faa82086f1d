// Computes a workload's reasons from the table.
import type { PodFacts } from '../objects/pods/pod-facts.ts';
import type { WorkloadObject } from '../objects/kubernetes.ts';
import { ownEntry } from '../objects/values/untyped-fields.ts';
import type { KindFacts } from '../kinds/rows/kind.ts';
import type { KindShown } from '../kinds/rows/kind-shown.ts';
import { LEAVING, type Circumstances, type Reason } from '../kinds/rows/reasons.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import type { PassRecord } from '../ports/recorder.ts';
import { OUT_OF_TIME } from '../reconciler/acting/actions.ts';
import type { PassState } from '../reconciler/head/pass-state.ts';
import { TOO_OFTEN } from '../reconciler/planning/parking.ts';
import { parkedIn, reasonsByKind } from '../reconciler/summary/kind-reasons.ts';
import type { ClusterState, Trouble } from '../reconciler/cluster/cluster-state.ts';

export interface Seen {
  row: { facts: KindFacts; shown: KindShown };
  owner: WorkloadObject | undefined;
  /** Why the workload has no owner, if known. */
  ownerIs?: 'gone' | 'none' | undefined;
  pods: readonly PodFacts[];
  state: PassState | undefined;
  record: ClusterRecord;
  /** The states of its cluster that concern its namespace. */
  clusterStates: readonly ClusterState[];
  /** Trouble that passes had with the cluster. */
  trouble: Trouble | undefined;
  /** When a pass is due; undefined if none is. */
  nextWakeAtMs: number | undefined;
  /** The latest passes, newest first. */
  passes: readonly PassRecord[];
}

/** @param times by our clock; `offsetMs`: how far the cluster's clock is ahead of it (R12) */
export function workloadReasons(seen: Seen, { nowMs, offsetMs }: { nowMs: number; offsetMs: number }): Reason[] {
  const { row, owner, record } = seen;
  if (record.leaving && !(owner && row.facts.isFinished(owner))) return [LEAVING];
  const circumstances = circumstancesOf(seen, nowMs);
  const reasons = reasonsByKind(seen, circumstances, { nowMs, offsetMs });
  // The server does not answer now, so its earlier refusals delay nothing.
  return circumstances.unreachable ? reasons.filter(({ code }) => code !== 'RefusedByApiServer' && code !== 'WriteBudgetSpent') : reasons;
}

function circumstancesOf(seen: Seen, nowMs: number): Circumstances {
  const { row, ownerIs, state, record, trouble, passes } = seen;
  const { purposes } = row.shown;
  const [latest] = passes;
  const againMs = latest?.nextWakeAtMs === undefined ? 0 : latest.nextWakeAtMs - nowMs;
  const refusals = passes.map(({ actions }) => actions.filter(({ verb, result }) => result === 'refused' && verb !== 'status'));
  // A hold also follows a create that had no answer and no effect, not only a refused one.
  const held = passes.flatMap(({ actions }) => actions.filter(({ result }) => result === 'refused' || result === 'unknown'));
  const heldVerb = state?.hold?.verb ?? 'create';
  const refusal = held.find(({ verb }) => verb === heldVerb)?.detail ?? (heldVerb === 'delete' ? keptIn(held, purposes) : undefined);
  // A pass stopped twice by refusals about a pod or the owner backs off. One that releases pods backs off after the first.
  const isStopped =
    (latest?.outcome === 'failed' && latest.error !== TOO_OFTEN) || (ownerIs !== undefined && latest?.outcome === 'waiting');
  const last = isStopped && againMs > 0 ? refusals[0]?.at(-1) : undefined;
  const reason = last?.detail ?? latest?.error ?? 'it does not say why';
  const hindered = last
    ? { what: whatOf(last, purposes), reason, remainingMs: againMs }
    : trouble
      ? undefined
      : unansweredIn(latest, againMs, purposes);
  return {
    ...parkedIn(state, nowMs),
    ...clusterCircumstances(seen, nowMs),
    isDrained: record.draining === true,
    isLeaving: record.leaving === true,
    // Only without an error: the pass then waits because the table was lost, not because a call had no answer.
    ...(latest?.outcome === 'unknown' && latest.error === undefined && againMs > 0 && { leftAloneMs: againMs }),
    ...(latest?.outcome === 'throttled' && againMs > 0 && { throttledMs: againMs }),
    ...(refusal !== undefined && { refusal }),
    ...(hindered && { hindered }),
  };
}

/** The states of its cluster, as circumstances of the workload. */
export function clusterCircumstances(
  { clusterStates, trouble, nextWakeAtMs }: Pick<Seen, 'clusterStates' | 'trouble' | 'nextWakeAtMs'>,
  nowMs: number,
): Circumstances {
  const circumstances: Circumstances = {};
  for (const { state, sinceMs = nowMs, text } of clusterStates) {
    if (state === 'Unreachable' || state === 'Refused') {
      // If no pass of this workload is due, the pass of another workload may probe the cluster.
      const againAtMs = [nextWakeAtMs, trouble?.probeAtMs].find((atMs = 0) => atMs > nowMs) ?? nextWakeAtMs;
      const remainingMs = againAtMs === undefined ? undefined : Math.max(againAtMs - nowMs, 0);
      circumstances.unreachable = { sinceMs, reason: trouble?.reason ?? text, remainingMs, isRefused: state === 'Refused' };
    }
    if (state === 'Forbidden') circumstances.forbidden = trouble?.reason ?? text;
    if (state === 'Silent') circumstances.relaySilentMs = nowMs - sinceMs;
    if (UNOBSERVED.has(state)) circumstances.unobserved ??= text;
  }
  return circumstances;
}

const UNOBSERVED = new Set(['RelayCutOff', 'RelayTooNew', 'WatchRefused', 'WatchStuck']);

/** The refusal that prevents a pod's deletion although no delete was refused. */
function keptIn(actions: PassRecord['actions'], purposes: Purposes): string | undefined {
  for (const { verb, target, result, detail } of actions) {
    const keeps = ownEntry(purposes, verb)?.keeps;
    if (keeps !== undefined && result === 'refused') return detail && `${keeps} ${target}: ${detail}`;
  }
  return undefined;
}

type Purposes = KindShown['purposes'];

/** The call that ended the latest pass, if all that came of it was no answer, or an error of the server's own. */
function unansweredIn(latest: PassRecord | undefined, againMs: number, purposes: Purposes): Circumstances['hindered'] {
  if (latest?.error === undefined || latest.error === OUT_OF_TIME) return undefined;
  if (latest.outcome !== 'unknown' && latest.outcome !== 'notDone') return undefined;
  const last = latest.actions.findLast(({ result }) => result === latest.outcome);
  const what = last ? whatOf(last, purposes) : 'tell what there is';
  return { what, reason: last?.detail ?? latest.error, remainingMs: Math.max(againMs, 0), isUnanswered: true };
}

/** Continues a sentence after "refused to" or "asked to". */
function whatOf({ verb, target }: PassRecord['actions'][number], purposes: Purposes): string {
  if (verb === 'status') return 'write the status';
  return ownEntry(purposes, verb)?.refusedTo(target) ?? `${verb} ${target}`;
}
