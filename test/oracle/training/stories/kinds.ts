// What every kind does: a whole life, suspension, each restart policy, each end.
import { job, type Replicas } from '../jobs.ts';
import { changed, fails, isEvicted, removed, resumed, runs, succeeds, suspended } from '../steps.ts';
import type { Story, TrainingJob } from '../story.ts';

interface Cast {
  kind: string;
  /** By replica type: how many. */
  types: Record<string, number>;
  /** Without their types' numbers: whoever decides the success. */
  deciding: string[];
  others: string[];
  /** The type whose pods fail in these stories, and one pod of it. */
  failing: [type: string, pod: string];
  more?: Record<string, unknown>;
}

const CASTS: Record<string, Cast> = {
  tf: { kind: 'TFJob', types: { PS: 1, Worker: 2 }, deciding: ['worker-0'], others: ['ps-0', 'worker-1'], failing: ['Worker', 'worker-1'] },
  'tf-chief': {
    kind: 'TFJob',
    types: { Chief: 1, Worker: 2 },
    deciding: ['chief-0'],
    others: ['worker-0', 'worker-1'],
    failing: ['Worker', 'worker-0'],
  },
  pytorch: {
    kind: 'PyTorchJob',
    types: { Master: 1, Worker: 2 },
    deciding: ['master-0'],
    others: ['worker-0', 'worker-1'],
    failing: ['Worker', 'worker-0'],
  },
  'pytorch-workers': {
    kind: 'PyTorchJob',
    types: { Worker: 2 },
    deciding: ['worker-0', 'worker-1'],
    others: [],
    failing: ['Worker', 'worker-1'],
  },
  xgboost: {
    kind: 'XGBoostJob',
    types: { Master: 1, Worker: 2 },
    deciding: ['master-0'],
    others: ['worker-0', 'worker-1'],
    failing: ['Worker', 'worker-1'],
  },
  paddle: { kind: 'PaddleJob', types: { Worker: 2 }, deciding: ['worker-0', 'worker-1'], others: [], failing: ['Worker', 'worker-0'] },
  mx: {
    kind: 'MXJob',
    types: { Scheduler: 1, Server: 1, Worker: 1 },
    deciding: ['scheduler-0'],
    others: ['server-0', 'worker-0'],
    failing: ['Worker', 'worker-0'],
    more: { jobMode: 'MXTrain' },
  },
  jax: { kind: 'JAXJob', types: { Worker: 2 }, deciding: ['worker-0', 'worker-1'], others: [], failing: ['Worker', 'worker-1'] },
  mpi: {
    kind: 'MPIJob',
    types: { Launcher: 1, Worker: 2 },
    deciding: ['launcher'],
    others: ['worker-0', 'worker-1'],
    failing: ['Launcher', 'launcher'],
    more: { slotsPerWorker: 2 },
  },
};

const jobOf = ({ kind, types, more }: Cast, runPolicy: object = {}, failing: Partial<Record<string, Replicas>> = {}): TrainingJob =>
  job(kind, Object.fromEntries(Object.entries(types).map(([type, replicas]) => [type, { replicas, ...failing[type] }])), {
    ...more,
    runPolicy,
  });

const storiesOf = (name: string, cast: Cast): Story[] => {
  const { kind, deciding, others, failing } = cast;
  const [type, pod] = failing;
  const all = [...deciding, ...others];
  const under = (restartPolicy: string): TrainingJob => jobOf(cast, {}, { [type]: { restartPolicy } });
  return [
    {
      name: `${name}-succeeds`,
      job: jobOf(cast, { cleanPodPolicy: 'Running' }),
      steps: [runs(...all), succeeds(...deciding)],
    },
    { name: `${name}-suspended`, job: jobOf(cast), steps: [runs(...all), suspended, resumed, runs(...all)] },
    {
      name: `${name}-begins-suspended`,
      job: jobOf(cast, { suspend: true }),
      steps: [resumed, runs(...all)],
    },
    { name: `${name}-never`, job: under('Never'), steps: [runs(...all), fails(137, pod)] },
    { name: `${name}-on-failure`, job: under('OnFailure'), steps: [runs(...all), isEvicted(pod), runs(pod)] },
    { name: `${name}-retryable`, job: under('ExitCode'), steps: [runs(...all), fails(137, pod), runs(pod)] },
    { name: `${name}-permanent`, job: under('ExitCode'), steps: [runs(...all), fails(3, pod)] },
    {
      name: `${name}-all-removed`,
      job: jobOf(cast, { cleanPodPolicy: 'All' }),
      steps: [runs(...all), succeeds(...deciding)],
    },
    { name: `${name}-pod-deleted`, job: under('OnFailure'), steps: [runs(...all), removed('Pod', `j-${pod}`), runs(pod)] },
    ...(kind === 'MPIJob'
      ? []
      : [{ name: `${name}-service-deleted`, job: jobOf(cast), steps: [runs(...all), removed('Service', `j-${pod}`)] }]),
    { name: `${name}-ttl`, job: jobOf(cast, { ttlSecondsAfterFinished: 3600 }), steps: [runs(...all), succeeds(...deciding)] },
    {
      name: `${name}-edited`,
      job: jobOf(cast),
      steps: [runs(...all), changed('policies changed', { spec: { runPolicy: { activeDeadlineSeconds: 86_400 } } }), succeeds(...deciding)],
    },
  ];
};

export const kinds: readonly Story[] = Object.entries(CASTS).flatMap(([name, cast]) => storiesOf(name, cast));
