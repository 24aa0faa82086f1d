// Problems of an admission policy or a binding, in the API server's words.
import { validateLabelSelector } from '../../admission/metadata/label-selector-validation.ts';
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfDnsSubdomain, problemsOfQualifiedName } from '../../objects/names.ts';
import { duplicateValue, forbidden, invalidFor, invalidValue, requiredValue, tooMany, unsupportedValue } from '../../objects/refusals.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { programsOf } from './policy-expressions.ts';
import type { PolicyProgram } from './policy-expressions.ts';
import { bindingSpecOf, policySpecOf } from './policy-shapes.ts';
import type { MatchCondition, MatchResources, ParamRef, PolicySpec, Rule } from './policy-shapes.ts';

const failurePolicies = ['Fail', 'Ignore'];
const matchPolicies = ['Equivalent', 'Exact'];
const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];
const actions = ['Audit', 'Deny', 'Warn'];
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const mostConditions = 64;
const mostAnnotations = 20;

export function problemsOfPolicy(policy: ApiObject): FieldError[] {
  const spec = policySpecOf(policy);
  const { failurePolicy = '', matchConstraints, matchConditions = [], validations = [], auditAnnotations = [] } = spec;
  const programs = programsOf(spec);
  const problems: FieldError[] = [];
  if (!failurePolicies.includes(failurePolicy)) problems.push(unsupportedValue('spec.failurePolicy', failurePolicy, failurePolicies));
  if (spec.paramKind) problems.push(...problemsOfParamKind(spec.paramKind));
  if (matchConstraints) {
    problems.push(...problemsOfMatch(matchConstraints, 'spec.matchConstraints'));
    if ((matchConstraints.resourceRules ?? []).length === 0) problems.push(requiredValue('spec.matchConstraints.resourceRules'));
  } else problems.push(requiredValue('spec.matchConstraints'));
  problems.push(...problemsOfConditions(matchConditions, programs.conditions, 'spec.matchConditions'));
  problems.push(...problemsOfVariables(spec, programs.variables));
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item';
    return [...problems, requiredValue('spec.validations', why), requiredValue('spec.auditAnnotations', why)];
  }
  for (const [index, validation] of validations.entries()) {
    const path = `spec.validations[${index}]`;
    const program = programs.validations[index];
    const { expression = '', message = '', messageExpression = '', reason } = validation;
    if (expression.trim() === '') problems.push(requiredValue(`${path}.expression`, 'expression is not specified'));
    else problems.push(...problemsOfProgram(`${path}.expression`, program));
    if (messageExpression !== '' && messageExpression.trim() === '')
      problems.push(invalidValue(`${path}.messageExpression`, messageExpression, 'must be non-empty if specified'));
    else problems.push(...problemsOfProgram(`${path}.messageExpression`, program?.message));
    if (message !== '' && message.trim() === '') problems.push(invalidValue(`${path}.message`, message, 'must be non-empty if specified'));
    else if (/[\n\r]/.test(message.trim())) problems.push(invalidValue(`${path}.message`, message, 'must not contain line breaks'));
    if (reason !== undefined && !reasons.includes(reason)) problems.push(unsupportedValue(`${path}.reason`, reason, reasons));
  }
  return [...problems, ...problemsOfAnnotations(policy, auditAnnotations, programs.annotations)];
}

function problemsOfAnnotations(
  { metadata }: ApiObject,
  annotations: NonNullable<PolicySpec['auditAnnotations']>,
  programs: readonly PolicyProgram[],
): FieldError[] {
  const field = 'spec.auditAnnotations';
  const problems =
    annotations.length > mostAnnotations
      ? [invalidValue(field, annotations, `must not have more than ${mostAnnotations} auditAnnotations`)]
      : [];
  const keys = new Set<string>();
  for (const [index, { key = '', valueExpression = '' }] of annotations.entries()) {
    const path = `${field}[${index}]`;
    const name = `${metadata.name}/${key}`;
    problems.push(...invalidFor(`${path}.key`, name, problemsOfQualifiedName(name)));
    if (valueExpression.trim() === '') problems.push(requiredValue(`${path}.valueExpression`, 'valueExpression is not specified'));
    else problems.push(...problemsOfProgram(`${path}.valueExpression`, programs[index]));
    if (keys.has(key)) problems.push(duplicateValue(`${path}.key`, key));
    keys.add(key);
  }
  return problems;
}

function problemsOfProgram(path: string, program: PolicyProgram | undefined): FieldError[] {
  if (!program || !('problem' in program.program)) return [];
  const { problem } = program.program;
  return [invalidValue(path, program.source, problem)];
}

const reserved =
  /^(?:true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$/;

function problemsOfVariables({ variables = [] }: PolicySpec, programs: readonly PolicyProgram[]): FieldError[] {
  return variables.flatMap(({ name = '', expression = '' }, index) => {
    const path = `spec.variables[${index}]`;
    const problems: FieldError[] = [];
    if (name.trim() === '') problems.push(requiredValue(`${path}.name`, 'name is not specified'));
    else if (!/^[_a-zA-Z]\w*$/.test(name) || reserved.test(name))
      problems.push(invalidValue(`${path}.name`, name, 'must be a valid CEL identifier'));
    if (expression.trim() === '') problems.push(requiredValue(`${path}.expression`, 'expression is not specified'));
    else problems.push(...problemsOfProgram(`${path}.expression`, programs[index]));
    return problems;
  });
}

function problemsOfConditions(conditions: readonly MatchCondition[], programs: readonly PolicyProgram[], field: string): FieldError[] {
  const problems = conditions.length > mostConditions ? [tooMany(field, { count: conditions.length, limit: mostConditions })] : [];
  const names = new Set<string>();
  for (const [index, { name = '', expression = '' }] of conditions.entries()) {
    const path = `${field}[${index}]`;
    if (expression.trim() === '') problems.push(requiredValue(`${path}.expression`));
    else problems.push(...problemsOfProgram(`${path}.expression`, programs[index]));
    if (name === '') problems.push(requiredValue(`${path}.name`));
    else {
      problems.push(...invalidFor(`${path}.name`, name, problemsOfQualifiedName(name)));
      if (names.has(name)) problems.push(duplicateValue(`${path}.name`, name));
    }
    names.add(name);
  }
  return problems;
}

const label = '[a-z]([-a-z0-9]*[a-z0-9])?';
const labelWords =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const labelProblem = `${labelWords} (e.g. 'my-name',  or 'abc-123', regex used for validation is '${label}')`;
const isLabel = (text: string): boolean => new RegExp(`^${label}$`).test(text) && text.length <= 63;

function problemsOfParamKind({ apiVersion = '', kind = '' }: NonNullable<PolicySpec['paramKind']>): FieldError[] {
  const field = 'spec.paramKind';
  const problems: FieldError[] = [];
  const parts = apiVersion.split('/');
  const [group, version] = parts.length === 2 ? parts : ['', parts[0]];
  if (apiVersion === '') problems.push(requiredValue(`${field}.apiVersion`));
  else if (parts.length > 2)
    problems.push(invalidValue(`${field}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    const wrong = group ? problemsOfDnsSubdomain(group) : [];
    if (wrong.length > 0) problems.push(invalidValue(`${field}.apiVersion`, group, wrong.join(',')));
    if (!version) problems.push(invalidValue(`${field}.apiVersion`, apiVersion, 'version must be specified'));
    else if (!isLabel(version)) problems.push(invalidValue(`${field}.apiVersion`, version, labelProblem));
  }
  if (kind === '') problems.push(requiredValue(`${field}.kind`));
  else if (!isLabel(kind.toLowerCase()))
    problems.push(invalidValue(`${field}.kind`, kind, `may have mixed case, but should otherwise match: ${labelProblem}`));
  return problems;
}

function problemsOfMatch(match: MatchResources, field: string): FieldError[] {
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match;
  return [
    ...(matchPolicy !== undefined && !matchPolicies.includes(matchPolicy)
      ? [unsupportedValue(`${field}.matchPolicy`, matchPolicy, matchPolicies)]
      : []),
    ...(namespaceSelector ? validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`) : []),
    ...(objectSelector ? validateLabelSelector(objectSelector, `${field}.objectSelector`) : []),
    ...resourceRules.flatMap((rule, index) => problemsOfNamedRule(rule, `${field}.resourceRules[${index}]`)),
    ...excludeResourceRules.flatMap((rule, index) => problemsOfNamedRule(rule, `${field}.excludeResourceRules[${index}]`)),
  ];
}

function problemsOfNamedRule(rule: Rule, field: string): FieldError[] {
  const names = new Set<string>();
  const problems = (rule.resourceNames ?? []).flatMap((name, index): FieldError[] => {
    const path = `${field}.resourceNames[${index}]`;
    const isTwice = names.has(name);
    names.add(name);
    const wrong =
      name === '.' || name === '..'
        ? [`may not be '${name}'`]
        : ['/', '%'].filter((sign) => name.includes(sign)).map((sign) => `may not contain '${sign}'`);
    return [...invalidFor(path, name, wrong), ...(isTwice ? [duplicateValue(path, name)] : [])];
  });
  return [...problems, ...problemsOfRule(rule, field)];
}

function problemsOfRule(
  { operations: given = [], apiGroups = [], apiVersions = [], resources = [], scope }: Rule,
  field: string,
): FieldError[] {
  const problems: FieldError[] = [];
  const alone = (name: string, values: readonly string[], what: string): void => {
    if (values.length === 0) problems.push(requiredValue(`${field}.${name}`));
    if (values.length > 1 && values.includes('*'))
      problems.push(invalidValue(`${field}.${name}`, values, `if '*' is present, must not specify other ${what}`));
  };
  alone('operations', given, 'operations');
  for (const [index, operation] of given.entries())
    if (!operations.includes(operation)) problems.push(unsupportedValue(`${field}.operations[${index}]`, operation, operations));
  alone('apiGroups', apiGroups, 'API groups');
  alone('apiVersions', apiVersions, 'API versions');
  for (const [index, version] of apiVersions.entries()) if (version === '') problems.push(requiredValue(`${field}.apiVersions[${index}]`));
  problems.push(...problemsOfResources(resources, `${field}.resources`));
  if (scope !== undefined && !scopes.includes(scope)) problems.push(unsupportedValue(`${field}.scope`, scope, scopes));
  return problems;
}

function problemsOfResources(resources: readonly string[], field: string): FieldError[] {
  const problems: FieldError[] = resources.length === 0 ? [requiredValue(field)] : [];
  const [anyPart, ofAny] = [new Set<string>(), new Set<string>()];
  for (const [index, resource] of resources.entries()) {
    const path = `${field}[${index}]`;
    if (resource === '') problems.push(requiredValue(path));
    const [name = '', part] = resource.split('/', 2);
    if (part === undefined) continue;
    if (anyPart.has(name)) problems.push(invalidValue(path, resource, `if '${name}/*' is present, must not specify ${resource}`));
    if (ofAny.has(part)) problems.push(invalidValue(path, resource, `if '*/${part}' is present, must not specify ${resource}`));
    if (part === '*') anyPart.add(name);
    if (name === '*') ofAny.add(part);
  }
  if (resources.length > 1 && resources.includes('*/*'))
    problems.push(invalidValue(field, resources, "if '*/*' is present, must not specify other resources"));
  const lastWhole = resources.findLast((resource) => resource !== '' && !resource.includes('/'));
  if (resources.includes('*') && lastWhole !== undefined && lastWhole !== '*')
    problems.push(invalidValue(field, resources, "if '*' is present, must not specify other resources without subresources"));
  return problems;
}

export function problemsOfBinding(binding: ApiObject): FieldError[] {
  const { policyName = '', paramRef, matchResources, validationActions = [] } = bindingSpecOf(binding);
  const problems: FieldError[] =
    policyName === '' ? [requiredValue('spec.policyName')] : invalidFor('spec.policyName', policyName, problemsOfDnsSubdomain(policyName));
  if (paramRef) problems.push(...problemsOfParamRef(paramRef));
  if (matchResources) problems.push(...problemsOfMatch(matchResources, 'spec.matchResources'));
  const field = 'spec.validationActions';
  for (const [index, action] of validationActions.entries()) {
    if (!actions.includes(action)) problems.push(unsupportedValue(`${field}[${index}]`, action, actions));
    if (validationActions.indexOf(action) < index) problems.push(duplicateValue(`${field}[${index}]`, action));
  }
  if (validationActions.includes('Deny') && validationActions.includes('Warn')) {
    const why = 'repeating the same validation failure information in the API response and headers serves no purpose';
    problems.push(invalidValue(field, validationActions, `must not contain both Deny and Warn (${why})`));
  }
  if (validationActions.length === 0) problems.push(requiredValue(field, 'at least one validation action is required'));
  return problems;
}

function problemsOfParamRef({ name = '', selector, parameterNotFoundAction = '' }: ParamRef): FieldError[] {
  const field = 'spec.paramRef';
  const problems: FieldError[] = [];
  const both = 'name and selector are mutually exclusive';
  if (name !== '' && selector) problems.push(forbidden(`${field}.name`, both));
  if (selector) problems.push(...validateLabelSelector(selector, `${field}.selector`));
  if (name !== '' && selector) problems.push(forbidden(`${field}.selector`, both));
  if (name === '' && !selector) problems.push(requiredValue(field, 'one of name or selector must be specified'));
  const ways = ['Deny', 'Allow'];
  if (parameterNotFoundAction === '') problems.push(requiredValue(`${field}.parameterNotFoundAction`));
  else if (!ways.includes(parameterNotFoundAction))
    problems.push(unsupportedValue(`${field}.parameterNotFoundAction`, parameterNotFoundAction, ways));
  return problems;
}
