// Problems of the webhooks of a configuration, in the API server's words.
import { validateLabelSelector } from '../../admission/metadata/label-selector-validation.ts';
import type { FieldError } from '../../objects/field-error.ts';
import type { LabelSelector } from '../../objects/kubernetes.ts';
import { problemsOfDnsSubdomain } from '../../objects/names.ts';
import { duplicateValue, invalidFor, invalidValue, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import type { ApiObject } from '../api-object.ts';
import { programsOf } from './policy-expressions.ts';
import type { MatchCondition, Rule } from './policy-shapes.ts';
import { failurePolicies, matchPolicies, problemsOfConditions, problemsOfRule } from './policy-validation.ts';

interface Webhook {
  name?: string;
  clientConfig?: { url?: string; service?: { name?: string; namespace?: string; port?: number } };
  rules?: readonly Rule[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects?: string;
  timeoutSeconds?: number;
  admissionReviewVersions?: readonly string[];
  reinvocationPolicy?: string;
  matchConditions?: readonly MatchCondition[];
}

const sideEffectClasses = ['None', 'NoneOnDryRun'];
const reinvocationPolicies = ['IfNeeded', 'Never'];
const reviewVersions = ['v1', 'v1beta1'];
const form = '; desired format: https://host[/path]';

export function problemsOfWebhooks(configuration: ApiObject): FieldError[] {
  const webhooks = (configuration['webhooks'] ?? []) as readonly Webhook[];
  const names = new Set<string>();
  return webhooks.flatMap((webhook, index) => {
    const { name = '' } = webhook;
    const isTwice = name !== '' && names.has(name);
    names.add(name);
    const path = `webhooks[${index}]`;
    return [...problemsOfWebhook(webhook, path), ...(isTwice ? [duplicateValue(`${path}.name`, name)] : [])];
  });
}

function problemsOfWebhook(webhook: Webhook, path: string): FieldError[] {
  const { failurePolicy, matchPolicy, sideEffects = '', timeoutSeconds = 10, reinvocationPolicy, matchConditions = [] } = webhook;
  const problems = problemsOfName(webhook.name ?? '', `${path}.name`);
  for (const [index, rule] of (webhook.rules ?? []).entries()) problems.push(...problemsOfRule(rule, `${path}.rules[${index}]`));
  const oneOf = (name: string, value: string | undefined, values: readonly string[]): void => {
    if (value !== undefined && !values.includes(value)) problems.push(unsupportedValue(`${path}.${name}`, value, values));
  };
  oneOf('failurePolicy', failurePolicy, failurePolicies);
  oneOf('matchPolicy', matchPolicy, matchPolicies);
  if (sideEffects === '') problems.push(requiredValue(`${path}.sideEffects`, `must specify one of ${sideEffectClasses.join(', ')}`));
  else oneOf('sideEffects', sideEffects, sideEffectClasses);
  if (timeoutSeconds > 30 || timeoutSeconds < 1)
    problems.push(invalidValue(`${path}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'));
  if (webhook.namespaceSelector) problems.push(...validateLabelSelector(webhook.namespaceSelector, `${path}.namespaceSelector`));
  if (webhook.objectSelector) problems.push(...validateLabelSelector(webhook.objectSelector, `${path}.objectSelector`));
  oneOf('reinvocationPolicy', reinvocationPolicy, reinvocationPolicies);
  problems.push(...problemsOfClient(webhook.clientConfig ?? {}, `${path}.clientConfig`));
  problems.push(...problemsOfConditions(matchConditions, programsOf({ matchConditions }).conditions, `${path}.matchConditions`));
  return [...problems, ...problemsOfReviewVersions(webhook.admissionReviewVersions ?? [], `${path}.admissionReviewVersions`)];
}

function problemsOfName(name: string, path: string): FieldError[] {
  if (name === '') return [requiredValue(path)];
  const problems = problemsOfDnsSubdomain(name);
  if (problems.length > 0) return invalidFor(path, name, problems);
  return name.split('.').length < 3 ? [invalidValue(path, name, 'should be a domain with at least three segments separated by dots')] : [];
}

function problemsOfClient({ url, service }: NonNullable<Webhook['clientConfig']>, path: string): FieldError[] {
  if ((url === undefined) === (service === undefined)) return [requiredValue(path, 'exactly one of url or service is required')];
  if (service) {
    const { name = '', namespace = '', port = 443 } = service;
    return [
      ...(name === '' ? [requiredValue(`${path}.service.name`)] : []),
      ...(namespace === '' ? [requiredValue(`${path}.service.namespace`)] : []),
      ...(port < 1 || port > 65_535
        ? [invalidValue(`${path}.service.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]
        : []),
    ];
  }
  const [, scheme = '', host = ''] = /^(?:([a-zA-Z][-+.a-zA-Z0-9]*):)?(?:\/\/([^/?#]*))?/.exec(url ?? '') ?? [];
  const [, query = '', fragment = ''] = /^[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(url ?? '') ?? [];
  const problems: FieldError[] = [];
  if (scheme !== 'https') problems.push(invalidValue(`${path}.url`, scheme, `'https' is the only allowed URL scheme${form}`));
  if (host === '') problems.push(invalidValue(`${path}.url`, host, `host must be specified${form}`));
  if (host.includes('@')) problems.push(invalidValue(`${path}.url`, host.split('@')[0], 'user information is not permitted in the URL'));
  if (fragment !== '') problems.push(invalidValue(`${path}.url`, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') problems.push(invalidValue(`${path}.url`, query, 'query parameters are not permitted in the URL'));
  return problems;
}

function problemsOfReviewVersions(versions: readonly string[], path: string): FieldError[] {
  if (versions.length === 0) return [requiredValue(path, `must specify one of ${reviewVersions.join(', ')}`)];
  const problems = versions.flatMap((version, index) =>
    versions.indexOf(version) < index ? [invalidValue(`${path}[${index}]`, version, 'duplicate version')] : [],
  );
  if (versions.some((version) => reviewVersions.includes(version))) return problems;
  return [...problems, invalidValue(path, versions, `must include at least one of ${reviewVersions.join(', ')}`)];
}
