// A real API server with a simulated node, those of its built-in controllers that a test asks for, and `farloop` processes beside it.
import { join } from 'node:path';
import { accessFromKubeconfig } from '../../lib/adapters/kubernetes/kubeconfig.ts';
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { Job, Pod } from '../../lib/objects/kubernetes.ts';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import { deadlineIn, type Deadline } from '../../lib/ports/clock.ts';
import { FarloopProcess, temporaryFolder } from '../cli/farloop-process.ts';
import type { ControlPlane, ControlPlaneOptions } from './control-plane.ts';
import { startControlPlane } from './control-plane.ts';

const clock = new SystemClock();

export interface JobsCluster {
  controlPlane: ControlPlane;
  /** As somebody who may do everything. */
  api: KubernetesCluster;
  /** For one request. */
  soon: () => Deadline;
  /** For what a test writes; it goes at the end. */
  folder: string;
  /** `farloop up` on this cluster, its state in a folder of that name. */
  up: (state: string, ...args: string[]) => FarloopProcess;
  job: (name: string) => Promise<Job>;
  podsOf: (job: string) => Promise<Pod[]>;
  stop: () => Promise<void>;
}

export interface JobsClusterOptions extends ControlPlaneOptions {
  controllers: string;
  /** Of the simulated node; its own when absent. */
  nodeCpu?: string;
}

export async function startJobsCluster({ nodeCpu, ...options }: JobsClusterOptions): Promise<JobsCluster> {
  const folder = temporaryFolder();
  const started: FarloopProcess[] = [];
  const start = (...args: string[]): FarloopProcess => {
    const farloop = new FarloopProcess(args);
    started.push(farloop);
    return farloop;
  };
  const controlPlane = await startControlPlane(options);
  const { kubeconfigPath } = controlPlane;
  const api = new KubernetesCluster({ access: await accessFromKubeconfig({ file: kubeconfigPath }), clock });
  const size = nodeCpu === undefined ? [] : ['--node-cpu', nodeCpu];
  await start('node', '--simulated', '--kubeconfig', kubeconfigPath, ...size).says('ready\n');
  const soon = (): Deadline => deadlineIn(clock, 30_000);
  return {
    controlPlane,
    api,
    soon,
    folder: folder.path,
    up: (state, ...args) => start('up', '--state', join(folder.path, state), '--port', '0', '--kubeconfig', kubeconfigPath, ...args),
    job: async (name) => (await api.get<Job>(JOBS, { namespace: 'default', name }, soon())).object,
    podsOf: async (job) => (await api.list<Pod>(PODS, { namespace: 'default', labelSelector: `job-name=${job}` }, soon())).items,
    stop: async () => {
      for (const farloop of started) await farloop.destroy();
      api.close();
      await controlPlane.stop();
      folder.remove();
    },
  };
}
