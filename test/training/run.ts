// `npm run test:training -- [--jobs N] [--pods N] [--kills N] [--lose-state] [--seed S]`: training jobs of all kinds at once on a real API server,
// while Farloop is killed and started again. Every one ends with exactly the status it must, every pod and service was made once, but for those
// that failed and are made anew, and nothing is left that should have gone.
import { join } from 'node:path';
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { NAMESPACES, PODS } from '../../lib/objects/resources.ts';
import { isNewer } from '../../lib/objects/values/resource-version.ts';
import { check, until } from '../claims.ts';
import { resourceOf, startTrainingCluster, trainingResources } from '../cluster/training-cluster.ts';
import type { FarloopProcess } from '../cli/farloop-process.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';
import { accountOf, countsIn, endOf, isSame, judgeAll, type Scene } from './judging.ts';
import { storyAt, type Story } from './stories.ts';
import { Witness } from './witness.ts';

const NAMESPACE = 'training';
const SMALLEST_JOB = 3;
/** Jobs that a client creates at a time. */
const CREATED_AT_A_TIME = 5;
/** The garbage collector's calls are bounded by these two: it has thousands of objects to delete. */
const COLLECTOR_QPS = 1_000;
/** No job may take longer than both together on a busy machine. */
const MOST_START_MS = 60_000;
const MOST_POD_MS = 250;
/** What is known of nothing is left alone for 30 s (docs/recovery.md), and then there is a lot to do at once. */
const LOSS_MS = 45_000;

const {
  jobs: jobCount,
  pods: podCount,
  kills,
  loseState,
  seed,
} = script('npm run test:training --')
  .option('--jobs <number>', 'of all kinds in turn; 35 play every plot of every kind', wholeNumber({ min: 1, max: 10_000 }), 100)
  .option('--pods <number>', 'of all jobs, three of each at least', wholeNumber({ min: SMALLEST_JOB, max: 100_000 }), 2_000)
  .option('--kills <number>', 'how often Farloop is killed', wholeNumber({ min: 0, max: 1_000 }), 1)
  .option('--lose-state', 'after a kill, its state folder is an empty one', false)
  .option('--seed <number>', 'of the moments of the kills', wholeNumber({ min: 0, max: LARGEST_NUMBER }), Date.now() % 1_000_000)
  .parse()
  .opts<{ jobs: number; pods: number; kills: number; loseState: boolean; seed: number }>();
const random = seededRandom(seed);

interface Play extends Scene {
  /** How many of a story's rounds are over, by its name. */
  roundsPlayed: Map<string, number>;
  /** Pods that were told to end, by uid. */
  ended: Set<string>;
}

async function main(): Promise<void> {
  check(podCount >= jobCount * SMALLEST_JOB, `${jobCount} jobs need ${jobCount * SMALLEST_JOB} pods: give --pods`);
  console.log(
    `training: ${jobCount} jobs, ${podCount} pods, ${kills} kills${loseState ? ', each with the loss of all state' : ''}, seed ${seed}`,
  );
  const cluster = await startTrainingCluster({ qps: COLLECTOR_QPS });
  const witness = new Witness(cluster.api, NAMESPACE, trainingResources());
  try {
    await cluster.api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }, cluster.soon());
    const losses = loseState ? kills : 0;
    const scene: Play = { cluster, witness, stories: allStories(), losses, state: '', roundsPlayed: new Map(), ended: new Set() };
    await play(scene);
    await judgeAll(scene);
    check(witness.failure === undefined, `the watch ended: ${String(witness.failure)}`);
    console.log('training: every status is exact, every pod and service was made once for what did not fail, and none is left over');
  } finally {
    await witness.stop();
    await cluster.stop();
  }
}

/** Of different sizes, which come to the number of pods. */
function allStories(): Story[] {
  const mean = Math.floor(podCount / jobCount);
  const rest = podCount - mean * jobCount;
  return Array.from({ length: jobCount }, (_, at) => {
    // Two after one another are as much larger and smaller.
    const isPaired = at % 2 === 1 || at + 1 < jobCount;
    const most = mean - SMALLEST_JOB + 1;
    const more = isPaired ? Math.floor(at / 2) % most : 0;
    return storyAt(at, { size: mean + (at % 2 === 0 ? more : -more) + (at < rest ? 1 : 0), namespace: NAMESPACE });
  });
}

/** From the creation of the first job to the end of the last. */
async function play(scene: Play): Promise<void> {
  const { cluster, witness, stories } = scene;
  const beganMs = performance.now();
  const secondsAgo = (): string => ((performance.now() - beganMs) / 1000).toFixed(1);
  const moments = Array.from({ length: kills }, () => random()).toSorted((a, b) => a - b);
  let lives = 0;
  const start = async (): Promise<FarloopProcess> => {
    const folder = loseState ? `state-${lives}` : 'state';
    scene.state = join(cluster.folder, folder);
    const farloop = cluster.up(folder, '--manage', 'training-jobs', '--log-level', 'error');
    lives += 1;
    await farloop.says('console');
    return farloop;
  };
  let farloop = await start();
  /** Half of the way is that all pods are made, the other half that all jobs end. */
  const progress = (): number => {
    const finished = stories.filter(({ name }) => endOf(witness.jobs.get(name)) !== undefined).length;
    return (Math.min(witness.podsMade / podCount, 1) + finished / jobCount) / 2;
  };
  let allMadeAfter: string | undefined;
  const isThrough = async (): Promise<boolean> => {
    check(witness.failure === undefined, `the watch ended: ${String(witness.failure)}`);
    check(farloop.child.exitCode === null, `farloop up ended by itself with ${farloop.child.exitCode}: ${farloop.stderr}`);
    if (allMadeAfter === undefined && witness.podsMade >= podCount) allMadeAfter = secondsAgo();
    if (progress() >= (moments[0] ?? Infinity)) {
      moments.shift();
      console.log(`training: killed after ${secondsAgo()} s, with ${witness.podsMade} pods made`);
      await farloop.destroy();
      farloop = await start();
    }
    for (const story of stories) await endNext(scene, story);
    return stories.every(({ name }) => endOf(witness.jobs.get(name)) !== undefined);
  };
  const unfinished = async (): Promise<string> => {
    const all = stories.filter(({ name }) => endOf(witness.jobs.get(name)) === undefined);
    return `${all.map(({ name, plot }) => `${name} (${plot})`).join(', ')}\n${all[0] ? await accountOf(scene, all[0]) : ''}`;
  };
  const mostMs = MOST_START_MS + podCount * MOST_POD_MS + scene.losses * LOSS_MS;
  await Promise.all([createJobs(scene), until('the end of every job', isThrough, mostMs, unfinished)]);
  check(lives === kills + 1, `Farloop was killed ${lives - 1} times, not ${kills}`);
  console.log(`training: all pods made after ${allMadeAfter} s, all jobs ended after ${secondsAgo()} s; Farloop lived ${lives} times`);
}

async function createJobs({ cluster, stories }: Scene): Promise<void> {
  const waiting = [...stories];
  const createNext = async (): Promise<void> => {
    for (let story = waiting.shift(); story; story = waiting.shift())
      await cluster.api.create(resourceOf(story.kind), story.job, cluster.soon());
  };
  await Promise.all(Array.from({ length: CREATED_AT_A_TIME }, createNext));
}

/** Ends the pods of a story's next round once its status is of after their start, and has the counts of before. */
async function endNext({ cluster, witness, losses, roundsPlayed, ended }: Play, { name, before, rounds }: Story): Promise<void> {
  const played = roundsPlayed.get(name) ?? 0;
  // A loss may forget a failure: then the job goes on, and its last round comes once more.
  const [job, round] = [witness.jobs.get(name), rounds[played] ?? (played < rounds.length + losses ? rounds.at(-1) : undefined)];
  if (!job || !round || !isSame(countsIn(job), before)) return;
  const pods = round.pods.map((pod) => witness.pod(pod));
  const { resourceVersion = '' } = job.metadata;
  const isDue = (pod: Pod | undefined): pod is Pod =>
    pod?.status?.phase === 'Running' &&
    !ended.has(pod.metadata.uid ?? '') &&
    isNewer(resourceVersion, pod.metadata.resourceVersion ?? resourceVersion);
  if (!pods.every(isDue)) return;
  roundsPlayed.set(name, played + 1);
  const annotations = { 'sim.farloop.dev/run-seconds': '0', 'sim.farloop.dev/exit-codes': String(round.exitCode) };
  for (const { metadata } of pods) {
    ended.add(metadata.uid ?? '');
    const target = { namespace: NAMESPACE, name: metadata.name ?? '', uid: metadata.uid ?? '' };
    await cluster.api.patch(PODS, target, { type: 'merge', body: { metadata: { annotations } } }, cluster.soon());
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`training: seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
