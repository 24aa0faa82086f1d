// Validating admission policies and their bindings: every write is put to them.
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { fieldsAt, isFields, listAt } from '../objects/api-object.ts';
import { problemsOfBinding, problemsOfPolicy } from './policy-validation.ts';
import type { Column } from '../rows/resource-row.ts';
import { ageColumn, nameColumn, readAndWrite, row } from '../rows/row.ts';

const group = 'admissionregistration.k8s.io';

const withScope = (rule: Fields): Fields => ({ scope: '*', ...rule });

function matchWithDefaults(match: Fields): Fields {
  const rules = (name: string): Fields => (Array.isArray(match[name]) ? { [name]: listAt(match, name).map(withScope) } : {});
  return {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    ...match,
    ...rules('resourceRules'),
    ...rules('excludeResourceRules'),
  };
}

function policyWithDefaults(object: ApiObject): ApiObject {
  const { spec = {} } = object;
  const match = spec['matchConstraints'];
  return { ...object, spec: { failurePolicy: 'Fail', ...spec, ...(isFields(match) && { matchConstraints: matchWithDefaults(match) }) } };
}

function bindingWithDefaults(object: ApiObject): ApiObject {
  const { spec = {} } = object;
  const match = spec['matchResources'];
  return isFields(match) ? { ...object, spec: { ...spec, matchResources: matchWithDefaults(match) } } : object;
}

const countColumn = (name: string, description: string, count: (object: ApiObject) => number): Column => ({
  name,
  type: 'integer',
  description,
  cell: count,
});

const hasText = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : '<unset>');

export const admissionPolicies = row({
  group,
  plural: 'validatingadmissionpolicies',
  singular: 'validatingadmissionpolicy',
  kind: 'ValidatingAdmissionPolicy',
  categories: ['api-extensions'],
  namespaced: false,
  subresources: [{ name: 'status', kind: 'ValidatingAdmissionPolicy', verbs: readAndWrite }],
  keptByStatus: ['metadata'],
  countsGenerations: true,
  needsVersion: true,
  columns: [
    nameColumn,
    countColumn('Validations', 'How many validations it has.', ({ spec }) => listAt(spec, 'validations').length),
    {
      name: 'ParamKind',
      type: 'string',
      description: 'The kind of its parameters.',
      cell: ({ spec }) => {
        const { apiVersion, kind } = fieldsAt(spec, 'paramKind');
        return typeof kind === 'string' ? `${String(apiVersion)}/${kind}` : '<unset>';
      },
    },
    ageColumn,
  ],
  rules: {
    defaults: policyWithDefaults,
    create: (object) => {
      const { status: _, ...made } = policyWithDefaults(object);
      return { ...made, metadata: { ...made.metadata, generation: 1 }, status: {} };
    },
    validate: problemsOfPolicy,
    update: (next, previous) => ({ ...policyWithDefaults(next), status: previous.status ?? {} }),
    validateUpdate: problemsOfPolicy,
  },
});

export const admissionPolicyBindings = row({
  group,
  plural: 'validatingadmissionpolicybindings',
  singular: 'validatingadmissionpolicybinding',
  kind: 'ValidatingAdmissionPolicyBinding',
  categories: ['api-extensions'],
  namespaced: false,
  countsGenerations: true,
  needsVersion: true,
  columns: [
    nameColumn,
    { name: 'PolicyName', type: 'string', description: 'The policy that it binds.', cell: ({ spec }) => hasText(spec?.['policyName']) },
    {
      name: 'ParamRef',
      type: 'string',
      description: 'The parameters that the policy is asked with.',
      cell: ({ spec }) => {
        const { name, namespace } = fieldsAt(spec, 'paramRef');
        if (typeof name !== 'string') return '<unset>';
        return typeof namespace === 'string' ? `${namespace}/${name}` : name;
      },
    },
    ageColumn,
  ],
  rules: {
    defaults: bindingWithDefaults,
    create: (object) => ({ ...bindingWithDefaults(object), metadata: { ...object.metadata, generation: 1 } }),
    validate: problemsOfBinding,
    update: bindingWithDefaults,
    validateUpdate: problemsOfBinding,
  },
});
