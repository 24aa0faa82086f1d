// One process of Farloop: a function's environment, or a relay. Each call of its ports is a point where it may be struck; it may
// stand still and go on later, or die: then its calls never answer, so that none of its code runs again, its catch blocks neither.
import { AsyncLocalStorage } from 'node:async_hooks';
import { seededBits } from '../../lib/adapters/embedded/seeded-chance.ts';
import { RelayedCluster } from '../../lib/adapters/sqs/relayed-cluster.ts';
import type { KubernetesObject, WorkloadObject } from '../../lib/objects/kubernetes.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import type { Clock, Deadline } from '../../lib/ports/clock.ts';
import { hasPassed } from '../../lib/ports/clock.ts';
import type { Cluster, ClusterSource, WatchEvent } from '../../lib/ports/cluster.ts';
import { NotDoneError } from '../../lib/ports/errors.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import type { Provider } from '../../lib/ports/provider.ts';
import type { Intents } from '../../lib/reconciler/head/pass-state.ts';
import { deadlineAmong, type Call, type PortName, type Strike } from './calls.ts';
import type { DirectCluster } from './cluster-port.ts';
import type { Installation } from './installation.ts';
import type { Scheduler } from './scheduler.ts';
import type { Fate } from './tampering.ts';
import { noLog } from '../world/no-log.ts';

/** One batch of messages, or one sweep; or one pass of a batch of wakes. */
export interface Invocation {
  function: string;
  /** Of a pass: what it belongs to. */
  batch?: Invocation;
  /** Of a batch of wakes, by their keys. */
  passes?: Map<string, Invocation>;
  /** Clusters that its messages come from. */
  clusters: Set<string>;
  /** Of a wake. */
  key: WorkloadKey | undefined;
  /** As its wake tells. */
  follows?: string;
  beganAtMs: number;
  beganAtWallMs: number;
  /** The function died, and its messages were taken for done. */
  isLost: boolean;
  /** Durable when it was last told so. */
  intents: Intents | undefined;
  /** By uid, as it last read them live. */
  live: Map<string, WorkloadObject>;
  writes: number;
}

/** What a process needs of the world around it. */
export interface Around {
  scheduler: Scheduler;
  /** How long a call is on its way there, and back. */
  latencyMs: (port: PortName) => number;
  /** Every call is told of before it begins; the answer is what strikes it. */
  begin: (call: Omit<Call, 'number' | 'atMs'>) => { call: Call; strike: Strike | undefined };
  /** It leaves the process now. */
  sent: (call: Call, deadline: Deadline | undefined) => void;
  /** The process hears its outcome. */
  heard: (call: Call, outcome: { value: unknown } | { error: unknown }) => void;
  /** It takes effect now: what changes until the next event is its doing. */
  effecting: (call: Call) => void;
  /** It took effect, whoever hears of it. */
  effected: (call: Call, value: unknown) => void;
  /** Whether this event of a watch reaches the process, and how much later. */
  watched: (process: Process, cluster: string, event: WatchEvent<KubernetesObject>) => Fate;
}

/** Nothing is struck: calls take their time. */
export const undisturbed = (scheduler: Scheduler, latencyMs: Around['latencyMs']): Around => ({
  scheduler,
  latencyMs,
  begin: (about) => ({ call: { ...about, number: 0, atMs: scheduler.elapsedMs }, strike: undefined }),
  sent: () => {},
  effecting: () => {},
  effected: () => {},
  heard: () => {},
  watched: () => ({}),
});

const passes = new AsyncLocalStorage<{ process: Process; pass: Invocation }>();

const never = (): Promise<never> => new Promise(() => {});

export class Process {
  readonly name: string;
  readonly clock: Clock;
  isDead = false;
  frozenUntilMs = 0;
  /** Its wall clock is ahead of AWS's. */
  skewMs = 0;
  /** Which Farloop it belongs to. */
  installation: Installation | undefined;
  /** Of a relay: the cluster. */
  relayOf: string | undefined;
  #invocation: Invocation | undefined;
  #resting: PromiseWithResolvers<void> | undefined;
  /** Resolves when it dies. */
  readonly died: Promise<void>;
  #announceDeath: () => void = () => {};
  readonly #around: Around;
  #watches: (() => void)[] = [];

  constructor(name: string, seed: number, around: Around) {
    this.name = name;
    this.#around = around;
    this.died = new Promise((resolve) => (this.#announceDeath = resolve));
    const bits = seededBits(seed);
    const { scheduler } = around;
    this.clock = {
      nowMs: () => Math.round(scheduler.wallMs() + this.skewMs),
      monotonicMs: () => scheduler.elapsedMs,
      wait: async (ms, signal) => {
        if (signal?.aborted || ms <= 0) return;
        await new Promise<void>((resolve) => {
          const entry = scheduler.after(ms, resolve);
          signal?.addEventListener(
            'abort',
            () => {
              scheduler.cancel(entry);
              resolve();
            },
            { once: true },
          );
        });
        await this.turn();
      },
      randomId: () => {
        const bytes = Buffer.alloc(16);
        for (let at = 0; at < 16; at += 4) bytes.writeUInt32LE(bits(), at);
        return bytes.toString('base64url');
      },
      random: () => bits() / 2 ** 32,
    };
  }

  /** What its present invocation is about, for checks; inside a pass, that pass. */
  get invocation(): Invocation | undefined {
    const within = passes.getStore();
    return within?.process === this ? within.pass : this.#invocation;
  }

  set invocation(invocation: Invocation | undefined) {
    this.#invocation = invocation;
  }

  /** Every call that comes of the work is that pass's. */
  async within<Value>(pass: Invocation, work: () => Promise<Value>): Promise<Value> {
    return await passes.run({ process: this, pass }, work);
  }

  kill(): void {
    this.isDead = true;
    this.#announceDeath();
    for (const breakOff of this.#watches.splice(0)) breakOff();
  }

  freeze(ms: number): void {
    this.frozenUntilMs = Math.max(this.frozenUntilMs, this.#around.scheduler.elapsedMs + ms);
  }

  /** Goes on at once, when thawed, or never. @param evenResting for what is done in its name by who invokes it */
  async turn(evenResting = false): Promise<void> {
    const { scheduler } = this.#around;
    const resting = (): PromiseWithResolvers<void> | undefined => (evenResting ? undefined : this.#resting);
    while (!this.isDead && (resting() || this.frozenUntilMs > scheduler.elapsedMs))
      await (resting()?.promise ?? scheduler.wait(this.frozenUntilMs - scheduler.elapsedMs));
    if (this.isDead) await never();
  }

  /** It has answered: until its next invocation nothing of it runs, as in an environment of AWS. What it left undone may never be done. */
  rest(): void {
    this.#resting ??= Promise.withResolvers<void>();
  }

  goOn(): void {
    this.#resting?.resolve();
    this.#resting = undefined;
  }

  /** One call: frozen or killed before it, sent, on its way, in effect, on its way back, heard of. */
  async call<Value>(
    about: { port: PortName; method: string; args: readonly unknown[]; cluster?: string },
    effect: () => Promise<Value>,
    deadline?: Deadline,
  ): Promise<Value> {
    const { scheduler } = this.#around;
    const turn = async (): Promise<void> => await this.turn(about.port === 'mapping');
    await turn();
    const { call, strike } = this.#around.begin({ process: this, invocation: this.invocation, cluster: about.cluster, ...about });
    if (strike?.freezeMs !== undefined) this.freeze(strike.freezeMs);
    if (strike?.dies === 'before') this.kill();
    await turn();
    try {
      // Last before the socket (R17); nothing comes between, but for what no look at a clock can keep out.
      if (deadline && hasPassed(deadline, this.clock)) throw new NotDoneError('the deadline of the pass has passed');
      if (strike?.gapMs !== undefined) this.freeze(strike.gapMs);
      if (strike?.gapMs !== undefined) await turn();
      this.#around.sent(call, deadline);
      await scheduler.wait(this.#around.latencyMs(call.port) + (strike?.slowMs ?? 0));
      if (strike?.failBefore) throw strike.failBefore;
      this.#around.effecting(call);
      const value = await (strike?.instead ? (strike.instead(effect) as Promise<Value>) : effect());
      this.#around.effected(call, value);
      await scheduler.wait(this.#around.latencyMs(call.port));
      if (strike?.dies === 'after') this.kill();
      await turn();
      if (strike?.failAfter) throw strike.failAfter;
      this.#around.heard(call, { value });
      return value;
    } catch (error) {
      if (strike?.dies === 'after') this.kill();
      await turn();
      this.#around.heard(call, { error });
      throw error;
    }
  }

  /** The port, every method of it a point. */
  watchOver<Port extends object>(port: PortName, target: Port): Port {
    const methods = new Map<string, unknown>();
    return new Proxy(target, {
      get: (_, property) => {
        const method = String(property);
        const known = methods.get(method);
        if (known) return known;
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== 'function') return member;
        const wrapped = (...args: unknown[]): Promise<unknown> =>
          this.call({ port, method, args }, async () => (await Reflect.apply(member, target, args)) as unknown);
        methods.set(method, wrapped);
        return wrapped;
      },
    });
  }

  ports(
    raw: Pick<Ports, 'clusters' | 'queue' | 'recorder' | 'store' | 'telemetry'>,
    clusterOf: (name: string) => Cluster,
    providerOf?: (cluster: string, node: string) => Provider,
  ): Ports {
    const { clock } = this;
    const [queue, store] = [this.watchOver('queue', raw.queue), this.watchOver('store', raw.store)];
    const relayed = new Map<string, Cluster>();
    const relayedTo = (name: string): Cluster => {
      const cluster = relayed.get(name) ?? new RelayedCluster({ cluster: name, queue, store, clock });
      relayed.set(name, cluster);
      return cluster;
    };
    return {
      clock,
      clusters: this.watchOver('clusters', raw.clusters),
      queue,
      recorder: this.watchOver('recorder', raw.recorder),
      store,
      telemetry: raw.telemetry,
      ...(providerOf && { providerOf: ({ name }: { name: string }, node: string) => providerOf(name, node) }),
      connect: ({ name, access }) => this.cluster(name, access === 'relayed' ? relayedTo(name) : clusterOf(name)),
    };
  }

  /** @param port of a pass; `source` where a relay carries out commands */
  cluster(name: string, through: Cluster | DirectCluster, port: 'cluster' | 'source' = 'cluster'): Cluster {
    const point = <Value>(method: string, args: readonly unknown[], effect: () => Promise<Value>): Promise<Value> =>
      this.call({ port, method, args, cluster: name }, effect, deadlineAmong(args));
    return {
      get: (...args) => point('get', args, () => through.get(...args)),
      // Each page is a call of its own, where this is what makes the calls.
      list: (resource, selection, deadline) =>
        'listPage' in through
          ? through.list(resource, selection, deadline, (_, page) =>
              point('list', [resource, page, deadline], () => through.listPage(resource, page)),
            )
          : point('list', [resource, selection, deadline], () => through.list(resource, selection, deadline)),
      create: (...args) => point('create', args, () => through.create(...args)),
      delete: (...args) => point('delete', args, () => through.delete(...args)),
      patch: (...args) => point('patch', args, () => through.patch(...args)),
      log: noLog,
    };
  }

  /** The relay's side of the same server. */
  source(name: string, direct: DirectCluster): ClusterSource & Pick<Cluster, 'get'> {
    const { scheduler } = this.#around;
    const fateOf = (event: WatchEvent<KubernetesObject>): ReturnType<Around['watched']> => this.#around.watched(this, name, event);
    const backMs = (): number => this.#around.latencyMs('source');
    const holdTurn = async (): Promise<void> => await this.turn();
    const remember = (stop: () => void): void => void this.#watches.push(stop);
    const point = <Value>(method: string, args: readonly unknown[], effect: () => Promise<Value>): Promise<Value> =>
      this.call({ port: 'source', method, args, cluster: name }, effect);
    return {
      get: (resource, target, deadline) => point('get', [resource, target, deadline], () => direct.get(resource, target)),
      // No point: faults strike calls, and while none lasts the server lives.
      signOfLife: holdTurn,
      listPage: (resource, selection, signal) =>
        point('listPage', [resource, selection, signal], () => direct.listPage(resource, selection)),
      async *watch<Item extends KubernetesObject>(
        resource: Resource,
        selection: Parameters<ClusterSource['watch']>[1],
        signal: AbortSignal,
      ): AsyncGenerator<WatchEvent<Item>, void> {
        const told: (WatchEvent<KubernetesObject> | { end: Error | undefined })[] = [];
        const arrived: typeof told = [];
        let wake: () => void = () => {};
        let isSilent = false;
        let lastAtMs = 0;
        // In their order, whatever each takes: moments are sums of fractions, and two that are meant as one may differ in the last digit.
        const arrive = (event: (typeof told)[number], delayMs: number): void => {
          lastAtMs = Math.max(lastAtMs, scheduler.elapsedMs + delayMs);
          told.push(event);
          scheduler.after(lastAtMs - scheduler.elapsedMs, () => {
            arrived.push(...told.splice(0, 1));
            wake();
          });
        };
        const stop = await point('watch', [resource, selection], () =>
          direct.watch(resource, selection, {
            event: (event) => {
              const fate = fateOf(event);
              if (fate.silent) isSilent = true;
              if (isSilent) return;
              if (!fate.lost) arrive(event, backMs() + (fate.delayMs ?? 0));
              else if (fate.bookmark && 'object' in event)
                arrive({ type: 'BOOKMARK', resourceVersion: event.object.metadata.resourceVersion ?? '0' }, backMs());
            },
            end: (error) => isSilent || arrive({ end: error }, backMs()),
          }),
        );
        remember(stop);
        signal.addEventListener('abort', () => wake(), { once: true });
        try {
          for (;;) {
            await holdTurn();
            const next = arrived.shift();
            if (signal.aborted) return;
            if (!next) await new Promise<void>((resolve) => (wake = resolve));
            else if ('end' in next) {
              if (next.end) throw next.end;
              return;
            } else yield next as WatchEvent<Item>;
          }
        } finally {
          stop();
        }
      },
    };
  }
}
