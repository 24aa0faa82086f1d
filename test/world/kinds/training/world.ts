// A world with one kind of training jobs.
import type { Framework } from '../../../../lib/kinds/training/terms/framework.ts';
import { pytorch } from '../../../../lib/kinds/training/frameworks/pytorch.ts';
import type { RunPolicy, TrainingJob, TrainingSpec } from '../../../../lib/kinds/training/terms/job-types.ts';
import { resourceOf } from '../../../../lib/kinds/training/facts.ts';
import { definedRows } from '../../../sandbox/defined-rows.ts';
import { World } from '../../world.ts';

/** @param change of the spec of the kind's definition */
export const aTrainingWorld = ({ kind }: Framework, change?: (spec: Record<string, unknown>) => void): World =>
  new World({ manages: ['training-jobs'], rows: definedRows(kind, change) });

/** A job `torch`. @param replicas by type */
export const aTorch = (replicas: Readonly<Record<string, number>>, runPolicy: RunPolicy = {}): TrainingJob =>
  aJobOf(pytorch, 'torch', { replicas, runPolicy });

interface JobParts {
  /** By type. */
  replicas: Readonly<Record<string, number>>;
  /** Of every type. */
  restartPolicy?: string;
  runPolicy?: RunPolicy;
  spec?: TrainingSpec;
}

export function aJobOf(
  { kind, container, replicasField }: Framework,
  name: string,
  { replicas, restartPolicy = 'ExitCode', runPolicy = {}, spec = {} }: JobParts,
): TrainingJob {
  const specs = Object.entries(replicas).map(([type, count]) => [
    type,
    { replicas: count, restartPolicy, template: { spec: { containers: [{ name: container, image: 'example.com/train' }] } } },
  ]);
  return {
    apiVersion: 'kubeflow.org/v1',
    kind,
    metadata: { name },
    spec: { runPolicy: { cleanPodPolicy: 'All', ...runPolicy }, ...spec, [replicasField]: Object.fromEntries(specs) },
  };
}

export const jobNamed = async (world: World, framework: Framework, name: string): Promise<TrainingJob> =>
  await world.as<TrainingJob>('GET', resourceOf(framework), { namespace: 'default', name });
