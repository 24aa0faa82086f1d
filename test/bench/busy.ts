// `npm run bench fairness -- --only busy`: fifty small Jobs on a `farloop up` of their own, then as many on one that works on a large workload
// at the same time. Exits 1 where their time from creation to end, p99, is more than twice that of the quiet one, or the process ever held more
// than 600 MB.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { accessFromKubeconfig } from '../../lib/adapters/kubernetes/kubeconfig.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { Job, WorkloadObject } from '../../lib/objects/kubernetes.ts';
import { JOBS, type Resource } from '../../lib/objects/resources.ts';
import { deadlineIn } from '../../lib/ports/clock.ts';
import { quantile } from '../fairness/crowd.ts';
import { peakBytesOf } from './processor-time.ts';

const MAIN = new URL('../../lib/cli/main.ts', import.meta.url).pathname;
const SMALL_JOBS = 50;
const SMALL_EVERY_MS = 200;
const PATIENCE_MS = 120_000;
const MOST = 2;
const PEAK_BYTES = 600e6;

const PYTORCH_JOBS: Resource = { apiVersion: 'kubeflow.org/v1', plural: 'pytorchjobs', kind: 'PyTorchJob', namespaced: true };

const template = (runSeconds: number, exitCode = 0): object => ({
  metadata: { annotations: { 'sim.farloop.dev/run-seconds': String(runSeconds), 'sim.farloop.dev/exit-codes': String(exitCode) } },
  spec: { restartPolicy: 'Never', containers: [{ name: 'pytorch', image: 'example.com/none', command: ['true'] }] },
});

interface Large {
  resource: Resource;
  object: WorkloadObject;
}

const metadata = { name: 'large', namespace: 'default' };

const training = (workers: number, worker: object): Large => ({
  resource: PYTORCH_JOBS,
  object: {
    apiVersion: PYTORCH_JOBS.apiVersion,
    kind: PYTORCH_JOBS.kind,
    metadata,
    spec: {
      runPolicy: {},
      pytorchReplicaSpecs: {
        Master: { replicas: 1, restartPolicy: 'Never', template: template(300) },
        Worker: { replicas: workers, restartPolicy: 'ExitCode', template: worker },
      },
    },
  },
});

/** What the instance is busy with. */
const BESIDE: Readonly<Record<string, Large>> = {
  'a Job of 10,000 pods': {
    resource: JOBS,
    object: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: { completions: 10_000, parallelism: 10_000, completionMode: 'Indexed', template: template(2) },
    },
  },
  'a training job of 7,000 workers': training(7_000, template(300)),
  'a training job of 300 workers that fail at once, again and again': training(300, template(1, 137)),
};

interface Measured {
  /** From the create to the end of each small Job, sorted. */
  endedMs: number[];
  peakBytes: number;
}

async function measure(beside: Large | undefined): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'farloop-bench-'));
  const clock = new SystemClock();
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      MAIN,
      'up',
      '--state',
      join(folder, 'state'),
      '--port',
      '0',
      '--node-cpu',
      '1000',
      '--node-memory',
      '10Ti',
    ],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, LOG_LEVEL: 'error' },
    },
  );
  const stopping = new AbortController();
  try {
    for await (const text of child.stdout.setEncoding('utf8')) if (String(text).includes('farloop ready')) break;
    const cluster = new KubernetesCluster({ access: await accessFromKubeconfig({ file: join(folder, 'state', 'kubeconfig') }), clock });
    const startedMs = new Map<string, number>();
    const endedMs: number[] = [];
    const { resourceVersion } = await cluster.listPage<Job>(JOBS, { limit: 1 }, stopping.signal);
    const watching = (async () => {
      for await (const event of cluster.watch<Job>(JOBS, { resourceVersion, timeoutSeconds: 600 }, stopping.signal)) {
        if (event.type === 'BOOKMARK') continue;
        const began = startedMs.get(event.object.metadata.name ?? '');
        if (began === undefined || !isJobFinished(event.object)) continue;
        startedMs.delete(event.object.metadata.name ?? '');
        endedMs.push(performance.now() - began);
      }
    })().catch(() => {});
    if (beside) await cluster.create(beside.resource, beside.object, deadlineIn(clock, 30_000));
    for (let nth = 0; nth < SMALL_JOBS; nth++) {
      const name = `small-${nth}`;
      const spec = { template: template(0) } as Job['spec'];
      startedMs.set(name, performance.now());
      await cluster.create(
        JOBS,
        { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'default' }, spec },
        deadlineIn(clock, 30_000),
      );
      await clock.wait(SMALL_EVERY_MS);
    }
    const patientUntilMs = performance.now() + PATIENCE_MS;
    while (startedMs.size > 0 && performance.now() < patientUntilMs) await clock.wait(50);
    if (startedMs.size > 0) throw new Error(`${startedMs.size} small Jobs did not end within ${PATIENCE_MS / 1000} s`);
    stopping.abort();
    await watching;
    cluster.close();
    return { endedMs: endedMs.toSorted((a, b) => a - b), peakBytes: peakBytesOf(child.pid ?? 0) };
  } finally {
    stopping.abort();
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const told = (title: string, { endedMs, peakBytes }: Measured): string =>
  `${title}: p50 ${quantile(endedMs, 0.5).toFixed(0)} ms, p99 ${quantile(endedMs, 0.99).toFixed(0)} ms from creation to end of ${endedMs.length} small Jobs; memory ${(peakBytes / 1e6).toFixed(0)} MB at most`;

/** @returns whether small Jobs take at most twice as long beside each large workload. Prints the figures. */
export async function isFairWhenBusy(): Promise<boolean> {
  const quiet = await measure(undefined);
  console.log(told('quiet', quiet));
  let isFair = true;
  for (const [what, large] of Object.entries(BESIDE)) {
    const busy = await measure(large);
    const ratio = quantile(busy.endedMs, 0.99) / quantile(quiet.endedMs, 0.99);
    console.log(told(`beside ${what}`, busy));
    console.log(`  p99 ${ratio.toFixed(2)} times that of the quiet run (at most ${MOST})`);
    if (!(ratio <= MOST) || busy.peakBytes > PEAK_BYTES) isFair = false;
  }
  return isFair;
}
