// A row for resources that no table here describes, as definitions of custom resources make them: any spec, any status.
import type { ApiObject } from '../api-object.ts';
import { freeObject } from '../schema/free-form.ts';
import { schemaOf } from '../schema/notation.ts';
import type { Field, FieldType, ObjectType } from '../schema/notation.ts';
import type { Column, ResourceRow, Rules } from './resource-row.ts';
import { ageColumn, nameColumn, readAndWrite, row } from './row.ts';

export interface CustomResource {
  group: string;
  version: string;
  kind: string;
  plural: string;
  singular: string;
  shortNames?: readonly string[];
  categories?: readonly string[];
  namespaced: boolean;
  /** The status is written through its own path: each of the two writes leaves the other part as it is. */
  hasStatus: boolean;
  /** Besides apiVersion, kind and metadata, which all objects have; a free-form spec and status where nothing is said. */
  fields?: Readonly<Record<string, FieldType>>;
  /** Name and age where nothing is said. */
  columns?: readonly Column[];
  rules?: Partial<Rules>;
}

/** @param rules run on top of those of every custom resource */
export function customResource({
  hasStatus,
  fields,
  rules = {},
  columns = [nameColumn, ageColumn],
  ...names
}: CustomResource): ResourceRow {
  return row({
    ...names,
    isCustom: true,
    schema: schemaFor(names, fields ?? { spec: freeObject, status: freeObject }),
    columns,
    countsGenerations: true,
    needsVersion: true,
    subresources: hasStatus ? [{ name: 'status', kind: names.kind, verbs: readAndWrite }] : [],
    keptByStatus: ['metadata'],
    rules: {
      ...rules,
      create: (object) => {
        const { status, ...others } = object;
        const made: ApiObject = { ...others, ...(!hasStatus && status !== undefined && { status }) };
        made.metadata = { ...made.metadata, generation: 1 };
        return rules.create?.(made) ?? made;
      },
      update: (next, previous) => {
        const { status, ...others } = next;
        const kept = hasStatus ? previous.status : status;
        const merged: ApiObject = { ...others, ...(kept !== undefined && { status: kept }) };
        return rules.update?.(merged, previous) ?? merged;
      },
      updateStatus: ({ status, metadata }, previous) => {
        const { status: _, ...others } = previous;
        const { resourceVersion } = metadata;
        const kept = { ...previous.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
        return { ...others, metadata: kept, ...(status !== undefined && { status }) };
      },
    },
  });
}

/** Named as OpenAPI names it: the group backwards, version, kind. */
function schemaFor(
  { group, version, kind }: Pick<CustomResource, 'group' | 'version' | 'kind'>,
  own: Readonly<Record<string, FieldType>>,
): ObjectType {
  const types: [string, FieldType][] = [
    ['apiVersion', { is: 'string' }],
    ['kind', { is: 'string' }],
    ['metadata', schemaOf('ObjectMeta')],
    ...Object.entries(own),
  ];
  const name = [...group.split('.').toReversed(), version, kind].join('.');
  return { is: 'object', name, isWhole: false, fields: new Map(types.map(([field, type]) => [field, fieldOf(field, type)])) };
}

const fieldOf = (name: string, type: FieldType): Field => ({
  name,
  required: false,
  atomic: false,
  isEmbedded: name === 'metadata',
  values: undefined,
  numbers: [],
  type,
});
