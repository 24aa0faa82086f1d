// The API server's rules for a pod, of a change of it and of a pod template. Takes them with their defaults (pod-defaults.ts).
import type { FieldError } from '../../objects/field-error.ts';
import type { Pod } from '../../objects/kubernetes.ts';
import { validatePodObject } from './pod-spec-validation.ts';
import { forbidden, uniqueRefusals } from '../../objects/refusals.ts';
import { listOf, textOf } from '../../objects/values/untyped-fields.ts';

export { validatePodTemplate } from './pod-spec-validation.ts';
export { validatePodStatusUpdate, validatePodUpdate } from './pod-update-validation.ts';

/** The refusals of a new pod; none means that it is admitted. */
export function validatePod(pod: Pod): FieldError[] {
  const { spec } = pod;
  const refusals = validatePodObject(pod);
  if (listOf(spec['ephemeralContainers']).length > 0) refusals.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'));
  if (textOf(spec.nodeName) !== '' && listOf(spec['schedulingGates']).length > 0) {
    refusals.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return uniqueRefusals(refusals);
}
