// Roles and bindings. access/authorization.ts decides by them; the writer of a role need not have its rights.
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfDnsSubdomain, problemsOfPathSegment } from '../../objects/names.ts';
import { invalidValue, invalidFor, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import { fieldsAt, isSame, listAt, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { Column, ResourceRow, Rules } from './resource-row.ts';
import { ageColumn, column, nameColumn, row, wide } from './row.ts';

const group = 'rbac.authorization.k8s.io';

const isEmpty = (rule: Fields, field: string): boolean => !Array.isArray(rule[field]) || rule[field].length === 0;

function ruleErrors(rule: Fields, path: string, isNamespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (isEmpty(rule, 'verbs')) errors.push(requiredValue(`${path}.verbs`, 'verbs must contain at least one value'));
  if (!isEmpty(rule, 'nonResourceURLs')) {
    const urls = rule['nonResourceURLs'];
    if (isNamespaced) errors.push(invalidValue(`${path}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs'));
    if (['apiGroups', 'resources', 'resourceNames'].some((field) => !isEmpty(rule, field)))
      errors.push(invalidValue(`${path}.nonResourceURLs`, urls, 'rules cannot apply to both regular resources and non-resource URLs'));
    return errors;
  }
  if (isEmpty(rule, 'apiGroups')) errors.push(requiredValue(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  if (isEmpty(rule, 'resources')) errors.push(requiredValue(`${path}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

const rulesErrors =
  (isNamespaced: boolean) =>
  (role: ApiObject): FieldError[] =>
    listAt(role, 'rules').flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, isNamespaced));

/** An empty list is kept as none. */
const withoutEmptyRules = (role: ApiObject): ApiObject => (listAt(role, 'rules').length === 0 ? { ...role, rules: null } : role);

const withGroup = (subject: Fields): Fields => {
  const isPerson = ['User', 'Group'].includes(textAt(subject, 'kind'));
  return isPerson && textAt(subject, 'apiGroup') === '' ? { ...subject, apiGroup: group } : subject;
};

function bindingDefaults(binding: ApiObject): ApiObject {
  const roleRef = fieldsAt(binding, 'roleRef');
  return {
    ...binding,
    roleRef: textAt(roleRef, 'apiGroup') === '' ? { ...roleRef, apiGroup: group } : roleRef,
    ...(Array.isArray(binding['subjects']) && { subjects: listAt(binding, 'subjects').map(withGroup) }),
  };
}

function subjectErrors(subject: Fields, path: string, isNamespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const [kind, name, apiGroup] = ['kind', 'name', 'apiGroup'].map((field) => textAt(subject, field)) as [string, string, string];
  if (name === '') errors.push(requiredValue(`${path}.name`, ''));
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') errors.push(...invalidFor(`${path}.name`, name, problemsOfDnsSubdomain(name)));
      if (apiGroup !== '') errors.push(unsupportedValue(`${path}.apiGroup`, apiGroup, ['']));
      if (!isNamespaced && textAt(subject, 'namespace') === '') errors.push(requiredValue(`${path}.namespace`, ''));
      break;
    case 'User':
    case 'Group':
      if (apiGroup !== group) errors.push(unsupportedValue(`${path}.apiGroup`, apiGroup, [group]));
      break;
    default:
      errors.push(unsupportedValue(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group']));
  }
  return errors;
}

const bindingErrors =
  (isNamespaced: boolean) =>
  (binding: ApiObject): FieldError[] => {
    const errors: FieldError[] = [];
    const roleRef = fieldsAt(binding, 'roleRef');
    const [kind, name, apiGroup] = ['kind', 'name', 'apiGroup'].map((field) => textAt(roleRef, field)) as [string, string, string];
    const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
    if (apiGroup !== group) errors.push(unsupportedValue('roleRef.apiGroup', apiGroup, [group]));
    if (!kinds.includes(kind)) errors.push(unsupportedValue('roleRef.kind', kind, kinds));
    if (name === '') errors.push(requiredValue('roleRef.name', ''));
    else errors.push(...invalidFor('roleRef.name', name, problemsOfPathSegment(name)));
    listAt(binding, 'subjects').forEach((subject, index) => errors.push(...subjectErrors(subject, `subjects[${index}]`, isNamespaced)));
    return errors;
  };

const bindingUpdateErrors =
  (isNamespaced: boolean) =>
  (next: ApiObject, previous: ApiObject): FieldError[] => [
    ...bindingErrors(isNamespaced)(next),
    ...(isSame(next['roleRef'], previous['roleRef']) ? [] : [invalidValue('roleRef', next['roleRef'], 'cannot change roleRef')]),
  ];

const createdColumn = column('Created At', ({ metadata }) => metadata.creationTimestamp ?? null, { type: 'date' });

const subjectsColumn = (name: string, kind: string): Column => {
  const textOf = (subject: Fields): string =>
    ['namespace', 'name']
      .map((field) => textAt(subject, field))
      .filter(Boolean)
      .join('/');
  const cell = (binding: ApiObject): string =>
    listAt(binding, 'subjects')
      .filter((subject) => subject['kind'] === kind)
      .map(textOf)
      .join(', ');
  return column(name, cell, wide);
};

const bindingColumns: readonly Column[] = [
  nameColumn,
  column('Role', (binding) => `${textAt(fieldsAt(binding, 'roleRef'), 'kind')}/${textAt(fieldsAt(binding, 'roleRef'), 'name')}`),
  ageColumn,
  subjectsColumn('Users', 'User'),
  subjectsColumn('Groups', 'Group'),
  subjectsColumn('ServiceAccounts', 'ServiceAccount'),
];

type Kind = Pick<ResourceRow, 'plural' | 'kind' | 'namespaced'>;

const rbacRow = (names: Kind, columns: readonly Column[], rules: Partial<Rules>): ResourceRow =>
  row({ group, ...names, columns, createsOnUpdate: true, rules: { nameProblems: problemsOfPathSegment, ...rules } });

const roleRow = (names: Kind): ResourceRow => {
  const errorsOf = rulesErrors(names.namespaced);
  const rules = { create: withoutEmptyRules, update: withoutEmptyRules, validate: errorsOf };
  return rbacRow(names, [nameColumn, createdColumn], rules);
};

const bindingRow = (names: Kind): ResourceRow =>
  rbacRow(names, bindingColumns, {
    defaults: bindingDefaults,
    validate: bindingErrors(names.namespaced),
    validateUpdate: bindingUpdateErrors(names.namespaced),
  });

export const rbacRows: readonly ResourceRow[] = [
  bindingRow({ plural: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false }),
  roleRow({ plural: 'clusterroles', kind: 'ClusterRole', namespaced: false }),
  bindingRow({ plural: 'rolebindings', kind: 'RoleBinding', namespaced: true }),
  roleRow({ plural: 'roles', kind: 'Role', namespaced: true }),
];
