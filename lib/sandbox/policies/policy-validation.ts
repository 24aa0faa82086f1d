// Problems of an admission policy or a binding: what is missing, what nobody knows, and expressions that do not compile.
import { validateLabelSelector } from '../../admission/metadata/label-selector-validation.ts';
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfDnsSubdomain, problemsOfQualifiedName } from '../../objects/names.ts';
import { forbidden, invalidFor, invalidValue, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { programsOf } from './policy-expressions.ts';
import type { PolicyProgram } from './policy-expressions.ts';
import { bindingSpecOf, policySpecOf } from './policy-shapes.ts';
import type { MatchResources, ParamRef, Rule, Validation } from './policy-shapes.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

export function problemsOfPolicy(policy: ApiObject): FieldError[] {
  const spec = policySpecOf(policy);
  const {
    failurePolicy,
    paramKind,
    matchConstraints,
    matchConditions = [],
    variables = [],
    validations = [],
    auditAnnotations = [],
  } = spec;
  const programs = programsOf(spec);
  const named = (field: string, items: typeof variables, compiled: readonly PolicyProgram[], problemsOfName: (name: string) => string[]) =>
    items.flatMap(({ name = '', expression }, index) => [
      ...(name === '' ? [requiredValue(`${field}[${index}].name`)] : invalidFor(`${field}[${index}].name`, name, problemsOfName(name))),
      ...problemsOfExpression(`${field}[${index}].expression`, expression, compiled[index]),
    ]);
  return [
    ...problemsOfWord('spec.failurePolicy', failurePolicy, ['Fail', 'Ignore']),
    ...(paramKind
      ? [...unlessEmpty('spec.paramKind.apiVersion', paramKind.apiVersion), ...unlessEmpty('spec.paramKind.kind', paramKind.kind)]
      : []),
    ...(matchConstraints ? problemsOfMatch(matchConstraints, 'spec.matchConstraints') : [requiredValue('spec.matchConstraints')]),
    ...(matchConstraints ? unlessEmpty('spec.matchConstraints.resourceRules', matchConstraints.resourceRules) : []),
    ...named('spec.matchConditions', matchConditions, programs.conditions, problemsOfQualifiedName),
    ...named('spec.variables', variables, programs.variables, problemsOfVariable),
    ...(validations.length + auditAnnotations.length === 0 ? ['validations', 'auditAnnotations'] : []).map((name) =>
      requiredValue(`spec.${name}`, 'validations or auditAnnotations must contain at least one item'),
    ),
    ...validations.flatMap((validation, index) =>
      problemsOfValidation(validation, `spec.validations[${index}]`, programs.validations[index]),
    ),
    ...auditAnnotations.flatMap(({ valueExpression }, index) =>
      problemsOfExpression(`spec.auditAnnotations[${index}].valueExpression`, valueExpression, programs.annotations[index]),
    ),
  ];
}

const unlessEmpty = (field: string, value: { length: number } | undefined): FieldError[] => (value?.length ? [] : [requiredValue(field)]);

/** @param word undefined where it has a default */
const problemsOfWord = (field: string, word: string | undefined, words: readonly string[]): FieldError[] =>
  word === undefined || words.includes(word) ? [] : [word === '' ? requiredValue(field) : unsupportedValue(field, word, words)];

const reserved =
  /^(?:true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$/;

const problemsOfVariable = (name: string): string[] =>
  /^[_a-zA-Z]\w*$/.test(name) && !reserved.test(name) ? [] : ['must be a valid CEL identifier'];

function problemsOfExpression(field: string, text = '', compiled: PolicyProgram | undefined): FieldError[] {
  if (text.trim() === '') return [requiredValue(field, 'expression is not specified')];
  return compiled && 'problem' in compiled.program ? [invalidValue(field, compiled.source, compiled.program.problem)] : [];
}

function problemsOfValidation(
  { expression, message = '', messageExpression = '', reason }: Validation,
  path: string,
  program: (PolicyProgram & { message: PolicyProgram | undefined }) | undefined,
): FieldError[] {
  const isBlank = (text: string): boolean => text !== '' && text.trim() === '';
  return [
    ...problemsOfExpression(`${path}.expression`, expression, program),
    ...(isBlank(messageExpression)
      ? [invalidValue(`${path}.messageExpression`, messageExpression, 'must be non-empty if specified')]
      : problemsOfExpression(`${path}.messageExpression`, 'given', program?.message)),
    ...(isBlank(message) ? [invalidValue(`${path}.message`, message, 'must be non-empty if specified')] : []),
    ...(/[\n\r]/.test(message.trim()) ? [invalidValue(`${path}.message`, message, 'must not contain line breaks')] : []),
    ...problemsOfWord(`${path}.reason`, reason, ['Forbidden', 'Invalid', 'RequestEntityTooLarge']),
  ];
}

function problemsOfMatch(match: MatchResources, field: string): FieldError[] {
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match;
  return [
    ...problemsOfWord(`${field}.matchPolicy`, matchPolicy, ['Equivalent', 'Exact']),
    ...(namespaceSelector ? validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`) : []),
    ...(objectSelector ? validateLabelSelector(objectSelector, `${field}.objectSelector`) : []),
    ...resourceRules.flatMap((rule, index) => problemsOfRule(rule, `${field}.resourceRules[${index}]`)),
    ...excludeResourceRules.flatMap((rule, index) => problemsOfRule(rule, `${field}.excludeResourceRules[${index}]`)),
  ];
}

/** Rules that say more than they need to, such as `*` and one more, are taken. */
function problemsOfRule(rule: Rule, field: string): FieldError[] {
  return [
    ...(['operations', 'apiGroups', 'apiVersions', 'resources'] as const).flatMap((name) => unlessEmpty(`${field}.${name}`, rule[name])),
    ...(rule.operations ?? []).flatMap((operation, index) => problemsOfWord(`${field}.operations[${index}]`, operation, operations)),
    ...(rule.apiVersions ?? []).flatMap((version, index) => unlessEmpty(`${field}.apiVersions[${index}]`, version)),
    ...(rule.resources ?? []).flatMap((resource, index) => unlessEmpty(`${field}.resources[${index}]`, resource)),
    ...problemsOfWord(`${field}.scope`, rule.scope, ['*', 'Cluster', 'Namespaced']),
  ];
}

export function problemsOfBinding(binding: ApiObject): FieldError[] {
  const { policyName = '', paramRef, matchResources, validationActions = [] } = bindingSpecOf(binding);
  const field = 'spec.validationActions';
  return [
    ...(policyName === ''
      ? [requiredValue('spec.policyName')]
      : invalidFor('spec.policyName', policyName, problemsOfDnsSubdomain(policyName))),
    ...(paramRef ? problemsOfParamRef(paramRef) : []),
    ...(matchResources ? problemsOfMatch(matchResources, 'spec.matchResources') : []),
    ...validationActions.flatMap((action, index) => problemsOfWord(`${field}[${index}]`, action, ['Audit', 'Deny', 'Warn'])),
    ...(validationActions.includes('Deny') && validationActions.includes('Warn')
      ? [invalidValue(field, validationActions, 'must not contain both Deny and Warn')]
      : []),
    ...unlessEmpty(field, validationActions),
  ];
}

function problemsOfParamRef({ name = '', selector, parameterNotFoundAction = '' }: ParamRef): FieldError[] {
  const field = 'spec.paramRef';
  const both = name !== '' && selector ? ['name', 'selector'] : [];
  return [
    ...both.map((word) => forbidden(`${field}.${word}`, 'name and selector are mutually exclusive')),
    ...(selector ? validateLabelSelector(selector, `${field}.selector`) : []),
    ...(name === '' && !selector ? [requiredValue(field, 'one of name or selector must be specified')] : []),
    ...problemsOfWord(`${field}.parameterNotFoundAction`, parameterNotFoundAction, ['Deny', 'Allow']),
  ];
}
