// Memory of `farloop up` with many Jobs of one pod at once. API server and player of pods are other processes, so that this is what Farloop
// itself takes; what holds it at its peak is told by the process itself (memory-report.ts).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { accessFromKubeconfig } from '../../../lib/adapters/kubernetes/kubeconfig.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { startControlPlane } from '../../cluster/control-plane.ts';
import { endProcess, launch, PATIENCE_MS, saying, untracked, withFarloop } from '../controllers.ts';
import { peakBytesOf, processorSecondsOf } from '../processor-time.ts';
import type { Setting } from '../reaction.ts';
import type { MemoryReport } from './memory-report.ts';
import { runJobs } from './one-pod-jobs.ts';

const REPORTER = new URL('memory-report.ts', import.meta.url).href;
const MOST_MEGABYTES = 450;
const TOLD_AT = [1_000, 2_000, 4_000, 7_000];
/** After the last Job: what is let go of by then is not held. */
const AFTERWARDS_MS = 5_000;

interface Server {
  kubeconfigPath: string;
  stop: () => Promise<void>;
}

async function realServer(): Promise<Server> {
  const plane = await startControlPlane({});
  const node = launch(['node', '--simulated', '--kubeconfig', plane.kubeconfigPath]);
  const stop = async (): Promise<void> => {
    await endProcess(node);
    await plane.stop();
  };
  return { kubeconfigPath: plane.kubeconfigPath, stop };
}

async function sandboxServer(folder: string): Promise<Server> {
  const sandbox = launch(['sandbox', '--state', folder]);
  await saying(sandbox, 'sandbox ready');
  return { kubeconfigPath: join(folder, 'kubeconfig'), stop: async () => await endProcess(sandbox) };
}

export async function memory({ memoryJobs, server, folder, miss, cpuProf, heapSnapshot }: Setting): Promise<void> {
  const clock = new SystemClock();
  for (const jobs of memoryJobs) {
    const { kubeconfigPath, stop } = server === 'real' ? await realServer() : await sandboxServer(join(folder, `sandbox-${jobs}`));
    const cluster = new KubernetesCluster({ access: await accessFromKubeconfig({ file: kubeconfigPath }), clock });
    const reportPath = join(folder, `memory-${jobs}.json`);
    const flags = [
      `--import=${REPORTER}?to=${encodeURIComponent(reportPath)}`,
      ...(cpuProf === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', cpuProf]),
      ...(heapSnapshot ? ['--heapsnapshot-signal=SIGUSR2'] : []),
    ];
    try {
      await withFarloop({ kubeconfigPath }, { stateFolder: join(folder, `memory-${jobs}`), flags }, async (pid) => {
        const atRest = peakBytesOf(pid) / 1e6;
        const usedBefore = processorSecondsOf(pid);
        const ended = (count: number): void => {
          if (TOLD_AT.includes(count)) console.log(`  ${count} Jobs have ended: peak so far ${(peakBytesOf(pid) / 1e6).toFixed(0)} MB`);
        };
        const { finished, seconds } = await runJobs(cluster, { jobs, prefix: `memory-${jobs}`, withinMs: PATIENCE_MS, ended });
        if (finished < jobs) throw new Error(`${finished} of ${jobs} Jobs ended within ${PATIENCE_MS / 60_000} minutes`);
        await untracked(cluster);
        await clock.wait(AFTERWARDS_MS);
        if (heapSnapshot) process.kill(pid, 'SIGUSR2');
        const peak = peakBytesOf(pid) / 1e6;
        const milliseconds = ((processorSecondsOf(pid) - usedBefore) / jobs) * 1000;
        console.log(
          `${jobs} Jobs of one pod at once on the ${server === 'real' ? 'real API server' : 'sandbox'}, ${(jobs / seconds).toFixed(1)} a second, ${milliseconds.toFixed(1)} ms of a processor each: peak of farloop up ${peak.toFixed(0)} MB (at most ${MOST_MEGABYTES}), before them ${atRest.toFixed(0)} MB`,
        );
        const { atPeak, latest } = JSON.parse(await readFile(reportPath, 'utf8')) as MemoryReport;
        console.log(`  at its peak: ${textOf(atPeak)}`);
        console.log(`  ${AFTERWARDS_MS / 1000} s after the last: ${textOf(latest)}`);
        if (heapSnapshot) await clock.wait(20_000);
        if (peak > MOST_MEGABYTES) miss(`memory with ${jobs} Jobs: ${peak.toFixed(0)} MB`);
      });
    } finally {
      cluster.close();
      await stop();
    }
  }
}

const textOf = (megabytes: Readonly<Record<string, number>>): string =>
  Object.entries(megabytes)
    .map(([part, size]) => `${part} ${size.toFixed(0)}`)
    .join(', ');
