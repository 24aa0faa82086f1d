// Invocations, as an event source makes them: batches of messages for functions, each environment with one batch at a time; what a
// dead, frozen or failed one held comes back after its visibility time-out. And a sweep once a minute.
import type { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { formatKey, parseKey, type WorkloadKey } from '../../lib/objects/workload.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import type { ReceivedMessage } from '../../lib/ports/queue.ts';
import { reconcileBatch } from '../../lib/reconciler/batch.ts';
import { ingestBatch } from '../../lib/reconciler/ingest.ts';
import { Reconciler } from '../../lib/reconciler/reconcile.ts';
import { sweep } from '../../lib/reconciler/sweep.ts';
import { fireTimers } from '../../lib/reconciler/timers.ts';
import { FUNCTION_SECONDS, SWEEP_EVERY_MS, VISIBILITY_SECONDS } from '../../lib/reconciler/head/timeouts.ts';
import type { Invocation, Process } from './process.ts';
import type { Scheduler } from './scheduler.ts';

const TIMEOUT_MS = FUNCTION_SECONDS * 1000;

interface Environment {
  process: Process;
  ports: Ports;
  reconciler: Reconciler;
  isBusy: boolean;
}

interface Source {
  function: 'ingest' | 'reconcile' | 'timers';
  queue: 'events' | 'wakes' | 'timers';
  batchSize: number;
  concurrency: number;
}

const SOURCES: readonly Source[] = [
  { function: 'ingest', queue: 'events', batchSize: 10, concurrency: 2 },
  { function: 'reconcile', queue: 'wakes', batchSize: 10, concurrency: 3 },
  { function: 'timers', queue: 'timers', batchSize: 10, concurrency: 1 },
];

export interface FunctionsSetup {
  scheduler: Scheduler;
  queue: EmbeddedQueue;
  newProcess: (name: string) => Process;
  portsOf: (process: Process) => Ports;
  /** Of an invocation's beginning and end, for checks. */
  began: (process: Process, queue: string | undefined, messages: readonly ReceivedMessage[]) => void;
  ended: (process: Process, messages: readonly ReceivedMessage[], handled: readonly ReceivedMessage[]) => void;
  /** Batches at once, where a run wants others than the stories do. */
  concurrency?: Record<Source['function'], number>;
}

export class Functions {
  readonly #setup: FunctionsSetup;
  readonly #ending = new AbortController();
  readonly #environments = new Map<string, Environment[]>();
  /** Nothing is received from a queue until then: it is late as a whole. */
  readonly heldUntilMs = new Map<string, number>();
  invocations = 0;

  constructor(setup: FunctionsSetup) {
    this.#setup = setup;
  }

  start(): void {
    const { concurrency } = this.#setup;
    for (const source of SOURCES) void this.#poll({ ...source, ...(concurrency && { concurrency: concurrency[source.function] }) });
    void this.#sweeps();
  }

  stop(): void {
    this.#ending.abort();
  }

  get environments(): Process[] {
    return [...this.#environments.values()].flatMap((pool) => pool.map(({ process }) => process));
  }

  async #poll(source: Source): Promise<void> {
    const { queue, scheduler } = this.#setup;
    const { signal } = this.#ending;
    let running = 0;
    let freed: () => void = () => {};
    while (!signal.aborted) {
      const heldMs = (this.heldUntilMs.get(source.queue) ?? 0) - scheduler.elapsedMs;
      if (heldMs > 0) await scheduler.wait(heldMs);
      if (running >= source.concurrency) {
        await new Promise<void>((resolve) => (freed = resolve));
        continue;
      }
      const options = { max: source.batchSize, waitSeconds: 20, visibilitySeconds: VISIBILITY_SECONDS, signal };
      const messages = await queue.receive(source.queue, options);
      if (messages.length === 0 || signal.aborted) continue;
      running += 1;
      void this.#invoke(source, messages).finally(() => {
        running -= 1;
        freed();
      });
    }
  }

  async #invoke(source: Source, messages: readonly ReceivedMessage[]): Promise<void> {
    const { queue, scheduler, began, ended } = this.#setup;
    const environment = this.#environment(source.function);
    const { process } = environment;
    environment.isBusy = true;
    const invocation = this.#begin(process, source.function, messages);
    began(process, source.queue, messages);
    const undone = await Promise.race([
      this.#handle(source, environment, messages),
      process.died.then(() => undefined),
      scheduler.wait(TIMEOUT_MS).then(() => undefined),
    ]);
    // Whoever ran out of time goes on when thawed, but gets no other batch.
    if (undone) this.#release(environment);
    else this.#retire(source.function, environment);
    const failed = new Set(undone ?? (invocation.isLost ? [] : messages.map(({ messageId }) => messageId)));
    const handled = messages.filter(({ messageId }) => !failed.has(messageId));
    const done = handled.map(({ receiptHandle }) => receiptHandle);
    ended(process, messages, handled);
    if (done.length === 0) return;
    if (process.isDead) return await queue.delete(source.queue, done);
    // Of a batch of wakes.
    const passes = invocation.passes?.size
      ? messages.flatMap(({ messageId, body }) => {
          const wake = failed.has(messageId) ? undefined : wakeIn(body);
          return (wake && invocation.passes?.get(formatKey(wake.key))) ?? [];
        })
      : [];
    await process
      .call({ port: 'mapping', method: 'delete', args: [source.queue, passes] }, () => queue.delete(source.queue, done))
      .catch(() => {});
  }

  /** @returns ids of the messages that must come back; undefined when the function threw */
  async #handle(
    source: Source,
    { process, ports, reconciler }: Environment,
    messages: readonly ReceivedMessage[],
  ): Promise<string[] | undefined> {
    try {
      switch (source.function) {
        case 'ingest':
          return await ingestBatch(messages, ports);
        case 'reconcile':
          return await reconcileBatch(messages, { reconciler: passesOf(process, reconciler), ports, hasTime: () => true });
        case 'timers':
          return await fireTimers(messages, ports);
        default:
          return undefined;
      }
    } catch {
      return messages.map(({ messageId }) => messageId);
    }
  }

  async #sweeps(): Promise<void> {
    const { scheduler } = this.#setup;
    while (!this.#ending.signal.aborted) {
      await scheduler.wait(SWEEP_EVERY_MS);
      if (this.#ending.signal.aborted) return;
      const environment = this.#environment('sweep');
      environment.isBusy = true;
      this.#begin(environment.process, 'sweep', []);
      this.#setup.began(environment.process, undefined, []);
      const outcome = await Promise.race([
        sweep(environment.ports).then(
          () => 'ended',
          () => 'ended',
        ),
        environment.process.died.then(() => undefined),
        scheduler.wait(TIMEOUT_MS).then(() => undefined),
      ]);
      if (outcome) this.#release(environment);
      else this.#retire('sweep', environment);
    }
  }

  #begin(process: Process, name: string, messages: readonly ReceivedMessage[]): Invocation {
    const { scheduler } = this.#setup;
    const wakes = name === 'reconcile' ? messages.flatMap(({ body }) => wakeIn(body) ?? []) : [];
    const about = (key: WorkloadKey | undefined): Invocation => ({
      function: name,
      clusters: new Set(name === 'ingest' ? messages.map(({ groupId }) => groupId ?? '') : key ? [key.cluster] : []),
      key,
      beganAtMs: scheduler.elapsedMs,
      beganAtWallMs: process.clock.nowMs(),
      isLost: false,
      intents: undefined,
      live: new Map(),
      writes: 0,
    });
    const batch = about(undefined);
    batch.passes = new Map(wakes.map(({ key, follows }) => [formatKey(key), { ...about(key), follows, batch }]));
    process.invocation = batch;
    process.goOn();
    this.invocations += 1;
    return batch;
  }

  #environment(name: string): Environment {
    const pool = this.#environments.get(name) ?? [];
    this.#environments.set(name, pool);
    const idle = pool.find(({ isBusy, process }) => !isBusy && !process.isDead && process.frozenUntilMs <= this.#setup.scheduler.elapsedMs);
    if (idle) return idle;
    const process = this.#setup.newProcess(name);
    const ports = this.#setup.portsOf(process);
    const fresh = { process, ports, reconciler: new Reconciler(ports), isBusy: false };
    pool.push(fresh);
    return fresh;
  }

  #release(environment: Environment): void {
    environment.isBusy = false;
    environment.process.rest();
  }

  #retire(name: string, environment: Environment): void {
    const pool = this.#environments.get(name);
    pool?.splice(pool.indexOf(environment), 1);
  }
}

/** Each pass by itself, for checks. */
const passesOf = (
  process: Process,
  reconciler: Reconciler,
): Pick<Reconciler, 'reconcile' | 'look' | 'lookAtNodes' | 'answer' | 'goOn'> => ({
  goOn: async (message, hasTime) => await reconciler.goOn(message, hasTime),
  answer: async (message) => await reconciler.answer(message),
  lookAtNodes: async (about) => {
    const batch = process.invocation;
    const work = async (): Promise<void> => await reconciler.lookAtNodes(about);
    return batch ? await process.within({ ...batch, function: 'look', clusters: new Set([about.cluster]), batch }, work) : await work();
  },
  look: async (cluster) => {
    const batch = process.invocation;
    const work = async (): Promise<void> => await reconciler.look(cluster);
    return batch ? await process.within({ ...batch, function: 'look', clusters: new Set([cluster]), batch }, work) : await work();
  },
  reconcile: async (key, woken) => {
    const pass = process.invocation?.passes?.get(formatKey(key));
    const work = async (): ReturnType<Reconciler['reconcile']> => await reconciler.reconcile(key, woken);
    return pass ? await process.within(pass, work) : await work();
  },
});

function wakeIn(body: string): { key: WorkloadKey; follows: string } | undefined {
  try {
    const { key: text, follows } = JSON.parse(body) as { key: string; follows: string };
    const key = parseKey(text);
    return key && { key, follows };
  } catch {
    return undefined;
  }
}
