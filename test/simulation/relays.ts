// The relays of a run, started again when they die, as a Deployment does.
import { startRelay, type Relay } from '../../lib/relay/relay.ts';
import type { Process } from './process.ts';
import type { Simulation } from './simulation.ts';

const RESTARTS_AFTER_MS = 5_000;

export class Relays {
  readonly #simulation: Simulation;
  readonly #running = new Map<Process, { cluster: string; relay: Relay }>();
  #isOver = false;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  clusterOf(process: Process): string | undefined {
    return this.#running.get(process)?.cluster;
  }

  start(cluster: string): void {
    if (this.#isOver) return;
    const simulation = this.#simulation;
    const process = simulation.newProcess('relay');
    const ports = simulation.portsOf(process);
    const relay = startRelay({
      source: process.source(cluster, simulation.direct(cluster)),
      queue: ports.queue,
      clock: process.clock,
      telemetry: ports.telemetry,
      cluster,
      manage: 'all',
      namespaces: [],
      era: simulation.records.get(cluster)?.era ?? 0,
    });
    this.#running.set(process, { cluster, relay });
    const again = (): void => {
      if (!this.#running.delete(process)) return;
      process.kill();
      simulation.scheduler.after(RESTARTS_AFTER_MS, () => this.start(cluster));
    };
    void process.died.then(again);
    // It could not start: it ends, and is started again.
    void relay.ready.catch(again);
  }

  kill(): void {
    this.#isOver = true;
    for (const process of this.#running.keys()) process.kill();
  }
}
