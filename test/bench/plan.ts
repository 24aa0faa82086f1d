// `npm run bench plan [-- --rounds N]`: microseconds of one plan at 1,000 and at 100,000 indexes, in a pass in which ten pods changed.
// Timed are putting the ten into the set of pods and planning, since a set that was never asked before knows nothing. What the pass
// does around it (reading the view, calls, writing) is `npm run bench counts` and `npm run bench large`. Exits 1 when a bound is missed.
// All scenes take turns in one process, a lap each, as a function that lives for hours sees all kinds of passes: what the compiler made
// for one must do for the others. Of the later laps the fastest counts: a core that it shares with somebody else makes the very same
// code take up to 1.7 times as long, for milliseconds or for seconds, so the slow laps tell about the machine. The median lap is told too.
import type { Job, JobStatus } from '../../lib/objects/kubernetes.ts';
import { timeOf, type PodFacts } from '../../lib/objects/pods/pod-facts.ts';
import { jobPlanner } from '../../lib/kinds/job/plan.ts';
import { EMPTY_HEAD } from '../../lib/kinds/rows/plan.ts';
import { PodSet, type PodChange } from '../../lib/kinds/rows/pod-set.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';

const { rounds: ROUNDS } = script('npm run bench plan --')
  .option('--rounds <number>', 'plans of a lap', wholeNumber({ min: 1, max: LARGEST_NUMBER }), 400)
  .parse()
  .opts<{ rounds: number }>();
const LAPS = 48;
/** Until then the compiler works on it. */
const WARM_LAPS = 12;
const CHANGED = 10;
const NOW = 1_770_000_000;
const UID = '6b1f0d4e-0000-4000-8000-00000000a0b1';
/** As pods of a view: what they have in common is one object. */
const CONTROLLER = { apiVersion: 'batch/v1', kind: 'Job', name: 'large', uid: UID };
const LABELS = {
  'batch.kubernetes.io/controller-uid': UID,
  'batch.kubernetes.io/job-name': 'large',
  'controller-uid': UID,
  'job-name': 'large',
};
const now = new Date(NOW * 1000);

const running = (index: number, number = 0): PodFacts => ({
  uid: `00000000-0000-4000-8000-${String(index * 10 + number).padStart(12, '0')}`,
  name: `large-${index}-bcdf${number}`,
  namespace: 'default',
  resourceVersion: String(1_000 + index),
  controller: CONTROLLER,
  labels: LABELS,
  index: String(index),
  number,
  tracked: true,
  phase: 'Running',
  createdAt: NOW - 60,
  assigned: true,
  ready: 'True',
  readySince: NOW - 50,
  conditions: [{ type: 'Ready', status: 'True' }],
  containers: [{ name: 'main', role: 'container', restarts: 0 }],
});
const succeeded = (pod: PodFacts, tracked: boolean): PodFacts => ({
  ...pod,
  tracked,
  phase: 'Succeeded',
  ready: 'False',
  containers: [{ name: 'main', role: 'container', restarts: 0, exitCode: 0, finishedAt: NOW - 2 }],
});

interface Scene {
  name: string;
  job: Job;
  pods: PodSet;
  /** The ten changes of a round. Rounds follow from the same start. */
  changes: (round: number) => PodChange[];
  /** Creates and strips that the plan must hold, so that nothing is timed that did nothing. */
  expects: { creates: number; strips: number };
}

function aJob(indexes: number, parallelism: number, status: JobStatus): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'large', namespace: 'default', uid: UID, resourceVersion: '100', generation: 1, creationTimestamp: timeOf(NOW - 90) },
    spec: {
      parallelism,
      completions: indexes,
      completionMode: 'Indexed',
      backoffLimit: 6,
      suspend: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': UID } },
      template: {
        metadata: { labels: LABELS },
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/none' }] },
      },
    },
    status: { startTime: timeOf(NOW - 80), uncountedTerminatedPods: {}, terminating: 0, ...status },
  };
}

/** As a view tells changes: what was is the very object that the set holds. */
const ending = (was: PodFacts | undefined): PodChange => ({ was, now: was && succeeded(was, true) });
const tenFrom = (first: number, step = 1): number[] => Array.from({ length: CHANGED }, (_, at) => first + at * step);

function scenes(indexes: number): Scene[] {
  const all = Array.from({ length: indexes }, (_, index) => running(index));
  const done = indexes / 2;
  const window = indexes / 10;
  const atWork = (count: number, status: JobStatus): JobStatus => ({ active: count, ready: count, ...status });
  return [
    {
      name: 'all run, ten neighbours succeed',
      job: aJob(indexes, indexes, atWork(indexes, {})),
      pods: PodSet.byPlace(all),
      changes: (round) => tenFrom((round * 37) % (indexes - CHANGED)).map((index) => ending(all[index])),
      expects: { creates: 0, strips: CHANGED },
    },
    {
      name: 'all run, ten anywhere succeed',
      job: aJob(indexes, indexes, atWork(indexes, {})),
      pods: PodSet.byPlace(all),
      changes: (round) => tenFrom((round * 37) % (indexes / CHANGED), indexes / CHANGED).map((index) => ending(all[index])),
      expects: { creates: 0, strips: CHANGED },
    },
    {
      name: 'half are done, a tenth runs, ten succeed and ten start',
      job: aJob(indexes, window, atWork(window, { succeeded: done, completedIndexes: `0-${done - 1}` })),
      pods: PodSet.byPlace(all.slice(0, done + window).map((pod, index) => (index < done ? succeeded(pod, false) : pod))),
      changes: (round) => tenFrom(done + (round % (window / CHANGED)), window / CHANGED).map((index) => ending(all[index])),
      expects: { creates: CHANGED, strips: CHANGED },
    },
    {
      name: 'all run, ten are deleted by hand and start again',
      job: aJob(indexes, indexes, atWork(indexes, {})),
      pods: PodSet.byPlace(all),
      changes: (round) => tenFrom((round * 37) % (indexes / CHANGED), indexes / CHANGED).map((index) => ({ was: all[index] })),
      expects: { creates: CHANGED, strips: 0 },
    },
  ];
}

/** Microseconds of each plan of a lap, ascending. */
function lapOf({ name, job, pods, expects }: Scene, rounds: readonly PodChange[][]): number[] {
  const snapshot = { owner: job, head: EMPTY_HEAD, manages: ['all-jobs'] } as const;
  const times: number[] = [];
  for (const changes of rounds) {
    const began = process.hrtime.bigint();
    const plan = jobPlanner.plan({ ...snapshot, pods: pods.with(changes) }, now);
    times.push(Number(process.hrtime.bigint() - began) / 1_000);
    const creates = plan.actions.filter(({ verb }) => verb === 'create').length;
    const strips = plan.actions.filter((action) => action.verb === 'patch' && action.purpose === 'strip').length;
    if (creates !== expects.creates || strips !== expects.strips) throw new Error(`${name}: ${creates} creates, ${strips} strips`);
  }
  return times.toSorted((a, b) => a - b);
}

/** Of ascending figures. */
const quantile = (share: number, figures: readonly number[]): number => figures[Math.floor(figures.length * share)] ?? 0;

const measured = [
  { indexes: 1_000, most: 20 },
  { indexes: 100_000, most: 150 },
].flatMap(({ indexes, most }) =>
  scenes(indexes).map((scene) => {
    jobPlanner.plan({ owner: scene.job, head: EMPTY_HEAD, manages: ['all-jobs'], pods: scene.pods }, now);
    const rounds = Array.from({ length: ROUNDS }, (_, round) => scene.changes(round));
    return { scene, indexes, most, rounds, laps: new Array<number[]>() };
  }),
);
for (let lap = 0; lap < LAPS; lap += 1)
  for (const { scene, rounds, laps } of measured) {
    const times = lapOf(scene, rounds);
    if (lap >= WARM_LAPS) laps.push(times);
  }
for (const { scene, indexes, most, laps } of measured) {
  laps.sort((a, b) => quantile(0.5, a) - quantile(0.5, b));
  const [quietest = []] = laps;
  const median = quantile(0.5, quietest);
  if (median > most) process.exitCode = 1;
  const inMedian = quantile(0.5, laps[Math.floor(laps.length / 2)] ?? []);
  const figures = `${median.toFixed(1).padStart(7)} µs a plan (at most ${most}; in the median lap ${inMedian.toFixed(1)})`;
  console.log(
    `${String(indexes).padStart(7)} indexes: ${figures}, 99 of 100 within ${quantile(0.99, quietest).toFixed(0)} µs; ${scene.name}`,
  );
}
