// One Farloop: its table, queues, functions, cluster records and relays. A run has one; a fault adds another that runs the same clusters.
import { managesAll } from '../../lib/kinds/settings.ts';
import { CostLedger } from '../../lib/adapters/embedded/cost-ledger.ts';
import { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import type { ClusterRecord, Clusters } from '../../lib/ports/clusters.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import type { Recorder } from '../../lib/ports/recorder.ts';
import { StaleWriteError } from '../../lib/ports/store.ts';
import { Functions } from './functions.ts';
import { Process } from './process.ts';
import { Relays } from './relays.ts';
import type { Simulation } from './simulation.ts';

export class Installation {
  readonly store: EmbeddedStore;
  readonly queue: EmbeddedQueue;
  /** Of a run that is counted. */
  readonly costs: CostLedger | undefined;
  readonly #payingStore: EmbeddedStore | undefined;
  readonly records = new Map<string, ClusterRecord>();
  readonly functions: Functions;
  readonly relays: Relays;
  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    const { run, scheduler } = simulation;
    const { clock } = new Process('aws', run.seed, simulation.around());
    this.store = EmbeddedStore.open({ clock, isMetered: run.isCounted === true });
    this.queue = EmbeddedQueue.open({ clock });
    if (run.isCounted) {
      this.costs = CostLedger.open({ clock });
      this.costs.follow(this.queue);
      this.#payingStore = this.costs.payingStore(this.store);
    }
    const budget = run.scenario.budget ?? { writesPerSecond: 1_000, burst: 1_000 };
    const { options } = run.scenario;
    const how = { ...(run.access !== undefined && { access: run.access }), ...(options && { options }) };
    for (const name of run.scenario.clusters)
      this.records.set(name, {
        name,
        era: 0,
        manages: managesAll([simulation.kindOf.facts]),
        namespaces: [],
        senders: ['local'],
        budget,
        version: 1,
        ...how,
      });
    this.functions = new Functions({
      scheduler,
      queue: this.queue,
      newProcess: (name) => this.newProcess(name),
      portsOf: (process) => this.portsOf(process),
      began: (process, queue, messages) => simulation.checks.began(process, queue, messages),
      ended: (process, messages, handled) => {
        simulation.say(`${process.name} ended, ${handled.length} of ${messages.length} done`);
        if (process.name.startsWith('ingest')) simulation.checks.ledger.ingested(handled, simulation);
      },
    });
    this.relays = new Relays(simulation, this);
  }

  start(): void {
    for (const name of this.#simulation.run.scenario.clusters) this.relays.start(name);
    this.functions.start();
  }

  close(): void {
    this.functions.stop();
    this.relays.kill();
    this.queue.close();
    this.store.close();
  }

  newProcess(name: string): Process {
    const process = this.#simulation.newProcess(name);
    process.installation = this;
    return process;
  }

  portsOf(process: Process): Ports {
    const simulation = this.#simulation;
    const { records } = this;
    const clusters: Clusters = {
      get: async (name) => records.get(name),
      list: async () => [...records.values()],
      put: async (record, expectedVersion) => {
        const current = records.get(record.name);
        if ((current?.version ?? 0) !== expectedVersion) throw new StaleWriteError('cluster record', current);
        const next = { ...record, version: expectedVersion + 1 };
        records.set(record.name, next);
        if (next.era > (current?.era ?? 0)) simulation.eraBegan(record.name);
        return next;
      },
    };
    const line = (message: string, fields: Record<string, unknown> = {}): void => simulation.logged(process, message, fields);
    const recorder: Recorder = {
      append: async (pass) => simulation.recorded(pass, process),
      passes: async () => [],
      pass: async () => undefined,
    };
    return process.ports(
      {
        clusters,
        queue: this.queue,
        recorder: this.costs?.countingRecorder(recorder) ?? recorder,
        store: this.#payingStore ?? this.store,
        telemetry: { debug: line, info: line, warn: line, error: line, count: () => {} },
      },
      (name) => simulation.direct(name),
      simulation.providers.isPresent ? (cluster, node) => simulation.providers.reachedBy(process, cluster, node) : undefined,
    );
  }
}
