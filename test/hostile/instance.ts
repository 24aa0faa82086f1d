// A `farloop up` in a process of its own, as people start it, that is measured from outside and can be told to do odd things.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { accessFromKubeconfig } from '../../lib/adapters/kubernetes/kubeconfig.ts';
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { deadlineIn, type Deadline } from '../../lib/ports/clock.ts';
import { peakBytesOf } from '../bench/processor-time.ts';
import { check, comesAbout } from '../claims.ts';
import type { Orders } from './instance-hook.ts';

const MAIN = new URL('../../lib/cli/main.ts', import.meta.url).pathname;
const HOOK = new URL('./instance-hook.ts', import.meta.url).href;
const START_MS = 60_000;
const REQUEST_MS = 30_000;
const INTERRUPTED = 130;
/** Of memory that `farloop up` may ever hold, whatever there is in the cluster. */
const PEAK_BYTES = 600e6;
/** Nothing holds the loop for more than 100 ms on a machine of two idle cores; one half as fast takes twice as long. */
const HELD_MS = 200;

const clock = new SystemClock();

export interface InstanceOptions {
  state: string;
  /** A sandbox when absent. */
  kubeconfig?: string | undefined;
}

interface Answer {
  id: number;
  answer?: unknown;
  error?: string;
}

export class Instance {
  /** As somebody who may do everything. */
  readonly access: KubernetesCluster;
  readonly #child: ChildProcess;
  readonly #awaited = new Map<number, (message: Answer) => void>();
  #said = '';
  #orders = 0;

  private constructor(child: ChildProcess, access: KubernetesCluster) {
    this.access = access;
    this.#child = child;
    child.on('message', (message: Answer) => {
      this.#awaited.get(message.id)?.(message);
      this.#awaited.delete(message.id);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
      process.stderr.write(text);
    });
  }

  /** Resolves once it is ready. */
  static async start({ state, kubeconfig }: InstanceOptions): Promise<Instance> {
    // The init container of each worker asks for a twentieth of a cpu.
    const cluster = kubeconfig === undefined ? '--node-cpu 1000 --node-memory 10Ti' : `--kubeconfig ${kubeconfig}`;
    const level = process.env['LOG_LEVEL'] === 'warn' ? 'warn' : 'error';
    const options = `--port 0 --manage all-jobs,training-jobs --log-level ${level} --state ${state} ${cluster}`;
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--import', HOOK, MAIN, 'up', ...options.split(' ')], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (more: string) => (text += more));
    await comesAbout(() => text.includes('farloop ready') || child.exitCode !== null, START_MS);
    if (!text.includes('farloop ready')) {
      child.kill('SIGKILL');
      throw new Error(`farloop up is not ready within ${START_MS / 1_000} s: ${text}`);
    }
    const access = await accessFromKubeconfig({ file: kubeconfig ?? join(state, 'kubeconfig') });
    const instance = new Instance(child, new KubernetesCluster({ access, clock, timeoutMs: REQUEST_MS }));
    // Loading what it runs holds the loop too, before anybody waits for anything.
    await instance.ask('held', {});
    return instance;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** For one request. */
  soon = (): Deadline => deadlineIn(clock, REQUEST_MS);

  async ask<Name extends keyof Orders>(order: Name, given: Orders[Name][0]): Promise<Orders[Name][1]> {
    const id = ++this.#orders;
    const { promise, resolve, reject } = Promise.withResolvers<Orders[Name][1]>();
    this.#awaited.set(id, ({ answer, error }) => {
      if (error === undefined) resolve(answer as Orders[Name][1]);
      else reject(new Error(error));
    });
    this.#child.send({ id, order, given });
    return await promise;
  }

  /** Prints how long something held the loop since the last look. @param isBounded else it is only printed: one large request may take its time */
  async judgeLoop(where: string, mostMs = HELD_MS): Promise<void> {
    const held = await this.ask('held', {});
    console.log(`hostile: ${where}: the event loop held for ${held.toFixed(0)} ms at most`);
    check(held <= mostMs, `${where}: the event loop was held for ${held.toFixed(0)} ms, at most ${mostMs} may be`);
  }

  judgeMemory(where: string, mostBytes = PEAK_BYTES): void {
    const peakBytes = peakBytesOf(this.pid);
    console.log(`hostile: ${where}: memory ${(peakBytes / 1e6).toFixed(0)} MB at most`);
    check(
      peakBytes > 0 && peakBytes <= mostBytes,
      `${where}: farloop up held ${(peakBytes / 1e6).toFixed(0)} MB, at most ${mostBytes / 1e6} may be`,
    );
  }

  /** As Ctrl-C does: it ends, and says nothing more. */
  async stop(): Promise<void> {
    this.access.close();
    const exited = this.#child.exitCode ?? this.#child.signalCode;
    check(exited === null, `farloop up ended by itself: ${exited}`);
    const before = this.#said;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGINT');
    await closed;
    const said = this.#said.slice(before.length);
    check(
      this.#child.exitCode === INTERRUPTED && said === '',
      `farloop up ended with ${this.#child.exitCode ?? this.#child.signalCode}, and said: ${said}`,
    );
  }

  /** After a failure: it ends whatever it does. */
  kill(): void {
    this.access.close();
    this.#child.kill('SIGKILL');
  }
}
