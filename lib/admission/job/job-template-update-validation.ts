// Allowed changes of the template of a stored Job: none while it runs; while it is suspended and no pod of it is left, where
// its pods go and what they ask for.
import { isSameValue } from '../equality.ts';
import type { FieldError } from '../../objects/field-error.ts';
import type { Container, Job, PodSpec, PodTemplate } from '../../objects/kubernetes.ts';
import { fieldIsImmutable, invalidValue } from '../../objects/refusals.ts';
import { fieldsOf, isFields } from '../../objects/values/untyped-fields.ts';

const emptyTemplate: PodTemplate = { spec: { containers: [] } };

/** The refusals of a change of `spec.template`; what matters of the Job is what was stored, its status included. */
export function validateTemplateUpdate(next: Job, previous: Job): FieldError[] {
  const [template, stored] = [next.spec.template ?? emptyTemplate, previous.spec.template ?? emptyTemplate];
  if (!isChangeable(previous)) {
    return isSameValue(template, stored, 'template') ? [] : [invalidValue('spec.template', template, fieldIsImmutable)];
  }
  // Labels and annotations are free then, so only the spec is compared.
  const allowed = withRequestedResources(withRequestedPlacement(stored.spec, template.spec), template.spec);
  return isSameValue(template.spec, allowed, 'spec') ? [] : [invalidValue('spec.template.spec', template.spec, fieldIsImmutable)];
}

function isChangeable({ spec, status = {} }: Job): boolean {
  const isSuspended = status.conditions?.some((condition) => condition.type === 'Suspended' && condition.status === 'True') === true;
  return spec.suspend === true && (status.startTime === undefined || isSuspended) && (status.active ?? 0) === 0;
}

/** The stored spec with the node selector, node affinity, tolerations and gates that are asked for. */
function withRequestedPlacement(stored: PodSpec, requested: PodSpec): PodSpec {
  const { nodeSelector, tolerations, schedulingGates } = requested;
  return { ...stored, affinity: affinityAllowed(stored['affinity'], requested['affinity']), nodeSelector, tolerations, schedulingGates };
}

/** Only the node affinity is free: pods' affinity to each other is not. */
function affinityAllowed(stored: unknown, requested: unknown): unknown {
  if (isFields(requested)) return { ...fieldsOf(stored), nodeAffinity: requested['nodeAffinity'] };
  if (!isFields(stored)) return stored;
  const { nodeAffinity: _nodeAffinity, ...others } = stored;
  return Object.keys(others).length === 0 ? undefined : others;
}

function withRequestedResources(stored: PodSpec, requested: PodSpec): PodSpec {
  const initContainers = resourcesTaken(stored.initContainers ?? [], requested.initContainers ?? []);
  return { ...stored, containers: resourcesTaken(stored.containers, requested.containers), initContainers };
}

/** Resources follow a container only where the lists name the same ones in the same order. */
function resourcesTaken(stored: Container[], requested: Container[]): Container[] {
  if (stored.length !== requested.length) return stored;
  return stored.map((container, at) => {
    const other = requested[at];
    if (other?.name !== container.name) return container;
    const { resources: _resources, ...rest } = container;
    return other.resources === undefined ? rest : { ...rest, resources: other.resources };
  });
}
