// The contract of an API server for the schemas of custom resources: which it takes, and what it makes of objects by them.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { JsonSchema } from '../../lib/sandbox/schema/json-schema.ts';
import { valueIn } from './case-table.ts';
import { eventually } from './api-server/client.ts';
import type { Answer, ApiClient, ApiServer, Body } from './api-server/client.ts';
import { clientOf } from './api-server/opened-client.ts';
import { formatCases } from './custom-values/format-cases.ts';
import { misfitCases, misfitSchemas, ownershipCases } from './custom-values/ownership-cases.ts';
import { schemaCases } from './custom-values/schema-cases.ts';
import { updateCases } from './custom-values/update-cases.ts';
import type { UpdateCase } from './custom-values/update-cases.ts';
import { valueCases } from './custom-values/value-cases.ts';
import type { ValueCase } from './custom-values/value-cases.ts';

const group = 'values.example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const applyPatch = 'application/apply-patch+yaml';

const pathOf = (plural: string): string => `/apis/${group}/v1/${plural}`;
const kindOf = (plural: string): string => `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`;

const definitionOf = (plural: string, schema: object): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Cluster',
    names: { plural, singular: plural.slice(0, -1), kind: kindOf(plural), listKind: `${kindOf(plural)}List` },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

const objectOf = (plural: string, fields: object): object => ({
  apiVersion: `${group}/v1`,
  kind: kindOf(plural),
  metadata: { name: 'a', labels: { of: 'test' } },
  ...fields,
});

const withFields = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({ type: 'object', properties });

/** Defines a resource and waits until it is served. */
async function define(api: ApiClient, plural: string, schema: JsonSchema): Promise<void> {
  await api.create(definitions, definitionOf(plural, schema));
  await eventually(
    () => api.get(pathOf(plural)),
    ({ status }) => status === 200,
  );
}

const problemsIn = ({ details }: Body): string[] =>
  (details?.causes ?? []).map(({ reason, field, message }) => `${reason}: ${field}: ${message}`).toSorted();

export function customValuesContract(name: string, open: () => Promise<ApiServer>): void {
  describe(`schemas of custom resources: ${name}`, () => {
    const api = clientOf(open);
    describe('values of', () => {
      aboutValues(api);
    });
    describe('a text of format', () => {
      aboutFormats(api);
    });
    describe('a schema', () => {
      aboutSchemas(api);
    });
    describe('an update and', () => {
      aboutUpdates(api);
    });
    describe('applying', () => {
      aboutOwners(api);
    });
  });
}

function aboutValues(api: () => ApiClient): void {
  const plural = 'valuables';
  beforeAll(() => {
    const fields = Object.fromEntries(valueCases.map(({ name, schema }) => [name, schema]));
    return define(api(), plural, withFields({ spec: withFields(fields) }));
  });
  describe.each(valueCases)('$name', ({ name, values }) => {
    test.each(values.map((each) => [JSON.stringify(each.given), each] as const))('%s', async (_, { given, ...expected }) => {
      const answer = await api().post(`${pathOf(plural)}?dryRun=All&fieldValidation=Warn`, objectOf(plural, { spec: { [name]: given } }));
      const isKept = !expected.problems && expected.refused === undefined && !expected.isDropped && !('kept' in expected);
      expect(outcomeOf(answer, name)).toEqual({ ...expected, ...(isKept && { kept: given }) });
    });
  });
}

/** What became of a value, as a case tells it. */
function outcomeOf({ status, body, headers }: Answer, name: string): Omit<ValueCase, 'given'> {
  if (status === 400) return { refused: body.message?.replace(/^.* cannot be handled as a \w+: /, '') ?? '' };
  const problems = problemsIn(body);
  if (problems.length > 0) return { problems };
  const unknown = Array.from((headers.warning ?? '').matchAll(/unknown field \\"(.*?)\\"/g), ([, path = '']) => path);
  const { spec = {} } = body;
  return { ...(name in spec ? { kept: spec[name] } : { isDropped: true }), ...(unknown.length > 0 && { unknown }) };
}

function aboutFormats(api: () => ApiClient): void {
  const plural = 'formats';
  const fieldOf = (format: string): string => format.replaceAll('-', '_');
  beforeAll(() => {
    const fields = Object.fromEntries(formatCases.map(({ format }) => [fieldOf(format), { type: 'string', format }]));
    return define(api(), plural, withFields({ spec: withFields(fields) }));
  });
  test.each(formatCases)('$format', async ({ format, takes, refuses }) => {
    const codeOf = async (text: string): Promise<number> =>
      (await api().post(`${pathOf(plural)}?dryRun=All`, objectOf(plural, { spec: { [fieldOf(format)]: text } }))).status;
    const codes = await Promise.all([...takes, ...refuses].map(async (text) => [text, await codeOf(text)]));
    expect(codes).toEqual([...takes.map((text) => [text, 201]), ...refuses.map((text) => [text, 422])]);
  });
}

function aboutSchemas(api: () => ApiClient): void {
  // kube-apiserver names a schema that all versions share by an older path.
  const own = /spec\.(?:validation|versions\[0\]\.schema)\.openAPIV3Schema/g;
  test.each(schemaCases)('$name', async ({ schema, fields }) => {
    const { status, body } = await api().post(`${definitions}?dryRun=All`, definitionOf('trials', schema));
    const named = (body.details?.causes ?? []).map(({ field = '' }) => field.replaceAll(own, 'schema'));
    expect(fields).toEqual(expect.arrayContaining(named));
    expect([status, named.length > 0]).toEqual(fields.length === 0 ? [201, false] : [422, true]);
  });
}

const free: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A schema of which an object can tell whether it is enforced. */
const marked = (spec: JsonSchema, isStrict: boolean): JsonSchema =>
  withFields({ spec, mark: isStrict ? { type: 'string', enum: ['never'] } : { type: 'string' } });

function aboutUpdates(api: () => ApiClient): void {
  const cases = updateCases.map((each, index) => ({ ...each, plural: `updates${index}s` }));
  beforeAll(() => Promise.all(cases.map((each) => store(api(), each.plural, each))), 120_000);
  describe.each(cases)('$name', ({ plural, updates }) => {
    test.each(updates.map((each) => [JSON.stringify(each.next), each] as const))('%s', async (_, { next, problems }) => {
      const { body } = await api().get(`${pathOf(plural)}/a`);
      const answer = await api().put(`${pathOf(plural)}/a?dryRun=All`, { ...body, spec: next });
      expect(problemsIn(answer.body)).toEqual(problems);
      expect(answer.status).toBe(problems.length === 0 ? 200 : 422);
    });
  });
}

/** Stores an object while its schema takes anything, then changes the schema. */
async function store(api: ApiClient, plural: string, { schema, stored }: UpdateCase): Promise<void> {
  await define(api, plural, marked(free, false));
  await api.create(pathOf(plural), objectOf(plural, { spec: stored }));
  const path = `${definitions}/${plural}.${group}`;
  const change = { spec: { versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: marked(schema, true) } }] } };
  const changed = await eventually(
    () => api.patch(path, 'application/merge-patch+json', change),
    ({ status }) => status !== 409,
  );
  if (changed.status !== 200) throw new Error(`the changed definition was answered with ${changed.status}: ${changed.body.message}`);
  await eventually(
    () => api.post(`${pathOf(plural)}?dryRun=All`, { ...objectOf(plural, { mark: 'x' }), metadata: { name: 'marked' } }),
    ({ status }) => status === 422,
  );
}

function aboutOwners(api: () => ApiClient): void {
  const plural = 'owneds';
  const apply = (fields: object): Promise<Answer> =>
    api().patch(`${pathOf(plural)}/a?fieldManager=test&dryRun=All`, applyPatch, objectOf(plural, fields));
  const refusalIn = ({ message = '' }: Body): string => message.replace(/^.*?, Kind=\w+\): (errors:\n\s*)?/s, '').replace(/, got .*$/s, '');
  beforeAll(async () => {
    const fields = Object.fromEntries(ownershipCases.map(({ name, schema }) => [name, schema]));
    await define(api(), plural, withFields({ ...fields, spec: withFields(misfitSchemas) }));
    // The types of a new resource are known a little later than it is served.
    await eventually(
      () => apply({ atomicList: { a: ['x'] }, spec: { set: ['a', 'a'] } }),
      ({ status }) => status === 500,
    );
  }, 60_000);

  test.each(ownershipCases)('$name', async ({ name, given, fields, refused }) => {
    const { body } = await apply({ [name]: given });
    if (refused !== undefined) expect(refusalIn(body)).toBe(refused);
    else expect(ownedIn(body)?.[`f:${name}`]).toEqual(fields);
  });

  test.each(misfitCases)('$name: $given', async ({ name, given, refused }) => {
    const { status, body } = await apply({ spec: { [name]: valueIn(given) } });
    if (refused === '') expect([201, 422]).toContain(status);
    else expect(refusalIn(body)).toBe(refused);
  });
}

const ownedIn = ({ metadata }: Body): Record<string, unknown> | undefined => metadata.managedFields?.[0]?.fieldsV1;
