// The end of a pass, its commit: observations go into the view (R7), state goes into the head, and follow-up messages are sent (R9, R11).
import type { ChildState } from '../../objects/child-state.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Head, HeadChange } from '../../ports/store.ts';
import type { ViewPart } from '../../wire/words/observations.ts';
import { OvertakenError, type Ending } from '../pass/ending.ts';
import { writeHead } from '../pass/head-write.ts';
import type { Pass } from '../pass/pass.ts';
import { encodeState } from '../head/pass-state.ts';
import { lowestFreeNumber, numberAfterDropped } from '../live/settle.ts';
import type { News } from '../view/view.ts';
import { writeChildren, writeView, type WrittenChildren } from '../view/view-access.ts';
import { sendTimer } from '../head/wake.ts';
import { isFinal, summaryOfPass, writeSummary } from '../summary/pass-summary.ts';

type ClosingPorts = Pick<Ports, 'store' | 'queue' | 'clock' | 'telemetry'>;

/** Observations of children other than pods. @returns what the head must say of them from then on */
async function writeOthers(store: Ports['store'], pass: Pass, observed: readonly News<ChildState>[]): Promise<WrittenChildren['marks']> {
  if (observed.length === 0) return {};
  const expected = pass.known.owner ? pass.facts.expectedChildren(pass.known.owner) : 0;
  const { head, marks } = await writeChildren(store, pass.pending.head, observed, { era: pass.record.era, expected });
  pass.pending.head = { ...pass.pending.head, ...head };
  return marks;
}

/** A deadline may lie further ahead than a date can. A wake is a hint, and the planner decides then when the next one is due (R11). */
const LONGEST_AGAIN_MS = 365 * 86_400_000;

/** @returns when the next wake is due */
export async function commit(
  ports: ClosingPorts,
  pass: Pass,
  { againInMs, attempt }: Pick<Ending, 'againInMs' | 'attempt'>,
): Promise<number | undefined> {
  const { store, clock } = ports;
  const inMs = againInMs === undefined ? undefined : Math.min(Math.ceil(againInMs), LONGEST_AGAIN_MS);
  const due = inMs === undefined ? undefined : { dueAtMs: clock.nowMs() + inMs, attempt: attempt ?? 0 };
  // Send first, then record (R11).
  if (due) await sendTimer(ports, pass.pending.head, due);
  const summary = summaryOfPass(ports, pass, due?.dueAtMs);
  if (summary.behindUntilMs !== undefined) await sendTimer(ports, pass.pending.head, { dueAtMs: summary.behindUntilMs, attempt: 0 });
  const { own, others } = pass.known.observations;
  if (isFinal(summary)) await writeSummary(ports, pass, summary);
  const marks = await writeOthers(store, pass, others);
  let accountedFor: Head = pass.pending.head;
  const changeOf = (head: Head, known: ViewPart | undefined): HeadChange => {
    accountedFor = head;
    // Acquiring the head removed its timer. A timer that is there now was set by a change that this pass has not seen, so sweep must find
    // it.
    const next = due && head.wake ? (head.wake.dueAtMs < due.dueAtMs ? head.wake : due) : (due ?? head.wake);
    return {
      ...marks,
      state: encodeState({
        ...pass.pending.state,
        told: summary.text,
        ordinal: Math.max(lowestFreeNumber(pass), numberAfterDropped(pass, known)),
      }),
      wake: next ?? null,
      pendingSinceMs: next?.dueAtMs ?? null,
      ...(pass.pending.head.era < pass.record.era && pass.known.listed && { era: pass.record.era }),
    };
  };
  const { fence } = pass;
  const alongside = async (head: Head, part: ViewPart): Promise<{ ifFence: string; change: HeadChange }> => {
    if (head.fence !== fence) throw new OvertakenError('a later pass opened the head');
    return { ifFence: fence, change: changeOf(head, part) };
  };
  const written = pass.known.hasNews
    ? await writeView(store, pass.pending.head, own, { era: pass.record.era, alongside, items: pass.known.items })
    : { head: pass.pending.head, told: false, counted: [], part: undefined };
  pass.pending.counted.push(...written.counted);
  pass.pending.head = written.head;
  if (!written.told) await writeHead(ports, pass, changeOf((await store.readHead(pass.key)) ?? pass.pending.head, written.part));
  // A change may have set its timer between that read and the write, and the write removed it.
  const { replacedWake } = pass.pending.head;
  if (replacedWake && replacedWake.dueAtMs !== accountedFor.wake?.dueAtMs && replacedWake.dueAtMs < (due?.dueAtMs ?? Infinity))
    await writeHead(ports, pass, { wake: replacedWake, pendingSinceMs: replacedWake.dueAtMs });
  // Woken while it ran: that wake is still pending. Sweep must be able to find it long before a timer of this pass.
  const nowMs = clock.nowMs();
  if (pass.pending.head.queued === pass.pending.head.fence && (pass.pending.head.pendingSinceMs ?? Infinity) > nowMs)
    await writeHead(ports, pass, { pendingSinceMs: nowMs });
  if (!isFinal(summary)) await writeSummary(ports, pass, summary);
  return due?.dueAtMs;
}

/** The observations of an overtaken pass are still true, so they go into the view. */
export async function saveObservations({ store, telemetry }: Pick<Ports, 'store' | 'telemetry'>, pass: Pass): Promise<void> {
  const { own, others } = pass.known.observations;
  try {
    const marks = await writeOthers(store, pass, others);
    if (Object.keys(marks).length > 0) await store.updateHead(pass.key, {}, marks);
    if (!pass.known.hasNews) return;
    const { counted } = await writeView(store, pass.pending.head, own, { era: pass.record.era });
    pass.pending.counted.push(...counted);
  } catch (error) {
    telemetry.debug('the observations of an overtaken pass were not kept', { ...pass.key, error });
  }
}
