// `npm run bench cluster [-- --pods N --repetitions R --limits default,100,unlimited]`: pods per second of one Indexed Job on a real
// kube-apiserver, Farloop and kube-controller-manager in turns in the same run, the same simulated node playing for both.
import { mkdtemp, rm } from 'node:fs/promises';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { KubernetesCluster } from '../../lib/adapters/kubernetes-cluster.ts';
import { accessFromKubeconfig } from '../../lib/adapters/kubernetes/kubeconfig.ts';
import { SystemClock } from '../../lib/adapters/system-clock.ts';
import { isJobFinished } from '../../lib/objects/job-facts.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { JOBS } from '../../lib/objects/resources.ts';
import { deadlineIn } from '../../lib/ports/clock.ts';
import { startControlPlane, type ControlPlane } from '../cluster/control-plane.ts';

const MAIN = new URL('../../lib/cli/main.ts', import.meta.url).pathname;
const LIMITS: Record<string, { qps: number; burst: number; atLeast: number }> = {
  default: { qps: 20, burst: 30, atLeast: 8 },
  '100': { qps: 100, burst: 100, atLeast: 0 },
  unlimited: { qps: 5_000, burst: 5_000, atLeast: 0 },
};

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    pods: { type: 'string', default: '1000' },
    repetitions: { type: 'string', default: '1' },
    limits: { type: 'string', default: 'default' },
  },
});
const pods = Number(values.pods);
const clock = new SystemClock();

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'farloop-bench-'));
  const plane = await startControlPlane({});
  const node = launch(['node', '--simulated', '--kubeconfig', plane.kubeconfigPath]);
  try {
    const cluster = new KubernetesCluster({ access: await accessFromKubeconfig({ file: plane.kubeconfigPath }), clock });
    for (const name of values.limits.split(',')) {
      const limits = LIMITS[name];
      if (!limits) throw new Error(`no limits "${name}": ${Object.keys(LIMITS).join(', ')}`);
      const ratios: number[] = [];
      for (let repetition = 1; repetition <= Number(values.repetitions); repetition++) {
        const ours = await withFarloop(plane, folder, () => podsPerSecond(cluster, `ours-${name}-${repetition}`));
        const theirs = await withBuiltIn(plane, limits, () => podsPerSecond(cluster, `theirs-${name}-${repetition}`));
        ratios.push(ours / theirs);
        console.log(
          `${name} limits, ${pods} pods: Farloop ${ours.toFixed(1)} pods/s, kube-controller-manager ${theirs.toFixed(1)} pods/s, ${(ours / theirs).toFixed(2)} x`,
        );
      }
      const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0;
      console.log(`${name} limits: median ${median.toFixed(2)} x (at least ${limits.atLeast})`);
      if (median < limits.atLeast) process.exitCode = 1;
    }
    cluster.close();
  } finally {
    await ended(node);
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function launch(line: string[]): ChildProcess {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...line], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, LOG_LEVEL: 'error' },
  });
  child.stdout?.setEncoding('utf8');
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

async function withFarloop(plane: ControlPlane, folder: string, measure: () => Promise<number>): Promise<number> {
  const child = launch([
    'up',
    '--kubeconfig',
    plane.kubeconfigPath,
    '--manage',
    'all-jobs',
    '--state',
    join(folder, 'state'),
    '--port',
    '0',
    '--budget',
    '5000',
  ]);
  try {
    await new Promise<void>((ready, failed) => {
      child.stdout?.on('data', (text: string) => (text.includes('farloop ready') ? ready() : undefined));
      child.on('exit', () => failed(new Error('farloop up ended')));
    });
    return await measure();
  } finally {
    await ended(child);
  }
}

async function withBuiltIn(
  plane: ControlPlane,
  { qps, burst }: { qps: number; burst: number },
  measure: () => Promise<number>,
): Promise<number> {
  await plane.startControllerManager({ controllers: 'job', qps, burst });
  try {
    return await measure();
  } finally {
    await plane.stopControllerManager();
  }
}

/** From the Job's creation to its end. */
async function podsPerSecond(cluster: KubernetesCluster, name: string): Promise<number> {
  const template = {
    metadata: { annotations: { 'sim.farloop.dev/run-seconds': '0' } },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/none', command: ['true'] }] },
  };
  const spec = { completions: pods, parallelism: pods, completionMode: 'Indexed', backoffLimit: 0, template };
  const job: Job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'default' }, spec };
  const began = performance.now();
  await cluster.create(JOBS, job, deadlineIn(clock, 10_000));
  for (;;) {
    const { object } = await cluster.get<Job>(JOBS, { namespace: 'default', name }, deadlineIn(clock, 10_000));
    if (isJobFinished(object)) return pods / ((performance.now() - began) / 1000);
    if (performance.now() - began > 600_000) throw new Error(`${name} did not end within 10 minutes`);
    await clock.wait(100);
  }
}

await main();
