// Problems of a definition's conversion between versions.
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfOlderDnsLabel } from '../../objects/names.ts';
import { forbidden, invalidValue, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import { fieldsAt, isFields, textAt } from '../api-object.ts';

const path = 'spec.conversion';
const known = ['v1', 'v1beta1'];

/** In the API server's words and paths: those of its own form of a definition, in which `webhook.clientConfig` is one field. */
export function conversionProblems(conversion: unknown): FieldError[] {
  if (!isFields(conversion)) return [];
  const strategy = textAt(conversion, 'strategy');
  if (strategy === '') return [requiredValue(`${path}.strategy`)];
  const isKnown = strategy === 'None' || strategy === 'Webhook';
  const problems = isKnown ? [] : [unsupportedValue(`${path}.strategy`, strategy, ['None', 'Webhook'])];
  const webhook = fieldsAt(conversion, 'webhook');
  const client = webhook['clientConfig'];
  const { conversionReviewVersions: versions } = webhook;
  const given = Array.isArray(versions) ? versions.map(String) : [];
  if (strategy !== 'Webhook') {
    const unless = 'should not be set when strategy is not set to Webhook';
    if (client !== undefined) problems.push(forbidden(`${path}.webhookClientConfig`, unless));
    if (given.length > 0) problems.push(forbidden(`${path}.conversionReviewVersions`, unless));
    return problems;
  }
  if (!isFields(client)) problems.push(requiredValue(`${path}.webhookClientConfig`, 'required when strategy is set to Webhook'));
  else if ((client['url'] === undefined) === (client['service'] === undefined)) {
    problems.push(requiredValue(`${path}.webhookClientConfig`, 'exactly one of url or service is required'));
  }
  return [...problems, ...reviewProblems(given)];
}

function reviewProblems(versions: readonly string[]): FieldError[] {
  const field = `${path}.conversionReviewVersions`;
  if (versions.length === 0) return [requiredValue(field)];
  const problems = versions.flatMap((version, at) =>
    versions.indexOf(version) < at
      ? [invalidValue(`${field}[${at}]`, version, 'duplicate version')]
      : problemsOfOlderDnsLabel(version).map((problem) => invalidValue(`${field}[${at}]`, version, problem)),
  );
  if (versions.some((version) => known.includes(version))) return problems;
  return [...problems, invalidValue(field, versions, `must include at least one of ${known.join(', ')}`)];
}
