// What is said of definitions and of their objects: writes of every form, status and scale, versions, columns, what is refused.
import { jsonPatch, mergePatch, strategicPatch } from '../api-server/client.ts';
import type { Scenario, Step } from './scenario.ts';
import { apply, get, patch, post, put, remove } from './steps.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = '{ns}.example.com';
const things = `/apis/${group}/v1/namespaces/{ns}/things`;
const older = `/apis/${group}/v1beta1/namespaces/{ns}/things`;
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const asTable = (path: string): Step => ({ method: 'GET', path, accept: table });

const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList', shortNames: ['tg'], categories: ['all'] };
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const part = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, size: { type: 'integer', default: 1 } } };
const spec = {
  type: 'object',
  properties: {
    replicas: { type: 'integer', minimum: 0, maximum: 10, default: 1 },
    color: { type: 'string', enum: ['red', 'blue'] },
    word: { type: 'string', maxLength: 5, pattern: '^[a-z]*$' },
    parts: { type: 'array', items: part, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    port: { 'x-kubernetes-int-or-string': true },
    free: anything,
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    fixed: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed stays as it is' }] },
    nothing: { type: 'string', nullable: true },
  },
  'x-kubernetes-validations': [{ rule: "!has(self.color) || self.color != 'blue' || self.replicas > 0", message: 'blue needs some' }],
};
const status = { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' }, phase: { type: 'string' } } };
const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } };
const version = (name: string, fields: object): object => ({ name, served: true, storage: true, schema, ...fields });
const subresources = {
  status: {},
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
};
const additionalPrinterColumns = [
  { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
  { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
  { name: 'First', type: 'string', jsonPath: '.spec.parts[0].name' },
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  { name: 'Made', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];
const v1 = version('v1', { subresources, additionalPrinterColumns, selectableFields: [{ jsonPath: '.spec.color' }] });
// Its schema differs: of versions with one schema a server refuses selectable fields.
const v1beta1 = version('v1beta1', {
  storage: false,
  deprecated: true,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec, status: anything } } },
});

const definition = (fields: object = {}, plural = 'things'): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: { group, scope: 'Namespaced', names, versions: [v1, v1beta1], ...fields },
});

/** Serves things; every request after it is asked of a server that knows them. */
const defined = (...steps: Step[]): Step[] => [
  post(definitions, definition()),
  { ...get(things), until: 200 },
  { ...get(older), until: 200 },
  ...steps,
  remove(`${definitions}/things.${group}`),
];

const thing = (name: string, fields: object = {}, metadata: object = {}): object => ({
  apiVersion: `${group}/v1`,
  kind: 'Thing',
  metadata: { name, ...metadata },
  ...fields,
});
const made = (name: string, given: object, metadata?: object): Step => post(things, thing(name, { spec: given }, metadata));
const dry = (given: object, query = ''): Step => post(`${things}?dryRun=All${query}`, thing('a', { spec: given }));
const scale = (fields: object): object => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'a', namespace: '{ns}' },
  ...fields,
});

export const customScenarios: Scenario[] = [
  {
    name: 'objects are created, pruned, defaulted, and refused by their schema',
    steps: defined(
      made('a', { color: 'red', parts: [{ name: 'x' }], unknown: 1 }),
      made('b', {}, { labels: { of: 'it' } }),
      post(things, thing('c')),
      made('a', {}),
      dry({ color: 'green' }),
      dry({ replicas: 11 }),
      dry({ replicas: '1' }),
      dry({ replicas: -1 }),
      dry({ word: 'UPPER' }),
      dry({ word: 'too long' }),
      dry({ parts: [{ size: 1 }] }),
      dry({ parts: [{ name: 'x' }, { name: 'x' }] }),
      dry({ tags: ['x', 'x'] }),
      dry({ port: 80 }),
      dry({ port: 'http' }),
      dry({ port: true }),
      dry({ free: { a: [1, { b: null }] } }),
      dry({ embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', odd: 1 }, rest: 1 } }),
      dry({ embedded: { kind: 'Pod' } }),
      dry({ nothing: null, color: null }),
      dry({ color: 'blue', replicas: 0 }),
      dry({ unknown: 1 }, '&fieldValidation=Strict'),
      dry({ unknown: 1 }, '&fieldValidation=Warn'),
      dry({ parts: [{ name: 'x', odd: 1 }] }, '&fieldValidation=Strict'),
      post(things, '{"apiVersion":"{ns}.example.com/v1","kind":"Thing","metadata":{"name":"d"},"spec":{"word":"b"}}'),
      post(things, { ...thing('e'), kind: 'Other' }),
      post(things, { ...thing('e'), apiVersion: `${group}/v9` }),
      post(things, thing('A B')),
      post(things, thing('f', {}, { labels: { 'a b': '' } })),
      post(`/apis/${group}/v9/namespaces/{ns}/things`, thing('g')),
      get(`${things}/a`),
      get(`${things}?labelSelector=of%3Dit`),
      get(`${things}?fieldSelector=spec.color%3Dred`),
      get(`${things}?fieldSelector=spec.word%3Dred`),
      asTable(things),
      asTable(`${things}/a`),
      remove(`${things}/a`),
      remove(`${things}/a`),
    ),
  },
  {
    name: 'objects are updated and patched',
    steps: defined(
      made('a', { color: 'red', fixed: 'x', parts: [{ name: 'x' }] }),
      put(`${things}/a`, thing('a', { spec: { color: 'red', fixed: 'x' } })),
      put(`${things}/a`, thing('a', { spec: { color: 'red', fixed: 'x' } }, { resourceVersion: '1' })),
      put(`${things}/b`, thing('b', { spec: {} })),
      put(`${things}/a`, thing('b', { spec: {} })),
      patch(`${things}/a`, mergePatch, { spec: { fixed: 'y' } }),
      patch(`${things}/a`, mergePatch, { spec: { replicas: 3, color: null } }),
      patch(`${things}/a`, mergePatch, { spec: { replicas: 11 } }),
      patch(`${things}/a`, mergePatch, { metadata: { labels: { a: 'b' } } }),
      patch(`${things}/a`, mergePatch, { metadata: { name: 'other' } }),
      patch(`${things}/a`, mergePatch, '[1]'),
      patch(`${things}/a?fieldValidation=Strict`, mergePatch, { spec: { odd: 1 } }),
      patch(`${things}/a`, jsonPatch, [{ op: 'replace', path: '/spec/replicas', value: 4 }]),
      patch(`${things}/a`, jsonPatch, [{ op: 'test', path: '/spec/replicas', value: 5 }]),
      patch(`${things}/a`, jsonPatch, [{ op: 'remove', path: '/spec/none' }]),
      patch(`${things}/a`, jsonPatch, [{ op: 'add', path: '/spec/tags', value: ['p', 'q'] }]),
      patch(`${things}/a`, jsonPatch, [{ op: 'add', path: '/spec/tags/-', value: 'q' }]),
      patch(`${things}/a`, strategicPatch, { spec: { replicas: 1 } }),
      patch(`${things}/none`, mergePatch, { spec: {} }),
      patch(`${things}/a?dryRun=All`, mergePatch, { spec: { color: 'blue' } }),
      get(`${things}/a`),
    ),
  },
  {
    name: 'objects are applied by several owners',
    steps: defined(
      apply(`${things}/a`, thing('a', { spec: { parts: [{ name: 'x' }], tags: ['one'] } })),
      patch(
        `${things}/a?fieldManager=two`,
        'application/apply-patch+yaml',
        thing('a', { spec: { parts: [{ name: 'y' }], tags: ['two'] } }),
      ),
      patch(`${things}/a?fieldManager=two`, 'application/apply-patch+yaml', thing('a', { spec: { parts: [{ name: 'x', size: 2 }] } })),
      patch(`${things}/a?fieldManager=three`, 'application/apply-patch+yaml', thing('a', { spec: { parts: [{ name: 'x', size: 3 }] } })),
      patch(
        `${things}/a?fieldManager=three&force=true`,
        'application/apply-patch+yaml',
        thing('a', { spec: { parts: [{ name: 'x', size: 3 }] } }),
      ),
      apply(`${things}/a`, thing('a', { spec: { tags: ['one'] } })),
      apply(`${things}/a`, thing('a', { spec: { replicas: 11 } })),
      apply(`${things}/a`, thing('a', { spec: { odd: 1 } })),
      apply(`${things}/a`, thing('a', { spec: { parts: [{ size: 1 }] } })),
      apply(`${things}/a`, thing('b')),
      apply(`${things}/a`, { ...thing('a'), apiVersion: undefined }),
      get(`${things}/a`),
    ),
  },
  {
    name: 'status is a side of its own',
    steps: defined(
      post(things, thing('a', { spec: {}, status: { phase: 'Given' } })),
      put(`${things}/a/status`, thing('a', { spec: { replicas: 9 }, status: { phase: 'Put', odd: 1 } })),
      patch(`${things}/a/status`, mergePatch, { spec: { replicas: 9 }, status: { replicas: 2, selector: 'a=b' } }),
      patch(`${things}/a/status`, jsonPatch, [{ op: 'replace', path: '/status/phase', value: 'Patched' }]),
      patch(`${things}/a/status`, mergePatch, { metadata: { labels: { from: 'status' } } }),
      patch(`${things}/a/status`, mergePatch, { status: { replicas: 'two' } }),
      apply(`${things}/a/status`, thing('a', { status: { phase: 'Applied' } })),
      patch(`${things}/a`, mergePatch, { spec: { replicas: 3 }, status: { phase: 'Ignored' } }),
      put(`${things}/a`, thing('a', { spec: { replicas: 4 } })),
      get(`${things}/a/status`),
      put(`${things}/none/status`, thing('none', { status: {} })),
      post(`${things}/a/status`, thing('a')),
    ),
  },
  {
    name: 'scale is read, put and patched',
    steps: defined(
      made('a', { replicas: 2 }),
      get(`${things}/a/scale`),
      patch(`${things}/a/status`, mergePatch, { status: { replicas: 2, selector: 'app=a' } }),
      get(`${things}/a/scale`),
      put(`${things}/a/scale`, scale({ spec: { replicas: 3 } })),
      get(`${things}/a`),
      put(`${things}/a/scale`, scale({ spec: { replicas: 3 } })),
      get(`${things}/a`),
      put(`${things}/a/scale`, scale({ spec: { replicas: -1 } })),
      put(`${things}/a/scale`, scale({ spec: { replicas: 11 } })),
      put(`${things}/a/scale`, scale({ metadata: { name: 'a', namespace: '{ns}', resourceVersion: '1' }, spec: { replicas: 3 } })),
      put(`${things}/a/scale`, scale({})),
      put(`${things}/b/scale`, scale({ spec: { replicas: 3 } })),
      patch(`${things}/a/scale`, mergePatch, { spec: { replicas: 5 } }),
      patch(`${things}/a/scale`, jsonPatch, [{ op: 'replace', path: '/spec/replicas', value: 6 }]),
      get(`${things}/a`),
      patch(`${things}/a/scale`, mergePatch, { spec: { replicas: 'six' } }),
      patch(`${things}/a/scale`, mergePatch, { status: { replicas: 9 } }),
      get(`${things}/a`),
      patch(`${things}/a/scale?dryRun=All`, mergePatch, { spec: { replicas: 1 } }),
      get(`${things}/a`),
      get(`${older}/a/scale`),
      post(things, thing('c')),
      get(`${things}/c/scale`),
    ),
  },
  {
    name: 'objects are the same in each version, and one that is not served is gone',
    steps: defined(
      post(older, { ...thing('a', { spec: { color: 'red' } }), apiVersion: `${group}/v1beta1` }),
      get(`${things}/a`),
      get(`${older}/a`),
      put(`${older}/a`, { ...thing('a', { spec: { color: 'blue' } }), apiVersion: `${group}/v1beta1` }),
      patch(`${older}/a`, mergePatch, { spec: { replicas: 2 } }),
      put(`${older}/a/status`, { ...thing('a', { status: { phase: 'x' } }), apiVersion: `${group}/v1beta1` }),
      get(older),
      remove(`${older}/a`),
    ),
  },
  {
    name: 'a definition is changed',
    steps: defined(
      post(definitions, definition()),
      patch(`${definitions}/things.${group}?dryRun=All`, mergePatch, { spec: { scope: 'Cluster' } }),
      patch(`${definitions}/things.${group}?dryRun=All`, mergePatch, { spec: { group: 'other.example.com' } }),
      patch(`${definitions}/things.${group}?dryRun=All`, mergePatch, { spec: { names: { ...names, kind: 'Other' } } }),
      patch(`${definitions}/things.${group}?dryRun=All`, mergePatch, { spec: { names: { ...names, plural: 'others' } } }),
      patch(`${definitions}/things.${group}?dryRun=All`, mergePatch, { spec: { versions: [v1beta1] } }),
      patch(`${definitions}/things.${group}?dryRun=All`, mergePatch, { spec: { versions: [{ ...v1beta1, storage: true }] } }),
      patch(`${definitions}/things.${group}?dryRun=All`, strategicPatch, { spec: { scope: 'Cluster' } }),
      patch(`${definitions}/things.${group}/status?dryRun=All`, mergePatch, { status: { storedVersions: ['v1'] } }),
      patch(`${definitions}/none.${group}`, mergePatch, {}),
      remove(`${definitions}/none.${group}`),
    ),
  },
];
