// `npm run test:crash -- [--kills N] [--cluster sandbox|real] [--access direct|relayed] [--seed S] [--pods N] [--chaos]`: 1,000-index Jobs on a cluster in a process of its own
// while Farloop is killed at seeded moments and started again. Afterwards every index has succeeded exactly once.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { accessFromKubeconfig } from '../../lib/adapters/kubernetes/kubeconfig.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { Job, Pod } from '../../lib/objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import { deadlineIn, type Deadline } from '../../lib/ports/clock.ts';
import { startControlPlane } from '../cluster/control-plane.ts';
import { CHAOS_VARIABLE, LATE_VARIABLE, MOMENT_VARIABLE, MOMENTS, SKIP_VARIABLE, type Moment } from './moments.ts';
import { Witness } from './witness.ts';
import { check, comesAbout, until } from '../claims.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';

const MAIN = new URL('../../lib/cli/main.ts', import.meta.url).pathname;
const HOOK = new URL('./hook.ts', import.meta.url).href;
const NAMESPACE = 'default';
const MOST_WAIT_MS = 60_000;
const PROGRESS_MS = 5_000;
/** A relay must have found out which cluster it watches before it carries out anything, and each call goes through two queues. */
const RELAYED_PROGRESS_MS = 10_000;
/**
 * So late messages may be under chaos. A relayed call is two messages, and a pass makes several calls one after another: were each 10 s late,
 * what has 20 s in all would never come to an end (R17), and rightly so.
 */
const LATE_MS = { direct: 10_000, relayed: 1_000 };
/** For a request of this run's own: an API server at work on a thousand pods may take its time on a busy machine. */
const REQUEST_MS = 60_000;
/** Occurrences that may pass before the kill, so that kills fall early and late in a Job. */
const SKIPS: Record<Moment, number> = {
  'relay before a send': 12,
  'between merge and wake': 6,
  'between intent and act': 2,
  'in a wave of creates': 700,
  'between act and record': 6,
  'between status and finalizer': 4,
};

const {
  kills,
  pods: podsPerJob,
  cluster: kind,
  access,
  seed,
  chaos: isChaotic,
} = script('npm run test:crash --')
  .option('--kills <number>', 'how often Farloop is killed', wholeNumber({ min: 1, max: LARGEST_NUMBER }), 100)
  .option('--pods <number>', 'of one Job', wholeNumber({ min: 1, max: 100000 }), 1_000)
  .addOption(new Option('--cluster <kind>', 'what runs the API server').choices(['sandbox', 'real']).default('sandbox'))
  .addOption(new Option('--access <way>', 'how Farloop reaches it').choices(['direct', 'relayed']).default('direct'))
  .option('--seed <number>', 'of everything that is left to chance', wholeNumber({ min: 0, max: LARGEST_NUMBER }), Date.now() % 1_000_000)
  .option('--chaos', 'messages come up to three times, and late', false)
  .parse()
  .opts<{
    kills: number;
    pods: number;
    cluster: 'sandbox' | 'real';
    access: 'direct' | 'relayed';
    seed: number;
    chaos: boolean;
  }>();
const lateMs = access === 'relayed' ? LATE_MS.relayed : LATE_MS.direct;
const random = seededRandom(seed);
const clock = new SystemClock();
const soon = (): Deadline => deadlineIn(clock, REQUEST_MS);

async function main(): Promise<void> {
  console.log(
    `crash: ${kills} kills, cluster ${kind}, ${access}, seed ${seed}${isChaotic ? `, every message 1 to 3 times and up to ${lateMs / 1000} s late` : ''}`,
  );
  const folder = await mkdtemp(join(tmpdir(), 'farloop-crash-'));
  const children: ChildProcess[] = [];
  const end: (() => Promise<void>)[] = [];
  try {
    const kubeconfig = await startCluster(folder, children, end);
    children.push(launch(['node', '--simulated', '--kubeconfig', kubeconfig]));
    const cluster = new KubernetesCluster({ access: await accessFromKubeconfig({ file: kubeconfig }), clock });
    const witness = new Witness(cluster, NAMESPACE);
    end.push(() => witness.stop());
    await crashAll({ folder, kubeconfig, cluster, witness, judged: new Set() });
  } finally {
    for (const stop of end.toReversed()) await stop();
    for (const child of children) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

async function startCluster(folder: string, children: ChildProcess[], end: (() => Promise<void>)[]): Promise<string> {
  if (kind === 'real') {
    const plane = await startControlPlane({ controllers: '*,-job' });
    end.push(() => plane.stop());
    return plane.kubeconfigPath;
  }
  const sandbox = launch(['sandbox', '--state', join(folder, 'sandbox'), '--port', '0']);
  children.push(sandbox);
  return await new Promise<string>((found, failed) => {
    let text = '';
    sandbox.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const path = /kubeconfig\s+(\S+)/i.exec(text)?.[1];
      if (path !== undefined && text.includes('ready')) found(path);
    });
    sandbox.on('exit', () => failed(new Error(`the sandbox ended: ${text}`)));
  });
}

function launch(
  commandLine: string[],
  { environment = {}, hook = false }: { environment?: Record<string, string>; hook?: boolean } = {},
): ChildProcess {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...(hook ? ['--import', HOOK] : []), MAIN, ...commandLine],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment, LOG_LEVEL: 'warn' },
    },
  );
  child.stderr?.resume();
  return child;
}

interface Scene {
  folder: string;
  kubeconfig: string;
  cluster: KubernetesCluster;
  witness: Witness;
  /** Jobs that ended right and were deleted, so that the cluster does not fill up. */
  judged: Set<string>;
}

async function crashAll(scene: Scene): Promise<void> {
  const { witness } = scene;
  const struck = new Map<Moment, number>(MOMENTS.map((moment) => [moment, 0]));
  const resumedAfterMs: number[] = [];
  const names: string[] = [];
  let total = 0;
  for (let attempt = 0; total < kills && attempt < kills * 3; attempt++) {
    const moment = [...struck].toSorted((a, b) => a[1] - b[1])[0]?.[0] ?? MOMENTS[0];
    const skip = attempt < kills ? Math.floor(random() * SKIPS[moment]) : 0;
    await ensureJob(scene, names);
    const startedMs = witness.time.ms();
    const child = launchUp(scene, { [MOMENT_VARIABLE]: moment, [SKIP_VARIABLE]: String(skip) });
    witness.time.follow(child.pid);
    const killed = await diesOrProgresses(scene, child, names);
    const firstMs = witness.progressMs.find((atMs) => atMs > startedMs);
    if (firstMs !== undefined && total > 0) resumedAfterMs.push(firstMs - startedMs);
    if (killed) {
      struck.set(moment, (struck.get(moment) ?? 0) + 1);
      total += 1;
    }
  }
  const last = launchUp(scene, {});
  try {
    await until('every Job ends', () => names.every((name) => isFinished(witness.jobs.get(name))), 240_000);
    for (const name of names) if (!scene.judged.has(name)) await judge(scene, name);
  } finally {
    await stopProcess(last);
  }
  for (const [moment, count] of struck) console.log(`crash: ${moment}: ${count}`);
  const slowest = Math.max(0, ...resumedAfterMs);
  console.log(
    `crash: ${total} kills, ${names.length} Jobs of ${podsPerJob} pods, first progress after a start: slowest ${Math.round(slowest)} ms`,
  );
  const mostMs = access === 'relayed' ? RELAYED_PROGRESS_MS : PROGRESS_MS;
  check(total >= kills, `only ${total} of ${kills} kills struck`);
  check(
    [...struck.values()].every((count) => count >= Math.floor(kills / 10)),
    `each kind of moment must be struck ${Math.floor(kills / 10)} times at least`,
  );
  check(slowest <= mostMs || isChaotic, `first progress took ${Math.round(slowest)} ms, at most ${mostMs} expected`);
  console.log('crash: every index succeeded exactly once');
}

const launchUp = ({ folder, kubeconfig }: Scene, environment: Record<string, string>): ChildProcess => {
  const chaos = isChaotic ? { [CHAOS_VARIABLE]: String(Math.floor(random() * 1e6)), [LATE_VARIABLE]: String(lateMs) } : {};
  const line = [
    'up',
    '--kubeconfig',
    kubeconfig,
    '--manage',
    'all-jobs',
    '--access',
    access,
    '--state',
    join(folder, 'state'),
    '--port',
    '0',
  ];
  return launch(line, { environment: { ...environment, ...chaos }, hook: true });
};

/** Waits until the process has killed itself; new Jobs arrive as the old ones end. */
async function diesOrProgresses(scene: Scene, child: ChildProcess, names: string[]): Promise<boolean> {
  const began = performance.now();
  while (child.exitCode === null && child.signalCode === null && performance.now() - began < MOST_WAIT_MS) {
    await ensureJob(scene, names);
    await clock.wait(20);
  }
  const died = child.signalCode === 'SIGKILL';
  if (!died) {
    if (child.exitCode !== null) throw new Error(`farloop up ended by itself with ${child.exitCode}`);
    await stopProcess(child);
  }
  return died;
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

const isFinished = (job: Job | undefined): boolean => job !== undefined && isJobFinished(job);

async function ensureJob(scene: Scene, names: string[]): Promise<void> {
  const { cluster, witness } = scene;
  const current = names.at(-1);
  if (current !== undefined && !isFinished(witness.jobs.get(current))) return;
  // The one before the last has had a whole Job's time to lose its finalizers.
  for (const old of names.slice(0, -1)) if (!scene.judged.has(old)) await judgeAndDelete(scene, old);
  const name = `crash-${names.length}`;
  const template = {
    metadata: { annotations: { 'sim.farloop.dev/run-seconds': '0' } },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/none', command: ['true'] }] },
  };
  const job: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: NAMESPACE },
    spec: { completions: podsPerJob, parallelism: podsPerJob, completionMode: 'Indexed', backoffLimit: 0, template },
  };
  await cluster.create(JOBS, job, soon());
  names.push(name);
}

async function judgeAndDelete(scene: Scene, name: string): Promise<void> {
  await judge(scene, name);
  const { metadata } = (await scene.cluster.get<Job>(JOBS, { namespace: NAMESPACE, name }, soon())).object;
  const target = { namespace: NAMESPACE, name, uid: metadata.uid ?? '', propagationPolicy: 'Background' as const };
  await scene.cluster.delete(JOBS, target, soon());
  scene.judged.add(name);
}

async function judge({ cluster, witness }: Scene, name: string): Promise<void> {
  const { object: job } = await cluster.get<Job>(JOBS, { namespace: NAMESPACE, name }, soon());
  const stripped = async (): Promise<Pod[]> => {
    const { items } = await cluster.list<Pod>(PODS, { namespace: NAMESPACE, labelSelector: `job-name=${name}` }, soon());
    return items;
  };
  const pods = await stripped();
  const of = `Job ${name}`;
  check(
    job.status?.conditions?.some(({ type, status }) => type === 'Complete' && status === 'True') ?? false,
    `${of} is not Complete: ${JSON.stringify(job.status)}`,
  );
  check(job.status?.succeeded === podsPerJob, `${of}: succeeded is ${job.status?.succeeded}`);
  check((job.status?.failed ?? 0) === 0, `${of}: failed is ${job.status?.failed}`);
  check(job.status?.completedIndexes === `0-${podsPerJob - 1}`, `${of}: completedIndexes is ${job.status?.completedIndexes}`);
  check(pods.length === podsPerJob, `${of}: ${pods.length} pods`);
  check(
    new Set(pods.map(({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-completion-index'])).size === podsPerJob,
    `${of}: an index ran twice`,
  );
  await until(
    `${of} keeps no finalizer`,
    async () => (await stripped()).every(({ metadata }) => !metadata.finalizers?.includes(TRACKING_FINALIZER)),
    60_000,
  );
  // Jobs and pods are seen by two watches, of which either may be late.
  const created = (): number => witness.created.get(name)?.size ?? 0;
  await comesAbout(() => created() >= podsPerJob, 30_000);
  check(created() === podsPerJob, `${of}: ${created()} pods were ever created`);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`crash: seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
