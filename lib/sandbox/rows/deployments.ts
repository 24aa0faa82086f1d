// Deployments. They are kept, and nothing runs them: no controller here makes pods of one.
import { validatePodTemplate } from '../../admission/pod/pod-validation.ts';
import { withPodTemplateDefaults } from '../../admission/pod/pod-defaults.ts';
import { dropSwitchedOffFields } from '../../admission/switched-off-fields.ts';
import { validateLabelSelector } from '../../admission/metadata/label-selector-validation.ts';
import type { FieldError } from '../../objects/field-error.ts';
import type { PodTemplate } from '../../objects/kubernetes.ts';
import { LabelSelectorError, matcherOf, selectorTextOf } from '../../objects/label-selector.ts';
import {
  fieldIsImmutable,
  forbidden,
  invalidValue,
  requiredValue,
  uniqueRefusals,
  unlessNonNegative,
  unsupportedValue,
} from '../../objects/refusals.ts';
import { treeCopy } from '../../objects/values/tree-copy.ts';
import { fieldsAt, isFields, isSame, listAt, numberAt, textAt } from '../api-object.ts';
import type { ApiObject, Fields } from '../api-object.ts';
import type { Column } from './resource-row.ts';
import { ageColumn, nameColumn, readAndWrite, row } from './row.ts';

const ROLLING = 'RollingUpdate';
const RECREATE = 'Recreate';
const SHARE = '25%';

/** As the schema has checked it. */
const templateOf = (spec: Fields): PodTemplate => ({ ...fieldsAt(spec, 'template'), spec: { containers: [], ...podSpecOf(spec) } });
const podSpecOf = (spec: Fields): Fields => fieldsAt(fieldsAt(spec, 'template'), 'spec');

function withStrategy(strategy: Fields): Fields {
  const type = textAt(strategy, 'type') || ROLLING;
  if (type !== ROLLING) return { ...strategy, type };
  const given = fieldsAt(strategy, 'rollingUpdate');
  return { type, rollingUpdate: { maxUnavailable: SHARE, maxSurge: SHARE, ...given } };
}

function withDefaults(object: ApiObject): ApiObject {
  const given = fieldsAt(object, 'spec');
  const template = withPodTemplateDefaults(treeCopy(templateOf(given)));
  dropSwitchedOffFields(template.spec);
  const spec: Fields = {
    replicas: 1,
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    ...given,
    strategy: withStrategy(fieldsAt(given, 'strategy')),
    template,
  };
  return { ...object, spec };
}

const isPercent = (value: unknown): value is string => typeof value === 'string' && /^[0-9]+%$/.test(value);
const amountOf = (value: unknown): number => (isPercent(value) ? Number(value.slice(0, -1)) : typeof value === 'number' ? value : 0);

function amountErrors(value: unknown, field: string): FieldError[] {
  if (typeof value === 'number') return unlessNonNegative(field, value);
  if (isPercent(value)) return [];
  const why =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
  return [invalidValue(field, value, why)];
}

function strategyErrors(strategy: Fields, path: string): FieldError[] {
  const { type, rollingUpdate } = strategy;
  if (type === RECREATE)
    return isFields(rollingUpdate)
      ? [forbidden(`${path}.rollingUpdate`, `may not be specified when strategy \`type\` is '${RECREATE}'`)]
      : [];
  if (type !== ROLLING) return [unsupportedValue(path, { Type: type, RollingUpdate: rollingUpdate ?? null }, [RECREATE, ROLLING])];
  const { maxUnavailable, maxSurge } = fieldsAt(strategy, 'rollingUpdate');
  const field = `${path}.rollingUpdate.maxUnavailable`;
  const errors = [...amountErrors(maxUnavailable, field), ...amountErrors(maxSurge, `${path}.rollingUpdate.maxSurge`)];
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0)
    errors.push(invalidValue(field, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  if (isPercent(maxUnavailable) && amountOf(maxUnavailable) > 100)
    errors.push(invalidValue(field, maxUnavailable, 'must not be greater than 100%'));
  return errors;
}

/** Whether the selector matches; undefined for a broken one. */
function matches(selector: Fields, labels: Record<string, string> | undefined): boolean | undefined {
  try {
    return matcherOf(selector)(labels);
  } catch (error) {
    if (error instanceof LabelSelectorError) return undefined;
    throw error;
  }
}

function templateErrors(spec: Fields, isFound: boolean): FieldError[] {
  const path = 'spec.template';
  const template = templateOf(spec);
  const { restartPolicy, activeDeadlineSeconds } = podSpecOf(spec);
  const { labels } = template.metadata ?? {};
  // Go writes the keys of a map in their order.
  const shown = labels && Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return [
    ...(isFound ? [] : [invalidValue(`${path}.metadata.labels`, shown, '`selector` does not match template `labels`')]),
    ...validatePodTemplate(template, path),
    ...(restartPolicy === 'Always' ? [] : [unsupportedValue(`${path}.spec.restartPolicy`, restartPolicy, ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [forbidden(`${path}.spec.activeDeadlineSeconds`, 'activeDeadlineSeconds in ReplicaSet is not Supported')]),
  ];
}

function selectorErrors(selector: unknown): FieldError[] {
  const path = 'spec.selector';
  if (!isFields(selector)) return [requiredValue(path)];
  const isEmpty = Object.keys(fieldsAt(selector, 'matchLabels')).length + listAt(selector, 'matchExpressions').length === 0;
  return [
    ...validateLabelSelector(selector, path),
    ...(isEmpty ? [invalidValue(path, selector, 'empty selector is invalid for deployment')] : []),
  ];
}

const numberIn = (fields: Fields, name: string): number | undefined => (fields[name] === undefined ? undefined : numberAt(fields, name));

function errorsOf({ spec = {} }: ApiObject): FieldError[] {
  const { selector } = spec;
  // Nobody is found by a selector that is missing, and everybody by an empty one.
  const isFound = isFields(selector) ? matches(selector, templateOf(spec).metadata?.labels) : false;
  const deadlineSeconds = numberIn(spec, 'progressDeadlineSeconds');
  return uniqueRefusals([
    ...unlessNonNegative('spec.replicas', numberIn(spec, 'replicas')),
    ...selectorErrors(selector),
    ...(isFound === undefined ? [invalidValue('spec.selector', selector, 'invalid label selector')] : templateErrors(spec, isFound)),
    ...strategyErrors(fieldsAt(spec, 'strategy'), 'spec.strategy'),
    ...['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'].flatMap((name) =>
      unlessNonNegative(`spec.${name}`, numberIn(spec, name)),
    ),
    ...(deadlineSeconds !== undefined && deadlineSeconds <= numberAt(spec, 'minReadySeconds')
      ? [invalidValue('spec.progressDeadlineSeconds', deadlineSeconds, 'must be greater than minReadySeconds')]
      : []),
  ]);
}

const updateErrors = (next: ApiObject, previous: ApiObject): FieldError[] => [
  ...errorsOf(next),
  ...(isSame(next.spec?.['selector'], previous.spec?.['selector'])
    ? []
    : [invalidValue('spec.selector', next.spec?.['selector'], fieldIsImmutable)]),
];

const counts = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
];

function statusErrors({ status = {} }: ApiObject, previous: ApiObject): FieldError[] {
  const greater = (name: string, than: string, why: string): FieldError[] =>
    numberAt(status, name) > numberAt(status, than) ? [invalidValue(`status.${name}`, numberAt(status, name), why)] : [];
  const collisions = numberAt(status, 'collisionCount');
  return [
    ...counts.flatMap((name) => unlessNonNegative(`status.${name}`, numberIn(status, name))),
    ...['updatedReplicas', 'readyReplicas', 'availableReplicas'].flatMap((name) =>
      greater(name, 'replicas', 'cannot be greater than status.replicas'),
    ),
    ...greater('availableReplicas', 'readyReplicas', 'cannot be greater than readyReplicas'),
    ...(collisions < numberAt(previous.status, 'collisionCount')
      ? [invalidValue('status.collisionCount', collisions, 'cannot be decremented')]
      : []),
  ];
}

/** An update of the annotations counts too: a controller copies them to what it makes of the deployment. */
function update(next: ApiObject, previous: ApiObject): ApiObject {
  const defaulted: ApiObject = { ...withDefaults(next), status: previous.status ?? {} };
  if (!isSame(defaulted.spec, previous.spec)) return defaulted; // counted as for every other row
  if (isSame(next.metadata.annotations ?? {}, previous.metadata.annotations ?? {})) return defaulted;
  return { ...defaulted, metadata: { ...defaulted.metadata, generation: (previous.metadata.generation ?? 0) + 1 } };
}

const containersText = (object: ApiObject, field: string): string =>
  listAt(podSpecOf(object.spec ?? {}), 'containers')
    .map((container) => textAt(container, field))
    .join(',');

const countColumn = (name: string, field: string, description: string): Column => ({
  name,
  type: 'string',
  description,
  cell: ({ status }) => numberAt(status, field),
});

export const deployments = row({
  group: 'apps',
  plural: 'deployments',
  singular: 'deployment',
  kind: 'Deployment',
  shortNames: ['deploy'],
  categories: ['all'],
  subresources: [{ name: 'status', kind: 'Deployment', verbs: readAndWrite }],
  countsGenerations: true,
  keptByStatus: ['metadata.labels'],
  columns: [
    nameColumn,
    {
      name: 'Ready',
      type: 'string',
      description: 'Ready pods of those wanted.',
      cell: ({ spec, status }) => `${numberAt(status, 'readyReplicas')}/${numberAt(spec, 'replicas')}`,
    },
    countColumn('Up-to-date', 'updatedReplicas', 'Pods of the present template.'),
    countColumn('Available', 'availableReplicas', 'Pods that have been ready for long enough.'),
    ageColumn,
    {
      name: 'Containers',
      type: 'string',
      description: 'Names of its containers.',
      priority: 1,
      cell: (object) => containersText(object, 'name'),
    },
    {
      name: 'Images',
      type: 'string',
      description: 'Images of its containers.',
      priority: 1,
      cell: (object) => containersText(object, 'image'),
    },
    {
      name: 'Selector',
      type: 'string',
      description: 'Labels of its pods.',
      priority: 1,
      cell: ({ spec }) => selectorTextOf(fieldsAt(spec, 'selector')) ?? '',
    },
  ],
  rules: {
    defaults: withDefaults,
    create: (object) => ({ ...withDefaults(object), metadata: { ...object.metadata, generation: 1 }, status: {} }),
    validate: errorsOf,
    update,
    validateUpdate: updateErrors,
    updateStatus: (next, previous) => {
      const { labels: _, ...metadata } = next.metadata;
      const { labels } = previous.metadata;
      return { ...next, metadata: { ...metadata, ...(labels && { labels }) } };
    },
    validateStatus: statusErrors,
  },
});
