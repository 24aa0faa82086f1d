// Objects of a definition: what is kept of a body, how it is scaled, shown and selected.
import { describe, expect, test } from '@jest/globals';
import { embed } from '../embedded.ts';
import type { Embedded } from '../embedded.ts';
import { aDefinition, aThing, aVersion, definitions, things } from './thing-definition.ts';

const merge = 'application/merge-patch+json';
const apply = 'application/apply-patch+yaml';
const scalePath = `${things}/a/scale`;

async function withThings(spec: object = {}): Promise<Embedded> {
  const embedded = embed();
  await embedded.send('POST', definitions, aDefinition(spec));
  return embedded;
}

const aScale = (replicas: number, more: object = {}): object => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'a', namespace: 'default', ...more },
  spec: { replicas },
});

describe('a body', () => {
  test('loses unknown fields with a warning, is refused with Strict and taken in silence with Ignore', async () => {
    const { send } = await withThings();
    const odd = { ...aThing('a', { colour: 'red' }), metadata: { name: 'a', odd: 1 } };
    const strict = await send('POST', `${things}?fieldValidation=Strict`, odd);
    expect(strict).toMatchObject({
      status: 400,
      body: {
        message:
          'Thing in version "v1" cannot be handled as a Thing: strict decoding error: unknown field "metadata.odd", unknown field "spec.colour"',
      },
    });
    const warned = await send('POST', things, odd);
    expect(warned.headers['Warning']).toBe(String.raw`299 - "unknown field \"metadata.odd\"", 299 - "unknown field \"spec.colour\""`);
    expect(warned.body['spec']).toEqual({ replicas: 1 });
    const { headers } = await send('POST', `${things}?fieldValidation=Ignore`, { ...odd, metadata: { name: 'b' } });
    expect(headers['Warning']).toBeUndefined();
  });

  test('must name its kind and its version', async () => {
    const { send } = await withThings();
    expect(await send('POST', things, { metadata: { name: 'a' } })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("Object 'Kind' is missing") },
    });
    expect(await send('POST', things, { ...aThing('a'), kind: 'Other' })).toMatchObject({
      status: 422,
      body: { details: { kind: 'Other', causes: [{ field: 'kind', reason: 'FieldValueInvalid' }] } },
    });
  });

  test('of a resource without namespaces may name one, which is left out', async () => {
    const { send } = await withThings({ scope: 'Cluster' });
    const made = await send('POST', '/apis/example.com/v1/things', aThing('a', {}, { namespace: 'default' }));
    expect(made.body['metadata']).not.toHaveProperty('namespace');
  });
});

describe('a write', () => {
  test('counts generations by the spec; spec and status leave each other alone', async () => {
    const { send } = await withThings();
    await send('POST', things, { ...aThing('a'), status: { phase: 'x' } });
    const labelled = await send('PATCH', `${things}/a`, { metadata: { labels: { a: 'b' } }, status: { phase: 'x' } }, merge);
    expect(labelled.body).toMatchObject({ metadata: { generation: 1 } });
    expect(labelled.body).not.toHaveProperty('status');
    const told = await send('PATCH', `${things}/a/status`, { spec: { color: 'red' }, status: { phase: 'Ready' } }, merge);
    expect(told.body).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1 }, status: { phase: 'Ready' } });
    const colored = await send('PATCH', `${things}/a`, { spec: { color: 'blue' } }, merge);
    expect(colored.body).toMatchObject({ metadata: { generation: 2 }, status: { phase: 'Ready' } });
  });

  test('by a strategic merge patch is refused', async () => {
    const { send } = await withThings();
    await send('POST', things, aThing('a'));
    const { status, body } = await send('PATCH', `${things}/a`, {}, 'application/strategic-merge-patch+json');
    expect({ status, message: body['message'] }).toEqual({
      status: 415,
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    });
  });

  test('by an apply owns what it says; only tried, it changes nothing', async () => {
    const { send } = await withThings();
    const tried = await send('PATCH', `${things}/a?fieldManager=me&dryRun=All`, aThing('a', { color: 'red' }), apply);
    expect(tried.status).toBe(201);
    expect((await send('GET', `${things}/a`)).status).toBe(404);
    const made = await send('PATCH', `${things}/a?fieldManager=me`, aThing('a', { color: 'red' }), apply);
    expect(Object(made.body['metadata']).managedFields).toMatchObject([
      { manager: 'me', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:color': {} } } },
    ]);
    const taken = await send('PATCH', `${things}/a?fieldManager=you`, aThing('a', { color: 'blue' }), apply);
    expect(taken).toMatchObject({ status: 409, body: { details: { causes: [{ field: '.spec.color' }] } } });
  });
});

describe('a scale', () => {
  test('shows replicas and selector, and is written by PUT and PATCH; who scales owns the replicas', async () => {
    const { send } = await withThings();
    await send('POST', `${things}?fieldManager=A`, aThing('a', { replicas: 2 }));
    await send('PATCH', `${things}/a/status`, { status: { replicas: 1, selector: 'a=b' } }, merge);
    expect((await send('GET', scalePath)).body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'a', namespace: 'default' },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'a=b' },
    });
    expect((await send('PUT', `${scalePath}?fieldManager=B`, aScale(5))).body).toMatchObject({ spec: { replicas: 5 } });
    const { body } = await send('GET', `${things}/a`);
    expect(body).toMatchObject({ spec: { replicas: 5 }, metadata: { generation: 2 } });
    expect(Object(body['metadata']).managedFields).toContainEqual({
      manager: 'B',
      operation: 'Update',
      apiVersion: 'example.com/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      subresource: 'scale',
    });
    expect((await send('PATCH', scalePath, { spec: { replicas: 7 } }, merge)).body).toMatchObject({ spec: { replicas: 7 } });
    const patch = [{ op: 'replace', path: '/spec/replicas', value: 8 }];
    expect((await send('PATCH', scalePath, patch, 'application/json-patch+json')).body).toMatchObject({ spec: { replicas: 8 } });
    const zero = await send('PUT', scalePath, aScale(0));
    expect(zero.body['spec']).toEqual({});
    expect((await send('GET', `${things}/a`)).body).toMatchObject({ spec: { replicas: 0 } });
    expect(JSON.stringify(Object((await send('GET', `${things}/a`)).body['metadata']).managedFields)).not.toContain('f:spec":{"f:replicas');
  });

  test('is refused where it is no scale of this object', async () => {
    const { send } = await withThings();
    await send('POST', things, aThing('a'));
    const codeOf = async (method: string, path: string, body?: object, type?: string): Promise<number> =>
      (await send(method, path, body, type)).status;
    expect(await codeOf('PUT', scalePath, aScale(-1))).toBe(422);
    expect(await codeOf('PUT', scalePath, aScale(2, { name: 'b' }))).toBe(400);
    expect(await codeOf('PUT', scalePath, aScale(2, { resourceVersion: '1' }))).toBe(409);
    expect(await codeOf('PUT', `${things}/b/scale`, aScale(2, { name: 'b' }))).toBe(404);
    expect(await codeOf('POST', scalePath, aScale(2))).toBe(405);
    expect(await codeOf('DELETE', scalePath)).toBe(405);
    expect(await codeOf('PATCH', scalePath, {}, 'application/strategic-merge-patch+json')).toBe(415);
    expect((await send('GET', `${things}/a`)).body).toMatchObject({ spec: { replicas: 1 }, metadata: { generation: 1 } });
  });

  test('is written by a patch, and not applied', async () => {
    const { send } = await withThings();
    await send('POST', `${things}?fieldManager=A`, aThing('a', { replicas: 2 }));
    expect((await send('PATCH', `${scalePath}?fieldManager=C`, aScale(3), apply)).status).toBe(415);
    expect((await send('GET', scalePath)).body).toMatchObject({ spec: { replicas: 2 } });
  });

  test('of replicas that are no number is refused where the definition says they are', async () => {
    const { send } = await withThings();
    const { status, body } = await send('POST', things, aThing('a', { replicas: 'two' }));
    expect({ status, causes: Object(body['details']).causes }).toMatchObject({
      status: 422,
      causes: [
        { field: 'spec.replicas', reason: 'FieldValueTypeInvalid' },
        { field: '.spec.replicas', message: 'Invalid value: 0: must be a whole number' },
      ],
    });
    const told = await send('POST', things, aThing('b'));
    expect(told.status).toBe(201);
    const odd = await send('PATCH', `${things}/b/status`, { status: { replicas: 2 ** 31 } }, merge);
    expect(Object(odd.body['details']).causes).toMatchObject([{ field: '.status.replicas', reason: 'FieldValueInvalid' }]);
  });

  test('of what says nothing of replicas is an error, and a write of other things asks for them', async () => {
    const { send } = await withThings({ versions: [aVersion('v1', { schema: { openAPIV3Schema: untold }, selectableFields: [] })] });
    await send('POST', things, aThing('a'));
    expect(await send('GET', scalePath)).toMatchObject({
      status: 500,
      body: { message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist' },
    });
    expect(await send('PATCH', scalePath, { metadata: { labels: {} } }, merge)).toMatchObject({
      status: 400,
      body: { message: 'the spec replicas field ".spec.replicas" cannot be empty' },
    });
  });

  test('of what has none is not there', async () => {
    const { send } = await withThings({ versions: [aVersion('v1', { subresources: {} })] });
    await send('POST', things, aThing('a'));
    expect(await send('GET', scalePath)).toMatchObject({ status: 404, body: { message: 'things.example.com "a" not found' } });
    expect((await send('PUT', `${things}/a/status`, aThing('a'))).status).toBe(404);
  });
});

const untold = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { replicas: { type: 'integer' } } }, status: { type: 'object' } },
};

test('a list is shown by the columns, and selected by the fields of the definition', async () => {
  const { send, cluster } = await withThings();
  await send('POST', things, aThing('a', { color: 'red' }));
  await send('POST', things, aThing('b', { color: 'blue', replicas: 3 }));
  const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const answer = await cluster.handle({ method: 'GET', path: things, query: new URLSearchParams(), headers, body: '' });
  const table = JSON.parse('body' in answer ? answer.body : '');
  expect(table.columnDefinitions).toMatchObject([
    { name: 'Name', priority: 0 },
    { name: 'Replicas', type: 'integer', priority: 0 },
    { name: 'Color', priority: 1, description: 'Custom resource definition column (in JSONPath format): .spec.color' },
    { name: 'Age', type: 'date' },
  ]);
  expect(table.rows.map(({ cells }: { cells: unknown[] }) => cells)).toEqual([
    ['a', 1, 'red', '0s'],
    ['b', 3, 'blue', '0s'],
  ]);
  const selected = await send('GET', `${things}?fieldSelector=spec.color%3Dblue`);
  expect(selected.body['items']).toMatchObject([{ metadata: { name: 'b' } }]);
  expect(await send('GET', `${things}?fieldSelector=spec.replicas%3D1`)).toMatchObject({
    status: 400,
    body: { message: 'field label not supported: spec.replicas' },
  });
});
