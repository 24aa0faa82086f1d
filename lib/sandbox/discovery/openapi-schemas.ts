// Types as OpenAPI describes them: what kubectl needs to validate, to patch and to explain.
import { openApiNameOf } from './openapi-names.ts';
import { publishedSchema } from './openapi-custom.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { descriptions } from '../schema/descriptions.ts';
import type { Field, FieldType, ListType, ObjectType } from '../schema/notation.ts';
import { schemaOf } from '../schema/notation.ts';

type Schemas = Record<string, object>;

const reference = (type: string): { $ref: string } => ({ $ref: `#/components/schemas/${openApiNameOf(type)}` });

/** Types that no table holds. */
const wellKnown: Readonly<Record<string, object>> = {
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
  Quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  IntOrString: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  FieldsV1: { type: 'object' },
  Patch: { type: 'object' },
  ListMeta: {
    type: 'object',
    properties: {
      continue: { type: 'string' },
      remainingItemCount: { type: 'integer', format: 'int64' },
      resourceVersion: { type: 'string' },
      selfLink: { type: 'string' },
    },
  },
};

/** Scalars that OpenAPI refers to by a name. */
const named: Readonly<Partial<Record<FieldType['is'], string>>> = {
  time: 'Time',
  microTime: 'MicroTime',
  quantity: 'Quantity',
  intOrString: 'IntOrString',
  any: 'FieldsV1',
};

interface GroupVersionKind {
  group: string;
  kind: string;
  version: string;
}

const kindOf = ({ group, kind, version }: ResourceRow): GroupVersionKind => ({ group, kind, version });

/** The schemas of some rows and of all that they are made of. */
export function schemasOf(rows: readonly ResourceRow[], version: string): Schemas {
  const schemas: Schemas = {};
  const kinds = new Map<string, GroupVersionKind[]>();
  const kindIs = (type: string, kind: GroupVersionKind): void => void kinds.set(type, [...(kinds.get(type) ?? []), kind]);
  for (const row of rows) {
    if (row.defined) {
      schemas[openApiNameOf(row.schema.name)] = publishedSchema(row.defined.schema);
      addType(schemaOf('ObjectMeta'), schemas);
    } else addType(row.schema, schemas);
    kindIs(row.schema.name, kindOf(row));
    if (row.answer) continue;
    const list = row.defined ? row.schema.name.replace(/(?<![^.])[^.]+$/, row.defined.listKind) : `${row.schema.name}List`;
    schemas[openApiNameOf(list)] = {
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { type: 'string' },
        items: { type: 'array', items: { default: {}, allOf: [reference(row.schema.name)] } },
        kind: { type: 'string' },
        metadata: { default: {}, allOf: [reference('ListMeta')] },
      },
    };
    kindIs(list, { ...kindOf(row), kind: row.defined?.listKind ?? `${row.kind}List` });
    for (const sub of row.subresources) {
      if (sub.group === undefined || sub.version === undefined) continue;
      addType(schemaOf(sub.kind), schemas);
      kindIs(sub.kind, { group: sub.group, version: sub.version, kind: sub.kind });
    }
  }
  addType(schemaOf('DeleteOptions'), schemas);
  for (const group of new Set(['', ...rows.map((row) => row.group)])) kindIs('DeleteOptions', { group, kind: 'DeleteOptions', version });
  for (const name of Object.keys(wellKnown)) schemas[openApiNameOf(name)] ??= wellKnown[name] ?? {};
  for (const [type, own] of kinds) {
    const name = openApiNameOf(type);
    schemas[name] = { ...schemas[name], 'x-kubernetes-group-version-kind': own };
  }
  return schemas;
}

function addType(type: ObjectType, schemas: Schemas): void {
  const name = openApiNameOf(type.name);
  if (name in schemas) return;
  schemas[name] = {}; // before its fields: types contain themselves
  schemas[name] = { ...described(type.name), ...ofObject(type) };
  for (const field of type.fields.values()) addTypesIn(field.type, schemas);
}

function ofObject(type: ObjectType): object {
  const fields = [...type.fields.values()];
  const required = fields.filter((field) => field.required).map((field) => field.name);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(fields.map((field) => [field.name, { ...described(`${type.name}.${field.name}`), ...ofField(field) }])),
    ...(type.isWhole && { 'x-kubernetes-map-type': 'atomic' }),
  };
}

function addTypesIn(type: FieldType, schemas: Schemas): void {
  if (type.is === 'object') addType(type, schemas);
  else if (type.is === 'list' || type.is === 'map') addTypesIn(type.of, schemas);
}

const described = (key: string): { description?: string } => {
  const description = descriptions[key];
  return description === undefined ? {} : { description };
};

/** The value of an always serialised field that nobody set. */
const zeroOf = (type: FieldType): { default?: string | number | boolean } => {
  if (type.is === 'string') return { default: '' };
  if (type.is === 'boolean') return { default: false };
  return type.is === 'int32' || type.is === 'int64' || type.is === 'number' ? { default: 0 } : {};
};

/** Texts that must be given have no default: an empty one says nothing. */
const needsText = (field: Field): boolean => field.values?.isGiven === true;

function ofField(field: Field): object {
  const { type, values } = field;
  const isAlways = field.required || field.isEmbedded;
  return {
    ...ofType(type),
    ...ofElements(type, values?.oneOf),
    ...(type.is === 'object' && field.isEmbedded && { default: {} }),
    ...(isAlways && !needsText(field) && zeroOf(type)),
    ...(values?.default !== undefined && { default: values.default }),
    ...(values?.isReplaced === true && { 'x-kubernetes-patch-strategy': 'replace' }),
    ...(values?.retainsKeys === true && { 'x-kubernetes-patch-strategy': 'retainKeys' }),
    ...(field.atomic && type.is !== 'object' && { 'x-kubernetes-map-type': 'atomic' }),
  };
}

/** Texts that the elements of a list or the values of a map may be. Such a map is owned by key, and says so. */
function ofElements(type: FieldType, oneOf: readonly string[] | undefined): object {
  if (oneOf === undefined) return {};
  if (type.is === 'list') return { items: { ...ofElement(type.of), enum: oneOf } };
  if (type.is === 'map') return { additionalProperties: { ...ofElement(type.of), enum: oneOf }, 'x-kubernetes-map-type': 'granular' };
  return { enum: oneOf };
}

function ofType(type: FieldType): object {
  const name = type.is === 'object' ? type.name : named[type.is];
  // A reference stands alone in OpenAPI 3.0, so it is wrapped where something is said beside it.
  if (name !== undefined) return { allOf: [reference(name)] };
  if (type.is === 'list') return { type: 'array', items: ofElement(type.of), ...mergingOf(type) };
  if (type.is === 'map') return { type: 'object', additionalProperties: ofElement(type.of) };
  if (type.is === 'int32' || type.is === 'int64') return { type: 'integer', format: type.is };
  if (type.is === 'number' || type.is === 'boolean') return { type: type.is };
  return type.is === 'bytes' ? { type: 'string', format: 'byte' } : { type: 'string' };
}

function ofElement(type: FieldType): object {
  if (type.is === 'object') return { default: {}, allOf: [reference(type.name)] };
  const name = named[type.is];
  if (name !== undefined) return reference(name);
  if (type.is === 'list') return { type: 'array', items: ofElement(type.of) };
  return { ...ofType(type), ...zeroOf(type) };
}

const mergingOf = ({ patch, patchKey, ownership, ownerKeys, retainsKeys }: ListType): object => ({
  ...(ownership === 'map' && { 'x-kubernetes-list-map-keys': ownerKeys }),
  'x-kubernetes-list-type': ownership,
  ...(patch === 'merge' && { 'x-kubernetes-patch-merge-key': patchKey }),
  ...(patch !== 'replace' && { 'x-kubernetes-patch-strategy': retainsKeys ? 'merge,retainKeys' : 'merge' }),
});
