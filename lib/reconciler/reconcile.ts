// The loop: read → settle → plan → intend → act → record. Safe to run again at any moment, in any order, on any machine.
import { isJobFinished } from '../objects/job-facts.ts';
import type { JobStatus } from '../objects/kubernetes.ts';
import type { WorkloadKey } from '../objects/workload.ts';
import { rowOf } from '../planners/catalog.ts';
import { creationReason } from '../planners/job/counts.ts';
import type { Action, Plan, PlanHead } from '../planners/plan.ts';
import { deadlineIn, hasPassed } from '../ports/clock.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import { NotDoneError, TerminalError, ThrottledError, UnknownOutcomeError } from '../ports/errors.ts';
import type { Ports } from '../ports/ports.ts';
import type { Head } from '../ports/store.ts';
import { StaleWriteError } from '../ports/store.ts';
import type { Execution, Stop } from './actions.ts';
import { ForeignNamesakeError, act } from './actions.ts';
import { WriteBudget } from './budget.ts';
import type { Ending } from './closing.ts';
import { OvertakenError, close, saveHeard, writeHead } from './closing.ts';
import { writeEvents } from './event-objects.ts';
import { RestoredServerError, raiseEra } from './era.ts';
import { countPass, noteSync, terminatedCounts, terminatedWith } from './job-metrics.ts';
import { foreignWriterOf } from './foreign-writer.ts';
import { createHead } from './heads.ts';
import { noteLateness } from './lateness.ts';
import { readMarker } from './heartbeats.ts';
import { Pass, OwnerGoneError } from './pass.ts';
import type { PassState } from './pass-state.ts';
import { NO_INTENTS, decodeState, encodeState, initialState, statusDigestOf } from './pass-state.ts';
import { backoffMs, fightText, park, parkedFor, refusalEvent } from './parking.ts';
import { Reachability } from './reachability.ts';
import { resendPutOff } from './resend.ts';
import { lowestFreeNumber, settle } from './settle.ts';
import { readView } from './view-access.ts';
import { ViewMemory } from './view-memory.ts';
import { COMPANY_MS, wake } from './wake.ts';

export interface LoopOptions {
  /** Nothing is sent after so long (R17). */
  passMs: number;
  /** Requests to one API server in flight at once, per pass. */
  parallelism: number;
  /** A workload whose head is lost is left alone for so long, if it had started: no older pass can be sending then (R1, R17). */
  unknownMs: number;
  /** A status in which ready alone differs is written at most this often. */
  readyAloneMs: number;
}

export const LOOP_OPTIONS: LoopOptions = { passMs: 20_000, parallelism: 48, unknownMs: 30_000, readyAloneMs: 5_000 };

/** `done`: what must follow is sent. `failed`: the wake must come back. */
export type Answer = 'done' | 'failed';

/** No planner can take this workload as it is. */
class PlannerFailedError extends Error {}

const MOST_ROUNDS = 4;
const UNKNOWN_OUTCOME_AGAIN_MS = 1_000;
const HELD_MS = { first: 1_000, most: 60_000 };

export class Reconciler {
  readonly #ports: Ports;
  readonly #options: LoopOptions;
  readonly #budget: WriteBudget;
  readonly #reachability: Reachability;
  readonly #memory = new ViewMemory();
  readonly #offsets = new Map<string, { offsetMs: number; readAtMs: number }>();

  constructor(ports: Ports, options: LoopOptions = LOOP_OPTIONS) {
    this.#ports = ports;
    this.#options = options;
    this.#budget = new WriteBudget(ports);
    this.#reachability = new Reachability(ports);
  }

  /**
   * One pass over one workload, for one delivered wake (R9: it always opens a pass, even if only to put the work off).
   * @param sentAtMs when that wake was sent, where this is its first delivery
   */
  async reconcile(key: WorkloadKey, sentAtMs?: number): Promise<Answer> {
    const { clock, clusters, store, telemetry } = this.#ports;
    const startedAtMs = clock.nowMs();
    // From its very beginning (R17): whatever holds it up on the way to its first call, it sends nothing later.
    const deadline = deadlineIn(clock, this.#options.passMs);
    const record = await clusters.get(key.cluster);
    if (!record) {
      telemetry.warn('wake of a cluster that is not registered', { ...key });
      return 'done';
    }
    const opened = await this.#open(key, record, startedAtMs);
    if (!opened) return 'failed';
    if (sentAtMs !== undefined) await noteLateness(this.#ports, key, sentAtMs);
    const { head, attempt } = opened;
    const state = decodeState(head.state);
    const { part, hole, pods } = await readView(store, head, record.era, this.#memory);
    const unknown = hole || state === undefined || head.era < record.era || state.listedEra !== record.era;
    const pass = new Pass({
      key,
      record,
      row: rowOf(key.kind),
      cluster: this.#ports.connect(record),
      deadline,
      startedAtMs,
      attempt,
      head,
      state: state ?? initialState(),
      view: part,
      podSet: pods,
      offsetMs: await this.#offsetOf(key.cluster),
    });
    // Before any list of this pass lets go of tombstones: the numbers that vanished pods held (R5).
    pass.state = { ...pass.state, ordinal: lowestFreeNumber(pass) };
    const ending = await this.#run(pass, unknown);
    return await this.#record(pass, ending);
  }

  /** Replaces the fence by this pass's own. Undefined: overtaken at the door. */
  async #open(key: WorkloadKey, record: ClusterRecord, openedAtMs: number): Promise<{ head: Head; attempt: number } | undefined> {
    const { store, clock } = this.#ports;
    const before = (await store.readHead(key)) ?? (await createHead(this.#ports, key, record));
    const fence = clock.randomId();
    const attempt = (before.wake?.attempt ?? 0) + 1;
    try {
      // A timer set before this pass is none of the next one's: what comes while it is at work must set its own (R9).
      const head = await store.updateHead(key, { ifFence: before.fence }, { fence, openedAtMs, wake: null });
      return { head, attempt };
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      const current = error.current as Head | undefined;
      // Our own try, repeated below us (R8).
      if (current?.fence === fence) return { head: current, attempt };
      await wake(this.#ports, key);
      return undefined;
    }
  }

  async #run(pass: Pass, unknown: boolean): Promise<Ending> {
    const holdMs = await this.#reachability.holdMs(pass.key.cluster);
    if (holdMs > 0) return { outcome: 'putOff', againInMs: holdMs, attempt: pass.attempt };
    try {
      const parked = parkedFor(pass, this.#ports.clock.nowMs());
      if (parked !== undefined) return { outcome: 'parked', againInMs: parked };
      if (unknown) {
        const waitMs = await this.#getToKnow(pass);
        const rival = this.#rivalOf(pass);
        if (rival !== undefined) return this.#park(pass, fightText(pass, rival));
        if (waitMs > 0) return { outcome: 'unknown', againInMs: waitMs };
      }
      if (!pass.owner) await pass.readOwner();
      await settle(pass);
      const ending = await this.#rounds(pass);
      if (await this.#answered(pass)) await resendPutOff(this.#ports, pass.key.cluster);
      return ending;
    } catch (error) {
      return await this.#trouble(pass, error);
    }
  }

  /** R1: nothing is created, deleted or counted before the children were listed live. @returns milliseconds to wait, 0 to go on */
  async #getToKnow(pass: Pass): Promise<number> {
    const { owner } = await pass.readOwner();
    await pass.listChildren();
    const isOver = isJobFinished(owner);
    const hadStarted = owner.status?.startTime !== undefined || pass.pods.size > 0;
    const ageMs = this.#ports.clock.nowMs() - pass.head.bornAtMs;
    // A head that is merely distrusted still holds the intents of all earlier passes: they are settled, not waited for.
    const isNew = pass.state.listedEra === undefined;
    if (isNew && hadStarted && !isOver && ageMs < this.#options.unknownMs) {
      pass.why.push('what was known of it is lost: it is left alone until no earlier pass can be at work on it');
      return this.#options.unknownMs - ageMs;
    }
    pass.state = {
      ...pass.state,
      listedEra: pass.record.era,
      ordinal: Math.max(pass.state.ordinal, lowestFreeNumber(pass)),
      // Found, not written: whoever changes it from now on is another hand (R18).
      statusDigest: statusDigestOf(owner.status),
    };
    return 0;
  }

  async #rounds(pass: Pass): Promise<Ending> {
    for (let round = 1; ; round++) {
      const plan = await this.#plan(pass);
      if (!plan) return { outcome: 'notOurs' };
      if ('rival' in plan) return this.#park(pass, fightText(pass, plan.rival));
      pass.why.push(...plan.why.filter((why) => !pass.why.includes(why)));
      noteSync(pass, plan);
      if (plan.outcome === 'parked') {
        pass.events.push(...plan.actions.filter((action) => action.verb === 'event'));
        return this.#park(pass, plan.why.join('; '));
      }
      const writes = plan.actions.filter((action) => action.verb !== 'event');
      const again = plan.requeueAfterSeconds === undefined ? undefined : plan.requeueAfterSeconds * 1000;
      if (writes.length === 0) return { outcome: plan.outcome, againInMs: again };
      const waitMs = this.#readyAloneWaitMs(pass, writes);
      if (waitMs > 0) return { outcome: 'waiting', againInMs: Math.min(waitMs, again ?? waitMs) };

      if (pass.owner) pass.creationReason = creationReason(pass.owner, plan.status);
      await this.#intend(pass, writes);
      const stop = await act(this.#execution(pass), plan.actions);
      if (pass.gone) throw new OwnerGoneError('its time after finishing was over');
      // Failures are remembered with the write that counts them, or a repeated pass would count them twice.
      if (!stop || pass.wroteStatus) pass.state = { ...pass.state, backoff: { ...plan.head.backoff } };
      if (!stop) {
        const { hold: _held, park: _parked, ...state } = pass.state;
        pass.state = { ...state, intents: NO_INTENTS };
        return { outcome: 'acted', againInMs: this.#againAfterActing(pass, again) };
      }
      const next = await this.#afterStop(pass, stop);
      if (next !== 'again') return next;
      if (round === MOST_ROUNDS)
        return { outcome: 'failed', againInMs: UNKNOWN_OUTCOME_AGAIN_MS, error: new Error('planned again too often in one pass') };
    }
  }

  /** Plans from the view; where that would act on what cannot be taken back, reads the owner live and plans again (R10). */
  async #plan(pass: Pass): Promise<Plan<JobStatus> | { rival: string } | undefined> {
    await this.#lookBeforeCounting(pass);
    let rival = this.#rivalOf(pass);
    if (rival !== undefined) return { rival };
    let plan = this.#planOnce(pass);
    if (plan.outcome === 'notOurs') return undefined;
    if (!pass.live && plan.actions.some(isGrave)) {
      await pass.readOwner();
      await this.#lookBeforeCounting(pass);
      rival = this.#rivalOf(pass);
      if (rival !== undefined) return { rival };
      plan = this.#planOnce(pass);
      if (plan.outcome === 'notOurs') return undefined;
    }
    return plan;
  }

  /** Who writes the same statuses again and again, seen where the owner was read live; what was seen is remembered. */
  #rivalOf(pass: Pass): string | undefined {
    if (!pass.live) return undefined;
    const sinceMs = pass.state.statusWrittenAtMs ?? pass.head.bornAtMs + pass.offsetMs;
    const writer = foreignWriterOf(pass.live.owner, pass.state, sinceMs);
    if (writer) pass.state = { ...pass.state, foreign: writer.state };
    // Whoever manages what is not ours may write it as often as it likes.
    return writer?.isFight && this.#planOnce(pass).outcome !== 'notOurs' ? writer.manager : undefined;
  }

  #planOnce(pass: Pass): Plan<JobStatus> {
    const owner = pass.owner;
    if (!owner) throw new OwnerGoneError('the owner is gone');
    const now = new Date(pass.live?.dateMs ?? this.#ports.clock.nowMs() + pass.offsetMs);
    const { backoff, hold } = pass.state;
    const head: PlanHead = {
      // Settled before: no intent is open when a pass plans.
      expectations: { create: [], delete: [], strip: [] },
      backoff: { failures: backoff.failures, ...(backoff.lastFailureTime !== undefined && { lastFailureTime: backoff.lastFailureTime }) },
      // Of those too that have vanished since the last pass closed (R5).
      ordinal: lowestFreeNumber(pass),
      ...(hold && hold.generation === (owner.metadata.generation ?? 0) && { holdUntilMs: hold.untilMs }),
    };
    try {
      return pass.row.planner.plan({ owner, pods: pass.pods, head, manage: pass.record.manage }, now);
    } catch (error) {
      throw new PlannerFailedError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  /** R18: where the status is not the one we wrote last, or tells of pods that are not known, the children are looked up live first. */
  async #lookBeforeCounting(pass: Pass): Promise<void> {
    if ((pass.listed && !pass.listIsOlderThanOwner) || !pass.owner) return;
    const status = pass.owner.status;
    const isOurs =
      !pass.listIsOlderThanOwner && (pass.state.statusDigest === undefined || pass.state.statusDigest === statusDigestOf(status));
    const uncounted = [...(status?.uncountedTerminatedPods?.succeeded ?? []), ...(status?.uncountedTerminatedPods?.failed ?? [])];
    if (isOurs && uncounted.every((uid) => pass.view.pods.has(uid))) return;
    // The Job is read before its pods: a pod is counted on evidence no older than the status it is added to.
    await pass.readOwner();
    await pass.listChildren();
    pass.state = { ...pass.state, statusDigest: statusDigestOf(pass.owner.status) };
  }

  /** R5: names and uids are durable before the first call; the write fails if a later pass has opened. */
  async #intend(pass: Pass, actions: readonly Action[]): Promise<void> {
    const intents: PassState['intents'] = { atMs: this.#ports.clock.nowMs(), create: [], delete: [], strip: [] };
    for (const action of actions)
      if (action.verb === 'create') intents.create.push({ slot: action.slot, number: action.number });
      // That of the owner is safe to repeat: its uid is its precondition.
      else if (action.verb === 'delete' && action.propagationPolicy !== undefined) continue;
      else if (action.verb === 'delete' || action.verb === 'patch') {
        const pod = pass.view.pods.get(action.uid)?.pod;
        const child = pod ? pass.childOf(pod) : action.uid;
        if (action.verb === 'delete') intents.delete.push(child);
        else if (action.purpose === 'strip' && this.#stripNeedsIntent(pass, actions)) intents.strip.push(child);
      }
    if (intents.create.length + intents.delete.length + intents.strip.length === 0) return;
    pass.state = { ...pass.state, intents };
    await writeHead(this.#ports, pass, { state: encodeState(pass.state) });
  }

  /** Not where nothing is counted after it: the strips of a Job that has ended, or whose indexes are the count. */
  #stripNeedsIntent(pass: Pass, actions: readonly Action[]): boolean {
    if (pass.owner && isJobFinished(pass.owner)) return false;
    const statuses = actions.filter((action) => action.verb === 'status').map(({ status }) => status as JobStatus);
    const usesUncounted = (status: JobStatus | undefined): boolean =>
      (status?.uncountedTerminatedPods?.succeeded?.length ?? 0) + (status?.uncountedTerminatedPods?.failed?.length ?? 0) > 0;
    return statuses.some(usesUncounted) || usesUncounted(pass.owner?.status);
  }

  /** What this pass has done is seen at once (R7); what it leaves, beyond its limits, is the next one's, with company. */
  #againAfterActing(pass: Pass, again: number | undefined): number | undefined {
    const left = this.#planOnce(pass);
    const leftInMs = left.requeueAfterSeconds === undefined ? again : left.requeueAfterSeconds * 1000;
    if (left.actions.every(({ verb }) => verb === 'event')) return leftInMs;
    return Math.max(pass.startedAtMs + COMPANY_MS - this.#ports.clock.nowMs(), 0);
  }

  async #afterStop(pass: Pass, stop: Stop): Promise<Ending | 'again'> {
    switch (stop.kind) {
      case 'conflict':
        if (stop.error instanceof ForeignNamesakeError) pass.events.push(refusalEvent(pass, stop.during, stop.error));
        // Somebody else was first: the owner and what is to be counted are read live, then planned again (R18).
        await pass.readOwner();
        await pass.listChildren();
        await settle(pass);
        pass.state = { ...pass.state, statusDigest: statusDigestOf(pass.owner?.status) };
        return 'again';
      case 'refused': {
        const failures = (pass.state.hold?.failures ?? 0) + 1;
        if (stop.during === 'status') return this.#park(pass, `the API server refuses its status: ${stop.error.message}`);
        const untilMs = (pass.live?.dateMs ?? this.#ports.clock.nowMs() + pass.offsetMs) + backoffMs(failures, HELD_MS);
        pass.events.push(...stop.refusals.map(({ error }) => refusalEvent(pass, stop.during, error)));
        await settle(pass);
        pass.state = { ...pass.state, hold: { failures, untilMs, generation: pass.owner?.metadata.generation ?? 0 } };
        // What has ended is counted all the same: the plan leaves creating and deleting out while it is held.
        return 'again';
      }
      case 'throttled':
        return { outcome: 'throttled', againInMs: stop.retryAfterMs };
      case 'unknown':
      case 'notDone':
        return { outcome: stop.kind, againInMs: UNKNOWN_OUTCOME_AGAIN_MS, error: stop.error };
    }
  }

  #readyAloneWaitMs(pass: Pass, writes: readonly Action[]): number {
    const [only, ...others] = writes;
    if (only?.verb !== 'status' || others.length > 0 || pass.state.statusWrittenAtMs === undefined) return 0;
    const { ready: _wanted, ...wanted } = only.status as JobStatus;
    const { ready: _shown, ...shown } = pass.owner?.status ?? {};
    if (statusDigestOf(wanted) !== statusDigestOf(shown)) return 0;
    const nowMs = this.#ports.clock.nowMs() + pass.offsetMs;
    // Never longer, whatever a clock that jumped makes of the difference (R12).
    return Math.min(Math.max(pass.state.statusWrittenAtMs + this.#options.readyAloneMs - nowMs, 0), this.#options.readyAloneMs);
  }

  #park(pass: Pass, reason: string): Ending {
    return { outcome: 'parked', againInMs: park(pass, reason, this.#ports) };
  }

  async #trouble(pass: Pass, error: unknown): Promise<Ending> {
    if (error instanceof OwnerGoneError)
      try {
        return await this.#bury(pass);
      } catch (second) {
        return await this.#trouble(pass, second);
      }
    if (error instanceof OvertakenError || error instanceof StaleWriteError) return { outcome: 'overtaken', error };
    if (error instanceof RestoredServerError) {
      await raiseEra(this.#ports, pass.record, error.message);
      return { outcome: 'restored', againInMs: 0, error };
    }
    if (error instanceof ThrottledError) {
      await this.#budget.close(pass.record, error.retryAfterSeconds);
      return { outcome: 'throttled', againInMs: error.retryAfterSeconds * 1000, error };
    }
    // Held up until its own deadline: that tells nothing of the cluster.
    if (error instanceof NotDoneError && hasPassed(pass.deadline, this.#ports.clock))
      return { outcome: 'notDone', againInMs: UNKNOWN_OUTCOME_AGAIN_MS, error };
    // What a cluster forbids (403) it may forbid for one namespace: that parks the workload, and no other (R13).
    const isRefusedEntry = error instanceof TerminalError && error.code === 401;
    if (error instanceof NotDoneError || error instanceof UnknownOutcomeError || isRefusedEntry) {
      await this.#reachability.sawSilence(pass.key.cluster, error.message);
      return { outcome: 'unreachable', againInMs: 5_000, attempt: pass.attempt, error };
    }
    // What the store or a queue throws passes: the wake comes back (ports/errors.ts).
    if (!isLasting(error)) throw error;
    // Our own mistake, or a workload that no planner can take: it must not stop the others (R13).
    return { ...this.#park(pass, error instanceof Error ? error.message : String(error)), error };
  }

  /** The owner is gone: its pods are let go, and then there is nothing to know any more. */
  async #bury(pass: Pass): Promise<Ending> {
    await pass.listChildren();
    const actions = pass.row.planner.orphans([...pass.pods]);
    pass.why.push('the owner is gone: its pods are let go');
    if (actions.length > 0) {
      const stop = await act(this.#execution(pass), actions);
      // A refusal may last: asked for again later and later.
      if (stop) return { outcome: 'waiting', againInMs: backoffMs(pass.attempt, HELD_MS), attempt: pass.attempt };
    }
    return { outcome: 'gone' };
  }

  #execution(pass: Pass): Execution {
    return { pass, budget: this.#budget, clock: this.#ports.clock, parallelism: this.#options.parallelism };
  }

  async #answered(pass: Pass): Promise<boolean> {
    if (!pass.live && !pass.listed && pass.actions.length === 0) return false;
    return await this.#reachability.sawAnswer(pass.key.cluster);
  }

  /** Cluster time minus ours, milliseconds, as the relay last told (R12); read again once a minute. */
  async #offsetOf(cluster: string): Promise<number> {
    const nowMs = this.#ports.clock.nowMs();
    const known = this.#offsets.get(cluster);
    if (known && nowMs - known.readAtMs < 60_000) return known.offsetMs;
    const offsetMs = (await readMarker(this.#ports, cluster))?.marker.clockOffsetMs ?? 0;
    this.#offsets.set(cluster, { offsetMs, readAtMs: nowMs });
    return offsetMs;
  }

  /** R7, R9: what was heard goes into the view, what is known into the head, what must follow is sent; then the wake is done. */
  async #record(pass: Pass, ending: Ending): Promise<Answer> {
    const { recorder, telemetry, clock } = this.#ports;
    let answer: Answer = 'done';
    let nextWakeAtMs: number | undefined;
    try {
      if (ending.outcome === 'overtaken') throw new OvertakenError('a later pass opened the head', { cause: ending.error });
      if (pass.events.length > 0) await writeEvents(this.#execution(pass), pass.events, pass.row.component);
      if (ending.outcome === 'gone') {
        await this.#ports.store.forget(pass.key, pass.fence);
        pass.counted.push(...terminatedCounts(terminatedWith(pass.viewAtOpening)));
      } else nextWakeAtMs = await close(this.#ports, pass, ending);
    } catch (error) {
      if (!(error instanceof OvertakenError || error instanceof StaleWriteError)) throw error;
      ending = { ...ending, outcome: 'overtaken', error };
      await saveHeard(this.#ports, pass);
      await wake(this.#ports, pass.key);
      answer = 'failed';
    }
    const durationMs = clock.nowMs() - pass.startedAtMs;
    countPass(telemetry, pass, { durationMs, outcome: ending.outcome });
    const { error } = ending;
    telemetry.info('reconciled', {
      ...pass.key,
      passId: pass.fence,
      outcome: ending.outcome,
      durationMs,
      ...(error instanceof Error && { error: error.message }),
    });
    telemetry.count('ReconcileDuration', durationMs, 'Milliseconds', { kind: pass.key.kind, outcome: ending.outcome });
    await recorder
      .append({
        key: pass.key,
        passId: pass.fence,
        startedAtMs: pass.startedAtMs,
        durationMs,
        outcome: ending.outcome,
        why: pass.why,
        saw: {
          pods: pass.pods.size,
          resourceVersion: pass.owner?.metadata.resourceVersion ?? '',
          live: pass.live !== undefined,
          listed: pass.listed,
        },
        actions: pass.actions,
        ...(nextWakeAtMs !== undefined && { nextWakeAtMs }),
        ...(error instanceof Error && { error: error.message }),
      })
      .catch((cause: unknown) => telemetry.warn('pass not recorded', { ...pass.key, error: cause }));
    return answer;
  }
}

/** R10: these cannot be taken back. Counting alone is guarded by its resourceVersion. */
function isGrave(action: Action): boolean {
  if (action.verb === 'create') return true;
  if (action.verb === 'delete') return action.active || action.propagationPolicy !== undefined;
  if (action.verb === 'patch') return action.purpose !== 'strip';
  if (action.verb !== 'status') return false;
  return (
    (action.status as JobStatus).conditions?.some(
      ({ type, status }) => (type === 'Failed' || type === 'FailureTarget') && status === 'True',
    ) ?? false
  );
}

/** It would be the same again at once: a planner's failure, a refusal, a mistake of our own. */
const isLasting = (error: unknown): boolean =>
  [PlannerFailedError, TerminalError, TypeError, RangeError, ReferenceError].some((kind) => error instanceof kind);
