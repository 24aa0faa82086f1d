// The crowd on real time: the handlers behind event sources, on embedded queues and store that lie in files. The clusters' API servers and
// kubelets, and the way to them, are simulated in the same process; their time is the machine's.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import { handler as ingest } from '../../functions/ingest.ts';
import { handler as reconcile } from '../../functions/reconcile.ts';
import { handler as sweep } from '../../functions/sweep.ts';
import { handler as timers } from '../../functions/timers.ts';
import { startEventSource } from '../../lib/adapters/embedded/event-source.ts';
import { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { EmbeddedRecorder } from '../../lib/adapters/embedded/recorder.ts';
import { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { FUNCTION_SECONDS, SWEEP_EVERY_MS, VISIBILITY_SECONDS } from '../../lib/reconciler/head/timeouts.ts';
import { startRelay, type Relay } from '../../lib/relay/relay.ts';
import { useRuntime } from '../../lib/runtime.ts';
import { Process, undisturbed } from '../simulation/process.ts';
import { Scheduler } from '../simulation/scheduler.ts';
import { Crowd, DEAD, FLOODING, type CrowdOptions, type Lags } from './crowd.ts';

export interface RealRun {
  lags: Lags;
  flooding: Lags;
  jobs: number;
  /** Of the clusters that are never in trouble. */
  unfinished: number;
  callsOfDead: number;
  passes: Map<string, number>;
  /** Of one processor, 0 to 1: near 1 the machine itself is what is waited for. */
  processorShare: number;
  /** How late this process's timers were, p99 in milliseconds: on a busy machine no lag is shorter. */
  lateMs: number;
}

const AFTER_MS = 30_000;
const TICK_MS = 2;
const SOURCE_MS = 4;

/** @param folder empty, for the files */
export async function runForReal(options: CrowdOptions, folder: string): Promise<RealRun> {
  const startedAtMs = performance.now();
  const processor = process.cpuUsage();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const scheduler = new Scheduler(1);
  scheduler.jump(Date.now() - scheduler.wallMs());
  const crowd = new Crowd(scheduler, options);
  const clock = new SystemClock();
  const passes = new Map<string, number>();
  const silent = (): void => {};
  const telemetry = {
    debug: silent,
    info: silent,
    warn: silent,
    error: silent,
    count: (metric: string, _value: number, _unit: string, { cluster = '' }: Record<string, string> = {}) => {
      if (metric === 'ReconcileDuration') passes.set(cluster, (passes.get(cluster) ?? 0) + 1);
    },
  };
  const queue = EmbeddedQueue.open({ folder, clock });
  const store = EmbeddedStore.open({ folder, clock });
  const recorder = EmbeddedRecorder.open({ folder, clock });
  const connect: Ports['connect'] = ({ name }) => crowd.connect(name, clock);
  useRuntime({ ports: { clock, clusters: crowd.clusters, connect, queue, recorder, store, telemetry }, deadlineReserveMs: 22_000 });

  const every = { queue, clock, telemetry, visibilitySeconds: VISIBILITY_SECONDS, timeoutSeconds: FUNCTION_SECONDS };
  const sources = [
    startEventSource({ ...every, name: 'events', functionName: 'ingest', handler: ingest, batchSize: 10, maxConcurrency: 10 }),
    startEventSource({ ...every, name: 'wakes', functionName: 'reconcile', handler: reconcile, batchSize: 10, maxConcurrency: 50 }),
    startEventSource({ ...every, name: 'timers', functionName: 'timers', handler: timers, batchSize: 10, maxConcurrency: 5 }),
  ];
  const relays = startRelays(crowd, { scheduler, queue, clock, telemetry, withinMs: options.fromMs * 0.8 });
  crowd.start();
  try {
    let sweptAtMs = 0;
    const elapsedMs = (): number => performance.now() - startedAtMs;
    while (elapsedMs() < options.untilMs || (crowd.unfinished > 0 && elapsedMs() < options.untilMs + AFTER_MS)) {
      const nowMs = elapsedMs();
      while (await scheduler.step(nowMs));
      scheduler.elapsedMs = Math.max(scheduler.elapsedMs, nowMs);
      if (nowMs - sweptAtMs > SWEEP_EVERY_MS) {
        sweptAtMs = nowMs;
        void sweep(undefined, {} as Context);
      }
      await setTimeout(TICK_MS);
    }
    const { user, system } = process.cpuUsage(processor);
    return {
      lags: crowd.othersLags(),
      flooding: crowd.lagsOf(FLOODING),
      jobs: crowd.created,
      unfinished: crowd.unfinished,
      callsOfDead: crowd.calls.get(DEAD) ?? 0,
      passes,
      lateMs: delay.percentile(99) / 1e6,
      processorShare: (user + system) / 1_000 / elapsedMs(),
    };
  } finally {
    const stopping = Promise.all([...relays.map((relay) => relay.stop()), ...sources.map((source) => source.stop({ drainMs: 12_000 }))]);
    const ended = { isSo: false };
    void stopping.then(() => (ended.isSo = true));
    // What still waits for the clusters goes on until it has ended.
    while (!ended.isSo) {
      while (await scheduler.step(performance.now() - startedAtMs));
      await setTimeout(TICK_MS);
    }
    crowd.close();
    for (const part of [recorder, store, queue]) part.close();
  }
}

function startRelays(
  crowd: Crowd,
  {
    scheduler,
    withinMs,
    ...parts
  }: Pick<Ports, 'queue' | 'clock' | 'telemetry'> & {
    scheduler: Scheduler;
    withinMs: number;
  },
): Relay[] {
  const around = undisturbed(scheduler, () => SOURCE_MS);
  const relays: Relay[] = [];
  for (const [at, [name, direct]] of [...crowd.directs].entries())
    scheduler.after((at / crowd.directs.size) * withinMs, () => {
      const source = new Process(`relay-${name}`, at, around).source(name, direct);
      const relay = startRelay({ ...parts, source, cluster: name, manages: ['all-jobs'], namespaces: [], era: 0 });
      relay.ready.catch(() => {});
      relays.push(relay);
    });
  return relays;
}
