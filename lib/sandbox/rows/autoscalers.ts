// Horizontal pod autoscalers: kept with their defaults. Nothing here measures or scales; another controller writes the status.
import { admittedQuantity } from '../../objects/values/quantity.ts';
import { fieldsAt, isFields, listAt, numberAt, textAt } from '../api-object.ts';
import type { ApiObject, Fields } from '../api-object.ts';
import { validateAutoscaler, validateAutoscalerStatus } from './autoscaler-validation.ts';
import { ageColumn, nameColumn, readAndWrite, row } from './row.ts';

const defaultUtilization = 80;

const defaultMetrics = (): Fields[] => [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: defaultUtilization } } },
];

const everySeconds = 15;
const doubling: Fields = { type: 'Percent', value: 100, periodSeconds: everySeconds };
const fourPods: Fields = { type: 'Pods', value: 4, periodSeconds: everySeconds };

/** Once something is said of the behaviour, all of it is filled in. */
const behaviorOf = (behavior: Fields): Fields => ({
  ...behavior,
  scaleUp: { selectPolicy: 'Max', stabilizationWindowSeconds: 0, policies: [fourPods, doubling], ...fieldsAt(behavior, 'scaleUp') },
  scaleDown: { selectPolicy: 'Max', policies: [doubling], ...fieldsAt(behavior, 'scaleDown') },
});

const amounts = new Set(['value', 'averageValue', 'tolerance']);

/** Amounts are given back in their canonical form. */
function withAmounts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withAmounts);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      amounts.has(name) && typeof item === 'string' ? admittedQuantity(item) : withAmounts(item),
    ]),
  );
}

function withDefaults(object: ApiObject): ApiObject {
  const { spec = {} } = object;
  const { behavior } = spec;
  const metrics = listAt(spec, 'metrics');
  const whole: Fields = {
    ...spec,
    minReplicas: spec['minReplicas'] ?? 1,
    metrics: metrics.length > 0 ? withAmounts(metrics) : defaultMetrics(),
    ...(isFields(behavior) && { behavior: withAmounts(behaviorOf(behavior)) }),
  };
  return { ...object, spec: whole };
}

/** The status before anybody has written one. */
const unwritten = (): Fields => ({ currentMetrics: null, desiredReplicas: 0 });

const mostShown = 2;

/** Measured and wanted, of the first metrics. */
function targetsOf({ spec, status }: ApiObject): string {
  const current = listAt(status, 'currentMetrics');
  const texts = listAt(spec, 'metrics').map((metric, index) => targetText(metric, current[index]));
  if (texts.length === 0) return '<none>';
  const more = texts.length > mostShown ? ` + ${texts.length - mostShown} more...` : '';
  return texts.slice(0, mostShown).join(', ') + more;
}

function targetText(metric: Fields, measured: Fields | undefined): string {
  const type = textAt(metric, 'type');
  const field = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const source = fieldsAt(metric, field);
  const target = fieldsAt(source, 'target');
  const current = fieldsAt(fieldsAt(measured, field), 'current');
  const shown = (name: string): string => `${textAt(current, name) || '<unknown>'}/${textAt(target, name)}`;
  const isAverage = target['averageValue'] !== undefined;
  if (field === 'pods') return shown('averageValue');
  if (field !== 'resource' && field !== 'containerResource') return isAverage ? `${shown('averageValue')} (avg)` : shown('value');
  const percent = (of: Fields, unknown: string): string =>
    of['averageUtilization'] === undefined ? unknown : `${numberAt(of, 'averageUtilization')}%`;
  const amount = isAverage ? shown('averageValue') : `${percent(current, '<unknown>')}/${percent(target, '<auto>')}`;
  return `${textAt(source, 'name')}: ${amount}`;
}

export const autoscalers = row({
  group: 'autoscaling',
  version: 'v2',
  plural: 'horizontalpodautoscalers',
  singular: 'horizontalpodautoscaler',
  kind: 'HorizontalPodAutoscaler',
  shortNames: ['hpa'],
  categories: ['all'],
  subresources: [{ name: 'status', kind: 'HorizontalPodAutoscaler', verbs: readAndWrite }],
  columns: [
    nameColumn,
    {
      name: 'Reference',
      type: 'string',
      description: 'What it scales.',
      cell: ({ spec }) => `${textAt(fieldsAt(spec, 'scaleTargetRef'), 'kind')}/${textAt(fieldsAt(spec, 'scaleTargetRef'), 'name')}`,
    },
    { name: 'Targets', type: 'string', description: 'What is measured, and what is wanted.', cell: targetsOf },
    { name: 'MinPods', type: 'string', description: 'Fewest replicas.', cell: ({ spec }) => textAt(spec, 'minReplicas') || '<unset>' },
    { name: 'MaxPods', type: 'string', description: 'Most replicas.', cell: ({ spec }) => numberAt(spec, 'maxReplicas') },
    { name: 'Replicas', type: 'string', description: 'Replicas there are.', cell: ({ status }) => numberAt(status, 'currentReplicas') },
    ageColumn,
  ],
  rules: {
    defaults: withDefaults,
    create: (object) => ({ ...withDefaults(object), status: unwritten() }),
    validate: validateAutoscaler,
    update: (next, previous) => ({ ...withDefaults(next), status: previous.status ?? unwritten() }),
    validateUpdate: validateAutoscaler,
    updateStatus: (next) => {
      const status = withAmounts(next.status);
      return { ...next, status: { ...unwritten(), ...(isFields(status) && status) } };
    },
    validateStatus: validateAutoscalerStatus,
  },
});
