// Warnings about a definition that the server takes.
import { fieldsAt, isFields, listAt, textAt } from '../api-object.ts';
import type { ApiObject, Fields } from '../api-object.ts';
import { formatIn } from '../custom/formats.ts';

/** @param previous the definition before an update: formats that it had are not warned of again */
export function warningsOfDefinition(next: ApiObject, previous: ApiObject | undefined): string[] {
  const known = new Set(previous ? unknownFormats(previous) : []);
  const formats = [...new Set(unknownFormats(next))].filter((format) => !known.has(format));
  const calls = textAt(fieldsAt(next.spec, 'conversion'), 'strategy') === 'Webhook';
  return [
    ...formats.map((format) => `unrecognized format ${JSON.stringify(format)}`),
    ...(calls ? ['spec.conversion: the sandbox calls no webhooks: all versions show the fields that were written'] : []),
  ];
}

const unknownFormats = ({ spec }: ApiObject): string[] =>
  listAt(spec, 'versions').flatMap((version) => formatsIn(fieldsAt(fieldsAt(version, 'schema'), 'openAPIV3Schema')));

/** Formats that mean nothing to the server, of a schema and all that it is made of. */
function formatsIn(schema: Fields): string[] {
  const [type, format] = [textAt(schema, 'type'), textAt(schema, 'format')];
  const isCertain = type !== '' && schema['x-kubernetes-int-or-string'] !== true;
  const isUnknown = format !== '' && formatIn(isCertain ? type : undefined, format) === '';
  return [...(isUnknown ? [format] : []), ...partsOf(schema).flatMap(formatsIn)];
}

function partsOf(schema: Fields): Fields[] {
  const { properties, items, additionalProperties, not } = schema;
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => listAt(schema, name));
  const named = isFields(properties) ? Object.values(properties) : [];
  return [...named, items, additionalProperties, not, ...lists].filter(isFields);
}
