// Services, with what the API server fills in; no traffic goes anywhere.
import { createHash } from 'node:crypto';
import type { FieldError } from '../../objects/field-error.ts';
import { validateLabels } from '../../admission/metadata/object-metadata-validation.ts';
import { problemsOfDnsLabel, problemsOfPortName } from '../../objects/names.ts';
import { duplicateValue, forbidden, invalidFor, invalidValue, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import { selectorTextOf } from '../../objects/label-selector.ts';
import { fieldsAt, listAt, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { ageColumn, column, nameColumn, row, wide } from './row.ts';

/** An address of 10.96.0.0/12, always the same for the same service. */
function addressFor(uid: string): string {
  const [a = 0, b = 0, c = 0] = createHash('sha256').update(uid).digest();
  return `10.${96 + (a & 15)}.${b}.${1 + (c % 254)}`;
}

const affinitySeconds = 10_800;

/** Defaults of a service's fields. */
function withFieldDefaults(service: ApiObject): ApiObject {
  const given = fieldsAt(service, 'spec');
  const type = textAt(given, 'type') || 'ClusterIP';
  const ports = listAt(given, 'ports').map((port): Fields => ({ protocol: 'TCP', targetPort: port['port'], ...port }));
  const spec: Fields = { sessionAffinity: 'None', ...given, type, ...(ports.length > 0 && { ports }) };
  if (type !== 'ExternalName') spec['internalTrafficPolicy'] ??= 'Cluster';
  if (spec['publishNotReadyAddresses'] === false) delete spec['publishNotReadyAddresses'];
  if (spec['sessionAffinity'] === 'ClientIP') {
    const config = fieldsAt(spec, 'sessionAffinityConfig');
    spec['sessionAffinityConfig'] = { ...config, clientIP: { timeoutSeconds: affinitySeconds, ...fieldsAt(config, 'clientIP') } };
  }
  return { ...service, spec };
}

function withDefaults(service: ApiObject, previous?: ApiObject): ApiObject {
  const given = fieldsAt(service, 'spec');
  const defaulted = withFieldDefaults(service);
  const spec: Fields = { ...defaulted.spec };
  if (spec['type'] !== 'ExternalName') {
    const clusterIP = textAt(given, 'clusterIP') || textAt(previous?.spec, 'clusterIP') || addressFor(service.metadata.uid ?? '');
    Object.assign(spec, { clusterIP, clusterIPs: [clusterIP] });
    // Somebody else writes the endpoints of a service that has neither address nor selector: they may be of both families.
    const isOpen = clusterIP === 'None' && Object.keys(fieldsAt(spec, 'selector')).length === 0;
    spec['ipFamilies'] ??= isOpen ? ['IPv4', 'IPv6'] : ['IPv4'];
    spec['ipFamilyPolicy'] ??= isOpen ? 'RequireDualStack' : 'SingleStack';
  }
  return { ...defaulted, spec, status: previous?.status ?? { loadBalancer: {} } };
}

const selectorOf = ({ spec }: ApiObject): Record<string, string> =>
  Object.fromEntries(Object.entries(fieldsAt(spec, 'selector')).map(([key, value]) => [key, String(value)]));

const serviceTypes = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

const protocols = ['SCTP', 'TCP', 'UDP'];
const affinities = ['ClientIP', 'None'];

const numberErrors = (field: string, value: unknown): FieldError[] =>
  typeof value === 'number' && value >= 1 && value <= 65535
    ? []
    : [invalidValue(field, value ?? 0, 'must be between 1 and 65535, inclusive')];

function errorsOf(service: ApiObject): FieldError[] {
  const spec = fieldsAt(service, 'spec');
  const ports = listAt(spec, 'ports');
  const [type, affinity] = [textAt(spec, 'type'), textAt(spec, 'sessionAffinity')];
  const errors: FieldError[] = [];
  if (ports.length === 0 && type !== 'ExternalName' && textAt(spec, 'clusterIP') !== 'None') {
    errors.push(requiredValue('spec.ports'));
  }
  errors.push(...portsErrors(ports));
  errors.push(...validateLabels(selectorOf(service), 'spec.selector'));
  if (!affinities.includes(affinity)) errors.push(unsupportedValue('spec.sessionAffinity', affinity, affinities));
  if (!serviceTypes.includes(type)) errors.push(unsupportedValue('spec.type', type, serviceTypes));
  return errors;
}

function portsErrors(ports: readonly Fields[]): FieldError[] {
  const names = new Set<string>();
  const errors = ports.flatMap((port, index) => {
    const found = portErrors(port, `spec.ports[${index}]`, { needsName: ports.length > 1, names });
    names.add(textAt(port, 'name'));
    return found;
  });
  // As the server prints what it compares by.
  const places = ports.map(({ port = 0, protocol }) =>
    JSON.stringify({ Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 }),
  );
  const isTwice = (place: string, index: number): boolean => places.indexOf(place) < index;
  return [
    ...errors,
    ...places.flatMap((place, at) => (isTwice(place, at) ? [duplicateValue(`spec.ports[${at}]`, JSON.parse(place))] : [])),
  ];
}

function portErrors(port: Fields, field: string, { needsName, names }: { needsName: boolean; names: ReadonlySet<string> }): FieldError[] {
  const [name, protocol] = [textAt(port, 'name'), textAt(port, 'protocol')];
  const target = port['targetPort'];
  const errors: FieldError[] = [];
  if (name !== '') {
    errors.push(...invalidFor(`${field}.name`, name, problemsOfDnsLabel(name)));
    if (names.has(name)) errors.push(duplicateValue(`${field}.name`, name));
  } else if (needsName) errors.push(requiredValue(`${field}.name`));
  errors.push(...numberErrors(`${field}.port`, port['port']));
  if (!protocols.includes(protocol)) errors.push(unsupportedValue(`${field}.protocol`, protocol, protocols));
  if (typeof target === 'string') errors.push(...invalidFor(`${field}.targetPort`, target, problemsOfPortName(target)));
  else errors.push(...numberErrors(`${field}.targetPort`, target));
  return errors;
}

/** Addresses from outside are those of a load balancer. */
function statusErrors({ spec, status }: ApiObject): FieldError[] {
  const hasAddresses = listAt(fieldsAt(status, 'loadBalancer'), 'ingress').length > 0;
  if (!hasAddresses || textAt(spec, 'type') === 'LoadBalancer') return [];
  return [forbidden('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'")];
}

const portsText = (service: ApiObject): string =>
  listAt(service.spec, 'ports')
    .map((port) => `${textAt(port, 'port')}${port['nodePort'] ? `:${textAt(port, 'nodePort')}` : ''}/${textAt(port, 'protocol')}`)
    .join(',') || '<none>';

export const services = row({
  plural: 'services',
  kind: 'Service',
  shortNames: ['svc'],
  categories: ['all'],
  answersDeleted: true,
  hasStatus: true,
  columns: [
    nameColumn,
    column('Type', (object) => textAt(object.spec, 'type')),
    column('Cluster-IP', (object) => textAt(object.spec, 'clusterIP') || '<none>'),
    column(
      'External-IP',
      (object) => textAt(object.spec, 'externalName') || (textAt(object.spec, 'type') === 'LoadBalancer' ? '<pending>' : '<none>'),
    ),
    column('Port(s)', portsText),
    ageColumn,
    column('Selector', (service) => selectorTextOf({ matchLabels: selectorOf(service) }) || '<none>', wide),
  ],
  fieldsOf: (object) => ({ 'spec.clusterIP': textAt(object.spec, 'clusterIP'), 'spec.type': textAt(object.spec, 'type') }),
  rules: {
    defaults: withFieldDefaults,
    create: (object) => withDefaults(object),
    validate: errorsOf,
    update: withDefaults,
    validateUpdate: (next, previous) => {
      const before = textAt(previous.spec, 'clusterIP');
      const after = textAt(next.spec, 'clusterIP');
      const moved = before !== '' && after !== '' && before !== after;
      return [...(moved ? [invalidValue('spec.clusterIPs[0]', [after], 'may not change once set')] : []), ...errorsOf(next)];
    },
    validateStatus: statusErrors,
    nameProblems: problemsOfDnsLabel,
  },
});
