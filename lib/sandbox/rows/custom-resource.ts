// Rows of resources that no table here describes: those of definitions, and such as tests and the simulator make up.
import type { ApiObject } from '../objects/api-object.ts';
import { freeObject } from '../schema/free-form.ts';
import { schemaOf } from '../schema/notation.ts';
import type { Field, FieldType, ObjectType } from '../schema/notation.ts';
import type { Column, ResourceRow, Rules } from './resource-row.ts';
import { ageColumn, nameColumn, readAndWrite, row } from './row.ts';

/** Names of a custom resource, and where its objects are. */
interface CustomNames {
  group: string;
  version: string;
  kind: string;
  plural: string;
  singular?: string;
  shortNames?: readonly string[];
  categories?: readonly string[];
  namespaced: boolean;
  /** The status is written through its own path: each of the two writes leaves the other part as it is. */
  hasStatus: boolean;
  /** Run on top of those of every custom resource. */
  rules?: Partial<Rules>;
}

export interface CustomResource extends CustomNames {
  /** Besides apiVersion, kind and metadata, which all objects have; a free-form spec and status where nothing is said. */
  fields?: Readonly<Record<string, FieldType>>;
  /** Name and age where nothing is said. */
  columns?: readonly Column[];
}

type CustomRow = CustomNames & Pick<ResourceRow, 'schema' | 'columns'> & Partial<Pick<ResourceRow, 'selectable' | 'fieldsOf' | 'defined'>>;

/** A made-up resource without a definition. */
export const customResource = ({ fields, columns = [nameColumn, ageColumn], ...names }: CustomResource): ResourceRow =>
  customRow({ ...names, columns, schema: schemaFor(names, fields ?? { spec: freeObject, status: freeObject }) });

const scaleOf = { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: readAndWrite };

export function customRow({ hasStatus, rules = {}, ...given }: CustomRow): ResourceRow {
  return row({
    ...given,
    isCustom: true,
    countsGenerations: true,
    needsVersion: true,
    subresources: [
      ...(hasStatus ? [{ name: 'status', kind: given.kind, verbs: readAndWrite }] : []),
      ...(given.defined?.scale ? [scaleOf] : []),
    ],
    keptByStatus: ['metadata'],
    rules: {
      qualifiesFinalizers: false,
      ...rules,
      create: (object) => {
        const { status, ...others } = object;
        const made: ApiObject = { ...others, ...(!hasStatus && status !== undefined && { status }) };
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
