// Bodies and stored objects of a custom resource, by its schema: pruned, and with their defaults.
import { isFields } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { applyDefaults } from '../custom/defaulting.ts';
import { prune } from '../custom/pruning.ts';
import { decode, jsonKind, maxDepth } from '../schema/decode.ts';
import type { Decoded } from '../schema/decode.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { schemaOf } from '../schema/notation.ts';

const metadataType = schemaOf('ObjectMeta');

/** As `Defined.decode` says. */
export function decodeObject(schema: JsonSchema, body: Fields, refuse: (message: string) => Error): Decoded {
  const copy = copyOf(body, refuse);
  const { metadata: given } = body;
  delete copy['metadata'];
  if (given !== undefined && given !== null && !isFields(given)) {
    throw refuse(`json: cannot unmarshal ${jsonKind(given)} into Go value of type v1.ObjectMeta`);
  }
  const metadata = decode(metadataType, given ?? {}, refuse);
  const unknown = metadata.unknown.map((path) => `metadata.${path}`);
  unknown.push(...prune(copy, schema, refuse));
  applyDefaults(copy, schema);
  return { object: { metadata: metadata.object, ...copy }, unknown };
}

/**
 * A stored object as a version shows it: with the defaults of the version that is stored, and without what the version shown does not know.
 * @returns the object itself where nothing changes, else a copy
 */
export function readStored({ stored, shown }: { stored: JsonSchema; shown: JsonSchema }, object: ApiObject): ApiObject {
  const { metadata, ...others } = object;
  const text = JSON.stringify(others);
  const copy: Fields = JSON.parse(text);
  prune(copy, stored);
  applyDefaults(copy, stored);
  if (shown !== stored) prune(copy, shown);
  return JSON.stringify(copy) === text ? object : { ...copy, metadata };
}

/** A copy without what a schema does not know. */
export function pruned(schema: JsonSchema, { metadata, ...others }: ApiObject): ApiObject {
  const copy: Fields = structuredClone(others);
  prune(copy, schema);
  return { ...copy, metadata };
}

/** Without keys that would change a prototype. */
function copyOf(from: Fields, refuse: (message: string) => Error): Fields {
  const any = (value: unknown, depth: number): unknown => {
    if (depth > maxDepth) throw refuse(`nested deeper than ${maxDepth} levels`);
    if (Array.isArray(value)) return value.map((item) => any(item, depth + 1));
    return isFields(value) ? fields(value, depth) : value;
  };
  const fields = (value: Fields, depth: number): Fields => {
    const result: Fields = {};
    for (const key of Object.keys(value)) if (key !== '__proto__') result[key] = any(value[key], depth + 1);
    return result;
  };
  const { metadata: _, ...others } = from;
  return fields(others, 0);
}
