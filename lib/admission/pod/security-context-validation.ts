// The API server's rules for the security contexts of a pod and of its containers.
import type { FieldError } from '../../objects/field-error.ts';
import { LARGEST_INT32 } from '../../objects/values/integers.ts';
import type { PodSpec } from '../../objects/kubernetes.ts';
import { validateDescendingPath } from '../volume/path-validation.ts';
import { duplicateValue, invalidValue, requiredValue, tooLong, unsupportedValue } from '../../objects/refusals.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { fieldsOf, isFields, listOf, numberOf, textOf, textsOf } from '../../objects/values/untyped-fields.ts';
import { validateWindowsOptions } from './windows-options-validation.ts';

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const pathLimitBytes = 4095;
const sysctlLimitBytes = 253;
const sysctlPattern = String.raw`^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`;
const sysctlName = new RegExp(sysctlPattern);
/** Parameters of the kernel that belong to the namespace of a pod's messages and shared memory, and to that of its network. */
const ipcSysctls = /^(fs\.mqueue\..*|kernel\.(sem|shm|shmall|shmmax|shmmni|shm_rmid_forced|msg|msgmax|msgmnb|msgmni))$/;
const networkSysctls = /^net\./;

/** The refusals of a pod's security context that lies at `field`. */
export function validatePodSecurityContext(spec: PodSpec, field: string): FieldError[] {
  const context = fieldsOf(spec['securityContext']);
  const { supplementalGroups } = context;
  const refusals = ['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((key) => validateUserId(context[key], `${field}.${key}`));
  const groups = Array.isArray(supplementalGroups) ? supplementalGroups : [];
  refusals.push(...groups.flatMap((group: unknown, at) => validateUserId(group, `${field}.supplementalGroups[${at}]`)));
  if (spec['shareProcessNamespace'] === true && spec['hostPID'] === true) {
    refusals.push(invalidValue(`${field}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled'));
  }
  const supportedOf = (key: string, supported: readonly string[]): FieldError[] => {
    const value = context[key];
    return value === undefined || value === null || supported.includes(textOf(value))
      ? []
      : [unsupportedValue(`${field}.${key}`, value, supported)];
  };
  return [
    ...refusals,
    ...validateSysctls(spec, listOf(context['sysctls']), `${field}.sysctls`),
    ...supportedOf('fsGroupChangePolicy', ['Always', 'OnRootMismatch']),
    ...validateSeccompProfile(context['seccompProfile'], `${field}.seccompProfile`),
    ...validateWindowsOptions(context['windowsOptions'], `${field}.windowsOptions`),
    ...validateAppArmorProfile(context['appArmorProfile'], `${field}.appArmorProfile`),
    ...supportedOf('supplementalGroupsPolicy', ['Merge', 'Strict']),
    // `MountOption` is behind a feature gate that is off in Kubernetes 1.36.
    ...supportedOf('seLinuxChangePolicy', ['Recursive']),
  ];
}

/** The refusals of the security context of one of a pod's containers. */
export function validateContainerSecurityContext(context: Fields, field: string, spec: PodSpec): FieldError[] {
  const refusals: FieldError[] = [];
  for (const key of ['runAsUser', 'runAsGroup']) refusals.push(...validateUserId(context[key], `${field}.${key}`));
  const { procMount, capabilities } = context;
  if (typeof procMount === 'string' && procMount !== 'Default' && procMount !== 'Unmasked') {
    refusals.push(unsupportedValue(`${field}.procMount`, procMount, ['Default', 'Unmasked']));
  }
  if (procMount === 'Unmasked' && spec['hostUsers'] !== false) {
    refusals.push(invalidValue(`${field}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`'));
  }
  refusals.push(...validateSeccompProfile(context['seccompProfile'], `${field}.seccompProfile`));
  if (context['allowPrivilegeEscalation'] === false) {
    if (context['privileged'] === true) {
      refusals.push(invalidValue(field, context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'));
    }
    // The name as the kernel has it; that of Kubernetes, without `CAP_`, is taken.
    if (textsOf(fieldsOf(capabilities)['add']).includes('CAP_SYS_ADMIN')) {
      refusals.push(invalidValue(field, context, 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'));
    }
  }
  // Whether privileged containers are allowed at all is a flag of the API server: on in nearly every cluster, so not asked here.
  return [
    ...refusals,
    ...validateWindowsOptions(context['windowsOptions'], `${field}.windowsOptions`),
    ...validateAppArmorProfile(context['appArmorProfile'], `${field}.appArmorProfile`),
  ];
}

/** Users and groups. */
function validateUserId(value: unknown, field: string): FieldError[] {
  const id = numberOf(value);
  if (id === undefined || (id >= 0 && id <= LARGEST_INT32)) return [];
  return [invalidValue(field, id, `must be between 0 and ${LARGEST_INT32}, inclusive`)];
}

/** Which system calls are left to containers. */
function validateSeccompProfile(profile: unknown, field: string): FieldError[] {
  if (!isFields(profile)) return [];
  const { type, localhostProfile } = profile;
  const refusals = validateProfileType(type, `${field}.type`, 'seccompProfile');
  const path = `${field}.localhostProfile`;
  if (type !== 'Localhost') {
    if (localhostProfile === undefined) return refusals;
    return [...refusals, invalidValue(path, profile, 'can only be set when seccomp type is Localhost')];
  }
  if (localhostProfile === undefined) return [requiredValue(path, 'must be set when seccomp type is Localhost')];
  return validateDescendingPath(textOf(localhostProfile), path);
}

/** Checks the AppArmor profile, which limits files and capabilities of containers. */
function validateAppArmorProfile(profile: unknown, field: string): FieldError[] {
  if (!isFields(profile)) return [];
  const { type, localhostProfile } = profile;
  const ofType = validateProfileType(type, `${field}.type`, 'appArmorProfile');
  if (ofType.length > 0) return ofType;
  const path = `${field}.localhostProfile`;
  const name = textOf(localhostProfile);
  if (type !== 'Localhost') {
    if (typeof localhostProfile !== 'string') return [];
    return [invalidValue(path, name, 'can only be set when AppArmor type is Localhost')];
  }
  if (name === '') return [requiredValue(path, 'must be set when AppArmor type is Localhost')];
  const refusals = name === name.trim() ? [] : [invalidValue(path, name, 'must not be padded with whitespace')];
  return Buffer.byteLength(name) > pathLimitBytes ? [...refusals, tooLong(path, pathLimitBytes)] : refusals;
}

function validateProfileType(type: unknown, field: string, profile: string): FieldError[] {
  if (textOf(type) === '') return [requiredValue(field, `type is required when ${profile} is set`)];
  return profileTypes.includes(textOf(type)) ? [] : [unsupportedValue(field, type, profileTypes)];
}

/** Parameters of the kernel, each once, of a namespace that is the pod's own. */
function validateSysctls(spec: PodSpec, sysctls: readonly Fields[], field: string): FieldError[] {
  const seen = new Set<string>();
  return sysctls.flatMap((sysctl, at) => {
    const [name, path] = [textOf(sysctl['name']), `${field}[${at}].name`];
    if (name === '') return [requiredValue(path)];
    if (Buffer.byteLength(name) > sysctlLimitBytes || !sysctlName.test(name)) {
      return [invalidValue(path, name, `must have at most ${sysctlLimitBytes} characters and match regex ${sysctlPattern}`)];
    }
    const refusals = seen.has(name) ? [duplicateValue(path, name)] : [];
    seen.add(name);
    const dotted = withDots(name);
    if (spec['hostNetwork'] === true && networkSysctls.test(dotted)) {
      refusals.push(invalidValue(path, name, "may not be specified when 'hostNetwork' is true"));
    } else if (spec['hostIPC'] === true && ipcSysctls.test(dotted)) {
      refusals.push(invalidValue(path, name, "may not be specified when 'hostIPC' is true"));
    }
    return refusals;
  });
}

/** `net/ipv4/conf/eth0.1/arp_filter` as `net.ipv4.conf.eth0/1.arp_filter`: the separator that comes first is the one between parts. */
function withDots(name: string): string {
  if (!/^[^./]*\//.test(name)) return name;
  return name.replaceAll(/[./]/g, (separator) => (separator === '.' ? '/' : '.'));
}
