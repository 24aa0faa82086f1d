// Defaults, in memory alone: a spec on the cluster stays as its user wrote it.
import { containersIn, portsIn, replicaSpecsOf } from './replica-specs.ts';
import type { Container } from '../../../objects/kubernetes.ts';
import type { Framework } from './framework.ts';
import type { ReplicaSpec, RunPolicy, TrainingJob } from './job-types.ts';

/** A copy of the job with the defaults of its kind. Templates that a view leaves out stay out. */
export function withDefaults(framework: Framework, job: TrainingJob): TrainingJob {
  if (framework.ownDefaults) return framework.ownDefaults(job);
  const specs = replicaSpecsOf(framework, job);
  const runPolicy: RunPolicy = job.spec.runPolicy ?? {};
  const general: TrainingJob = {
    ...job,
    spec: { ...job.spec, runPolicy: { ...runPolicy, cleanPodPolicy: runPolicy.cleanPodPolicy ?? 'None' } },
  };
  const defaulted = specs && {
    ...general,
    spec: { ...general.spec, [framework.replicasField]: defaultedSpecs(framework, specs) },
  };
  return framework.defaults?.(defaulted ?? general) ?? defaulted ?? general;
}

function defaultedSpecs(framework: Framework, specs: Record<string, ReplicaSpec>): Record<string, ReplicaSpec> {
  const named = new Map(Object.entries(specs));
  for (const type of framework.renamed) {
    const other = [...named.keys()].toSorted().find((key) => key !== type && key.toLowerCase() === type.toLowerCase());
    const spec = other === undefined ? undefined : named.get(other);
    if (other === undefined || !spec || named.has(type)) continue;
    named.delete(other);
    named.set(type, spec);
  }
  return Object.fromEntries([...named].map(([type, spec]) => [type, defaultedSpec(framework, spec)]));
}

const defaultedSpec = (framework: Framework, spec: ReplicaSpec): ReplicaSpec => ({
  ...spec,
  replicas: spec.replicas ?? 1,
  restartPolicy: spec.restartPolicy || framework.restartPolicy,
  ...(spec.template && { template: withPort(framework, spec.template) }),
});

/** Ports that are there stay first. */
function withPort({ container, port }: Framework, template: NonNullable<ReplicaSpec['template']>): NonNullable<ReplicaSpec['template']> {
  const containers = containersIn(template);
  const own = Math.max(
    containers.findIndex(({ name }) => name === container),
    0,
  );
  const chosen = containers[own];
  if (!chosen || portsIn(chosen).some(({ name }) => name === port.name)) return template;
  const ports = [...portsIn(chosen), { name: port.name, containerPort: port.number }];
  const defaulted: Container = { ...chosen, ports };
  return { ...template, spec: { ...template.spec, containers: containers.with(own, defaulted) } };
}
