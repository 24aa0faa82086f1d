// Defaults that most rows share: names that follow from each other, a status that updates leave, a name and an age to show.
import { problemsOfDnsSubdomain } from '../../objects/names.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { ageOf } from './human-duration.ts';
import type { Column, ResourceRow, Rules } from './resource-row.ts';
import { schemaOf } from '../schema/notation.ts';
import type { ObjectType } from '../schema/notation.ts';

const asGiven = (object: ApiObject): ApiObject => object;

/** Where a row has a status, a new object begins with an empty one, and an update leaves it as it is. */
function rulesOf({ defaults = asGiven, validate = () => [], ...given }: Partial<Rules>, hasStatus: boolean): Rules {
  const { update = defaults, create = hasStatus ? (object) => ({ ...defaults(object), status: {} }) : defaults } = given;
  return {
    validateMetadata: true,
    qualifiesFinalizers: true,
    validateUpdate: validate,
    nameProblems: problemsOfDnsSubdomain,
    ...given,
    defaults,
    create,
    validate,
    update: hasStatus ? (next, previous) => ({ ...update(next, previous), status: previous.status ?? {} }) : update,
  };
}

type Given = Partial<Omit<ResourceRow, 'rules' | 'schema'>> &
  Pick<ResourceRow, 'plural' | 'kind' | 'columns'> & {
    rules?: Partial<Rules>;
    schema?: string | ObjectType;
    /** The status is written through a path of its own. */
    hasStatus?: boolean;
  };

/** A row; what it does not say is the rule: namespaced, of core v1, without status, generations or grace; updates are validated as creates. */
export function row({ rules = {}, schema, hasStatus = false, subresources = [], fieldsOf = () => ({}), ...given }: Given): ResourceRow {
  return {
    group: '',
    version: 'v1',
    singular: given.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    keptByStatus: [],
    selectable: Object.keys(fieldsOf({ metadata: {} })),
    fieldsOf,
    countsGenerations: false,
    dependents: 'delete',
    answersDeleted: false,
    createsOnUpdate: false,
    needsVersion: false,
    ...given,
    subresources: hasStatus ? [...subresources, { name: 'status', kind: given.kind, verbs: readAndWrite }] : subresources,
    schema: typeof schema === 'object' ? schema : schemaOf(schema ?? given.kind),
    rules: rulesOf(rules, hasStatus),
  };
}

/** @param more `wide`, or its type where its cells are no texts */
export const column = (name: string, cell: Column['cell'], more: Partial<Column> = {}): Column => ({ name, type: 'string', cell, ...more });

/** Shown by `-o wide` alone. */
export const wide = { priority: 1 } as const;

export const nameColumn: Column = column('Name', ({ metadata }) => metadata.name ?? '', { format: 'name' });

export const ageColumn: Column = column('Age', ({ metadata }, nowMs) => ageOf(metadata.creationTimestamp, nowMs));

/** Verbs of a status subresource. */
export const readAndWrite = ['get', 'patch', 'update'] as const;
