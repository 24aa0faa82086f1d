// What a job asks for, with all defaults: read once a pass.
import type { Container, OwnerReference, PodTemplate } from '../../objects/kubernetes.ts';
import { fieldsOf } from '../../objects/untyped-fields.ts';
import { withDefaults } from './defaults.ts';
import type { Framework } from './framework.ts';
import type { ReplicaSpec, RunPolicy, TrainingJob } from './job-types.ts';

export interface Replicas {
  type: string;
  /** Its place among the types: a slot's number is role × 10^6 + index. */
  role: number;
  /** 0 or more. */
  wanted: number;
  restartPolicy: string;
  /** Undefined in a view. */
  template: PodTemplate | undefined;
}

export interface Terms {
  framework: Framework;
  /** With its defaults. */
  job: TrainingJob;
  name: string;
  namespace: string;
  uid: string;
  /** By role. */
  replicas: readonly Replicas[];
  runPolicy: RunPolicy;
}

export function termsOf(framework: Framework, given: TrainingJob): Terms {
  const job = withDefaults(framework, given);
  const { name = '', namespace = '', uid = '' } = job.metadata;
  const specs = replicaSpecsOf(framework, job) ?? {};
  const unknown = Object.keys(specs)
    .filter((type) => !framework.types.includes(type))
    .toSorted();
  const replicas = [...framework.types, ...unknown].flatMap((type, role): Replicas[] => {
    const spec = Object.hasOwn(specs, type) ? specs[type] : undefined;
    if (spec === undefined) return [];
    const { replicas: wanted = 1, restartPolicy = framework.restartPolicy, template } = spec;
    return [{ type, role, wanted: Math.max(wanted, 0), restartPolicy, template }];
  });
  return { framework, job, name, namespace, uid, replicas, runPolicy: job.spec.runPolicy ?? {} };
}

/** Undefined where the job has none, or no object. A replica spec that is null reads as an empty one. */
export function replicaSpecsOf(
  { replicasField }: Pick<Framework, 'replicasField'>,
  { spec }: TrainingJob,
): Record<string, ReplicaSpec> | undefined {
  const specs = fieldsOf(spec)[replicasField];
  if (typeof specs !== 'object' || specs === null || Array.isArray(specs)) return undefined;
  return Object.fromEntries(Object.entries(specs).map(([type, replicas]) => [type, fieldsOf(replicas) as ReplicaSpec]));
}

export const replicasOf = ({ replicas }: Terms, type: string): Replicas | undefined => replicas.find((each) => each.type === type);

export const wantedOf = (terms: Terms, type: string): number => replicasOf(terms, type)?.wanted ?? 0;

export const totalOf = ({ replicas }: Terms): number => replicas.reduce((sum, { wanted }) => sum + wanted, 0);

export const containersIn = (template: PodTemplate | undefined): readonly Container[] => {
  const containers: unknown = fieldsOf(template?.spec)['containers'];
  return Array.isArray(containers) ? (containers as Container[]) : [];
};

/** The number of the framework's port in its container; undefined if none has that name. */
export function portOf({ framework: { container, port } }: Terms, replicas: Replicas | undefined): number | undefined {
  const own = containersIn(replicas?.template).find(({ name }) => name === container);
  return portsIn(own).find(({ name }) => name === port.name)?.containerPort;
}

export interface ContainerPort {
  name?: string;
  containerPort: number;
}

export const portsIn = (container: Container | undefined): readonly ContainerPort[] => {
  const ports = container?.['ports'];
  return Array.isArray(ports) ? (ports as ContainerPort[]) : [];
};

/** On every object that the job makes. */
export const ownerReferenceOf = ({ framework: { kind }, name, uid }: Terms): OwnerReference => ({
  apiVersion: 'kubeflow.org/v1',
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});
