// Network policies. They are kept, and nothing is cut off by them: pods here have no network.
import { validateLabelSelector } from '../../admission/metadata/label-selector-validation.ts';
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfPortName } from '../../objects/names.ts';
import { forbidden, invalidFor, invalidValue, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import { fieldsAt, isFields, listAt, textAt } from '../api-object.ts';
import type { ApiObject, Fields } from '../api-object.ts';
import { networkIn } from '../cel/functions/network.ts';
import { ageColumn, nameColumn, row } from './row.ts';
import { selectorTextOf } from '../../objects/label-selector.ts';

const TYPES = ['Ingress', 'Egress'];
const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];

/** Directions of a policy, with the field of a rule that names the other side. */
const directions = [
  { field: 'ingress', peers: 'from' },
  { field: 'egress', peers: 'to' },
] as const;

const withProtocols = (rule: Fields): Fields =>
  Array.isArray(rule['ports']) ? { ...rule, ports: listAt(rule, 'ports').map((port) => ({ protocol: 'TCP', ...port })) } : rule;

function withDefaults(object: ApiObject): ApiObject {
  const given = fieldsAt(object, 'spec');
  const spec: Fields = { ...given };
  if (listAt(given, 'egress').length > 0) spec['policyTypes'] ??= TYPES;
  spec['policyTypes'] ??= ['Ingress'];
  for (const { field } of directions) if (Array.isArray(given[field])) spec[field] = listAt(given, field).map(withProtocols);
  return { ...object, spec };
}

const portNumberErrors = (field: string, value: number): FieldError[] =>
  value >= 1 && value <= 65535 ? [] : [invalidValue(field, value, 'must be between 1 and 65535, inclusive')];

function portErrors(given: Fields, path: string): FieldError[] {
  const { protocol, port, endPort } = given;
  const errors: FieldError[] = [];
  if (protocol !== undefined && !PROTOCOLS.includes(textAt(given, 'protocol')))
    errors.push(unsupportedValue(`${path}.protocol`, protocol, PROTOCOLS));
  const end = typeof endPort === 'number' ? endPort : undefined;
  if (typeof port === 'number') {
    errors.push(...portNumberErrors(`${path}.port`, port));
    if (end === undefined) return errors;
    // A real server shows the beginning of the range here.
    if (end < port) errors.push(invalidValue(`${path}.endPort`, port, 'must be greater than or equal to `port`'));
    return [...errors, ...portNumberErrors(`${path}.endPort`, end)];
  }
  if (end !== undefined) {
    const why = port === undefined ? 'is not specified' : 'is non-numeric';
    errors.push(invalidValue(`${path}.endPort`, end, `may not be specified when \`port\` ${why}`));
  }
  if (port !== undefined) errors.push(...invalidFor(`${path}.port`, port, problemsOfPortName(textAt(given, 'port'))));
  return errors;
}

/** Leading zeros are read by some as an octal number and by others not, so that none are taken. */
const withoutLeadingZeros = (text: string): string => text.replace(/(^|[./])0+(?=\d)/g, '$1');

/** Problems of the text of a network. */
function networkErrors(text: string, field: string): FieldError[] {
  const network = networkIn(text);
  if (network && network.masked().text() !== network.text())
    return [invalidValue(field, text, 'must not have bits set beyond the prefix length')];
  if (network) return [];
  if (networkIn(withoutLeadingZeros(text))) return [invalidValue(field, text, 'must not have leading 0s in IP or prefix length')];
  if (/^::ffff:/i.test(text) && networkIn(text.replace(/^::ffff:/i, '').replace(/(?<!\d)\d+$/, '0')))
    return [invalidValue(field, text, 'must not have an IPv4-mapped IPv6 address')];
  return [invalidValue(field, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
}

function blockErrors(block: Fields, path: string, taken: ReadonlySet<string>): FieldError[] {
  const cidr = textAt(block, 'cidr');
  if (cidr === '') return [requiredValue(`${path}.cidr`)];
  const errors = taken.has(cidr) ? [] : networkErrors(cidr, `${path}.cidr`);
  const network = networkIn(cidr);
  if (!network) return errors;
  for (const [index, except] of textsAt(block, 'except').entries()) {
    const at = `${path}.except[${index}]`;
    if (!taken.has(except)) errors.push(...networkErrors(except, at));
    const part = networkIn(except);
    if (part && (!network.contains(part.address) || network.prefixLength >= part.prefixLength))
      errors.push(invalidValue(at, except, 'must be a strict subset of `cidr`'));
  }
  return errors;
}

const textsAt = (fields: Fields, name: string): string[] => (Array.isArray(fields[name]) ? fields[name].map(String) : []);

function peerErrors(peer: Fields, path: string, taken: ReadonlySet<string>): FieldError[] {
  const given = ['podSelector', 'namespaceSelector', 'ipBlock'].filter((name) => isFields(peer[name]));
  const errors = given.flatMap((name) =>
    name === 'ipBlock'
      ? blockErrors(fieldsAt(peer, name), `${path}.${name}`, taken)
      : validateLabelSelector(fieldsAt(peer, name), `${path}.${name}`),
  );
  if (given.length === 0) errors.push(requiredValue(path, 'must specify a peer'));
  else if (given.length > 1 && given.includes('ipBlock')) errors.push(forbidden(path, 'may not specify both ipBlock and another peer'));
  return errors;
}

/** @param taken networks that the policy had before, which stay as they are */
function errorsOf({ spec = {} }: ApiObject, taken: ReadonlySet<string> = new Set()): FieldError[] {
  const errors = validateLabelSelector(fieldsAt(spec, 'podSelector'), 'spec.podSelector');
  for (const { field, peers } of directions)
    for (const [index, rule] of listAt(spec, field).entries()) {
      const path = `spec.${field}[${index}]`;
      for (const [at, port] of listAt(rule, 'ports').entries()) errors.push(...portErrors(port, `${path}.ports[${at}]`));
      for (const [at, peer] of listAt(rule, peers).entries()) errors.push(...peerErrors(peer, `${path}.${peers}[${at}]`, taken));
    }
  const types = textsAt(spec, 'policyTypes');
  if (types.length > TYPES.length) return [...errors, invalidValue('spec.policyTypes', types, 'may not specify more than two policyTypes')];
  return [
    ...errors,
    ...types.flatMap((type, index) => (TYPES.includes(type) ? [] : [unsupportedValue(`spec.policyTypes[${index}]`, type, TYPES)])),
  ];
}

/** Every network of a policy, with where it stands. */
function networksOf({ spec = {} }: ApiObject): { text: string; path: string }[] {
  return directions.flatMap(({ field, peers }) =>
    listAt(spec, field).flatMap((rule, index) =>
      listAt(rule, peers).flatMap((peer, at) => {
        const path = `spec.${field}[${index}].${peers}[${at}].ipBlock`;
        if (!isFields(peer['ipBlock'])) return [];
        const excepted = textsAt(peer['ipBlock'], 'except').map((text, place) => ({ text, path: `${path}.except[${place}]` }));
        return [{ text: textAt(peer['ipBlock'], 'cidr'), path: `${path}.cidr` }, ...excepted];
      }),
    ),
  );
}

/** Warnings about an accepted policy: networks of IPv6 that are not written as they should be. */
export const warningsOfNetworks = (policy: ApiObject): string[] =>
  networksOf(policy).flatMap(({ text, path }) => {
    const canonical = networkIn(text)?.text() ?? text;
    if (!text.includes(':') || canonical === text) return [];
    return [`${path}: IPv6 CIDR value ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`];
  });

export const networkPolicies = row({
  group: 'networking.k8s.io',
  plural: 'networkpolicies',
  singular: 'networkpolicy',
  kind: 'NetworkPolicy',
  shortNames: ['netpol'],
  countsGenerations: true,
  columns: [
    nameColumn,
    {
      name: 'Pod-Selector',
      type: 'string',
      description: 'The pods that it is for.',
      cell: ({ spec }) => selectorTextOf(fieldsAt(spec, 'podSelector')) || '<none>',
    },
    ageColumn,
  ],
  rules: {
    defaults: withDefaults,
    create: (object) => withDefaults({ ...object, metadata: { ...object.metadata, generation: 1 } }),
    validate: (object) => errorsOf(object),
    update: withDefaults,
    validateUpdate: (next, previous) => errorsOf(next, new Set(networksOf(previous).map(({ text }) => text))),
  },
});
