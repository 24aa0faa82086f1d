// What faults do only together, and what the end of a run is then waited for beside what each of them lasts by itself.
import { SIMULATED_KINDS } from './kinds/table.ts';
import { formatKey, type WorkloadKey } from '../../lib/objects/workload.ts';
import type { PassRecord } from '../../lib/ports/recorder.ts';
import type { Head, HeadChange } from '../../lib/ports/store.ts';
import { findFacts } from '../../lib/kinds/facts.ts';
import type { Call } from './calls.ts';
import { FAULTS, pluralOf, WAITS, type FaultName } from './faults.ts';
import type { Invocation, Process } from './process.ts';

/** So many writes of a status by another hand are a fight, where none comes so long after the one before that this is forgiven. */
const FIGHT = { writes: 3, forgivenAfterMs: 300_000 };

export class Together {
  /** Virtual milliseconds. */
  waitMs = 0;
  /** So long after the end something may still come of them. */
  restMs = 0;
  readonly #sleepers = new Map<Invocation, number>();
  /** By workload: so far ahead was the clock of who noted last since when it is pending. */
  readonly #aheadMs = new Map<string, number>();
  /** By workload: so far ahead was the clock of who created its head. */
  readonly #bornAheadMs = new Map<string, number>();
  /** By workload: so much longer passes leave it alone, which some earlier pass may be at work on, than right clocks would have them. */
  readonly #leftAloneMs = new Map<string, number>();
  /** By pass: refused writes of its workload's status. */
  readonly #refusedStatuses = new Map<Invocation, number>();
  readonly #foreignWrites = new Map<string, { writes: number; atMs: number }>();
  /** Names of workloads that were fought over: they may be parked for that. */
  readonly fights = new Set<string>();
  readonly #restored = new Set<string>();

  /** @param cluster that the call is about */
  struck(fault: FaultName, call: Call, cluster: string): void {
    const { invocation, process, port, method, atMs } = call;
    const batch = invocation?.batch ?? invocation;
    if (fault === 'sleepsAndIsSetBack' && batch) {
      // A function wakes from one sleep with time left to do its work; two outlast it, and only its messages' return brings that back.
      const sleeps = (this.#sleepers.get(batch) ?? 0) + 1;
      this.#sleepers.set(batch, sleeps);
      if (sleeps === 2) this.waitMs += WAITS.visibility.ms;
    }
    // A wake is pending since it was sent, and a timer due, by the clock of whoever sent it: where that is ahead and one is lost, it is found later.
    if (FAULTS[fault].waits.some((wait) => wait === 'sweep' || wait === 'heartbeat') && port === 'queue' && method === 'send')
      this.waitMs += Math.max(process.skewMs, 0);
    // So is one whose pass is lost, with the wake taken for done: all of its batch are.
    if (fault === 'diesTakenForDone' && batch)
      this.waitMs += Math.max(0, ...[...(batch.passes?.keys() ?? [])].map((key) => this.#aheadMs.get(key) ?? 0));
    // Set back again while a relay is between the list of the first past and the watch from there, to another past of that very version: no
    // version tells, only the comparison with a list of metadata does. Until then each heartbeat's digest has its workload listed live.
    if (fault === 'apiServerIsOld') {
      if (this.#restored.has(cluster)) this.restMs = WAITS.heartbeat.ms + WAITS['metadata list'].ms + 30_000;
      this.#restored.add(cluster);
    }
    // A status that is refused once is planned anew; refused again in the same pass, the workload is parked.
    if (fault === 'apiFindsItInvalid' && invocation && isStatusWrite(call)) {
      const refused = (this.#refusedStatuses.get(invocation) ?? 0) + 1;
      this.#refusedStatuses.set(invocation, refused);
      if (refused === 2) this.waitMs += WAITS.park.ms;
    }
    // Such a kind leaves its workload alone until the other controller has been silent for so long.
    if (fault === 'otherController' || fault === 'otherControllerFights') this.waitMs += yieldsMsOf(invocation?.key?.kind ?? '');
    // One write of another hand is none of a fight; so many are, and the workload is parked.
    if (fault === 'otherController' && invocation?.key) {
      const key = formatKey(invocation.key);
      const before = this.#foreignWrites.get(key);
      const writes = before && atMs - before.atMs < FIGHT.forgivenAfterMs ? before.writes + 1 : 1;
      this.#foreignWrites.set(key, { writes, atMs });
      if (writes === FIGHT.writes) {
        this.waitMs += WAITS.park.ms;
        this.fights.add(invocation.key.name);
      }
    }
  }

  effected({ port, method, args, process }: Call): void {
    if (port !== 'store') return;
    const [key, change] = pendingIn(method, args);
    if (!key) return;
    const aheadMs = Math.max(process.skewMs, 0);
    if (method === 'createHead') this.#bornAheadMs.set(formatKey(key), aheadMs);
    if (change.pendingSinceMs !== undefined) this.#aheadMs.set(formatKey(key), aheadMs);
  }

  /** Part of `waitMs`: lost workloads were left alone for so much longer than right clocks would have them. */
  get leftAloneMs(): number {
    return [...this.#leftAloneMs.values()].reduce((sum, ms) => sum + ms, 0);
  }

  /** A head is as old as two clocks say, its creator's and the pass's: where they differ, a lost workload is left alone for as much longer (R1). */
  passed({ key, outcome }: Pick<PassRecord, 'key' | 'outcome'>, { skewMs }: Pick<Process, 'skewMs'>): void {
    if (outcome !== 'unknown') return;
    const workload = formatKey(key);
    const before = this.#leftAloneMs.get(workload) ?? 0;
    const longer = Math.max(before, (this.#bornAheadMs.get(workload) ?? 0) + Math.max(-skewMs, 0));
    this.#leftAloneMs.set(workload, longer);
    this.waitMs += longer - before;
  }
}

const yieldsMsOf = (kind: string): number => SIMULATED_KINDS.find(({ facts }) => facts.kind === kind)?.hands.yieldsMs ?? 0;

/** Of the workload itself: a pass writes nothing of it but its status. */
function isStatusWrite(call: Call): boolean {
  const facts = findFacts(call.invocation?.key?.kind ?? '');
  return call.port === 'cluster' && call.method === 'patch' && facts?.isOwnerless !== true && facts?.resource.plural === pluralOf(call);
}

function pendingIn(method: string, args: readonly unknown[]): [WorkloadKey | undefined, Pick<HeadChange, 'pendingSinceMs'>] {
  if (method === 'createHead') {
    const [head] = args as [Head];
    return [head.key, head];
  }
  const [key, , change] = args as [WorkloadKey, object, HeadChange];
  return method === 'updateHead' ? [key, change] : [undefined, {}];
}
