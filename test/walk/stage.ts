// Where a page is walked: the package as npm packs it, unpacked beside the examples as in a clone; a home folder of its own; kubectl, and a
// real cluster with a node, as somebody has them who reads the page.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dump, load } from 'js-yaml';
import { fieldsOf, listOf } from '../../lib/objects/values/untyped-fields.ts';
import { comesAbout } from '../claims.ts';
import { root } from '../cli/farloop-process.ts';
import { controlPlanePaths } from '../cluster/build-control-plane.ts';
import type { JobsCluster } from '../cluster/jobs-cluster.ts';
import { startJobsCluster } from '../cluster/jobs-cluster.ts';
import { ownEnvironment, pack, succeed } from '../package/packed.ts';
import { differenceOf } from './comparison.ts';
import type { Command } from './pages.ts';

/** For one command; those that wait for a workload are the longest. */
const COMMAND_MS = 180_000;
const SOON_MS = 90_000;
const END_MS = 45_000;

/** The context that pages name. */
const CONTEXT = 'staging';

export class Stage {
  readonly #folder: string;
  readonly #cluster: JobsCluster;
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(folder: string, cluster: JobsCluster, environment: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#cluster = cluster;
    this.#environment = environment;
  }

  static async open(): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), 'farloop-walk-'));
    const checkout = join(folder, 'farloop');
    succeed('tar', ['-xzf', pack(folder)], folder);
    cpSync(join(folder, 'package'), checkout, { recursive: true });
    cpSync(join(root, 'examples'), join(checkout, 'examples'), { recursive: true });
    succeed('npm', ['install', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], checkout);
    const paths = await controlPlanePaths(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl']);
    const cluster = await startJobsCluster({ controllers: '*' });
    const { PATH = '', ...kept } = ownEnvironment();
    const others = Object.entries(kept).filter(([name]) => !/^(AWS_|KUBECONFIG$)/i.test(name));
    return new Stage(folder, cluster, {
      ...Object.fromEntries(others),
      PATH: `${dirname(paths.get('kubectl') ?? '')}${delimiter}${PATH}`,
      npm_config_cache: process.env['npm_config_cache'] ?? join(homedir(), '.npm'),
      npm_config_update_notifier: 'false',
    });
  }

  /** A shell with an empty home folder, but for a kubeconfig of the cluster. */
  shell(name: string): Shell {
    const home = join(this.#folder, name);
    mkdirSync(join(home, '.kube'), { recursive: true });
    const kubeconfig = fieldsOf(load(readFileSync(this.#cluster.controlPlane.kubeconfigPath, 'utf8')));
    for (const context of listOf(kubeconfig['contexts'])) context['name'] = CONTEXT;
    writeFileSync(join(home, '.kube', 'config'), dump({ ...kubeconfig, 'current-context': CONTEXT }), { mode: 0o600 });
    return new Shell(join(this.#folder, 'farloop'), home, { ...this.#environment, HOME: home });
  }

  async close(): Promise<void> {
    await this.#cluster.stop();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

export class Shell {
  readonly #folder: string;
  readonly #home: string;
  readonly #environment: NodeJS.ProcessEnv;
  /** What goes on, such as `farloop up`. */
  #running: Running | undefined;
  readonly #beside: Running[] = [];
  /** Lines that a shell remembers. */
  readonly #exports: string[] = [];
  /** For `PASS-ID`, which a reader copies from what was printed before. */
  #passId: string | undefined;

  constructor(folder: string, home: string, environment: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#home = home;
    this.#environment = environment;
  }

  /** @throws Error with the command, its output and what is wrong: another exit code, or other output than the page shows */
  async type(command: Command): Promise<void> {
    const endMs = performance.now() + (command.isSoon ? SOON_MS : 0);
    for (;;) {
      try {
        return await this.#type(command);
      } catch (error) {
        if (performance.now() > endMs) throw error;
        await sleep(500);
      }
    }
  }

  async #type({ text, shown, isRunning, isBeside, exitCode }: Command): Promise<void> {
    const words = text.replaceAll('PASS-ID', this.#passId ?? 'PASS-ID');
    if (/^export \w+=\S*$/.test(words)) this.#exports.push(words);
    if (isRunning && !isBeside) await this.interrupt();
    const process = this.#start(words);
    const failed = (why: string): Error => new Error(`$ ${words}\n${process.printed(this.#home)}\n${why}`);
    if (isRunning) {
      if (isBeside) this.#beside.push(process);
      else this.#running = process;
      const difference = (): string | undefined => differenceOf(shown ?? [], process.printed(this.#home), true);
      if (!(await comesAbout(() => difference() === undefined || process.hasEnded(), COMMAND_MS)) || difference() !== undefined)
        throw failed(difference() ?? '');
      return;
    }
    if (!(await comesAbout(() => process.hasEnded(), COMMAND_MS))) {
      await process.end();
      throw failed(`it has not ended after ${COMMAND_MS / 1000} s`);
    }
    const printed = process.printed(this.#home);
    if (process.exitCode() !== exitCode) throw failed(`it ended with ${process.exitCode()}, and ${exitCode} was expected`);
    const difference = shown === undefined ? undefined : differenceOf(shown, printed);
    if (difference !== undefined) throw failed(difference);
    this.#passId = /\bpass ([\w-]{22})(?![\w-])/.exec(printed)?.[1] ?? this.#passId;
  }

  /** Ctrl-C of all that still runs. */
  async end(): Promise<void> {
    await this.interrupt();
    for (const running of this.#beside.splice(0)) await this.#end(running);
  }

  /** Ctrl-C of what runs in this terminal. */
  async interrupt(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running) await this.#end(running);
  }

  async #end(running: Running): Promise<void> {
    if (!(await running.end())) throw new Error(`it did not end within ${END_MS / 1000} s of Ctrl-C:\n${running.printed(this.#home)}`);
  }

  #start(text: string): Running {
    // Both outputs in one, as a terminal has them.
    const child = spawn('sh', ['-c', ['exec 2>&1', ...this.#exports, text].join('\n')], {
      cwd: this.#folder,
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    return new Running(child);
  }
}

class Running {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #output = '';
  #hasEnded = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    this.#closed = once(child, 'close').then(() => (this.#hasEnded = true));
  }

  printed = (home: string): string => this.#output.replaceAll(home, '~');

  hasEnded = (): boolean => this.#hasEnded;

  exitCode = (): number | null => this.#child.exitCode;

  /** @returns whether it heard the Ctrl-C; one that did not is killed */
  async end(): Promise<boolean> {
    const { pid = 0 } = this.#child;
    this.#signal(-pid, 'SIGINT');
    const hasHeard = await comesAbout(() => this.#hasEnded, END_MS);
    if (!hasHeard) this.#signal(-pid, 'SIGKILL');
    await this.#closed;
    return hasHeard;
  }

  #signal(group: number, signal: NodeJS.Signals): void {
    try {
      process.kill(group, signal);
    } catch {
      // All of it has ended.
    }
  }
}
