// The API server's rules for the containers of a pod or a template.
import { validateEnvironment } from './env-validation.ts';
import type { FieldError } from '../../objects/field-error.ts';
import type { Container, PodSpec } from '../../objects/kubernetes.ts';
import { problemsOfDnsLabel, problemsOfPortName } from '../../objects/names.ts';
import { isPort, portProblem, validateNoProbesNorHooks, validateProbesAndHooks } from './probe-validation.ts';
import { duplicateValue, invalidFor, invalidValue, requiredValue, tooMany, unsupportedValue } from '../../objects/refusals.ts';
import { claimNamesOf, validateContainerResources } from './resource-validation.ts';
import { validateContainerSecurityContext } from './security-context-validation.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { fieldsOf, isFields, listOf, numberOf, textOf } from '../../objects/values/untyped-fields.ts';
import { validateVolumeDevices, validateVolumeMounts } from '../volume/volume-mount-validation.ts';

const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const messagePolicies = ['File', 'FallbackToLogsOnError'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const restartPolicies = ['Always', 'Never', 'OnFailure'];
const restartActions = ['Restart', 'RestartAllContainers'];
const restartRulesLimit = 20;
const exitCodesLimit = 255;

/** The refusals of all containers of a spec that lies at `field`; `mountable` are its volumes that are in order. */
export function validateContainers(spec: PodSpec, field: string, mountable: ReadonlyMap<string, Fields>): FieldError[] {
  const containers = spec.containers ?? [];
  const initContainers = spec.initContainers ?? [];
  const claimNames = claimNamesOf(spec);
  const volumes = new Map(listOf(spec['volumes']).map((volume) => [textOf(volume['name']), volume]));
  const graceSeconds = numberOf(spec['terminationGracePeriodSeconds']);
  const refusals: FieldError[] = containers.length === 0 ? [requiredValue(`${field}.containers`)] : [];
  const names = new Set<string>();
  for (const [at, container] of containers.entries()) {
    const path = `${field}.containers[${at}]`;
    refusals.push(...validateContainer(container, { path, spec, volumes, mountable, claimNames }));
    if (names.has(container.name ?? '')) refusals.push(duplicateValue(`${path}.name`, container.name));
    names.add(container.name ?? '');
    refusals.push(...validateProbesAndHooks(container, path, graceSeconds), ...validateRestartPolicy(container, path, { isInit: false }));
  }
  refusals.push(...validateHostPorts(containers, `${field}.containers`));
  for (const [at, container] of initContainers.entries()) {
    const path = `${field}.initContainers[${at}]`;
    refusals.push(
      ...validateContainer(container, { path, spec, volumes, mountable, claimNames }),
      ...validateRestartPolicy(container, path, { isInit: true }),
    );
    if (names.has(container.name ?? '')) refusals.push(duplicateValue(`${path}.name`, container.name));
    else if (container.name) names.add(container.name);
    const isSidecar = container.restartPolicy === 'Always';
    refusals.push(...(isSidecar ? validateProbesAndHooks(container, path, graceSeconds) : validateNoProbesNorHooks(container, path)));
    if (!isSidecar) refusals.push(...validateNoRestartToResize(container, `${path}.resizePolicy`));
    // They run one by one, so each is alone with its ports.
    refusals.push(...validateHostPorts([container], `${field}.initContainers`));
  }
  return refusals;
}

interface ContainerContext {
  readonly path: string;
  readonly spec: PodSpec;
  /** Those of the pod by name, in order or not. */
  readonly volumes: ReadonlyMap<string, Fields>;
  readonly mountable: ReadonlyMap<string, Fields>;
  readonly claimNames: readonly string[];
}

function validateContainer(container: Container, { path, spec, volumes, mountable, claimNames }: ContainerContext): FieldError[] {
  const { name = '', image = '' } = container as Partial<Container>;
  return [
    ...(name === '' ? [requiredValue(`${path}.name`)] : invalidFor(`${path}.name`, name, problemsOfDnsLabel(name))),
    ...(image === '' ? [requiredValue(`${path}.image`)] : []),
    ...oneOf(`${path}.terminationMessagePolicy`, container['terminationMessagePolicy'], messagePolicies),
    ...validatePorts(listOf(container['ports']), `${path}.ports`),
    ...validateEnvironment(container, path, volumes),
    ...validateVolumeMounts(container, path, mountable),
    ...validateVolumeDevices(container, path, mountable),
    ...oneOf(`${path}.imagePullPolicy`, container['imagePullPolicy'], pullPolicies),
    ...validateContainerResources(fieldsOf(container.resources), { field: `${path}.resources`, claimNames }),
    ...validateResizePolicy(listOf(container['resizePolicy']), `${path}.resizePolicy`, spec),
    ...validateContainerSecurityContext(fieldsOf(container['securityContext']), `${path}.securityContext`, spec),
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

function validateRestartPolicy(container: Container, field: string, { isInit }: { isInit: boolean }): FieldError[] {
  const { restartPolicy } = container;
  const rules = listOf(container['restartPolicyRules']);
  const refusals: FieldError[] = [];
  if (restartPolicy === undefined && rules.length > 0) {
    refusals.push(requiredValue(`${field}.restartPolicy`, 'must specify restartPolicy when restart rules are used'));
    // The API server looks no further then.
    if (isInit) return refusals;
  } else if (restartPolicy !== undefined && !restartPolicies.includes(restartPolicy)) {
    refusals.push(unsupportedValue(`${field}.restartPolicy`, restartPolicy, restartPolicies));
  }
  if (rules.length > restartRulesLimit)
    refusals.push(tooMany(`${field}.restartPolicyRules`, { count: rules.length, limit: restartRulesLimit }));
  for (const [at, { action, exitCodes }] of rules.entries()) {
    const path = `${field}.restartPolicyRules[${at}]`;
    if (!restartActions.includes(textOf(action))) refusals.push(unsupportedValue(`${path}.action`, textOf(action), restartActions));
    refusals.push(
      ...(isFields(exitCodes)
        ? validateExitCodes(exitCodes, `${path}.exitCodes`)
        : [requiredValue(`${path}.exitCodes`, 'must be specified')]),
    );
  }
  return refusals;
}

function validateExitCodes({ operator, values }: Fields, field: string): FieldError[] {
  const refusals = ['In', 'NotIn'].includes(textOf(operator))
    ? []
    : [unsupportedValue(`${field}.operator`, textOf(operator), ['In', 'NotIn'])];
  const count = Array.isArray(values) ? values.length : 0;
  return count > exitCodesLimit ? [...refusals, tooMany(`${field}.values`, { count, limit: exitCodesLimit })] : refusals;
}

/** Checks the policies for a change of a container's resources. The API server leaves the place in the list out of most of these paths. */
function validateResizePolicy(policies: readonly Fields[], field: string, { restartPolicy }: PodSpec): FieldError[] {
  const seen = new Set<string>();
  return policies.flatMap((policy, at) => {
    const [resource, restart] = [textOf(policy['resourceName']), textOf(policy['restartPolicy'])];
    const refusals = seen.has(resource) ? [duplicateValue(`${field}[${at}]`, resource)] : [];
    seen.add(resource);
    refusals.push(...oneOf(field, resource, ['cpu', 'memory']), ...oneOf(field, restart, ['NotRequired', 'RestartContainer']));
    if (restartPolicy === 'Never' && restart !== 'NotRequired') {
      refusals.push(invalidValue(field, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
    return refusals;
  });
}

/** An init container that ends before the others start is not started again to be resized. */
function validateNoRestartToResize(container: Container, field: string): FieldError[] {
  return listOf(container['resizePolicy']).flatMap(({ restartPolicy }, at) =>
    restartPolicy === 'RestartContainer'
      ? [
          invalidValue(
            `${field}[${at}].restartPolicy`,
            restartPolicy,
            "must not be set to 'RestartContainer' for non-sidecar initContainers",
          ),
        ]
      : [],
  );
}
