// Defaults that most rows share: no rules of their own, a name and an age to show.
import { problemsOfDnsSubdomain } from '../../objects/names.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { ageOf } from './human-duration.ts';
import type { Column, ResourceRow, Rules } from './resource-row.ts';
import { schemaOf } from '../schema/notation.ts';
import type { ObjectType } from '../schema/notation.ts';

const plainRules: Rules = {
  defaults: (object) => object,
  create: (object) => object,
  validateMetadata: true,
  qualifiesFinalizers: true,
  validate: () => [],
  update: (next) => next,
  validateUpdate: () => [],
  nameProblems: problemsOfDnsSubdomain,
};

type Given = Partial<Omit<ResourceRow, 'rules' | 'schema'>> &
  Pick<ResourceRow, 'plural' | 'singular' | 'kind' | 'columns'> & { rules?: Partial<Rules>; schema?: string | ObjectType };

/** A row; what it does not say is the rule: namespaced, of core v1, without rules, generations or grace. */
export function row({ rules, schema, ...given }: Given): ResourceRow {
  return {
    group: '',
    version: 'v1',
    shortNames: [],
    categories: [],
    namespaced: true,
    subresources: [],
    keptByStatus: [],
    selectable: [],
    fieldsOf: () => ({}),
    countsGenerations: false,
    dependents: 'delete',
    answersDeleted: false,
    createsOnUpdate: false,
    needsVersion: false,
    ...given,
    schema: typeof schema === 'object' ? schema : schemaOf(schema ?? given.kind),
    rules: { ...plainRules, ...rules },
  };
}

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Unique within its namespace; cannot be changed.',
  cell: ({ metadata }) => metadata.name ?? '',
};

export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  description: 'Time since the object was created.',
  cell: ({ metadata }: ApiObject, nowMs) => ageOf(metadata.creationTimestamp, nowMs),
};

/** Verbs of a status subresource. */
export const readAndWrite = ['get', 'patch', 'update'] as const;
