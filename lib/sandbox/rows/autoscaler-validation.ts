// Validates an autoscaler: its bounds, its target, its metrics, how fast it may go.
import type { FieldError } from '../../objects/field-error.ts';
import { compareQuantities } from '../../objects/values/quantity.ts';
import { forbidden, invalidFor, invalidValue, requiredValue, unlessNonNegative, unsupportedValue } from '../../objects/refusals.ts';
import { fieldsAt, isFields, listAt, numberAt, textAt } from '../api-object.ts';
import type { ApiObject, Fields } from '../api-object.ts';

export function validateAutoscaler({ spec = {} }: ApiObject): FieldError[] {
  return [
    ...boundErrors(spec),
    ...targetErrors(fieldsAt(spec, 'scaleTargetRef')),
    ...metricsErrors(spec),
    ...['scaleUp', 'scaleDown'].flatMap((name) => {
      const rules = fieldsAt(spec, 'behavior')[name];
      return isFields(rules) ? rulesErrors(rules, `spec.behavior.${name}`) : [];
    }),
  ];
}

export const validateAutoscalerStatus = ({ status }: ApiObject): FieldError[] =>
  ['currentReplicas', 'desiredReplicas'].flatMap((name) => unlessNonNegative(`status.${name}`, numberAt(status, name)));

function boundErrors(spec: Fields): FieldError[] {
  const [least, most] = [numberAt(spec, 'minReplicas'), numberAt(spec, 'maxReplicas')];
  const errors: FieldError[] = [];
  if (least < 1) errors.push(invalidValue('spec.minReplicas', least, 'must be greater than or equal to 1'));
  if (most === 0) errors.push(requiredValue('spec.maxReplicas', 'must be set and greater than 0'));
  if (most < 0) errors.push(invalidValue('spec.maxReplicas', most, 'must be greater than or equal to 1'));
  if (most < least) errors.push(invalidValue('spec.maxReplicas', most, 'must be greater than or equal to `minReplicas`'));
  return errors;
}

function targetErrors(target: Fields): FieldError[] {
  const field = 'spec.scaleTargetRef';
  const apiVersion = textAt(target, 'apiVersion');
  const errors = referenceErrors(target, field);
  if (apiVersion.split('/').length > 2) {
    errors.push(invalidValue(`${field}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else if (!apiVersion.includes('/') && textAt(target, 'kind') !== 'ReplicationController') {
    errors.push(invalidValue(`${field}.apiVersion`, apiVersion, 'apiVersion must specify API group'));
  }
  return errors;
}

/** A word that stands between the slashes of a path. */
const segmentErrors = (field: string, text: string): FieldError[] =>
  invalidFor(field, text, [
    ...(text === '.' || text === '..' ? [`may not be '${text}'`] : []),
    ...['/', '%'].filter((letter) => text.includes(letter)).map((letter) => `may not contain '${letter}'`),
  ]);

const referenceErrors = (reference: Fields, field: string): FieldError[] =>
  ['kind', 'name'].flatMap((name) => {
    const text = textAt(reference, name);
    return text === '' ? [requiredValue(`${field}.${name}`)] : segmentErrors(`${field}.${name}`, text);
  });

function metricsErrors(spec: Fields): FieldError[] {
  const metrics = listAt(spec, 'metrics');
  const errors = metrics.flatMap((metric, index) => metricErrors(metric, `spec.metrics[${index}]`));
  const scalesToZero = metrics.some(({ type }) => type === 'Object' || type === 'External');
  if (numberAt(spec, 'minReplicas') === 0 && !scalesToZero) {
    errors.push(forbidden('spec.metrics', 'must specify at least one Object or External metric to support scaling to zero replicas'));
  }
  return errors;
}

/** By type: the field that holds the metric, and what is asked of it. In the order in which a server looks at them. */
const sources: readonly { type: string; field: string; errorsOf: (source: Fields, field: string) => FieldError[] }[] = [
  { type: 'Object', field: 'object', errorsOf: objectErrors },
  { type: 'External', field: 'external', errorsOf: externalErrors },
  { type: 'Pods', field: 'pods', errorsOf: podsErrors },
  { type: 'Resource', field: 'resource', errorsOf: resourceErrors },
  { type: 'ContainerResource', field: 'containerResource', errorsOf: containerErrors },
];

function metricErrors(metric: Fields, field: string): FieldError[] {
  const type = textAt(metric, 'type');
  const present = sources.filter((source) => isFields(metric[source.field]));
  const [first] = present;
  const errors = first ? first.errorsOf(fieldsAt(metric, first.field), `${field}.${first.field}`) : [];
  if (type === '') errors.push(requiredValue(`${field}.type`, 'must specify a metric source type'));
  const expected = sources.find((source) => source.type === type);
  if (!expected) return [...errors, unsupportedValue(`${field}.type`, type, sources.map((source) => source.type).toSorted())];
  if (!present.includes(expected)) {
    errors.push(requiredValue(`${field}.${expected.field}`, 'must populate information for the given metric source'));
  }
  if (present.length < 2) return errors;
  const others = present.filter((source) => source !== expected);
  return [...errors, ...others.map((source) => forbidden(`${field}.${source.field}`, 'must populate the given metric source only'))];
}

const has = (of: Fields, name: string): boolean => of[name] !== undefined;

function objectErrors(source: Fields, field: string): FieldError[] {
  const target = fieldsAt(source, 'target');
  const errors = [
    ...referenceErrors(fieldsAt(source, 'describedObject'), `${field}.describedObject`),
    ...identifierErrors(source, field),
    ...amountErrors(source, field),
  ];
  if (!has(target, 'value') && !has(target, 'averageValue')) {
    errors.push(requiredValue(`${field}.target.averageValue`, 'must set either a target value or averageValue'));
  }
  return errors;
}

function externalErrors(source: Fields, field: string): FieldError[] {
  const target = fieldsAt(source, 'target');
  const errors = [...identifierErrors(source, field), ...amountErrors(source, field)];
  if (has(target, 'value') && has(target, 'averageValue')) {
    errors.push(forbidden(`${field}.target.value`, 'may not set both a target value for metric and a per-pod target'));
  }
  if (!has(target, 'value') && !has(target, 'averageValue')) {
    errors.push(requiredValue(`${field}.target.averageValue`, 'must set either a target value for metric or a per-pod target'));
  }
  return errors;
}

function podsErrors(source: Fields, field: string): FieldError[] {
  const errors = [...identifierErrors(source, field), ...amountErrors(source, field)];
  if (has(fieldsAt(source, 'target'), 'averageValue')) return errors;
  return [...errors, requiredValue(`${field}.target.averageValue`, 'must specify a positive target averageValue')];
}

function resourceErrors(source: Fields, field: string): FieldError[] {
  const target = fieldsAt(source, 'target');
  const errors = amountErrors(source, field);
  if (textAt(source, 'name') === '') errors.push(requiredValue(`${field}.name`, 'must specify a resource name'));
  if (!has(target, 'averageUtilization') && !has(target, 'averageValue')) {
    const message = 'must set either a target raw value or a target utilization';
    errors.push(requiredValue(`${field}.target.averageUtilization`, message));
  }
  if (has(target, 'averageUtilization') && has(target, 'averageValue')) {
    errors.push(forbidden(`${field}.target.averageValue`, 'may not set both a target raw value and a target utilization'));
  }
  return errors;
}

function containerErrors(source: Fields, field: string): FieldError[] {
  const errors = resourceErrors(source, field);
  return textAt(source, 'container') === '' ? [requiredValue(`${field}.container`, 'must specify a container'), ...errors] : errors;
}

function identifierErrors(source: Fields, field: string): FieldError[] {
  const name = textAt(fieldsAt(source, 'metric'), 'name');
  if (name === '') return [requiredValue(`${field}.metric.name`, 'must specify a metric name')];
  return segmentErrors(`${field}.metric.name`, name);
}

const targetTypes = ['Utilization', 'Value', 'AverageValue'];

function amountErrors(source: Fields, within: string): FieldError[] {
  const [target, field] = [fieldsAt(source, 'target'), `${within}.target`];
  const type = textAt(target, 'type');
  const errors: FieldError[] = [];
  if (type === '') errors.push(requiredValue(`${field}.type`, 'must specify a metric target type'));
  if (!targetTypes.includes(type)) {
    errors.push(invalidValue(`${field}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const name of ['value', 'averageValue']) {
    const amount = textAt(target, name);
    if (amount !== '' && compareQuantities(amount, 0) <= 0) errors.push(invalidValue(`${field}.${name}`, amount, 'must be positive'));
  }
  const utilization = numberAt(target, 'averageUtilization');
  if (has(target, 'averageUtilization') && utilization < 1) {
    errors.push(invalidValue(`${field}.averageUtilization`, utilization, 'must be greater than 0'));
  }
  return errors;
}

const selections = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];
const longestWindowSeconds = 3600;
const longestPeriodSeconds = 1800;

function rulesErrors(rules: Fields, field: string): FieldError[] {
  const seconds = numberAt(rules, 'stabilizationWindowSeconds');
  const selection = textAt(rules, 'selectPolicy');
  const tolerance = textAt(rules, 'tolerance');
  const policies = listAt(rules, 'policies');
  const window = `${field}.stabilizationWindowSeconds`;
  const errors: FieldError[] = [];
  if (seconds < 0) errors.push(invalidValue(window, seconds, 'must be greater than or equal to zero'));
  if (seconds > longestWindowSeconds) errors.push(invalidValue(window, seconds, `must be less than or equal to ${longestWindowSeconds}`));
  if (!selections.includes(selection)) errors.push(unsupportedValue(`${field}.selectPolicy`, selection, selections));
  if (policies.length === 0) errors.push(requiredValue(`${field}.policies`, 'must specify at least one Policy'));
  if (tolerance !== '' && compareQuantities(tolerance, 0) < 0) {
    errors.push(invalidValue(`${field}.tolerance`, tolerance, 'must be greater than or equal to 0'));
  }
  return [...errors, ...policies.flatMap((policy, index) => policyErrors(policy, `${field}.policies[${index}]`))];
}

function policyErrors(policy: Fields, field: string): FieldError[] {
  const type = textAt(policy, 'type');
  const errors = policyTypes.includes(type) ? [] : [unsupportedValue(`${field}.type`, type, policyTypes)];
  for (const name of ['value', 'periodSeconds']) {
    const amount = numberAt(policy, name);
    if (amount <= 0) errors.push(invalidValue(`${field}.${name}`, amount, 'must be greater than zero'));
  }
  const period = numberAt(policy, 'periodSeconds');
  if (period > longestPeriodSeconds) {
    errors.push(invalidValue(`${field}.periodSeconds`, period, `must be less than or equal to ${longestPeriodSeconds}`));
  }
  return errors;
}
