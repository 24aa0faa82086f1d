// Services, with what the API server fills in; no traffic goes anywhere.
import { createHash } from 'node:crypto';
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfDnsLabel } from '../../objects/names.ts';
import { fieldIsImmutable, invalidValue, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import { fieldsAt, listAt, textAt } from '../api-object.ts';
import type { ApiObject, Fields } from '../api-object.ts';
import { ageColumn, nameColumn, readAndWrite, row } from './row.ts';

/** An address of 10.96.0.0/12, always the same for the same service. */
function addressFor(uid: string): string {
  const [a = 0, b = 0, c = 0] = createHash('sha256').update(uid).digest();
  return `10.${96 + (a & 15)}.${b}.${1 + (c % 254)}`;
}

/** What the fields of a service mean when they are left out. */
function withFieldDefaults(service: ApiObject): ApiObject {
  const given = fieldsAt(service, 'spec');
  const type = textAt(given, 'type') || 'ClusterIP';
  const ports = listAt(given, 'ports').map((port): Fields => ({ protocol: 'TCP', targetPort: port['port'], ...port }));
  const spec: Fields = { sessionAffinity: 'None', ...given, type, ...(ports.length > 0 && { ports }) };
  if (type !== 'ExternalName') spec['internalTrafficPolicy'] ??= 'Cluster';
  return { ...service, spec };
}

function withDefaults(service: ApiObject, previous?: ApiObject): ApiObject {
  const given = fieldsAt(service, 'spec');
  const defaulted = withFieldDefaults(service);
  const spec: Fields = { ...defaulted.spec };
  if (spec['type'] !== 'ExternalName') {
    const clusterIP = textAt(given, 'clusterIP') || textAt(previous?.spec, 'clusterIP') || addressFor(service.metadata.uid ?? '');
    Object.assign(spec, { clusterIP, clusterIPs: [clusterIP] });
    spec['ipFamilies'] ??= ['IPv4'];
    spec['ipFamilyPolicy'] ??= 'SingleStack';
  }
  return { ...defaulted, spec, status: previous?.status ?? { loadBalancer: {} } };
}

const serviceTypes = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

const portNumber = (value: unknown): boolean => typeof value === 'number' && value >= 1 && value <= 65535;

function errorsOf(service: ApiObject): FieldError[] {
  const spec = fieldsAt(service, 'spec');
  const ports = listAt(spec, 'ports');
  const type = textAt(spec, 'type');
  const errors: FieldError[] = [];
  if (!serviceTypes.includes(type)) {
    errors.push(unsupportedValue('spec.type', type, serviceTypes));
  }
  if (ports.length === 0 && type !== 'ExternalName' && textAt(spec, 'clusterIP') !== 'None') {
    errors.push(requiredValue('spec.ports'));
  }
  for (const [index, port] of ports.entries()) {
    if (!portNumber(port['port'])) {
      errors.push(invalidValue(`spec.ports[${index}].port`, port['port'] ?? 0, 'must be between 1 and 65535, inclusive'));
    }
    if (ports.length > 1 && textAt(port, 'name') === '') {
      errors.push(requiredValue(`spec.ports[${index}].name`));
    }
  }
  return errors;
}

const portsText = (service: ApiObject): string =>
  listAt(service.spec, 'ports')
    .map((port) => `${textAt(port, 'port')}${port['nodePort'] ? `:${textAt(port, 'nodePort')}` : ''}/${textAt(port, 'protocol')}`)
    .join(',') || '<none>';

const selectorText = (service: ApiObject): string =>
  Object.entries(fieldsAt(service.spec, 'selector'))
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(',') || '<none>';

export const services = row({
  plural: 'services',
  singular: 'service',
  kind: 'Service',
  shortNames: ['svc'],
  categories: ['all'],
  answersDeleted: true,
  subresources: [{ name: 'status', kind: 'Service', verbs: readAndWrite }],
  columns: [
    nameColumn,
    { name: 'Type', type: 'string', description: 'How it is reached.', cell: (object) => textAt(object.spec, 'type') },
    {
      name: 'Cluster-IP',
      type: 'string',
      description: 'Its address within the cluster.',
      cell: (object) => textAt(object.spec, 'clusterIP') || '<none>',
    },
    {
      name: 'External-IP',
      type: 'string',
      description: 'Its address from outside.',
      cell: (object) => textAt(object.spec, 'externalName') || (textAt(object.spec, 'type') === 'LoadBalancer' ? '<pending>' : '<none>'),
    },
    { name: 'Port(s)', type: 'string', description: 'The ports that it offers.', cell: portsText },
    ageColumn,
    { name: 'Selector', type: 'string', description: 'The pods behind it.', priority: 1, cell: selectorText },
  ],
  selectable: ['spec.clusterIP', 'spec.type'],
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
      return [...(moved ? [invalidValue('spec.clusterIP', after, fieldIsImmutable)] : []), ...errorsOf(next)];
    },
    nameProblems: problemsOfDnsLabel,
  },
});
