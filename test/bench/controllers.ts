// Farloop and kube-controller-manager as processes of a benchmark, on one API server: how each is started and ended, and how what a turn
// has left behind is removed.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { KubernetesObject, PodTemplate } from '../../lib/objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import { JOBS, PODS, type Resource } from '../../lib/objects/resources.ts';
import { deadlineIn } from '../../lib/ports/clock.ts';
import { inParallel } from '../../lib/reconciler/invocation/parallel.ts';
import type { ControlPlane } from '../cluster/control-plane.ts';
import { findProcess } from './processor-time.ts';

const MAIN = new URL('../../lib/cli/main.ts', import.meta.url).pathname;
export const PATIENCE_MS = 600_000;
const CALLS_AT_ONCE = 16;
const NAMED = { metadata: { name: true, uid: true, finalizers: true } };
const clock = new SystemClock();

/** A pod of it ends with success as soon as it runs. */
export const POD_TEMPLATE: PodTemplate = {
  metadata: { annotations: { 'sim.farloop.dev/run-seconds': '0' } },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/none', command: ['true'] }] },
};

const running = new Set<ChildProcess>();
// What it has started ends with it, also where it is told to end.
process.once('exit', () => {
  for (const child of running) child.kill();
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** A command of Farloop as a process of its own. @param flags of Node */
export function launch(line: string[], flags: string[] = []): ChildProcess {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...flags, MAIN, ...line], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, LOG_LEVEL: 'error' },
  });
  child.stdout?.setEncoding('utf8');
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Resolves once it has said so. */
export async function saying(child: ChildProcess, text: string): Promise<void> {
  let said = '';
  await new Promise<void>((heard, failed) => {
    child.stdout?.on('data', (more: string) => {
      said += more;
      if (said.includes(text)) heard();
    });
    child.on('exit', () => failed(new Error(`the process ended before it said "${text}"`)));
  });
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

/** @param options.stateFolder of its own; `manage` all Jobs unless said otherwise; flags of Node */
export async function withFarloop<Value>(
  { kubeconfigPath }: Pick<ControlPlane, 'kubeconfigPath'>,
  { stateFolder, manage = 'all-jobs', flags = [] }: { stateFolder: string; manage?: 'own' | 'all-jobs'; flags?: string[] },
  work: (pid: number) => Promise<Value>,
): Promise<Value> {
  const state = ['--state', stateFolder, '--port', '0', '--budget', '5000'];
  const child = launch(['up', '--kubeconfig', kubeconfigPath, '--manage', manage, ...state], flags);
  try {
    await saying(child, 'farloop ready');
    return await work(child.pid ?? 0);
  } finally {
    await endProcess(child);
  }
}

export async function withBuiltIn<Value>(
  plane: ControlPlane,
  limits: { qps?: number; burst?: number },
  work: (pid: number) => Promise<Value>,
): Promise<Value> {
  await plane.startControllerManager({ controllers: 'job', ...limits });
  try {
    return await work(findProcess('kube-controller-manager', plane.folder));
  } finally {
    await plane.stopControllerManager();
  }
}

const all = async (cluster: KubernetesCluster, resource: Resource): Promise<KubernetesObject[]> =>
  (await cluster.list(resource, { namespace: 'default', fields: NAMED }, deadlineIn(clock, PATIENCE_MS))).items;

/** Whoever counts the pods lets go of them: without that nobody could delete them. */
export async function untracked(cluster: KubernetesCluster): Promise<void> {
  const began = performance.now();
  for (;;) {
    const held = (await all(cluster, PODS)).filter(({ metadata }) => metadata.finalizers?.includes(TRACKING_FINALIZER));
    if (held.length === 0) return;
    if (performance.now() - began > PATIENCE_MS)
      throw new Error(`${held.length} pods were not let go of within ${PATIENCE_MS / 60_000} minutes`);
    await clock.wait(500);
  }
}

export async function emptied(cluster: KubernetesCluster): Promise<void> {
  for (const resource of [JOBS, PODS])
    await inParallel(await all(cluster, resource), CALLS_AT_ONCE, async ({ metadata: { name = '', uid = '' } }) => {
      await cluster.delete(resource, { namespace: 'default', name, uid, propagationPolicy: 'Background' }, deadlineIn(clock, 10_000));
    });
}
