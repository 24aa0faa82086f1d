// The OpenAPI documents: one for each group and version (v3), and one of all (v2), made from the rows when first asked for.
import { createHash } from 'node:crypto';
import { isFields } from '../api-object.ts';
import { openApiProtobuf } from './openapi-protobuf.ts';
import { openApiNameOf } from './openapi-names.ts';
import { schemasOf } from './openapi-schemas.ts';
import type { ResourceRow } from '../rows/resource-row.ts';

/** What a patch may be: clients read here whether they may send a strategic one. */
const patchTypes = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

const info = { title: 'Kubernetes', version: '1.36' };

const pathOf = (row: ResourceRow): string => (row.group ? `apis/${row.group}/${row.version}` : `api/${row.version}`);

/** Documents of some rows; each is made when it is first asked for. */
interface Documents {
  /** By place. */
  ofGroups: Map<string, string>;
  ofAll?: { json: string; protobuf: Buffer };
}

/** Servers without resources of their own share the array of the built-in rows, and so these. */
const documents = new WeakMap<readonly ResourceRow[], Documents>();

function documentsOf(rows: readonly ResourceRow[]): Documents {
  let made = documents.get(rows);
  if (!made) documents.set(rows, (made = { ofGroups: new Map() }));
  return made;
}

/** Rows that somebody writes. */
const describedIn = (rows: readonly ResourceRow[]): ResourceRow[] => rows.filter(({ isReadOnly }) => !isReadOnly);

/** Where each group's document is. Clients keep a document for as long as its hash stays. */
export function openApiIndex(rows: readonly ResourceRow[]): object {
  const places = [...new Set(describedIn(rows).map(pathOf))];
  const urlOf = (place: string): string => {
    const hash = createHash('sha256').update(openApiFor(rows, place) ?? '');
    return `/openapi/v3/${place}?hash=${hash.digest('hex').toUpperCase()}`;
  };
  return { paths: Object.fromEntries(places.map((place) => [place, { serverRelativeURL: urlOf(place) }])) };
}

/** One group's document as JSON; undefined where there is no such group. @param place e.g. `apis/batch/v1` */
export function openApiFor(rows: readonly ResourceRow[], place: string): string | undefined {
  const { ofGroups } = documentsOf(rows);
  const known = ofGroups.get(place);
  if (known !== undefined) return known;
  const own = describedIn(rows).filter((row) => pathOf(row) === place);
  if (own.length === 0) return undefined;
  const document = JSON.stringify({
    openapi: '3.0.0',
    info,
    paths: Object.fromEntries(own.flatMap(pathsOf)),
    components: { schemas: schemasOf(own, own[0]?.version ?? '') },
  });
  ofGroups.set(place, document);
  return document;
}

/** All groups in one document of the older form. */
export function openApiOfAll(rows: readonly ResourceRow[]): { json: string; protobuf: Buffer } {
  const made = documentsOf(rows);
  if (!made.ofAll) {
    const described = describedIn(rows);
    const document = {
      swagger: '2.0',
      info,
      paths: Object.fromEntries(described.flatMap(pathsOf).map(([path, item]) => [path, asSwagger(item)])),
      definitions: asSwagger(schemasOf(described, 'v1')),
    };
    made.ofAll = { json: JSON.stringify(document), protobuf: openApiProtobuf(document) };
  }
  return made.ofAll;
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
