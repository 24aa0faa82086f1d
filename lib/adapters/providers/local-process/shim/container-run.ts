// One run of a container: from the start of its command until nothing of it is left.
import type { ChildProcess } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import type { Container } from '../../../../objects/kubernetes.ts';
import { fieldsOf, isFields, numberOf, textOf } from '../../../../objects/values/untyped-fields.ts';
import type { ContainerCgroup } from '../machine/bounds.ts';
import { endIn, removeContainer, signalIn, type ContainerWish } from '../machine/engine.ts';
import { problemOfLaunch, spawnContainer, spawnIn, type Launch } from './launch.ts';
import { HEADER_BYTES, LogFile } from '../folder/log-file.ts';
import { act, probe, type Surroundings } from './probes.ts';
import { CONTAINER_MARK, killAll, POD_MARK, processAt, processesWith, signal, type Marks } from '../machine/process-tree.ts';

export interface End {
  exitCode: number;
  /** Of a signal, where one ended it. */
  reason: string;
  message?: string;
  startedAtMs?: number;
  finishedAtMs: number;
}

export interface Wishes {
  container: Container;
  launch: Launch;
  /** Of the container where it is one of an engine. */
  wish: ContainerWish;
  cgroup: ContainerCgroup | undefined;
  podIp: string;
  log: string;
  /** A file for its last words. */
  lastWords: string;
  graceSeconds: number;
  /** Something of its state has changed. */
  changed: () => void;
}

/** How long output is waited for after the end: a process that got away may hold it open. */
const OUTPUT_MS = 2_000;
const LONGEST_LAST_WORDS = 4_096;
const LONGEST_WORDS_OF_LOG = 2_048;
const LINES_OF_LOG = 80;

export class ContainerRun {
  readonly #wishes: Wishes;
  readonly #over = new AbortController();
  readonly #marks: Marks & { sessions: Set<number> };
  #stopping: { killAtMs: number; timer: NodeJS.Timeout | undefined; isTold: boolean } | undefined;
  /** Why it was ended from here. */
  #why: string | undefined;
  readonly #kills = new Set<Promise<void>>();
  #isOver = false;
  pid = 0;
  startTicks = 0;
  startedAtMs = 0;
  /** The startup probe, where there is one, has succeeded. */
  hasStarted = false;
  isReady = false;

  constructor(wishes: Wishes) {
    this.#wishes = wishes;
    const { environment, place } = wishes.launch;
    this.#marks = {
      variables: [POD_MARK, CONTAINER_MARK].map((name) => `${name}=${environment[name]}`),
      ...(place.namespace !== undefined && { namespaces: new Set([place.namespace]) }),
      sessions: new Set(),
    };
  }

  get marks(): Marks {
    return this.#marks;
  }

  /** Resolves at its end; never fails. @param started called once its command runs */
  async run(started: () => void): Promise<End> {
    const { container, launch, wish, cgroup, log: path, lastWords, changed } = this.#wishes;
    const { engine } = launch.place;
    const command = [...(container.command ?? []), ...(container.args ?? [])];
    const problem = problemOfLaunch(launch, command);
    if (problem !== undefined) return startError(problem);
    let log: LogFile;
    let child: ChildProcess;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // Emptied in place: it is mounted where the container looks for it.
      writeFileSync(lastWords, '');
      log = new LogFile(path);
      const start = (): ChildProcess => spawnContainer(launch, command, wish, { stdio: ['ignore', 'pipe', 'pipe'] });
      child = cgroup ? cgroup.around(start) : start();
    } catch (error) {
      return startError((error as Error).message);
    }
    for (const stream of ['stdout', 'stderr'] as const) child[stream]?.on('data', (bytes: Buffer) => log.write(stream, bytes, Date.now()));
    const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
    const ended = new Promise<{ exitCode: number; failure?: string }>((resolve) => {
      child.once('error', (error) => resolve({ exitCode: 128, failure: error.message }));
      child.once('exit', (code, name) => resolve({ exitCode: code ?? 128 + (name ? constants.signals[name] : 0) }));
    });
    if (child.pid !== undefined) {
      this.pid = child.pid;
      this.startTicks = processAt(child.pid)?.startTicks ?? 0;
      this.#marks.sessions.add(child.pid);
      this.startedAtMs = Date.now();
      started();
      void this.#begin();
    }
    const { exitCode, failure } = await ended;
    this.#over.abort();
    clearTimeout(this.#stopping?.timer);
    // As in a container: with its first process all others go.
    cgroup?.kill();
    const end = engine && (await endIn(engine));
    if (engine) await removeContainer(engine);
    const areGone = await killAll(this.#marks);
    // Its namespace may be another's once it is let go: nothing may look for processes in it then.
    await Promise.all(this.#kills);
    this.#isOver = true;
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, OUTPUT_MS).unref())]);
    for (const stream of ['stdout', 'stderr'] as const) child[stream]?.destroy();
    const finishedAtMs = Date.now();
    log.close(finishedAtMs);
    this.isReady = false;
    this.hasStarted = false;
    if (failure !== undefined) return startError(failure);
    if (engine && !end && this.#why === undefined && !this.#stopping)
      return startError(endOf(path, LONGEST_WORDS_OF_LOG, 'last').trim().split('\n').at(-1)?.slice(HEADER_BYTES) ?? '');
    const isOutOfMemory = exitCode !== 0 && (end?.isOutOfMemory ?? (cgroup?.outOfMemoryKills() ?? 0) > 0);
    cgroup?.remove();
    changed();
    const message =
      (areGone ? undefined : 'processes of the container could not be ended') ??
      this.#why ??
      lastWordsIn(lastWords, container, exitCode, path);
    return {
      exitCode,
      reason: isOutOfMemory ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error',
      ...(message !== undefined && message !== '' && { message }),
      startedAtMs: this.startedAtMs,
      finishedAtMs,
    };
  }

  /** Repeated, only a shorter time counts. @param killAtMs by the wall @param why for the container's message */
  stop(killAtMs: number, why?: string): void {
    if (this.#over.signal.aborted) return;
    this.#why ??= why;
    const stopping = (this.#stopping ??= { killAtMs: Number.POSITIVE_INFINITY, timer: undefined, isTold: false });
    if (killAtMs < stopping.killAtMs) {
      stopping.killAtMs = killAtMs;
      clearTimeout(stopping.timer);
      stopping.timer = setTimeout(() => this.#kill(), Math.min(Math.max(0, killAtMs - Date.now()), LONGEST_TIMER_MS));
    }
    if (stopping.isTold) return;
    stopping.isTold = true;
    void this.#tell(killAtMs);
  }

  /** At once, for a reason. */
  kill(why: string): void {
    this.#why ??= why;
    this.#kill();
  }

  async #killNow(): Promise<void> {
    const { cgroup, launch } = this.#wishes;
    cgroup?.kill();
    if (launch.place.engine) await signalIn(launch.place.engine, 'KILL');
    await killAll(this.#marks);
  }

  #kill(): void {
    if (!this.#isOver) this.#kills.add(this.#killNow().catch(() => {}));
  }

  /** The hook first, then SIGTERM, both within the grace. */
  async #tell(killAtMs: number): Promise<void> {
    const hook = fieldsOf(this.#wishes.container['lifecycle'])['preStop'];
    if (isFields(hook)) await act(hook, this.#surroundings(), Math.max(0, killAtMs - Date.now())).catch(() => undefined);
    if (this.#over.signal.aborted) return;
    const { engine } = this.#wishes.launch.place;
    // As a kubelet: its first process alone hears of it, and hears it once.
    if (engine) return await signalIn(engine, 'TERM');
    signal(processesWith(this.#marks), 'SIGTERM');
  }

  /** Its hook and its probes. */
  async #begin(): Promise<void> {
    const { container, changed, graceSeconds } = this.#wishes;
    const around = this.#surroundings();
    const over = this.#over.signal;
    const hook = fieldsOf(container['lifecycle'])['postStart'];
    if (isFields(hook)) {
      const problem = await act(hook, around, LONGEST_TIMER_MS).catch((error: unknown) => String(error));
      if (problem !== undefined && !over.aborted) return this.stop(Date.now() + graceSeconds * 1000, `PostStartHookError: ${problem}`);
    }
    const { startupProbe, livenessProbe, readinessProbe } = container;
    const end = (what: string, spec: object, problem: string): void => {
      const seconds = numberOf(fieldsOf(spec)['terminationGracePeriodSeconds']) ?? graceSeconds;
      this.stop(Date.now() + seconds * 1000, `Container ${container.name} failed ${what} probe, will be restarted: ${problem}`);
    };
    if (isFields(startupProbe)) {
      const done = new AbortController();
      await probe(startupProbe, around, AbortSignal.any([over, done.signal]), (problem) => {
        if (problem !== undefined) end('startup', startupProbe, problem);
        done.abort();
      });
      if (over.aborted || this.#stopping) return;
    }
    this.hasStarted = true;
    this.isReady = !isFields(readinessProbe);
    changed();
    if (isFields(livenessProbe))
      void probe(livenessProbe, around, over, (problem) => {
        if (problem !== undefined) end('liveness', livenessProbe, problem);
      });
    if (isFields(readinessProbe))
      void probe(readinessProbe, around, over, (problem) => {
        this.isReady = problem === undefined;
        changed();
      });
  }

  #surroundings(): Surroundings {
    const { container, podIp, launch } = this.#wishes;
    return { container, podIp, run: async (command, timeoutMs) => await this.#command(launch, command, timeoutMs) };
  }

  async #command(launch: Launch, command: readonly string[], timeoutMs: number): Promise<{ exitCode: number; output: string }> {
    const problem = problemOfLaunch(launch, command);
    if (problem !== undefined) return { exitCode: 126, output: problem };
    return await new Promise((resolve) => {
      const child = spawnIn(launch, command, { stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      const collect = (bytes: Buffer): void => {
        if (output.length < LONGEST_LAST_WORDS) output += bytes.toString();
      };
      child.stdout?.on('data', collect);
      child.stderr?.on('data', collect);
      const timer = setTimeout(
        () => {
          if (child.pid !== undefined) signal(processesWith({ variables: [], sessions: new Set([child.pid]) }), 'SIGKILL');
          resolve({ exitCode: 124, output: 'command timed out' });
        },
        Math.min(timeoutMs, LONGEST_TIMER_MS),
      );
      const end = (exitCode: number): void => {
        clearTimeout(timer);
        resolve({ exitCode, output });
      };
      child.once('error', (error) => {
        output = error.message;
        end(126);
      });
      child.once('exit', (code, name) => end(code ?? 128 + (name ? constants.signals[name] : 0)));
    });
  }
}

export const LONGEST_TIMER_MS = 2 ** 31 - 1;

const startError = (message: string): End => ({ exitCode: 128, reason: 'StartError', message, finishedAtMs: Date.now() });

/** Its own, or the end of its log where it asks for that and left none. */
function lastWordsIn(path: string, container: Container, exitCode: number, log: string): string | undefined {
  const own = endOf(path, LONGEST_LAST_WORDS, 'first');
  if (own !== '' || exitCode === 0 || textOf(container['terminationMessagePolicy']) !== 'FallbackToLogsOnError') return own;
  const lines = endOf(log, LONGEST_WORDS_OF_LOG + LINES_OF_LOG * HEADER_BYTES, 'last')
    .split('\n')
    .slice(-LINES_OF_LOG - 1);
  return lines
    .map((line) => line.slice(HEADER_BYTES))
    .join('\n')
    .slice(-LONGEST_WORDS_OF_LOG);
}

function endOf(path: string, bytes: number, which: 'first' | 'last'): string {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const buffer = Buffer.alloc(Math.min(size, bytes));
      readSync(file, buffer, 0, buffer.length, which === 'first' ? 0 : size - buffer.length);
      return buffer.toString();
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}
