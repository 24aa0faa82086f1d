// A sandbox in a process of its own, and `farloop up` with a virtual node beside it, which may be killed and started again.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { accessFromKubeconfig } from '../../lib/adapters/kubernetes/kubeconfig.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { PODS } from '../../lib/objects/resources.ts';
import { deadlineIn, type Deadline } from '../../lib/ports/clock.ts';
import { scriptAnnotations } from '../script-annotations.ts';

const MAIN = new URL('../../lib/cli/main.ts', import.meta.url).pathname;
export const NODE = 'edge';
const NAMESPACE = 'default';

export const clock = new SystemClock();
/** Half a machine may take its time. */
const soon = (): Deadline => deadlineIn(clock, 60_000);

function launch(commandLine: string[]): ChildProcess {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...commandLine], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr?.resume();
  return child;
}

/** Resolves with all that it has printed by then. */
async function printed(child: ChildProcess, text: RegExp): Promise<string> {
  let all = '';
  return await new Promise((found, failed) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      all += chunk.toString();
      if (text.test(all)) found(all);
    });
    child.on('exit', () => failed(new Error(`it ended: ${all}`)));
  });
}

export class Instance {
  readonly cluster: KubernetesCluster;
  readonly #folder: string;
  readonly #kubeconfig: string;
  readonly #sandbox: ChildProcess;
  readonly #provider: readonly string[];
  #up: ChildProcess | undefined;

  private constructor(
    folder: string,
    {
      kubeconfig,
      sandbox,
      cluster,
      provider,
    }: Pick<Instance, 'cluster'> & { kubeconfig: string; sandbox: ChildProcess; provider: readonly string[] },
  ) {
    this.#folder = folder;
    this.#kubeconfig = kubeconfig;
    this.#sandbox = sandbox;
    this.#provider = provider;
    this.cluster = cluster;
  }

  /** @param provider of the node, with the flags that go with it */
  static async start(folder: string, provider: readonly string[] = ['simulated']): Promise<Instance> {
    const sandbox = launch(['sandbox', '--state', join(folder, 'sandbox'), '--port', '0', '--no-node']);
    const kubeconfig = /kubeconfig\s+(\S+)/i.exec(await printed(sandbox, /ready/))?.[1] ?? '';
    const cluster = new KubernetesCluster({ access: await accessFromKubeconfig({ file: kubeconfig }), clock });
    return new Instance(folder, { kubeconfig, sandbox, cluster, provider });
  }

  /** Starts `farloop up`. @returns once it is ready, or has ended */
  async up(): Promise<void> {
    const size = ['--node-cpu', `${NODE}=1000`, '--node-pods', `${NODE}=1000`];
    const [word = '', ...flags] = this.#provider;
    const line = ['up', '--kubeconfig', this.#kubeconfig, '--manage', 'virtual-nodes', '--virtual-node', `${NODE}=${word}`, ...flags];
    this.#up = launch([...line, ...size, '--state', join(this.#folder, 'state'), '--port', '0']);
    await printed(this.#up, /farloop ready/).catch(() => {});
  }

  get pid(): number {
    return this.#up?.pid ?? 0;
  }

  /** @returns its exit code */
  async terminate(): Promise<number | null> {
    this.#up?.kill('SIGTERM');
    if (this.#up && this.#up.exitCode === null) await once(this.#up, 'exit');
    return this.#up?.exitCode ?? null;
  }

  async kill(): Promise<void> {
    const up = this.#up;
    if (!up || up.exitCode !== null || up.signalCode !== null) return;
    up.kill('SIGKILL');
    await once(up, 'exit');
  }

  async createPod(name: string, script: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: NAMESPACE, annotations: scriptAnnotations(script), labels },
      spec: {
        nodeName: NODE,
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'none', resources: { requests: { cpu: '10m' } } }],
      },
    };
    await this.cluster.create(PODS, pod, soon());
  }

  /** A pod that runs this script of a shell. */
  async runPod(name: string, shell: string, spec: Partial<Pod['spec']> = {}, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: NAMESPACE, labels },
      spec: {
        nodeName: NODE,
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 1,
        automountServiceAccountToken: false,
        containers: [{ name: 'main', image: 'none', command: ['sh', '-c', shell], resources: { requests: { cpu: '10m' } } }],
        ...spec,
      },
    };
    await this.cluster.create(PODS, pod, soon());
  }

  /** @param labelSelector absent: all */
  async pods(labelSelector?: string): Promise<Pod[]> {
    const selection = { namespace: NAMESPACE, ...(labelSelector !== undefined && { labelSelector }) };
    return (await this.cluster.list<Pod>(PODS, selection, soon())).items;
  }

  async stop(): Promise<void> {
    await this.kill();
    this.#sandbox.kill('SIGKILL');
    this.cluster.close();
  }
}
