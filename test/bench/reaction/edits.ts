// From a change of a Job to the pod that it asks for, as another watch sees it: Farloop and kube-controller-manager on one API server, each
// with Jobs of its own, one change after the other. Before each change the cluster has been quiet for a while.
import { join } from 'node:path';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { accessFromKubeconfig } from '../../../lib/adapters/kubernetes/kubeconfig.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import type { Job, KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import { JOBS, PODS, type Resource } from '../../../lib/objects/resources.ts';
import { deadlineIn } from '../../../lib/ports/clock.ts';
import { startControlPlane } from '../../cluster/control-plane.ts';
import { POD_TEMPLATE, withBuiltIn, withFarloop } from '../controllers.ts';
import { processorSecondsOf } from '../processor-time.ts';
import type { Setting } from '../reaction.ts';
import { follow } from './follow.ts';

const MOST_MS = { p50: 20, p95: 50 };
const QUIET_MS = 300;
/** A controller that is still busy after that is measured all the same. */
const QUIET_WITHIN_MS = 5_000;
const PATIENCE_MS = 30_000;
const CONTROLLERS = { Farloop: 'farloop.dev/job', 'kube-controller-manager': undefined } as const;
type Controller = keyof typeof CONTROLLERS;

const clock = new SystemClock();
const deadline = () => deadlineIn(clock, 10_000);

/** What happens in the cluster, as its watches tell. */
class Happenings {
  readonly #ending = new AbortController();
  readonly #awaited = new Set<(pod: KubernetesObject) => void>();
  #latestMs = performance.now();

  async begin(cluster: KubernetesCluster): Promise<void> {
    await Promise.all([
      this.#follow(cluster, JOBS, () => {}),
      this.#follow(cluster, PODS, (pod) => this.#awaited.forEach((seen) => seen(pod))),
    ]);
  }

  async #follow(cluster: KubernetesCluster, resource: Resource, added: (object: KubernetesObject) => void): Promise<void> {
    const { over } = await follow(cluster, resource, this.#ending.signal, ({ type, object }) => {
      this.#latestMs = performance.now();
      if (type === 'ADDED') added(object);
    });
    over.catch((error: unknown) => console.error('the benchmark watches no longer:', error));
  }

  /** Resolves with the time at which the next pod of that Job has come. */
  async podOf(job: string): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    const told = ({ metadata }: KubernetesObject): void => {
      if (metadata.labels?.['batch.kubernetes.io/job-name'] === job) resolve(performance.now());
    };
    this.#awaited.add(told);
    const over = new AbortController();
    const never = clock.wait(PATIENCE_MS, over.signal).then(() => {
      throw new Error(`${job} has no pod after ${PATIENCE_MS / 1000} s`);
    });
    never.catch(() => {});
    try {
      return await Promise.race([promise, never]);
    } finally {
      this.#awaited.delete(told);
      over.abort();
    }
  }

  async quiet(): Promise<void> {
    const untilMs = performance.now() + QUIET_WITHIN_MS;
    for (;;) {
      const leftMs = this.#latestMs + QUIET_MS - performance.now();
      if (leftMs <= 0 || performance.now() > untilMs) return;
      await clock.wait(leftMs);
    }
  }

  end(): void {
    this.#ending.abort();
  }
}

/** Milliseconds from the request to the pod. */
async function reaction(happenings: Happenings, job: string, change: () => Promise<unknown>): Promise<number> {
  await happenings.quiet();
  const pod = happenings.podOf(job);
  pod.catch(() => {});
  const beganMs = performance.now();
  await change();
  return (await pod) - beganMs;
}

export async function edits({ times, folder, miss, cpuProf }: Setting): Promise<void> {
  const plane = await startControlPlane({});
  const cluster = new KubernetesCluster({ access: await accessFromKubeconfig({ file: plane.kubeconfigPath }), clock });
  const happenings = new Happenings();
  let perChangeMs = 0;
  const took = { created: new Map<Controller, number[]>(), raised: new Map<Controller, number[]>() };
  const note = (what: keyof typeof took, by: Controller, ms: number): void => void took[what].set(by, [...(took[what].get(by) ?? []), ms]);
  const round = async (by: Controller, name: string): Promise<{ createdMs: number; raisedMs: number }> => {
    const managedBy = CONTROLLERS[by];
    const spec = { completions: 5, parallelism: 1, ...(managedBy !== undefined && { managedBy }), template: POD_TEMPLATE };
    let uid = '';
    const createdMs = await reaction(happenings, name, async () => {
      const job: Job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'default' }, spec };
      uid = (await cluster.create(JOBS, job, deadline())).object.metadata.uid ?? '';
    });
    const raisedMs = await reaction(happenings, name, async () => {
      const target = { namespace: 'default', name, uid };
      await cluster.patch(JOBS, target, { type: 'merge', body: { spec: { parallelism: 2 } } }, deadline());
    });
    return { createdMs, raisedMs };
  };
  try {
    await withBuiltIn(plane, {}, async () => {
      const flags = cpuProf === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', cpuProf];
      await withFarloop(plane, { stateFolder: join(folder, 'edits'), manage: 'own', flags }, async (pid) => {
        await happenings.begin(cluster);
        let usedBefore = 0;
        for (let time = 0; time <= times; time++) {
          if (time === 1) usedBefore = processorSecondsOf(pid);
          for (const by of Object.keys(CONTROLLERS) as Controller[]) {
            const { createdMs, raisedMs } = await round(by, `${by.toLowerCase()}-${time}`);
            // The first of each is not measured: it compiles, connects and opens.
            if (time === 0) continue;
            note('created', by, createdMs);
            note('raised', by, raisedMs);
          }
        }
        perChangeMs = ((processorSecondsOf(pid) - usedBefore) / times / 2) * 1000;
      });
    });
  } finally {
    happenings.end();
    cluster.close();
    await plane.stop();
  }
  console.log(
    `from a change to the pod that it asks for, ${times} times each in turns; Farloop takes ${perChangeMs.toFixed(1)} ms of a processor for one, what follows and what it does anyway in it:`,
  );
  report('Job created', took.created, miss);
  report('parallelism raised', took.raised, miss);
}

function report(what: string, took: ReadonlyMap<Controller, readonly number[]>, miss: (what: string) => void): void {
  const of = (by: Controller): { p50: number; p95: number } => {
    const sorted = (took.get(by) ?? []).toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? NaN;
    return { p50: at(0.5), p95: at(0.95) };
  };
  const [ours, theirs] = [of('Farloop'), of('kube-controller-manager')];
  const text = ({ p50, p95 }: typeof ours): string => `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`;
  console.log(`  ${what}: Farloop ${text(ours)} (at most ${MOST_MS.p50} and ${MOST_MS.p95}); kube-controller-manager ${text(theirs)}`);
  console.log(`    ratio: p50 ${(ours.p50 / theirs.p50).toFixed(2)} x, p95 ${(ours.p95 / theirs.p95).toFixed(2)} x`);
  if (!(ours.p50 <= MOST_MS.p50 && ours.p95 <= MOST_MS.p95)) miss(`${what}: ${text(ours)}`);
}
