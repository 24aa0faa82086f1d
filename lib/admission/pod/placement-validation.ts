// The API server's rules for the wishes of a pod about where it runs: affinity to nodes and pods, spread over a topology.
import type { FieldError } from '../../objects/field-error.ts';
import type { LabelSelector } from '../../objects/kubernetes.ts';
import { validateLabelSelector } from '../metadata/label-selector-validation.ts';
import { problemsOfDnsLabel, problemsOfDnsSubdomain, problemsOfLabelValue, problemsOfQualifiedName } from '../../objects/names.ts';
import { duplicateValue, forbidden, invalidFor, invalidValue, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { fieldsOf, isFields, listOf, numberOf, textOf, textsOf } from '../../objects/values/untyped-fields.ts';

const [required, preferred] = ['requiredDuringSchedulingIgnoredDuringExecution', 'preferredDuringSchedulingIgnoredDuringExecution'];

/** The refusals of `affinity` and `topologySpreadConstraints` of a pod's spec that lies at `field`. */
export function validatePlacement(spec: Fields, field: string): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = fieldsOf(spec['affinity']);
  return [
    ...(isFields(nodeAffinity) ? validateNodeAffinity(nodeAffinity, `${field}.affinity.nodeAffinity`) : []),
    ...(isFields(podAffinity) ? validatePodAffinity(podAffinity, `${field}.affinity.podAffinity`) : []),
    ...(isFields(podAntiAffinity) ? validatePodAffinity(podAntiAffinity, `${field}.affinity.podAntiAffinity`) : []),
    ...validateSpread(listOf(spec['topologySpreadConstraints']), `${field}.topologySpreadConstraints`),
  ];
}

function validateNodeAffinity(affinity: Fields, field: string): FieldError[] {
  const refusals: FieldError[] = [];
  const selector = affinity[required];
  if (isFields(selector)) {
    const path = `${field}.${required}.nodeSelectorTerms`;
    const terms = listOf(selector['nodeSelectorTerms']);
    if (terms.length === 0) refusals.push(requiredValue(path, 'must have at least one node selector term'));
    for (const [at, term] of terms.entries()) refusals.push(...validateNodeTerm(term, `${path}[${at}]`, { areValuesChecked: true }));
  }
  for (const [at, wish] of listOf(affinity[preferred]).entries()) {
    const path = `${field}.${preferred}[${at}]`;
    refusals.push(
      ...validateWeight(wish, path),
      ...validateNodeTerm(fieldsOf(wish['preference']), `${path}.preference`, { areValuesChecked: false }),
    );
  }
  return refusals;
}

function validateWeight(wish: Fields, field: string): FieldError[] {
  const weight = numberOf(wish['weight']) ?? 0;
  return weight >= 1 && weight <= 100 ? [] : [invalidValue(`${field}.weight`, weight, 'must be in the range 1-100')];
}

function validateNodeTerm(term: Fields, field: string, { areValuesChecked }: { areValuesChecked: boolean }): FieldError[] {
  const refusals: FieldError[] = [];
  for (const [at, expression] of listOf(term['matchExpressions']).entries()) {
    const path = `${field}.matchExpressions[${at}]`;
    const key = textOf(expression['key']);
    refusals.push(...validateOperator(expression, path), ...invalidFor(`${path}.key`, key, problemsOfQualifiedName(key)));
    if (!areValuesChecked) continue;
    for (const [place, value] of textsOf(expression['values']).entries()) {
      refusals.push(...invalidFor(`${path}.values[${place}]`, value, problemsOfLabelValue(value)));
    }
  }
  for (const [at, expression] of listOf(term['matchFields']).entries()) {
    refusals.push(...validateNodeField(expression, `${field}.matchFields[${at}]`));
  }
  return refusals;
}

function validateOperator(expression: Fields, field: string): FieldError[] {
  const count = textsOf(expression['values']).length;
  switch (expression['operator']) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : [requiredValue(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return count === 0 ? [] : [forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return count === 1 ? [] : [requiredValue(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidValue(`${field}.operator`, textOf(expression['operator']), 'not a valid selector operator')];
  }
}

/** The one field of a node that can be asked for is its name. */
function validateNodeField(expression: Fields, field: string): FieldError[] {
  const [operator, key] = [textOf(expression['operator']), textOf(expression['key'])];
  const values = textsOf(expression['values']);
  const refusals: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn')
    refusals.push(invalidValue(`${field}.operator`, operator, 'not a valid selector operator'));
  else if (values.length !== 1) {
    refusals.push(requiredValue(`${field}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  }
  if (key !== 'metadata.name') return [...refusals, invalidValue(`${field}.key`, key, 'not a valid field selector key')];
  return [...refusals, ...values.flatMap((value, at) => invalidFor(`${field}.values[${at}]`, value, problemsOfDnsSubdomain(value)))];
}

function validatePodAffinity(affinity: Fields, field: string): FieldError[] {
  return [
    ...listOf(affinity[required]).flatMap((term, at) => validatePodTerm(term, `${field}.${required}[${at}]`)),
    ...listOf(affinity[preferred]).flatMap((wish, at) => {
      const path = `${field}.${preferred}[${at}]`;
      return [...validateWeight(wish, path), ...validatePodTerm(fieldsOf(wish['podAffinityTerm']), `${path}.podAffinityTerm`)];
    }),
  ];
}

function validatePodTerm(term: Fields, field: string): FieldError[] {
  const topologyKey = textOf(term['topologyKey']);
  const { labelSelector, namespaceSelector } = term;
  return [
    ...(isFields(labelSelector) ? validateLabelSelector(selectorOf(labelSelector), `${field}.labelSelector`) : []),
    ...(isFields(namespaceSelector) ? validateLabelSelector(selectorOf(namespaceSelector), `${field}.namespaceSelector`) : []),
    ...textsOf(term['namespaces']).flatMap((name) => invalidFor(`${field}.namespace`, name, problemsOfDnsLabel(name))),
    ...validateLabelKeys(term, field),
    ...(topologyKey === '' ? [requiredValue(`${field}.topologyKey`, 'can not be empty')] : []),
    ...invalidFor(`${field}.topologyKey`, topologyKey, problemsOfQualifiedName(topologyKey)),
  ];
}

/** Keys whose values the pod's own labels give; of a spread or a term of affinity that lies at `field`. */
function validateLabelKeys(term: Fields, field: string): FieldError[] {
  const { labelSelector } = term;
  const [alike, unlike] = [textsOf(term['matchLabelKeys']), textsOf(term['mismatchLabelKeys'])];
  const refusals = Object.entries({ matchLabelKeys: alike, mismatchLabelKeys: unlike }).flatMap(([list, keys]) => {
    const path = `${field}.${list}`;
    if (keys.length > 0 && !isFields(labelSelector)) return [forbidden(path, 'must not be specified when labelSelector is not set')];
    return keys.flatMap((key, at) => invalidFor(`${path}[${at}]`, key, problemsOfQualifiedName(key)));
  });
  // Such a key is refused when the selector asks for it more than once; the API server leaves the list out of the path.
  const places = new Map(alike.map((key, at) => [key, at]));
  const asked = new Set(Object.keys(fieldsOf(fieldsOf(labelSelector)['matchLabels'])));
  for (const expression of listOf(fieldsOf(labelSelector)['matchExpressions'])) {
    const key = textOf(expression['key']);
    const at = places.get(key);
    if (at !== undefined && asked.has(key))
      refusals.push(invalidValue(`${field}[${at}]`, key, 'exists in both matchLabelKeys and labelSelector'));
    asked.add(key);
  }
  const shunned = new Set(unlike);
  for (const [at, key] of alike.entries()) {
    if (shunned.has(key)) {
      refusals.push(invalidValue(`${field}.matchLabelKeys[${at}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys'));
    }
  }
  return refusals;
}

function selectorOf(value: Fields): LabelSelector {
  const matchLabels = Object.fromEntries(Object.entries(fieldsOf(value['matchLabels'])).map(([key, text]) => [key, textOf(text)]));
  const matchExpressions = listOf(value['matchExpressions']).map(({ key, operator, values }) => ({
    key: textOf(key),
    operator: textOf(operator),
    values: textsOf(values),
  }));
  return { matchLabels, matchExpressions };
}

function validateSpread(constraints: readonly Fields[], field: string): FieldError[] {
  const kinds = constraints.map(({ topologyKey, whenUnsatisfiable }) => `{${textOf(topologyKey)}, ${textOf(whenUnsatisfiable)}}`);
  return constraints.flatMap((constraint, at) => {
    const path = `${field}[${at}]`;
    const refusals: FieldError[] = [];
    const positive = (name: string, value: number): void => {
      if (value <= 0) refusals.push(invalidValue(`${path}.${name}`, value, 'must be greater than zero'));
    };
    const action = textOf(constraint['whenUnsatisfiable']);
    positive('maxSkew', numberOf(constraint['maxSkew']) ?? 0);
    if (textOf(constraint['topologyKey']) === '') refusals.push(requiredValue(`${path}.topologyKey`, 'can not be empty'));
    if (action !== 'DoNotSchedule' && action !== 'ScheduleAnyway') {
      refusals.push(unsupportedValue(`${path}.whenUnsatisfiable`, action, ['DoNotSchedule', 'ScheduleAnyway']));
    }
    const kind = kinds[at] ?? '';
    if (kinds.slice(at + 1).includes(kind)) refusals.push(duplicateValue(`${path}.{topologyKey, whenUnsatisfiable}`, kind));
    const minDomains = numberOf(constraint['minDomains']);
    if (minDomains !== undefined) {
      positive('minDomains', minDomains);
      const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
      if (action !== 'DoNotSchedule') refusals.push(invalidValue(`${path}.minDomains`, minDomains, detail));
    }
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
      const policy = constraint[name];
      if (policy !== undefined && policy !== 'Honor' && policy !== 'Ignore') {
        refusals.push(unsupportedValue(`${path}.${name}`, textOf(policy), ['Honor', 'Ignore']));
      }
    }
    refusals.push(...validateLabelKeys(constraint, path));
    const { labelSelector } = constraint;
    return isFields(labelSelector) ? [...refusals, ...validateLabelSelector(selectorOf(labelSelector), `${path}.labelSelector`)] : refusals;
  });
}
