// `npm run bench watchers [-- --seconds N]`: the API's share of a core while `farloop up` works on small Jobs, one after the other: processor time with
// three clients that watch a list of all, as `farloop get all -w` does, less that without, in windows that alternate. Exits 1 when a bound is missed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { accessFromKubeconfig } from '../../lib/adapters/kubernetes/kubeconfig.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { allWorkloads } from '../../lib/cli/queries/get-workloads.ts';
import { followed } from '../../lib/cli/queries/followed.ts';
import { connectToInstance } from '../../lib/cli/instance/api-client.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { JOBS } from '../../lib/objects/resources.ts';
import { deadlineIn } from '../../lib/ports/clock.ts';
import { script } from '../script-options.ts';
import { processorSecondsOf } from './processor-time.ts';

const { seconds, windows, jobs } = script('npm run bench watchers --')
  .option('--seconds <number>', 'of a window', wholeNumber({ min: 5, max: 600 }), 15)
  .option('--windows <number>', 'with watchers, and as many without', wholeNumber({ min: 1, max: 20 }), 4)
  .option('--jobs <number>', 'a second', wholeNumber({ min: 1, max: 50 }), 5)
  .parse()
  .opts<{ seconds: number; windows: number; jobs: number }>();

const MAIN = new URL('../../lib/cli/main.ts', import.meta.url).pathname;
const WATCHERS = 3;
const POLL_EVERY_MS = 2_000;
/** Cores. */
const MOST = 0.05;
const SETTLED_MS = 5_000;

const folder = await mkdtemp(join(tmpdir(), 'farloop-bench-watchers-'));
const state = join(folder, 'state');
const clock = new SystemClock();
const flags = ['--state', state, '--port', '0', '--node-cpu', '1000', '--node-memory', '10Ti'];
const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, 'up', ...flags], {
  stdio: ['ignore', 'pipe', 'ignore'],
  env: { ...process.env, LOG_LEVEL: 'error' },
});
const ending = new AbortController();

/** Starts Jobs of one pod at a steady pace, whatever becomes of them. */
async function load(cluster: KubernetesCluster): Promise<void> {
  for (let nth = 0; !ending.signal.aborted; nth++) {
    const annotations = { 'sim.farloop.dev/run-seconds': '1' };
    const template = {
      metadata: { annotations },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/none', command: ['true'] }] },
    };
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: `small-${nth}`, namespace: 'default' },
      spec: { ttlSecondsAfterFinished: 60, template },
    } as unknown as Job;
    await cluster.create(JOBS, job, deadlineIn(clock, 30_000)).catch((error: unknown) => {
      if (!ending.signal.aborted) throw error;
    });
    await clock.wait(1_000 / jobs);
  }
}

let rows = 0;
/** As `get all -w` does. */
async function watch(signal: AbortSignal): Promise<void> {
  const connect: Parameters<typeof followed>[0] = (again) => connectToInstance({ state }, process.env, again);
  const lists = followed(connect, { read: async (api) => await allWorkloads(api, {}), everyMs: POLL_EVERY_MS, signal });
  for await (const items of lists) rows = items.length;
}

async function coresIn(pid: number): Promise<number> {
  const [before, began] = [processorSecondsOf(pid), performance.now()];
  await clock.wait(seconds * 1_000);
  return (processorSecondsOf(pid) - before) / ((performance.now() - began) / 1_000);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const percent = (cores: number): string => `${(cores * 100).toFixed(1)} %`;

try {
  for await (const text of child.stdout.setEncoding('utf8')) if (String(text).includes('farloop ready')) break;
  await readFile(join(state, 'instance.json'));
  const cluster = new KubernetesCluster({ access: await accessFromKubeconfig({ file: join(state, 'kubeconfig') }), clock });
  const loading = load(cluster);
  const pid = child.pid ?? 0;
  // As many Jobs as their time to live leaves.
  await clock.wait(70_000);
  const [without, with3]: [number[], number[]] = [[], []];
  for (let window = 0; window < windows; window++) {
    without.push(await coresIn(pid));
    const watching = new AbortController();
    const clients = Array.from({ length: WATCHERS }, async () => await watch(watching.signal));
    await clock.wait(SETTLED_MS);
    with3.push(await coresIn(pid));
    watching.abort();
    await Promise.all(clients);
    await clock.wait(SETTLED_MS);
  }
  ending.abort();
  await loading;
  cluster.close();
  const share = mean(with3) - mean(without);
  const isMissed = share > MOST;
  if (isMissed) process.exitCode = 1;
  console.log(`watchers: ${jobs} Jobs a second, ${rows} in the list: ${percent(mean(without))} of a core without clients`);
  console.log(
    `  with ${WATCHERS} that watch ${percent(mean(with3))}: ${percent(share)} more (at most ${percent(MOST)}${isMissed ? ': missed' : ''})`,
  );
  console.log(`  by window: ${without.map((cores, at) => `${percent(cores)} then ${percent(with3[at] ?? 0)}`).join(', ')}`);
} finally {
  ending.abort();
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
