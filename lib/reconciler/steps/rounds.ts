// plan → intend → act, round by round. What a failed write leaves undone is planned again from the state at that time.
import { createHash } from 'node:crypto';
import { nameKeyOf, type Action, type Plan } from '../../kinds/rows/plan.ts';
import type { Resource } from '../../objects/resources.ts';
import type { Ports } from '../../ports/ports.ts';
import type { PassState } from '../head/pass-state.ts';
import { SOON_MS } from '../head/wake.ts';
import { noteSync } from '../report/sync-metrics.ts';
import { act } from '../acting/actions.ts';
import type { Execution } from '../pass/execution.ts';
import type { Stop } from '../pass/result.ts';
import type { Ending } from '../pass/ending.ts';
import { intend } from '../acting/intending.ts';
import {
  HELD_MS,
  TOO_OFTEN,
  backoffMs,
  endUnreadable,
  endUntilChanged,
  fightText,
  parkUntilChanged,
  parkedEnding,
  roomTaken,
  takenNameEvent,
} from '../planning/parking.ts';
import { OwnerGoneError } from '../pass/knowledge.ts';
import type { Pass } from '../pass/pass.ts';
import { planOnce, planPass } from '../planning/planning.ts';
import { afterStop } from './recovery.ts';
import { stillOpen } from '../live/settle.ts';
import { debouncedWaitMs, withoutHurriedStatus, type Timing } from '../planning/status-timing.ts';
import { keepOf } from './wake-others.ts';
import { unreadOf, unseenOf } from '../live/wanted.ts';
import { UNKNOWN_OUTCOME_AGAIN_MS } from './trouble.ts';

export interface RoundSetup {
  ports: Pick<Ports, 'store' | 'clock' | 'telemetry'>;
  execution: Execution;
  timing: () => Timing;
}

/** How one round ended. Only `over` and `idle` end the pass. */
type Round =
  | { end: 'over'; ending: Ending }
  /** There is nothing to write now. */
  | { end: 'idle'; ending: Ending }
  /** Everything is done or can wait, except the creates that an earlier pass left. Those are next. */
  | { end: 'createsNext'; hasActed: boolean }
  /** A step that all later ones depend on is done. */
  | { end: 'step' }
  /** A write failed, and the current state was read. */
  | { end: 'stopped' };

/** Rounds in one pass, if the latest one was stopped. */
const MOST_ROUNDS = 4;
/** Steps in one pass. */
const MOST_STEPS = 8;

/** @throws OwnerGoneError; errors that pass/trouble.ts decides about */
export async function runRounds(setup: RoundSetup, pass: Pass): Promise<Ending> {
  const tooOften = (): Ending => ({ outcome: 'failed', againInMs: UNKNOWN_OUTCOME_AGAIN_MS, error: new Error(TOO_OFTEN) });
  let hasActed = false;
  let steps = 0;
  for (let rounds = 1; ; rounds++) {
    const round = await runRound(setup, pass);
    if (round.end === 'over') return round.ending;
    if (round.end === 'idle') return hasActed ? { ...round.ending, outcome: 'acted' } : round.ending;
    // A step is progress, so it leaves the number of rounds for stopped ones unchanged.
    if (round.end === 'stopped' && rounds - steps >= MOST_ROUNDS) return tooOften();
    if (round.end === 'step' && ++steps > MOST_STEPS)
      return { ...tooOften(), againInMs: backoffMs(pass.attempt, HELD_MS), attempt: pass.attempt };
    hasActed ||= round.end === 'step' || (round.end === 'createsNext' && round.hasActed);
  }
}

async function runRound(setup: RoundSetup, pass: Pass): Promise<Round> {
  const { ports, timing } = setup;
  const plan = await planPass(setup.execution);
  if (!plan) return { end: 'over', ending: { outcome: 'notOurs' } };
  if ('rival' in plan) return { end: 'over', ending: parkedEnding(ports, pass, fightText(pass, plan.rival)) };
  notePlan(pass, plan);
  if (plan.outcome === 'parked') {
    keepOf(pass, plan);
    pass.pending.events.push(...plan.actions.filter((action) => action.verb === 'event'));
    const why = plan.why.join('; ');
    return { end: 'over', ending: plan.untilChanged ? parkUntilChanged(pass, why, ports) : parkedEnding(ports, pass, why) };
  }
  endUntilChanged(pass);
  keepOf(pass, plan);
  const actions = withoutHurriedStatus(pass, plan.actions, timing().nowMs);
  const writes = actions.filter((action) => action.verb !== 'event');
  const again = plan.requeueAfterSeconds === undefined ? undefined : plan.requeueAfterSeconds * 1000;
  const waitMs = debouncedWaitMs(pass, writes, timing());
  if (pass.pending.state.createsLast && (writes.length === 0 || waitMs > 0)) {
    pass.pending.state = withCreatesNext(pass);
    return { end: 'createsNext', hasActed: false };
  }
  if (writes.length === 0 || waitMs > 0) tellWithoutWrites(pass, plan);
  // A workload that is told must find what it is told of (R5).
  if (writes.length === 0 && plan.tells && plan.tells.length > 0) await intend(ports, pass, []);
  if (writes.length === 0) return { end: 'idle', ending: { outcome: plan.outcome, againInMs: again } };
  if (waitMs > 0) return { end: 'over', ending: { outcome: 'waiting', againInMs: Math.min(waitMs, again ?? waitMs) } };
  return await carryOut(setup, pass, { plan, actions, writes });
}

/** More of them make a head too large; they are reported at every try. */
const MOST_TAKEN_NAMES = 16;

/** Once for each holder of the name. */
function reportTakenName(pass: Pass, { resource, name }: { resource: Resource; name: string }): void {
  const key = nameKeyOf(resource, name);
  const about = createHash('sha256')
    .update(`${key} ${pass.known.held.get(key)?.uid ?? ''}`)
    .digest('base64url')
    .slice(0, 8);
  const { takenNames = [] } = pass.pending.state;
  if (takenNames.includes(about)) return;
  pass.pending.events.push(takenNameEvent(pass, { resource, name }));
  pass.pending.state = { ...pass.pending.state, takenNames: [...takenNames, about].slice(-MOST_TAKEN_NAMES) };
}

/** A planner that keeps a record of its events does not emit them again in the next pass. Events of others belong to their writes. */
function tellWithoutWrites(pass: Pass, plan: Plan<object>): void {
  if (plan.head.kept === undefined) return;
  pass.pending.events.push(...plan.actions.filter((action) => action.verb === 'event').filter(({ about }) => about === undefined));
}

/** The whole workload was read, and there is a decision. */
function notePlan(pass: Pass, plan: Plan<object>): void {
  endUnreadable(pass);
  pass.decided.why.push(...[...plan.why, ...(plan.whyRead ?? [])].filter((why) => !pass.decided.why.includes(why)));
  noteSync(pass, plan);
  pass.pending.state = { ...pass.pending.state, failure: plan.failure && { ...plan.failure, generation: pass.known.generation ?? 0 } };
}

async function carryOut(
  { ports, execution }: RoundSetup,
  pass: Pass,
  { plan, actions, writes }: { plan: Plan<object>; actions: readonly Action[]; writes: readonly Action[] },
): Promise<Round> {
  const { createsLast } = pass.pending.state;
  await intend(ports, pass, writes);
  const stop = await act(execution, actions);
  if (pass.known.gone) throw new OwnerGoneError('its time after finishing was over');
  noteBackoff(pass, plan, stop);
  if (stop) {
    // A refusal or another writer may last long, so creates must not wait for it. One that was cut short does its other work first.
    if (stop.kind !== 'throttled' && stop.kind !== 'notDone') pass.pending.state = { ...pass.pending.state, createsLast: undefined };
    const next = await afterStop(ports, pass, stop);
    return next === 'again' ? { end: 'stopped' } : { end: 'over', ending: next };
  }
  // It has been planned with.
  pass.known.failedCall = undefined;
  if (plan.continues) return { end: 'step' };
  if (pass.decided.namesakes.length > 0) {
    for (const { resource, name, isForeign } of pass.decided.namesakes)
      if (isForeign && pass.known.children.of(resource)?.plannerTellsOfTakenNames !== true) reportTakenName(pass, { resource, name });
    // All outcomes are known. What has the name decides what comes next.
    pass.pending.state = { ...pass.pending.state, intents: stillOpen(pass) };
    return { end: 'step' };
  }
  if (createsLast) {
    pass.pending.state = withCreatesNext(pass);
    return { end: 'createsNext', hasActed: true };
  }
  noteWhole(pass);
  return { end: 'over', ending: { outcome: 'acted', againInMs: againAfterActing(ports, pass, plan) } };
}

/** Remember failures with the write that counts them: a repeated pass would count them twice. */
function noteBackoff(pass: Pass, plan: Plan<object>, stop: Stop | undefined): void {
  const { backoff } = pass.row;
  const isCounted =
    pass.decided.wroteStatus && pass.decided.planned !== undefined && backoff.isCountedByStatus(pass.decided.planned.given, plan);
  if (!stop || isCounted) pass.pending.state = { ...pass.pending.state, backoff: backoff.toStore(plan.head.backoff, pass.known.owner) };
}

/**
 * A plan carried out completely proves that the reason for a hold or for parking is over. There was a plan, the rights sufficed, no rival
 * was seen, and the plan contained any status that had been refused: a status is left to the next wave only soon after it was last
 * accepted. During a hold the plan lacks the refused verb, so it proves nothing about that verb. Pods that it adopted take up room, too.
 */
function noteWhole(pass: Pass): void {
  const { holdUntilMs, deleteHoldUntilMs } = pass.decided.planned?.given.head ?? {};
  const isHeld = (holdUntilMs ?? deleteHoldUntilMs) !== undefined;
  const { hold, park: _parked, ...state } = pass.pending.state;
  pass.pending.state = {
    ...state,
    ...(isHeld && hold && { hold: { ...hold, room: Math.max(hold.room ?? 0, roomTaken(pass.known)) } }),
    intents: stillOpen(pass),
  };
}

/** This pass sees its own writes at once (R7). Work beyond its limits is left to the next pass, debounced. */
function againAfterActing({ clock }: RoundSetup['ports'], pass: Pass, { requeueAfterSeconds }: Plan<object>): number | undefined {
  const left = planOnce(clock, pass);
  const againSeconds = left.requeueAfterSeconds ?? requeueAfterSeconds;
  // Without what it wants to read a plan says nothing of what is left.
  const isKnown = unreadOf(pass, left.wants).length + unseenOf(pass, left.wants).length === 0;
  if (isKnown && left.actions.every(({ verb }) => verb === 'event')) return againSeconds === undefined ? undefined : againSeconds * 1000;
  // The namespace is terminating; the owner's own deletion will wake us, so do not poll.
  if (pass.known.namespaceEnds) return HELD_MS.most;
  return Math.max(pass.startedAtMs + SOON_MS - clock.nowMs(), 0);
}

const withCreatesNext = (pass: Pass): PassState => ({ ...pass.pending.state, createsLast: undefined, intents: stillOpen(pass) });
