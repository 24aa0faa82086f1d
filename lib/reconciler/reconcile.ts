// The loop: read → settle → plan → intend → act → record. Safe to run again at any moment, in any order, on any machine.
import type { WorkloadKey } from '../objects/workload.ts';
import { factsFor } from '../kinds/facts.ts';
import { plannerRowFor } from '../kinds/planners.ts';
import { usedOf } from '../kinds/settings.ts';
import { deadlineIn } from '../ports/clock.ts';
import { isInScope, RECORD_AGE_MS_MAX } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import type { Head } from '../ports/store.ts';
import { StaleWriteError } from '../ports/store.ts';
import type { Execution } from './pass/actions.ts';
import { act } from './pass/actions.ts';
import { WriteBudget } from './cluster/budget.ts';
import { ClockOffsets } from './cluster/clock-offsets.ts';
import type { Ending } from './pass/commit.ts';
import { OvertakenError, commit, saveObservations } from './pass/commit.ts';
import { lookAtCluster } from './cluster/cluster-look.ts';
import { untoldInMs, writeEvents } from './report/event-objects.ts';
import { wakeAnew } from './head/heads.ts';
import { countsOfForgotten } from './report/view-counts.ts';
import { noteQueueLag } from './head/queue-lag.ts';
import { acquire } from './pass/acquire.ts';
import { HELD_MS, backoffMs, fightText, parkedEnding, parkedFor } from './pass/parking.ts';
import { listOthers, readStrayed } from './pass/other-children.ts';
import { PassChildren } from './pass/pass-children.ts';
import { Pass } from './pass/pass.ts';
import { decodeState, initialState, statusDigestOf } from './head/pass-state.ts';
import { reportPass } from './report/pass-report.ts';
import { rivalOf } from './pass/planning.ts';
import { Reachability } from './cluster/reachability.ts';
import { resendIfAnswered, resendPutOff } from './head/resend.ts';
import { runRounds, type RoundSetup } from './pass/rounds.ts';
import { lowestFreeNumber, settle } from './pass/settle.ts';
import { sendTells } from './pass/telling.ts';
import { withReadableKept } from './head/kept.ts';
import type { Timing } from './pass/status-timing.ts';
import type { TroubleSetup } from './pass/trouble.ts';
import { UNKNOWN_OUTCOME_AGAIN_MS, endingOf, isUnreadable } from './pass/trouble.ts';
import { childFloor } from './view/children-access.ts';
import { readView } from './view/view-access.ts';
import { ViewMemory } from './view/view-memory.ts';

export interface LoopOptions {
  /** A pass sends nothing after this time (R17). */
  passMs: number;
  /** Requests to one API server in flight at once, per pass. */
  parallelism: number;
  /** A workload that has started and whose head is lost is left alone for this long: then no older pass can still be sending (R1, R17). */
  unknownMs: number;
  /** A status in which only ready counts differ is written at most this often. */
  readyAloneMs: number;
}

export const LOOP_OPTIONS: LoopOptions = { passMs: 20_000, parallelism: 48, unknownMs: 30_000, readyAloneMs: 5_000 };

/** The content of the delivered wake. */
export interface Woken {
  /** When the wake was sent, if this is its first delivery. */
  sentAtMs?: number | undefined;
  /** The fence that the wake names; if absent, the head is read. */
  follows?: string | undefined;
  /** When the queue took the change for which the wake was sent. */
  enqueuedAtMs?: number | undefined;
}

/** `done`: follow-up messages are sent. `failed`: the wake must come back. */
export type Answer = 'done' | 'failed';

/** Outcomes of passes without an error. Only these may call the API server, and come back, just to write an Event. */
const UNTROUBLED = new Set(['acted', 'waiting', 'converged']);
/** By then every function knows the cluster's present record: clocks differ by less than the age that records may have. */
const RECORD_KNOWN_MS = 2 * RECORD_AGE_MS_MAX;
/** When to look again at what an owner that is gone left behind. */
const LEFT_AGAIN_MS = 60_000;
/** When to look again at work that a drained cluster does not begin. The cluster may accept work once more. */
const DRAINED_AGAIN_MS = 300_000;

export class Reconciler {
  readonly #ports: Ports;
  readonly #options: LoopOptions;
  readonly #budget: WriteBudget;
  readonly #reachability: Reachability;
  readonly #memory = new ViewMemory();
  readonly #offsets: ClockOffsets;

  constructor(ports: Ports, options: LoopOptions = LOOP_OPTIONS) {
    this.#ports = ports;
    this.#options = options;
    this.#budget = new WriteBudget(ports);
    this.#reachability = new Reachability(ports);
    this.#offsets = new ClockOffsets(ports, options.passMs);
  }

  /** One pass over one workload, for one delivered wake. It always acquires the head, even if only to put the work off (R9). */
  async reconcile(key: WorkloadKey, { sentAtMs, follows, enqueuedAtMs }: Woken = {}): Promise<Answer> {
    const { clock, clusters, store, telemetry } = this.#ports;
    const startedAtMs = clock.nowMs();
    // The deadline counts from the very beginning (R17). However long the way to its first call takes, the pass sends nothing later.
    const deadline = deadlineIn(clock, this.#options.passMs);
    const record = await clusters.get(key.cluster);
    if (!record) {
      telemetry.warn('wake of a cluster that is not registered', { ...key });
      return 'done';
    }
    // The cluster is being removed. Do nothing on it any more, and note nothing about it.
    if (record.leaving) return 'done';
    const acquired = await acquire(this.#ports, key, record, { openedAtMs: startedAtMs, follows });
    if (!acquired) return 'failed';
    if (sentAtMs !== undefined) await noteQueueLag(this.#ports, key, sentAtMs);
    const { head, attempt, isEarly, isNext } = acquired;
    const row = plannerRowFor(key.kind);
    const decoded = decodeState(head.state);
    const state = decoded && withReadableKept(decoded, row.kept);
    const facts = usedOf(factsFor(key.kind), record);
    const { part, hasMissingItem, pods, children, items } = await readView(store, head, record.era, this.#memory);
    const offsetMs = await this.#offsets.of(key.cluster);
    const isUnknown = hasMissingItem || state === undefined || head.era < record.era || state.listedEra !== record.era;
    const pass = new Pass({
      key,
      record,
      facts,
      row,
      connect: () => this.#ports.connect(record),
      deadline,
      startedAtMs,
      attempt,
      isEarly,
      head,
      state: state ?? initialState(),
      offsetMs: offsetMs ?? 0,
      known: {
        view: part,
        podSet: pods,
        items,
        children: new PassChildren(facts.children, {
          parts: children,
          listed: (resource) => childFloor(head, resource, record.era) !== undefined,
          era: record.era,
        }),
      },
    });
    // Take over the numbers of vanished pods before any list of this pass removes their tombstones (R5).
    pass.pending.state = { ...pass.pending.state, ordinal: lowestFreeNumber(pass) };
    const ending = await this.#run(pass, { isUnknown, isTimeUnknown: offsetMs === undefined });
    this.#offsets.learnFrom(pass);
    // A change that an earlier pass has seen does not count for this pass's lag.
    return await this.#record(pass, ending, (isNext ? enqueuedAtMs : undefined) ?? head.pendingSinceMs);
  }

  /**
   * Looks at a cluster that may have no work. Never throws: the next sweep sends another look.
   * @param cluster its registered name
   */
  async look(cluster: string): Promise<void> {
    try {
      await lookAtCluster({ ports: this.#ports, reachability: this.#reachability }, cluster);
    } catch (error) {
      this.#ports.telemetry.warn('no look at a cluster before the next sweep', { cluster, error });
    }
  }

  /**
   * @param isUnknown the workload is unknown, so its children are listed live first (R1). `isTimeUnknown`: the cluster's time is; the API
   * server then gives it (R12)
   */
  async #run(pass: Pass, { isUnknown, isTimeUnknown }: { isUnknown: boolean; isTimeUnknown: boolean }): Promise<Ending> {
    if (!isInScope(pass.record, pass.key.namespace)) {
      // The function that created the head may have read of this namespace in a newer record than the one cached here.
      const ageMs = this.#ports.clock.nowMs() - pass.pending.head.bornAtMs;
      if (ageMs < RECORD_KNOWN_MS) {
        pass.decided.why.push('its cluster is not registered for its namespace, or that is not known here yet');
        return { outcome: 'waiting', againInMs: RECORD_KNOWN_MS };
      }
      pass.decided.why.push('its cluster is not registered for its namespace any more: it is forgotten');
      return { outcome: 'gone' };
    }
    const { waitMs: heldMs, probe } = await this.#reachability.hold(pass.key);
    if (heldMs > 0) return { outcome: 'putOff', againInMs: heldMs, attempt: pass.attempt };
    try {
      // The probing pass must contact the API server, or the cluster stays marked unreachable.
      if (probe !== 'none' || isTimeUnknown) await pass.known.readOwner();
      if (probe === 'rights') {
        await pass.known.listChildren();
        await listOthers(pass);
      }
      const parked = parkedFor(pass, this.#ports.clock.nowMs());
      if (parked !== undefined) {
        await this.#tellLook(pass);
        return { outcome: 'parked', againInMs: parked };
      }
      if (isUnknown) {
        const waitMs = await this.#getToKnow(pass);
        const rival = rivalOf(this.#ports.clock, pass);
        if (rival !== undefined) return parkedEnding(this.#ports, pass, fightText(pass, rival));
        if (waitMs > 0) return { outcome: 'unknown', againInMs: waitMs };
      }
      if (!pass.known.owner) await pass.known.readOwner();
      if (pass.record.draining && !hasBegun(pass)) {
        pass.decided.why.push('its cluster is drained: work that has begun is finished, none is begun');
        return { outcome: 'waiting', againInMs: DRAINED_AGAIN_MS };
      }
      await listOthers(pass, pass.known.children.unlisted);
      await readStrayed(pass);
      await settle(pass);
      const ending = lookedAtAgain(pass, await runRounds(this.#roundSetup(pass), pass));
      await this.#tellAnswer(pass);
      return ending;
    } catch (error) {
      const ending = await endingOf(this.#trouble(), pass, error);
      if (ending.outcome === 'gone') await this.#tellAnswer(pass);
      else if (isUnreadable(error)) await this.#tellLook(pass);
      return ending;
    }
  }

  /** R1: nothing is created, deleted or counted before the children were listed live. @returns milliseconds to wait, 0 to go on */
  async #getToKnow(pass: Pass): Promise<number> {
    const { owner } = await pass.known.readOwner();
    // A suspended workload has neither a start time nor pods, but it has a status, so a controller has worked on it.
    const hasStatus = Object.keys(owner.status ?? {}).length > 0;
    // An invalidated head still holds the intents of all earlier passes. They are settled, not waited for.
    const isNew = pass.pending.state.listedEra === undefined;
    const leftMs = pass.pending.head.bornAtMs + this.#options.unknownMs - this.#ports.clock.nowMs();
    const mayBeWorkedOn = (): boolean => {
      // Pods without a controller prove nothing: pods to adopt existed before the workload.
      const hadStarted = hasStatus || [...pass.known.pods].some(({ controller }) => controller !== undefined);
      return isNew && hadStarted && !pass.facts.isFinished(owner) && leftMs > 0;
    };
    // No list before the wait is over, where none is needed: a second one removes the tombstones of pods that no pass has planned with.
    if (!mayBeWorkedOn()) {
      await pass.known.listChildren({ isUnknown: hasStatus });
      await listOthers(pass);
    }
    if (mayBeWorkedOn()) {
      pass.decided.why.push('what was known of it is lost: it is left alone until no earlier pass can be at work on it');
      return leftMs;
    }
    const isOfThisEra = pass.pending.state.listedEra === pass.record.era;
    pass.pending.state = {
      ...pass.pending.state,
      listedEra: pass.record.era,
      // State from before an API server was restored must not decide anything (R3).
      ...(!isOfThisEra && { failure: undefined, backoff: initialState().backoff }),
      ordinal: lowestFreeNumber(pass),
      // This status was found, not written by us. A change of it from now on is another writer's (R18).
      statusDigest: statusDigestOf(owner.status),
    };
    return 0;
  }

  /**
   * A pass does not forget its workload while a wake is on its way: that wake's pass does. Without the head the next change would send a
   * second wake (R9).
   */
  async #forget(pass: Pass): Promise<void> {
    try {
      await this.#ports.store.forget(pass.key, pass.fence);
    } catch (error) {
      const current = error instanceof StaleWriteError ? (error.current as Head | undefined) : undefined;
      if (current?.fence !== pass.fence) throw error;
    }
  }

  #roundSetup(pass: Pass): RoundSetup {
    const { clock } = this.#ports;
    const timing = (): Timing => ({ nowMs: clock.nowMs() + pass.offsetMs, everyMs: this.#options.readyAloneMs });
    return { ports: this.#ports, execution: this.#execution(pass), timing };
  }

  #trouble(): TroubleSetup {
    return { ports: this.#ports, budget: this.#budget, reachability: this.#reachability, afterOwner: (pass) => this.#afterOwner(pass) };
  }

  /** The owner is gone: releases its children by removing orphan finalizers. After that there is nothing left to know. */
  async #afterOwner(pass: Pass): Promise<Ending> {
    await pass.known.listChildren();
    await listOthers(pass);
    const { actions, isDone } = pass.row.planner.afterOwner({
      pods: [...pass.known.pods],
      children: pass.known.children.living,
      kept: pass.pending.state.kept,
    });
    pass.decided.why.push('the owner is gone: its pods are released');
    if (actions.length > 0) {
      const stop = await act(this.#execution(pass), actions);
      // A refusal may last, so the pass comes back with a back-off.
      if (stop) return { outcome: 'waiting', againInMs: backoffMs(pass.attempt, HELD_MS), attempt: pass.attempt };
    }
    return isDone ? { outcome: 'gone' } : { outcome: 'waiting', againInMs: LEFT_AGAIN_MS };
  }

  #execution(pass: Pass): Execution {
    return { pass, budget: this.#budget, clock: this.#ports.clock, parallelism: this.#options.parallelism };
  }

  /** If the cluster answered this pass after a silence, work that was put off is enqueued again (R14). */
  async #tellAnswer(pass: Pass): Promise<void> {
    if (!pass.known.live && !pass.known.listed && pass.decided.actions.length === 0) return;
    if (await this.#reachability.sawAnswer(pass.key, pass.startedAtMs)) await resendPutOff(this.#ports, pass.key.cluster);
  }

  /**
   * A defect of this workload must not delay others (R13). The pass did not find out whether the cluster allows everything that passes do.
   */
  async #tellLook(pass: Pass): Promise<void> {
    if (!pass.known.live) return;
    if (await this.#reachability.lookAnswered(pass.key, pass.startedAtMs)) await resendPutOff(this.#ports, pass.key.cluster);
  }

  /** R7, R9: observations go into the view, state goes into the head, and follow-up messages are sent. Then the wake is done. */
  async #record(pass: Pass, ending: Ending, sinceMs: number | undefined): Promise<Answer> {
    let answer: Answer = 'done';
    let nextWakeAtMs: number | undefined;
    try {
      if (ending.outcome === 'overtaken') throw new OvertakenError('a later pass opened the head', { cause: ending.error });
      const isUntroubled = UNTROUBLED.has(ending.outcome) && isInScope(pass.record, pass.key.namespace);
      for (const event of pass.pending.events) pass.pending.counted.push(...(pass.row.metrics.ofEvent?.(event) ?? []));
      if (pass.pending.events.length > 0 || (pass.pending.state.untold && isUntroubled))
        await writeEvents(this.#execution(pass), pass.pending.events);
      await sendTells(this.#ports, pass);
      if (ending.outcome === 'gone') {
        await this.#forget(pass);
        pass.pending.counted.push(...countsOfForgotten(pass.key.kind, pass.known.viewAtStart));
      } else {
        const untoldMs = isUntroubled ? untoldInMs(pass.pending.state, this.#ports.clock.nowMs()) : undefined;
        const againInMs = untoldMs === undefined ? ending.againInMs : Math.min(ending.againInMs ?? untoldMs, untoldMs);
        nextWakeAtMs = await commit(this.#ports, pass, { ...ending, againInMs });
        if (ending.outcome === 'putOff') await resendIfAnswered(this.#ports, this.#reachability, pass.key);
      }
    } catch (error) {
      if (!(error instanceof OvertakenError || error instanceof StaleWriteError)) throw error;
      ending = { ...ending, outcome: 'overtaken', error };
      await saveObservations(this.#ports, pass);
      // The wake comes back for a later pass. If the table was lost, no wake comes back: the work begins anew, and nothing blocks it (R1).
      answer = (await wakeAnew(this.#ports, pass.key, pass.record)) ? 'done' : 'failed';
    }
    await reportPass(this.#ports, pass, { ending, sinceMs, nextWakeAtMs });
    return answer;
  }
}

/** R9: an unknown outcome is looked up soon, whatever else the pass waits for. */
const lookedAtAgain = ({ pending: { unanswered } }: Pass, ending: Ending): Ending =>
  unanswered.length === 0 ? ending : { ...ending, againInMs: Math.min(ending.againInMs ?? Infinity, UNKNOWN_OUTCOME_AGAIN_MS) };

const hasBegun = ({ facts, known: { owner, pods } }: Pass): boolean => (owner !== undefined && facts.hasStarted(owner)) || pods.size > 0;
