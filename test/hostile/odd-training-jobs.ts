// Training jobs that an API server accepts, large or odd in what Farloop reads of them.
import type { WorkloadObject } from '../../lib/objects/kubernetes.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import { resourceOf } from '../cluster/training-cluster.ts';

interface OddTrainingJob {
  what: string;
  resource: Resource;
  object: WorkloadObject;
}

const template = {
  metadata: { annotations: { 'sim.farloop.dev/run-seconds': '3600' } },
  spec: { containers: [{ name: 'pytorch', image: 'example.com/none' }] },
};
const tensorflowTemplate = { ...template, spec: { containers: [{ name: 'tensorflow', image: 'example.com/none' }] } };
const replicas = (count: number, of: object = template): object => ({ replicas: count, restartPolicy: 'OnFailure', template: of });

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
    what: `${workers} workers`,
    resource: resourceOf('PyTorchJob'),
    object: jobOf('PyTorchJob', 'large', 'pytorchReplicaSpecs', { Master: replicas(1), Worker: replicas(workers) }),
  },
];
