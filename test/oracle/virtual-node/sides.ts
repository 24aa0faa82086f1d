// The two controllers that stories are played to, each beside an API server of its own and a scripted provider.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openJsonClient } from '../../../lib/adapters/kubernetes/json-client.ts';
import { accessFromKubeconfig } from '../../../lib/adapters/kubernetes/kubeconfig.ts';
import { FarloopProcess } from '../../cli/farloop-process.ts';
import { startControlPlane } from '../../cluster/control-plane.ts';
import type { Outcome } from './outcome.ts';
import { NODE, Player } from './player.ts';
import { ScriptedProvider } from './scripted-provider.ts';
import type { Story } from './story.ts';

export interface SideOptions {
  quietMs: number;
  /** The API server: a real one, or the sandbox. */
  cluster: 'real' | 'sandbox';
  /** Starts the controller. @returns once it serves the node */
  start: (given: { kubeconfigPath: string; address: string; folder: string }) => Promise<{ end: () => Promise<void> }>;
}

const SOURCES = ['build.sh', 'judge.go.txt'].map((name) => fileURLToPath(new URL(name, import.meta.url)));

/** Upstream's controller, built once into the cache folder. @returns its path. @throws Error when it cannot be built */
export function builtJudge(): string {
  const digest = createHash('sha256');
  for (const source of SOURCES) digest.update(readFileSync(source));
  const folder = join(
    process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    'farloop',
    'virtual-node-judge',
    digest.digest('hex').slice(0, 16),
  );
  if (existsSync(folder)) return join(folder, 'virtual-node');
  console.log("building upstream's virtual node: a few minutes the first time");
  const building = `${folder}.building-${process.pid}`;
  mkdirSync(building, { recursive: true });
  const { status, error } = spawnSync('nice', ['bash', SOURCES[0] ?? '', building], { stdio: 'inherit' });
  if (status !== 0)
    throw new Error(
      `upstream's virtual node cannot be built (${error?.message ?? `exit ${status}`}): Go and the Go module proxy are needed`,
    );
  rmSync(folder, { recursive: true, force: true });
  renameSync(building, folder);
  return join(folder, 'virtual-node');
}

export const theirs = (judge: string): SideOptions => ({
  quietMs: 8_000,
  cluster: 'real',
  start: async ({ kubeconfigPath, address }) => {
    const child: ChildProcess = spawn(judge, ['-kubeconfig', kubeconfigPath, '-node', NODE, '-provider', address], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    if (!child.stdout) throw new Error('no output');
    for await (const line of createInterface({ input: child.stdout })) if (line === 'ready') break;
    return {
      end: async () => {
        const gone = once(child, 'exit');
        if (child.kill()) await gone;
      },
    };
  },
});

export const ours = (cluster: 'real' | 'sandbox'): SideOptions => ({
  quietMs: 7_500,
  cluster,
  start: async ({ kubeconfigPath, address, folder }) => {
    const node = [
      '--virtual-node',
      `${NODE}=http:${address}`,
      '--node-cpu',
      `${NODE}=1000`,
      '--node-memory',
      `${NODE}=1000Gi`,
      '--node-pods',
      `${NODE}=1000`,
    ];
    const args = [
      'up',
      '--state',
      join(folder, 'state'),
      '--port',
      '0',
      '--kubeconfig',
      kubeconfigPath,
      '--manage',
      'virtual-nodes',
      ...node,
    ];
    const farloop = new FarloopProcess(args);
    await farloop.says('farloop ready', 60_000);
    return { end: async () => void (await farloop.end('SIGTERM')) };
  },
});

/** Waits until everybody has come, and does once what all came for. */
class Together<Brought> {
  #expected: number;
  readonly #work: (brought: readonly Brought[]) => Promise<void>;
  readonly #brought: Brought[] = [];
  readonly #done = Promise.withResolvers<void>();
  #hasBegun = false;

  constructor(expected: number, work: (brought: readonly Brought[]) => Promise<void>) {
    this.#expected = expected;
    this.#work = work;
  }

  async arrive(brought: Brought): Promise<void> {
    this.#brought.push(brought);
    this.#expected -= 1;
    this.#beginIfComplete();
    await this.#done.promise;
  }

  /** One that failed before it came is not waited for. */
  leave(): void {
    if (this.#hasBegun) return;
    this.#expected -= 1;
    this.#beginIfComplete();
  }

  #beginIfComplete(): void {
    if (this.#expected > 0 || this.#hasBegun) return;
    this.#hasBegun = true;
    this.#work(this.#brought).then(this.#done.resolve, this.#done.reject);
  }
}

/** First those whose controller works on, then those in which it begins anew: in all of them at the same time. @returns by story; one that could not be played by its error */
export async function playAll(stories: readonly Story[], { quietMs, cluster, start }: SideOptions): Promise<Map<string, Outcome | Error>> {
  const folder = await mkdtemp(join(tmpdir(), 'farloop-stories-'));
  const endings: (() => Promise<void>)[] = [async () => await rm(folder, { recursive: true, force: true, maxRetries: 3 })];
  const outcomes = new Map<string, Outcome | Error>();
  try {
    const kubeconfigPath = await server(cluster, folder, endings);
    const client = openJsonClient(await accessFromKubeconfig({ file: kubeconfigPath }));
    endings.push(async () => client.close());
    let player: Player | undefined;
    const provider = await ScriptedProvider.start((namespace) => player?.changed(namespace));
    endings.push(async () => provider.stop());
    const given = { kubeconfigPath, address: provider.address, folder };
    let controller = await start(given);
    endings.push(async () => await controller.end());
    const restarting = stories.filter(({ restarts }) => restarts);
    const together = new Together<() => Promise<void>>(restarting.length, async (meanwhile) => {
      await controller.end();
      await Promise.all(meanwhile.map(async (each) => await each()));
      controller = await start(given);
    });
    const restart = async (meanwhile: () => Promise<void>): Promise<void> => await together.arrive(meanwhile);
    player = new Player({ client, provider, quietMs, restart });
    const playing = player;
    await playing.open();
    const play = async (story: Story): Promise<void> => {
      outcomes.set(story.name, await playing.play(story).catch((error: unknown) => error as Error));
      if (story.restarts) together.leave();
    };
    await Promise.all(stories.filter(({ restarts }) => restarts !== true).map(play));
    await Promise.all(restarting.map(play));
    playing.close();
  } finally {
    for (const ending of endings.toReversed()) await ending();
  }
  return outcomes;
}

async function server(cluster: 'real' | 'sandbox', folder: string, endings: (() => Promise<void>)[]): Promise<string> {
  if (cluster === 'real') {
    // Of the controllers none: pods are the story's, and nobody evicts them.
    const controlPlane = await startControlPlane({ controllers: 'serviceaccount-controller' });
    endings.push(controlPlane.stop);
    return controlPlane.kubeconfigPath;
  }
  const state = join(folder, 'sandbox');
  const sandbox = new FarloopProcess(['sandbox', '--no-node', '--state', state]);
  endings.push(async () => await sandbox.destroy());
  await sandbox.says(/ready/, 60_000);
  return join(state, 'kubeconfig');
}
