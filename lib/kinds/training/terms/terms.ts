// A job's terms, with all defaults: read once a pass.
import type { OwnerReference } from '../../../objects/kubernetes.ts';
import { referenceTo } from '../../rows/belonging.ts';
import { withDefaults } from './defaults.ts';
import type { Framework, Replicas, Terms } from './framework.ts';
import type { TrainingJob } from './job-types.ts';
import { containersIn, portsIn, replicaSpecsOf } from './replica-specs.ts';

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

export const replicasOf = ({ replicas }: Terms, type: string): Replicas | undefined => replicas.find((each) => each.type === type);

export const wantedOf = (terms: Terms, type: string): number => replicasOf(terms, type)?.wanted ?? 0;

export const totalOf = ({ replicas }: Terms): number => replicas.reduce((sum, { wanted }) => sum + wanted, 0);

/** The number of the framework's port in its container; undefined if none has that name. */
export function portOf({ framework: { container, port } }: Terms, replicas: Replicas | undefined): number | undefined {
  const own = containersIn(replicas?.template).find(({ name }) => name === container);
  return portsIn(own).find(({ name }) => name === port.name)?.containerPort;
}

/** On every object that the job makes. */
export const ownerReferenceOf = ({ framework: { kind }, name, uid }: Terms): OwnerReference =>
  referenceTo({ apiVersion: 'kubeflow.org/v1', kind }, { metadata: { name, uid } });
