// Jobs on a real API server: every example ends as its header describes, and a Job handed over in the middle between the built-in
// controller and Farloop, both ways, ends with exact counts.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseManifests } from '../../lib/cli/manifests/manifest-files.ts';
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import { until } from '../claims.ts';
import { root } from '../cli/farloop-process.ts';
import { EXAMPLE_ENDS, type JobChange } from '../example-ends.ts';
import type { JobsCluster } from './jobs-cluster.ts';
import { startJobsCluster } from './jobs-cluster.ts';

let cluster: JobsCluster;
beforeAll(async () => {
  // Farloop stands for both of these.
  cluster = await startJobsCluster({ controllers: '*,-job,-ttl-after-finished-controller' });
}, 180_000);
afterAll(async () => await cluster?.stop(), 60_000);

const jobs = async (): Promise<Map<string, Job>> =>
  new Map((await cluster.api.list<Job>(JOBS, { namespace: 'default' }, cluster.soon())).items.map((job) => [job.metadata.name ?? '', job]));
const endOf = (job: Job | undefined) =>
  job?.status?.conditions?.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');

async function change(job: Job, spec: JobChange): Promise<void> {
  const { name = '', namespace = '', uid = '' } = job.metadata;
  await cluster.api.patch<Job>(JOBS, { name, namespace, uid }, { type: 'merge', body: { metadata: { uid }, spec } }, cluster.soon());
}

/** @returns whether there was a pod to do it to */
async function disturb({ metadata }: Job, how: 'evict' | 'delete'): Promise<boolean> {
  const pods = await cluster.podsOf(metadata.name ?? '');
  const { name, uid = '' } = pods.find(({ status }) => status?.phase === 'Running')?.metadata ?? {};
  if (name === undefined) return false;
  const target = { namespace: 'default', name };
  if (how === 'delete') await cluster.api.delete(PODS, { ...target, uid }, cluster.soon());
  else {
    const evictions = { ...PODS, kind: 'Eviction', plural: `pods/${name}/eviction` };
    await cluster.api.create(evictions, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: target }, cluster.soon());
  }
  return true;
}

describe('examples on a real API server', () => {
  test('each ends as its header describes', async () => {
    const farloop = cluster.up('examples', '--manage', 'all-jobs');
    await farloop.says('console', 60_000);
    // Those that somebody steps into come last: their pods run for seconds only.
    for (const { name } of EXAMPLE_ENDS.toSorted((one, other) => Number('step' in one) - Number('step' in other))) {
      const [manifest] = parseManifests(readFileSync(join(root, 'examples/jobs', `${name}.yaml`), 'utf8'), name);
      const job = manifest?.document as Job;
      await cluster.api.create<Job>(JOBS, { ...job, metadata: { ...job.metadata, namespace: 'default' } }, cluster.soon());
    }
    const steps = new Map(EXAMPLE_ENDS.flatMap(({ name, step }) => (step ? [[name, step] as const] : [])));
    const hasEnded = ({ name, end }: (typeof EXAMPLE_ENDS)[number], all: Map<string, Job>): boolean =>
      end === 'gone' ? !all.has(name) : endOf(all.get(name)) !== undefined;
    let all = await jobs();
    await until(
      'the end of every example',
      async () => {
        all = await jobs();
        for (const [name, step] of steps) {
          const job = all.get(name);
          if (!job) continue;
          if ('pod' in step) {
            if (!(await disturb(job, step.pod))) continue;
          } else {
            const isSuspended = job.status?.conditions?.some(({ type, status }) => type === 'Suspended' && status === 'True') ?? false;
            if (!(step.when === 'Suspended' ? isSuspended : (job.status?.ready ?? 0) > 0)) continue;
            await change(job, step.change);
          }
          steps.delete(name);
        }
        return EXAMPLE_ENDS.every((example) => hasEnded(example, all));
      },
      240_000,
    );
    expect([...steps.keys()]).toEqual([]); // else the Job ended before its step
    for (const { name, end, reason, status = {}, podSpec = {} } of EXAMPLE_ENDS) {
      if (end === 'gone') continue;
      expect({ name, ...endOf(all.get(name)) }).toMatchObject({ name, type: end, ...(reason !== undefined && { reason }) });
      expect({ name, failed: 0, ...all.get(name)?.status }).toMatchObject({ name, ...status });
      for (const { spec } of await cluster.podsOf(name)) expect({ name, ...spec }).toMatchObject({ name, ...podSpec });
    }
    expect((await farloop.end('SIGTERM')).exitCode).toBe(0);
  }, 500_000);
});

/** Twelve pods, a few at a time; of one without indexes the first two fail. */
const aJob = (name: string, completionMode: 'Indexed' | 'NonIndexed'): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'default' },
  spec: {
    completionMode,
    completions: 12,
    parallelism: 3,
    template: {
      metadata: {
        annotations: { 'sim.farloop.dev/run-seconds': '2', 'sim.farloop.dev/exit-codes': completionMode === 'Indexed' ? '1/0,0' : '1,0' },
      },
      spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox:1.37' }] },
    },
  },
});

async function endsExactly(names: readonly string[]): Promise<void> {
  await until('their end', async () => names.every((name) => endOf(all.get(name)) !== undefined) || ((all = await jobs()), false), 240_000);
  for (const name of names) {
    const pods = await cluster.podsOf(name);
    const succeeded = pods.filter(({ status }) => status?.phase === 'Succeeded').length;
    const failed = pods.filter(({ status }) => status?.phase === 'Failed').length;
    expect({ name, type: endOf(all.get(name))?.type, ...all.get(name)?.status }).toMatchObject({
      name,
      type: 'Complete',
      succeeded: 12,
      failed,
    });
    expect({ name, succeeded }).toEqual({ name, succeeded: 12 });
    expect(failed).toBeGreaterThan(0);
  }
  await until(
    'the last finalizers off',
    async () =>
      (await Promise.all(names.map(cluster.podsOf))).flat().every(({ metadata }) => !metadata.finalizers?.includes(TRACKING_FINALIZER)),
    60_000,
  );
}
let all = new Map<string, Job>();

const halfway = (names: readonly string[]) => async (): Promise<boolean> => {
  all = await jobs();
  return names.every((name) => (all.get(name)?.status?.succeeded ?? 0) >= 3);
};

describe('a Job handed over in the middle', () => {
  test('from the built-in controller to Farloop', async () => {
    await cluster.controlPlane.stopControllerManager();
    await cluster.controlPlane.startControllerManager({ controllers: '*' });
    const names = ['to-farloop', 'to-farloop-indexed'];
    await cluster.api.create<Job>(JOBS, aJob('to-farloop', 'NonIndexed'), cluster.soon());
    await cluster.api.create<Job>(JOBS, aJob('to-farloop-indexed', 'Indexed'), cluster.soon());
    await until('half of it', halfway(names), 180_000);
    await cluster.controlPlane.stopControllerManager();
    expect(names.some((name) => all.has(name) && !isJobFinished(all.get(name) ?? aJob(name, 'Indexed')))).toBe(true);
    const farloop = cluster.up('taken-over', '--manage', 'all-jobs');
    await endsExactly(names);
    expect((await farloop.end('SIGTERM')).exitCode).toBe(0);
  }, 600_000);

  test('from Farloop to the built-in controller', async () => {
    const names = ['from-farloop', 'from-farloop-indexed'];
    const farloop = cluster.up('handed-over', '--manage', 'all-jobs');
    await farloop.says('console', 60_000);
    await cluster.api.create<Job>(JOBS, aJob('from-farloop', 'NonIndexed'), cluster.soon());
    await cluster.api.create<Job>(JOBS, aJob('from-farloop-indexed', 'Indexed'), cluster.soon());
    await until('half of it', halfway(names), 180_000);
    expect((await farloop.end('SIGTERM')).exitCode).toBe(0);
    expect(names.some((name) => !isJobFinished(all.get(name) ?? aJob(name, 'Indexed')))).toBe(true);
    await cluster.controlPlane.startControllerManager({ controllers: '*' });
    await endsExactly(names);
  }, 600_000);
});
