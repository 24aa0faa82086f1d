// The OpenAPI documents: one for each group and version (v3), and one of all (v2), made from the rows when first asked for.
import { isFields } from './api-object.ts';
import { openApiNameOf } from './openapi-names.ts';
import { schemasOf } from './openapi-schemas.ts';
import type { ResourceRow } from './resource-row.ts';
import { rows } from './resources.ts';

const info = { title: 'Kubernetes', version: '1.36' };

const pathOf = (row: ResourceRow): string => (row.group ? `apis/${row.group}/${row.version}` : `api/${row.version}`);

/** Where each group's document is. */
export function openApiIndex(): object {
  const places = [...new Set(rows.map(pathOf))];
  return { paths: Object.fromEntries(places.map((place) => [place, { serverRelativeURL: `/openapi/v3/${place}?hash=1` }])) };
}

const documents = new Map<string, string>();

function kept(name: string, make: () => object): string {
  let document = documents.get(name);
  if (document === undefined) {
    document = JSON.stringify(make());
    documents.set(name, document);
  }
  return document;
}

/** One group's document as JSON; undefined where there is no such group. @param place e.g. `apis/batch/v1` */
export function openApiFor(place: string): string | undefined {
  const own = rows.filter((row) => pathOf(row) === place);
  if (own.length === 0) return undefined;
  return kept(place, () => ({
    openapi: '3.0.0',
    info,
    paths: Object.fromEntries(own.flatMap(pathsOf)),
    components: { schemas: schemasOf(own, own[0]?.version ?? '') },
  }));
}

/** All groups in one document of the older form, as JSON. */
export const openApiOfAll = (): string =>
  kept('v2', () => ({
    swagger: '2.0',
    info,
    paths: Object.fromEntries(rows.flatMap(pathsOf).map(([path, item]) => [path, asSwagger(item)])),
    definitions: asSwagger(schemasOf(rows, 'v1')),
  }));

/** References as the older form writes them, without what it does not know. */
function asSwagger(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asSwagger);
  if (!isFields(value)) return typeof value === 'string' ? value.replace('#/components/schemas/', '#/definitions/') : value;
  const { allOf, oneOf, content, requestBody: _, ...rest } = value;
  const only: unknown = Array.isArray(allOf) ? allOf[0] : undefined;
  const json = isFields(content) ? content['application/json'] : undefined;
  return {
    ...Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, asSwagger(item)])),
    ...(isFields(only) && { $ref: asSwagger(only['$ref']) }),
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
  const post = { ...operation('post', writing), ...body };
  if (row.answer) return [[base, { post }]];
  return [
    [base, { get: operation('list'), post, delete: operation('deletecollection') }],
    [
      `${base}/{name}`,
      {
        get: operation('get'),
        put: { ...operation('put', writing), ...body },
        patch: { ...operation('patch', [...writing, 'force']), ...body },
        delete: operation('delete', ['dryRun']),
      },
    ],
  ];
}
