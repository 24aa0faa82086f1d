// A thousand Jobs of one pod at once, by Farloop and by kube-controller-manager: Jobs per second, and their ratio.
import { join } from 'node:path';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { accessFromKubeconfig } from '../../../lib/adapters/kubernetes/kubeconfig.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { startControlPlane } from '../../cluster/control-plane.ts';
import { emptied, endProcess, launch, PATIENCE_MS, untracked, withBuiltIn, withFarloop } from '../controllers.ts';
import type { Setting } from '../reaction.ts';
import { runJobs } from './one-pod-jobs.ts';

/** At its default limits the controller manager first makes all pods, 20 a second, and ends Jobs only then: its pace shows in three minutes. */
const PACE_WITHIN_MS = 180_000;
const UNLIMITED = { qps: 5_000, burst: 5_000 };
const WARM_UP_JOBS = 50;

export async function manyJobs({ jobs, folder }: Setting): Promise<void> {
  const clock = new SystemClock();
  const plane = await startControlPlane({});
  const node = launch(['node', '--simulated', '--kubeconfig', plane.kubeconfigPath]);
  const cluster = new KubernetesCluster({ access: await accessFromKubeconfig({ file: plane.kubeconfigPath }), clock });
  const pace = async (prefix: string, withinMs: number): Promise<number> => {
    await runJobs(cluster, { jobs: WARM_UP_JOBS, prefix: `${prefix}-warm-up`, withinMs });
    const { finished, seconds } = await runJobs(cluster, { jobs, prefix, withinMs });
    console.log(`  ${prefix}: ${finished} of ${jobs} Jobs in ${seconds.toFixed(1)} s, ${(finished / seconds).toFixed(1)} a second`);
    return finished / seconds;
  };
  const toTheEnd = async (prefix: string): Promise<number> => {
    const jobsPerSecond = await pace(prefix, PATIENCE_MS);
    await untracked(cluster);
    return jobsPerSecond;
  };
  try {
    console.log(`${jobs} Jobs of one pod at once:`);
    const ours = await withFarloop(plane, { stateFolder: join(folder, 'jobs') }, async () => await toTheEnd('farloop'));
    await emptied(cluster);
    const unlimited = await withBuiltIn(plane, UNLIMITED, async () => await toTheEnd('unlimited'));
    await emptied(cluster);
    // The last: what it leaves unfinished goes with the server.
    const limited = await withBuiltIn(plane, {}, async () => await pace('default-limits', PACE_WITHIN_MS));
    console.log(
      `  Farloop beside kube-controller-manager: ${(ours / limited).toFixed(1)} x at its default limits, ${(ours / unlimited).toFixed(2)} x unlimited`,
    );
  } finally {
    cluster.close();
    await endProcess(node);
    await plane.stop();
  }
}
