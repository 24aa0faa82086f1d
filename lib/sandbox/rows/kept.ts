// Resources that nothing here works on: Deployments, network policies, autoscalers and webhook configurations. People and operators write
// them, so they are kept with the defaults that others read; of their rules only those are asked that name a plain mistake.
import { validatePodTemplate } from '../../admission/pod/pod-validation.ts';
import { withPodTemplateDefaults } from '../../admission/pod/pod-defaults.ts';
import { dropSwitchedOffFields } from '../../admission/switched-off-fields.ts';
import { validateLabelSelector } from '../../admission/metadata/label-selector-validation.ts';
import type { FieldError } from '../../objects/field-error.ts';
import type { PodTemplate } from '../../objects/kubernetes.ts';
import { selectorTextOf } from '../../objects/label-selector.ts';
import { fieldIsImmutable, invalidValue, requiredValue, unlessNonNegative } from '../../objects/refusals.ts';
import { treeCopy } from '../../objects/values/tree-copy.ts';
import { fieldsAt, isFields, isSame, listAt, numberAt, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { Column, ResourceRow } from './resource-row.ts';
import { ageColumn, column, nameColumn, row } from './row.ts';

const countColumn = (name: string, field: string): Column => column(name, ({ status }) => numberAt(status, field));

/** As the schema has checked it. */
function templateOf(spec: Fields): PodTemplate {
  const template = fieldsAt(spec, 'template');
  return { ...template, spec: { containers: [], ...fieldsAt(template, 'spec') } };
}

function deploymentWithDefaults(object: ApiObject): ApiObject {
  const given = fieldsAt(object, 'spec');
  const template = withPodTemplateDefaults(treeCopy(templateOf(given)));
  dropSwitchedOffFields(template.spec);
  const { type = 'RollingUpdate', rollingUpdate } = fieldsAt(given, 'strategy');
  const strategy =
    type === 'RollingUpdate'
      ? { type, rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%', ...(isFields(rollingUpdate) && rollingUpdate) } }
      : { type };
  const spec = { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, ...given, strategy, template };
  return { ...object, spec };
}

function deploymentErrors({ spec = {} }: ApiObject, previous?: ApiObject): FieldError[] {
  const { selector } = spec;
  const isMoved = previous !== undefined && !isSame(selector, previous.spec?.['selector']);
  return [
    ...unlessNonNegative('spec.replicas', numberAt(spec, 'replicas')),
    ...(isFields(selector) ? validateLabelSelector(selector, 'spec.selector') : [requiredValue('spec.selector')]),
    ...validatePodTemplate(templateOf(spec), 'spec.template'),
    ...(isMoved ? [invalidValue('spec.selector', selector, fieldIsImmutable)] : []),
  ];
}

export const deployments = row({
  group: 'apps',
  plural: 'deployments',
  kind: 'Deployment',
  shortNames: ['deploy'],
  categories: ['all'],
  hasStatus: true,
  countsGenerations: true,
  columns: [
    nameColumn,
    column('Ready', ({ spec, status }) => `${numberAt(status, 'readyReplicas')}/${numberAt(spec, 'replicas')}`),
    countColumn('Up-to-date', 'updatedReplicas'),
    countColumn('Available', 'availableReplicas'),
    ageColumn,
  ],
  rules: {
    defaults: deploymentWithDefaults,
    validate: (object) => deploymentErrors(object),
    validateUpdate: deploymentErrors,
  },
});

function policyWithDefaults(object: ApiObject): ApiObject {
  const given = fieldsAt(object, 'spec');
  return { ...object, spec: { policyTypes: listAt(given, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'], ...given } };
}

const policyErrors = ({ spec = {} }: ApiObject): FieldError[] => validateLabelSelector(fieldsAt(spec, 'podSelector'), 'spec.podSelector');

export const networkPolicies = row({
  group: 'networking.k8s.io',
  plural: 'networkpolicies',
  kind: 'NetworkPolicy',
  shortNames: ['netpol'],
  countsGenerations: true,
  columns: [nameColumn, column('Pod-Selector', ({ spec }) => selectorTextOf(fieldsAt(spec, 'podSelector')) || '<none>'), ageColumn],
  rules: {
    defaults: policyWithDefaults,
    validate: policyErrors,
  },
});

const usualMetrics = (): Fields[] => [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
];

function autoscalerWithDefaults(object: ApiObject): ApiObject {
  const { spec = {} } = object;
  const metrics = listAt(spec, 'metrics');
  return { ...object, spec: { minReplicas: 1, ...spec, metrics: metrics.length > 0 ? metrics : usualMetrics() } };
}

function autoscalerErrors({ spec = {} }: ApiObject): FieldError[] {
  const [least, most] = [numberAt(spec, 'minReplicas'), numberAt(spec, 'maxReplicas')];
  if (most < 1) return [invalidValue('spec.maxReplicas', most, 'must be greater than 0')];
  return most < least ? [invalidValue('spec.maxReplicas', most, 'must be greater than or equal to `minReplicas`')] : [];
}

export const autoscalers = row({
  group: 'autoscaling',
  version: 'v2',
  plural: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  shortNames: ['hpa'],
  categories: ['all'],
  hasStatus: true,
  columns: [
    nameColumn,
    column(
      'Reference',
      ({ spec }) => `${textAt(fieldsAt(spec, 'scaleTargetRef'), 'kind')}/${textAt(fieldsAt(spec, 'scaleTargetRef'), 'name')}`,
    ),
    column('MinPods', ({ spec }) => numberAt(spec, 'minReplicas')),
    column('MaxPods', ({ spec }) => numberAt(spec, 'maxReplicas')),
    countColumn('Replicas', 'currentReplicas'),
    ageColumn,
  ],
  rules: {
    defaults: autoscalerWithDefaults,
    create: (object) => ({ ...autoscalerWithDefaults(object), status: { currentMetrics: null, desiredReplicas: 0 } }),
    validate: autoscalerErrors,
  },
});

function webhookConfigurations(kind: string): ResourceRow {
  return row({
    group: 'admissionregistration.k8s.io',
    plural: `${kind.toLowerCase()}s`,
    kind,
    categories: ['api-extensions'],
    namespaced: false,
    countsGenerations: true,
    columns: [nameColumn, column('Webhooks', (object) => listAt(object, 'webhooks').length, { type: 'integer' }), ageColumn],
  });
}

export const mutatingWebhooks = webhookConfigurations('MutatingWebhookConfiguration');
export const validatingWebhooks = webhookConfigurations('ValidatingWebhookConfiguration');
