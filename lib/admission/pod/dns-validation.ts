// The API server's rules for the DNS settings of a pod or a template.
import type { FieldError } from '../../objects/field-error.ts';
import type { PodSpec } from '../../objects/kubernetes.ts';
import { problemsOfIpAddress, problemsOfSearchDomain } from '../../objects/names.ts';
import { invalidFor, invalidValue, requiredValue } from '../../objects/refusals.ts';
import { isFields, listOf, textOf, textsOf } from '../../objects/values/untyped-fields.ts';

const most = { nameservers: 3, searches: 32, searchCharacters: 2048 };

/** The refusals of `dnsConfig` in a spec that lies at `field`. */
export function validateDns({ dnsConfig, dnsPolicy }: PodSpec, field: string): FieldError[] {
  const path = `${field}.dnsConfig`;
  // A pod that wants nothing of the cluster's DNS must say whom to ask.
  if (!isFields(dnsConfig)) {
    return dnsPolicy === 'None' ? [requiredValue(path, 'must provide `dnsConfig` when `dnsPolicy` is None')] : [];
  }
  const [nameservers, searches] = [textsOf(dnsConfig['nameservers']), textsOf(dnsConfig['searches'])];
  if (dnsPolicy === 'None' && nameservers.length === 0) {
    return [requiredValue(`${path}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
  }
  const refusals: FieldError[] = [];
  if (nameservers.length > most.nameservers) {
    refusals.push(invalidValue(`${path}.nameservers`, nameservers, `must not have more than ${most.nameservers} nameservers`));
  }
  for (const [at, address] of nameservers.entries()) {
    refusals.push(...invalidFor(`${path}.nameservers[${at}]`, address, problemsOfIpAddress(address)));
  }
  if (searches.length > most.searches) {
    refusals.push(invalidValue(`${path}.searches`, searches, `must not have more than ${most.searches} search paths`));
  }
  if (Buffer.byteLength(searches.join(' ')) > most.searchCharacters) {
    const detail = `must not have more than ${most.searchCharacters} characters (including spaces) in the search list`;
    refusals.push(invalidValue(`${path}.searches`, searches, detail));
  }
  for (const [at, search] of searches.entries()) {
    const domain = search.replace(/\.$/, '');
    if (search !== '.') refusals.push(...invalidFor(`${path}.searches[${at}]`, domain, problemsOfSearchDomain(domain)));
  }
  for (const [at, option] of listOf(dnsConfig['options']).entries()) {
    if (textOf(option['name']) === '') refusals.push(requiredValue(`${path}.options[${at}]`, 'must not be empty'));
  }
  return refusals;
}
