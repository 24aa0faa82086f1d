// What calls have told the checks so far: live reads and intents per invocation, writes per cluster, waits that servers asked for.
import type { Job, KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { ThrottledError } from '../../lib/ports/errors.ts';
import type { ReceivedMessage } from '../../lib/ports/queue.ts';
import type { HeadChange } from '../../lib/ports/store.ts';
import { decodeState } from '../../lib/reconciler/pass-state.ts';
import { isWrite, type Call } from './calls.ts';
import type { Outcome } from './invariants/table.ts';
import type { Process } from './process.ts';
import type { Simulation } from './simulation.ts';

export class Ledger {
  /** Virtual milliseconds of each write to a cluster's API server, Events too. */
  readonly writesAtMs = new Map<string, number[]>();
  /** A message came back after its visibility time-out: a second wake may run beside the first (R9). */
  hasComeBack = false;
  /** Processes that opened a pass in their present invocation. */
  readonly opened = new Set<object>();
  /** By cluster: everybody keeps away from then until then. */
  readonly closed: { cluster: string; fromMs: number; untilMs: number }[] = [];

  began(_: Process, messages: readonly ReceivedMessage[]): void {
    if (messages.some(({ receiveCount }) => receiveCount > 1)) this.hasComeBack = true;
  }

  sent(call: Call, nowMs: number): void {
    if (call.port !== 'cluster' || !isWrite(call)) return;
    const writes = this.writesAtMs.get(call.cluster ?? '') ?? [];
    writes.push(nowMs);
    this.writesAtMs.set(call.cluster ?? '', writes);
  }

  effected(call: Call): void {
    const { invocation } = call;
    if (call.port !== 'store' || call.method !== 'updateHead' || !invocation) return;
    const change = call.args[2] as HeadChange;
    if (change.fence !== undefined && invocation.function === 'reconcile') this.opened.add(invocation);
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
