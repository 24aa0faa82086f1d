// The command in a process of its own, started as people start it: by the bin, on the Node that runs the tests.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { comesAbout } from '../claims.ts';
import { timedBy } from '../running-time.ts';

export const root = resolve(import.meta.dirname, '..', '..');
const bin = join(root, 'bin', 'farloop.js');

export interface Ended {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

export class FarloopProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], { environment = {}, input }: { environment?: Record<string, string>; input?: string } = {}) {
    this.child = spawn(process.execPath, [bin, ...args], { cwd: root, env: environmentWith(environment), stdio: 'pipe' });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.child.stdin?.end(input ?? '');
    this.exited = once(this.child, 'close').then(() => this.child.exitCode);
  }

  /** Waits for a text on standard output. @throws Error with everything it said when it ends or takes too long */
  async says(wanted: string | RegExp, withinMs = 60_000): Promise<void> {
    const isSaid = (): boolean => (typeof wanted === 'string' ? this.stdout.includes(wanted) : wanted.test(this.stdout));
    await comesAbout(() => isSaid() || this.child.exitCode !== null, withinMs);
    if (!isSaid()) throw new Error(`farloop never said ${wanted}; exit code ${this.child.exitCode}\n${this.stdout}\n${this.stderr}`);
  }

  /** @returns how it ended, and how long that took; time in which it had no processor is not in it */
  async end(signal: NodeJS.Signals): Promise<{ exitCode: number | null; tookMs: number }> {
    const { value: exitCode, tookMs } = await timedBy(this.child.pid, () => {
      this.child.kill(signal);
      return this.exited;
    });
    return { exitCode, tookMs };
  }

  /** For afterEach: nothing of a failed test lives on. */
  async destroy(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.exited;
  }
}

/** On a slow machine a command may say so of the server that it asks, beside what it prints. */
const SERVER_IS_SLOW = /^farloop: \S+ has been silent for \d+ s; waiting for it up to \d+ s\n/gm;
export const withoutSlowness = (stderr: string): string => stderr.replaceAll(SERVER_IS_SLOW, '');

/** Runs a command to its end. */
export async function runFarloop(
  args: readonly string[],
  options: { environment?: Record<string, string>; input?: string } = {},
): Promise<Ended> {
  const run = new FarloopProcess(args, options);
  const exitCode = await run.exited;
  return { exitCode, stdout: run.stdout, stderr: withoutSlowness(run.stderr) };
}

/** Commands within this process take turns: each has the environment and the streams for itself. */
let lastWithin: Promise<unknown> = Promise.resolve();

/**
 * What a command says and how it ends, without a process, which would take half a second of a processor: for one that ends by itself,
 * whatever else the test does meanwhile, and leaves the heap of its process as it is. What a process adds (its bin, its streams, signals)
 * has tests of its own.
 */
export async function runWithin(args: readonly string[], options: { environment?: Record<string, string> } = {}): Promise<Ended> {
  const turn = lastWithin.then(async () => await runInTurn(args, options));
  lastWithin = turn.catch(() => {});
  return await turn;
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function runInTurn(args: readonly string[], { environment = {} }: { environment?: Record<string, string> }): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  const streams = ['stdout', 'stderr'] as const;
  // The functions themselves are put back.
  // oxlint-disable-next-line unbound-method
  const before = { umask: process.umask(), exitCode: process.exitCode, writes: streams.map((name) => process[name].write) };
  const listeners = new Set(STOP_SIGNALS.flatMap((signal) => process.listeners(signal)));
  const [variables, kept] = [process.env, globalThis.fetch];
  process.env = environmentWith(environment);
  // As with a process, no connection is left to a later command, which might find it ended.
  globalThis.fetch = async (target, init) => {
    const headers = new Headers(init?.headers);
    headers.set('connection', 'close');
    return await kept(target, { ...init, headers });
  };
  process.exitCode = undefined;
  for (const name of streams)
    process[name].write = (text: unknown, ...rest: unknown[]): boolean => {
      said[name] += typeof text === 'string' ? text : Buffer.from(text as Uint8Array).toString();
      const taken = rest.at(-1);
      if (typeof taken === 'function') process.nextTick(taken);
      return true;
    };
  try {
    const { runProgram } = await import('../../lib/cli/program.ts');
    const exitCode = await runProgram(args);
    return { exitCode, ...said, stderr: withoutSlowness(said.stderr) };
  } finally {
    for (const [at, name] of streams.entries()) process[name].write = before.writes[at] as NodeJS.WriteStream['write'];
    process.env = variables;
    globalThis.fetch = kept;
    process.umask(before.umask);
    process.exitCode = before.exitCode;
    for (const signal of STOP_SIGNALS)
      for (const listener of process.listeners(signal)) if (!listeners.has(listener)) process.removeListener(signal, listener);
  }
}

/** A clean environment: nothing of npm's or the user's own decides what a test sees. */
function environmentWith(more: Record<string, string>): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|FARLOOP_|XDG_|NO_COLOR|FORCE_COLOR|KUBECONFIG)/.test(name)),
  );
  return { ...kept, ...more };
}

/** A folder that goes with the test. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'farloop-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
