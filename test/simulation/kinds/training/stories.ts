// Stories of training jobs. A run of one takes some virtual seconds.
import type { Framework } from '../../../../lib/kinds/training/terms/framework.ts';
import { jax } from '../../../../lib/kinds/training/frameworks/jax.ts';
import { mpi } from '../../../../lib/kinds/training/frameworks/mpi.ts';
import { mxnet } from '../../../../lib/kinds/training/frameworks/mxnet.ts';
import { paddle } from '../../../../lib/kinds/training/frameworks/paddle.ts';
import { pytorch } from '../../../../lib/kinds/training/frameworks/pytorch.ts';
import { tensorflow } from '../../../../lib/kinds/training/frameworks/tensorflow.ts';
import { xgboost } from '../../../../lib/kinds/training/frameworks/xgboost.ts';
import type { FateOf } from '../../kubelet.ts';
import type { Scenario } from '../../scenario.ts';
import { change, removePod, removeService, removeSucceededPod, submit, takeName, withdraw } from './acts.ts';
import { definedRows } from '../../../sandbox/defined-rows.ts';

const isOf = (type: string, { metadata: { name = '' } }: { metadata: { name?: string } }): boolean => name.includes(`-${type}`);

/** Pods of this type end after so long, with this code; the others run until they are stopped. */
const leading =
  (type: string, runsMs: number, exitCodeOf: (nth: number) => number = () => 0): FateOf =>
  (pod, nth) => ({ startsAfterMs: 300, runsMs, exitCode: isOf(type, pod) ? exitCodeOf(nth) : undefined });

const storyOf =
  (framework: Framework) =>
  (of: Omit<Scenario, 'clusters' | 'rows'>): Scenario => ({
    clusters: ['west'],
    rows: definedRows(framework.kind),
    ...of,
  });

const torch = storyOf(pytorch);
const flow = storyOf(tensorflow);
const openMpi = storyOf(mpi);
/** Of these every single fault is enumerated before each change is taken; of the others, before a release. */
export const TRAINING_CORE_STORIES: readonly string[] = ['tensorflow-done-worker-deleted', 'mpi'];

const two = { replicas: { Master: 1, Worker: 1 } };
const complete = { a: { end: 'Complete' } } as const;

export const PYTORCH_STORIES: readonly Scenario[] = [
  torch({
    name: 'pytorch',
    acts: [{ atMs: 1_000, act: submit(pytorch, 'a', two) }],
    fateOf: leading('master', 3_000),
    ends: complete,
    withinMs: 7_700,
  }),
  torch({
    name: 'pytorch-restarts',
    acts: [{ atMs: 1_000, act: submit(pytorch, 'a', { ...two, restartPolicy: 'ExitCode' }) }],
    fateOf: leading('master', 2_000, (nth) => (nth === 0 ? 137 : 0)),
    ends: complete,
    withinMs: 12_400,
  }),
  torch({
    name: 'pytorch-fails',
    acts: [{ atMs: 1_000, act: submit(pytorch, 'a', { ...two, restartPolicy: 'Never' }) }],
    fateOf: leading('master', 1_500, () => 1),
    ends: { a: { end: 'Failed' } },
    withinMs: 5_500,
  }),
  torch({
    name: 'pytorch-limited',
    acts: [{ atMs: 1_000, act: submit(pytorch, 'a', { ...two, restartPolicy: 'ExitCode', runPolicy: { backoffLimit: 1 } }) }],
    fateOf: leading('master', 1_000, () => 137),
    ends: { a: { end: 'Failed' } },
    withinMs: 9_700,
  }),
  torch({
    name: 'pytorch-suspended',
    acts: [
      { atMs: 1_000, act: submit(pytorch, 'a', two) },
      { atMs: 3_500, act: change(pytorch, 'a', { runPolicy: { suspend: true } }) },
      { atMs: 9_000, act: change(pytorch, 'a', { runPolicy: { suspend: false } }) },
    ],
    fateOf: leading('master', 4_000),
    ends: complete,
    withinMs: 19_300,
  }),
  torch({
    name: 'pytorch-scaled',
    acts: [
      { atMs: 1_000, act: submit(pytorch, 'a', two) },
      { atMs: 4_000, act: change(pytorch, 'a', { pytorchReplicaSpecs: { Worker: { replicas: 2 } } }) },
      { atMs: 8_000, act: change(pytorch, 'a', { pytorchReplicaSpecs: { Worker: { replicas: 1 } } }) },
    ],
    fateOf: leading('master', 12_000),
    ends: complete,
    withinMs: 19_500,
  }),
  torch({
    name: 'pytorch-service-deleted',
    acts: [
      { atMs: 1_000, act: submit(pytorch, 'a', two) },
      { atMs: 4_000, act: removeService('a-worker-0') },
    ],
    fateOf: leading('master', 7_000),
    ends: complete,
    withinMs: 12_500,
  }),
  torch({
    name: 'pytorch-name-taken',
    acts: [
      { atMs: 500, act: takeName('a-worker-0') },
      { atMs: 1_000, act: submit(pytorch, 'a', two) },
      { atMs: 5_000, act: removePod('a-worker-0') },
    ],
    fateOf: leading('master', 20_000),
    ends: complete,
    withinMs: 30_700,
  }),
  torch({
    name: 'pytorch-withdrawn',
    acts: [
      { atMs: 1_000, act: submit(pytorch, 'a', two) },
      { atMs: 4_000, act: withdraw(pytorch, 'a') },
    ],
    fateOf: leading('master', 20_000),
    ends: { a: { end: 'gone' } },
    withinMs: 5_700,
  }),
];

export const TENSORFLOW_STORIES: readonly Scenario[] = [
  flow({
    name: 'tensorflow',
    acts: [{ atMs: 1_000, act: submit(tensorflow, 'a', { replicas: { PS: 1, Worker: 2 } }) }],
    fateOf: leading('worker', 3_000),
    ends: complete,
    withinMs: 7_700,
  }),
  flow({
    name: 'tensorflow-done-worker-deleted',
    acts: [
      { atMs: 1_000, act: submit(tensorflow, 'a', { replicas: { Worker: 2 }, policy: { successPolicy: 'AllWorkers' } }) },
      { atMs: 4_000, act: removeSucceededPod('a-worker-1') },
    ],
    fateOf: (pod) => ({ startsAfterMs: 300, runsMs: isOf('worker-1', pod) ? 1_000 : 5_000, exitCode: 0 }),
    ends: complete,
    withinMs: 10_000,
  }),
];

export const MPI_STORIES: readonly Scenario[] = [
  openMpi({
    name: 'mpi',
    acts: [{ atMs: 1_000, act: submit(mpi, 'a', { replicas: { Launcher: 1, Worker: 2 } }) }],
    fateOf: leading('launcher', 3_000),
    ends: complete,
    withinMs: 7_800,
  }),
  openMpi({
    name: 'mpi-suspended',
    acts: [
      { atMs: 1_000, act: submit(mpi, 'a', { replicas: { Launcher: 1, Worker: 1 } }) },
      { atMs: 4_500, act: change(mpi, 'a', { runPolicy: { suspend: true } }) },
      { atMs: 9_000, act: change(mpi, 'a', { runPolicy: { suspend: false } }) },
    ],
    fateOf: leading('launcher', 4_000),
    ends: complete,
    withinMs: 19_600,
  }),
];

/** The plain life of each other kind. */
export const OTHER_TRAINING_STORIES: readonly { framework: Framework; stories: readonly Scenario[] }[] = [
  { framework: xgboost, replicas: { Master: 1, Worker: 1 }, leader: 'master' },
  { framework: paddle, replicas: { Worker: 2 }, leader: 'worker' },
  { framework: mxnet, replicas: { Scheduler: 1, Server: 1, Worker: 1 }, leader: 'scheduler', policy: { jobMode: 'MXTrain' } },
  { framework: jax, replicas: { Worker: 2 }, leader: 'worker' },
].map(({ framework, replicas, leader, policy }) => ({
  framework,
  stories: [
    storyOf(framework)({
      name: framework.name,
      acts: [{ atMs: 1_000, act: submit(framework, 'a', { replicas, ...(policy && { policy }) }) }],
      fateOf: leading(leader, 3_000),
      ends: complete,
      withinMs: 7_700,
    }),
  ],
}));
