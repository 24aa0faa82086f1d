// The bounds of elastic jobs: one that is given counts for both, and without any it is the number of workers.
import type { ReplicaSpec, TrainingJob } from './job-types.ts';
import { fieldsOf } from '../../../objects/values/untyped-fields.ts';

export function elasticDefaults(job: TrainingJob, replicasField: string): TrainingJob {
  const { elasticPolicy } = job.spec;
  if (!elasticPolicy) return job;
  const worker = fieldsOf(fieldsOf(job.spec[replicasField])['Worker']) as ReplicaSpec;
  const minReplicas = elasticPolicy.minReplicas ?? elasticPolicy.maxReplicas ?? worker.replicas;
  const maxReplicas = elasticPolicy.maxReplicas ?? elasticPolicy.minReplicas ?? worker.replicas;
  if (minReplicas === undefined || maxReplicas === undefined) return job;
  return { ...job, spec: { ...job.spec, elasticPolicy: { ...elasticPolicy, minReplicas, maxReplicas } } };
}
