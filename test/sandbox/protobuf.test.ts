// Bodies in protocol buffers, as typed Go clients send them.
import { describe, expect, test } from '@jest/globals';
import { schemaOf } from '../../lib/sandbox/schema/notation.ts';
import { readProtobuf } from '../../lib/sandbox/schema/protobuf.ts';

const varint = (value: number): number[] => (value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]);
const number = (field: number, value: number): Buffer => Buffer.from([...varint(field * 8), ...varint(value)]);
const message = (field: number, ...parts: (Buffer | string)[]): Buffer => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(content.length)]), content]);
};
const body = (apiVersion: string, kind: string, ...parts: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from('k8s\0'), message(1, message(1, apiVersion), message(2, kind)), message(2, ...parts), message(3), message(4)]);
const read = (bytes: Buffer): unknown =>
  readProtobuf(bytes, (_, kind) => (kind === 'Pod' || kind === 'Namespace' ? schemaOf(kind) : undefined));

describe('protocol buffers', () => {
  test('what kubectl sends to create a namespace: nothing that nobody set remains', () => {
    const empties = [message(2), message(3), message(4), message(5), message(6), number(7, 0), message(8)];
    const bytes = body('v1', 'Namespace', message(1, message(1, 'x'), ...empties), message(2), message(3, message(1)));
    expect(read(bytes)).toEqual({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' }, spec: {}, status: {} });
  });

  test('maps, lists, quantities, times, ports by name or number, and messages that JSON does not show', () => {
    const probe = message(
      10,
      message(1, message(2, message(1, '/ready'), message(2, number(1, 1), number(2, 0), message(3, 'http')))),
      number(2, 5),
    );
    const port = message(6, message(1, 'http'), number(2, 0), number(3, 8080));
    const resources = message(8, message(1, message(1, 'cpu'), message(2, message(1, '500m'))));
    const env = message(7, message(1, 'A'), message(3, message(4, message(1, message(1, 'creds')), message(2, 'key'))));
    const container = message(
      2,
      message(1, 'main'),
      message(2, 'image'),
      message(3, 'echo'),
      message(3, 'hi'),
      port,
      env,
      resources,
      probe,
    );
    const volume = message(1, message(1, 'v'), message(2, message(19, message(1, message(1, 'settings')))));
    const meta = message(1, message(1, 'p'), message(8, number(1, 1_700_000_000)), message(11, message(1, 'app'), message(2, 'web')));
    expect(read(body('v1', 'Pod', meta, message(2, volume, container, number(4, 0), number(11, 0))))).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', creationTimestamp: '2023-11-14T22:13:20Z', labels: { app: 'web' } },
      spec: {
        terminationGracePeriodSeconds: 0, // a pointer in Go: sent, so it was set
        volumes: [{ name: 'v', configMap: { name: 'settings' } }],
        containers: [
          {
            name: 'main',
            image: 'image',
            command: ['echo', 'hi'],
            ports: [{ name: 'http', containerPort: 8080 }],
            env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'creds', key: 'key' } } }],
            resources: { limits: { cpu: '500m' } },
            livenessProbe: { httpGet: { path: '/ready', port: 'http' }, initialDelaySeconds: 5 },
          },
        ],
      },
    });
  });

  test('options of a deletion', () => {
    const bytes = body('v1', 'DeleteOptions', number(1, 0), message(2, message(1, 'some-uid')), message(4, 'Background'));
    expect(read(bytes)).toMatchObject({ gracePeriodSeconds: 0, preconditions: { uid: 'some-uid' }, propagationPolicy: 'Background' });
  });

  test.each([
    ['something else', Buffer.from('{"kind":"Pod"}')],
    ['an unknown kind', body('v1', 'Unheard')],
    ['a body cut off', body('v1', 'Pod', message(1, message(1, 'name'))).subarray(0, -8)],
    ['a number without an end', Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(20, 0xff)])],
    ['an unknown wire type', Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x0b])])],
  ])('%s is refused', (_, bytes) => {
    expect(() => read(bytes)).toThrow(expect.objectContaining({ status: expect.objectContaining({ code: 400 }) }));
  });
});
