// `npm run bench sandbox [-- --indexes N]`: one Indexed Job on `farloop up` with its own sandbox, as people try it: pods per second,
// processor time and memory of its processes. Reported, no bound.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { accessFromKubeconfig } from '../../lib/adapters/kubernetes/kubeconfig.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { JOBS } from '../../lib/objects/resources.ts';
import { deadlineIn } from '../../lib/ports/clock.ts';
import { peakBytesOf, processorSecondsOf } from './processor-time.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { script } from '../script-options.ts';

const MAIN = new URL('../../lib/cli/main.ts', import.meta.url).pathname;
const PATIENCE_MS = 1_800_000;

const { indexes, cpuProf } = script('npm run bench sandbox --')
  .option('--indexes <number>', 'of the Job', wholeNumber({ min: 1, max: 100_000 }), 10_000)
  .option('--cpu-prof <folder>', 'where the profile of the process is put')
  .parse()
  .opts<{ indexes: number; cpuProf?: string }>();
const clock = new SystemClock();

/** The process and those that it has started. */
async function familyOf(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0));
  }
  const family = [pid];
  for (const one of family) for (const [child, parent] of parents) if (parent === one) family.push(child);
  return family;
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'farloop-bench-'));
  const profile = cpuProf === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', cpuProf];
  const line = ['up', '--state', join(folder, 'state'), '--port', '0', '--budget', '10000'];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...profile, MAIN, ...line], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, LOG_LEVEL: 'error' },
  });
  try {
    let said = '';
    await new Promise<void>((ready, failed) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (said.includes('farloop ready')) ready();
      });
      child.on('exit', () => failed(new Error('farloop up ended')));
    });
    const cluster = new KubernetesCluster({ access: await accessFromKubeconfig({ file: join(folder, 'state', 'kubeconfig') }), clock });
    const template = {
      metadata: { annotations: { 'sim.farloop.dev/run-seconds': '0' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/none', command: ['true'] }] },
    };
    const spec = { completions: indexes, parallelism: indexes, completionMode: 'Indexed', template };
    const job: Job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'large', namespace: 'default' }, spec };
    const before = new Map((await familyOf(child.pid ?? 0)).map((pid) => [pid, processorSecondsOf(pid)]));
    const began = performance.now();
    await cluster.create(JOBS, job, deadlineIn(clock, 10_000));
    for (;;) {
      const { object } = await cluster.get<Job>(JOBS, { namespace: 'default', name: 'large' }, deadlineIn(clock, 10_000));
      if (isJobFinished(object)) break;
      if (performance.now() - began > PATIENCE_MS) throw new Error('the Job did not end within half an hour');
      await clock.wait(250);
    }
    const seconds = (performance.now() - began) / 1000;
    cluster.close();
    console.log(`${indexes} indexes on the sandbox: ${(indexes / seconds).toFixed(1)} pods/s`);
    for (const pid of await familyOf(child.pid ?? 0)) {
      const used = processorSecondsOf(pid) - (before.get(pid) ?? 0);
      const what = pid === child.pid ? 'farloop up' : 'a process of its own';
      console.log(
        `  ${what}: CPU ${((used / indexes) * 1000).toFixed(2)} ms a pod, memory ${(peakBytesOf(pid) / 1e6).toFixed(0)} MB at most`,
      );
    }
  } finally {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

await main();
