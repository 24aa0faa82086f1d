// What a server refuses because it is too much, and what it makes of odd but possible requests: JSON patches that copy, objects that no
// storage takes, numbers out of range, directives of strategic merge patches, and paths with empty words.
import { jsonPatch, mergePatch, strategicPatch } from '../api-server/client.ts';
import type { Scenario, Step } from './scenario.ts';
import { aJob, configMaps, get, jobs, main, patch, pods, post, put } from './steps.ts';

const aConfigMap = (name: string, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data: { a: '1' },
});
const onlyTried = `${configMaps}/a?dryRun=All`;

/** A list that is copied into itself so many times: each doubles it. */
const copied = (times: number): object[] => [
  { op: 'add', path: '/list', value: ['y'.repeat(64)] },
  ...Array.from({ length: times }, () => ({ op: 'copy', from: '/list', path: '/list/-' })),
  { op: 'remove', path: '/list' },
];

const tests = (count: number): object[] => Array.from({ length: count }, () => ({ op: 'test', path: '/data/a', value: '1' }));

const aPod = (name: string, argument: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ ...main, args: [argument] }] },
});

/** Of a ConfigMap with a label, a finalizer and an owner. */
const strategic = (...bodies: unknown[]): Step[] => [
  post(
    configMaps,
    aConfigMap('a', {
      labels: { l: '1' },
      finalizers: ['example.com/x'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'F', name: 'f', uid: '11111111-1111-1111-1111-111111111111' }],
    }),
  ),
  ...bodies.map((body) => patch(onlyTried, strategicPatch, body)),
];

const owner = (more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'G',
  name: 'g',
  uid: '22222222-2222-2222-2222-222222222222',
  ...more,
});

const oddNumbers = [
  'abc',
  '-1',
  '+1',
  '01',
  '1.5',
  '1e1',
  '0x10',
  '',
  '%2B',
  '9223372036854775807',
  '9223372036854775808',
  '99999999999999999999',
];

export const limitScenarios: Scenario[] = [
  {
    name: 'JSON patches that copy, and that are long',
    steps: [
      post(configMaps, aConfigMap('a')),
      ...[1, 14, 15, 16, 27].map((times) => patch(onlyTried, jsonPatch, copied(times))),
      patch(onlyTried, jsonPatch, tests(10_000)),
      patch(onlyTried, jsonPatch, tests(10_001)),
      patch(`${configMaps}/none`, jsonPatch, tests(10_001)),
    ],
  },
  {
    name: 'what JSON patches find and do not find',
    steps: [
      post(configMaps, aConfigMap('a', { finalizers: ['example.com/x', 'example.com/y'] })),
      ...[
        { op: 'copy', from: '', path: '/x' },
        { op: 'copy', from: '/nope', path: '/x' },
        { op: 'copy', from: '/constructor', path: '/data/x' },
        { op: 'copy', from: '/data/toString', path: '/data/x' },
        { op: 'copy', from: '/metadata/finalizers/0', path: '/data/x' },
        { op: 'copy', from: '/metadata/finalizers/7', path: '/data/x' },
        { op: 'copy', from: '/data/a/b', path: '/data/x' },
        { op: 'test', path: '/constructor', value: null },
        { op: 'test', path: '/nope', value: null },
        { op: 'test', path: '/nope', value: 1 },
        { op: 'test', path: '/data', value: { a: '1' } },
        { op: 'test', path: '/data', value: { a: '2' } },
        { op: 'test', path: '/data', value: { a: '1', b: '2' } },
        { op: 'test', path: '', value: {} },
        { op: 'add', path: '/__proto__/x', value: 1 },
        { op: 'add', path: '/data/constructor', value: 'x' },
        { op: 'add', path: '/data/constructor/x', value: 'x' },
        { op: 'add', path: '/metadata/finalizers/0', value: 'example.com/z' },
        { op: 'add', path: '/metadata/finalizers/2', value: 'example.com/z' },
        { op: 'add', path: '/metadata/finalizers/3', value: 'example.com/z' },
        { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/z' },
        { op: 'add', path: '/metadata/finalizers/x', value: 'example.com/z' },
        { op: 'remove', path: '/data/constructor' },
        { op: 'remove', path: '/metadata/finalizers/1' },
        { op: 'remove', path: '/metadata/finalizers/2' },
        { op: 'remove', path: '' },
        { op: 'replace', path: '/data/a', value: '2' },
        { op: 'replace', path: '/data/b', value: '2' },
        { op: 'replace', path: '', value: {} },
        { op: 'move', from: '/data', path: '/data/x' },
        { op: 'move', from: '/data/a', path: '/data/b' },
        { op: 'move', from: '/nope', path: '/data/b' },
      ].map((operation) => patch(onlyTried, jsonPatch, [operation])),
    ],
  },
  {
    name: 'objects that are too large for the storage',
    steps: [
      post(pods, aPod('a', 'x'.repeat(1_574_000))),
      post(pods, aPod('a', '<'.repeat(1_574_000))),
      post(pods, aPod('a', 'é'.repeat(787_000))),
      get(`${pods}/a`),
      post(jobs, aJob('a', { suspend: true })),
      patch(`${jobs}/a/status`, mergePatch, { status: { conditions: [{ type: 'A', status: 'True', message: 'x'.repeat(1_574_000) }] } }),
      patch(`${jobs}/b?fieldManager=one`, 'application/apply-patch+yaml', {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'b' },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ ...main, args: ['x'.repeat(1_574_000)] }] } } },
      }),
      get(`${jobs}/b`),
      put(`${configMaps}/a`, { ...aConfigMap('a'), data: { a: 'x'.repeat(1_049_000) } }),
    ],
  },
  {
    name: 'numbers of lists and watches',
    steps: [
      ...oddNumbers.flatMap((number) => [
        get(`${pods}?timeoutSeconds=${number}`),
        get(`${pods}?limit=${number}`),
        get(`${pods}?watch=1&resourceVersion=0&limit=${number}&timeoutSeconds=-1`),
      ]),
      // Those that are over before they begin. Nothing is there that such a watch might still tell of.
      ...['abc', '-1', '1.5', '', '9223372036854775807', '9223372037', '-9223372036854775809'].map((number) =>
        get(`${pods}?watch=1&resourceVersion=0&timeoutSeconds=${number}`),
      ),
      get(`${pods}?watch=1&resourceVersion=0&timeoutSeconds=-1&timeoutSeconds=abc`),
    ],
  },
  {
    name: 'directives at the root of a strategic merge patch',
    steps: strategic(
      { $patch: 'replace' },
      { $patch: 'replace', metadata: { name: 'b' }, data: { z: '1' } },
      { $patch: 'replace', apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', finalizers: ['example.com/x'] }, data: { z: '1' } },
      { $patch: 'delete' },
      { $patch: 'delete', data: { b: '2' } },
      ...['merge', 'odd', '', 1, 1.5, true, null, {}, ['replace']].map((directive) => ({ $patch: directive, data: { b: '2' } })),
      { $retainKeys: ['data'] },
      { $retainKeys: 'data' },
      { $retainKeys: ['metadata', 'data', 'kind', 'apiVersion'], data: { q: '1' } },
      { '$deleteFromPrimitiveList/data': ['a'] },
      { '$deleteFromPrimitiveList/data': 'a' },
      { '$deleteFromPrimitiveList/constructor': ['a'] },
      { '$setElementOrder/data': ['a'] },
      { '$setElementOrder/constructor': ['a'] },
      { $odd: 1 },
    ),
  },
  {
    name: 'directives further down',
    steps: strategic(
      { data: { $patch: 'odd' } },
      { data: { $patch: 'merge', c: '3' } },
      { data: { $patch: 'delete' } },
      { data: { $patch: null, c: '4' } },
      { data: { $odd: '1' } },
      { data: { constructor: 'x' } },
      { binaryData: { $patch: 'odd', a: 'YQ==' } },
      { binaryData: { $patch: 'delete' } },
      { binaryData: { $patch: 'replace', a: 'YQ==' } },
      { metadata: { $patch: 'delete' } },
      { metadata: { $patch: 'replace', labels: { a: 'b' } } },
      { metadata: { labels: { $patch: 'replace', z: 'y' } } },
      { metadata: { labels: { $patch: 'delete', z: 'y' } } },
      { metadata: { annotations: { $patch: 'odd', a: 'b' } } },
      { metadata: { labels: { constructor: 'x', toString: 'y' } } },
      { metadata: { ownerReferences: [owner({ $patch: 'odd' })] } },
      { metadata: { ownerReferences: [owner({ $patch: 'merge' })] } },
      { metadata: { ownerReferences: [owner({ $patch: 1 })] } },
      { metadata: { ownerReferences: [owner({ $patch: 'replace' })] } },
      { metadata: { ownerReferences: [{ $patch: 'replace' }, owner()] } },
      { metadata: { ownerReferences: [{ $patch: 'delete' }] } },
      { metadata: { ownerReferences: [{ $patch: 'delete', uid: '11111111-1111-1111-1111-111111111111' }] } },
      { metadata: { ownerReferences: [1] } },
      { metadata: { finalizers: [{ $patch: 'replace' }, 'example.com/z'] } },
    ),
  },
  {
    name: 'paths with empty and odd words',
    steps: [
      post(configMaps, aConfigMap('a')),
      ...[
        '//api/v1/namespaces',
        '/api//v1/namespaces',
        '/api/v1//namespaces',
        '/apis//batch/v1/jobs',
        '/apis/batch//v1/jobs',
        '/apis/batch/v1//jobs',
        '//',
        '//version',
        '/api/v1/namespaces/{ns}//pods',
        `${pods}/`,
        `${pods}//`,
        `${configMaps}//a`,
        `${configMaps}/a/`,
        `${configMaps}/a//status`,
        `${configMaps}/%2F`.replace('configmaps', 'pods'),
        `${configMaps}/a%2Fb`,
        `${configMaps}/a%25b`,
        `${configMaps}/%2E%2E`,
        `${configMaps}/constructor`,
        '/api/v1/namespaces/constructor/configmaps/a',
        '/api/v1/constructor',
        '/apis/batch/constructor/jobs',
        '/apis/batch/v1/__proto__',
      ].map(get),
      get('/api/v1/namespaces//pods?labelSelector=no-such-label'),
      post('/api/v1/namespaces//pods', aPod('a', '')),
      post(`${configMaps}//`, aConfigMap('b')),
    ],
  },
];
