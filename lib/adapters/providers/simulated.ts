// A provider without machines, for `farloop up`, the sandbox and tests: its tasks do what annotations of their pods say, by the code of the
// simulated node. They lie in the state folder, so a restart loses none.
import type { StatementSync } from 'node:sqlite';
import type { ResolvedPod } from '../../objects/environment/sources.ts';
import type { ContainerStatus, Pod, PodStatus } from '../../objects/kubernetes.ts';
import { requestTextsOf } from '../../objects/pods/pod-requests.ts';
import { hasEnded } from '../../objects/placement/schedulable.ts';
import { logShaper, type LogLine, type LogRequest } from '../../objects/log-request.ts';
import type { Task, TaskName } from '../../objects/task.ts';
import type { Clock } from '../../ports/clock.ts';
import { NotDoneError, NotFoundError, TerminalError } from '../../ports/errors.ts';
import type { ExecRequest, Limits, Provider, TaskFigures } from '../../ports/provider.ts';
import { Failures } from '../../simulated-node/failures.ts';
import { playedFigures } from '../../simulated-node/played-figures.ts';
import { playedExec } from '../../simulated-node/played-exec.ts';
import { playedLog } from '../../simulated-node/played-log.ts';
import { nextStep } from '../../simulated-node/pod-step.ts';
import {
  failureOf,
  flapsEveryMs,
  lostAfterMs,
  reclaimedAfterMs,
  runsOutOfMemory,
  withStartDelay,
} from '../../simulated-node/task-script.ts';
import { SqliteFile } from '../embedded/sqlite-file.ts';
import { firstBytes } from './service.ts';
import { endedFromOutside, merged, outOfMemory, readyOrNot, stopMsOf, storedPodOf, type Stored } from './simulated-status.ts';

const SCHEMA_VERSION = 1;
const SCHEMA = 'create table tasks (name text primary key, node text not null, task text not null)';
const HOST_IP = '10.64.0.1';
/** A task that has ended is told of for so long. */
const ENDED_KEPT_MS = 24 * 3_600_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const LIMITS: Limits = {
  cannot: [
    { field: 'spec.hostNetwork', why: 'a simulated task has no network of a host; leave it out' },
    { field: 'spec.hostPID', why: 'a simulated task sees no processes of a host; leave it out' },
    { field: 'spec.hostIPC', why: 'a simulated task shares no memory with a host; leave it out' },
    { field: 'spec.volumes.*.hostPath', why: 'a simulated task has no disk of a host; use emptyDir, configMap or secret' },
  ],
};

export interface SimulatedProviderOptions {
  /** The state folder; in memory when absent. */
  folder?: string;
  clock: Pick<Clock, 'nowMs'>;
  /** Runs a function later; the usual one by the process's timers. @returns how to cancel it */
  later?: (ms: number, run: () => void) => () => void;
}

export type TaskChange = Pick<Task, 'uid' | 'namespace' | 'name'> & { node: string };

const byTimer = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, Math.min(ms, LONGEST_TIMER_MS));
  return () => clearTimeout(timer);
};

/** Of all virtual nodes of a process. */
export class SimulatedProvider {
  readonly #file: SqliteFile;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #later: NonNullable<SimulatedProviderOptions['later']>;
  readonly #tasks = new Map<string, Stored>();
  readonly #timers = new Map<string, () => void>();
  readonly #failures = new Failures();
  /** Refused calls, by call and task. */
  readonly #tries = new Map<string, number>();
  readonly #listeners = new Set<(change: TaskChange) => void>();
  /** Starts that made a task, by its name: for tests. */
  readonly starts = new Map<string, number>();

  private constructor(file: SqliteFile, { clock, later = byTimer }: SimulatedProviderOptions) {
    this.#file = file;
    this.#clock = clock;
    this.#later = later;
    this.#put = file.database.prepare(
      'insert into tasks (name, node, task) values (?, ?, ?) on conflict (name) do update set task = excluded.task',
    );
    this.#remove = file.database.prepare('delete from tasks where name = ?');
    for (const row of file.database.prepare('select task from tasks').all()) {
      const task: Stored = JSON.parse(String(row['task']));
      this.#tasks.set(keyOf(task), task);
      if (task.status.phase === 'Failed') this.#failures.note(seenOf(task));
    }
    for (const key of this.#tasks.keys()) this.#advance(key);
  }

  /** @throws one sentence for a file of a newer version or one that cannot be opened; FullDiskError */
  static open(options: SimulatedProviderOptions): SimulatedProvider {
    const { folder } = options;
    return new SimulatedProvider(
      SqliteFile.open({ folder, file: 'simulated-tasks.db', schemaVersion: SCHEMA_VERSION, schema: SCHEMA }),
      options,
    );
  }

  get rebuilt(): SqliteFile['rebuilt'] {
    return this.#file.rebuilt;
  }

  /** Called after each change of a task, with what leads to its workload. */
  onChange(listener: (change: TaskChange) => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#listeners.clear();
    this.#file.close();
  }

  of(node: string): Provider {
    return {
      start: async (name, pod) => this.#start(node, name, pod),
      update: async (name, pod) => this.#update(node, name, pod),
      stop: async (name, { graceSeconds }) => this.#stop(node, name, graceSeconds),
      look: async (names) => names.map((name) => this.#shown(this.#tasks.get(keyOf(name)), node)),
      list: async ({ limit, after = '' }) => {
        const keys = [...this.#tasks.keys()].toSorted().filter((key) => key > after);
        const tasks = keys.flatMap((key) => this.#shown(this.#tasks.get(key), node) ?? []);
        const page = tasks.slice(0, limit);
        const last = page.at(-1);
        return { tasks: page, ...(tasks.length > limit && last && { next: keyOf(last) }) };
      },
      logs: (name, wanted, signal) => firstBytes(this.#logs(node, name, wanted, signal), wanted.limitBytes),
      exec: async (name, wanted, signal) => await this.#exec(node, name, wanted, signal),
      figures: async () => this.#figures(node),
      health: async () => ({}),
      limits: () => LIMITS,
    };
  }

  /** All that the node's list would show. The caller must not change it. */
  tasksOn(node: string): Task[] {
    return [...this.#tasks.values()].flatMap((task) => this.#seen(task, node) ?? []);
  }

  async *#logs(node: string, name: TaskName, wanted: LogRequest, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const task = this.#known(node, name);
    const { container, previous = false, follow = false } = wanted;
    const shaped = logShaper(wanted);
    const run = restartsOf(task, container);
    const written = playedLog(seenOf(task), container, previous);
    if (!written) throw new NotFoundError('there is no log of that run');
    let shown = written;
    yield shaped(shown);
    if (!follow || previous) return;
    const runs = (): boolean => !task.isLost && !hasEnded(seenOf(task)) && stateOf(task, container)?.running !== undefined;
    while (!signal.aborted) {
      const later = restartsOf(task, container) - run;
      // Of one that was started again the end of that run is the end of the log.
      const now: LogLine[] = (later > 1 ? shown : playedLog(seenOf(task), container, later === 1)) ?? shown;
      const news = now.slice(shown.length);
      shown = now;
      // While a slow reader took the lines before, its last ones may have come.
      if (news.length > 0) yield shaped(news);
      else if (later === 0 && runs()) await this.#change(task, signal);
      else return;
    }
  }

  /** Resolves after the next change of the task, or once the signal fires. */
  async #change(task: Stored, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const heard = ({ uid }: Pick<TaskChange, 'uid'>): void => {
        if (uid === task.uid) leave();
      };
      const leave = (): void => {
        this.#listeners.delete(heard);
        signal.removeEventListener('abort', leave);
        resolve();
      };
      this.#listeners.add(heard);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  async #exec(node: string, name: TaskName, wanted: ExecRequest, signal: AbortSignal): Promise<{ exitCode: number }> {
    const task = this.#known(node, name);
    if (!stateOf(task, wanted.container)?.running) throw new NotFoundError(`the container ${wanted.container} does not run`);
    return { exitCode: await playedExec(wanted, signal) };
  }

  #figures(node: string): TaskFigures[] {
    const nowMs = this.#clock.nowMs();
    return [...this.#tasks.values()]
      .filter((task) => task.node === node && !task.isLost && !hasEnded(seenOf(task)))
      .map((task) => ({ uid: task.uid, atMs: nowMs, containers: playedFigures(seenOf(task), nowMs) }));
  }

  #shown(task: Stored | undefined, node: string): Task | undefined {
    const seen = this.#seen(task, node);
    return seen && { ...seen, status: structuredClone(seen.status) };
  }

  #seen(task: Stored | undefined, node: string): Task | undefined {
    if (!task || task.node !== node || task.isLost) return undefined;
    const { uid, attempt, version, status, pod } = task;
    const { namespace = '', name = '' } = pod.metadata;
    return {
      uid,
      attempt,
      namespace,
      name,
      version,
      hasEnded: hasEnded(seenOf(task)),
      status,
      requests: requestTextsOf(pod),
    };
  }

  #start(node: string, name: TaskName, pod: ResolvedPod): void {
    const key = keyOf(name);
    if (this.#tasks.has(key)) return;
    this.#failAsTold(pod, 'create', key);
    const stored: Stored = {
      ...name,
      node,
      pod: storedPodOf(withStartDelay(pod)),
      status: {},
      version: 1,
      orderedAtMs: this.#clock.nowMs(),
      starts: {},
      attemptOfOwner: this.#failures.before(pod),
    };
    this.#tasks.set(key, stored);
    this.starts.set(key, (this.starts.get(key) ?? 0) + 1);
    this.#forgetOld();
    this.#save(key, stored);
    this.#advance(key);
  }

  #update(node: string, name: TaskName, pod: Pod): void {
    const task = this.#known(node, name);
    const { labels, annotations } = pod.metadata;
    task.pod = { ...task.pod, metadata: { ...task.pod.metadata, ...(labels && { labels }), ...(annotations && { annotations }) } };
    this.#changed(task);
    this.#advance(keyOf(name));
  }

  #stop(node: string, name: TaskName, graceSeconds: number): void {
    const task = this.#known(node, name);
    if (hasEnded(seenOf(task))) return;
    this.#failAsTold(task.pod, 'delete', keyOf(name));
    const nowMs = this.#clock.nowMs();
    const atMs = task.stop?.atMs ?? nowMs;
    // Only ever sooner.
    const killAtMs = Math.min(task.stop?.killAtMs ?? Infinity, nowMs + graceSeconds * 1000);
    task.stop = { atMs, killAtMs };
    this.#save(keyOf(name), task);
    this.#advance(keyOf(name));
  }

  /** @throws NotFoundError */
  #known(node: string, name: TaskName): Stored {
    const task = this.#tasks.get(keyOf(name));
    if (!task || task.node !== node || task.isLost) throw new NotFoundError('pod not found');
    return task;
  }

  #failAsTold(pod: Pod, call: 'create' | 'delete', key: string): void {
    const at = `${call} ${key}`;
    const tries = this.#tries.get(at) ?? 0;
    const failure = failureOf(pod, call, tries);
    if (!failure) return;
    this.#tries.set(at, tries + 1);
    throw failure.isFinal ? new TerminalError(failure.message) : new NotDoneError(failure.message);
  }

  /** Step after step until it waits for something. */
  #advance(key: string): void {
    const task = this.#tasks.get(key);
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    if (!task || task.isLost) return;
    for (let steps = 0; steps < 100; steps += 1) {
      const nowMs = this.#clock.nowMs();
      if (nowMs >= task.orderedAtMs + lostAfterMs(task.pod)) {
        task.isLost = true;
        return this.#changed(task);
      }
      if (hasEnded(seenOf(task))) return;
      const endMs = Math.min(task.orderedAtMs + reclaimedAfterMs(task.pod), stopMsOf(task));
      if (nowMs >= endMs) {
        this.#report(task, endedFromOutside(task, nowMs), nowMs);
        continue;
      }
      const untilMs = Math.min(this.#step(task, nowMs), endMs, task.orderedAtMs + lostAfterMs(task.pod));
      if (untilMs <= nowMs) continue;
      if (untilMs < Infinity)
        this.#timers.set(
          key,
          this.#later(Math.max(untilMs - nowMs, 1), () => this.#advance(key)),
        );
      return;
    }
  }

  /** @returns when to look again; in the past: at once */
  #step(task: Stored, nowMs: number): number {
    const step = nextStep(
      seenOf(task),
      {
        nowMs,
        attempt: task.attemptOfOwner,
        startedAtMs: (container, restartCount) => task.starts[`${container}/${restartCount}`],
        restartBackoffMs: 10_000,
      },
      { nodeName: task.node, labels: {}, hostIp: HOST_IP },
    );
    if (step.verb === 'report') {
      this.#report(task, step.status, nowMs);
      return 0;
    }
    const flapsMs = flapsEveryMs(task.pod);
    const nextMs = step.verb === 'wait' ? step.untilMs : Infinity;
    if (flapsMs === undefined || task.status.phase !== 'Running') return nextMs;
    const turn = Math.floor((nowMs - task.orderedAtMs) / flapsMs);
    const isReady = turn % 2 === 0;
    if ((task.status.containerStatuses ?? []).some(({ ready }) => ready !== isReady))
      this.#report(task, readyOrNot(task.status, isReady, nowMs), nowMs);
    return Math.min(nextMs, task.orderedAtMs + (turn + 1) * flapsMs);
  }

  /** @param nowMs the moment that it tells of */
  #report(task: Stored, told: PodStatus, nowMs: number): void {
    for (const { name, restartCount = 0, state } of told.containerStatuses ?? [])
      if (state?.running) task.starts[`${name}/${restartCount}`] ??= nowMs;
    task.status = merged(task.status, runsOutOfMemory(task.pod) ? outOfMemory(told) : told);
    if (hasEnded(seenOf(task))) {
      task.endedAtMs = nowMs;
      if (task.status.phase === 'Failed') this.#failures.note(seenOf(task));
    }
    this.#changed(task);
  }

  #changed(task: Stored): void {
    task.version += 1;
    this.#save(keyOf(task), task);
    const { namespace = '', name = '' } = task.pod.metadata;
    for (const listener of this.#listeners) listener({ uid: task.uid, namespace, name, node: task.node });
  }

  #save(key: string, task: Stored): void {
    this.#file.guard(() => this.#put.run(key, task.node, JSON.stringify(task)));
  }

  #forgetOld(): void {
    const beforeMs = this.#clock.nowMs() - ENDED_KEPT_MS;
    for (const [key, { endedAtMs }] of this.#tasks) {
      // One that runs for days holds up no other.
      if (endedAtMs === undefined) continue;
      if (endedAtMs >= beforeMs) break;
      this.#tasks.delete(key);
      this.#remove.run(key);
    }
  }
}

const keyOf = ({ uid, attempt }: TaskName): string => `${uid}-${attempt}`;

const seenOf = ({ pod, status }: Stored): Pod => ({ ...pod, status });

const containerOf = ({ status }: Stored, container: string): ContainerStatus | undefined =>
  [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].find(({ name }) => name === container);

const stateOf = (task: Stored, container: string): ContainerStatus['state'] => containerOf(task, container)?.state;

const restartsOf = (task: Stored, container: string): number => containerOf(task, container)?.restartCount ?? 0;
