// What training jobs cost, as rows of `npm run bench counts`: writes for their pods and services, writes beside these, write units, passes.
import { isOver } from '../../lib/kinds/training/status/conditions.ts';
import { resourceOf } from '../../lib/kinds/training/facts.ts';
import type { Framework } from '../../lib/kinds/training/terms/framework.ts';
import { FRAMEWORKS } from '../../lib/kinds/training/frameworks/all.ts';
import { mpi } from '../../lib/kinds/training/frameworks/mpi.ts';
import { pytorch } from '../../lib/kinds/training/frameworks/pytorch.ts';
import type { RunPolicy, TrainingJob } from '../../lib/kinds/training/terms/job-types.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { definedRows } from '../sandbox/defined-rows.ts';
import { World } from '../world/world.ts';
import ASSUMED from './assumed.json' with { type: 'json' };
import { bound, breakdown, converged, figuresOf, misses, unitsByOperation, writesByKind } from './counting.ts';

interface Course {
  title: string;
  framework: Framework;
  /** By type. */
  replicas: Record<string, number>;
  /** Such jobs at once: 1 unless said otherwise. */
  jobs?: number;
  restartPolicy?: string;
  runPolicy?: RunPolicy;
  /** The end of the name of a pod that fails once, with an exit code that restarts it. */
  failing?: string;
  /** Pods and services that the job loses at its end. */
  removed?: { pods: number; services: number };
  /** Writes of a job beside those of its pods and services. */
  mostOthers: number;
  /** Write units per replica with its service; absent: reported. */
  mostUnits?: number;
  /** Passes of a job, as of a Job with as many events; absent: reported. */
  mostPasses?: number;
}

const RETRYABLE_EXIT_CODE = 137;
/** A relay on AWS sends news of pods alone twice a second at most. */
const STEP_MS = 500;
/** Pods of a job that start, or end, in a step: a job of 256 replicas takes some seconds, as on many nodes. */
const PODS_PER_STEP = 20;
const ALL_RUN_STEPS = 20;
const AFTERWARDS_STEPS = 20;
const ONE_BY_ONE = { perSecond: 20, burst: 30 };
const LONGEST_SECONDS = 600;
/** Types whose pod ends last. */
const LEADERS = ['master', 'launcher'];

function aTrainingJob(name: string, { framework, replicas, restartPolicy, runPolicy }: Course): TrainingJob {
  const template = { spec: { containers: [{ name: framework.container, image: 'example.com/none' }] } };
  const specs = Object.entries(replicas).map(([type, count]) => [
    type,
    { replicas: count, ...(restartPolicy !== undefined && { restartPolicy }), template },
  ]);
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: framework.kind,
    metadata: { name, namespace: 'default' },
    spec: { ...(runPolicy && { runPolicy }), [framework.replicasField]: Object.fromEntries(specs) },
  };
}

const isLeader = ({ metadata: { name = '' } }: Pod): boolean => LEADERS.some((type) => name.includes(`-${type}`));
const isIn =
  (phase: string) =>
  (pod: Pod): boolean =>
    pod.status?.phase === phase;

/** Pods start a few at a time. Once all run for a while, the failing one fails; once all run again, they end a few at a time, leaders last. */
class Kubelets {
  readonly #world: World;
  readonly #course: Course;
  readonly #pods: number;
  #hasFailed: boolean;
  #isEnding = false;

  constructor(world: World, course: Course) {
    this.#world = world;
    this.#course = course;
    this.#pods = replicasIn(course);
    this.#hasFailed = course.failing === undefined;
  }

  async step(): Promise<void> {
    const world = this.#world;
    const pods = await world.pods();
    const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    for (const pod of pods) if (pod.metadata.deletionTimestamp !== undefined) await world.endDeleted(pod);
    const starting = staying.filter(isIn('Pending'));
    for (const pod of starting.slice(0, PODS_PER_STEP * this.#jobs)) await world.startPod(pod);
    const running = staying.filter(isIn('Running'));
    if (this.#isEnding) await this.#end(running);
    else if (running.length === this.#pods) await this.#allRun(running);
  }

  get #jobs(): number {
    return this.#course.jobs ?? 1;
  }

  async #allRun(running: readonly Pod[]): Promise<void> {
    // Long enough for all to be seen running.
    await turns(this.#world, ALL_RUN_STEPS);
    if (this.#hasFailed) this.#isEnding = true;
    else {
      this.#hasFailed = true;
      for (const pod of running)
        if (pod.metadata.name?.endsWith(this.#course.failing ?? '')) await this.#world.end(pod, RETRYABLE_EXIT_CODE);
    }
  }

  async #end(running: readonly Pod[]): Promise<void> {
    const [leaders, others] = [running.filter(isLeader), running.filter((pod) => !isLeader(pod))];
    // Workers of an MPIJob sleep until they are stopped.
    const ending = this.#course.framework.leader ? leaders : [...others, ...leaders];
    for (const pod of ending.slice(0, PODS_PER_STEP * this.#jobs)) await this.#world.end(pod, 0);
  }
}

const replicasIn = ({ replicas, jobs = 1 }: Course): number => jobs * Object.values(replicas).reduce((sum, count) => sum + count, 0);

async function turns(world: World, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    await world.report();
    await runPasses(world);
    await world.clock.advance(STEP_MS);
  }
}

interface Making {
  beganMs: number;
  endedMs: number;
}

/** Each create takes as long as an answer is assumed to take. @returns from now to the end of the latest one, as it stands */
function timeCreates({ cluster, clock }: World): Making {
  const making = { beganMs: clock.nowMs(), endedMs: clock.nowMs() };
  cluster.interference.before = async ({ verb, plural }) => {
    if (verb !== 'create' || plural === 'events') return;
    await clock.wait(ASSUMED.apiServerRequestMs);
    making.endedMs = clock.nowMs();
  };
  return making;
}

/** Time goes on while passes wait for answers. */
async function runPasses(world: World): Promise<void> {
  const progress = { isOver: false };
  const over = world.run().finally(() => (progress.isOver = true));
  for (;;) {
    await world.settle();
    if (progress.isOver) break;
    await world.clock.advance(ASSUMED.apiServerRequestMs);
  }
  await over;
}

/** Seconds that creates take one after another, under the limits that upstream's operator has unless told otherwise. */
function secondsOneByOne(creates: number): number {
  return Math.max(creates - ONE_BY_ONE.burst, 0) / ONE_BY_ONE.perSecond;
}

async function follow(course: Course): Promise<void> {
  const { title, framework, jobs = 1, removed = { pods: 0, services: 0 }, mostOthers, mostUnits, mostPasses } = course;
  const world = new World({
    manages: ['training-jobs'],
    rows: FRAMEWORKS.flatMap(({ kind }) => definedRows(kind)),
    writesPerSecond: 100_000,
  });
  await world.watch();
  const making = timeCreates(world);
  for (let at = 0; at < jobs; at++) await world.apply(aTrainingJob(`t${at}`, course));
  const resource = resourceOf(framework);
  const isAllOver = async (): Promise<boolean> =>
    (await world.all<TrainingJob>(resource)).every(({ status }) => isOver(status?.conditions));
  const kubelets = new Kubelets(world, course);
  const replicas = replicasIn(course);
  for (let step = 0; !(await isAllOver()); step++) {
    if (step > (LONGEST_SECONDS * 1000) / STEP_MS) throw new Error(`${title}: not over within ${LONGEST_SECONDS} s`);
    await kubelets.step();
    await turns(world, 1);
  }
  // What its end removes, and what is written about that.
  for (let step = 0; step < AFTERWARDS_STEPS; step++) {
    await kubelets.step();
    await turns(world, 1);
  }
  const { eventObjects, writeUnits, summaryUnits, indexUnits, passes } = figuresOf(world);
  const writes = writesByKind(world);
  const ofReplicas = {
    'create pods': replicas + (course.failing === undefined ? 0 : jobs),
    'create services': framework.objects ? 0 : replicas,
    'delete pods': removed.pods * jobs + (course.failing === undefined ? 0 : jobs),
    'delete services': removed.services * jobs,
  };
  const others = new Map(writes);
  for (const [what, expected] of Object.entries(ofReplicas)) {
    if ((writes.get(what) ?? 0) !== expected) misses.push(`${title}: ${what} ${writes.get(what) ?? 0}, not ${expected}`);
    others.delete(what);
  }
  const other = [...others.values()].reduce((sum, count) => sum + count, 0) / jobs;
  console.log(title);
  console.log(
    `  API writes for pods and services         ${Object.entries(ofReplicas)
      .map(([what]) => `${what} ${(writes.get(what) ?? 0) / jobs}`)
      .join(', ')}`,
  );
  console.log(
    `  API writes of a job beside these         ${bound(`${title} other writes`, other, mostOthers, 2)}: ${breakdown(others, jobs)}`,
  );
  const units = (writeUnits - summaryUnits) / replicas;
  const summaries = bound(`${title} summaries of a job`, summaryUnits / jobs, 4, 2);
  console.log(
    `  write units per replica                  ${mostUnits === undefined ? units.toFixed(3) : bound(`${title} write units`, units, mostUnits)}, and for summaries of a job ${summaries}: ${breakdown(unitsByOperation(world), replicas)}; index ${(indexUnits / replicas).toFixed(3)}`,
  );
  const created = [...writes].reduce((sum, [what, count]) => sum + (what.startsWith('create ') ? count : 0), 0);
  if (created > ONE_BY_ONE.burst && jobs === 1)
    console.log(
      `  all pods and services                    ${(making.endedMs - making.beganMs) / 1000} s after the job at ${ASSUMED.apiServerRequestMs} ms an answer; one after another at ${ONE_BY_ONE.perSecond} requests a second ${secondsOneByOne(created).toFixed(1)} s`,
    );
  console.log(
    `  Event objects per replica                ${(eventObjects / replicas).toFixed(3)}; passes a job ${mostPasses === undefined ? (passes / jobs).toFixed(1) : bound(`${title} passes`, passes / jobs, mostPasses, 1)}`,
  );
  await converged(world);
  world.close();
}

const COURSES: Record<string, Course> = {
  'training-1': {
    title: 'PyTorchJob, 1 replica (50 jobs)',
    framework: pytorch,
    replicas: { Master: 1 },
    jobs: 50,
    mostOthers: 6,
    mostUnits: 12,
  },
  'training-8': { title: 'PyTorchJob, 8 replicas', framework: pytorch, replicas: { Master: 1, Worker: 7 }, mostOthers: 6 },
  'training-256': {
    title: 'PyTorchJob, 256 replicas',
    framework: pytorch,
    replicas: { Master: 1, Worker: 255 },
    mostOthers: 12,
    mostUnits: 1,
    mostPasses: 12,
  },
  'training-mpi-8': {
    title: 'MPIJob, 8 replicas',
    framework: mpi,
    replicas: { Launcher: 1, Worker: 7 },
    mostOthers: 12,
  },
  'training-mpi-256': {
    title: 'MPIJob, 256 replicas',
    framework: mpi,
    replicas: { Launcher: 1, Worker: 255 },
    mostOthers: 12,
    mostUnits: 1,
    mostPasses: 12,
  },
  'training-restart': {
    title: 'PyTorchJob, 8 replicas, one restarted',
    framework: pytorch,
    replicas: { Master: 1, Worker: 7 },
    restartPolicy: 'ExitCode',
    failing: '-worker-3',
    mostOthers: 6,
  },
  'training-clean-up': {
    title: 'PyTorchJob, 8 replicas, cleaned up',
    framework: pytorch,
    replicas: { Master: 1, Worker: 7 },
    runPolicy: { cleanPodPolicy: 'All' },
    removed: { pods: 8, services: 8 },
    mostOthers: 6,
  },
};

/** Parts of `npm run bench counts`. */
export const TRAINING_PARTS: Record<string, () => Promise<void>> = Object.fromEntries(
  Object.entries(COURSES).map(([part, course]) => [part, () => follow(course)]),
);
