// Replica specs and templates as users write them: whatever their shape, reading them is safe.
import type { Container, PodTemplate } from '../../../objects/kubernetes.ts';
import { fieldsOf } from '../../../objects/values/untyped-fields.ts';
import type { Framework } from './framework.ts';
import type { ReplicaSpec, TrainingJob } from './job-types.ts';

/** Undefined where the job has none, or no object. A replica spec that is null reads as an empty one. */
export function replicaSpecsOf(
  { replicasField }: Pick<Framework, 'replicasField'>,
  { spec }: TrainingJob,
): Record<string, ReplicaSpec> | undefined {
  const specs = fieldsOf(spec)[replicasField];
  if (typeof specs !== 'object' || specs === null || Array.isArray(specs)) return undefined;
  return Object.fromEntries(Object.entries(specs).map(([type, replicas]) => [type, fieldsOf(replicas) as ReplicaSpec]));
}

export const containersIn = (template: PodTemplate | undefined): readonly Container[] => {
  const containers: unknown = fieldsOf(template?.spec)['containers'];
  return Array.isArray(containers) ? (containers.map(fieldsOf) as Container[]) : [];
};

export interface ContainerPort {
  name?: string;
  containerPort: number;
}

export const portsIn = (container: Container | undefined): readonly ContainerPort[] => {
  const ports = container?.['ports'];
  return Array.isArray(ports) ? (ports.map(fieldsOf) as unknown as ContainerPort[]) : [];
};
