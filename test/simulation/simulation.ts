// One run: API servers, kubelets, relays, queue, store and functions on virtual time, struck by the faults of a plan, checked at each step.
import type { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import type { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import type { ClusterRecord } from '../../lib/ports/clusters.ts';
import type { OutgoingMessage, QueueName } from '../../lib/ports/queue.ts';
import { NotDoneError } from '../../lib/ports/errors.ts';
import type { PassRecord } from '../../lib/ports/recorder.ts';
import { wake } from '../../lib/reconciler/head/wake.ts';
import type { Change } from '../../lib/sandbox/storage/version.ts';
import { SimApiServer, type Snapshot } from './api-server.ts';
import { describe, type Call, type Strike } from './calls.ts';
import { DirectCluster } from './cluster-port.ts';
import { FAULT_NAMES, FAULTS, WAITS, type Fault, type FaultName, type Plan, type Planned } from './faults.ts';
import { History, isTracked, livingOf } from './history.ts';
import { SIMULATED_KINDS, type SimulatedKind } from './kinds/table.ts';
import { Checks, type Violation } from './checks.ts';
import { Installation } from './installation.ts';
import { Kubelet } from './kubelet.ts';
import { RelayedCalls } from './relayed-calls.ts';
import { Process, type Around } from './process.ts';
import { Providers } from './providers.ts';
import { longestDelayMs, RECOVERY_MS, restMs } from './recovery.ts';
import { drained, Scheduler } from './scheduler.ts';
import { endsOf, type Scenario } from './scenario.ts';
import { Tampering } from './tampering.ts';
import { Together } from './together.ts';

export interface Run {
  scenario: Scenario;
  seed: number;
  plan: Plan;
  /** Beside the plan: faults drawn from the seed. */
  storm?: { faults: readonly FaultName[]; most: number; chance: number };
  /** How passes reach the clusters; without, they dial them. */
  access?: 'relayed';
  /** Calls take times drawn from the seed; else always the same. */
  jitter: boolean;
  /** Keeps lines for people. */
  traced?: boolean;
  /** Keeps a log of calls. */
  isSurvey?: boolean;
  /** Counts what each workload costs. */
  isCounted?: true;
  /** Of virtual time, until everything must have ended. */
  limitMs: number;
}

export interface Result {
  violations: Violation[];
  /** Calls that a fault may strike: until everything had ended. */
  calls: number;
  /** What of the plan applied where it struck; of a storm, all that did. */
  struck: Planned[];
  endedAtMs: number | undefined;
  elapsedMs: number;
  /** Lost workloads were left alone for so much longer than right clocks would have them. */
  leftAloneMs: number;
  steps: number;
  passes: number;
  /** How often a workload of a restored server could be asked everything again. */
  settled: number;
  /** Pods ever created for each workload that is expected. */
  pods: number;
  timeline: string[];
  /** Of a survey: each call until the end, and what could have struck it. */
  log: { call: Call; faults: readonly FaultName[] }[];
}

const LATENCY_MS = { cluster: 4, source: 4, store: 3, queue: 5, clusters: 1, recorder: 1, mapping: 3, provider: 6 };
/** A sweep and a heartbeat find nothing within. */
const QUIET_MS = 65_000;
/** So much longer a run may take whose calls take times drawn from its seed, of which some are seconds. */
const JITTERED_MS = 5_000;
/** Writes that a cluster has seen more than the one that it was made of: what is the same has other versions. */
const TWINS_APART = 40;
/** Of passes that met no trouble. */
const PLAIN_ENDS = new Set<string>(['acted', 'waiting', 'converged']);
/** Storms rage so long. */
const STORM_MS = 60_000;
/** A run of so many turns in circles. */
const MOST_STEPS = 40_000;

export class Simulation {
  readonly run: Run;
  readonly scheduler: Scheduler;
  readonly history: History;
  /** The kind that the story is about. */
  readonly kindOf: SimulatedKind;
  readonly providers: Providers;
  readonly servers = new Map<string, SimApiServer>();
  readonly kubelets = new Map<string, Kubelet>();
  readonly directs = new Map<string, DirectCluster>();
  /** The first is the one that stories are told of. */
  readonly installations: [Installation, ...Installation[]];
  readonly checks: Checks;
  readonly passes: PassRecord[] = [];
  readonly timeline: string[] = [];
  readonly log: Result['log'] = [];
  /** While set, what the servers commit is this call's doing. */
  actor: Call | undefined;
  callNumber = 0;
  readonly struck: Planned[] = [];
  hasEnded = false;
  /** Workloads of restored servers of which everything is asked again. */
  settled = 0;
  readonly #eraSinceMs = new Map<string, number>();
  parkings: string[] = [];
  poisoned = 0;
  readonly snapshots = new Map<string, { atMs: number; snapshot: Snapshot }[]>();
  readonly tampering: Tampering;
  readonly relayedCalls = new RelayedCalls();
  readonly #byCall: Map<number, Plan[number]['fault'][]>;
  /** Apart from the scheduler's, so that a storm replayed as a plan takes the same times. */
  readonly #chance: () => number;
  readonly together = new Together();
  readonly #processes: Process[] = [];
  /** Messages that are still on their way. */
  #late = 0;
  /** So long a call is on its way. */
  #expectedUntilMs = 0;
  /** Farloop's clocks were, in all. */
  #setBackMs = 0;
  #isDirty = true;

  constructor(run: Run) {
    this.run = run;
    const { scenario } = run;
    const kind =
      SIMULATED_KINDS.find(({ facts, stories }) => stories.includes(scenario) || facts.kind === scenario.kind) ?? SIMULATED_KINDS[0];
    if (!kind) throw new Error('no kind is simulated');
    this.kindOf = kind;
    // In other stories pods are children, and nodes nobody's.
    this.history = new History(SIMULATED_KINDS.filter(({ facts }) => !facts.ownersOn || run.scenario.virtualNode !== undefined));
    this.#byCall = new Map();
    for (const { call, fault } of run.plan) this.#byCall.set(call, [...(this.#byCall.get(call) ?? []), fault]);
    this.scheduler = new Scheduler(run.seed);
    this.#chance = seededRandom(run.seed ^ 0x5eed);
    for (const name of run.scenario.clusters) this.#addCluster(name);
    this.checks = new Checks(this);
    this.tampering = new Tampering(this);
    this.providers = new Providers(this);
    this.installations = [new Installation(this)];
  }

  #addCluster(name: string): void {
    const heard = (changes: readonly Change[]): void => {
      for (const change of changes) this.#noteChange(name, change);
    };
    const { areTwins, clusters, rows = [] } = this.run.scenario;
    const twin = areTwins && { seed: this.run.seed, older: clusters.indexOf(name) * TWINS_APART };
    const server = new SimApiServer(name, this.scheduler, heard, {
      twin: twin || undefined,
      rows,
      hasVirtualNode: this.run.scenario.virtualNode !== undefined,
    });
    this.servers.set(name, server);
    this.directs.set(name, new DirectCluster(server));
    this.kubelets.set(name, new Kubelet(server, this.scheduler, this.run.scenario));
  }

  #noteChange(cluster: string, change: Change): void {
    this.#isDirty = true;
    this.kubelets.get(cluster)?.see(change);
    const noted = this.history.note(cluster, change, this.actor, this.scheduler.elapsedMs);
    if (!noted) return;
    if (this.run.traced) this.say(changeText(cluster, change));
    this.checks.changed(noted);
  }

  newProcess(name: string): Process {
    const nth = this.#processes.length + 1;
    const process = new Process(`${name}-${nth}`, this.run.seed * 1_000 + nth, this.around());
    this.#processes.push(process);
    return process;
  }

  around(): Around {
    return {
      scheduler: this.scheduler,
      latencyMs: (port) => (this.run.jitter ? jittered(LATENCY_MS[port], this.scheduler.random()) : LATENCY_MS[port]),
      begin: (about) => this.#begin(about),
      sent: (call, deadline) => this.checks.sent(call, deadline),
      effecting: (call) => {
        if (call.port === 'cluster' && this.run.access === 'relayed') this.relayedCalls.made(call);
        else this.actor = (call.port === 'source' && this.relayedCalls.behind(call)) || call;
        if (call.port === 'queue' && call.method === 'send') this.relayedCalls.sends(call);
      },
      effected: (call, value) => {
        this.#isDirty = true;
        this.together.effected(call);
        this.checks.effected(call, value);
      },
      heard: (call, outcome) => {
        if (this.run.traced && 'error' in outcome)
          this.say(
            `#${call.number} ${call.process.name} hears ${outcome.error instanceof Error ? `${outcome.error.name}: ${outcome.error.message}` : ''}`,
          );
        this.checks.heard(call, outcome);
      },
      watched: (process, cluster, event) => {
        const { strike: _ } = this.#begin({
          process,
          invocation: process.invocation,
          port: 'source',
          method: 'event',
          args: [event.type, event],
          cluster,
        });
        return this.tampering.takeFate();
      },
    };
  }

  #begin(about: Omit<Call, 'number' | 'atMs'>): { call: Call; strike: Strike | undefined } {
    this.callNumber += 1;
    const call: Call = { ...about, number: this.callNumber, atMs: this.scheduler.elapsedMs };
    if (this.run.traced) this.say(`#${call.number} ${describe(call)}`);
    // Until a fault strikes, its run is this one: what can strike here can strike there.
    if (this.run.isSurvey && !this.hasEnded) this.log.push({ call, faults: FAULT_NAMES.filter((name) => this.#canStrike(name, call)) });
    // A line that is down is down for all that is sent through it, whatever else strikes.
    let strike = isOnLine(call) && this.tampering.isDark(this.clusterOf(call)) ? DARK : undefined;
    for (const name of this.#faultsAt(call)) {
      const fault = FAULTS[name];
      if (!this.#canStrike(name, call)) continue;
      this.struck.push({ call: call.number, fault: name });
      this.say(`!! ${name}: ${fault.says}`);
      // What it does is nobody's call.
      this.actor = undefined;
      this.together.struck(name, call, this.clusterOf(call));
      const added = fault.strike(this, call);
      if (added) strike = { ...strike, ...added };
    }
    return { call, strike };
  }

  /** None once all has ended: what is asked for then is rest, and one pass more that has no time to come back. */
  #faultsAt(call: Call): readonly FaultName[] {
    if (this.hasEnded) return [];
    const planned = this.#byCall.get(call.number) ?? [];
    const { storm } = this.run;
    if (!storm || this.struck.length >= storm.most || this.scheduler.elapsedMs > STORM_MS) return planned;
    if (this.#chance() >= storm.chance) return planned;
    const fitting = storm.faults.filter((name) => this.#canStrike(name, call));
    const drawn = fitting[Math.floor(this.#chance() * fitting.length)];
    return drawn ? [...planned, drawn] : planned;
  }

  #canStrike(name: FaultName, call: Call): boolean {
    const { applies, canStrike }: Fault = FAULTS[name];
    if (this.run.scenario.spares?.includes(name)) return false;
    return applies(call) && (canStrike?.(this, call) ?? true);
  }

  say(text: string): void {
    if (this.run.traced) this.timeline.push(`${(this.scheduler.elapsedMs / 1000).toFixed(3).padStart(9)} ${text}`);
  }

  direct(name: string): DirectCluster {
    const direct = this.directs.get(name);
    if (!direct) throw new Error(`no cluster ${name}`);
    return direct;
  }

  server(name: string): SimApiServer {
    return this.direct(name).api;
  }

  eraBegan(cluster: string): void {
    this.#eraSinceMs.set(cluster, this.scheduler.elapsedMs);
  }

  /** The first pass of a new era that comes to a plain end knows what the restored server has lost: its workload is asked everything again (R3). */
  recorded(pass: PassRecord, process: Process): void {
    this.passes.push(pass);
    this.together.passed(pass, process);
    const { cluster, uid } = pass.key;
    const owner = this.history.owner(cluster, uid);
    // A second Farloop raises an era of its own, in its own time.
    if (!owner?.isRestored || !PLAIN_ENDS.has(pass.outcome) || this.installations.length > 1) return;
    const sinceMs = this.#eraSinceMs.get(cluster) ?? -1;
    if (sinceMs >= owner.restoredAtMs && (process.invocation?.beganAtMs ?? 0) > sinceMs) this.history.settle(owner, sinceMs);
    if (!owner.isRestored) this.settled += 1;
  }

  /** What a process of Farloop says of what it does. */
  logged(process: Process, message: string, fields: Record<string, unknown>): void {
    if (message === 'workload parked') this.parkings.push(`${String(fields['name'])}: ${String(fields['reason'])}`);
    if (this.run.traced) this.say(`${process.name} says ${message} ${fieldText(fields)}`);
  }

  simulatedKind(kind: string): SimulatedKind | undefined {
    return SIMULATED_KINDS.find(({ facts }) => facts.kind === kind);
  }

  get store(): EmbeddedStore {
    return this.installations[0].store;
  }

  get queue(): EmbeddedQueue {
    return this.installations[0].queue;
  }

  get records(): ReadonlyMap<string, ClusterRecord> {
    return this.installations[0].records;
  }

  // --- the run

  async simulate(): Promise<Result> {
    const { run, scheduler } = this;
    for (const { atMs, cluster = run.scenario.clusters[0] ?? '', act } of run.scenario.acts)
      scheduler.after(atMs, () => void act(this.server(cluster)));
    for (const installation of this.installations) installation.start();
    this.tampering.start();
    await drained();
    let endedAtMs: number | undefined;
    const lastActMs = Math.max(...run.scenario.acts.map(({ atMs }) => atMs)) + 1;
    // So that an end before the last act is seen when that is over, not with whatever comes next.
    scheduler.after(lastActMs, () => {});
    while (this.checks.violations.length === 0 && (await scheduler.step(run.limitMs))) {
      this.actor = undefined;
      this.checks.stepped();
      if (scheduler.steps > MOST_STEPS) break;
      if (!this.#isDirty || scheduler.elapsedMs < lastActMs) continue;
      this.#isDirty = false;
      if (this.#isOver()) {
        endedAtMs = scheduler.elapsedMs;
        break;
      }
    }
    this.hasEnded = true;
    const calls = this.callNumber;
    if (this.checks.violations.length === 0) {
      if (endedAtMs === undefined)
        await this.checks.withoutEnd(`not within ${run.limitMs / 1000} s and ${MOST_STEPS} steps: ${this.#standing()}`);
      else if (this.checks.ended(endedAtMs, this.#mustEndByMs())) await this.#comeToRest();
    }
    this.#close();
    return {
      violations: this.checks.violations,
      calls,
      struck: this.struck,
      endedAtMs,
      elapsedMs: scheduler.elapsedMs,
      leftAloneMs: this.together.leftAloneMs,
      steps: scheduler.steps,
      passes: this.passes.length,
      settled: this.settled,
      pods: this.history.owners.reduce((sum, { pods }) => sum + pods.size, 0),
      timeline: this.timeline,
      log: this.log,
    };
  }

  /** As a run without faults, and for each fault that struck as long as it lasts, what it may wait for, and what the loop may take. Some do more together. */
  #mustEndByMs(): number {
    return this.struck.reduce(
      (sum, { fault }) => sum + longestDelayMs(fault, this.run.access) + RECOVERY_MS,
      this.run.scenario.withinMs +
        this.#jitterMs() +
        this.together.waitMs +
        (this.struck.length > 0 ? (this.run.scenario.struckMs ?? 0) : 0),
    );
  }

  #jitterMs(): number {
    if (!this.run.jitter) return 0;
    // A call through a relay is several calls.
    return this.run.access === 'relayed' ? 3 * JITTERED_MS : JITTERED_MS;
  }

  /** After the end: what is left over runs out, then nothing happens any more, and a pass that is asked for finds nothing to do. */
  async #comeToRest(): Promise<void> {
    // A queue whose clock was set back keeps what is delayed for as much longer, each time.
    // A node that has pods compares them with its provider's tasks every five minutes.
    const comparedMs = this.providers.isPresent ? 2 * WAITS.comparison.ms : 0;
    const restMostMs = Math.max(QUIET_MS, comparedMs, this.together.restMs, ...this.struck.map(({ fault }) => restMs(fault)));
    const restless = this.scheduler.elapsedMs + restMostMs + this.#setBackMs;
    let before = this.checks.cost;
    for (;;) {
      const mayMove = this.scheduler.elapsedMs < restless;
      before = this.checks.cost;
      await this.#pass(QUIET_MS);
      if (!mayMove || this.checks.violations.length > 0) break;
      // Quiet, and all as it must be: there is nothing left to come back.
      if (!this.checks.hasMoved(before) && this.#nothingStandsStill() && (await this.checks.isAllRight())) break;
    }
    this.checks.quiet(before);
    for (const key of await this.#keys())
      await wake({ queue: this.queue, store: this.store, clock: new Process('user', 1, this.around()).clock }, key);
    await this.#pass(5_000);
    await this.checks.atEnd(before);
  }

  #nothingStandsStill(): boolean {
    if (this.scheduler.elapsedMs <= this.#expectedUntilMs) return false;
    return this.#late === 0 && this.#alive().every(({ frozenUntilMs }) => frozenUntilMs <= this.scheduler.elapsedMs);
  }

  #alive(): Process[] {
    return this.#processes.filter(({ isDead }) => !isDead);
  }

  async #keys(): Promise<WorkloadKey[]> {
    const keys: WorkloadKey[] = [];
    for (const name of this.run.scenario.clusters) keys.push(...(await this.store.workloads(name, { limit: 100 })).keys);
    return keys;
  }

  async #pass(ms: number): Promise<void> {
    const untilMs = this.scheduler.elapsedMs + ms;
    await drained();
    while (this.checks.violations.length === 0 && (await this.scheduler.step(untilMs))) {
      this.actor = undefined;
      this.checks.stepped();
    }
    this.scheduler.elapsedMs = Math.max(this.scheduler.elapsedMs, untilMs);
  }

  #close(): void {
    for (const installation of this.installations) installation.close();
    for (const server of this.servers.values()) server.close();
    this.providers.close();
  }

  /** Every workload stands as expected, and no pod of any waits for a finalizer to come off. */
  #isOver(): boolean {
    const { ends } = this.run.scenario;
    for (const { name, cluster, end } of endsOf(this.run.scenario)) {
      const server = this.server(cluster);
      const owner = this.history.owners.findLast((record) => record.cluster === cluster && record.name === name && !record.isGone)?.object;
      switch (this.tampering.endedNamespaces.has(server.name) ? 'gone' : end) {
        case 'gone':
          if (owner) return false;
          break;
        case 'suspended':
        case 'steady':
          if (!owner || !this.kindOf.standsAs[end as 'suspended' | 'steady']?.(owner)) return false;
          break;
        case 'parked':
          break;
        case 'Complete':
        case 'Failed':
        default:
          if (!owner || !this.kindOf.facts.isFinished(owner)) return false;
      }
    }
    for (const record of this.history.owners) if (record.name in ends && livingOf(record).some(({ pod }) => isTracked(pod))) return false;
    return true;
  }

  #standing(): string {
    const owners = this.history.owners.map(
      (record) =>
        `${record.name}${record.isGone ? ' (gone)' : ''} ${JSON.stringify(record.object.status ?? {})} pods ${livingOf(record)
          .map(
            ({ pod }) =>
              `${pod.metadata.name}:${pod.status?.phase}${pod.metadata.deletionTimestamp ? ':deleted' : ''}${isTracked(pod) ? ':tracked' : ''}`,
          )
          .join(' ')}`,
    );
    const latest = this.passes.slice(-2).map(({ outcome, why, error }) => `${outcome}: ${error ?? why.join('; ')}`);
    return `${owners.join(' | ')}; latest passes: ${latest.join(' | ')}`;
  }

  // --- what faults ask for

  clusterOf(call: Call): string {
    return call.cluster ?? call.invocation?.key?.cluster ?? call.process.relayOf ?? this.run.scenario.clusters[0] ?? '';
  }

  async sendLater({ args, process: { installation } }: Call, ms: number): Promise<void> {
    const [queue, messages] = args as [QueueName, OutgoingMessage[]];
    this.#late += 1;
    this.scheduler.after(ms, () => {
      this.#late -= 1;
      void installation?.queue.send(queue, messages);
    });
  }

  /** Something comes at last by then: nothing has come to rest before. */
  expectFor(ms: number): void {
    this.#expectedUntilMs = Math.max(this.#expectedUntilMs, this.scheduler.elapsedMs + ms + 1_000);
  }

  async sendPoisoned({ args, process: { installation } }: Call): Promise<void> {
    const [queue, messages] = args as [QueueName, OutgoingMessage[]];
    this.poisoned += messages.length;
    await installation?.queue.send(
      queue,
      messages.map((message) => ({ ...message, body: `~${message.body.slice(1)}` })),
    );
  }

  holdQueue(name: string, ms: number): void {
    for (const { functions } of this.installations) functions.heldUntilMs.set(name, this.scheduler.elapsedMs + ms);
  }

  /** Of Farloop's clocks alone: the clusters keep theirs. */
  jump(ms: number): void {
    this.scheduler.jump(ms);
    this.checks.ledger.forgetWaits();
    this.#setBackMs += Math.max(-ms, 0);
    for (const server of this.servers.values()) server.aheadMs -= ms;
  }
}

const isOnLine = ({ port, method }: Call): boolean => port === 'cluster' || (port === 'source' && method !== 'event');
const DARK: Strike = { failBefore: new NotDoneError('connect ETIMEDOUT') };

/** Mostly a little, now and then a lot: an exponential distribution with a tail. */
const jittered = (meanMs: number, random: number): number => Math.min(-Math.log(1 - random) * meanMs * 3, 3_000);

const changeText = (cluster: string, { type, resource, current }: Change): string => {
  const { name, resourceVersion, deletionTimestamp, finalizers } = current.object.metadata;
  const status = JSON.stringify(resource === 'pods' ? current.object.status?.['phase'] : current.object.status);
  return `   ${cluster} ${type} ${resource}/${name} @${resourceVersion} ${status}${deletionTimestamp ? ' deleted' : ''}${finalizers?.length ? ' tracked' : ''}`;
};

const fieldText = (fields: Record<string, unknown>): string =>
  Object.entries(fields)
    .filter(([name]) => !['cluster', 'kind', 'namespace', 'uid'].includes(name))
    .map(([name, value]) => `${name}=${value instanceof Error ? value.message : JSON.stringify(value)}`)
    .join(' ');
