// Large and odd training jobs, then the same instance started again: its relay lists, and reports, all of them anew.
import { join } from 'node:path';
import type { TrainingJob, TrainingStatus } from '../../lib/kinds/training/terms/job-types.ts';
import { PODS } from '../../lib/objects/resources.ts';
import { check, until } from '../claims.ts';
import { startTrainingCluster } from '../cluster/training-cluster.ts';
import { Instance } from './instance.ts';
import { LARGE, oddTrainingJobs, type OddTrainingJob } from './odd-training-jobs.ts';
import { judgeRounds, OrdinaryJobs } from './ordinary-jobs.ts';

interface Bounds {
  /** Of the usual time of an ordinary Job, and two seconds. */
  times: number;
  /** Of one turn of the event loop. */
  heldMs: number;
  bytes: number;
}

/** Until thousands of workers run, or are known again. */
const WORKERS_MS = 600_000;
/**
 * Of a job of hundreds of workers and more: with 7,000 workers an ordinary Job takes 0.3 s longer, the loop is held for 100 ms and memory grows to 550 MB.
 * Where the workers take four times as long to come, beside the other lanes of a slow machine, it was held for 0.7 s, and collects garbage later.
 */
const BESIDE_LARGE: Bounds = { times: 2, heldMs: 1_500, bytes: 700e6 };
/** A relay that begins lists 7,000 pods and as many services at once, and reports them in one message: 0.3 s to pack and as much to read. */
const BESIDE_RESTARTED: Bounds = { ...BESIDE_LARGE, heldMs: 2_000 };
/** The same on the real API server: it, its etcd and its node have the same two cores, and 300 failing workers keep these busy. */
const BESIDE_LARGE_ON_REAL_SERVER: Bounds = { times: 8, heldMs: 500, bytes: 600e6 };
/** One request of megabytes is read at once. */
const BESIDE_OTHERS: Bounds = { times: 1, heldMs: 2_000, bytes: 600e6 };
/** Workers on the real API server; its node, etcd and Farloop share two cores there. */
const WORKERS_ON_REAL_SERVER = 150;

async function statusOf({ access, soon }: Instance, { resource, object }: OddTrainingJob): Promise<TrainingStatus> {
  const { name = '' } = object.metadata;
  return (await access.get<TrainingJob>(resource, { namespace: 'default', name }, soon())).object.status ?? {};
}

const podsOf = async ({ access, soon }: Instance, job: string): Promise<number> =>
  (await access.list(PODS, { namespace: 'default', labelSelector: `training.kubeflow.org/job-name=${job}` }, soon())).items.length;

/** Ordinary Jobs beside an object: rounds until it has come to where it should, at least two. */
async function roundsUntil(ordinary: OrdinaryJobs, what: string, hasCome: () => Promise<boolean>): Promise<number[][]> {
  const endMs = performance.now() + WORKERS_MS;
  const rounds = [await ordinary.round(), await ordinary.round()];
  while (!(await hasCome())) {
    check(performance.now() < endMs, `not within ${WORKERS_MS / 1000} s: ${what}`);
    rounds.push(await ordinary.round());
  }
  return rounds;
}

export async function besideTraining(
  where: string,
  { folder, workers, kubeconfig }: { folder: string; workers: number; kubeconfig?: string },
): Promise<void> {
  const state = join(folder, `${where}-state`);
  const isReal = kubeconfig !== undefined;
  const [besideLarge, besideRestarted] = isReal
    ? [BESIDE_LARGE_ON_REAL_SERVER, BESIDE_LARGE_ON_REAL_SERVER]
    : [BESIDE_LARGE, BESIDE_RESTARTED];
  let farloop = await Instance.start({ state, kubeconfig });
  // One fault hides no other figure.
  const faults: string[] = [];
  const judge = async (
    what: string,
    usualMs: number,
    { rounds, bounds }: { rounds: readonly number[][]; bounds: Bounds },
  ): Promise<void> => {
    const title = `${where}, ${what}`;
    for (const look of [
      async () => judgeRounds(title, usualMs, rounds, bounds.times),
      async () => await farloop.judgeLoop(title, bounds.heldMs),
      async () => farloop.judgeMemory(title, bounds.bytes),
    ])
      try {
        await look();
      } catch (error) {
        faults.push(error instanceof Error ? error.message : String(error));
      }
  };
  try {
    const { ordinary, usualMs } = await OrdinaryJobs.measured(farloop, 'before');
    await farloop.judgeLoop(`${where}, ordinary Jobs alone`);
    for (const odd of oddTrainingJobs(workers)) {
      const { uid = '' } = (await farloop.access.create(odd.resource, odd.object, farloop.soon())).object.metadata;
      const { name = '' } = odd.object.metadata;
      const began = performance.now();
      const rounds = await roundsUntil(
        ordinary,
        odd.what,
        async () => odd.hasCome === undefined || odd.hasCome(await statusOf(farloop, odd)),
      );
      console.log(`hostile: ${where}: ${odd.what} had come after ${((performance.now() - began) / 1_000).toFixed(0)} s`);
      await judge(odd.what, usualMs, { rounds, bounds: odd.isLarge ? besideLarge : BESIDE_OTHERS });
      if (!odd.goes) continue;
      await farloop.access.delete(odd.resource, { namespace: 'default', name, uid }, farloop.soon());
      await until(`the pods of ${name} go`, async () => (await podsOf(farloop, name)) === 0, WORKERS_MS);
      await farloop.ask('held', {});
    }
    await farloop.stop();

    farloop = await Instance.start({ state, kubeconfig });
    // What it loads and opens before it serves is nobody's pass.
    await farloop.ask('held', {});
    const after = await OrdinaryJobs.warmedUp(farloop, 'restarted');
    const areKnown = async (): Promise<boolean> => (await farloop.ask('pods', { name: LARGE })) === workers + 1;
    await judge('restarted', usualMs, { rounds: await roundsUntil(after, 'all pods are known again', areKnown), bounds: besideRestarted });
    await farloop.stop();
    check(faults.length === 0, faults.join('\n'));
  } finally {
    farloop.kill();
  }
}

export async function besideTrainingOnRealServer(folder: string): Promise<void> {
  const cluster = await startTrainingCluster({ nodeCpu: '1000' });
  try {
    await besideTraining('realTraining', { folder, workers: WORKERS_ON_REAL_SERVER, kubeconfig: cluster.controlPlane.kubeconfigPath });
  } finally {
    await cluster.stop();
  }
}
