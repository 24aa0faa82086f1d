// The runners of pods (shim-program.ts): each pod has one, a process that outlives Farloop. This file starts them, sees that each pod has one, and
// ends what a runner left behind.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { shimProgram } from '../../../files/package-files.ts';
import type { Clock } from '../../../ports/clock.ts';
import { NotDoneError } from '../../../ports/errors.ts';
import { readRecord, runnerOf, writeRecord } from './folder/records.ts';
import { forgetSecrets } from './folder/secrets.ts';
import { recordOf, type KnownPods } from './known-pods.ts';
import { removeContainersOf } from './machine/engine.ts';
import { heldNamespaces, isRunning, killAll, POD_MARK } from './machine/process-tree.ts';
import { lostStatus } from './shim/pod-status.ts';
import { ShimListener } from './shim/shim-link.ts';

export const LOOK_EVERY_MS = 50;
export const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';
const RUNNER_ERRORS = 'runner-errors';
/** It holds little: a small heap is enough, and starts faster. */
const RUNNER_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1', '--max-old-space-size=128'];

export interface RunnersOptions {
  /** Of all pods. */
  folder: string;
  pods: KnownPods;
  clock: Pick<Clock, 'nowMs'>;
  /** Called after each change of a pod's record. */
  onChange: (folder: string) => void;
}

export class Runners {
  readonly #options: RunnersOptions;
  /** Started here, and not known to have claimed their pod. */
  readonly #starting = new Set<string>();
  /** How those that were started here ended. */
  readonly #ends = new Map<string, string>();
  readonly #listener: Promise<ShimListener>;
  #problem: string | undefined;
  #isClosed = false;

  constructor(options: RunnersOptions) {
    this.#options = options;
    this.#listener = ShimListener.open(this.socket, { changed: options.onChange, gone: (folder) => void this.lookAfter(folder) });
    this.#listener.catch((error: unknown) => (this.#problem = `pods cannot be heard of: ${(error as Error).message}`));
    for (const { folder } of options.pods.all()) void this.lookAfter(folder);
  }

  /** Where they say that they have written something. */
  get socket(): string {
    return join(this.#options.folder, 'farloop.sock');
  }

  /** Why pods cannot be heard of. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Runners go on, and look for the next process of Farloop. */
  close(): void {
    this.#isClosed = true;
    void this.#listener.then(
      (listener) => listener.close(),
      () => {},
    );
  }

  /** @throws NotDoneError pods cannot be heard of */
  async listens(): Promise<void> {
    await this.#listener.catch(() => {
      throw new NotDoneError(this.#problem ?? 'pods cannot be heard of');
    });
  }

  /** Asks a pod's runner to read its files. */
  async poke(folder: string): Promise<void> {
    const listener = await this.#listener.catch(() => undefined);
    listener?.poke(folder);
  }

  forget(folder: string): void {
    this.#ends.delete(folder);
  }

  /** Does nothing where one has the pod, or had it. @throws NotDoneError */
  start(folder: string): void {
    if (this.#starting.has(folder) || runnerOf(folder) !== 'unclaimed') return;
    const errors = openSync(join(folder, RUNNER_ERRORS), 'a', 0o600);
    const runner = spawn(process.execPath, [...RUNNER_FLAGS, shimProgram(), folder], {
      detached: true,
      stdio: ['ignore', 'ignore', errors],
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? DEFAULT_PATH,
        // Half of its start would go into compiling the same text again.
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(this.#options.folder, '_compiled'),
      },
    });
    closeSync(errors);
    runner.on('error', () => {});
    if (runner.pid === undefined) throw new NotDoneError('the system starts no more processes');
    this.#starting.add(folder);
    runner.once('exit', (code, signal) => {
      this.#starting.delete(folder);
      this.#ends.set(folder, signal ?? `exit code ${code}`);
      void this.lookAfter(folder);
    });
    // Farloop may end before it.
    runner.unref();
  }

  /** Of a pod whose runner is gone, or may be: a pod that nobody runs is ended. */
  async lookAfter(folder: string): Promise<void> {
    const { pods, onChange } = this.#options;
    // Not before the caller could say who is to hear of it.
    const listener = await this.#listener.catch(() => undefined);
    for (;;) {
      if (this.#isClosed || !pods.at(folder)) return;
      if (recordOf(folder).hasEnded) return onChange(folder);
      const runner = runnerOf(folder);
      if (runner === 'gone') return await this.endLost(folder);
      if (runner === 'unclaimed' && !this.#starting.has(folder)) {
        // One of this process that ended before it began would do so again. One of an earlier process may still be about to begin: of two, one does.
        if (this.#ends.has(folder)) return await this.endLost(folder);
        return this.start(folder);
      }
      if (!listener || listener.has(folder)) return;
      await pause(LOOK_EVERY_MS, undefined, { ref: false });
    }
  }

  /** Ends what still runs of a pod whose runner is gone, and says so in its record. */
  async endLost(folder: string): Promise<void> {
    const { clock, onChange } = this.#options;
    const runs = Object.values(recordOf(folder).runs).filter(isRunning);
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
    const now = recordOf(folder);
    if (now.hasEnded) return onChange(folder);
    writeRecord(folder, 'record', {
      version: now.version + 1,
      hasEnded: true,
      status: lostStatus(now.status, whyLost(folder, this.#ends.get(folder)), clock.nowMs()),
      runs: {},
    });
    onChange(folder);
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
