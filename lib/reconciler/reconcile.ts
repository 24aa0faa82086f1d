// The loop: read → settle → plan → intend → act → record. Safe to run again at any moment, in any order, on any machine.
import type { WorkloadKey } from '../objects/workload.ts';
import { deadlineIn } from '../ports/clock.ts';
import { isInScope, RECORD_AGE_MS_MAX } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import type { QuestionsMessage } from '../wire/questions.ts';
import type { RunLookMessage } from '../wire/words/observations.ts';
import { answerQuestions } from './questions/answer-questions.ts';
import { WriteBudget } from './cluster/budget.ts';
import { ClockOffsets } from './cluster/clock-offsets.ts';
import { lookAtCluster } from './cluster/cluster-look.ts';
import { lookAtNodes } from './cluster/node-look.ts';
import { Reachability } from './cluster/reachability.ts';
import { noteQueueLag } from './head/queue-lag.ts';
import { settle } from './live/settle.ts';
import type { Ending } from './pass/ending.ts';
import type { Pass } from './pass/pass.ts';
import { parkedFor } from './planning/parking.ts';
import { acquire } from './steps/acquire.ts';
import { releaseChildren } from './steps/after-owner.ts';
import { getToKnow } from './steps/get-to-know.ts';
import { executionOf, LOOP_OPTIONS, type Loop, type LoopOptions } from './steps/loop.ts';
import { openPass, type OpenedPass } from './steps/open-pass.ts';
import { noteAnswer, noteLook, probe } from './steps/reach.ts';
import { record, type Answer } from './steps/record.ts';
import { runRounds } from './steps/rounds.ts';
import { endingOf, isUnreadable, UNKNOWN_OUTCOME_AGAIN_MS } from './steps/trouble.ts';
import { ViewMemory } from './view/view-memory.ts';

/** The content of the delivered wake. */
export interface Woken {
  /** When the wake was sent, if this is its first delivery. */
  sentAtMs?: number | undefined;
  /** The fence that the wake names; if absent, the head is read. */
  follows?: string | undefined;
  /** When the queue took the change for which the wake was sent. */
  enqueuedAtMs?: number | undefined;
  /** A wake that leads to this pass was delivered before: an earlier pass may have begun with it, and died. */
  wasDelivered?: boolean | undefined;
}

/** By then every function knows the cluster's present record: clocks differ by less than the age that records may have. */
const RECORD_KNOWN_MS = 2 * RECORD_AGE_MS_MAX;
/** When to look again at work that a drained cluster does not begin. The cluster may accept work once more. */
const DRAINED_AGAIN_MS = 300_000;

export class Reconciler {
  readonly #loop: Loop;

  /** @param given options other than the usual ones */
  constructor(ports: Ports, given: Partial<LoopOptions> = {}) {
    const options = { ...LOOP_OPTIONS, ...given };
    const [budget, reachability, offsets] = [new WriteBudget(ports), new Reachability(ports), new ClockOffsets(ports, options.passMs)];
    this.#loop = { ports, options, budget, reachability, offsets, memory: new ViewMemory() };
  }

  /** One pass over one workload, for one delivered wake. It always acquires the head, even if only to put the work off (R9). */
  async reconcile(key: WorkloadKey, { sentAtMs, follows, enqueuedAtMs, wasDelivered = false }: Woken = {}): Promise<Answer> {
    const { ports, options, offsets } = this.#loop;
    const startedAtMs = ports.clock.nowMs();
    // The deadline counts from the very beginning (R17). However long the way to its first call takes, the pass sends nothing later.
    const deadline = deadlineIn(ports.clock, options.passMs);
    const cluster = await ports.clusters.get(key.cluster);
    if (!cluster) {
      ports.telemetry.warn('wake of a cluster that is not registered', { ...key });
      return 'done';
    }
    // The cluster is being removed. Do nothing on it any more, and note nothing about it.
    if (cluster.leaving) return 'done';
    const acquired = await acquire(ports, key, cluster, { openedAtMs: startedAtMs, follows, wasDelivered });
    if (!acquired) return 'failed';
    if (sentAtMs !== undefined) await noteQueueLag(ports, key, sentAtMs);
    const opened = await openPass(this.#loop, acquired, { key, record: cluster, deadline, startedAtMs });
    const { pass } = opened;
    const ending = outOfScope(ports, pass) ?? (await this.#run(opened));
    offsets.learnFrom(pass);
    // A change that an earlier pass has seen does not count for this pass's lag.
    return await record(this.#loop, pass, ending, (acquired.isNext ? enqueuedAtMs : undefined) ?? acquired.head.pendingSinceMs);
  }

  async #run({ pass, isUnknown, isTimeUnknown }: OpenedPass): Promise<Ending> {
    const { ports, options, reachability } = this.#loop;
    const held = await reachability.hold(pass.key);
    if (held.waitMs > 0) return { outcome: 'putOff', againInMs: held.waitMs, attempt: pass.attempt };
    try {
      if (held.probe !== 'none' || isTimeUnknown) await probe(pass, { checksRights: held.probe === 'rights' });
      const parked = parkedFor(pass, ports.clock.nowMs());
      if (parked !== undefined) {
        await noteLook(this.#loop, pass);
        return { outcome: 'parked', againInMs: parked };
      }
      const early = isUnknown ? await getToKnow(this.#loop, pass) : undefined;
      if (early) return early;
      if (!pass.known.owner) await pass.known.readOwner();
      if (pass.record.draining && !hasBegun(pass)) {
        pass.decided.why.push('its cluster is drained: work that has begun is finished, none is begun');
        return { outcome: 'waiting', againInMs: DRAINED_AGAIN_MS };
      }
      await pass.known.children.readUnproven();
      await settle(pass);
      const timing = () => ({ nowMs: ports.clock.nowMs() + pass.offsetMs, everyMs: options.readyAloneMs });
      const ending = await runRounds({ ports, execution: executionOf(this.#loop, pass), timing }, pass);
      await noteAnswer(this.#loop, pass);
      return lookedAtAgain(pass, ending);
    } catch (error) {
      const afterOwner = async (): Promise<Ending> => await releaseChildren(executionOf(this.#loop, pass));
      const ending = await endingOf({ ...this.#loop, afterOwner }, pass, error);
      if (ending.outcome === 'gone') await noteAnswer(this.#loop, pass);
      else if (isUnreadable(error)) await noteLook(this.#loop, pass);
      return ending;
    }
  }

  /**
   * Looks at a cluster that may have no work. Never throws: the next sweep sends another look.
   * @param cluster its registered name
   */
  async look(cluster: string): Promise<void> {
    const { ports } = this.#loop;
    try {
      await lookAtCluster(this.#loop, cluster);
    } catch (error) {
      ports.telemetry.warn('no look at a cluster before the next sweep', { cluster, error });
    }
  }

  /** The same for virtual nodes of a cluster. Never throws. */
  async lookAtNodes(about: { cluster: string; nodes: readonly string[] }): Promise<void> {
    const { ports } = this.#loop;
    try {
      await lookAtNodes(ports, about);
    } catch (error) {
      ports.telemetry.warn('no look at virtual nodes before the next sweep', { ...about, error });
    }
  }

  /** Goes on with a run, which has no cluster. Never throws: its record is overdue then, and the next sweep finds it. */
  async goOn(message: RunLookMessage, hasTime: () => boolean): Promise<void> {
    const { clock, queue, drivenRuns, telemetry } = this.#loop.ports;
    try {
      if (!drivenRuns) throw new Error('this process drives no runs');
      // Most processes never meet a run.
      const { goOnWithRun } = await import('./runs/go-on.ts');
      await goOnWithRun({ clock, queue, drivenRuns }, message, hasTime);
    } catch (error) {
      telemetry.error('a run cannot go on before the next sweep', { run: message.run, error });
    }
  }

  /** Answers questions of those who may not reach clusters. Never throws: who has asked waits for some seconds only. */
  async answer(message: QuestionsMessage): Promise<void> {
    const { ports } = this.#loop;
    try {
      await answerQuestions(ports, message);
    } catch (error) {
      ports.telemetry.warn('questions not answered', { cluster: message.cluster, error });
    }
  }
}

/** @returns undefined if the cluster is registered for the workload's namespace */
function outOfScope({ clock }: Pick<Ports, 'clock'>, pass: Pass): Ending | undefined {
  if (isInScope(pass.record, pass.key.namespace)) return undefined;
  // The function that created the head may have read of this namespace in a newer record than the one cached here.
  const ageMs = clock.nowMs() - pass.pending.head.bornAtMs;
  if (ageMs < RECORD_KNOWN_MS) {
    pass.decided.why.push('its cluster is not registered for its namespace, or that is not known here yet');
    return { outcome: 'waiting', againInMs: RECORD_KNOWN_MS };
  }
  pass.decided.why.push('its cluster is not registered for its namespace any more: it is forgotten');
  return { outcome: 'gone' };
}

/** R9: an unknown outcome is looked up soon, whatever else the pass waits for. */
const lookedAtAgain = ({ pending: { unanswered } }: Pass, ending: Ending): Ending =>
  unanswered.length === 0 ? ending : { ...ending, againInMs: Math.min(ending.againInMs ?? Infinity, UNKNOWN_OUTCOME_AGAIN_MS) };

const hasBegun = ({ facts, known: { owner, pods } }: Pass): boolean => (owner !== undefined && facts.hasStarted(owner)) || pods.size > 0;
