// The reference's metrics, as whole Jobs leave them: each count is one change that the API server confirmed.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { JobSpec, Pod } from '../../../lib/objects/kubernetes.ts';
import { UPSTREAM_METRICS, upstreamMetric } from '../../../lib/objects/upstream-metrics.ts';
import { JOBS } from '../../../lib/objects/resources.ts';
import { TerminalError } from '../../../lib/ports/errors.ts';
import { aJob, conditionsOf, World } from '../../world/world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

const sum = (metric: string, labels: Record<string, string> = {}): number =>
  world.metrics
    .filter((one) => one.metric === metric && Object.entries(labels).every(([name, value]) => one.dimensions[name] === value))
    .reduce((total, { value }) => total + value, 0);
const job = (name: string): string => `job_controller_${name}`;
const hasEnded = async (): Promise<boolean> =>
  (await world.job('demo').then(conditionsOf)).some((type) => type === 'Complete' || type === 'Failed');
async function through(spec: Partial<JobSpec>, exitCode: (pod: Pod) => number = () => 0): Promise<void> {
  await world.apply(aJob('demo', spec));
  await world.until(async () => (await world.play(exitCode), await hasEnded()), { play: false, seconds: 600 });
  await world.until(async () => (await world.pods()).every(({ metadata }) => metadata.finalizers === undefined));
  await world.elapse(5);
}
const indexOf = ({ metadata }: Pod): string | undefined => metadata.labels?.['batch.kubernetes.io/job-completion-index'];

describe('metrics of Jobs', () => {
  test('a NonIndexed Job: its pods, its end, its passes', async () => {
    await through({ completions: 5, parallelism: 2 });
    const completion_mode = 'NonIndexed';
    expect(sum(job('job_pods_finished_total'), { completion_mode, result: 'succeeded' })).toBe(5);
    expect(sum(job('jobs_finished_total'))).toBe(1);
    expect(sum(job('jobs_finished_total'), { completion_mode, result: 'succeeded', reason: 'CompletionsReached' })).toBe(1);
    expect(sum(job('job_pods_creation_total'), { reason: 'new', status: 'succeeded' })).toBe(5);
    expect(sum(job('job_syncs_total'), { completion_mode, result: 'success', action: 'pods_created' })).toBeGreaterThanOrEqual(3);
    expect(world.metrics.filter(({ metric }) => metric === job('job_sync_duration_seconds'))).toHaveLength(sum(job('job_syncs_total')));
    const event = job('terminated_pods_tracking_finalizer_total');
    expect(sum(event, { event: 'add' })).toBe(5);
    expect(sum(event, { event: 'delete' })).toBe(5);
  });

  test('an Indexed Job whose indexes fail: indexes apart from pods', async () => {
    await through({ completions: 2, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 1 }, (pod) =>
      indexOf(pod) === '0' ? 1 : 0,
    );
    expect(sum(job('job_pods_finished_total'), { completion_mode: 'Indexed', result: 'failed' })).toBe(2);
    expect(sum(job('job_pods_finished_total'), { result: 'succeeded' })).toBe(1);
    const indexes = job('job_finished_indexes_total');
    expect(sum(indexes, { status: 'failed', backoffLimit: 'perIndex' })).toBe(1);
    expect(sum(indexes, { status: 'succeeded', backoffLimit: 'perIndex' })).toBe(1);
    expect(sum(job('jobs_finished_total'), { result: 'failed', reason: 'FailedIndexes' })).toBe(1);
    expect(sum(job('job_pods_creation_total'), { reason: 'new' })).toBe(2);
    expect(sum(job('job_pods_creation_total'), { reason: 'recreate_terminating_or_failed' })).toBe(1);
  });

  test('case 130: the rule that a failure matched, once', async () => {
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [3] } }];
    await through({ podFailurePolicy: { rules }, backoffLimit: 6 }, () => 3);
    const metric = job('pod_failures_handled_by_failure_policy_total');
    expect(sum(metric)).toBe(1);
    expect(sum(metric, { action: 'FailJob' })).toBe(1);
    expect(sum(job('jobs_finished_total'), { result: 'failed', reason: 'PodFailurePolicy' })).toBe(1);
  });

  test('a pass is called after what it does about the number of pods, also where that has to wait', async () => {
    const syncs = (action: string): number => sum(job('job_syncs_total'), { action });
    await world.apply(aJob('demo', { completions: 2, parallelism: 1 }));
    await world.until(async () => (await world.pods()).length === 1, { play: false });
    const [pod] = await world.pods();
    if (pod) await world.startPod(pod);
    const before = { created: syncs('pods_created'), tracking: syncs('tracking') };
    // Ready alone: as many run as should.
    await world.elapse(8, { play: false });
    expect(syncs('tracking')).toBeGreaterThan(before.tracking);
    expect(syncs('pods_created')).toBe(before.created);
    if (pod) await world.end(pod, 1);
    // In back-off nothing is created, and yet it is what the pass is about.
    await world.elapse(3, { play: false });
    expect(syncs('pods_created')).toBeGreaterThan(before.created);
    expect(await world.pods()).toHaveLength(1);
    await world.as('PATCH', JOBS, {
      namespace: 'default',
      name: 'demo',
      body: { spec: { suspend: true } },
      type: 'application/merge-patch+json',
    });
    await world.elapse(3, { play: false });
    expect(syncs('pods_deleted')).toBeGreaterThan(0);
    await world.as('PATCH', JOBS, {
      namespace: 'default',
      name: 'demo',
      body: { spec: { suspend: false, activeDeadlineSeconds: 1 } },
      type: 'application/merge-patch+json',
    });
    await world.until(hasEnded, { play: false });
    // The end of a Job is no matter of how many run.
    expect(syncs('reconciling')).toBeGreaterThan(0);
  });

  test('a create that is refused, and its pass as one that ends in error', async () => {
    let isRefused = false;
    world.interposer = ({ port, method, phase, args }) => {
      if (isRefused || port !== 'cluster' || method !== 'create' || phase !== 'before' || (args[0] as { kind: string }).kind !== 'Pod')
        return;
      isRefused = true;
      throw new TerminalError('exceeded quota', { code: 403 });
    };
    await through({});
    expect(sum(job('job_pods_creation_total'), { status: 'failed' })).toBe(1);
    expect(sum(job('job_pods_creation_total'), { status: 'succeeded' })).toBe(1);
    expect(sum(job('job_syncs_total'), { result: 'error' })).toBe(1);
    expect(sum(job('job_syncs_total'), { result: 'error', action: 'pods_created' })).toBe(1);
  });

  test('counts survive a process that dies between its passes', async () => {
    await world.apply(aJob('demo', { completions: 6, parallelism: 2 }));
    for (let round = 0; round < 40 && !(await hasEnded()); round++) {
      await world.elapse(1);
      world.restart();
    }
    expect(sum(job('job_pods_finished_total'), { result: 'succeeded' })).toBe(6);
    expect(sum(job('jobs_finished_total'))).toBe(1);
  });

  test('how late an expired Job was deleted', async () => {
    await world.apply(aJob('demo', { ttlSecondsAfterFinished: 5 }));
    await world.until(async () => (await world.store.workloads('west', { limit: 5 })).keys.length === 0 && world.passes.length > 3, {
      seconds: 60,
    });
    const late = world.metrics.filter(({ metric }) => metric === 'ttl_after_finished_controller_job_deletion_duration_seconds');
    expect(late).toHaveLength(1);
    expect(late[0]?.value).toBeLessThanOrEqual(3);
  });

  test('every label is the reference’s, and all of them are given', async () => {
    await through({ completions: 2, parallelism: 2, completionMode: 'Indexed' }, (pod) => Number(indexOf(pod) === '9'));
    const told = world.metrics.filter(({ metric }) => upstreamMetric(metric));
    expect(told.length).toBeGreaterThan(0);
    for (const { metric, dimensions } of told)
      expect(Object.keys(dimensions).toSorted()).toEqual([...(upstreamMetric(metric)?.labels ?? [])].toSorted());
  });

  test('buckets are the reference’s', () => {
    const bounds = Object.fromEntries(UPSTREAM_METRICS.flatMap((metric) => ('buckets' in metric ? [[metric.name, metric.buckets]] : [])));
    expect(bounds[job('job_sync_duration_seconds')]).toHaveLength(15);
    expect(bounds[job('job_sync_duration_seconds')]?.slice(0, 3)).toEqual([0.004, 0.008, 0.016]);
    expect(bounds['ttl_after_finished_controller_job_deletion_duration_seconds']).toHaveLength(14);
    expect(bounds['ttl_after_finished_controller_job_deletion_duration_seconds']?.slice(0, 3)).toEqual([0.1, 0.2, 0.4]);
  });
});
