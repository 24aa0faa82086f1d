// A pass keeps its workload's summary ready for lists. The head comes first, under the fence (R8): so a pass that was overtaken writes none.
// If a pass dies between the two writes, its wake comes back, and the pass that follows writes the entry that the head speaks of again.
// How an owner has ended comes before the head: no later pass takes it back, and none may follow that would write it again.
import { shownFor } from '../../kinds/shown.ts';
import type { KindShown } from '../../kinds/rows/kind-shown.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Pass } from '../pass/pass.ts';
import type { Viewed } from './kind-reasons.ts';
import { endedAtMs, encodeSummary, ownFields, summaryOf, type Summary, type TimedSummary } from './summary.ts';
import { decodeTold, encodeTold, hasEnded, isSettled, stepOf, timed, type SummaryStep } from './told.ts';

/** Those that ended or were removed are found for so long. */
export const ENDED_KEPT_MS = 7 * 86_400_000;
/** Readers need not hear for longer that an ownerless workload is gone: nobody asks for it. */
const GONE_KEPT_MS = 3_600_000;

type SummaryPorts = Pick<Ports, 'store' | 'clock' | 'telemetry'>;

export interface PassSummary extends SummaryStep {
  /** For the head. */
  text: string;
  /** As the workload stands now, whether it is written or not. */
  fresh: TimedSummary;
}

/** @param nextWakeAtMs when the next pass is due */
export function summaryOfPass({ clock, telemetry }: SummaryPorts, pass: Pass, nextWakeAtMs: number | undefined): PassSummary {
  const nowMs = clock.nowMs();
  const viewed = viewedBy(pass);
  const fresh = summaryOrProblem(viewed, { nowMs, offsetMs: pass.offsetMs }, (error) =>
    telemetry.error('workload cannot be summed up', { ...pass.key, error }),
  );
  const before = decodeTold(pass.pending.state.told);
  const step = stepOf(before, fresh, { nowMs, isEndedAtMs: endedAtMs(viewed.owner), nextWakeAtMs });
  return { ...step, text: encodeTold(step.told), fresh: timed(fresh, step.told, nextWakeAtMs) };
}

function viewedBy(pass: Pass): Viewed {
  const known = pass.known.view.owner;
  const ownerIs = pass.facts.isOwnerless ? 'none' : known?.deleted ? 'gone' : undefined;
  return {
    row: { facts: pass.facts, shown: shownFor(pass.key.kind) },
    owner: known && !known.deleted ? known.object : undefined,
    ...(ownerIs && { ownerIs }),
    pods: pass.known.pods,
    state: pass.pending.state,
    record: pass.record,
  };
}

/** A workload that cannot be summed up becomes one with the problem. It must not hide the others (R13). */
export function summaryOrProblem(viewed: Viewed, times: { nowMs: number; offsetMs: number }, warn: (error: unknown) => void): Summary {
  try {
    return summaryOf(viewed, times);
  } catch (error) {
    warn(error);
    const fault = error instanceof Error ? error.message : String(error);
    const reason = `what the table keeps of it cannot be read: ${fault}`.slice(0, 200);
    return { state: 'Unreadable', reason, figures: viewed.row.shown.figuresOf(undefined), fields: {} };
  }
}

/** It tells for the first time how its owner has ended. */
export const isFinal = ({ write }: PassSummary): boolean => write !== undefined && hasEnded(write.summary);

/** After the head was written; before it, if it is final. @throws if it was not written: then the wake must come back */
export async function writeSummary({ store }: Pick<Ports, 'store'>, pass: Pass, { told, write, fresh }: PassSummary): Promise<void> {
  // Another pass has taken up the same wake, and may have died after its head was written.
  const summary = write?.summary ?? (pass.isNext ? undefined : fresh);
  if (!summary) return;
  const { atMs, state } = told;
  const kept = isSettled(state) ? {} : { keptUntilMs: atMs + ENDED_KEPT_MS };
  await store.putSummary({ key: pass.key, atMs, body: encodeSummary(summary), ...kept, replacesAtMs: write?.replacesAtMs });
}

/** Once its head is gone: how it was when it was seen last stays for a week. */
export async function writeRemoval({ store, clock, telemetry }: SummaryPorts, pass: Pass): Promise<void> {
  const { key, known, facts, offsetMs } = pass;
  const nowMs = clock.nowMs();
  const before = decodeTold(pass.pending.state.told);
  if (facts.isOwnerless && !before) return;
  const last = known.view.owner?.object;
  const viewed: Viewed = { ...viewedBy(pass), owner: last };
  delete viewed.ownerIs;
  const shown: KindShown = viewed.row.shown;
  const summary = summaryOrProblem(viewed, { nowMs, offsetMs }, (error) =>
    telemetry.error('workload cannot be summed up', { ...key, error }),
  );
  const isEnd = hasEnded(summary);
  const state = isEnd ? summary.state : (before?.state ?? 'Unknown');
  const removed: TimedSummary = {
    ...summary,
    state,
    fields: ownFields(last, shown.fields),
    sinceMs: before?.state === state ? before.sinceMs : ((isEnd ? endedAtMs(last) : undefined) ?? nowMs),
    removedAtMs: nowMs,
  };
  // Nothing holds it up any more.
  if (!isEnd) for (const field of ['reason', 'why', 'yieldsToCluster', 'yieldsToDrain'] as const) delete removed[field];
  await store.putSummary({
    key,
    atMs: Math.max(nowMs, (before?.atMs ?? 0) + 1),
    body: encodeSummary(removed),
    replacesAtMs: before && isSettled(before.state) ? before.atMs : undefined,
    keptUntilMs: nowMs + (facts.isOwnerless ? GONE_KEPT_MS : ENDED_KEPT_MS),
  });
}
