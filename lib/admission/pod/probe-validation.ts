// The API server's rules for the probes and the lifecycle hooks of a container.
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfHttpHeaderName, problemsOfPortName } from '../../objects/names.ts';
import { forbidden, invalidFor, invalidValue, requiredValue, unlessNonNegative, unsupportedValue } from '../../objects/refusals.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { fieldsOf, isFields, listOf, numberOf, textOf } from '../../objects/values/untyped-fields.ts';

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const handlerKinds = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];
type ProbeField = (typeof probes)[number];

export const portProblem = 'must be between 1 and 65535, inclusive';
export const isPort = (port: unknown): boolean => typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535;

/**
 * The refusals of probes and hooks that run while the container lives; `field` is the container's.
 * @param graceSeconds the pod's `terminationGracePeriodSeconds`
 */
export function validateProbesAndHooks(container: Fields, field: string, graceSeconds: number | undefined): FieldError[] {
  const lifecycle = fieldsOf(container['lifecycle']);
  return [
    ...(['postStart', 'preStop'] as const).flatMap((hook) => {
      const handler = lifecycle[hook];
      const path = `${field}.lifecycle.${hook}`;
      return isFields(handler) ? [...validateHandler(handler, path), ...validateSleep(handler, `${path}.sleep`, graceSeconds)] : [];
    }),
    ...probes.flatMap((probe) => (isFields(container[probe]) ? validateProbe(container[probe], probe, `${field}.${probe}`) : [])),
  ];
}

/** Init containers that run to their end have neither. */
export function validateNoProbesNorHooks(container: Fields, field: string): FieldError[] {
  return ['lifecycle', ...probes]
    .filter((key) => isFields(container[key]))
    .map((key) => forbidden(`${field}.${key}`, 'may not be set for init containers without restartPolicy=Always'));
}

function validateProbe(probe: Fields, kind: ProbeField, field: string): FieldError[] {
  const refusals = validateHandler(probe, field);
  for (const key of ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold']) {
    refusals.push(...unlessNonNegative(`${field}.${key}`, numberOf(probe[key])));
  }
  const graceSeconds = numberOf(probe['terminationGracePeriodSeconds']);
  if (graceSeconds !== undefined && graceSeconds <= 0) {
    refusals.push(invalidValue(`${field}.terminationGracePeriodSeconds`, graceSeconds, 'must be greater than 0'));
  }
  if (kind === 'readinessProbe' && graceSeconds !== undefined) {
    refusals.push(invalidValue(`${field}.terminationGracePeriodSeconds`, graceSeconds, 'must not be set for readinessProbes'));
  }
  const successes = numberOf(probe['successThreshold']) ?? 1;
  if (kind !== 'readinessProbe' && successes !== 1) refusals.push(invalidValue(`${field}.successThreshold`, successes, 'must be 1'));
  return refusals;
}

/** A hook sleeps within the pod's grace. Not after another kind of handler, which is refused already. */
function validateSleep(handler: Fields, field: string, graceSeconds: number | undefined): FieldError[] {
  const [kind] = handlerKinds.filter((each) => isFields(handler[each]));
  if (kind !== 'sleep' || graceSeconds === undefined) return [];
  const seconds = numberOf(fieldsOf(handler['sleep'])['seconds']) ?? 0;
  if (seconds >= 0 && seconds <= graceSeconds) return [];
  return [invalidValue(field, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`)];
}

function validateHandler(handler: Fields, field: string): FieldError[] {
  const [kind, ...others] = handlerKinds.filter((each) => isFields(handler[each]));
  if (kind === undefined) return [requiredValue(field, 'must specify a handler type')];
  const refusals = others.map((other) => forbidden(`${field}.${other}`, 'may not specify more than 1 handler type'));
  const action = fieldsOf(handler[kind]);
  const path = `${field}.${kind}`;
  if (kind === 'exec' && (!Array.isArray(action['command']) || action['command'].length === 0))
    refusals.push(requiredValue(`${path}.command`));
  if (kind === 'httpGet' && textOf(action['path']) === '') refusals.push(requiredValue(`${path}.path`));
  if (kind === 'httpGet' || kind === 'tcpSocket') refusals.push(...validatePortOrName(action['port'], `${path}.port`));
  if (kind === 'httpGet') {
    const scheme = textOf(action['scheme']);
    if (scheme !== 'HTTP' && scheme !== 'HTTPS') refusals.push(unsupportedValue(`${path}.scheme`, scheme, ['HTTP', 'HTTPS']));
    for (const header of listOf(action['httpHeaders'])) {
      const name = textOf(header['name']);
      refusals.push(...invalidFor(`${path}.httpHeaders`, name, problemsOfHttpHeaderName(name)));
    }
  }
  if (kind === 'grpc' && !isPort(action['port'])) refusals.push(invalidValue(`${path}.port`, action['port'], portProblem));
  return refusals;
}

function validatePortOrName(port: unknown, field: string): FieldError[] {
  if (typeof port === 'string') return invalidFor(field, port, problemsOfPortName(port));
  return isPort(port) ? [] : [invalidValue(field, port ?? 0, portProblem)];
}
