// The relays of a run, started again when they die, as a Deployment does.
import { managesAll } from '../../lib/kinds/settings.ts';
import { startRelay, type Relay } from '../../lib/relay/relay.ts';
import { PAGE_SIZE } from './cluster-port.ts';
import type { Installation } from './installation.ts';
import type { Process } from './process.ts';
import type { Simulation } from './simulation.ts';

const RESTARTS_AFTER_MS = 5_000;

export class Relays {
  readonly #simulation: Simulation;
  readonly #installation: Installation;
  readonly #running = new Set<Process>();
  /** Those of dead processes too. */
  readonly #started: Relay[] = [];
  #isOver = false;

  constructor(simulation: Simulation, installation: Installation) {
    this.#simulation = simulation;
    this.#installation = installation;
  }

  start(cluster: string): void {
    if (this.#isOver) return;
    const simulation = this.#simulation;
    const installation = this.#installation;
    const process = installation.newProcess('relay');
    process.relayOf = cluster;
    const ports = installation.portsOf(process);
    const relay = startRelay({
      source: process.source(cluster, simulation.direct(cluster)),
      queue: ports.queue,
      clock: process.clock,
      telemetry: ports.telemetry,
      cluster,
      manages: managesAll([simulation.kindOf.facts]),
      namespaces: [],
      kindOptions: simulation.run.scenario.options,
      ...(simulation.run.access === 'relayed' && {
        executor: process.cluster(cluster, simulation.direct(cluster), 'source'),
        commander: 'local',
      }),
      era: installation.records.get(cluster)?.era ?? 0,
      options: { pageSize: PAGE_SIZE },
    });
    this.#running.add(process);
    this.#started.push(relay);
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
    for (const process of this.#running) process.kill();
    // None of them does anything any more, but Node keeps a signal made of several, and with it the whole run, until it has fired.
    for (const relay of this.#started) void relay.stop();
  }
}
