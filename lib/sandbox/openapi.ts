// OpenAPI v3 from the tables of types: what kubectl needs to validate, to patch and to explain, and no prose.
import type { ResourceRow } from './resource-row.ts';
import { rows } from './resources.ts';
import type { Field, FieldType, ListType, ObjectType } from './schema/notation.ts';

const pathOf = (row: ResourceRow): string => (row.group ? `apis/${row.group}/${row.version}` : `api/${row.version}`);

/** Where each group's document is. */
export function openApiIndex(): object {
  const places = [...new Set(rows.map(pathOf))];
  return { paths: Object.fromEntries(places.map((place) => [place, { serverRelativeURL: `/openapi/v3/${place}?hash=1` }])) };
}

const documents = new Map<string, string>();

/** One group's document as JSON, made once; undefined where there is no such group. @param place e.g. `apis/batch/v1` */
export function openApiFor(place: string): string | undefined {
  const own = rows.filter((row) => pathOf(row) === place);
  if (own.length === 0) return undefined;
  let document = documents.get(place);
  if (document === undefined) {
    document = JSON.stringify({
      openapi: '3.0.0',
      info: { title: 'Kubernetes', version: 'v1.36.3' },
      paths: Object.fromEntries(own.flatMap(pathsOf)),
      components: { schemas: schemasOf(own) },
    });
    documents.set(place, document);
  }
  return document;
}

function pathsOf(row: ResourceRow): [string, object][] {
  const base = `/${pathOf(row)}/${row.namespaced ? 'namespaces/{namespace}/' : ''}${row.plural}`;
  const content = { 'application/json': { schema: referenceTo(row.schema) } };
  const operation = (action: string, parameters: string[] = []): object => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kindOf(row),
    parameters: parameters.map((name) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } })),
    responses: { 200: { description: 'OK', content } },
  });
  const writing = ['dryRun', 'fieldManager', 'fieldValidation'];
  const body = { requestBody: { content } };
  return [
    [base, { get: operation('list'), post: { ...operation('post', writing), ...body }, delete: operation('deletecollection') }],
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

const kindOf = ({ group, kind, version }: ResourceRow): { group: string; kind: string; version: string } => ({ group, kind, version });

function schemasOf(own: readonly ResourceRow[]): Record<string, object> {
  const schemas: Record<string, object> = {};
  const add = (type: ObjectType): void => {
    if (type.name in schemas) return;
    schemas[type.name] = {}; // before its fields: types contain themselves
    const fields = [...type.fields.values()];
    const required = fields.filter((field) => field.required).map(({ name }) => name);
    schemas[type.name] = {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, schemaOfField(field)])),
      ...(required.length > 0 && { required }),
    };
    for (const { type: of } of fields) addTypesIn(of);
  };
  const addTypesIn = (type: FieldType): void => {
    if (type.is === 'object') add(type);
    else if (type.is === 'list' || type.is === 'map') addTypesIn(type.of);
  };
  for (const row of own) {
    add(row.schema);
    schemas[row.schema.name] = { ...schemas[row.schema.name], 'x-kubernetes-group-version-kind': [kindOf(row)] };
    schemas[`${row.schema.name}List`] = {
      type: 'object',
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { type: 'object' },
        items: { type: 'array', items: referenceTo(row.schema) },
      },
      'x-kubernetes-group-version-kind': [{ ...kindOf(row), kind: `${row.kind}List` }],
    };
  }
  schemas['DeleteOptions'] = {
    type: 'object',
    properties: { gracePeriodSeconds: { type: 'integer', format: 'int64' }, propagationPolicy: { type: 'string' } },
    'x-kubernetes-group-version-kind': own.map((row) => ({ ...kindOf(row), kind: 'DeleteOptions' })).slice(0, 1),
  };
  return schemas;
}

const referenceTo = ({ name }: ObjectType): object => ({ $ref: `#/components/schemas/${name}` });

const schemaOfField = ({ type, atomic }: Field): object => ({
  ...schemaOfType(type),
  ...(atomic && { 'x-kubernetes-map-type': 'atomic' }),
});

function schemaOfType(type: FieldType): object {
  switch (type.is) {
    case 'object':
      // A reference stands alone in OpenAPI 3.0, so it is wrapped where something is said beside it.
      return { allOf: [referenceTo(type)], default: {} };
    case 'list':
      return { type: 'array', items: type.of.is === 'object' ? referenceTo(type.of) : schemaOfType(type.of), ...mergingOf(type) };
    case 'map':
      return { type: 'object', additionalProperties: schemaOfType(type.of) };
    case 'int32':
    case 'int64':
      return { type: 'integer', format: type.is };
    case 'number':
      return { type: 'number' };
    case 'boolean':
      return { type: 'boolean' };
    case 'time':
    case 'microTime':
      return { type: 'string', format: 'date-time' };
    case 'bytes':
      return { type: 'string', format: 'byte' };
    case 'intOrString':
      return { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] };
    case 'quantity':
      return { oneOf: [{ type: 'string' }, { type: 'number' }] };
    case 'any':
      return { type: 'object' };
    case 'string':
      return { type: 'string' };
    default:
      return type satisfies never;
  }
}

const mergingOf = ({ patch, patchKey, ownership, ownerKeys }: ListType): object => ({
  'x-kubernetes-list-type': ownership,
  ...(ownership === 'map' && { 'x-kubernetes-list-map-keys': ownerKeys }),
  ...(patch !== 'replace' && { 'x-kubernetes-patch-strategy': 'merge' }),
  ...(patch === 'merge' && { 'x-kubernetes-patch-merge-key': patchKey }),
});
