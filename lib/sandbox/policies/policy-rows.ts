// Validating admission policies and their bindings: every write is put to them.
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { fieldsAt, isFields, listAt } from '../objects/api-object.ts';
import { problemsOfBinding, problemsOfPolicy } from './policy-validation.ts';
import { ageColumn, column, nameColumn, row } from '../rows/row.ts';

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

const hasText = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : '<unset>');

export const admissionPolicies = row({
  group,
  plural: 'validatingadmissionpolicies',
  kind: 'ValidatingAdmissionPolicy',
  categories: ['api-extensions'],
  namespaced: false,
  hasStatus: true,
  keptByStatus: ['metadata'],
  countsGenerations: true,
  needsVersion: true,
  columns: [
    nameColumn,
    column('Validations', ({ spec }) => listAt(spec, 'validations').length, { type: 'integer' }),
    column('ParamKind', ({ spec }) => {
      const { apiVersion, kind } = fieldsAt(spec, 'paramKind');
      return typeof kind === 'string' ? `${String(apiVersion)}/${kind}` : '<unset>';
    }),
    ageColumn,
  ],
  rules: {
    defaults: policyWithDefaults,
    validate: problemsOfPolicy,
  },
});

export const admissionPolicyBindings = row({
  group,
  plural: 'validatingadmissionpolicybindings',
  kind: 'ValidatingAdmissionPolicyBinding',
  categories: ['api-extensions'],
  namespaced: false,
  countsGenerations: true,
  needsVersion: true,
  columns: [
    nameColumn,
    column('PolicyName', ({ spec }) => hasText(spec?.['policyName'])),
    column('ParamRef', ({ spec }) => {
      const { name, namespace } = fieldsAt(spec, 'paramRef');
      if (typeof name !== 'string') return '<unset>';
      return typeof namespace === 'string' ? `${namespace}/${name}` : name;
    }),
    ageColumn,
  ],
  rules: {
    defaults: bindingWithDefaults,
    validate: problemsOfBinding,
  },
});
