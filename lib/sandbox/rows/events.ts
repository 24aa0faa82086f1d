// Events: one set of objects, seen as core/v1 and as events.k8s.io/v1, which call some fields by other names.
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfQualifiedName } from '../../objects/names.ts';
import { fieldIsImmutable, invalidFor, invalidValue, requiredValue } from '../../objects/refusals.ts';
import { fieldsAt, isSame, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { ageOf } from './human-duration.ts';
import type { Column } from './resource-row.ts';
import { row } from './row.ts';

const oneHourMs = 3_600_000;

/** core name → events.k8s.io name, where they differ. */
const newNames: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

const renamed = (object: ApiObject, pairs: readonly (readonly [string, string])[]): ApiObject => {
  const names = new Map(pairs);
  const { metadata, ...rest } = object;
  return { metadata, ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [names.get(key) ?? key, value])) };
};

const involvedOf = (event: ApiObject): Fields => fieldsAt(event, 'involvedObject');

const seriesOf = (event: ApiObject): Fields => fieldsAt(event, 'series');

const firstSeen = (event: ApiObject): string =>
  textAt(event, 'firstTimestamp') || textAt(event, 'eventTime') || (event.metadata.creationTimestamp ?? '');

const lastSeen = (event: ApiObject): string =>
  textAt(seriesOf(event), 'lastObservedTime') || textAt(event, 'lastTimestamp') || firstSeen(event);

const sourceOf = (event: ApiObject): string => {
  const source = fieldsAt(event, 'source');
  const component = textAt(source, 'component') || textAt(event, 'reportingComponent');
  const host = textAt(source, 'host') || textAt(event, 'reportingInstance');
  return host ? `${component}, ${host}` : component;
};

const columns: Column[] = [
  { name: 'Last Seen', type: 'string', description: 'When it happened last.', cell: (event, nowMs) => ageOf(lastSeen(event), nowMs) },
  { name: 'Type', type: 'string', description: 'Normal or Warning.', cell: (event) => textAt(event, 'type') },
  { name: 'Reason', type: 'string', description: 'Why, in one word.', cell: (event) => textAt(event, 'reason') },
  {
    name: 'Object',
    type: 'string',
    description: 'What it is about.',
    cell: (event) => `${textAt(involvedOf(event), 'kind').toLowerCase()}/${textAt(involvedOf(event), 'name')}`,
  },
  {
    name: 'Subobject',
    type: 'string',
    description: 'Which part of it.',
    priority: 1,
    cell: (event) => textAt(involvedOf(event), 'fieldPath'),
  },
  { name: 'Source', type: 'string', description: 'Who reported it.', priority: 1, cell: sourceOf },
  { name: 'Message', type: 'string', description: 'The same for people.', cell: (event) => textAt(event, 'message').trim() },
  {
    name: 'First Seen',
    type: 'string',
    description: 'When it happened first.',
    priority: 1,
    cell: (event, nowMs) => ageOf(firstSeen(event), nowMs),
  },
  {
    name: 'Count',
    type: 'string',
    description: 'How often.',
    priority: 1,
    cell: (event) => seriesOf(event)['count'] ?? event['count'] ?? 1,
  },
  {
    name: 'Name',
    type: 'string',
    format: 'name',
    description: 'Unique within its namespace.',
    priority: 1,
    cell: (event) => event.metadata.name ?? '',
  },
];

const fieldsOf = (event: ApiObject): Record<string, string> => {
  const involved = involvedOf(event);
  const source = textAt(fieldsAt(event, 'source'), 'component') || textAt(event, 'reportingComponent');
  return {
    ...Object.fromEntries(
      ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((name) => [
        `involvedObject.${name}`,
        textAt(involved, name),
      ]),
    ),
    reason: textAt(event, 'reason'),
    reportingComponent: textAt(event, 'reportingComponent'),
    source,
    type: textAt(event, 'type'),
  };
};

const selectable = [
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'involvedObject.resourceVersion',
  'involvedObject.fieldPath',
  'reason',
  'reportingComponent',
  'source',
  'type',
];

const common = {
  plural: 'events',
  singular: 'event',
  kind: 'Event',
  shortNames: ['ev'],
  createsOnUpdate: true,
  dependents: 'ignored',
  columns,
  lifetimeMs: oneHourMs,
} as const;

const longest = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

/** Rules for events of both groups; those with an `eventTime` are of the newer kind and must say more. */
function errorsOf(event: ApiObject, controllerField: string): FieldError[] {
  const of = textAt(involvedOf(event), 'namespace');
  const own = event.metadata.namespace ?? '';
  const isNew = textAt(event, 'eventTime') !== '';
  const homes = isNew ? [own, ...(own === 'kube-system' || own === 'default' ? [''] : [])] : [own, ...(own === 'default' ? [''] : [])];
  const errors = homes.includes(of) ? [] : [invalidValue('involvedObject.namespace', of, 'does not match event.namespace')];
  if (!isNew) return errors;
  const controller = textAt(event, 'reportingComponent');
  if (controller === '') errors.push(requiredValue(controllerField));
  errors.push(...invalidFor(controllerField, controller, problemsOfQualifiedName(controller)));
  for (const [field, limit] of Object.entries(longest)) {
    const text = textAt(event, field);
    if (text === '' && field !== 'message') errors.push(requiredValue(field));
    if (text.length > limit) errors.push(invalidValue(field, '', `can have at most ${limit} characters`));
  }
  return errors;
}

/** Fields that events of the older kind alone may have. */
const olderFields = ['firstTimestamp', 'lastTimestamp', 'count', 'source'] as const;

function strictErrorsOf(event: ApiObject): FieldError[] {
  const type = textAt(event, 'type');
  return [
    ...errorsOf(event, 'reportingController'),
    ...(textAt(event, 'eventTime') === '' ? [requiredValue('eventTime')] : []),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalidValue('type', '', `has invalid value: ${type}`)]),
    ...olderFields.filter((field) => !isSame(event[field] ?? {}, {})).map((field) => invalidValue(field, '', 'needs to be unset')),
  ];
}

/** Of an event only its series goes on. */
function changesRefused(next: ApiObject, previous: ApiObject): FieldError[] {
  return ['involvedObject', 'reason', 'message', 'source', 'firstTimestamp', 'lastTimestamp', 'count', 'type', 'eventTime', 'action']
    .concat('related', 'reportingComponent', 'reportingInstance')
    .filter((field) => !isSame(next[field] ?? '', previous[field] ?? ''))
    .map((field) => invalidValue(field === 'reportingComponent' ? 'reportingController' : field, next[field], fieldIsImmutable));
}

export const events = row({
  ...common,
  selectable,
  fieldsOf,
  rules: {
    validate: (event) => errorsOf(event, 'reportingComponent'),
  },
});

export const eventsOfEventsGroup = row({
  ...common,
  group: 'events.k8s.io',
  schema: 'EventsEvent',
  rules: { validate: strictErrorsOf, validateUpdate: changesRefused },
  stored: {
    as: events,
    read: (object) => {
      const read = renamed(object, newNames);
      for (const name of ['reportingController', 'reportingInstance']) if (read[name] === '') delete read[name];
      return read;
    },
    write: (object) =>
      renamed(
        object,
        newNames.map(([old, fresh]) => [fresh, old] as const),
      ),
  },
  selectable: [
    ...selectable,
    ...selectable.filter((name) => name.includes('.')).map((name) => name.replace('involvedObject', 'regarding')),
    'reportingController',
  ],
  fieldsOf: (event) => {
    const fields = fieldsOf(event);
    const regarding = Object.entries(fields).map(([key, value]) => [key.replace('involvedObject', 'regarding'), value]);
    return { ...fields, ...Object.fromEntries(regarding), reportingController: fields['reportingComponent'] ?? '' };
  },
});
