// What calls have told the checks so far: live reads and intents per invocation, writes per cluster, waits that servers asked for.
import type { StatementSync } from 'node:sqlite';
import { DEDUPLICATION_MS } from '../../lib/adapters/embedded/queue-deduplication.ts';
import type { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import type { Job, KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { parseKey, type WorkloadKey } from '../../lib/objects/workload.ts';
import { ThrottledError } from '../../lib/ports/errors.ts';
import type { Head, HeadChange } from '../../lib/ports/store.ts';
import { decodeState } from '../../lib/reconciler/pass-state.ts';
import { decodeWake } from '../../lib/wire/messages.ts';
import { isWrite, type Call } from './calls.ts';
import type { Outcome } from './invariants/table.ts';
import type { Simulation } from './simulation.ts';

export class Ledger {
  /** Virtual milliseconds of each write to a cluster's API server, Events too. */
  readonly writesAtMs = new Map<string, number[]>();
  /**
   * That heads were born with, or passes gave them, as far as the table remembers. Not those of a sweep, and not those that a pass replaced
   * which came by another wake, as after its visibility time-out: a wake too many may follow them.
   */
  readonly #fences = new Set<string>();
  /** Of the wakes that nobody has received, by queue: asked for with each that is sent. */
  readonly #statements = new Map<EmbeddedQueue, StatementSync>();
  /** How often the budgets began anew: the table was lost, or a clock jumped. */
  freshBudgets = 0;
  /** Processes that opened a pass in their present invocation. */
  readonly opened = new Set<object>();
  /** By cluster: everybody keeps away from then until then. */
  readonly closed: { cluster: string; fromMs: number; untilMs: number }[] = [];

  /** The table is another one: what it kept of fences, budgets and waits is gone. */
  lostStore(): void {
    this.#fences.clear();
    this.forgetWaits();
  }

  /** Budgets, and the waits that servers asked for: they were kept in a table, or told by a clock, that is another one now. */
  forgetWaits(): void {
    this.freshBudgets += 1;
    this.closed.splice(0);
  }

  /**
   * Keys of workloads with more than one wake that nobody has received yet. A second wake after the same fence is none too many once the queue
   * has forgotten the first: that one waits as long behind another, whose function died, where the queue's clock was set back.
   */
  piledUp(queue: EmbeddedQueue): WorkloadKey[] {
    const wakes = this.#unreceived(queue).all();
    // One alone is none too many.
    if (wakes.length < 2) return [];
    const counts = new Map<string, number>();
    const sentAtMs = new Map<string, number>();
    for (const { body, sentAt } of wakes) {
      const wake = wakeIn(String(body));
      if (!wake || !('key' in wake) || !this.#fences.has(wake.follows)) continue;
      const forgottenAtMs = (sentAtMs.get(wake.follows) ?? Infinity) + DEDUPLICATION_MS;
      sentAtMs.set(wake.follows, Number(sentAt));
      if (Number(sentAt) < forgottenAtMs) counts.set(wake.key, (counts.get(wake.key) ?? 0) + 1);
    }
    return [...counts].flatMap(([key, count]) => (count > 1 ? (parseKey(key) ?? []) : []));
  }

  #unreceived(queue: EmbeddedQueue): StatementSync {
    const known = this.#statements.get(queue);
    if (known) return known;
    const statement = queue.database.prepare(
      "select body, sent_at as sentAt from messages where queue = 'wakes' and receive_count = 0 order by sequence",
    );
    this.#statements.set(queue, statement);
    return statement;
  }

  sent(call: Call, nowMs: number): void {
    if (call.port !== 'cluster' || !isWrite(call)) return;
    const writes = this.writesAtMs.get(call.cluster ?? '') ?? [];
    writes.push(nowMs);
    this.writesAtMs.set(call.cluster ?? '', writes);
  }

  effected(call: Call): void {
    const { invocation } = call;
    if (call.port !== 'store' || !invocation) return;
    if (call.method === 'createHead') this.#fences.add((call.args[0] as Head).fence);
    if (call.method !== 'updateHead') return;
    const [, { ifFence }, change] = call.args as [WorkloadKey, { ifFence?: string }, HeadChange];
    if (change.fence !== undefined && invocation.function === 'reconcile') {
      this.#fences.add(change.fence);
      if (ifFence !== undefined && ifFence !== invocation.follows) this.#fences.delete(ifFence);
      this.opened.add(invocation);
    }
    if (change.state !== undefined) invocation.intents = decodeState(change.state)?.intents;
  }

  heard(call: Call, outcome: Outcome, { history, scheduler }: Simulation): void {
    const { invocation } = call;
    if (call.port !== 'cluster') return;
    if ('error' in outcome) {
      const { error } = outcome;
      // The word of one counts for all (R14).
      if (error instanceof ThrottledError && isWrite(call)) {
        const fromMs = scheduler.elapsedMs;
        this.closed.push({ cluster: call.cluster ?? '', fromMs, untilMs: fromMs + error.retryAfterSeconds * 1000 });
      }
      return;
    }
    const answer = outcome.value as { object?: KubernetesObject; items?: Pod[] };
    const { plural } = call.args[0] as { plural: string };
    for (const pod of plural === 'pods' ? [...(answer.items ?? []), answer.object] : []) {
      const record = history.pods.get(pod?.metadata.uid ?? '');
      if (record) record.isKnown = true;
    }
    if (plural === 'jobs' && answer.object) invocation?.live.set(answer.object.metadata.uid ?? '', answer.object as Job);
  }
}

function wakeIn(body: string): ReturnType<typeof decodeWake> | undefined {
  try {
    return decodeWake(body);
  } catch {
    return undefined;
  }
}
