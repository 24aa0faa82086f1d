// The API server's rules for the annotations of a pod or a template that Kubernetes itself reads.
import type { FieldError } from '../../objects/field-error.ts';
import { LARGEST_INT32 } from '../../objects/values/integers.ts';
import type { ObjectMeta, PodSpec } from '../../objects/kubernetes.ts';
import { CONFIG_MIRROR } from '../../objects/pods/config-annotations.ts';
import { validateDescendingPath } from '../volume/path-validation.ts';
import { placedContainers } from './placed-containers.ts';
import { forbidden, invalidValue } from '../../objects/refusals.ts';
import { fieldsOf, isFields, textOf } from '../../objects/values/untyped-fields.ts';

type Annotations = ObjectMeta['annotations'];

const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
const seccompOfPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompPrefix = 'container.seccomp.security.alpha.kubernetes.io/';
const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';
const localhostPrefix = 'localhost/';

/** The refusals of annotations that lie at `field`; `spec` is that of their pod. */
export function validatePodAnnotations(annotations: Annotations = {}, field: string, spec: PodSpec): FieldError[] {
  const names = new Set(placedContainers(spec, '').map(({ container }) => textOf(container['name'])));
  return Object.entries(annotations).flatMap(([key, value]) => {
    const path = `${field}[${key}]`;
    if (key === CONFIG_MIRROR && textOf(spec.nodeName) === '') {
      return [invalidValue(path, value, 'must set spec.nodeName if mirror pod annotation is set')];
    }
    if (key === deletionCost) return isInt32(value) ? [] : [invalidValue(path, value, 'must be a 32bit integer')];
    if (key === seccompOfPod || key.startsWith(seccompPrefix)) return validateSeccomp(value, `${field}.${key}`);
    if (!key.startsWith(appArmorPrefix)) return [];
    const container = key.slice(appArmorPrefix.length);
    return [
      ...(names.has(container) ? [] : [invalidValue(path, container, 'container not found')]),
      ...(['', 'runtime/default', 'unconfined'].includes(value) || value.startsWith(localhostPrefix)
        ? []
        : [invalidValue(path, value, `invalid AppArmor profile name: ${JSON.stringify(value)}`)]),
    ];
  });
}

/** The refusals of profiles in a template whose annotations name others; `field` is that of its spec. */
export function validateAnnotatedProfiles(annotations: Annotations = {}, field: string, spec: PodSpec): FieldError[] {
  const ofPod = fieldsOf(spec['securityContext']);
  const inContext = 'securityContext.seccompProfile';
  const refusals = validateAgreement(ofPod['seccompProfile'], annotations[seccompOfPod], `${field}.${inContext}`, 'seccomp');
  const containers = placedContainers(spec, field).map(({ container, path }) => ({
    name: textOf(container['name']),
    path,
    own: fieldsOf(container['securityContext']),
  }));
  for (const { name, path, own } of containers) {
    refusals.push(...validateAgreement(own['seccompProfile'], annotations[`${seccompPrefix}${name}`], `${path}.${inContext}`, 'seccomp'));
  }
  if (fieldsOf(spec['os'])['name'] === 'windows') return refusals;
  for (const { name, path, own } of containers) {
    const profile = own['appArmorProfile'] ?? ofPod['appArmorProfile'];
    const annotation = annotations[`${appArmorPrefix}${name}`];
    refusals.push(...validateAgreement(profile, annotation, `${path}.securityContext.appArmorProfile`, 'apparmor'));
  }
  return refusals;
}

function validateAgreement(profile: unknown, annotation: string | undefined, field: string, word: 'seccomp' | 'apparmor'): FieldError[] {
  if (!isFields(profile) || annotation === undefined) return [];
  const otherType = [forbidden(`${field}.type`, `${word} type in annotation and field must match`)];
  switch (profile['type']) {
    case 'Unconfined':
      return annotation === 'unconfined' ? [] : otherType;
    case 'RuntimeDefault':
      return annotation === 'runtime/default' || (word === 'seccomp' && annotation === 'docker/default') ? [] : otherType;
    case 'Localhost':
      if (!annotation.startsWith(localhostPrefix)) return otherType;
      if (annotation.slice(localhostPrefix.length) === profile['localhostProfile']) return [];
      return [forbidden(`${field}.localhostProfile`, `${word} profile in annotation and field must match`)];
    default:
      return [];
  }
}

function validateSeccomp(value: string, field: string): FieldError[] {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(value)) return [];
  if (value.startsWith(localhostPrefix)) return validateDescendingPath(value.slice(localhostPrefix.length), field);
  return [invalidValue(field, value, 'must be a valid seccomp profile')];
}

/** As text: no plus sign, and no zeros before a number that is not negative. */
function isInt32(text: string): boolean {
  return /^(0|-\d+|[1-9]\d*)$/.test(text) && Number(text) >= -LARGEST_INT32 - 1 && Number(text) <= LARGEST_INT32;
}
