// Pods of virtual nodes as processes of this machine, as the provider port asks for them. Each pod has a folder (known-pods.ts) and a runner of its own
// (runners.ts): this file writes what runners read, and reads what they wrote.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ResolvedPod } from '../../../objects/environment/sources.ts';
import type { TaskName } from '../../../objects/task.ts';
import type { Clock } from '../../../ports/clock.ts';
import { NotDoneError, NotFoundError, TerminalError, UnknownOutcomeError } from '../../../ports/errors.ts';
import type { ExecRequest, Health, PodWarning, Provider, TaskFigures } from '../../../ports/provider.ts';
import type { TaskChange } from '../simulated.ts';
import { boundsHere, boundsText, type Bounds } from './machine/bounds.ts';
import { ENGINES, engineHere, type Engine, type EngineWord } from './machine/engine.ts';
import { execIn } from './exec.ts';
import { Measurements } from './figures.ts';
import { launchOf } from './shim/launch.ts';
import { podLog } from './pod-log.ts';
import { isolationHere, type Isolation } from './machine/place.ts';
import { LIMITS, problemOfPod } from './pod-limits.ts';
import { isLookedFor } from './folder/names.ts';
import { HOST_IP } from './shim/pod-status.ts';
import { allProcesses, isRunning } from './machine/process-tree.ts';
import { readRecord, writeRecord, type Cause, type Order } from './folder/records.ts';
import { writeVolumes } from './folder/volumes.ts';
import { writeProgram } from './folder/look-up-program.ts';
import { KnownPods, processesIn, recordOf, taskOf, type KnownPod } from './known-pods.ts';
import { makePodFolder, orderOf } from './pod-order.ts';
import { DEFAULT_PATH, LOOK_EVERY_MS, Runners } from './runners.ts';

/** Farloop may be gone for so long before its pods are ended. */
const GONE_MS = 30_000;
/** When all are ended at once, none has longer. */
const LONGEST_GRACE_SECONDS = 10;
const USUAL_GRACE_SECONDS = 30;

const ENDED_WITH_FARLOOP: Cause = { reason: 'Terminated', message: 'farloop up was told to end, and its pods with it', isDisruption: true };
const NAMES_NOT_RESOLVED: PodWarning = {
  reason: 'PodNamesNotResolved',
  message:
    'this system gives the user of farloop up no mount namespace, so names of other pods do not resolve in this one; FARLOOP_POD_IP is its own address',
};

export interface LocalProcessOptions {
  /** The state folder. */
  folder: string;
  clock: Pick<Clock, 'nowMs'>;
  /** Words of a command by image, for containers that give none. */
  images?: ReadonlyMap<string, readonly string[]>;
  /** A folder of the user that all pods find as `share` in their home, and in FARLOOP_SHARE. */
  share?: string;
  /** Who is to run pods: processes, engines. Absent: processes. */
  ways?: ReadonlySet<'processes' | EngineWord>;
  /** Pods of others are refused. Absent: of all. */
  allowedNamespaces?: ReadonlySet<string>;
  goneMs?: number;
  mostProcesses?: number;
  /** As if the system gave none. */
  isolation?: Isolation;
  firstBackoffMs?: number;
}

/** Of all virtual nodes of a process. */
export class LocalProcessProvider {
  readonly #options: LocalProcessOptions;
  readonly #folder: string;
  readonly #isolation: Isolation;
  readonly #bounds: Bounds;
  readonly #pods: KnownPods;
  readonly #runners: Runners;
  readonly #engines = new Map<EngineWord, { engine: Engine; version: string }>();
  readonly #listeners = new Set<(change: TaskChange) => void>();
  readonly #measurements = new Map<string, Measurements>();
  /** To be removed once they have ended. */
  readonly #forgotten = new Set<string>();
  #isEnding = false;
  #isClosed = false;

  private constructor(options: LocalProcessOptions) {
    this.#options = options;
    this.#folder = processesIn(options.folder);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#isolation = options.isolation ?? isolationHere();
    this.#bounds = boundsHere(options.mostProcesses);
    for (const word of ENGINES) if (options.ways?.has(word)) this.#engineOf(word);
    this.#pods = new KnownPods(this.#folder);
    writeProgram(this.#programs);
    const { clock } = options;
    this.#runners = new Runners({ folder: this.#folder, pods: this.#pods, clock, onChange: (folder) => this.#changed(folder) });
  }

  /** Finds the pods of an earlier process. @throws Error one sentence, where the system or the folder does not allow it */
  static open(options: LocalProcessOptions): LocalProcessProvider {
    if (process.platform !== 'linux')
      throw new Error(`pods run as local processes on Linux alone, and this is ${process.platform}: use another provider`);
    try {
      return new LocalProcessProvider(options);
    } catch (error) {
      throw new Error(`pods cannot run on this machine: ${(error as Error).message}`, { cause: error });
    }
  }

  /** For people, at its start: what runs, as whom, and what holds it. A sentence each. */
  describe(): string[] {
    const { share, allowedNamespaces, ways = new Set(['processes'] as const) } = this.#options;
    const user = process.geteuid?.() === 0 ? 'root' : `you (uid ${process.geteuid?.()})`;
    const of = allowedNamespaces ? ` of ${[...allowedNamespaces].join(', ')}` : '';
    return [
      ...(ways.has('processes')
        ? [
            `it runs the commands of pods${of} as processes of this machine, as ${user}`,
            `there is no wall between pods and your files: a pod reads, changes and deletes what ${user === 'root' ? 'root' : 'you'} may`,
          ]
        : []),
      ...[...this.#engines].map(
        ([word, { version }]) => `it runs the containers of pods${of} by ${word} ${version}, as ${user}; they share this machine's network`,
      ),
      ...(share === undefined
        ? []
        : [`each pod finds ${resolve(share)} as $FARLOOP_SHARE${ways.has('processes') ? ', and as share in its home' : ''}`]),
      ...(ways.has('processes')
        ? [
            this.#isolation === 'none'
              ? 'this system gives no mount namespaces: volumes are mounted at relative paths alone, and names of other pods do not resolve'
              : 'volumes and names of other pods are in a mount namespace of each container',
            boundsText(this.#bounds, this.#isolation),
          ]
        : []),
    ];
  }

  /** How many pods run. */
  get running(): number {
    return this.#pods.alive().length;
  }

  /** Called after each change of a task, with what leads to its workload. */
  onChange(listener: (change: TaskChange) => void): void {
    this.#listeners.add(listener);
  }

  /** The pods run on, and are ended unless another process takes them over in time. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listeners.clear();
    this.#runners.close();
  }

  /** Ends all pods, and starts none any more. Changes are told as ever. */
  async end(): Promise<void> {
    this.#isEnding = true;
    const running = this.#pods.alive();
    let graceMs = 0;
    for (const known of running) {
      const seconds = readRecord(known.folder, 'order')?.pod.spec.terminationGracePeriodSeconds ?? USUAL_GRACE_SECONDS;
      const graceSeconds = Math.min(seconds, LONGEST_GRACE_SECONDS);
      graceMs = Math.max(graceMs, graceSeconds * 1000);
      await this.#stop(known, graceSeconds, ENDED_WITH_FARLOOP);
    }
    const endMs = performance.now() + graceMs + 2 * LONGEST_GRACE_SECONDS * 1000;
    for (const { folder } of running) {
      while (!recordOf(folder).hasEnded && performance.now() < endMs) await pause(LOOK_EVERY_MS);
      if (!recordOf(folder).hasEnded) await this.#runners.endLost(folder);
    }
  }

  /** @param word of the engine that runs its containers; absent: they are processes. @throws Error one sentence, where there is no such engine */
  of(node: string, word?: EngineWord): Provider {
    const engine = word && this.#engineOf(word).engine;
    return {
      start: async (name, pod) => await this.#start(node, name, pod, engine),
      update: async (name, pod) => await this.#update(this.#pods.get(node, name), pod),
      stop: async (name, { graceSeconds }) => await this.#stop(this.#pods.get(node, name), graceSeconds),
      look: async (names) =>
        names.map((name) => {
          const known = this.#pods.at(this.#pods.folderOf(node, name));
          return known && taskOf(known);
        }),
      list: async ({ limit, after = '' }) => {
        const all = this.#pods.all().filter((each) => each.node === node && each.folder > after);
        const page = all.toSorted((one, other) => (one.folder < other.folder ? -1 : 1)).slice(0, limit);
        const last = page.at(-1);
        return { tasks: page.map(taskOf), ...(all.length > limit && last && { next: last.folder }) };
      },
      forget: async (name) => await this.#forget(this.#pods.folderOf(node, name)),
      logs: (name, wanted, signal) => podLog(this.#pods.get(node, name), wanted, signal),
      exec: async (name, wanted, signal) => await this.#exec(this.#pods.get(node, name), wanted, signal),
      addressesOf: (name) => ({ podIP: this.#pods.addressOf(this.#pods.folderOf(node, name)), hostIP: HOST_IP }),
      connect: async (name, port, signal) => await this.#connect(this.#pods.get(node, name), port, signal),
      figures: async () => this.#figures(node),
      health: async (): Promise<Health> => {
        const { problem } = this.#runners;
        return problem === undefined ? {} : { problem };
      },
      limits: () => LIMITS,
      warningsOf: (pod) => (this.#isolation === 'none' && !engine && isLookedFor(pod) ? [NAMES_NOT_RESOLVED] : []),
    };
  }

  #engineOf(word: EngineWord): { engine: Engine; version: string } {
    const known = this.#engines.get(word) ?? engineHere(word);
    this.#engines.set(word, known);
    return known;
  }

  /** Programs that all pods find first on their PATH. No node has such a name. */
  get #programs(): string {
    return join(this.#folder, '_programs');
  }

  async #start(node: string, name: TaskName, pod: ResolvedPod, engine: Engine | undefined): Promise<void> {
    const folder = this.#pods.folderOf(node, name);
    if (this.#isEnding) throw new NotDoneError('farloop up is ending');
    await this.#runners.listens();
    if (!this.#pods.at(folder)) {
      const { images = new Map<string, string[]>() } = this.#options;
      const { allowedNamespaces } = this.#options;
      const problem = problemOfPod(pod, {
        isolation: this.#isolation,
        images,
        hasEngine: engine !== undefined,
        user: process.geteuid?.(),
        ...(allowedNamespaces && { allowedNamespaces }),
      });
      if (problem !== undefined) throw new TerminalError(problem);
      for (const old of this.#pods.old()) this.#remove(old);
      this.#make(folder, node, name, { pod, engine });
    }
    this.#runners.start(folder);
  }

  /** @throws NotDoneError */
  #make(folder: string, node: string, name: TaskName, { pod: resolved, engine }: { pod: ResolvedPod; engine: Engine | undefined }): void {
    const { clock, images = new Map(), goneMs = GONE_MS, firstBackoffMs, share } = this.#options;
    const given: Omit<Order, 'pod'> = {
      ...name,
      orderedAtMs: clock.nowMs(),
      podIp: this.#pods.addressOf(folder),
      isolation: engine ? 'none' : this.#isolation,
      ...(engine && { engine }),
      bounds: this.#bounds,
      path: `${this.#programs}:${process.env['PATH'] ?? DEFAULT_PATH}`,
      socket: this.#runners.socket,
      goneMs,
      ...(firstBackoffMs !== undefined && { firstBackoffMs }),
    };
    const order = orderOf(resolved, given, { images, share });
    try {
      makePodFolder(folder, order, { resolved, peers: this.#pods.peersOf(order.pod), share });
    } catch (error) {
      this.#pods.wasNotMade(folder);
      throw error;
    }
    this.#pods.add(folder, node, order);
    if (isLookedFor(order.pod)) this.#pods.nameToPeers(order);
  }

  #changed(folder: string): void {
    const known = this.#pods.at(folder);
    if (!known) return;
    const { hasEnded } = recordOf(folder);
    if (hasEnded) {
      this.#pods.hasEnded(folder);
      if (this.#forgotten.has(folder)) return this.#remove(folder);
    }
    for (const listener of this.#listeners) listener({ uid: known.name.uid, ...known.pod, node: known.node });
  }

  async #update(known: KnownPod, pod: ResolvedPod): Promise<void> {
    const order = readRecord(known.folder, 'order');
    if (!order || recordOf(known.folder).hasEnded) return;
    writeVolumes(known.folder, pod);
    const { activeDeadlineSeconds } = pod.spec as { activeDeadlineSeconds?: number };
    writeRecord(known.folder, 'order', {
      ...order,
      pod: {
        ...order.pod,
        metadata: pod.metadata,
        spec: { ...order.pod.spec, ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }) },
      },
    });
    await this.#runners.poke(known.folder);
  }

  async #stop({ folder }: KnownPod, graceSeconds: number, cause?: Cause): Promise<void> {
    if (recordOf(folder).hasEnded) return;
    const before = readRecord(folder, 'stop');
    // By the machine's clock, as the runner counts.
    const killAtMs = Math.min(before?.killAtMs ?? Number.POSITIVE_INFINITY, Date.now() + graceSeconds * 1000);
    const why = before ? before.cause : cause;
    writeRecord(folder, 'stop', { killAtMs, ...(why && { cause: why }) });
    await this.#runners.poke(folder);
    void this.#runners.lookAfter(folder);
  }

  async #forget(folder: string): Promise<void> {
    const known = this.#pods.at(folder);
    if (!known) return;
    if (recordOf(folder).hasEnded) return this.#remove(folder);
    this.#forgotten.add(folder);
    await this.#stop(known, 0).catch(() => {});
  }

  #remove(folder: string): void {
    this.#pods.remove(folder);
    this.#forgotten.delete(folder);
    this.#runners.forget(folder);
  }

  async #exec({ folder, pod }: KnownPod, wanted: ExecRequest, signal: AbortSignal): Promise<{ exitCode: number }> {
    const order = readRecord(folder, 'order');
    const run = recordOf(folder).runs[wanted.container];
    const container = [...(order?.pod.spec.containers ?? []), ...(order?.pod.spec.initContainers ?? [])].find(
      ({ name }) => name === wanted.container,
    );
    if (!order || !run || !container || !isRunning(run))
      throw new NotFoundError(`container ${JSON.stringify(wanted.container)} of pod ${JSON.stringify(pod.name)} does not run`);
    return await execIn(launchOf(folder, order, container, run), wanted, randomUUID(), signal);
  }

  async #connect({ folder, pod, podIp }: KnownPod, port: number, signal: AbortSignal): Promise<Duplex> {
    if (recordOf(folder).hasEnded) throw new NotFoundError(`pod ${JSON.stringify(pod.name)} does not run`);
    const socket = connect({ host: podIp, port, signal, allowHalfOpen: true });
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      throw new UnknownOutcomeError(
        `nothing listens at ${podIp}:${port} (${code}): a server of a pod listens at all addresses, or at $FARLOOP_POD_IP`,
        { cause: error },
      );
    }
  }

  #figures(node: string): TaskFigures[] {
    const atMs = this.#options.clock.nowMs();
    const all = allProcesses();
    const measurements = this.#measurements.get(node) ?? new Measurements();
    this.#measurements.set(node, measurements);
    const figures = this.#pods.all().flatMap(({ node: of, folder, name }) => {
      if (of !== node) return [];
      const runs = Object.entries(recordOf(folder).runs);
      if (runs.length === 0) return [];
      return [{ uid: name.uid, atMs, containers: runs.map(([container, run]) => measurements.of(folder, container, run, all, atMs)) }];
    });
    measurements.keepOnly(atMs);
    return figures;
  }
}
