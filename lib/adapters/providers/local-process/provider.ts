// Pods of virtual nodes as processes of this machine. Each pod has a folder and a runner of its own (shim-program.ts): this file starts runners,
// reads what they wrote, and ends what a runner left behind.
import { spawn } from 'node:child_process';
import { randomUUID, createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { existsSync, mkdirSync, openSync, closeSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { shimProgram } from '../../../files/package-files.ts';
import type { ResolvedPod } from '../../../objects/environment/sources.ts';
import type { LogRequest } from '../../../objects/log-request.ts';
import type { Container, Pod } from '../../../objects/kubernetes.ts';
import { requestTextsOf } from '../../../objects/pods/pod-requests.ts';
import type { Task, TaskName } from '../../../objects/task.ts';
import type { Clock } from '../../../ports/clock.ts';
import { NotDoneError, NotFoundError, TerminalError, UnknownOutcomeError } from '../../../ports/errors.ts';
import type { ExecRequest, Health, PodWarning, Provider, TaskFigures } from '../../../ports/provider.ts';
import type { TaskChange } from '../simulated.ts';
import { Addresses } from './addresses.ts';
import { boundsHere, boundsText, type Bounds } from './machine/bounds.ts';
import { ENGINES, engineHere, removeContainersOf, type Engine, type EngineWord } from './machine/engine.ts';
import { execIn } from './exec.ts';
import { Measurements } from './figures.ts';
import { launchOf } from './shim/launch.ts';
import { readLog } from './folder/log-reader.ts';
import { isolationHere, type Isolation } from './machine/place.ts';
import { commandOf, LIMITS, problemOfPod } from './pod-limits.ts';
import { hostsText, isLookedFor, ofNames, writeHosts, type NamedPod } from './folder/names.ts';
import { HOST_IP, lostStatus, partsOf, statusOf } from './shim/pod-status.ts';
import { allProcesses, heldNamespaces, isRunning, killAll, POD_MARK } from './machine/process-tree.ts';
import { homeOf, logOf, readRecord, runnerOf, writeRecord, type Cause, type Order, type PodRecord } from './folder/records.ts';
import { ShimListener } from './shim/shim-link.ts';
import { forgetSecrets } from './folder/secrets.ts';
import { writeVolumes } from './folder/volumes.ts';
import { writeProgram } from './folder/look-up-program.ts';

/** Farloop may be gone for so long before its pods are ended. */
const GONE_MS = 30_000;
/** A pod that has ended is kept for so long, unless it is forgotten before. */
const ENDED_KEPT_MS = 24 * 3_600_000;
/** When all are ended at once, none has longer. */
const LONGEST_GRACE_SECONDS = 10;
const USUAL_GRACE_SECONDS = 30;
const LOOK_EVERY_MS = 50;
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';
const SHARE = 'share';
const RUNNER_ERRORS = 'runner-errors';

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

interface Known {
  node: string;
  folder: string;
  name: TaskName;
  pod: Pick<Task, 'namespace' | 'name'>;
  /** For the files of names. */
  named: NamedPod;
  requests: NonNullable<Task['requests']>;
  podIp: string;
}

/** Of all virtual nodes of a process. */
export class LocalProcessProvider {
  readonly #options: LocalProcessOptions;
  readonly #folder: string;
  readonly #isolation: Isolation;
  readonly #bounds: Bounds;
  readonly #addresses: Addresses;
  /** Of pods that are about to be started. */
  readonly #reserved = new Map<string, string>();
  readonly #known = new Map<string, Known>();
  readonly #engines = new Map<EngineWord, { engine: Engine; version: string }>();
  readonly #listeners = new Set<(change: TaskChange) => void>();
  readonly #measurements = new Map<string, Measurements>();
  /** To be removed once they have ended. */
  readonly #forgotten = new Set<string>();
  /** Runners that were started here and are not known to have claimed their pod. */
  readonly #starting = new Set<string>();
  /** How runners that were started here ended. */
  readonly #ends = new Map<string, string>();
  readonly #listener: Promise<ShimListener>;
  #problem: string | undefined;
  #isEnding = false;
  #isClosed = false;

  private constructor(options: LocalProcessOptions) {
    this.#options = options;
    this.#folder = join(resolve(options.folder), 'processes');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#isolation = options.isolation ?? isolationHere();
    this.#bounds = boundsHere(options.mostProcesses);
    this.#addresses = new Addresses(this.#folder);
    for (const word of ENGINES) if (options.ways?.has(word)) this.#engineOf(word);
    this.#findPods();
    writeProgram(this.#programs);
    this.#listener = ShimListener.open(this.#socket, {
      changed: (folder) => this.#changed(folder),
      gone: (folder) => void this.#lookAfter(folder),
    });
    this.#listener.catch((error: unknown) => (this.#problem = `pods cannot be heard of: ${(error as Error).message}`));
    for (const folder of this.#known.keys()) void this.#lookAfter(folder);
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
    return this.#alive().length;
  }

  #alive(): Known[] {
    return [...this.#known.values()].filter(({ folder }) => !this.#recordOf(folder).hasEnded);
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
    void this.#listener.then(
      (listener) => listener.close(),
      () => {},
    );
  }

  /** Ends all pods, and starts none any more. Changes are told as ever. */
  async end(): Promise<void> {
    this.#isEnding = true;
    const running = this.#alive();
    let graceMs = 0;
    for (const known of running) {
      const seconds = readRecord(known.folder, 'order')?.pod.spec.terminationGracePeriodSeconds ?? USUAL_GRACE_SECONDS;
      const graceSeconds = Math.min(seconds, LONGEST_GRACE_SECONDS);
      graceMs = Math.max(graceMs, graceSeconds * 1000);
      await this.#stop(known, graceSeconds, ENDED_WITH_FARLOOP);
    }
    const endMs = performance.now() + graceMs + 2 * LONGEST_GRACE_SECONDS * 1000;
    for (const { folder } of running) {
      while (!this.#recordOf(folder).hasEnded && performance.now() < endMs) await pause(LOOK_EVERY_MS);
      if (!this.#recordOf(folder).hasEnded) await this.#endLost(folder);
    }
  }

  /** @param word of the engine that runs its containers; absent: they are processes. @throws Error one sentence, where there is no such engine */
  of(node: string, word?: EngineWord): Provider {
    const engine = word && this.#engineOf(word).engine;
    return {
      start: async (name, pod) => await this.#start(node, name, pod, engine),
      update: async (name, pod) => await this.#update(this.#get(node, name), pod),
      stop: async (name, { graceSeconds }) => await this.#stop(this.#get(node, name), graceSeconds),
      look: async (names) =>
        names.map((name) => {
          const known = this.#known.get(this.#folderOf(node, name));
          return known && this.#taskOf(known);
        }),
      list: async ({ limit, after = '' }) => {
        const all = [...this.#known.values()].filter((each) => each.node === node && each.folder > after);
        const page = all.toSorted((one, other) => (one.folder < other.folder ? -1 : 1)).slice(0, limit);
        const last = page.at(-1);
        return { tasks: page.map((each) => this.#taskOf(each)), ...(all.length > limit && last && { next: last.folder }) };
      },
      forget: async (name) => await this.#forget(this.#folderOf(node, name)),
      logs: (name, wanted, signal) => this.#logs(node, name, wanted, signal),
      exec: async (name, wanted, signal) => await this.#exec(this.#get(node, name), wanted, signal),
      addressesOf: (name) => ({ podIP: this.#addressOf(this.#folderOf(node, name)), hostIP: HOST_IP }),
      connect: async (name, port, signal) => await this.#connect(this.#get(node, name), port, signal),
      figures: async () => this.#figures(node),
      health: async (): Promise<Health> => (this.#problem === undefined ? {} : { problem: this.#problem }),
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

  get #socket(): string {
    return join(this.#folder, 'farloop.sock');
  }

  #folderOf(node: string, { uid, attempt }: TaskName): string {
    // A uid is the API server's word, and still no path.
    const safe = /^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/.test(uid) ? uid : createHash('sha256').update(uid).digest('hex');
    return join(this.#folder, node, `${safe}-${attempt}`);
  }

  /** @throws NotFoundError */
  #get(node: string, name: TaskName): Known {
    const known = this.#known.get(this.#folderOf(node, name));
    if (!known) throw new NotFoundError('pod not found');
    return known;
  }

  #recordOf(folder: string): PodRecord {
    return readRecord(folder, 'record') ?? { version: 0, hasEnded: true, status: {}, runs: {} };
  }

  #taskOf({ folder, name, pod, requests }: Known): Task {
    const { version, hasEnded, status } = this.#recordOf(folder);
    return { ...name, ...pod, version, hasEnded, status, requests };
  }

  async #start(node: string, name: TaskName, pod: ResolvedPod, engine: Engine | undefined): Promise<void> {
    const folder = this.#folderOf(node, name);
    if (this.#isEnding) throw new NotDoneError('farloop up is ending');
    await this.#listener.catch(() => {
      throw new NotDoneError(this.#problem ?? 'pods cannot be heard of');
    });
    if (!this.#known.has(folder)) {
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
      this.#forgetOld();
      this.#write(folder, node, name, { pod, engine });
    }
    this.#startRunner(folder);
  }

  /** Whole or not at all: a folder that is there was ordered. @throws NotDoneError */
  #write(folder: string, node: string, name: TaskName, { pod: resolved, engine }: { pod: ResolvedPod; engine: Engine | undefined }): void {
    const { volumeContents: _volumes, sources: _sources, status: _status, ...pod } = resolved;
    const { images = new Map<string, string[]>(), goneMs = GONE_MS, firstBackoffMs, share } = this.#options;
    const commanded = (container: Container): Container => ({
      ...container,
      ...(!engine && { command: commandOf(container, images), args: [] }),
      env: [...(share === undefined ? [] : [{ name: 'FARLOOP_SHARE', value: resolve(share) }]), ...(container.env ?? [])],
    });
    const { containers, initContainers } = pod.spec;
    const order: Order = {
      ...name,
      pod: {
        ...pod,
        spec: {
          ...pod.spec,
          containers: containers.map(commanded),
          ...(initContainers && { initContainers: initContainers.map(commanded) }),
        },
      },
      orderedAtMs: this.#options.clock.nowMs(),
      podIp: this.#addressOf(folder),
      isolation: engine ? 'none' : this.#isolation,
      ...(engine && { engine }),
      bounds: this.#bounds,
      path: `${this.#programs}:${process.env['PATH'] ?? DEFAULT_PATH}`,
      socket: this.#socket,
      goneMs,
      ...(firstBackoffMs !== undefined && { firstBackoffMs }),
    };
    const { podIp, orderedAtMs } = order;
    const beside = `${folder}.new`;
    try {
      rmSync(beside, { recursive: true, force: true });
      mkdirSync(homeOf(beside), { recursive: true, mode: 0o700 });
      if (share !== undefined) symlinkSync(resolve(share), join(homeOf(beside), SHARE));
      writeVolumes(beside, resolved);
      writeHosts(beside, hostsText(order, this.#peersOf(pod)));
      writeRecord(beside, 'order', order);
      const status = statusOf({ pod, podIp, orderedAtMs, parts: partsOf(pod, engine?.word), hasEnded: false }, undefined, orderedAtMs);
      writeRecord(beside, 'record', { version: 1, hasEnded: false, status, runs: {} });
      renameSync(beside, folder);
    } catch (error) {
      this.#addresses.release(podIp);
      this.#reserved.delete(folder);
      rmSync(beside, { recursive: true, force: true });
      const { code, message } = error as NodeJS.ErrnoException;
      throw new NotDoneError(code === 'ENOSPC' ? `the disk of ${this.#folder} is full` : `the pod's folder cannot be made: ${message}`, {
        cause: error,
      });
    }
    this.#know(folder, node, order);
    if (isLookedFor(pod)) this.#nameToPeers(order);
  }

  /** It has it before it is started: variables of the pod may name it. */
  #addressOf(folder: string): string {
    const address = this.#known.get(folder)?.podIp ?? this.#reserved.get(folder) ?? this.#addresses.take();
    if (!this.#known.has(folder)) this.#reserved.set(folder, address);
    return address;
  }

  #peersOf({ metadata: { namespace } }: Pod): NamedPod[] {
    // Their records are files: those of pods that nobody looks for are not read.
    const named = [...this.#known.values()].filter((each) => each.pod.namespace === namespace && isLookedFor(each.named.pod));
    return named.filter(({ folder }) => !this.#recordOf(folder).hasEnded).map((each) => each.named);
  }

  /** Those that run already. */
  #nameToPeers({ pod: { metadata } }: Order): void {
    const peers = this.#alive().filter(({ pod: { namespace } }) => namespace === metadata.namespace);
    const named = peers.map((each) => each.named);
    for (const peer of peers)
      try {
        if (peer.name.uid !== metadata.uid) writeHosts(peer.folder, hostsText(peer.named, named));
      } catch {
        // A full disk: the peer is not found by that pod.
      }
  }

  #know(folder: string, node: string, { uid, attempt, pod, podIp }: Order): void {
    this.#reserved.delete(folder);
    const { namespace = '', name = '' } = pod.metadata;
    this.#known.set(folder, {
      node,
      folder,
      name: { uid, attempt },
      pod: { namespace, name },
      named: { pod: ofNames(pod), podIp },
      requests: requestTextsOf(pod),
      podIp,
    });
  }

  /** Does nothing where one has the pod, or had it. @throws NotDoneError */
  #startRunner(folder: string): void {
    if (this.#starting.has(folder) || runnerOf(folder) !== 'unclaimed') return;
    const errors = openSync(join(folder, RUNNER_ERRORS), 'a', 0o600);
    const runner = spawn(process.execPath, [...RUNNER_FLAGS, shimProgram(), folder], {
      detached: true,
      stdio: ['ignore', 'ignore', errors],
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? DEFAULT_PATH,
        // Half of its start would go into compiling the same text again.
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(this.#folder, '_compiled'),
      },
    });
    closeSync(errors);
    runner.on('error', () => {});
    if (runner.pid === undefined) throw new NotDoneError('the system starts no more processes');
    this.#starting.add(folder);
    runner.once('exit', (code, signal) => {
      this.#starting.delete(folder);
      this.#ends.set(folder, signal ?? `exit code ${code}`);
      void this.#lookAfter(folder);
    });
    // Farloop may end before it.
    runner.unref();
  }

  #changed(folder: string): void {
    const known = this.#known.get(folder);
    if (!known) return;
    const { hasEnded } = this.#recordOf(folder);
    if (hasEnded) {
      this.#addresses.release(known.podIp);
      if (this.#forgotten.has(folder)) return this.#remove(folder);
    }
    for (const listener of this.#listeners) listener({ uid: known.name.uid, ...known.pod, node: known.node });
  }

  /** Of a pod whose runner is gone, or may be: a pod that nobody runs is ended. */
  async #lookAfter(folder: string): Promise<void> {
    // Not before the caller could say who is to hear of it.
    const listener = await this.#listener.catch(() => undefined);
    for (;;) {
      if (this.#isClosed || !this.#known.has(folder)) return;
      if (this.#recordOf(folder).hasEnded) return this.#changed(folder);
      const runner = runnerOf(folder);
      if (runner === 'gone') return await this.#endLost(folder);
      if (runner === 'unclaimed' && !this.#starting.has(folder)) {
        // One of this process that ended before it began would do so again. One of an earlier process may still be about to begin: of two, one does.
        if (this.#ends.has(folder)) return await this.#endLost(folder);
        return this.#startRunner(folder);
      }
      if (!listener || listener.has(folder)) return;
      await pause(LOOK_EVERY_MS, undefined, { ref: false });
    }
  }

  async #endLost(folder: string): Promise<void> {
    const runs = Object.values(this.#recordOf(folder).runs).filter(isRunning);
    const namespaces = heldNamespaces(runs);
    const engine = readRecord(folder, 'order')?.engine;
    try {
      if (engine) await removeContainersOf(engine, folder);
      await killAll({
        variables: [`${POD_MARK}=${folder}`],
        namespaces: new Set(namespaces.map(({ name }) => name)),
        sessions: new Set(runs.map(({ pid }) => pid)),
      });
    } finally {
      for (const { close } of namespaces) close();
    }
    forgetSecrets(folder);
    const now = this.#recordOf(folder);
    if (now.hasEnded) return this.#changed(folder);
    writeRecord(folder, 'record', {
      version: now.version + 1,
      hasEnded: true,
      status: lostStatus(now.status, whyLost(folder, this.#ends.get(folder)), this.#options.clock.nowMs()),
      runs: {},
    });
    this.#changed(folder);
  }

  async #update(known: Known, pod: ResolvedPod): Promise<void> {
    const order = readRecord(known.folder, 'order');
    if (!order || this.#recordOf(known.folder).hasEnded) return;
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
    await this.#poke(known.folder);
  }

  async #stop({ folder }: Known, graceSeconds: number, cause?: Cause): Promise<void> {
    if (this.#recordOf(folder).hasEnded) return;
    const before = readRecord(folder, 'stop');
    // By the machine's clock, as the runner counts.
    const killAtMs = Math.min(before?.killAtMs ?? Number.POSITIVE_INFINITY, Date.now() + graceSeconds * 1000);
    const why = before ? before.cause : cause;
    writeRecord(folder, 'stop', { killAtMs, ...(why && { cause: why }) });
    await this.#poke(folder);
    void this.#lookAfter(folder);
  }

  async #poke(folder: string): Promise<void> {
    const listener = await this.#listener.catch(() => undefined);
    listener?.poke(folder);
  }

  async #forget(folder: string): Promise<void> {
    const known = this.#known.get(folder);
    if (!known) return;
    if (this.#recordOf(folder).hasEnded) return this.#remove(folder);
    this.#forgotten.add(folder);
    await this.#stop(known, 0).catch(() => {});
  }

  #remove(folder: string): void {
    const known = this.#known.get(folder);
    if (known) this.#addresses.release(known.podIp);
    this.#known.delete(folder);
    this.#forgotten.delete(folder);
    this.#ends.delete(folder);
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // It is found again at the next start, and goes then.
    }
  }

  #forgetOld(): void {
    const beforeMs = Date.now() - ENDED_KEPT_MS;
    for (const { folder } of this.#known.values()) {
      const { hasEnded, status } = this.#recordOf(folder);
      const ended = (status.containerStatuses ?? []).map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
      if (hasEnded && !ended.some((ms) => ms >= beforeMs || Number.isNaN(ms))) this.#remove(folder);
    }
  }

  /** Of an earlier process of this folder. */
  #findPods(): void {
    for (const node of readdirSync(this.#folder, { withFileTypes: true })) {
      if (!node.isDirectory() || node.name.startsWith('_')) continue;
      for (const name of readdirSync(join(this.#folder, node.name))) {
        const folder = join(this.#folder, node.name, name);
        const order = name.endsWith('.new') ? undefined : readRecord(folder, 'order');
        if (!order) {
          if (name.endsWith('.new')) rmSync(folder, { recursive: true, force: true });
          continue;
        }
        this.#know(folder, node.name, order);
        this.#addresses.keep(order.podIp);
      }
    }
  }

  async *#logs(node: string, name: TaskName, wanted: LogRequest, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { folder, pod } = this.#get(node, name);
    const status = (): { run: number; isRunning: boolean; isKnown: boolean } => {
      const { containerStatuses = [], initContainerStatuses = [] } = this.#recordOf(folder).status;
      const found = [...containerStatuses, ...initContainerStatuses].find((each) => each.name === wanted.container);
      return { run: found?.restartCount ?? 0, isRunning: found?.state?.running !== undefined, isKnown: found !== undefined };
    };
    const { run: current, isKnown } = status();
    if (!isKnown) throw new NotFoundError(`container ${wanted.container} is not valid for pod ${pod.name}`);
    const run = wanted.previous ? current - 1 : current;
    const path = logOf(folder, wanted.container, run);
    if (!existsSync(path))
      throw new NotFoundError(
        wanted.previous
          ? `previous terminated container ${JSON.stringify(wanted.container)} in pod ${JSON.stringify(pod.name)} not found`
          : `container ${JSON.stringify(wanted.container)} in pod ${JSON.stringify(pod.name)} is waiting to start`,
      );
    const hasEnded = (): boolean => {
      const now = status();
      return now.run !== run || !now.isRunning;
    };
    yield* readLog(path, wanted, hasEnded, signal);
  }

  async #exec({ folder, pod }: Known, wanted: ExecRequest, signal: AbortSignal): Promise<{ exitCode: number }> {
    const order = readRecord(folder, 'order');
    const run = this.#recordOf(folder).runs[wanted.container];
    const container = [...(order?.pod.spec.containers ?? []), ...(order?.pod.spec.initContainers ?? [])].find(
      ({ name }) => name === wanted.container,
    );
    if (!order || !run || !container || !isRunning(run))
      throw new NotFoundError(`container ${JSON.stringify(wanted.container)} of pod ${JSON.stringify(pod.name)} does not run`);
    return await execIn(launchOf(folder, order, container, run), wanted, randomUUID(), signal);
  }

  async #connect({ folder, pod, podIp }: Known, port: number, signal: AbortSignal): Promise<Duplex> {
    if (this.#recordOf(folder).hasEnded) throw new NotFoundError(`pod ${JSON.stringify(pod.name)} does not run`);
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
    const figures = [...this.#known.values()].flatMap(({ node: of, folder, name }) => {
      if (of !== node) return [];
      const runs = Object.entries(this.#recordOf(folder).runs);
      if (runs.length === 0) return [];
      return [{ uid: name.uid, atMs, containers: runs.map(([container, run]) => measurements.of(folder, container, run, all, atMs)) }];
    });
    measurements.keepOnly(atMs);
    return figures;
  }
}

/** The last line that its runner could write, where it failed by itself. */
function whyLost(folder: string, end = 'from outside'): string {
  let errors = '';
  try {
    errors = readFileSync(join(folder, RUNNER_ERRORS), 'utf8').trim();
  } catch {
    // Nothing is known.
  }
  const [line = ''] = errors.split('\n').filter((each) => /Error|ENO|EA/.test(each));
  return line === ''
    ? `The process that held this pod was ended (${end}); what still ran of it was ended, too`
    : `The process that held this pod failed (${line.trim()}); what still ran of it was ended, too`;
}

/** It holds little: a small heap is enough, and starts faster. */
const RUNNER_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1', '--max-old-space-size=128'];
