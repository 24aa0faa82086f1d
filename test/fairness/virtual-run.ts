// The crowd on virtual time: the same each time for a seed.
import { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { startRelay } from '../../lib/relay/relay.ts';
import { Functions } from '../simulation/functions.ts';
import { Process, undisturbed } from '../simulation/process.ts';
import { drained, Scheduler } from '../simulation/scheduler.ts';
import { Crowd, FLOODING, type CrowdOptions, type Lags } from './crowd.ts';

const LATENCY_MS = { cluster: 0, source: 4, store: 3, queue: 5, clusters: 1, recorder: 1, mapping: 3, provider: 6 };
const SEED = 7;
/** Jobs that began last have time to end. */
const AFTER_MS = 60_000;

export interface VirtualRun {
  lags: Lags;
  flooding: Lags;
  jobs: number;
  passes: number;
  passesByCluster: Map<string, number>;
  unfinished: number;
}

/** @param concurrency batches at once, by function */
export async function runVirtually(
  options: CrowdOptions,
  concurrency: { ingest: number; reconcile: number; timers: number },
): Promise<VirtualRun> {
  const scheduler = new Scheduler(SEED);
  const crowd = new Crowd(scheduler, options);
  let processes = 0;
  const around = undisturbed(scheduler, (port) => LATENCY_MS[port] * (0.5 + scheduler.random()));
  const newProcess = (name: string): Process => {
    processes += 1;
    return new Process(`${name}-${processes}`, SEED * 1_000 + processes, around);
  };
  const { clock } = newProcess('aws');
  const store = EmbeddedStore.open({ clock });
  const queue = EmbeddedQueue.open({ clock });
  const passesByCluster = new Map<string, number>();
  let passes = 0;
  const silent = (): void => {};
  const telemetry = { debug: silent, info: silent, warn: silent, error: silent, count: silent };
  const portsOf = (process: Process): Ports => ({
    ...process.ports(
      {
        clusters: crowd.clusters,
        queue,
        recorder: {
          append: async ({ key }) => {
            passes += 1;
            passesByCluster.set(key.cluster, (passesByCluster.get(key.cluster) ?? 0) + 1);
          },
          passes: async () => [],
          pass: async () => undefined,
        },
        store,
        telemetry,
      },
      () => crowd.connect(crowd.names[0] ?? '', process.clock),
    ),
    connect: ({ name }) => crowd.connect(name, process.clock),
  });
  const functions = new Functions({ scheduler, queue, newProcess, portsOf, began: silent, ended: silent, concurrency });
  for (const [at, name] of crowd.names.entries())
    scheduler.after((at / crowd.names.length) * options.fromMs * 0.8, () => {
      const process = newProcess('relay');
      const ports = portsOf(process);
      const direct = crowd.directs.get(name);
      if (!direct) return;
      const source = process.source(name, direct);
      const relay = startRelay({
        source,
        queue: ports.queue,
        clock: process.clock,
        telemetry,
        cluster: name,
        manages: ['all-jobs'],
        namespaces: [],
        era: 0,
      });
      relay.ready.catch(silent);
    });
  functions.start();
  crowd.start();
  await drained();
  try {
    const isOver = (): boolean => scheduler.elapsedMs >= options.untilMs && crowd.unfinished === 0;
    while (!isOver() && (await scheduler.step(options.untilMs + AFTER_MS)));
    const flooding = crowd.lagsOf(FLOODING);
    return { lags: crowd.othersLags(), flooding, jobs: crowd.created, passes, passesByCluster, unfinished: crowd.unfinished };
  } finally {
    functions.stop();
    queue.close();
    store.close();
    crowd.close();
  }
}
