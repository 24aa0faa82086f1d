// The provider behind the virtual nodes of a story: one for each cluster, on virtual time. Each call of it is a point where a pass may be struck, and
// so is each word that it gives by itself.
import { SimulatedProvider, type TaskChange } from '../../lib/adapters/providers/simulated.ts';
import type { TaskName } from '../../lib/objects/task.ts';
import type { Deadline } from '../../lib/ports/clock.ts';
import type { Provider } from '../../lib/ports/provider.ts';
import { wakeAnew } from '../../lib/reconciler/head/heads.ts';
import type { Installation } from './installation.ts';
import type { Process } from './process.ts';
import type { Simulation } from './simulation.ts';

/** Any date: no pod's times are compared with it. */
const BEGAN_MS = Date.parse('2026-01-01T00:00:00Z');

export class Providers {
  readonly #simulation: Simulation;
  readonly #byCluster = new Map<string, SimulatedProvider>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    const { scenario } = simulation.run;
    const { scheduler } = simulation;
    if (scenario.virtualNode === undefined) return;
    for (const cluster of scenario.clusters) {
      const provider = SimulatedProvider.open({
        // The provider keeps its own time, whatever becomes of Farloop's.
        clock: { nowMs: () => Math.round(BEGAN_MS + scheduler.elapsedMs) },
        later: (ms, run) => {
          const entry = scheduler.after(ms, run);
          return () => scheduler.cancel(entry);
        },
      });
      provider.onChange((change) => {
        for (const installation of simulation.installations) this.#tell(installation, cluster, change);
      });
      this.#byCluster.set(cluster, provider);
    }
  }

  get isPresent(): boolean {
    return this.#byCluster.size > 0;
  }

  of(cluster: string): SimulatedProvider {
    const provider = this.#byCluster.get(cluster);
    if (!provider) throw new Error(`no provider for ${cluster}`);
    return provider;
  }

  close(): void {
    for (const provider of this.#byCluster.values()) provider.close();
  }

  /** As a pass of that process reaches it. */
  reachedBy(process: Process, cluster: string, node: string): Provider {
    const provider = this.of(cluster).of(node);
    const point = async <Value>(
      method: string,
      args: readonly unknown[],
      effect: () => Promise<Value>,
      deadline: Deadline,
    ): Promise<Value> => await process.call({ port: 'provider', method, args, cluster }, effect, deadline);
    return {
      start: async (task, pod, deadline) => await point('start', [task], () => provider.start(task, pod, deadline), deadline),
      update: async (task, pod, deadline) => await point('update', [task], () => provider.update(task, pod, deadline), deadline),
      stop: async (task, how, deadline) => await point('stop', [task, how], () => provider.stop(task, how, deadline), deadline),
      look: async (tasks: readonly TaskName[], deadline) => await point('look', [tasks], () => provider.look(tasks, deadline), deadline),
      list: async (page, deadline) => await point('list', [page], () => provider.list(page, deadline), deadline),
      health: async (deadline) => await point('health', [], () => provider.health(deadline), deadline),
      limits: () => provider.limits(),
    };
  }

  /** A word of the provider: a wake, and no more. */
  #tell(installation: Installation, cluster: string, { uid, namespace, name }: TaskChange): void {
    const process = installation.newProcess('task-state');
    const { store, queue } = installation;
    const key = { cluster, kind: 'VirtualPod', namespace, name, uid };
    this.#simulation.scheduler.after(1, () => {
      void process
        .call({ port: 'provider', method: 'tell', args: [{ uid, name }], cluster }, async () => {
          const record = installation.records.get(cluster);
          if (record) await wakeAnew({ store, queue, clock: process.clock }, key, record);
        })
        .catch(() => {});
    });
  }
}
