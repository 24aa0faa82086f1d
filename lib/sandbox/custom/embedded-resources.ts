// Objects within an object: their apiVersion, kind and metadata have the types and follow the rules of every object's.
import { validateObjectMeta } from '../../admission/metadata/object-metadata-validation.ts';
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfOlderDnsLabel, problemsOfPathSegment } from '../../objects/names.ts';
import { invalidFor, invalidValue, requiredValue } from '../../objects/refusals.ts';
import { isFields } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import { decode } from '../schema/decode.ts';
import { anywhere, isEmbeddedResource, itemsOf, propertyOf, valuesOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { schemaOf } from '../schema/notation.ts';
import { sorted } from './sorted-keys.ts';

const holdsResources = anywhere(isEmbeddedResource);

const fieldIn = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Calls for each embedded object, those within others after them. Keys of maps stand in brackets. */
function visitEmbedded(value: unknown, schema: JsonSchema, path: string, visit: (object: Fields, path: string) => void): void {
  if (!holdsResources(schema)) return;
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items) for (const [index, item] of value.entries()) visitEmbedded(item, items, `${path}[${index}]`, visit);
    return;
  }
  if (!isFields(value)) return;
  if (isEmbeddedResource(schema)) visit(value, path);
  const values = valuesOf(schema);
  for (const key of Object.keys(value)) {
    const named = propertyOf(schema, key);
    if (named) visitEmbedded(value[key], named, fieldIn(path, key), visit);
    else if (values) visitEmbedded(value[key], values, `${path}[${key}]`, visit);
  }
}

class MisfitError extends Error {}

const metadataType = schemaOf('ObjectMeta');

const decoded = (metadata: unknown): { object: Fields; unknown: string[] } =>
  decode(metadataType, metadata ?? {}, (message) => new MisfitError(message), { addsEmpty: false });

/**
 * Reads the metadata of embedded objects as their own type, which drops what it does not know. In place.
 * @param root where the value stands
 * @param misfits is called with each field with a wrong type; where it returns, that field is left out
 * @returns paths of the fields that metadata does not have
 */
export function readEmbedded(value: unknown, schema: JsonSchema, root: string, misfits: (problem: FieldError) => void): string[] {
  const unknown: string[] = [];
  visitEmbedded(value, schema, root, (resource, path) => {
    for (const field of ['apiVersion', 'kind']) {
      if (!(field in resource) || typeof resource[field] === 'string') continue;
      misfits(invalidValue(fieldIn(path, field), sorted(resource[field]), 'must be a string'));
      delete resource[field];
    }
    if (!('metadata' in resource)) return;
    const { metadata } = resource;
    const at = fieldIn(path, 'metadata');
    try {
      const read = decoded(metadata);
      resource['metadata'] = read.object;
      unknown.push(...read.unknown.map((field) => `${at}.${field}`));
    } catch (error) {
      if (!(error instanceof MisfitError)) throw error;
      misfits(invalidValue(at, sorted(metadata), error.message));
      delete resource['metadata'];
    }
  });
  return unknown;
}

/** Problems of the apiVersion, kind and metadata of embedded objects. */
export function embeddedProblems(object: unknown, schema: JsonSchema, root = ''): FieldError[] {
  const problems: FieldError[] = [];
  visitEmbedded(object, schema, root, (resource, path) => {
    const { apiVersion, kind, metadata } = resource;
    problems.push(
      ...textProblems(apiVersion, fieldIn(path, 'apiVersion'), apiVersionProblems),
      ...textProblems(kind, fieldIn(path, 'kind'), kindProblems),
      ...('metadata' in resource ? metadataProblems(metadata, fieldIn(path, 'metadata')) : []),
    );
  });
  return problems;
}

/** @param problemsOf what is wrong with a text that is not empty */
function textProblems(value: unknown, field: string, problemsOf: (text: string) => string[]): FieldError[] {
  if (value === undefined) return [requiredValue(field)];
  if (typeof value !== 'string') return [invalidValue(field, value, 'must be a string')];
  return invalidFor(field, value, value === '' ? ['must not be empty'] : problemsOf(value));
}

const apiVersionProblems = (value: string): string[] => (value.split('/').length > 2 ? [`unexpected GroupVersion string: ${value}`] : []);

const kindProblems = (value: string): string[] => {
  const problems = problemsOfOlderDnsLabel(value.toLowerCase());
  return problems.length === 0 ? [] : [`may have mixed case, but should otherwise match: ${problems.join(',')}`];
};

/** A name may be missing, and where a namespace is given it is checked: what the object is an instance of is not known. */
function metadataProblems(value: unknown, field: string): FieldError[] {
  let metadata: Fields;
  try {
    metadata = decoded(value).object;
  } catch (error) {
    if (!(error instanceof MisfitError)) throw error;
    return [invalidValue(field, value, error.message)];
  }
  const { name, namespace } = metadata;
  const isNamespaced = typeof namespace === 'string' && namespace !== '';
  const rules = { isNamespaced, problemsOfName: problemsOfPathSegment, isCustom: true };
  return validateObjectMeta({ ...metadata, name: typeof name === 'string' && name !== '' ? name : 'unnamed' }, rules).map((problem) => ({
    ...problem,
    field: problem.field.replace(/^metadata/, () => field),
  }));
}
