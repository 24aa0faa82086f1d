// Definitions come, change and go while the server runs; what they define is served from the next request on.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { embed } from '../embedded.ts';
import type { Embedded } from '../embedded.ts';
import { aDefinition, aThing, aVersion, definitions, thingNames, things } from './thing-definition.ts';

const own = `${definitions}/things.example.com`;
const merge = 'application/merge-patch+json';

const conditionsOf = async ({ send }: Embedded, path = own): Promise<Record<string, string>> => {
  const { status } = Object((await send('GET', path)).body);
  const conditions: { type: string; status: string; reason: string }[] = status?.conditions ?? [];
  return Object.fromEntries(conditions.map((condition) => [condition.type, `${condition.status} ${condition.reason}`]));
};

describe('a definition', () => {
  test('is served from the next request on, and says so', async () => {
    const embedded = embed();
    const { send } = embedded;
    expect((await send('GET', things)).status).toBe(404);
    const made = await send('POST', definitions, aDefinition());
    expect(made.status).toBe(201);
    expect(Object(made.body['spec']).names).toMatchObject({ singular: 'thing', listKind: 'ThingList' });
    expect(Object(made.body['spec']).conversion).toEqual({ strategy: 'None' });
    expect(made.body['status']).toEqual({ conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] });
    expect((await send('POST', things, aThing('a'))).body).toMatchObject({ spec: { replicas: 1 }, metadata: { generation: 1 } });
    expect((await send('GET', things)).body).toMatchObject({ kind: 'ThingList', items: [{ kind: 'Thing', metadata: { name: 'a' } }] });
    expect(await conditionsOf(embedded)).toEqual({ NamesAccepted: 'True NoConflicts', Established: 'True InitialNamesAccepted' });
    expect(Object((await send('GET', own)).body['status']).acceptedNames).toEqual({
      ...thingNames,
      singular: 'thing',
      listKind: 'ThingList',
    });
  });

  test('is in discovery and OpenAPI, which changes its hash with the schema', async () => {
    const { send } = embed();
    await send('POST', definitions, aDefinition());
    expect((await send('GET', '/apis/example.com/v1')).body['resources']).toMatchObject([
      { name: 'things', singularName: 'thing', kind: 'Thing', shortNames: ['th'], categories: ['all'] },
      { name: 'things/status', kind: 'Thing' },
      { name: 'things/scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
    ]);
    const urlOf = async (): Promise<string> =>
      Object((await send('GET', '/openapi/v3')).body['paths'])['apis/example.com/v1'].serverRelativeURL;
    const before = await urlOf();
    const schemaOf = async () =>
      Object((await send('GET', '/openapi/v3/apis/example.com/v1')).body['components']).schemas['com.example.v1.Thing'];
    expect((await schemaOf()).properties.spec.properties.replicas).toEqual({ type: 'integer', default: 1 });
    const other = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'string' } } } } };
    await send('PATCH', own, { spec: { versions: [aVersion('v1', { schema: { openAPIV3Schema: other }, selectableFields: [] })] } }, merge);
    expect(await urlOf()).not.toBe(before);
    expect((await schemaOf()).properties.spec.properties).toEqual({ size: { type: 'string' } });
  });

  test('whose schema changes shows its objects by the new one, and ends their watches', async () => {
    const { send, watch } = embed();
    await send('POST', definitions, aDefinition());
    await send('POST', things, aThing('a', { color: 'red' }));
    const { isEnded } = await watch(`${things}?watch=true`);
    const schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'string', default: 'small' }, replicas: { type: 'integer' } } } },
    };
    const versions = [aVersion('v1', { schema: { openAPIV3Schema: schema }, selectableFields: [] })];
    expect((await send('PATCH', own, { spec: { versions } }, merge)).body).toMatchObject({ metadata: { generation: 2 } });
    expect(isEnded()).toBe(true);
    expect((await send('GET', `${things}/a`)).body['spec']).toEqual({ size: 'small', replicas: 1 });
    expect(Object((await send('GET', things)).body['items'])[0].spec).toEqual({ size: 'small', replicas: 1 });
  });

  test('under which nulls may no longer stand shows objects without them', async () => {
    const { send } = embed();
    const withColor = (color: object): object[] => {
      const properties = { spec: { type: 'object', properties: { color } } };
      return [aVersion('v1', { schema: { openAPIV3Schema: { type: 'object', properties } }, subresources: {} })];
    };
    await send('POST', definitions, aDefinition({ versions: withColor({ type: 'string', nullable: true }) }));
    expect((await send('POST', things, aThing('a', { color: null }))).body['spec']).toEqual({ color: null });
    await send('PATCH', own, { spec: { versions: withColor({ type: 'string' }) } }, merge);
    expect((await send('GET', `${things}/a`)).body['spec']).toEqual({});
  });

  test('leaves watches alone while only its labels change', async () => {
    const { send, watch } = embed();
    await send('POST', definitions, aDefinition());
    const { isEnded, events } = await watch(`${things}?watch=true`);
    await send('PATCH', own, { metadata: { labels: { a: 'b' } } }, merge);
    await send('POST', things, aThing('a'));
    expect(isEnded()).toBe(false);
    expect(events.map(({ type }) => type)).toEqual(['ADDED']);
  });
});

describe('names', () => {
  const others = { plural: 'gadgets', kind: 'Gadget', singular: 'thing' };
  const gadgets = aDefinition({ names: others }, { name: 'gadgets.example.com' });
  const path = `${definitions}/gadgets.example.com`;

  test('that another definition has are not accepted, until that one is gone', async () => {
    const embedded = embed();
    const { send } = embedded;
    await send('POST', definitions, aDefinition());
    expect((await send('POST', definitions, gadgets)).status).toBe(201);
    expect(await conditionsOf(embedded, path)).toEqual({ NamesAccepted: 'False SingularConflict', Established: 'False NotAccepted' });
    expect((await send('GET', '/apis/example.com/v1/gadgets')).status).toBe(404);
    await send('DELETE', own);
    await embedded.pass(0);
    expect(await conditionsOf(embedded, path)).toEqual({ NamesAccepted: 'True NoConflicts', Established: 'True InitialNamesAccepted' });
    expect((await send('GET', '/apis/example.com/v1/gadgets')).status).toBe(200);
  });

  test('of resources of the server itself are in use', async () => {
    const embedded = embed();
    const names = { plural: 'leases', kind: 'Lease' };
    const definition = aDefinition({ group: 'coordination.k8s.io', names }, { name: 'leases.coordination.k8s.io' });
    expect((await embedded.send('POST', definitions, definition)).status).toBe(201);
    expect(await conditionsOf(embedded, `${definitions}/leases.coordination.k8s.io`)).toEqual({
      NamesAccepted: 'False ListKindConflict',
      Established: 'False NotAccepted',
    });
    expect((await embedded.send('GET', '/apis/coordination.k8s.io/v1/leases')).body['kind']).toBe('LeaseList');
  });

  test('that change later are served under the new short name', async () => {
    const { send } = embed();
    await send('POST', definitions, aDefinition());
    await send('PATCH', own, { spec: { names: { shortNames: ['tg'] } } }, merge);
    expect((await send('GET', '/apis/example.com/v1')).body['resources']).toMatchObject([{ shortNames: ['tg'] }, {}, {}]);
  });
});

describe('versions', () => {
  const versions = [aVersion('v1beta1', { storage: false, deprecated: true }), aVersion('v1')];

  test('show the same objects, the stable one first; a deprecated one warns', async () => {
    const { send } = embed();
    await send('POST', definitions, aDefinition({ versions }));
    expect((await send('GET', '/apis/example.com')).body).toMatchObject({ preferredVersion: { version: 'v1' } });
    const older = things.replace('v1', 'v1beta1');
    const made = await send('POST', older, { ...aThing('a'), apiVersion: 'example.com/v1beta1' });
    expect(made.headers['Warning']).toBe('299 - "example.com/v1beta1 Thing is deprecated; use example.com/v1 Thing"');
    expect((await send('GET', `${things}/a`)).body).toMatchObject({ apiVersion: 'example.com/v1', spec: { replicas: 1 } });
    expect((await send('GET', `${older}/a`)).body).toMatchObject({ apiVersion: 'example.com/v1beta1', spec: { replicas: 1 } });
    const wrong = await send('POST', things, { ...aThing('b'), apiVersion: 'example.com/v1beta1' });
    expect(wrong).toMatchObject({
      status: 400,
      body: { message: 'the API version in the data (example.com/v1beta1) does not match the expected API version (example.com/v1)' },
    });
  });

  test('keep what the stored one knows, with its defaults alone', async () => {
    const { send } = embed();
    const versionOf = (name: string, properties: object, more: object = {}): object =>
      aVersion(name, {
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
        subresources: {},
        selectableFields: [],
        ...more,
      });
    const text = { type: 'string' };
    const stored = versionOf('v1', { a: text, c: { ...text, default: 'one' } });
    const other = versionOf('v2', { a: text, b: text, c: { ...text, default: 'two' }, d: { ...text, default: 'new' } }, { storage: false });
    await send('POST', definitions, aDefinition({ versions: [stored, other] }));
    const v2 = things.replace('v1', 'v2');
    const made = await send('POST', v2, { ...aThing('a', { a: '1', b: '2' }), apiVersion: 'example.com/v2' });
    expect(made.body['spec']).toEqual({ a: '1', c: 'two' });
    expect((await send('GET', `${things}/a`)).body['spec']).toEqual({ a: '1', c: 'two' });
    await send('POST', things, aThing('b', { a: '1' }));
    expect((await send('GET', `${v2}/b`)).body).toMatchObject({ apiVersion: 'example.com/v2', spec: { a: '1', c: 'one' } });
    expect((await send('GET', `${v2}/b`)).body['spec']).not.toHaveProperty('d');
  });

  test('that are not served are not there, and the versions that objects were written in are kept', async () => {
    const { send } = embed();
    await send('POST', definitions, aDefinition({ versions: [aVersion('v2', { storage: false, served: false }), aVersion('v1')] }));
    expect((await send('GET', things.replace('v1', 'v2'))).status).toBe(404);
    await send('POST', things, aThing('a'));
    const none = [aVersion('v2', { storage: false, served: false }), aVersion('v1', { served: false })];
    await send('PATCH', own, { spec: { versions: none } }, merge);
    expect((await send('GET', things)).status).toBe(404);
    const next = [aVersion('v2'), aVersion('v1', { storage: false })];
    expect((await send('PATCH', own, { spec: { versions: next } }, merge)).body).toMatchObject({
      status: { storedVersions: ['v1', 'v2'] },
    });
    expect((await send('GET', `${things.replace('v1', 'v2')}/a`)).body).toMatchObject({ apiVersion: 'example.com/v2' });
    const gone = await send('PATCH', own, { spec: { versions: [aVersion('v2')] } }, merge);
    expect(Object(gone.body['details']).causes).toMatchObject([{ field: 'status.storedVersions[0]', reason: 'FieldValueInvalid' }]);
  });
});

describe('a deletion', () => {
  test('takes the objects first, then the definition; watches of both hear of it and those of the objects end', async () => {
    const embedded = embed();
    const { send, watch, pass } = embedded;
    await send('POST', definitions, aDefinition());
    await send('POST', things, aThing('a'));
    const ofThings = await watch(`${things}?watch=true`);
    const ofDefinitions = await watch(`${definitions}?watch=true`);
    const answer = await send('DELETE', own);
    expect(answer.body).toMatchObject({
      kind: 'CustomResourceDefinition',
      metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
    });
    await pass(0);
    expect((await send('GET', own)).status).toBe(404);
    expect((await send('GET', things)).status).toBe(404);
    expect(ofThings.events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
    expect(ofThings.isEnded()).toBe(true);
    expect(ofDefinitions.events.at(-1)?.type).toBe('DELETED');
    expect((await send('POST', definitions, aDefinition())).status).toBe(201);
    expect((await send('GET', things)).body['items']).toEqual([]);
  });

  test('waits for finalizers of the objects, and creates nothing meanwhile', async () => {
    const embedded = embed();
    const { send, pass } = embedded;
    await send('POST', definitions, aDefinition());
    await send('POST', things, aThing('a', {}, { finalizers: ['example.com/hold'] }));
    await send('DELETE', own);
    await pass(0);
    expect(await conditionsOf(embedded)).toMatchObject({ Terminating: 'True InstanceDeletionInProgress' });
    expect((await send('GET', `${things}/a`)).body).toMatchObject({ metadata: { deletionGracePeriodSeconds: 0 } });
    const refused = await send('POST', things, aThing('b'));
    expect(refused).toMatchObject({
      status: 403,
      body: { message: 'things.example.com "b" is forbidden: create not allowed while custom resource definition is terminating' },
    });
    await send('PATCH', `${things}/a`, { metadata: { finalizers: null } }, merge);
    await pass(0);
    expect((await send('GET', own)).status).toBe(404);
  });

  test('of one that was never established goes at once', async () => {
    const { send, pass } = embed();
    await send('POST', definitions, aDefinition());
    const names = { plural: 'gadgets', kind: 'Thing' };
    await send('POST', definitions, aDefinition({ names }, { name: 'gadgets.example.com' }));
    await send('DELETE', `${definitions}/gadgets.example.com`);
    await pass(0);
    expect((await send('GET', `${definitions}/gadgets.example.com`)).status).toBe(404);
  });

  test('only tried changes nothing', async () => {
    const { send } = embed();
    await send('POST', definitions, aDefinition());
    expect((await send('DELETE', `${own}?dryRun=All`)).status).toBe(200);
    expect((await send('GET', own)).body['metadata']).not.toHaveProperty('deletionTimestamp');
    expect((await send('GET', things)).status).toBe(200);
  });
});

test('definitions and their objects are there again after a restart, and so is a deletion that was on its way', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farloop-definitions-'));
  try {
    const first = embed({ folder });
    await first.send('POST', definitions, aDefinition());
    await first.send('POST', things, aThing('a', { color: 'red' }));
    first.cluster.close();
    const second = embed({ folder });
    expect((await second.send('GET', `${things}/a`)).body).toMatchObject({ spec: { replicas: 1, color: 'red' } });
    await second.send('PATCH', `${things}/a`, { metadata: { finalizers: ['example.com/hold'] } }, merge);
    await second.send('DELETE', own);
    second.cluster.close();
    const third = embed({ folder });
    expect((await third.send('POST', things, aThing('b'))).status).toBe(403);
    await third.send('PATCH', `${things}/a`, { metadata: { finalizers: null } }, merge);
    await third.pass(0);
    expect((await third.send('GET', own)).status).toBe(404);
    third.cluster.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
