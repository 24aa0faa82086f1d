// The environment of a pod, resolved: the worked cases by their numbers (docs/virtual-node.md), and what they leave open.
import { describe, expect, test } from '@jest/globals';
import { resolved, sourcesNamedIn, type Resolution } from '../../../lib/objects/environment/environment.ts';
import type { Service } from '../../../lib/objects/environment/service-variables.ts';
import type { ReadSource, ReadToken } from '../../../lib/objects/environment/sources.ts';
import type { Container, Pod } from '../../../lib/objects/kubernetes.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const map = (name: string, data: Record<string, string>): [string, ReadSource] => [
  `ConfigMap/${name}`,
  { source: { metadata: { name }, data } },
];
const secret = (name: string, data: Record<string, string>): [string, ReadSource] => [
  `Secret/${name}`,
  { source: { metadata: { name }, data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])) } },
];

const service = (
  namespace: string,
  name: string,
  clusterIP: string,
  ...ports: NonNullable<Service['spec']>['ports'] & object
): Service => ({
  metadata: { namespace, name },
  spec: { clusterIP, ports },
});

interface Given {
  sources?: [string, ReadSource][];
  services?: Service[];
  metadata?: Partial<Pod['metadata']>;
  spec?: object;
  token?: ReadToken;
}

function resolve(
  container: object,
  { sources = [], services = [], metadata = {}, spec = {}, token = { absent: true } }: Given = {},
): Resolution {
  const known = new Map(sources);
  const pod: Pod = {
    metadata: { namespace: 'foo', name: 'p', uid: 'u-1', ...metadata },
    spec: { nodeName: 'edge', containers: [{ name: 'main', ...container }], ...spec },
  };
  return resolved(pod, {
    sourceOf: ({ kind, name }) => known.get(`${kind}/${name}`) ?? { absent: true },
    tokenOf: () => token,
    services,
    allocatable: { cpu: '4', memory: '8Gi' },
  });
}

const podIn = (resolution: Resolution): Pod => {
  if ('problem' in resolution) throw new Error(resolution.problem);
  return resolution.pod;
};
const valuesIn = (container: Container | undefined): Record<string, string | undefined> =>
  Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
const values = (container: object, given?: Given): Record<string, string | undefined> =>
  valuesIn(podIn(resolve(container, given)).spec.containers[0]);
const reasonsIn = ({ events }: Resolution): string[] => events.map(({ reason }) => reason);
const problemIn = (resolution: Resolution): string | undefined => ('problem' in resolution ? resolution.problem : undefined);

const field = (fieldPath: string, apiVersion = 'v1'): object => ({
  env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion, fieldPath } } }],
});
const keyOf = (reference: object, from: 'configMapKeyRef' | 'secretKeyRef' = 'configMapKeyRef'): object => ({
  env: [{ name: 'A', valueFrom: { [from]: reference } }],
});

describe('whole objects', () => {
  test('VN 60: of config maps and secrets, each with its prefix', () => {
    const resolution = resolve(
      {
        envFrom: [
          { prefix: 'ONE_', configMapRef: { name: 'configmap-1' } },
          { prefix: 'TWO_', configMapRef: { name: 'configmap-2' } },
          { prefix: 'THREE_', secretRef: { name: 'secret-1' } },
          {},
        ],
      },
      { sources: [map('configmap-1', { FOO: '__foo__' }), map('configmap-2', { BAR: '__bar__' }), secret('secret-1', { BAZ: '__bäz__' })] },
    );
    expect(valuesIn(podIn(resolution).spec.containers[0])).toEqual({ ONE_FOO: '__foo__', TWO_BAR: '__bar__', THREE_BAZ: '__bäz__' });
    expect(podIn(resolution).spec.containers[0]).not.toHaveProperty('envFrom');
    expect(resolution.events).toEqual([]);
  });

  test('VN 61: names that are none are left out and told, an event for each object', () => {
    const resolution = resolve(
      { envFrom: [{ configMapRef: { name: 'invalid-configmap-1' } }, { prefix: '4', secretRef: { name: 'invalid-secret-1' } }] },
      {
        sources: [
          map('invalid-configmap-1', { FOO: '1', '2INVALID': '1', '1INVALID': '1' }),
          secret('invalid-secret-1', { BAZ: '1', '3INVALID': '1' }),
        ],
      },
    );
    expect(valuesIn(podIn(resolution).spec.containers[0])).toEqual({ FOO: '1' });
    expect(resolution.events).toEqual([
      {
        reason: 'InvalidEnvironmentVariableNames',
        message:
          'keys [1INVALID, 2INVALID] from configmap foo/invalid-configmap-1 were skipped since they are invalid as environment variable names',
      },
      {
        reason: 'InvalidEnvironmentVariableNames',
        message:
          'keys [43INVALID, 4BAZ] from secret foo/invalid-secret-1 were skipped since they are invalid as environment variable names',
      },
    ]);
  });

  test.each(['.', '..', '..a'])('%j is no name of a variable', (key) => {
    expect(values({ envFrom: [{ configMapRef: { name: 'm' } }] }, { sources: [map('m', { [key]: '1', '.a': '2' })] })).toEqual({
      '.a': '2',
    });
  });

  test('VN 62: a variable of its own goes before one of an object, and a later object before an earlier one', () => {
    const sources = [map('m', { FOO: 'm', BAR: 'm' }), map('n', { BAR: 'n' })];
    const envFrom = [{ configMapRef: { name: 'm' } }, { configMapRef: { name: 'n' } }];
    expect(values({ envFrom, env: [{ name: 'FOO', value: '__override__' }] }, { sources })).toEqual({ FOO: '__override__', BAR: 'n' });
  });

  test('VN 63: one that may be missing is told; one that may not ends it', () => {
    const resolution = resolve({
      envFrom: [{ configMapRef: { name: 'a', optional: true } }, { secretRef: { name: 'b' } }, { secretRef: { name: 'c' } }],
    });
    expect(resolution.events).toEqual([
      { reason: 'OptionalConfigMapNotFound', message: 'configmap "a" not found' },
      { reason: 'MandatorySecretNotFound', message: 'secret "b" not found' },
    ]);
    expect(problemIn(resolution)).toBe('secret "b" not found');
  });

  test('one that may not be read: told where it is optional, else why', () => {
    const sources: [string, ReadSource][] = [['Secret/s', { unreadable: 'forbidden' }]];
    const optional = resolve({ envFrom: [{ secretRef: { name: 's', optional: true } }] }, { sources });
    expect([optional.events, problemIn(optional)]).toEqual([
      [{ reason: 'FailedToReadOptionalSecret', message: 'failed to read secret "s"' }],
      undefined,
    ]);
    const mandatory = resolve({ envFrom: [{ secretRef: { name: 's' } }] }, { sources });
    expect([reasonsIn(mandatory), problemIn(mandatory)]).toEqual([
      ['FailedToReadMandatorySecret'],
      'failed to fetch secret "s": forbidden',
    ]);
  });
});

describe('keys', () => {
  test.each(['configMapKeyRef', 'secretKeyRef'] as const)('VN 64: %s of an object that is not there', (from) => {
    const kind = from === 'secretKeyRef' ? 'Secret' : 'ConfigMap';
    const word = kind.toLowerCase();
    const resolution = resolve(keyOf({ name: 'x', key: 'k' }, from));
    expect(resolution.events).toEqual([{ reason: `Mandatory${kind}NotFound`, message: `${word} "x" not found` }]);
    expect(problemIn(resolution)).toBe(`${word} "x" not found`);
    const optional = resolve(keyOf({ name: 'x', key: 'k', optional: true }, from));
    expect(optional.events).toEqual([
      { reason: `Optional${kind}NotFound`, message: `skipping optional envvar "A": ${word} "x" not found` },
    ]);
    expect(values(keyOf({ name: 'x', key: 'k', optional: true }, from))).toEqual({});
  });

  test('a value is taken as it is, and one that is missing is told', () => {
    const sources = [map('m', { k: '$(B)', toString: 'own' })];
    expect(values(keyOf({ name: 'm', key: 'k' }), { sources })).toEqual({ A: '$(B)' });
    const missing = resolve(keyOf({ name: 'm', key: 'hasOwnProperty' }), { sources });
    expect([missing.events, problemIn(missing)]).toEqual([
      [{ reason: 'MandatoryConfigMapKeyNotFound', message: 'key "hasOwnProperty" does not exist in configmap "m"' }],
      'configmap "m" doesn\'t contain the "hasOwnProperty" key required by pod p',
    ]);
    const optional = resolve(keyOf({ name: 'm', key: 'z', optional: true }), { sources });
    expect(optional.events).toEqual([
      { reason: 'OptionalConfigMapKeyNotFound', message: 'skipping optional envvar "A": key "z" does not exist in configmap "m"' },
    ]);
  });

  test('one that may not be read', () => {
    const sources: [string, ReadSource][] = [['ConfigMap/m', { unreadable: 'forbidden' }]];
    const mandatory = resolve(keyOf({ name: 'm', key: 'k' }), { sources });
    expect([reasonsIn(mandatory), problemIn(mandatory)]).toEqual([
      ['FailedToReadMandatoryConfigMap'],
      'failed to read configmap "m": forbidden',
    ]);
    expect(resolve(keyOf({ name: 'm', key: 'k', optional: true }), { sources }).events).toEqual([
      { reason: 'FailedToReadOptionalConfigMap', message: 'skipping optional envvar "A": failed to read configmap "m"' },
    ]);
  });

  test('a variable that is left out leaves the one of the same name from an object', () => {
    const sources = [map('m', { A: 'of the object' })];
    const envFrom = [{ configMapRef: { name: 'm' } }];
    expect(values({ envFrom, ...keyOf({ name: 'x', key: 'k', optional: true }) }, { sources })).toEqual({ A: 'of the object' });
  });
});

describe('services', () => {
  const services = [
    service('default', 'kubernetes', '1.2.3.1', { port: 8081, protocol: 'TCP' }),
    service('foo', 'test', '1.2.3.3', { port: 8083 }),
    service('foo', 'headless', 'None', { port: 1 }),
    service('other', 'unused', '1.2.3.4', { port: 8084 }),
  ];
  const linesOf = (name: string, address: string, port: number): Record<string, string> => ({
    [`${name}_SERVICE_HOST`]: address,
    [`${name}_SERVICE_PORT`]: String(port),
    [`${name}_PORT`]: `tcp://${address}:${port}`,
    [`${name}_PORT_${port}_TCP`]: `tcp://${address}:${port}`,
    [`${name}_PORT_${port}_TCP_PROTO`]: 'tcp',
    [`${name}_PORT_${port}_TCP_PORT`]: String(port),
    [`${name}_PORT_${port}_TCP_ADDR`]: address,
  });

  test("VN 65: without links, the API server's alone", () => {
    expect(values({ env: [{ name: 'OWN', value: '1' }] }, { services, spec: { enableServiceLinks: false } })).toEqual({
      OWN: '1',
      ...linesOf('KUBERNETES', '1.2.3.1', 8081),
    });
  });

  test('VN 66: with links, those of its namespace too', () => {
    const both = { ...linesOf('KUBERNETES', '1.2.3.1', 8081), ...linesOf('TEST', '1.2.3.3', 8083) };
    expect(values({}, { services })).toEqual(both);
    expect(values({}, { services, spec: { enableServiceLinks: true } })).toEqual(both);
  });

  test.each([false, true])("one named kubernetes in its own namespace replaces the API server's; listed first: %s", (isFirst) => {
    const own = service('foo', 'kubernetes', '9.9.9.9', { port: 1 });
    const listed = isFirst ? [own, ...services] : [...services, own];
    expect(values({}, { services: listed })['KUBERNETES_SERVICE_HOST']).toBe('9.9.9.9');
    expect(values({}, { services: listed, spec: { enableServiceLinks: false } })['KUBERNETES_SERVICE_HOST']).toBe('1.2.3.1');
  });

  test('names of ports, other protocols, and addresses of six', () => {
    const two = [service('foo', 'my-db', 'fd00::1', { name: 'main-port', port: 5432 }, { port: 53, protocol: 'UDP' })];
    expect(values({}, { services: two })).toMatchObject({
      MY_DB_SERVICE_HOST: 'fd00::1',
      MY_DB_SERVICE_PORT: '5432',
      MY_DB_SERVICE_PORT_MAIN_PORT: '5432',
      MY_DB_PORT: 'tcp://[fd00::1]:5432',
      MY_DB_PORT_53_UDP: 'udp://[fd00::1]:53',
      MY_DB_PORT_53_UDP_ADDR: 'fd00::1',
    });
  });

  test('they can be referred to, and replace nothing', () => {
    const env = [
      { name: 'URL', value: 'http://$(TEST_SERVICE_HOST)/' },
      { name: 'TEST_PORT', value: 'mine' },
    ];
    expect(values({ env }, { services })).toMatchObject({ URL: 'http://1.2.3.3/', TEST_PORT: 'mine' });
  });
});

describe('variables of its own', () => {
  test('VN 67: they refer to those before them', () => {
    const env = [
      { name: 'FOO', value: 'foo' },
      { name: 'BAR', value: 'bar' },
      { name: 'FOOBAR', value: '$(FOO)$(BAR)$(LATE)' },
      { name: 'LATE', value: '1' },
      { name: 'SELF', value: '$(SELF)' },
    ];
    expect(values({ env })).toEqual({ FOO: 'foo', BAR: 'bar', FOOBAR: 'foobar$(LATE)', LATE: '1', SELF: '$(SELF)' });
  });

  test('VN 68: one without a value is empty', () => expect(values({ env: [{ name: 'A' }] })).toEqual({ A: '' }));

  test('VN 72: of init, ordinary and ephemeral containers, and of their commands', () => {
    const container = {
      env: [{ name: 'B', value: '$(A)' }],
      envFrom: [{ configMapRef: { name: 'm' } }],
      command: ['run', '$(B)'],
      args: ['$(C)'],
    };
    const resolution = resolve(container, {
      sources: [map('m', { A: '1' })],
      spec: { initContainers: [{ name: 'first', ...container }], ephemeralContainers: [{ name: 'debug', ...container }] },
    });
    const { spec } = podIn(resolution);
    for (const each of [spec.initContainers?.[0], spec.containers[0], (spec['ephemeralContainers'] as Container[])[0]]) {
      expect(each).toMatchObject({ command: ['run', '1'], args: ['$(C)'] });
      expect(each?.env).toEqual([
        { name: 'A', value: '1' },
        { name: 'B', value: '1' },
      ]);
    }
  });
});

describe('fields of the pod', () => {
  test('VN 69: labels, a line each', () => {
    const labels = { zone: 'us-est-coast', cluster: 'test-cluster1', rack: 'rack-22' };
    expect(values(field('metadata.labels'), { metadata: { labels } })).toEqual({
      A: 'cluster="test-cluster1"\nrack="rack-22"\nzone="us-est-coast"',
    });
  });

  test('VN 70: annotations, quoted', () => {
    const annotations = { builder: 'john-doe', build: 'two', odd: 'a"b\\c\n\tä\u0001\u200b' };
    expect(values(field('metadata.annotations'), { metadata: { annotations } })).toEqual({
      A: 'build="two"\nbuilder="john-doe"\nodd="a\\"b\\\\c\\n\\tä\\x01\\u200b"',
    });
  });

  test.each([
    ['VN 71: the node', 'spec.nodeName', 'edge'],
    ['VN 71: the account', 'spec.serviceAccountName', 'robot'],
    ['the name', 'metadata.name', 'p'],
    ['the namespace', 'metadata.namespace', 'foo'],
    ['the uid', 'metadata.uid', 'u-1'],
    ['one label', "metadata.labels['a/b']", 'c'],
    ['one annotation, of capitals', "metadata.annotations['A/B']", 'd'],
    ['a label that is not there', "metadata.labels['none']", ''],
    ['the restart policy', 'spec.restartPolicy', 'Never'],
  ])('%s', (_name, path, value) => {
    const metadata = { labels: { 'a/b': 'c' }, annotations: { 'A/B': 'd' } };
    expect(values(field(path), { metadata, spec: { serviceAccountName: 'robot', restartPolicy: 'Never' } })).toEqual({ A: value });
  });

  test.each([
    ['VN 73: an address', 'status.podIP', 'unsupported fieldPath: status.podIP'],
    ['VN 74: a part of a text', "metadata.name['x']", "field label does not support subscript: metadata.name['x']"],
    ['no field', 'spec.nonsense', 'field label not supported: spec.nonsense'],
    ['a label of no name', "metadata.labels['a b']", "invalid key subscript in metadata.labels['a b']:"],
  ])('%s cannot be had', (_name, path, problem) => {
    const resolution = resolve(field(path));
    expect(problemIn(resolution)).toContain(problem);
    expect(resolution.events).toEqual([]);
  });

  test('another version of pods', () => expect(problemIn(resolve(field('metadata.name', 'v2')))).toBe('unsupported pod version: v2'));
});

describe('resources of a container', () => {
  const resources = { requests: { cpu: '250m', memory: '100Mi' }, limits: { cpu: '1500m' } };
  const reference = (resource: string, more: object = {}): object => ({
    resources,
    env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource, ...more } } }],
  });
  test.each([
    ['rounded up', 'limits.cpu', {}, '2'],
    ['in thousandths', 'limits.cpu', { divisor: '1m' }, '1500'],
    ['a request', 'requests.cpu', {}, '1'],
    ['bytes', 'requests.memory', {}, '104857600'],
    ['mebibytes', 'requests.memory', { divisor: '1Mi' }, '100'],
    ['a divisor of 0 is 1', 'requests.memory', { divisor: '0' }, '104857600'],
    ["without a limit, the node's", 'limits.memory', { divisor: '1Gi' }, '8'],
    ['without a request, none', 'requests.ephemeral-storage', {}, '0'],
    ['of another container', 'limits.cpu', { containerName: 'side', divisor: '1m' }, '70'],
  ])('%s', (_name, resource, more, value) => {
    const spec = { initContainers: [{ name: 'side', resources: { limits: { cpu: '70m' } } }] };
    expect(values(reference(resource, more), { spec })).toEqual({ A: value });
  });

  test.each([
    ['limits.gpu', {}, 'unsupported container resource : limits.gpu'],
    ['limits.cpu', { containerName: 'none' }, 'container none not found'],
  ])('%s %j cannot be had', (resource, more, problem) => expect(problemIn(resolve(reference(resource, more)))).toBe(problem));
});

test('what is read: each object that is named, once', () => {
  const both = { envFrom: [{ configMapRef: { name: 'm' } }, { secretRef: { name: 's' } }], ...keyOf({ name: 'm', key: 'k' }) };
  const pod: Pod = {
    metadata: {},
    spec: { containers: [{ name: 'a', ...both }], initContainers: [{ name: 'b', ...keyOf({ name: 't', key: 'k' }, 'secretKeyRef') }] },
  };
  expect(sourcesNamedIn(pod)).toEqual([
    { kind: 'Secret', name: 't' },
    { kind: 'ConfigMap', name: 'm' },
    { kind: 'Secret', name: 's' },
  ]);
});
