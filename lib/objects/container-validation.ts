// What the API server asks of the containers of a pod or a template.
import { validateEnvironment } from './env-validation.ts';
import type { FieldError } from './field-error.ts';
import { LARGEST_INT32 } from './integers.ts';
import type { Container, PodSpec } from './kubernetes.ts';
import { problemsOfDnsLabel, problemsOfPortName } from './names.ts';
import { validateDescendingPath } from './path-validation.ts';
import { isPort, portProblem, validateNoProbesNorHooks, validateProbesAndHooks } from './probe-validation.ts';
import { duplicateValue, invalidFor, invalidValue, requiredValue, tooMany, unsupportedValue } from './refusals.ts';
import { validateContainerResources } from './resource-validation.ts';
import type { Fields } from './untyped-fields.ts';
import { fieldsOf, isFields, listOf, numberOf, textOf } from './untyped-fields.ts';
import { validateVolumeMounts } from './volume-mount-validation.ts';

const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const messagePolicies = ['File', 'FallbackToLogsOnError'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const restartPolicies = ['Always', 'Never', 'OnFailure'];
const seccompTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const restartRulesLimit = 20;

/** The refusals of all containers of a spec that lies at `field`; `mountable` are its volumes that are in order. */
export function validateContainers(spec: PodSpec, field: string, mountable: ReadonlyMap<string, Fields>): FieldError[] {
  const containers = spec.containers ?? [];
  const initContainers = spec.initContainers ?? [];
  const claimNames = listOf(spec['resourceClaims']).map((claim) => textOf(claim['name']));
  const volumes = new Map(listOf(spec['volumes']).map((volume) => [textOf(volume['name']), volume]));
  const graceSeconds = numberOf(spec['terminationGracePeriodSeconds']);
  const refusals: FieldError[] = containers.length === 0 ? [requiredValue(`${field}.containers`)] : [];
  const names = new Set<string>();
  for (const [at, container] of containers.entries()) {
    const path = `${field}.containers[${at}]`;
    refusals.push(...validateContainer(container, { path, volumes, mountable, claimNames }));
    if (names.has(container.name ?? '')) refusals.push(duplicateValue(`${path}.name`, container.name));
    names.add(container.name ?? '');
    refusals.push(...validateProbesAndHooks(container, path, graceSeconds), ...validateRestartPolicy(container, path));
  }
  refusals.push(...validateHostPorts(containers, `${field}.containers`));
  for (const [at, container] of initContainers.entries()) {
    const path = `${field}.initContainers[${at}]`;
    refusals.push(...validateContainer(container, { path, volumes, mountable, claimNames }), ...validateRestartPolicy(container, path));
    if (names.has(container.name ?? '')) refusals.push(duplicateValue(`${path}.name`, container.name));
    else if (container.name) names.add(container.name);
    const isSidecar = container.restartPolicy === 'Always';
    refusals.push(...(isSidecar ? validateProbesAndHooks(container, path, graceSeconds) : validateNoProbesNorHooks(container, path)));
    // They run one by one, so each is alone with its ports.
    refusals.push(...validateHostPorts([container], `${field}.initContainers`));
  }
  return refusals;
}

interface ContainerContext {
  readonly path: string;
  /** Those of the pod by name, in order or not. */
  readonly volumes: ReadonlyMap<string, Fields>;
  readonly mountable: ReadonlyMap<string, Fields>;
  readonly claimNames: readonly string[];
}

function validateContainer(container: Container, { path, volumes, mountable, claimNames }: ContainerContext): FieldError[] {
  const { name = '', image = '' } = container as Partial<Container>;
  return [
    ...(name === '' ? [requiredValue(`${path}.name`)] : invalidFor(`${path}.name`, name, problemsOfDnsLabel(name))),
    ...(image === '' ? [requiredValue(`${path}.image`)] : []),
    ...oneOf(`${path}.terminationMessagePolicy`, container['terminationMessagePolicy'], messagePolicies),
    ...validatePorts(listOf(container['ports']), `${path}.ports`),
    ...validateEnvironment(container, path, volumes),
    ...validateVolumeMounts(container, path, mountable),
    ...oneOf(`${path}.imagePullPolicy`, container['imagePullPolicy'], pullPolicies),
    ...validateContainerResources(fieldsOf(container.resources), { field: `${path}.resources`, claimNames }),
    ...validateSecurityContext(fieldsOf(container['securityContext']), `${path}.securityContext`),
  ];
}

/** A field with a default, so it is there. */
function oneOf(field: string, value: unknown, supported: readonly string[]): FieldError[] {
  const text = textOf(value);
  if (text === '') return [requiredValue(field)];
  return supported.includes(text) ? [] : [unsupportedValue(field, text, supported)];
}

function validatePorts(ports: readonly Fields[], field: string): FieldError[] {
  const refusals: FieldError[] = [];
  const names = new Set<string>();
  for (const [at, port] of ports.entries()) {
    const path = `${field}[${at}]`;
    const name = textOf(port['name']);
    const problems = name === '' ? [] : problemsOfPortName(name);
    refusals.push(...invalidFor(`${path}.name`, name, problems));
    if (name !== '' && problems.length === 0) {
      if (names.has(name)) refusals.push(duplicateValue(`${path}.name`, name));
      names.add(name);
    }
    const [containerPort, hostPort] = [numberOf(port['containerPort']) ?? 0, numberOf(port['hostPort']) ?? 0];
    if (containerPort === 0) refusals.push(requiredValue(`${path}.containerPort`));
    else if (!isPort(containerPort)) refusals.push(invalidValue(`${path}.containerPort`, containerPort, portProblem));
    if (hostPort !== 0 && !isPort(hostPort)) refusals.push(invalidValue(`${path}.hostPort`, hostPort, portProblem));
    refusals.push(...oneOf(`${path}.protocol`, port['protocol'], protocols));
  }
  return refusals;
}

/** Containers of a pod share the ports of its host. */
function validateHostPorts(containers: readonly Container[], field: string): FieldError[] {
  const refusals: FieldError[] = [];
  const taken = new Set<string>();
  for (const [at, container] of containers.entries()) {
    for (const [place, { protocol, hostIP, hostPort }] of listOf(container['ports']).entries()) {
      if (!numberOf(hostPort)) continue;
      const port = `${textOf(protocol)}/${textOf(hostIP)}/${numberOf(hostPort) ?? 0}`;
      if (taken.has(port)) refusals.push(duplicateValue(`${field}[${at}].ports[${place}].hostPort`, port));
      taken.add(port);
    }
  }
  return refusals;
}

function validateRestartPolicy(container: Container, field: string): FieldError[] {
  const { restartPolicy } = container;
  const rules = listOf(container['restartPolicyRules']);
  const refusals: FieldError[] = [];
  if (restartPolicy === undefined && rules.length > 0) {
    refusals.push(requiredValue(`${field}.restartPolicy`, 'must specify restartPolicy when restart rules are used'));
  } else if (restartPolicy !== undefined && !restartPolicies.includes(restartPolicy)) {
    refusals.push(unsupportedValue(`${field}.restartPolicy`, restartPolicy, restartPolicies));
  }
  if (rules.length > restartRulesLimit)
    refusals.push(tooMany(`${field}.restartPolicyRules`, { count: rules.length, limit: restartRulesLimit }));
  for (const [at, rule] of rules.entries()) {
    if (!isFields(rule['exitCodes'])) refusals.push(requiredValue(`${field}.restartPolicyRules[${at}].exitCodes`, 'must be specified'));
  }
  return refusals;
}

function validateSecurityContext(context: Fields, field: string): FieldError[] {
  const refusals: FieldError[] = [];
  for (const key of ['runAsUser', 'runAsGroup']) refusals.push(...validateUserId(context[key], `${field}.${key}`));
  refusals.push(...validateSeccompProfile(context['seccompProfile'], `${field}.seccompProfile`));
  if (context['allowPrivilegeEscalation'] === false && context['privileged'] === true) {
    refusals.push(invalidValue(field, context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'));
  }
  // Whether privileged containers are allowed at all is a flag of the API server: on in nearly every cluster, so not asked here.
  return refusals;
}

/** Users and groups of a security context. */
export function validateUserId(value: unknown, field: string): FieldError[] {
  const id = numberOf(value);
  if (id === undefined || (id >= 0 && id <= LARGEST_INT32)) return [];
  return [invalidValue(field, id, `must be between 0 and ${LARGEST_INT32}, inclusive`)];
}

/** Which system calls a security context leaves to its containers. */
export function validateSeccompProfile(profile: unknown, field: string): FieldError[] {
  if (!isFields(profile)) return [];
  const { type, localhostProfile } = profile;
  const refusals =
    textOf(type) === ''
      ? [requiredValue(`${field}.type`, 'type is required when seccompProfile is set')]
      : oneOf(`${field}.type`, type, seccompTypes);
  const path = `${field}.localhostProfile`;
  if (type !== 'Localhost') {
    if (localhostProfile === undefined) return refusals;
    return [...refusals, invalidValue(path, profile, 'can only be set when seccomp type is Localhost')];
  }
  if (localhostProfile === undefined) return [requiredValue(path, 'must be set when seccomp type is Localhost')];
  return validateDescendingPath(textOf(localhostProfile), path);
}
