// The whole loop in one thread on a virtual clock: API server, queue, store and handlers are the real ones; a reporter stands for the
// relay (its own tests are elsewhere) and a player for kubelets. Nothing moves unless told to.
import type { SQLOutputValue } from 'node:sqlite';
import { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import { VirtualClock } from './virtual-clock.ts';
import { ALL_FACTS, factsFor } from '../../lib/kinds/facts.ts';
import { managedKinds } from '../../lib/kinds/settings.ts';
import type { KindOptions } from '../../lib/objects/kind-options.ts';
import type { Job, WorkloadObject } from '../../lib/objects/kubernetes.ts';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import { deadlineIn } from '../../lib/ports/clock.ts';
import type { ClusterRecord, Clusters } from '../../lib/ports/clusters.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import type { QueueName, ReceivedMessage } from '../../lib/ports/queue.ts';
import type { PassRecord } from '../../lib/ports/recorder.ts';
import { StaleWriteError } from '../../lib/ports/store.ts';
import { reconcileBatch } from '../../lib/reconciler/batch.ts';
import { ingestBatch } from '../../lib/reconciler/ingest.ts';
import type { Reconciler } from '../../lib/reconciler/reconcile.ts';
import { sweep } from '../../lib/reconciler/sweep.ts';
import { fireTimers } from '../../lib/reconciler/timers.ts';
import { VISIBILITY_SECONDS } from '../../lib/reconciler/head/timeouts.ts';
import { encodeEvents } from '../../lib/wire/events.ts';
import type { WorkloadReport } from '../../lib/wire/words/observations.ts';
import type { ResourceRow } from '../../lib/sandbox/rows/resource-row.ts';
import { RelayedCluster } from '../../lib/adapters/sqs/relayed-cluster.ts';
import { startRelay, type Relay } from '../../lib/relay/relay.ts';
import { InProcessCluster } from './in-process-cluster.ts';
import { InProcessSource } from './in-process-source.ts';
import { PlayedCluster } from './played-cluster.ts';
import { Process, ProcessDiedError, type Interposer } from './process.ts';
import { reportsOf } from './reporter.ts';

export const CLUSTER = 'west';

export interface WorldOptions {
  seed?: number;
  manages?: readonly string[];
  writesPerSecond?: number;
  /** The cluster's clock is so far ahead of Farloop's (R12). */
  clusterAheadMs?: number;
  /** Where the API server keeps its objects; in memory when absent. */
  apiFolder?: string;
  /** Resources that the API server has besides the built-in ones. */
  rows?: readonly ResourceRow[];
  /** Options of kinds that the cluster is registered with. */
  options?: KindOptions;
  /** The providers behind its virtual nodes. */
  providerOf?: Ports['providerOf'];
  /** `relayed`: passes reach the cluster through its relay. A real relay runs then; time goes on while a pass waits for it. */
  access?: 'relayed';
}

const TABLES = ['heads', 'items', 'notes'];
export type StoreCopy = { table: string; rows: Record<string, SQLOutputValue>[] }[];

export class World extends PlayedCluster {
  readonly store: EmbeddedStore;
  queue: EmbeddedQueue;
  readonly cluster: InProcessCluster;
  readonly passes: PassRecord[] = [];
  /** Of each pass, where a test asks for them. */
  readonly snapshots: (Uint8Array | undefined)[] = [];
  keepsSnapshots = false;
  /** Told of every metric as it is counted. */
  onCount: Ports['telemetry']['count'] | undefined;
  readonly log: { level: string; message: string; fields: Record<string, unknown> }[] = [];
  readonly metrics: { metric: string; value: number; dimensions: Record<string, string> }[] = [];
  record: ClusterRecord;
  /** Why there is no access to the cluster; undefined while there is. */
  noWay: Error | undefined;
  /** Stands at every call of every process of this world. */
  interposer: Interposer | undefined;
  process: Process;
  /** Absent where the reporter stands for it. */
  relay: Relay | undefined;
  /** How the next process finds the messages that a killed one held. */
  afterDeath: { wakes: 'visible' | 'in flight' } = { wakes: 'visible' };
  readonly #providerOf: Ports['providerOf'];
  #sequence = 0;
  readonly #keptBack = new Set<string>();

  constructor({
    seed = 1,
    manages = ['all-jobs'],
    writesPerSecond = 10_000,
    clusterAheadMs = 0,
    apiFolder,
    rows,
    options,
    access,
    providerOf,
  }: WorldOptions = {}) {
    const clock = new VirtualClock({ seed });
    super({ clock, clusterAheadMs, apiFolder, rows, kinds: managedKinds(manages, ALL_FACTS, { options }) });
    this.store = EmbeddedStore.open({ clock });
    this.queue = EmbeddedQueue.open({ clock });
    this.cluster = new InProcessCluster({ handle: (request) => this.api.handle(request) }, clock, clusterAheadMs);
    this.record = {
      name: CLUSTER,
      era: 0,
      manages,
      ...(options && { options }),
      ...(access && { access }),
      namespaces: [],
      senders: ['local'],
      budget: { writesPerSecond, burst: writesPerSecond },
      version: 1,
    };
    this.#providerOf = providerOf;
    this.process = this.anotherProcess();
  }

  /** Of the process that `run`, `ingest` and `until` use. */
  get ports(): Ports {
    return this.process.ports;
  }

  get reconciler(): Reconciler {
    return this.process.reconciler;
  }

  override close(): void {
    void this.relay?.stop();
    this.queue.close();
    this.store.close();
    super.close();
  }

  /** A real relay takes the reporter's place: it watches, reports, audits, sends heartbeats. Time goes on until it is ready. */
  async startRelay(): Promise<void> {
    const relay = startRelay({
      source: new InProcessSource(
        (request) => this.api.handle(request),
        () => this.clusterNowMs(),
      ),
      queue: this.queue,
      clock: this.clock,
      telemetry: this.ports.telemetry,
      cluster: CLUSTER,
      manages: this.record.manages,
      kindOptions: this.record.options,
      namespaces: [],
      era: this.record.era,
      executor: this.cluster,
      commander: 'local',
    });
    this.relay = relay;
    await this.#whileTimeGoesOn(relay.ready);
  }

  /** Sends what was heard since, in messages of so many events, and lets ingest take them. @returns events sent */
  async report({ eventsPerMessage = 500 }: { eventsPerMessage?: number } = {}): Promise<number> {
    await this.settle();
    if (this.relay) {
      await this.ingest();
      return 0;
    }
    const heard = this.takeHeard().filter(({ type, object }) => type !== 'BOOKMARK' && !this.#keptBack.has(object.kind ?? ''));
    for (let at = 0; at < heard.length; at += eventsPerMessage)
      await this.send(reportsOf(this.kinds, heard.slice(at, at + eventsPerMessage)));
    await this.ingest();
    return heard.length;
  }

  tellAgain(kind: string): void {
    this.#keptBack.delete(kind);
  }

  /** From now on events about objects of this kind are not told. */
  keepBack(kind: string): void {
    this.#keptBack.add(kind);
  }

  async send(reports: WorkloadReport[], extra: object = {}): Promise<void> {
    const body = encodeEvents({
      cluster: CLUSTER,
      session: 'session-1',
      era: this.record.era,
      kubeSystemUid: 'kube-system-uid',
      sequence: this.#sequence++,
      sentAtMs: this.clock.nowMs(),
      reports,
      ...extra,
    });
    await this.queue.send('events', [{ body, groupId: CLUSTER }]);
  }

  async ingest(): Promise<void> {
    await this.#drain('events', async (messages) => await ingestBatch(messages, this.ports));
  }

  /** Runs passes and timers until nothing is visible. @returns passes run */
  async run(): Promise<number> {
    const before = this.passes.length;
    for (let round = 0; round < 1_000; round++) {
      const fired = await this.#drain('timers', async (messages) => await fireTimers(messages, this.ports));
      const woken = await this.#drain('wakes', async (messages) =>
        this.#whileTimeGoesOn(reconcileBatch(messages, { reconciler: this.reconciler, ports: this.ports, hasTime: () => true })),
      );
      if (fired + woken === 0) return this.passes.length - before;
    }
    throw new Error('the loop does not come to rest');
  }

  /** Moves on second by second: players play, the reporter reports, passes run; until it holds, within a bound. */
  async until(
    holds: () => boolean | Promise<boolean>,
    { seconds = 120, play = true }: { seconds?: number; play?: boolean } = {},
  ): Promise<void> {
    for (let second = 0; second <= seconds; second++) {
      await this.#survive(() => this.#turn());
      // Where no pod has changed since it played last, there is nothing to play.
      if (play && this.podsHaveMoved()) await this.play();
      await this.#survive(() => this.#turn());
      if (await holds()) return;
      await this.clock.advance(1_000);
      if (second % 60 === 59) await this.#survive(() => this.sweep());
    }
    const latest = this.passes.slice(-3).map(({ outcome, why, error }) => `${outcome}: ${error ?? why.join('; ')}`);
    throw new Error(`not within ${seconds} s of virtual time; the latest passes: ${latest.join(' | ')}`);
  }

  /** So many seconds go by. */
  async elapse(seconds: number, options: { play?: boolean } = {}): Promise<void> {
    const endMs = this.clock.nowMs() + seconds * 1000;
    await this.until(() => this.clock.nowMs() >= endMs, { seconds: seconds + 1, ...options });
  }

  /** With a relay, work may wait for its answers: time goes on, and ingest takes what it sends. */
  async #whileTimeGoesOn<Result>(work: Promise<Result>): Promise<Result> {
    const progress = { isOver: false };
    const over = work.finally(() => (progress.isOver = true));
    over.catch(() => {});
    const { process } = this;
    for (let step = 0; this.relay && !progress.isOver && !process.isDead && step < 10_000; step++) {
      await this.clock.advance(10);
      await this.ingest();
    }
    return await over;
  }

  async #turn(): Promise<void> {
    await this.report();
    await this.run();
  }

  /** A process that a test killed is followed by another one. */
  async #survive(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ProcessDiedError)) throw error;
      this.restart(this.afterDeath);
    }
  }

  async sweep(): Promise<void> {
    const { process } = this;
    await process.run(() => sweep(process.ports));
  }

  async #drain(name: QueueName, handle: (messages: ReceivedMessage[]) => Promise<string[]>): Promise<number> {
    let handled = 0;
    for (;;) {
      const messages = await this.queue.receive(name, { max: 10, waitSeconds: 0, visibilitySeconds: VISIBILITY_SECONDS });
      if (messages.length === 0) return handled;
      handled += messages.length;
      const { process } = this;
      const undone = new Set(await process.run(() => handle(messages)));
      const done = messages.filter(({ messageId }) => !undone.has(messageId)).map(({ receiptHandle }) => receiptHandle);
      await this.queue.delete(name, done);
    }
  }

  deadline() {
    return deadlineIn(this.clock, 20_000);
  }

  async keyOf(name: string, kind = 'Job'): Promise<WorkloadKey> {
    const { metadata } = await this.as<WorkloadObject>('GET', factsFor(kind).resource, { namespace: 'default', name });
    return { cluster: CLUSTER, kind, namespace: 'default', name, uid: metadata.uid ?? '' };
  }

  /** One more process on the same store and queue. */
  anotherProcess(): Process {
    return new Process(this.#portsOf(), () => this.interposer);
  }

  /** The process dies (a frozen one lives on), and a new one takes over: what passes held in memory is gone. @param wakes a local restart makes every message visible at once */
  restart({ wakes = 'visible' }: { wakes?: 'visible' | 'in flight' } = {}): void {
    if (!this.process.isFrozen) this.process.kill();
    if (wakes === 'visible') this.queue.makeAllVisible();
    this.process = this.anotherProcess();
  }

  /** What the store holds now, to be put back later by `restoreStore`: an old copy. */
  copyStore(): StoreCopy {
    return TABLES.map((table) => ({ table, rows: this.store.database.prepare(`select * from ${table}`).all() }));
  }

  restoreStore(copy: StoreCopy): void {
    this.store.wipe();
    for (const { table, rows } of copy)
      for (const row of rows) {
        const columns = Object.keys(row);
        this.store.database
          .prepare(`insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`)
          .run(...Object.values(row));
      }
  }

  /** Every message is lost: visible, in flight, delayed. */
  wipeQueue(): void {
    this.queue.close();
    this.queue = EmbeddedQueue.open({ clock: this.clock });
    this.process = this.anotherProcess();
  }

  #portsOf(): Ports {
    const line =
      (level: string) =>
      (message: string, fields: Record<string, unknown> = {}) =>
        void this.log.push({ level, message, fields });
    const count: Ports['telemetry']['count'] = (metric, value, unit, dimensions = {}) => {
      this.metrics.push({ metric, value, dimensions });
      this.onCount?.(metric, value, unit, dimensions);
    };
    const clusters: Clusters = {
      get: async (name) => (name === CLUSTER ? this.record : undefined),
      list: async () => [this.record],
      put: async (record, expectedVersion) => {
        if (expectedVersion !== this.record.version) throw new StaleWriteError('cluster record', this.record);
        this.record = { ...record, version: expectedVersion + 1 };
        return this.record;
      },
    };
    return {
      clock: this.clock,
      clusters,
      ...(this.#providerOf && { providerOf: this.#providerOf }),
      connect: ({ access }) => {
        if (this.noWay !== undefined) throw this.noWay;
        if (access !== 'relayed') return this.cluster;
        return new RelayedCluster({ cluster: CLUSTER, queue: this.queue, store: this.store, clock: this.clock });
      },
      queue: this.queue,
      recorder: {
        append: async (pass, snapshot) => {
          this.passes.push(pass);
          if (this.keepsSnapshots) this.snapshots.push(snapshot?.());
        },
        passes: async () => this.passes.toReversed(),
        pass: async () => undefined,
      },
      store: this.store,
      telemetry: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error'), count },
    };
  }
}

export function aJob(name: string, spec: Partial<Job['spec']> = {}): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default' },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/none' }] } }, ...spec },
  };
}

export const conditionsOf = (job: Job): string[] =>
  (job.status?.conditions ?? []).filter(({ status }) => status === 'True').map(({ type }) => type);
