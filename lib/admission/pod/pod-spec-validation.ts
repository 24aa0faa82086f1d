// The API server's rules for the spec of a pod, wherever it lies: in a pod or in the template of another object.
import { validateContainers } from './container-validation.ts';
import { validateDns } from './dns-validation.ts';
import type { FieldError } from '../../objects/field-error.ts';
import { LARGEST_INT32 } from '../../objects/values/integers.ts';
import type { Pod, PodSpec, PodTemplate } from '../../objects/kubernetes.ts';
import {
  problemsOfDnsLabel,
  problemsOfDnsSubdomain,
  problemsOfIpAddress,
  problemsOfLabelValue,
  problemsOfQualifiedName,
} from '../../objects/names.ts';
import { validateAnnotations, validateLabels, validateObjectMeta } from '../metadata/object-metadata-validation.ts';
import { validateOperatingSystem } from './operating-system-validation.ts';
import { placedContainers } from './placed-containers.ts';
import { validatePlacement } from './placement-validation.ts';
import { validateAnnotatedProfiles, validatePodAnnotations } from './pod-annotations-validation.ts';
import {
  duplicateValue,
  forbidden,
  invalidFor,
  invalidValue,
  requiredValue,
  tooLong,
  uniqueRefusals,
  unsupportedValue,
} from '../../objects/refusals.ts';
import { validateContainerResources, validatePodResources, validateResourceClaims } from './resource-validation.ts';
import { validatePodSecurityContext } from './security-context-validation.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { fieldsOf, isFields, listOf, numberOf, textOf, textsOf } from '../../objects/values/untyped-fields.ts';
import { validateVolumes } from '../volume/volume-validation.ts';
import { validateHostProcesses } from './windows-options-validation.ts';

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const preemptionPolicies = ['PreemptLowerPriority', 'Never'];
const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const hostnameLimitBytes = 64;

/** Rules that hold for a pod at any time, new or changed. */
export function validatePodObject({ metadata, spec }: Pod): FieldError[] {
  const refusals = [
    ...validateObjectMeta(metadata),
    ...validatePodAnnotations(metadata.annotations, 'metadata.annotations', spec),
    ...validatePodSpec(spec, 'spec', { isPod: true }),
  ];
  if (textOf(spec['serviceAccountName']) === '') {
    for (const [at, volume] of listOf(spec['volumes']).entries()) {
      for (const [place, source] of listOf(fieldsOf(volume['projected'])['sources']).entries()) {
        if (!isFields(source['serviceAccountToken'])) continue;
        const field = `spec.volumes[${at}].projected.sources[${place}].serviceAccountToken`;
        refusals.push(forbidden(field, 'must not be specified when serviceAccountName is not set'));
      }
    }
  }
  for (const [at, volume] of listOf(spec['volumes']).entries()) {
    if (!isFields(volume['image']) || textOf(volume['image']['reference']) !== '') continue;
    refusals.push(requiredValue(`spec.volumes[${at}].image.reference`));
  }
  for (const list of ['containers', 'initContainers'] as const) {
    for (const [at, { image = '' }] of (spec[list] ?? []).entries()) {
      if (image === image.trim()) continue;
      refusals.push(invalidValue(`spec.${list}[${at}].image`, image, 'must not have leading or trailing whitespace'));
    }
  }
  return refusals;
}

/** The refusals of a template that lies at `field`, e.g. `spec.template`. */
export function validatePodTemplate({ metadata, spec }: PodTemplate, field: string): FieldError[] {
  const refusals = [
    ...validateLabels(metadata?.labels, `${field}.labels`),
    ...validateAnnotations(metadata?.annotations, `${field}.annotations`),
    ...validatePodAnnotations(metadata?.annotations, `${field}.annotations`, spec),
    ...validatePodSpec(spec, `${field}.spec`, { isPod: false }),
    ...validateAnnotatedProfiles(metadata?.annotations, `${field}.spec`, spec),
  ];
  if (listOf(spec['ephemeralContainers']).length > 0) {
    refusals.push(forbidden(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
  }
  return uniqueRefusals(refusals);
}

function validatePodSpec(spec: PodSpec, field: string, { isPod }: { isPod: boolean }): FieldError[] {
  const { mountable, refusals: ofVolumes } = validateVolumes(listOf(spec['volumes']), `${field}.volumes`);
  return [
    ...ofVolumes,
    ...validateResourceClaims(spec, `${field}.resourceClaims`),
    ...validateContainers(spec, field, mountable),
    ...validatePodResources(spec, `${field}.resources`),
    ...validateHostNetwork(spec, field, isPod),
    ...oneOf(`${field}.restartPolicy`, spec.restartPolicy, restartPolicies),
    ...oneOf(`${field}.dnsPolicy`, spec['dnsPolicy'], dnsPolicies),
    ...validateNodeSelector(spec['nodeSelector'], `${field}.nodeSelector`),
    ...validatePodSecurityContext(spec, `${field}.securityContext`),
    ...validatePlacement(spec, field),
    ...validateDns(spec, field),
    ...validateGates(spec, field),
    ...validateHostProcesses(spec, field),
    ...validateHostUsers(spec, field),
    ...validateHostnameOverride(spec, `${field}.hostnameOverride`),
    ...validateTolerations(listOf(spec['tolerations']), `${field}.tolerations`),
    ...validateNames(spec, field),
    ...validateActiveDeadline(numberOf(spec['activeDeadlineSeconds']), `${field}.activeDeadlineSeconds`),
    ...(spec['preemptionPolicy'] === undefined ? [] : oneOf(`${field}.preemptionPolicy`, spec['preemptionPolicy'], preemptionPolicies)),
    // An overhead is judged as limits of a container, and the API server says so in its path.
    ...validateContainerResources({ limits: spec['overhead'] }, { field: `${field}.overhead`, claimNames: [] }),
    ...validateOperatingSystem(spec, field),
  ];
}

function oneOf(field: string, value: unknown, supported: readonly string[]): FieldError[] {
  const text = textOf(value);
  if (text === '') return [requiredValue(field)];
  return supported.includes(text) ? [] : [unsupportedValue(field, text, supported)];
}

/** On the host's network a container's port is the host's. A template may leave the host port out. */
function validateHostNetwork(spec: PodSpec, field: string, isPod: boolean): FieldError[] {
  if (spec['hostNetwork'] !== true) return [];
  return (spec.containers ?? []).flatMap((container, at) =>
    listOf(container['ports']).flatMap((port, place) => {
      const hostPort = numberOf(port['hostPort']) ?? 0;
      if ((!isPod && hostPort === 0) || hostPort === (numberOf(port['containerPort']) ?? 0)) return [];
      const path = `${field}.containers[${at}].ports[${place}].hostPort`;
      return [invalidValue(path, hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

/** Users of a pod that are not the host's: such a pod shares nothing else with the host either. */
function validateHostUsers(spec: PodSpec, field: string): FieldError[] {
  if (spec['hostUsers'] !== false) return [];
  const detail = 'when `hostUsers` is false';
  // Two of these paths are capitalized by the API server.
  const shared = { hostNetwork: 'hostNetwork', hostPID: 'HostPID', hostIPC: 'HostIPC' };
  return [
    ...Object.entries(shared).flatMap(([name, shown]) => (spec[name] === true ? [forbidden(`${field}.${shown}`, detail)] : [])),
    ...placedContainers(spec, field).flatMap(({ container, path }) =>
      listOf(container['volumeDevices']).length > 0 ? [forbidden(`${path}.volumeDevices`, detail)] : [],
    ),
  ];
}

function validateHostnameOverride(spec: PodSpec, field: string): FieldError[] {
  const { hostnameOverride } = spec;
  if (typeof hostnameOverride !== 'string') return [];
  return [
    ...(spec['setHostnameAsFQDN'] === true ? [forbidden(field, 'may not be specified when setHostnameAsFQDN is true')] : []),
    ...(spec['hostNetwork'] === true ? [forbidden(field, 'may not be specified when hostNetwork is true')] : []),
    ...(Buffer.byteLength(hostnameOverride) > hostnameLimitBytes ? [tooLong(field, hostnameLimitBytes)] : []),
    ...invalidFor(field, hostnameOverride, problemsOfDnsSubdomain(hostnameOverride)),
  ];
}

function validateNodeSelector(selector: unknown, field: string): FieldError[] {
  return Object.entries(fieldsOf(selector)).flatMap(([key, value]) => [
    ...invalidFor(field, key, problemsOfQualifiedName(key)),
    ...invalidFor(field, textOf(value), problemsOfLabelValue(textOf(value))),
  ]);
}

function validateGates(spec: PodSpec, field: string): FieldError[] {
  const seen = new Set<string>();
  const refusals: FieldError[] = [];
  for (const [at, gate] of listOf(spec['schedulingGates']).entries()) {
    const name = textOf(gate['name']);
    refusals.push(...invalidFor(`${field}.schedulingGates[${at}]`, name, problemsOfQualifiedName(name)));
    if (seen.has(name)) refusals.push(duplicateValue(`${field}.schedulingGates[${at}]`, name));
    seen.add(name);
  }
  for (const [at, gate] of listOf(spec['readinessGates']).entries()) {
    const type = textOf(gate['conditionType']);
    refusals.push(...invalidFor(`${field}.readinessGates[${at}].conditionType`, type, problemsOfQualifiedName(type)));
  }
  return refusals;
}

/** The refusals of a list of tolerations. */
function validateTolerations(tolerations: readonly Fields[], field: string): FieldError[] {
  return tolerations.flatMap((toleration, at) => {
    const path = `${field}[${at}]`;
    const [key, operator] = [textOf(toleration['key']), textOf(toleration['operator'])];
    const [value, effect] = [textOf(toleration['value']), textOf(toleration['effect'])];
    const refusals = key === '' ? [] : invalidFor(`${path}.key`, key, problemsOfQualifiedName(key));
    if (key === '' && operator !== 'Exists') {
      const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      refusals.push(invalidValue(`${path}.operator`, operator, detail));
    }
    if (numberOf(toleration['tolerationSeconds']) !== undefined && effect !== 'NoExecute') {
      refusals.push(invalidValue(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    if (operator === '' || operator === 'Equal') {
      const problems = problemsOfLabelValue(value);
      if (problems.length > 0) refusals.push(invalidValue(`${path}.operator`, value, problems.join(';')));
    } else if (operator === 'Exists') {
      if (value !== '') refusals.push(invalidValue(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"));
    } else {
      const isComparison = operator === 'Lt' || operator === 'Gt';
      refusals.push(unsupportedValue(`${path}.operator`, operator, isComparison ? ['Equal', 'Exists', 'Lt', 'Gt'] : ['Equal', 'Exists']));
    }
    if (effect !== '' && !taintEffects.includes(effect)) refusals.push(unsupportedValue(`${path}.effect`, effect, taintEffects));
    return refusals;
  });
}

function validateNames(spec: PodSpec, field: string): FieldError[] {
  const refusals: FieldError[] = [];
  const names = {
    serviceAccountName: 'subdomain',
    nodeName: 'subdomain',
    hostname: 'label',
    subdomain: 'label',
    priorityClassName: 'subdomain',
  };
  for (const [key, form] of Object.entries(names)) {
    const name = textOf(spec[key]);
    if (name === '') continue;
    refusals.push(...invalidFor(`${field}.${key}`, name, form === 'label' ? problemsOfDnsLabel(name) : problemsOfDnsSubdomain(name)));
  }
  const { runtimeClassName } = spec;
  if (typeof runtimeClassName === 'string') {
    refusals.push(...invalidFor(`${field}.runtimeClassName`, runtimeClassName, problemsOfDnsSubdomain(runtimeClassName)));
  }
  for (const [at, alias] of listOf(spec['hostAliases']).entries()) {
    const ip = textOf(alias['ip']);
    refusals.push(...invalidFor(`${field}.hostAliases[${at}].ip`, ip, problemsOfIpAddress(ip)));
    for (const [place, hostname] of textsOf(alias['hostnames']).entries()) {
      refusals.push(...invalidFor(`${field}.hostAliases[${at}].hostnames[${place}]`, hostname, problemsOfDnsSubdomain(hostname)));
    }
  }
  return refusals;
}

function validateActiveDeadline(seconds: number | undefined, field: string): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= LARGEST_INT32)) return [];
  return [invalidValue(field, seconds, `must be between 1 and ${LARGEST_INT32}, inclusive`)];
}
