// The OpenAPI documents: one for each group and version (v3), and one of all (v2), made from the rows when first asked for.
import { createHash } from 'node:crypto';
import { isFields } from '../objects/api-object.ts';
import { openApiProtobuf } from './openapi-protobuf.ts';
import { openApiNameOf } from './openapi-names.ts';
import { olderSchema } from './openapi-custom.ts';
import { schemasOf } from './openapi-schemas.ts';
import { describedTypesDigest } from '../schema/notation.ts';
import type { ResourceRow } from '../rows/resource-row.ts';

/** Media types of patches: clients read here whether they may send a strategic one. */
const patchTypes = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

const info = { title: 'Kubernetes', version: '1.36' };

const pathOf = (row: ResourceRow): string => (row.group ? `apis/${row.group}/${row.version}` : `api/${row.version}`);

/** The document of one group and version, and the rows that it was made of. */
interface GroupDocument {
  rows: readonly ResourceRow[];
  text: string;
}

/** By the first row of a group and version: servers share the built-in rows, and so these. */
const ofGroups = new WeakMap<ResourceRow, GroupDocument>();
const ofAll = new WeakMap<readonly ResourceRow[], { json: string; protobuf: Buffer }>();

/** Where each group's document is. Clients keep a document for as long as its hash stays. No document is made for it. */
export function openApiIndex(rows: readonly ResourceRow[]): object {
  const byPlace = Map.groupBy(rows, pathOf);
  const paths = [...byPlace].map(([place, own]) => [place, { serverRelativeURL: `/openapi/v3/${place}?hash=${digestOf(own)}` }]);
  return { paths: Object.fromEntries(paths) };
}

/** Of all that the document of some rows is made of. */
function digestOf(rows: readonly ResourceRow[]): string {
  const hash = createHash('sha256').update(describedTypesDigest());
  for (const row of rows) {
    const { kind, plural, namespaced, subresources, isCustom, defined, schema } = row;
    hash.update(
      JSON.stringify([kind, plural, namespaced, subresources, isCustom ?? false, defined?.digest ?? '', defined?.listKind ?? '']),
    );
    if (isCustom && !defined) hash.update(JSON.stringify(schemasOf([row], row.version)));
    else hash.update(schema.name);
  }
  return hash.digest('hex').toUpperCase();
}

/** One group's document as JSON; undefined where there is no such group. @param place e.g. `apis/batch/v1` */
export function openApiFor(rows: readonly ResourceRow[], place: string): string | undefined {
  const own = rows.filter((row) => pathOf(row) === place);
  const [first] = own;
  if (!first) return undefined;
  const known = ofGroups.get(first);
  if (known && known.rows.length === own.length && own.every((row, at) => row === known.rows[at])) return known.text;
  const text = JSON.stringify({
    openapi: '3.0.0',
    info,
    paths: Object.fromEntries(own.flatMap(pathsOf)),
    components: { schemas: schemasOf(own, first.version) },
  });
  ofGroups.set(first, { rows: own, text });
  return text;
}

/** All groups in one document of the older form. */
export function openApiOfAll(rows: readonly ResourceRow[]): { json: string; protobuf: Buffer } {
  const known = ofAll.get(rows);
  if (known) return known;
  const custom = new Map(rows.flatMap((row) => (row.defined ? [[openApiNameOf(row.schema.name), row.defined.schema]] : [])));
  const definitions = Object.entries(schemasOf(rows, 'v1')).map(([name, schema]) => [
    name,
    custom.has(name) ? olderSchema(schema) : asSwagger(schema),
  ]);
  const document = {
    swagger: '2.0',
    info,
    paths: Object.fromEntries(rows.flatMap(pathsOf).map(([path, item]) => [path, asSwagger(item)])),
    definitions: Object.fromEntries(definitions),
  };
  const made = { json: JSON.stringify(document), protobuf: openApiProtobuf(document) };
  ofAll.set(rows, made);
  return made;
}
/** References as the older form writes them, without what it does not know. */
function asSwagger(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asSwagger);
  if (!isFields(value)) return typeof value === 'string' ? value.replace('#/components/schemas/', '#/definitions/') : value;
  const { allOf, oneOf, content, requestBody, ...rest } = value;
  const taken = isFields(requestBody) && isFields(requestBody['content']) ? Object.keys(requestBody['content']) : [];
  const only: unknown = Array.isArray(allOf) ? allOf[0] : undefined;
  const json = isFields(content) ? content['application/json'] : undefined;
  return {
    ...Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, asSwagger(item)])),
    ...(isFields(only) && { $ref: asSwagger(only['$ref']) }),
    ...(taken.length > 0 && { consumes: taken }),
    ...(oneOf !== undefined && { type: 'string' }),
    ...(isFields(json) && { schema: asSwagger(json['schema']) }),
  };
}

function pathsOf(row: ResourceRow): [string, object][] {
  const base = `/${pathOf(row)}/${row.namespaced ? 'namespaces/{namespace}/' : ''}${row.plural}`;
  const schema = { $ref: `#/components/schemas/${openApiNameOf(row.schema.name)}` };
  const content = { 'application/json': { schema } };
  const { group, kind, version } = row;
  const operation = (action: string, parameters: string[] = []): object => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, kind, version },
    parameters: parameters.map((name) => ({
      name,
      in: 'query',
      schema: { type: name === 'force' ? 'boolean' : 'string', uniqueItems: true },
    })),
    responses: { 200: { description: 'OK', content } },
  });
  const writing = ['dryRun', 'fieldManager', 'fieldValidation'];
  const body = { requestBody: { content } };
  const ofPatch = { schema: { $ref: `#/components/schemas/${openApiNameOf('Patch')}` } };
  const own = row.isCustom ? patchTypes.filter((type) => !type.includes('strategic')) : patchTypes;
  const patchBody = { requestBody: { content: Object.fromEntries(own.map((type) => [type, ofPatch])) } };
  const post = { ...operation('post', writing), ...body };
  if (row.answer) return [[base, { post }]];
  return [
    [base, { get: operation('list'), post, delete: operation('deletecollection') }],
    [
      `${base}/{name}`,
      {
        get: operation('get'),
        put: { ...operation('put', writing), ...body },
        patch: { ...operation('patch', [...writing, 'force']), ...patchBody },
        delete: operation('delete', ['dryRun']),
      },
    ],
  ];
}
