// Many Jobs of one pod, created at once and followed to their end by one watch.
import type { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { isJobFinished } from '../../../lib/kinds/job/terms/owner-facts.ts';
import type { Job } from '../../../lib/objects/kubernetes.ts';
import { JOBS } from '../../../lib/objects/resources.ts';
import { deadlineIn } from '../../../lib/ports/clock.ts';
import { inParallel } from '../../../lib/reconciler/invocation/parallel.ts';
import { POD_TEMPLATE } from '../controllers.ts';
import { follow } from './follow.ts';

const CREATES_AT_ONCE = 32;
const LOOK_EVERY_MS = 50;

const clock = new SystemClock();

/**
 * @param options.withinMs what has not ended by then is not waited for
 * @param options.ended told after each Job how many have ended
 * @returns how many ended, and when the last of them did
 */
export async function runJobs(
  cluster: KubernetesCluster,
  { jobs, prefix, withinMs, ended = () => {} }: { jobs: number; prefix: string; withinMs: number; ended?: (count: number) => void },
): Promise<{ finished: number; seconds: number }> {
  const ending = new AbortController();
  const finished = new Set<string>();
  let lastMs = performance.now();
  const { over: following } = await follow(cluster, JOBS, ending.signal, ({ object }) => {
    if (!isJobFinished(object as Job)) return;
    const { size } = finished;
    finished.add(object.metadata.name ?? '');
    lastMs = performance.now();
    if (finished.size > size) ended(finished.size);
  });
  // Looked at below, after each wait.
  following.catch(() => {});
  const beganMs = performance.now();
  const isOver = (): boolean => finished.size >= jobs || performance.now() > beganMs + withinMs;
  try {
    const names = Array.from({ length: jobs }, (_, at) => `${prefix}-${at}`);
    await inParallel(names, CREATES_AT_ONCE, async (name) => {
      const spec = { completions: 1, parallelism: 1, backoffLimit: 0, template: POD_TEMPLATE };
      const job: Job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'default' }, spec };
      if (!isOver()) await cluster.create(JOBS, job, deadlineIn(clock, 10_000));
    });
    while (!isOver()) await Promise.race([clock.wait(LOOK_EVERY_MS), following]);
  } finally {
    ending.abort();
    await following;
  }
  return { finished: finished.size, seconds: ((finished.size >= jobs ? lastMs : performance.now()) - beganMs) / 1000 };
}
