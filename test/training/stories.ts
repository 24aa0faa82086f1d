// Training jobs of which it is known beforehand what becomes of them, pod by pod: one shape for each kind, and five plots that each of them plays.
//
// The pods that decide a job run until they are ended from outside, when the job's status says that all others are where they should be. So its
// last status is exact, however late any of them is.
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';

interface Shape {
  field: string;
  container: string;
  /** The type that decides the job: one pod, or all where there is no other type. */
  deciding: string;
  /** Runs as long as the job does. */
  serving?: string;
  /** Ends by itself, well. */
  working?: string;
  spec?: object;
}

const SHAPES: Readonly<Record<string, Shape>> = {
  TFJob: { field: 'tfReplicaSpecs', container: 'tensorflow', deciding: 'Chief', serving: 'PS', working: 'Worker' },
  PyTorchJob: { field: 'pytorchReplicaSpecs', container: 'pytorch', deciding: 'Master', working: 'Worker' },
  MPIJob: { field: 'mpiReplicaSpecs', container: 'mpi', deciding: 'Launcher', serving: 'Worker' },
  XGBoostJob: { field: 'xgbReplicaSpecs', container: 'xgboost', deciding: 'Master', working: 'Worker' },
  PaddleJob: { field: 'paddleReplicaSpecs', container: 'paddle', deciding: 'Master', working: 'Worker' },
  MXJob: {
    field: 'mxReplicaSpecs',
    container: 'mxnet',
    deciding: 'Scheduler',
    serving: 'Server',
    working: 'Worker',
    spec: { jobMode: 'MXTrain' },
  },
  JAXJob: { field: 'jaxReplicaSpecs', container: 'jax', deciding: 'Worker' },
};
export const KINDS = Object.keys(SHAPES);

interface Plot {
  restartPolicy: 'Never' | 'OnFailure' | 'ExitCode';
  cleanPodPolicy: 'None' | 'Running' | 'All';
  backoffLimit?: number;
  /** Of the pod that decides, or the first of them, one after another: all but the last are made anew. A last 0 is how all of them end. */
  exitCodes: readonly number[];
  end: 'Succeeded' | 'Failed' | 'over its limit';
}

const PLOTS: Readonly<Record<string, Plot>> = {
  succeeds: { restartPolicy: 'Never', cleanPodPolicy: 'None', exitCodes: [0], end: 'Succeeded' },
  'restarts in place': { restartPolicy: 'OnFailure', cleanPodPolicy: 'Running', exitCodes: [0], end: 'Succeeded' },
  restarts: { restartPolicy: 'ExitCode', cleanPodPolicy: 'All', exitCodes: [137, 0], end: 'Succeeded' },
  fails: { restartPolicy: 'ExitCode', cleanPodPolicy: 'None', exitCodes: [3], end: 'Failed' },
  'fails too often': { restartPolicy: 'ExitCode', cleanPodPolicy: 'None', backoffLimit: 1, exitCodes: [137, 137], end: 'over its limit' },
};

export type Counts = Readonly<Record<string, { active: number; succeeded: number; failed: number }>>;

export interface Round {
  /** How these pods are ended, once the job's status has the counts of before. */
  exitCode: number;
  pods: readonly string[];
}

export interface Story {
  kind: string;
  name: string;
  plot: string;
  job: KubernetesObject;
  /** Replica statuses when all but those that decide are where they should be. */
  before: Counts;
  rounds: readonly Round[];
  end: 'Succeeded' | 'Failed';
  /** Replica statuses at the end. */
  after: Counts;
  /** All pods, by name: how many are made in all. */
  made: ReadonlyMap<string, number>;
  hasServices: boolean;
  /** Names of those that are left at the end; so are their services. */
  left: ReadonlySet<string>;
}

/** Each kind plays each plot after 35 stories. @param at from 0 @param size pods of the job: 3 at least */
export function storyAt(at: number, { size, namespace }: { size: number; namespace: string }): Story {
  const kind = KINDS[at % KINDS.length] ?? '';
  const plots = Object.keys(PLOTS);
  const plotName = plots[Math.floor(at / KINDS.length) % plots.length] ?? '';
  const [shape, plot] = [SHAPES[kind], PLOTS[plotName]];
  if (!shape || !plot) throw new Error(`there is no story ${at}`);
  const name = `${kind.toLowerCase()}-${at}`;
  const { deciding, working } = shape;
  const sizes = sizesOf(shape, size);
  const podsOf = (type: string | undefined): string[] =>
    type === undefined
      ? []
      : type === 'Launcher'
        ? [`${name}-launcher`]
        : Array.from({ length: sizes.get(type) ?? 0 }, (_, index) => `${name}-${type.toLowerCase()}-${index}`);
  const [first = ''] = podsOf(deciding);
  const rounds = plot.exitCodes.map((exitCode) => ({ exitCode, pods: exitCode === 0 ? podsOf(deciding) : [first] }));
  const all = [...sizes.keys()].flatMap(podsOf);
  const stays: Record<Plot['cleanPodPolicy'], readonly string[]> = {
    None: all,
    Running: [...podsOf(deciding), ...podsOf(working)],
    All: [],
  };
  const annotations = (type: string): object => ({
    'sim.farloop.dev/run-seconds': type === working ? '1' : '86400',
    ...(type === working && plot.restartPolicy === 'OnFailure' && { 'sim.farloop.dev/exit-codes': '1,0' }),
  });
  const { restartPolicy, cleanPodPolicy, backoffLimit } = plot;
  const replicaSpec = (type: string, replicas: number): object => ({
    replicas,
    restartPolicy,
    template: {
      metadata: { annotations: annotations(type) },
      spec: { containers: [{ name: shape.container, image: 'registry.example/train:1' }] },
    },
  });
  const job = {
    apiVersion: 'kubeflow.org/v1',
    kind,
    metadata: { name, namespace },
    spec: {
      ...shape.spec,
      runPolicy: { cleanPodPolicy, ...(backoffLimit !== undefined && { backoffLimit }) },
      [shape.field]: Object.fromEntries([...sizes].map(([type, replicas]) => [type, replicaSpec(type, replicas)])),
    },
  };
  return {
    kind,
    name,
    plot: plotName,
    job,
    before: countsOf(shape, sizes),
    rounds,
    end: plot.end === 'Succeeded' ? 'Succeeded' : 'Failed',
    after: countsOf(shape, sizes, plot.end),
    made: new Map(all.map((pod) => [pod, pod === first ? plot.exitCodes.length : 1])),
    hasServices: kind !== 'MPIJob',
    // A job over its limit keeps nothing, whatever its policy is.
    left: new Set(plot.end === 'over its limit' ? [] : stays[cleanPodPolicy]),
  };
}

/** Replicas by type: one that decides, a fifth that serves where others work. */
function sizesOf({ deciding, serving, working }: Shape, size: number): Map<string, number> {
  if (!serving && !working) return new Map([[deciding, size]]);
  const served = serving === undefined ? 0 : working === undefined ? size - 1 : Math.max(1, Math.floor(size / 5));
  return new Map([
    [deciding, 1],
    ...(serving === undefined ? [] : [[serving, served] as const]),
    ...(working === undefined ? [] : [[working, size - 1 - served] as const]),
  ]);
}

/** @param end how the job ended, if it has */
function countsOf({ deciding, serving, working }: Shape, sizes: ReadonlyMap<string, number>, end?: Plot['end']): Counts {
  const none = { active: 0, succeeded: 0, failed: 0 };
  const of = (type: string): number => sizes.get(type) ?? 0;
  const counts: Record<string, { active: number; succeeded: number; failed: number }> = {};
  if (working !== undefined) counts[working] = { ...none, succeeded: of(working) };
  // When the launcher of an MPIJob has ended, its workers are not counted any more. Others that still run count as succeeded with their job.
  const isCounted = deciding !== 'Launcher' || end === undefined || end === 'over its limit';
  if (serving !== undefined) counts[serving] = !isCounted ? none : { ...none, [end === 'Succeeded' ? 'succeeded' : 'active']: of(serving) };
  if (end === 'Succeeded') counts[deciding] = { ...none, succeeded: of(deciding) };
  else if (end === 'Failed') counts[deciding] = { ...none, failed: 1, active: of(deciding) - 1 };
  // What is over its limit keeps the counts of before.
  else counts[deciding] = { ...none, active: of(deciding) };
  return counts;
}
