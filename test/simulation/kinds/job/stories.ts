// Stories of Jobs: what people apply and change, how pods fare, how it must end. A run of one takes some virtual seconds.
import type { Job } from '../../../../lib/objects/kubernetes.ts';
import {
  aJob,
  apply,
  applyWithPods,
  breakMode,
  change,
  deleteFirstPod,
  forgetWatches,
  labelPod,
  letGo,
  relabelFirstPod,
  remove,
  removePod,
  stray,
  withFinalizer,
} from './acts.ts';
import { all, firstFails, forEver, indexOf } from './fates.ts';
import type { Scenario } from '../../scenario.ts';

/** Of these every single fault is enumerated before each change is taken; of the others, before a release. */
export const JOB_CORE_STORIES: readonly string[] = [
  'single',
  'non-indexed',
  'index-fails',
  'deleted-in-foreground',
  'namespace-ends',
  'suspended-and-resumed',
  'scaled-down',
  'deadline',
  'back-off',
  'deleted',
  'recreated',
  'two-clusters',
  'twins',
  'listed-in-pages',
];

const onExitCode = (code: number, action: string): NonNullable<Job['spec']['podFailurePolicy']> => ({
  rules: [{ action, onExitCodes: { operator: 'In', values: [code] } }],
});

const WEST = ['west'];

export const JOB_STORIES: readonly Scenario[] = [
  {
    name: 'non-indexed',
    clusters: WEST,
    acts: [{ atMs: 1_000, act: apply(aJob('a', { parallelism: 2, completions: 3 })) }],
    fateOf: all(2_000),
    ends: { a: { end: 'Complete', succeeded: 3 } },
    withinMs: 11_100,
  },
  {
    name: 'single',
    clusters: WEST,
    acts: [{ atMs: 1_000, act: apply(aJob('a')) }],
    fateOf: all(1_000),
    ends: { a: { end: 'Complete', succeeded: 1 } },
    withinMs: 4_800,
  },
  {
    name: 'indexed',
    clusters: WEST,
    acts: [{ atMs: 1_000, act: apply(aJob('a', { parallelism: 2, completions: 4, completionMode: 'Indexed' })) }],
    fateOf: (pod) => ({ startsAfterMs: 300, runsMs: 1_000 + 700 * indexOf(pod), exitCode: 0 }),
    ends: { a: { end: 'Complete', succeeded: 4 } },
    withinMs: 10_400,
  },
  {
    name: 'indexed-retries',
    clusters: WEST,
    acts: [
      {
        atMs: 1_000,
        act: apply(aJob('a', { parallelism: 2, completions: 2, completionMode: 'Indexed', backoffLimitPerIndex: 1 })),
      },
    ],
    fateOf: (pod, nth) => ({ startsAfterMs: 300, runsMs: 1_500, exitCode: indexOf(pod) === 1 && nth === 0 ? 1 : 0 }),
    ends: { a: { end: 'Complete', succeeded: 2, failed: 1 } },
    withinMs: 21_000,
  },
  {
    name: 'work-queue',
    clusters: WEST,
    acts: [{ atMs: 1_000, act: apply(aJob('a', { parallelism: 3, activeDeadlineSeconds: 3_000 })) }],
    fateOf: (_, nth) => ({ startsAfterMs: 300, runsMs: 1_500 + 600 * nth, exitCode: 0 }),
    ends: { a: { end: 'Complete', succeeded: 3 } },
    withinMs: 7_300,
  },
  {
    name: 'suspended-and-resumed',
    clusters: WEST,
    acts: [
      { atMs: 1_000, act: apply(aJob('a')) },
      { atMs: 3_500, act: change('a', { suspend: true }) },
      { atMs: 9_000, act: change('a', { suspend: false }) },
    ],
    fateOf: all(4_000),
    ends: { a: { end: 'Complete', succeeded: 1 } },
    withinMs: 20_200,
  },
  {
    name: 'scaled-down',
    clusters: WEST,
    acts: [
      { atMs: 1_000, act: apply(aJob('a', { parallelism: 3, completions: 3 })) },
      { atMs: 3_000, act: change('a', { parallelism: 1 }) },
    ],
    fateOf: all(3_500),
    ends: { a: { end: 'Complete', succeeded: 3 } },
    withinMs: 21_100,
  },
  {
    name: 'elastic',
    clusters: WEST,
    acts: [
      { atMs: 1_000, act: apply(aJob('a', { parallelism: 3, completions: 3, completionMode: 'Indexed' })) },
      { atMs: 3_000, act: change('a', { parallelism: 2, completions: 2 }) },
    ],
    fateOf: all(4_000),
    ends: { a: { end: 'Complete', succeeded: 2 } },
    withinMs: 7_600,
  },
  {
    name: 'deadline',
    clusters: WEST,
    acts: [{ atMs: 1_000, act: apply(aJob('a', { activeDeadlineSeconds: 6 })) }],
    fateOf: forEver,
    ends: { a: { end: 'Failed', reason: 'DeadlineExceeded', succeeded: 0 } },
    withinMs: 12_000,
  },
  {
    name: 'elastic-up',
    clusters: WEST,
    acts: [
      { atMs: 1_000, act: apply(aJob('a', { parallelism: 1, completions: 1, completionMode: 'Indexed' })) },
      { atMs: 2_500, act: change('a', { parallelism: 3, completions: 3 }) },
    ],
    fateOf: all(3_000),
    ends: { a: { end: 'Complete', succeeded: 3 } },
    withinMs: 9_200,
  },
  {
    name: 'fails-by-exit-code',
    clusters: WEST,
    acts: [{ atMs: 1_000, act: apply(aJob('a', { parallelism: 2, completions: 2, podFailurePolicy: onExitCode(42, 'FailJob') })) }],
    fateOf: (_, nth) => ({ startsAfterMs: 300, runsMs: nth % 2 === 0 ? 1_500 : 8_000, exitCode: nth % 2 === 0 ? 42 : 0 }),
    ends: { a: { end: 'Failed', reason: 'PodFailurePolicy', succeeded: 0, failed: 2 } },
    withinMs: 7_300,
  },
  {
    name: 'failure-is-ignored',
    clusters: WEST,
    acts: [{ atMs: 1_000, act: apply(aJob('a', { backoffLimit: 0, completions: 2, podFailurePolicy: onExitCode(43, 'Ignore') })) }],
    fateOf: (_, nth) => ({ startsAfterMs: 300, runsMs: 1_500, exitCode: nth === 0 ? 43 : 0 }),
    ends: { a: { end: 'Complete', succeeded: 2, failed: 0 } },
    withinMs: 26_300,
  },
  {
    name: 'index-fails',
    clusters: WEST,
    acts: [
      {
        atMs: 1_000,
        act: apply(
          aJob('a', {
            parallelism: 3,
            completions: 3,
            completionMode: 'Indexed',
            backoffLimitPerIndex: 2,
            podFailurePolicy: onExitCode(44, 'FailIndex'),
          }),
        ),
      },
    ],
    fateOf: (pod) => ({ startsAfterMs: 300, runsMs: 1_500, exitCode: indexOf(pod) === 1 ? 44 : 0 }),
    ends: { a: { end: 'Failed', reason: 'FailedIndexes', succeeded: 2, failed: 1 } },
    withinMs: 5_700,
  },
  {
    name: 'too-many-indexes-fail',
    clusters: WEST,
    acts: [
      {
        atMs: 1_000,
        act: apply(aJob('a', { parallelism: 2, completions: 4, completionMode: 'Indexed', backoffLimitPerIndex: 0, maxFailedIndexes: 0 })),
      },
    ],
    fateOf: (pod) => ({ startsAfterMs: 300, runsMs: indexOf(pod) === 0 ? 1_500 : 9_000, exitCode: indexOf(pod) === 0 ? 1 : 0 }),
    ends: { a: { end: 'Failed', reason: 'MaxFailedIndexesExceeded', succeeded: 0 } },
    withinMs: 7_300,
  },
  {
    name: 'success-policy',
    clusters: WEST,
    acts: [
      {
        atMs: 1_000,
        act: apply(
          aJob('a', {
            parallelism: 2,
            completions: 2,
            completionMode: 'Indexed',
            successPolicy: { rules: [{ succeededIndexes: '0', succeededCount: 1 }] },
          }),
        ),
      },
    ],
    fateOf: (pod) => ({ startsAfterMs: 300, runsMs: 2_000, exitCode: indexOf(pod) === 0 ? 0 : undefined }),
    ends: { a: { end: 'Complete', succeeded: 1 } },
    withinMs: 8_000,
  },
  {
    name: 'back-off',
    clusters: WEST,
    acts: [{ atMs: 1_000, act: apply(aJob('a', { backoffLimit: 2 })) }],
    fateOf: firstFails,
    ends: { a: { end: 'Complete', succeeded: 1, failed: 1 } },
    withinMs: 22_300,
  },
  {
    name: 'back-off-limit',
    clusters: WEST,
    acts: [{ atMs: 1_000, act: apply(aJob('a', { backoffLimit: 1 })) }],
    fateOf: all(1_000, 3),
    ends: { a: { end: 'Failed', reason: 'BackoffLimitExceeded', failed: 2 } },
    withinMs: 20_900,
  },
  {
    name: 'replaced-when-failed',
    clusters: WEST,
    acts: [
      { atMs: 1_000, act: apply(aJob('a', { parallelism: 2, completions: 2, podReplacementPolicy: 'Failed' })) },
      { atMs: 3_000, act: async (api) => await deleteFirstPod(api) },
    ],
    fateOf: all(3_000),
    ends: { a: { end: 'Complete', succeeded: 2, failed: 1 } },
    withinMs: 13_600,
  },
  {
    // Terminating for longer than a pass may be put off.
    name: 'replaced-after-a-long-end',
    isForStormsOnly: true,
    clusters: WEST,
    acts: [
      { atMs: 1_000, act: apply(aJob('a', { parallelism: 2, completions: 2, podReplacementPolicy: 'Failed' })) },
      { atMs: 3_000, act: async (api) => await deleteFirstPod(api) },
    ],
    fateOf: () => ({ startsAfterMs: 300, runsMs: 12_000, exitCode: 0, endsAfterMs: 8_000 }),
    ends: { a: { end: 'Complete', succeeded: 2, failed: 1 } },
    withinMs: 38_900,
  },
  {
    name: 'deleted',
    clusters: WEST,
    acts: [
      { atMs: 1_000, act: apply(aJob('a', { parallelism: 2, completions: 2 })) },
      { atMs: 3_500, act: remove('a') },
    ],
    fateOf: all(5_000),
    ends: { a: { end: 'gone' } },
    withinMs: 5_000,
  },
  {
    name: 'deleted-in-foreground',
    clusters: WEST,
    acts: [
      { atMs: 1_000, act: apply(aJob('a', { parallelism: 2, completions: 2 })) },
      { atMs: 3_500, act: remove('a', 'Foreground') },
    ],
    fateOf: all(5_000),
    ends: { a: { end: 'gone' } },
    withinMs: 6_300,
  },
  {
    // Longer than the back-off that its pod's failure sets: that alone would not keep another one away.
    name: 'deletion-is-held',
    isForStormsOnly: true,
    clusters: WEST,
    acts: [
      { atMs: 1_000, act: apply(withFinalizer(aJob('a', { parallelism: 1, completions: 2 }))) },
      { atMs: 3_500, act: remove('a', 'Foreground') },
      { atMs: 18_000, act: letGo('a') },
    ],
    fateOf: all(5_000),
    ends: { a: { end: 'gone' } },
    withinMs: 25_200,
  },
  {
    name: 'expires',
    clusters: WEST,
    acts: [{ atMs: 1_000, act: apply(aJob('a', { parallelism: 2, completions: 2, ttlSecondsAfterFinished: 4 })) }],
    fateOf: all(1_500),
    ends: { a: { end: 'gone' } },
    withinMs: 11_300,
  },
  {
    name: 'strays',
    clusters: WEST,
    acts: [
      { atMs: 1_000, act: apply(aJob('a', { parallelism: 2, completions: 2 })) },
      { atMs: 1_200, act: stray('nobodys', {}) },
      { atMs: 3_000, act: removePod('nobodys') },
      { atMs: 3_500, act: async (api) => await relabelFirstPod(api) },
    ],
    fateOf: all(4_000),
    ends: { a: { end: 'Complete', succeeded: 2 } },
    withinMs: 15_300,
  },
  {
    name: 'recreated',
    clusters: WEST,
    acts: [
      { atMs: 1_000, act: apply(aJob('a')) },
      { atMs: 3_500, act: remove('a') },
      { atMs: 3_600, act: apply(aJob('a')) },
    ],
    fateOf: all(3_000),
    ends: { a: { end: 'Complete', succeeded: 1 } },
    withinMs: 11_200,
  },
  {
    name: 'two-clusters',
    clusters: ['west', 'east'],
    acts: [
      { atMs: 1_000, cluster: 'west', act: apply(aJob('a')) },
      { atMs: 1_200, cluster: 'east', act: apply(aJob('b')) },
    ],
    fateOf: all(1_500),
    ends: { a: { cluster: 'west', end: 'Complete', succeeded: 1 }, b: { cluster: 'east', end: 'Complete', succeeded: 1 } },
    withinMs: 5_800,
  },
  {
    // A Job of one uid, namespace and name on each, told of at the same times, and pods of one uid too; they fare in different ways.
    name: 'twins',
    areTwins: true,
    clusters: ['west', 'east'],
    acts: [
      { atMs: 1_000, cluster: 'west', act: apply(aJob('a', { completions: 2 })) },
      { atMs: 1_000, cluster: 'east', act: apply(aJob('a', { completions: 2 })) },
      { atMs: 2_500, cluster: 'east', act: async (api) => await deleteFirstPod(api) },
    ],
    fateOf: all(2_000),
    ends: { a: { onEach: true, end: 'Complete', succeeded: 2 } },
    struckAt: ({ port, method, args }) => port === 'queue' && method === 'send' && args[0] === 'events',
    withinMs: 28_700,
  },
  {
    // Passes list the pods that another controller made; then the watches are forgotten, and the relay lists all of them anew.
    name: 'listed-in-pages',
    clusters: WEST,
    acts: [
      { atMs: 1_000, act: applyWithPods(aJob('a', { parallelism: 3, completions: 5 }), ['a-one', 'a-three', 'a-two']) },
      { atMs: 32_500, act: forgetWatches },
      // Of the second page, after one of the first has ended: a list's last page may be later than both.
      { atMs: 34_000, act: labelPod('a-two') },
    ],
    // Those that run on end while the lists may be under way.
    fateOf: (_, nth) => ({ startsAfterMs: 300, runsMs: [2_500, 32_500, 34_000][nth] ?? 2_000, exitCode: 0 }),
    ends: { a: { end: 'Complete', succeeded: 5 } },
    // A clock that is behind waits for as much longer until no older pass can be sending (R1), and a Job made anew waits for that again.
    struckAt: ({ method }, fault) => ['list', 'listPage'].includes(method) && !['clockIsBehind', 'ownerIsRecreated'].includes(fault),
    withinMs: 53_100,
  },
  {
    name: 'two-jobs',
    clusters: WEST,
    acts: [
      { atMs: 1_000, act: apply(aJob('a', { parallelism: 1, completions: 2 })) },
      { atMs: 1_900, act: apply(aJob('b', { parallelism: 2, completions: 2 })) },
    ],
    fateOf: all(1_500),
    ends: { a: { end: 'Complete', succeeded: 2 }, b: { end: 'Complete', succeeded: 2 } },
    withinMs: 9_600,
  },
  {
    // More pods than a head holds: its view lies in items beside it. view-items.test.ts strikes the calls for these.
    name: 'wide',
    isForStormsOnly: true,
    clusters: WEST,
    acts: [{ atMs: 1_000, act: apply(aJob('a', { parallelism: 22, completions: 23, completionMode: 'Indexed' })) }],
    // All at once: what they tell in the end is too much for the head, too.
    fateOf: all(2_000),
    ends: { a: { end: 'Complete', succeeded: 23 } },
    withinMs: 9_700,
  },
  {
    // Longer than whatever comes with each sweep may come back in vain: what nobody can read is a dead letter by then.
    name: 'runs-for-minutes',
    isForStormsOnly: true,
    clusters: WEST,
    acts: [{ atMs: 1_000, act: apply(aJob('a')) }],
    fateOf: all(480_000),
    ends: { a: { end: 'Complete', succeeded: 1 } },
    withinMs: 675_400,
  },
  {
    name: 'parked-neighbour',
    clusters: WEST,
    acts: [
      { atMs: 1_000, act: apply(aJob('bad', { completionMode: 'Indexed', completions: 1, parallelism: 1 })) },
      { atMs: 1_100, act: breakMode('bad') },
      { atMs: 1_300, act: apply(aJob('a', { parallelism: 1, completions: 2 })) },
    ],
    fateOf: all(1_500),
    ends: { a: { end: 'Complete', succeeded: 2 } },
    withinMs: 9_900,
  },
  {
    name: 'small-budget',
    isForStormsOnly: true,
    clusters: WEST,
    budget: { writesPerSecond: 2, burst: 2 },
    acts: [{ atMs: 1_000, act: apply(aJob('a', { parallelism: 8, completions: 8 })) }],
    fateOf: all(3_000),
    ends: { a: { end: 'Complete', succeeded: 8 } },
    withinMs: 24_600,
  },
  {
    name: 'namespace-ends',
    clusters: WEST,
    acts: [
      { atMs: 500, act: (api) => api.handle('POST', '/api/v1/namespaces', { body: { metadata: { name: 'brief' } } }) },
      { atMs: 1_000, act: apply({ ...aJob('a', { parallelism: 2, completions: 2 }), metadata: { name: 'a', namespace: 'brief' } }) },
      { atMs: 3_500, act: (api) => api.handle('DELETE', '/api/v1/namespaces/brief') },
    ],
    fateOf: all(5_000),
    ends: { a: { end: 'gone' } },
    withinMs: 5_000,
  },
];
