// A run as functions drive it: each invocation is a process of its own, each wait a message. An event source brings batches, and brings again what a
// killed function held; sweep looks once a minute.
import { EmbeddedQueue } from '../../../lib/adapters/embedded/queue.ts';
import { isOver, readRun } from '../../../lib/kinds/run-once/run.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import type { Ports } from '../../../lib/ports/ports.ts';
import type { Provider } from '../../../lib/ports/provider.ts';
import type { Runs } from '../../../lib/ports/runs.ts';
import { reconcileBatch } from '../../../lib/reconciler/batch.ts';
import { SWEEP_EVERY_MS, VISIBILITY_SECONDS } from '../../../lib/reconciler/head/timeouts.ts';
import { Reconciler } from '../../../lib/reconciler/reconcile.ts';
import { wakeOverdueRuns, wakeRun } from '../../../lib/reconciler/runs/run-messages.ts';
import { fireTimers } from '../../../lib/reconciler/timers.ts';
import { SilentTelemetry } from '../../world/recording-telemetry.ts';
import { KilledError, type ProcessCalls } from './run-calls.ts';

const POLL_MS = 500;
const MOST_POLLS = 100_000;

export interface DrivenWorld {
  id: string;
  clock: Clock;
  runs: Runs;
  provider: Provider;
  /** Of each invocation. */
  newProcess: () => ProcessCalls;
  /** The request of a caller, who repeats it until it is answered. */
  begin: (runs: Runs) => Promise<void>;
}

/** @returns how many invocations it took */
export async function driveByMessages({ id, clock, runs, provider, newProcess, begin }: DrivenWorld): Promise<number> {
  const queue = EmbeddedQueue.open({ clock });
  let invocations = 0;
  /** @returns whether it has answered */
  const invoke = async (work: (ports: Ports) => Promise<void>): Promise<boolean> => {
    invocations += 1;
    const calls = newProcess();
    const ports = portsOf({ clock, runs: calls.runs(runs), provider: calls.provider(provider) }, queue, calls);
    try {
      await work(ports);
    } catch (error) {
      if (!(error instanceof KilledError)) throw error;
    }
    return !calls.isKilled;
  };
  const deliver = async (name: 'wakes' | 'timers'): Promise<void> => {
    const messages = await queue.receive(name, { max: 10, waitSeconds: 0, visibilitySeconds: VISIBILITY_SECONDS });
    if (messages.length === 0) return;
    let undone: string[] = [];
    const hasAnswered = await invoke(async (ports) => {
      const setup = { reconciler: new Reconciler(ports), ports, hasTime: () => true };
      undone = name === 'wakes' ? await reconcileBatch(messages, setup) : await fireTimers(messages, ports);
    });
    const done = messages.filter(({ messageId }) => hasAnswered && !undone.includes(messageId));
    await queue.delete(
      name,
      done.map(({ receiptHandle }) => receiptHandle),
    );
  };
  try {
    const request = async (ports: Ports): Promise<void> => {
      await begin(ports.drivenRuns?.records ?? runs);
      await wakeRun(ports, id);
    };
    while (!(await invoke(request))) await clock.wait(POLL_MS);
    let sweptAtMs = clock.nowMs();
    for (let polls = 0; polls < MOST_POLLS; polls += 1) {
      const record = await runs.get(id);
      const isLeft = Object.values(await depths(queue)).some((count) => count > 0);
      // What is still on its way after the end must change nothing.
      if (record && isOver(readRun(record.state)) && !isLeft) return invocations;
      await deliver('timers');
      await deliver('wakes');
      if (clock.nowMs() - sweptAtMs >= SWEEP_EVERY_MS) {
        sweptAtMs = clock.nowMs();
        await invoke(async (ports) => void (await wakeOverdueRuns(ports)));
      }
      await clock.wait(POLL_MS);
    }
    return invocations;
  } finally {
    queue.close();
  }
}

const depths = async (queue: EmbeddedQueue): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const name of ['wakes', 'timers'] as const) {
    const { visible, inFlight, delayed } = await queue.depth(name);
    counts[name] = visible + inFlight + delayed;
  }
  return counts;
};

/** Whatever has nothing to do with runs is not there. */
function portsOf(
  { clock, runs, provider }: { clock: Clock; runs: Runs; provider: Provider },
  queue: EmbeddedQueue,
  calls: ProcessCalls,
): Ports {
  const own = new Proxy(queue, {
    get: (target, property) => {
      const member: unknown = property === 'send' ? calls.sends(target).send : Reflect.get(target, property);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  const ports: Partial<Ports> = {
    clock,
    queue: own,
    telemetry: new SilentTelemetry(),
    drivenRuns: { records: runs, provider: 'simulated', providerOf: () => provider },
    store: {} as Ports['store'],
  };
  return ports as Ports;
}
