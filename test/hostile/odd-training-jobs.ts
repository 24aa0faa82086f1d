// Training jobs that an API server accepts, large or odd in what Farloop reads of them.
import type { TrainingStatus } from '../../lib/kinds/training/terms/job-types.ts';
import type { WorkloadObject } from '../../lib/objects/kubernetes.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import { resourceOf } from '../cluster/training-cluster.ts';

export interface OddTrainingJob {
  what: string;
  resource: Resource;
  object: WorkloadObject;
  /** By its status: whether what is odd of it has come about. At once when absent. */
  hasCome?: (status: TrainingStatus) => boolean;
  /** Whether it is deleted afterwards, since it keeps Farloop busy for ever. */
  goes?: true;
}

/** The name of the largest, which stays. */
export const LARGE = 'large';
const FAILING_WORKERS = 300;

const annotated = (annotations: Record<string, string>): object => ({
  metadata: { annotations },
  spec: { containers: [{ name: 'pytorch', image: 'example.com/none' }] },
});
const template = annotated({ 'sim.farloop.dev/run-seconds': '3600' });
/** By a code that has each made anew. */
const failingTemplate = annotated({ 'sim.farloop.dev/run-seconds': '1', 'sim.farloop.dev/exit-codes': '137' });
const tensorflowTemplate = { ...template, spec: { containers: [{ name: 'tensorflow', image: 'example.com/none' }] } };
const replicas = (count: number, of: object = template, restartPolicy = 'OnFailure'): object => ({
  replicas: count,
  restartPolicy,
  template: of,
});

function jobOf(kind: string, name: string, field: string, types: object, annotations: Record<string, string> = {}): WorkloadObject {
  const { apiVersion } = resourceOf(kind);
  return { apiVersion, kind, metadata: { name, namespace: 'default', annotations }, spec: { runPolicy: {}, [field]: types } };
}

/** @param workers of the largest */
export const oddTrainingJobs = (workers: number): OddTrainingJob[] => [
  {
    what: 'an annotation of 50 KB of zeros',
    resource: resourceOf('TFJob'),
    object: jobOf(
      'TFJob',
      'zeros',
      'tfReplicaSpecs',
      { Worker: replicas(1, tensorflowTemplate) },
      { 'farloop.dev/completed-slots': '0'.repeat(50_000) },
    ),
  },
  {
    what: 'five thousand types of replicas',
    resource: resourceOf('TFJob'),
    object: jobOf(
      'TFJob',
      'types',
      'tfReplicaSpecs',
      Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`Type${at}`, replicas(1, tensorflowTemplate)])),
    ),
  },
  {
    what: `${FAILING_WORKERS} workers that fail at once, again and again`,
    resource: resourceOf('PyTorchJob'),
    object: jobOf('PyTorchJob', 'failing', 'pytorchReplicaSpecs', {
      Master: replicas(1),
      Worker: replicas(FAILING_WORKERS, failingTemplate, 'ExitCode'),
    }),
    hasCome: ({ conditions = [] }) => conditions.some(({ type }) => type === 'Restarting'),
    goes: true,
  },
  {
    what: `${workers} workers`,
    resource: resourceOf('PyTorchJob'),
    object: jobOf('PyTorchJob', LARGE, 'pytorchReplicaSpecs', { Master: replicas(1), Worker: replicas(workers) }),
    hasCome: ({ replicaStatuses }) => replicaStatuses?.['Worker']?.active === workers,
  },
];
