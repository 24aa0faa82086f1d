// Events: one set of objects, seen as core/v1 and as events.k8s.io/v1, which call some fields by other names.
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfQualifiedName } from '../../objects/names.ts';
import { fieldIsImmutable, invalidFor, invalidValue, requiredValue } from '../../objects/refusals.ts';
import { fieldsAt, isSame, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { ageOf } from './human-duration.ts';
import { column, row, wide } from './row.ts';

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

const columns = [
  column('Last Seen', (event, nowMs) => ageOf(lastSeen(event), nowMs)),
  column('Type', (event) => textAt(event, 'type')),
  column('Reason', (event) => textAt(event, 'reason')),
  column('Object', (event) => `${textAt(involvedOf(event), 'kind').toLowerCase()}/${textAt(involvedOf(event), 'name')}`),
  column('Subobject', (event) => textAt(involvedOf(event), 'fieldPath'), wide),
  column('Source', sourceOf, wide),
  column('Message', (event) => textAt(event, 'message').trim()),
  column('First Seen', (event, nowMs) => ageOf(firstSeen(event), nowMs), wide),
  column('Count', (event) => seriesOf(event)['count'] ?? event['count'] ?? 1, wide),
  column('Name', (event) => event.metadata.name ?? '', { format: 'name', ...wide }),
];

const involvedFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

/** @param involved the name of the field that says what it is about */
const fieldsOf = (event: ApiObject, involved = 'involvedObject'): Record<string, string> => ({
  ...Object.fromEntries(involvedFields.map((name) => [`${involved}.${name}`, textAt(involvedOf(event), name)])),
  reason: textAt(event, 'reason'),
  reportingComponent: textAt(event, 'reportingComponent'),
  source: textAt(fieldsAt(event, 'source'), 'component') || textAt(event, 'reportingComponent'),
  type: textAt(event, 'type'),
});

const common = {
  plural: 'events',
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

function strictErrorsOf(event: ApiObject): FieldError[] {
  const type = textAt(event, 'type');
  return [
    ...errorsOf(event, 'reportingController'),
    ...(textAt(event, 'eventTime') === '' ? [requiredValue('eventTime')] : []),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalidValue('type', '', `has invalid value: ${type}`)]),
  ];
}

/** Of an event only its series goes on. */
const changesRefused = (next: ApiObject, previous: ApiObject): FieldError[] =>
  ['involvedObject', 'reason', 'message', 'type', 'eventTime', 'action']
    .filter((field) => !isSame(next[field] ?? '', previous[field] ?? ''))
    .map((field) => invalidValue(field, next[field], fieldIsImmutable));

export const events = row({
  ...common,
  fieldsOf: (event) => fieldsOf(event),
  rules: { validate: (event) => errorsOf(event, 'reportingComponent'), validateUpdate: () => [] },
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
  fieldsOf: (event) => ({
    ...fieldsOf(event),
    ...fieldsOf(event, 'regarding'),
    reportingController: textAt(event, 'reportingComponent'),
  }),
});
