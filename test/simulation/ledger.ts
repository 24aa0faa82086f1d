// What calls have told the checks so far: live reads and intents per invocation, writes per cluster, waits that servers asked for.
import type { StatementSync } from 'node:sqlite';
import { DEDUPLICATION_MS } from '../../lib/adapters/embedded/queue-deduplication.ts';
import type { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import type { KubernetesObject, Pod, WorkloadObject } from '../../lib/objects/kubernetes.ts';
import { formatKey, parseKey, type WorkloadKey } from '../../lib/objects/workload.ts';
import type { PageSelection } from '../../lib/ports/cluster.ts';
import type { ReceivedMessage } from '../../lib/ports/queue.ts';
import { ThrottledError } from '../../lib/ports/errors.ts';
import type { Head, HeadChange } from '../../lib/ports/store.ts';
import { decodeState } from '../../lib/reconciler/head/pass-state.ts';
import { isAnswer } from '../../lib/wire/command-answers.ts';
import { podsIn } from '../wire/told-children.ts';
import { decodeEvents } from '../../lib/wire/events.ts';
import { decodeWake } from '../../lib/wire/messages.ts';
import { isWrite, type Call } from './calls.ts';
import { secondsAskedFor } from './cluster-port.ts';
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
  /** Of each Farloop, by workload: uids of pods that its views have called gone. */
  readonly #gone = new Map<unknown, Map<string, Set<string>>>();
  #hasLostStore = false;
  /** How often the budgets began anew: the table was lost, or a clock jumped. */
  freshBudgets = 0;
  /** Processes that opened a pass in their present invocation. */
  readonly opened = new Set<object>();
  /** By cluster: everybody keeps away from then until then; a second Farloop has not been told. */
  readonly closed: { cluster: string; installation: unknown; fromMs: number; untilMs: number }[] = [];

  /** Of what a relay follows, one call after another: until then the API server wants to be left alone. */
  readonly #relayWaits = new WeakMap<object, Map<string, number>>();

  /** @returns the virtual milliseconds before which a relay's list, look or watch of this resource is not to come again */
  askedToWait(call: Call): number | undefined {
    return isFollowing(call) ? this.#relayWaits.get(call.process)?.get(resourceOf(call)) : undefined;
  }

  #noteRelayWait(call: Call, error: unknown, nowMs: number): void {
    if (!(error instanceof ThrottledError) || !isFollowing(call)) return;
    const waits = this.#relayWaits.get(call.process) ?? new Map<string, number>();
    this.#relayWaits.set(call.process, waits.set(resourceOf(call), nowMs + secondsAskedFor(error) * 1000));
  }

  /** The table is another one: what it kept of fences, budgets and waits is gone. */
  lostStore(): void {
    this.#hasLostStore = true;
    this.#fences.clear();
    this.#gone.clear();
    this.forgetWaits();
  }

  /** A sweep has replaced it. */
  forgetFence(fence: string): void {
    this.#fences.delete(fence);
  }

  /** To be added to. A new era knows nothing of what had gone in the one before (R3). */
  goneOf(installation: unknown, { key, part }: { key: WorkloadKey; part: string }, era: number): Set<string> {
    const own = this.#gone.get(installation) ?? new Map<string, Set<string>>();
    this.#gone.set(installation, own);
    const name = `${formatKey(key)} ${era} ${part}`;
    const uids = own.get(name) ?? new Set();
    own.set(name, uids);
    return uids;
  }

  /** Of all parts of that view, and all eras. */
  forgetGone(installation: unknown, key: WorkloadKey): void {
    for (const [name, uids] of this.#gone.get(installation) ?? []) if (name.startsWith(`${formatKey(key)} `)) uids.clear();
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
    // Whoever told the view to be read anew has sent a wake after the new fence: one that is still sent after the old one finds no head.
    if (change.fence !== undefined && invocation.function === 'ingest' && ifFence !== undefined) this.#fences.delete(ifFence);
    if (change.state !== undefined) invocation.intents = decodeState(change.state)?.intents;
  }

  /** Ingest has read these messages to their end: what they report is known, as long as the table is. */
  ingested(messages: readonly Pick<ReceivedMessage, 'body'>[], { history }: Simulation): void {
    if (this.#hasLostStore) return;
    for (const { body } of messages) {
      if (isAnswer(body)) continue;
      const { cluster, reports } = decodeEvents(body);
      for (const report of reports)
        for (const { child: pod } of podsIn(report)) {
          const record = pod.phase === 'Succeeded' ? history.pod(cluster, pod.uid) : undefined;
          if (record) record.isKnownDone = true;
        }
    }
  }

  heard(call: Call, outcome: Outcome, { history, scheduler }: Simulation): void {
    const { invocation } = call;
    if ('error' in outcome) this.#noteRelayWait(call, outcome.error, scheduler.elapsedMs);
    if (call.port !== 'cluster') return;
    if ('error' in outcome) {
      const { error } = outcome;
      // The word of one counts for all, whatever it asked for (R14).
      if (error instanceof ThrottledError) {
        const fromMs = scheduler.elapsedMs;
        const { installation } = call.process;
        this.closed.push({ cluster: call.cluster ?? '', installation, fromMs, untilMs: fromMs + secondsAskedFor(error) * 1000 });
      }
      return;
    }
    const answer = outcome.value as { object?: KubernetesObject; items?: Pod[] };
    const { plural } = call.args[0] as { plural: string };
    for (const pod of plural === 'pods' ? [...(answer.items ?? []), answer.object] : []) {
      const record = history.pod(call.cluster ?? '', pod?.metadata.uid);
      if (record) record.isKnown = true;
    }
    const uid = answer.object?.metadata.uid ?? '';
    if (history.owner(call.cluster ?? '', uid)) invocation?.live.set(uid, answer.object as WorkloadObject);
  }
}

const resourceOf = ({ args }: Call): string => (args[0] as { plural: string }).plural;

/** What a relay does to follow a resource; not what it compares with now and then, and not the calls that it makes for passes. */
const isFollowing = ({ port, method, args }: Call): boolean => {
  if (port !== 'source') return false;
  if (method === 'watch') return true;
  const { metadataOnly = false, limit = 0 } = args[1] as Partial<PageSelection>;
  return method === 'listPage' && (!metadataOnly || limit === 1);
};

function wakeIn(body: string): ReturnType<typeof decodeWake> | undefined {
  try {
    return decodeWake(body);
  } catch {
    return undefined;
  }
}
