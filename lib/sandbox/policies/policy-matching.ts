// Which requests a policy or a binding is about.
import { matcherOf } from '../../objects/label-selector.ts';
import type { LabelSelector } from '../../objects/kubernetes.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { Resources } from '../rows/resources.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { keyOf } from '../storage/version.ts';
import type { Storage } from '../storage/storage.ts';
import type { MatchResources, Rule } from './policy-shapes.ts';

/** A request's attributes, as policies see them. */
export interface AdmissionAttributes {
  operation: 'CREATE' | 'UPDATE' | 'DELETE';
  row: ResourceRow;
  subresource: string | undefined;
  namespace: string | undefined;
  name: string;
  /** Undefined for a deletion. */
  object: ApiObject | undefined;
  /** Undefined for a creation. */
  oldObject: ApiObject | undefined;
}

interface Surroundings {
  storage: Storage;
  resources: Resources;
}

/** @returns the row by which the request matches, which may be another view on the same objects; undefined where it does not match */
export function matchedRow(match: MatchResources, attributes: AdmissionAttributes, around: Surroundings): ResourceRow | undefined {
  const { namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match;
  if (!isInNamespace(namespaceSelector, attributes, around) || !hasLabels(objectSelector, attributes)) return undefined;
  if (rowByRules(excludeResourceRules, match, attributes, around)) return undefined;
  return resourceRules.length === 0 ? attributes.row : rowByRules(resourceRules, match, attributes, around);
}

const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;

function isInNamespace(selector: LabelSelector | undefined, attributes: AdmissionAttributes, { storage }: Surroundings): boolean {
  if (!selector || isEmpty(selector)) return true;
  const { row, object, oldObject, namespace } = attributes;
  const isNamespace = row.group === '' && row.kind === 'Namespace';
  if (!isNamespace && namespace === undefined) return true;
  const about = isNamespace ? (object ?? oldObject) : storage.get('namespaces', keyOf(undefined, namespace ?? ''))?.object;
  return matcherOf(selector)(about?.metadata.labels);
}

function hasLabels(selector: LabelSelector | undefined, { object, oldObject }: AdmissionAttributes): boolean {
  if (!selector || isEmpty(selector)) return true;
  const matches = matcherOf(selector);
  return [object, oldObject].some((each) => each !== undefined && matches(each.metadata.labels));
}

function rowByRules(
  rules: readonly Rule[],
  { matchPolicy }: MatchResources,
  attributes: AdmissionAttributes,
  { resources }: Surroundings,
): ResourceRow | undefined {
  const { row } = attributes;
  const rows = matchPolicy === 'Exact' ? [row] : [row, ...resources.sharing(row).filter((other) => other !== row)];
  return rows.find((each) => rules.some((rule) => matchesRule(rule, each, attributes)));
}

const hasOrAny = (values: readonly string[] = [], value: string): boolean => values.includes('*') || values.includes(value);

function matchesRule(rule: Rule, row: ResourceRow, { operation, subresource, namespace, name }: AdmissionAttributes): boolean {
  if (!hasOrAny(rule.operations, operation) || !hasOrAny(rule.apiGroups, row.group) || !hasOrAny(rule.apiVersions, row.version))
    return false;
  if (rule.scope === 'Namespaced' && namespace === undefined) return false;
  if (rule.scope === 'Cluster' && namespace !== undefined) return false;
  const { resourceNames = [], resources = [] } = rule;
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
  return resources.some((resource) => {
    const [wanted = '', part = ''] = resource.split('/', 2);
    const isResource = wanted === '*' || wanted === row.plural;
    return isResource && (part === '*' || part === (subresource ?? ''));
  });
}
