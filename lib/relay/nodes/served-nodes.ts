// The relay that leads answers API servers for the virtual nodes of its cluster: a port for each, at the address of its pod.
import { serveNodes, type ServedNodes as Serving } from '../../node-api/served-nodes.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { NodeApiPlace } from '../../wire/words/observations.ts';
import { askedTasks } from './asked-tasks.ts';
import type { Questions } from './questions.ts';

export interface ServedNodesSetup {
  nodes: readonly string[];
  cluster: Pick<Cluster, 'create' | 'get' | 'list'>;
  clock: Clock;
  telemetry: Telemetry;
  questions: Pick<Questions, 'ask'>;
  /** Where it is reached, and the first of its ports; the nodes have the ones from there on, in their order. */
  address: string;
  firstPort: number;
  isOpen: boolean;
}

const AGAIN_MS = 10_000;

export class ServedNodes {
  readonly #setup: ServedNodesSetup;
  #place: NodeApiPlace | undefined;

  constructor(setup: ServedNodesSetup) {
    this.#setup = setup;
  }

  /** While it serves. */
  get place(): NodeApiPlace | undefined {
    return this.#place;
  }

  /** Serves until the signal fires; then streams end, and clients ask the next leader. @param began it can be reached now */
  async run(signal: AbortSignal, began: () => void): Promise<void> {
    const { clock, telemetry } = this.#setup;
    while (!signal.aborted) {
      let serving: Serving | undefined;
      try {
        serving = await this.#serve();
        this.#place = serving.place;
        began();
        await new Promise<void>((resolve) =>
          signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
        );
      } catch (error) {
        telemetry.warn('API servers cannot ask this relay about virtual nodes', { nodes: this.#setup.nodes, error });
        await clock.wait(AGAIN_MS, signal);
      } finally {
        this.#place = undefined;
        await serving?.close();
      }
    }
  }

  async #serve(): Promise<Serving> {
    const { nodes, questions, ...rest } = this.#setup;
    const { cluster, clock } = rest;
    return await serveNodes({ ...rest, nodes: nodes.map((node) => ({ node, tasks: askedTasks({ node, questions, cluster, clock }) })) });
  }
}
