// The life of one pod: its init containers in turn, then all others, each started again as the pod's policy says, until all have ended or somebody
// ends them. Written down at each step.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { numberOf, textOf } from '../../../../objects/values/untyped-fields.ts';
import { ContainerCgroup, isCounted } from '../machine/bounds.ts';
import { fetchImage, removeContainersOf, type ContainerWish, type Engine } from '../machine/engine.ts';
import { ContainerRun, LONGEST_TIMER_MS, type End } from './container-run.ts';
import { launchOf } from './launch.ts';
import { hostnameOf, hostsOf } from '../folder/names.ts';
import { openPlace, type OpenPlace } from '../machine/place.ts';
import { partsOf, statusOf, textOfTime, type Part } from './pod-status.ts';
import { killAll, POD_MARK } from '../machine/process-tree.ts';
import { ProcessCount } from './process-count.ts';
import {
  homeOf,
  lastWordsOf,
  logOf,
  placesOf,
  readRecord,
  temporaryOf,
  writeRecord,
  type Cause,
  type Order,
  type PodRecord,
  type RunRecord,
} from '../folder/records.ts';
import { isRestarted, restartAfter, waitText, type Backoff } from './restart-policy.ts';
import { forgetSecrets } from '../folder/secrets.ts';
import { mountsOf } from '../folder/volumes.ts';

const USUAL_GRACE_SECONDS = 30;
const FIRST_PULL_MS = 10_000;
const LONGEST_PULL_MS = 300_000;
const USUAL_LAST_WORDS = '/dev/termination-log';
/** A status that could not be written is written again after so long. */
const WRITE_AGAIN_MS = 1_000;

interface LivePart extends Part {
  place?: OpenPlace;
  run?: ContainerRun;
  backoff?: Backoff;
  /** Nothing of it will run again. */
  isDone: boolean;
}

export class PodRun {
  readonly #folder: string;
  #order: Order;
  readonly #parts: LivePart[];
  readonly #changed: () => void;
  readonly #count: ProcessCount | undefined;
  #record: PodRecord;
  #stop: { killAtMs: number } | undefined;
  #cause: Cause | undefined;
  #hasEnded = false;
  /** All main containers are over: sidecars are not started again. */
  #isClosing = false;
  #isUnwritten = false;
  /** Fires with the first word that it is to end. */
  readonly #ending = new AbortController();
  readonly #ends = new Set<Promise<End>>();
  readonly #wakeSleepers = new Set<() => void>();
  #deadline: NodeJS.Timeout | undefined;

  /** @param changed called after each change was written down */
  constructor(folder: string, order: Order, changed: () => void) {
    this.#folder = folder;
    this.#order = order;
    this.#changed = changed;
    this.#parts = partsOf(order.pod, order.engine?.word).map((part) => ({ ...part, isDone: false }));
    this.#record = readRecord(folder, 'record') ?? { version: 0, hasEnded: false, status: {}, runs: {} };
    if (!order.engine && isCounted(order.bounds, order.isolation))
      this.#count = new ProcessCount(order.bounds.mostProcesses, () => this.#parts.flatMap(({ run }) => run ?? []));
  }

  /** Resolves once all has ended and is written down. Never fails. */
  async run(): Promise<void> {
    try {
      this.readOrders();
      await this.#live();
    } catch (error) {
      this.#end({ reason: 'StartError', message: (error as Error).message }, 0);
    }
    this.#count?.stop();
    clearTimeout(this.#deadline);
    this.#isClosing = true;
    for (const part of this.#parts) part.run?.kill('its pod has ended');
    if (this.#order.engine) await removeContainersOf(this.#order.engine, this.#folder);
    await killAll({ variables: [`${POD_MARK}=${this.#folder}`] });
    // Nothing looks for processes in a namespace that is let go.
    await Promise.all(this.#ends);
    for (const { place } of this.#parts) place?.close();
    this.#hasEnded = true;
    forgetSecrets(this.#folder);
    this.#write();
    // Where somebody has removed the folder, nobody reads of it.
    while (this.#isUnwritten && existsSync(this.#folder)) {
      await new Promise((resolve) => setTimeout(resolve, WRITE_AGAIN_MS));
      this.#write();
    }
  }

  /** Reads what Farloop has written meanwhile: a stop, another deadline. */
  readOrders(): void {
    this.#order = readRecord(this.#folder, 'order') ?? this.#order;
    const { pod, orderedAtMs } = this.#order;
    clearTimeout(this.#deadline);
    const seconds = numberOf(pod.spec['activeDeadlineSeconds']);
    if (seconds !== undefined) this.#setDeadline(orderedAtMs + seconds * 1000);
    const stop = readRecord(this.#folder, 'stop');
    if (stop) this.#end(stop.cause, stop.killAtMs);
  }

  /** Ends it with its own grace. */
  end(cause: Cause): void {
    this.#end(cause, Date.now() + this.#graceSeconds * 1000);
  }

  #setDeadline(atMs: number): void {
    const leftMs = atMs - Date.now();
    if (leftMs <= 0)
      return this.end({ reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' });
    this.#deadline = setTimeout(() => this.#setDeadline(atMs), Math.min(leftMs, LONGEST_TIMER_MS));
  }

  get #graceSeconds(): number {
    return this.#order.pod.spec.terminationGracePeriodSeconds ?? USUAL_GRACE_SECONDS;
  }

  get #mains(): LivePart[] {
    return this.#parts.filter(({ kind }) => kind === 'main');
  }

  /** Main containers first; sidecars serve them to their end. */
  #end(cause: Cause | undefined, killAtMs: number): void {
    this.#cause ??= this.#stop === undefined ? cause : undefined;
    this.#ending.abort();
    this.#stop = { killAtMs: Math.min(this.#stop?.killAtMs ?? Number.POSITIVE_INFINITY, killAtMs) };
    for (const { kind, run } of this.#parts) if (kind !== 'sidecar') run?.stop(this.#stop.killAtMs);
    if (this.#isClosing || !this.#mains.some(({ run }) => run)) for (const { run } of this.#parts) run?.stop(this.#stop.killAtMs);
    this.#wake();
  }

  async #live(): Promise<void> {
    for (const folder of [homeOf(this.#folder), temporaryOf(this.#folder), join(this.#folder, 'last-words')])
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#write();
    const sidecars: { part: LivePart; over: Promise<void> }[] = [];
    let isInitialized = true;
    for (const part of this.#parts.filter(({ kind }) => kind !== 'main')) {
      if (this.#stop) break;
      if (part.kind === 'sidecar') {
        const over = this.#keep(part);
        sidecars.push({ part, over });
        await this.#until(() => part.hasStarted || part.isDone);
      } else {
        await this.#keep(part);
        if (part.state.terminated?.exitCode !== 0) {
          isInitialized = false;
          break;
        }
      }
    }
    if (isInitialized && !this.#stop) {
      for (const part of this.#mains) part.state = { waiting: { reason: 'ContainerCreating' } };
      await Promise.all(this.#mains.map(async (part) => await this.#keep(part)));
    }
    this.#isClosing = true;
    const killAtMs = this.#stop?.killAtMs ?? Date.now() + this.#graceSeconds * 1000;
    for (const { part, over } of sidecars.toReversed()) {
      part.run?.stop(killAtMs);
      this.#wake();
      await over;
    }
    if (this.#stop) for (const part of this.#parts) if (!part.state.terminated) part.state = { terminated: unstarted(part) };
  }

  /** Runs a container, again and again where its policy says so. */
  async #keep(part: LivePart): Promise<void> {
    const policy =
      part.kind === 'init' && this.#order.pod.spec.restartPolicy !== 'Never' ? 'OnFailure' : this.#order.pod.spec.restartPolicy;
    for (;;) {
      const end = await this.#runOnce(part);
      const { exitCode, reason, message, startedAtMs, finishedAtMs } = end;
      const terminated = {
        exitCode,
        reason,
        ...(message !== undefined && { message }),
        ...(startedAtMs !== undefined && { startedAt: textOfTime(startedAtMs) }),
        finishedAt: textOfTime(finishedAtMs),
        containerID: `${part.runtime}://${part.container.name}-${part.restartCount}`,
      };
      part.state = { terminated };
      if (this.#isOver || !isRestarted(policy, exitCode, part.kind === 'sidecar')) break;
      const { startAtMs, backoff } = restartAfter(part.backoff, finishedAtMs, this.#order.firstBackoffMs);
      part.backoff = backoff;
      const waitMs = startAtMs - Date.now();
      if (waitMs > 0) {
        const { name = '', namespace = '', uid = '' } = this.#order.pod.metadata;
        const text = `back-off ${waitText(startAtMs - finishedAtMs)} restarting failed container=${part.container.name} pod=${name}_${namespace}(${uid})`;
        part.lastState = { terminated };
        part.state = { waiting: { reason: 'CrashLoopBackOff', message: text } };
        this.#write();
        while (!this.#isOver && Date.now() < startAtMs) await this.#sleep(startAtMs);
        if (this.#isOver) {
          part.state = { terminated };
          break;
        }
      }
      part.lastState = { terminated };
      part.restartCount += 1;
    }
    part.isDone = true;
    this.#write();
    this.#wake();
  }

  get #isOver(): boolean {
    return this.#stop !== undefined || this.#isClosing;
  }

  async #runOnce(part: LivePart): Promise<End> {
    const { container, restartCount } = part;
    const { name } = container;
    if (this.#order.engine && !(await this.#fetchImage(part, this.#order.engine)))
      return {
        exitCode: 137,
        reason: 'ContainerStatusUnknown',
        message: 'The pod was ended before its image was there',
        finishedAtMs: Date.now(),
      };
    part.wasBegun = true;
    let place: OpenPlace;
    const lastWords = lastWordsOf(this.#folder, name);
    try {
      mkdirSync(dirname(lastWords), { recursive: true });
      place = part.place = this.#order.engine
        ? this.#inEngine(part, this.#order.engine)
        : (part.place ?? (await this.#open(part, lastWords)));
    } catch (error) {
      return { exitCode: 128, reason: 'StartError', message: sentenceOf(error), finishedAtMs: Date.now() };
    }
    const cgroupName = `${createHash('sha256').update(this.#folder).digest('hex').slice(0, 16)}-${name}-${restartCount}`;
    rmSync(logOf(this.#folder, name, restartCount - 2), { force: true });
    const run = new ContainerRun({
      container,
      launch: launchOf(this.#folder, this.#order, container, place),
      wish: this.#wishOf(part, lastWords),
      cgroup: ContainerCgroup.make(this.#order.bounds, cgroupName, container),
      podIp: this.#order.podIp,
      log: logOf(this.#folder, name, restartCount),
      lastWords,
      graceSeconds: this.#graceSeconds,
      changed: () => this.#look(part),
    });
    part.run = run;
    const ended = run.run(() => {
      part.state = { running: { startedAt: textOfTime(run.startedAtMs) } };
      this.#write();
      // Asked for while it was about to start.
      if (this.#stop && part.kind !== 'sidecar') run.stop(this.#stop.killAtMs);
    });
    this.#ends.add(ended);
    const end = await ended;
    delete part.run;
    part.isReady = false;
    part.hasStarted = false;
    return end;
  }

  /** As a kubelet it tries again and again, ever less often. @returns false: the pod is ended before */
  async #fetchImage(part: LivePart, engine: Engine): Promise<boolean> {
    const before = part.state;
    for (let waitMs = this.#order.firstBackoffMs ?? FIRST_PULL_MS; !this.#isOver; waitMs = Math.min(waitMs * 2, LONGEST_PULL_MS)) {
      const problem = await fetchImage(engine, part.container, this.#ending.signal);
      if (!problem) {
        part.state = before;
        return !this.#isOver;
      }
      part.state = { waiting: problem };
      this.#write();
      const againAtMs = Date.now() + waitMs;
      while (!this.#isOver && Date.now() < againAtMs) await this.#sleep(againAtMs);
    }
    return false;
  }

  /** Each run is a container of its own. */
  #inEngine({ container, restartCount }: LivePart, engine: Engine): OpenPlace {
    const name = `farloop-${createHash('sha256').update(this.#folder).digest('hex').slice(0, 16)}-${container.name}-${restartCount}`;
    return { prefix: [], view: '', engine: { ...engine, name }, close: () => {} };
  }

  #wishOf({ container }: LivePart, lastWords: string): ContainerWish {
    const { pod, bounds } = this.#order;
    const words = textOf(container['terminationMessagePath']) || USUAL_LAST_WORDS;
    const share = (container.env ?? []).find(({ name }) => name === 'FARLOOP_SHARE')?.value;
    return {
      folder: this.#folder,
      container,
      securityContext: pod.spec['securityContext'],
      hostname: hostnameOf(pod),
      hosts: hostsOf(this.#folder),
      mounts: [
        ...mountsOf(this.#folder, container),
        { source: lastWords, target: words, isReadOnly: false },
        ...(share === undefined ? [] : [{ source: share, target: share, isReadOnly: false }]),
      ],
      mostProcesses: bounds.mostProcesses,
    };
  }

  async #open({ container }: LivePart, lastWords: string): Promise<OpenPlace> {
    const { isolation, pod } = this.#order;
    mkdirSync(dirname(lastWords), { recursive: true });
    const words = textOf(container['terminationMessagePath']) || USUAL_LAST_WORDS;
    return await openPlace({
      isolation,
      folder: join(placesOf(this.#folder), container.name),
      home: homeOf(this.#folder),
      hostname: hostnameOf(pod),
      hosts: hostsOf(this.#folder),
      mounts: [...mountsOf(this.#folder, container), { source: touched(lastWords), target: words, isReadOnly: false }],
    });
  }

  #look(part: LivePart): void {
    part.isReady = part.run?.isReady ?? false;
    part.hasStarted = part.run?.hasStarted ?? false;
    this.#write();
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#wakeSleepers) wake();
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.#stop) await this.#sleep(Number.POSITIVE_INFINITY);
  }

  /** Until that moment, or until something has changed. */
  async #sleep(untilMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = untilMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(() => wake(), Math.max(0, untilMs - Date.now()));
      const wake = (): void => {
        this.#wakeSleepers.delete(wake);
        clearTimeout(timer);
        resolve();
      };
      this.#wakeSleepers.add(wake);
    });
  }

  /** Where anything has changed. A full disk holds up the word, not the pod. */
  #write(): void {
    const { pod, podIp, orderedAtMs } = this.#order;
    const whole = { pod, podIp, orderedAtMs, parts: this.#parts, hasEnded: this.#hasEnded, cause: this.#cause };
    const status = statusOf(whole, this.#record.status, Date.now());
    const runs: Record<string, RunRecord> = {};
    for (const { container, run, place } of this.#parts)
      if (run && place && run.pid > 0)
        runs[container.name] = {
          pid: run.pid,
          startTicks: run.startTicks,
          startedAtMs: run.startedAtMs,
          prefix: place.prefix,
          view: place.view,
          ...(place.namespace !== undefined && { namespace: place.namespace }),
        };
    const record = { version: this.#record.version + 1, hasEnded: this.#hasEnded, status, runs };
    if (JSON.stringify({ ...record, version: 0 }) === JSON.stringify({ ...this.#record, version: 0 }) && !this.#isUnwritten) return;
    try {
      writeRecord(this.#folder, 'record', record);
      this.#record = record;
      this.#isUnwritten = false;
      this.#changed();
    } catch {
      this.#isUnwritten = true;
    }
  }
}

/** As a kubelet reports one that it never started. */
const unstarted = ({ lastState }: Part): NonNullable<Part['state']['terminated']> =>
  lastState.terminated ?? {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was deleted',
  };

function touched(path: string): string {
  writeFileSync(path, '', { flag: 'a' });
  return path;
}

/** Of a system's error: what is wrong, and with which file. */
function sentenceOf(error: unknown): string {
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (code === undefined || path === undefined) return message;
  return code === 'ENOSPC' ? `the disk is full: ${path} cannot be written` : `${path} cannot be made: ${message.split(',')[0]}`;
}
