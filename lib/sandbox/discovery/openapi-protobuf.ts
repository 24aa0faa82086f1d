// The older OpenAPI document in protocol buffers: the only form in which typed clients ask for it.
import { isFields } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';

/** As clients ask for it. */
export const openApiProtobufType = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** As it is answered: media types have no `@`. */
export const openApiProtobufAnswer = openApiProtobufType.replace('@', '.');

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
  return Buffer.from([...bytes, left]);
};

/** A field that holds a text or a message; nothing for an empty one, unless it stands in a list. */
const field = (number: number, content: string | Buffer, isElement = false): Buffer => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  if (bytes.length === 0 && !isElement) return bytes;
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
};

const flag = (number: number, value: boolean): Buffer => (value ? Buffer.from([...varint(number * 8), 1]) : Buffer.alloc(0));

const textOf = (of: Fields, name: string): string => {
  const value = of[name];
  return typeof value === 'string' ? value : '';
};
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A value of any shape, as YAML: JSON is YAML. */
const any = (value: unknown): Buffer => field(2, `${JSON.stringify(value)}\n`);

const extensions = (of: Fields, number: number): Buffer =>
  Buffer.concat(
    Object.keys(of)
      .filter((name) => name.startsWith('x-'))
      .map((name) => field(number, Buffer.concat([field(1, name), field(2, any(of[name]))]))),
  );

const namedSchemas = (schemas: Fields): Buffer =>
  Buffer.concat(Object.keys(schemas).map((name) => field(1, Buffer.concat([field(1, name), field(2, schema(schemas[name]), true)]), true)));

function schema(value: unknown): Buffer {
  const of = fieldsOf(value);
  return Buffer.concat([
    field(1, textOf(of, '$ref')),
    field(2, textOf(of, 'format')),
    field(4, textOf(of, 'description')),
    ...('default' in of ? [field(5, any(of['default']))] : []),
    ...listOf(of['required']).map((name) => field(19, String(name))),
    ...listOf(of['enum']).map((item) => field(20, any(item))),
    ...(isFields(of['additionalProperties']) ? [field(21, field(1, schema(of['additionalProperties']), true))] : []),
    ...(textOf(of, 'type') === '' ? [] : [field(22, field(1, textOf(of, 'type')))]),
    ...(isFields(of['items']) ? [field(23, field(1, schema(of['items']), true))] : []),
    ...(isFields(of['properties']) ? [field(25, namedSchemas(of['properties']), true)] : []),
    extensions(of, 31),
  ]);
}

const parameter = (value: unknown): Buffer => {
  const of = fieldsOf(value);
  const query = Buffer.concat([field(2, 'query'), field(4, textOf(of, 'name')), field(6, 'string'), flag(20, true)]);
  return field(8, field(1, field(2, field(3, query))));
};

const operation = (value: unknown): Buffer => {
  const of = fieldsOf(value);
  const consumes = listOf(of['consumes']).map((type) => field(7, String(type)));
  return Buffer.concat([...consumes, ...listOf(of['parameters']).map(parameter), extensions(of, 13)]);
};

const verbs: readonly (readonly [string, number])[] = [
  ['get', 2],
  ['put', 3],
  ['post', 4],
  ['delete', 5],
  ['patch', 8],
];

const pathItem = (value: unknown): Buffer => {
  const of = fieldsOf(value);
  return Buffer.concat(verbs.flatMap(([verb, number]) => (verb in of ? [field(number, operation(of[verb]), true)] : [])));
};

/** @param document the same in JSON's shape */
export function openApiProtobuf(document: Fields): Buffer {
  const info = fieldsOf(document['info']);
  const paths = fieldsOf(document['paths']);
  return Buffer.concat([
    field(1, textOf(document, 'swagger')),
    field(2, Buffer.concat([field(1, textOf(info, 'title')), field(2, textOf(info, 'version'))])),
    field(
      8,
      Buffer.concat(Object.keys(paths).map((path) => field(2, Buffer.concat([field(1, path), field(2, pathItem(paths[path]), true)])))),
    ),
    field(9, namedSchemas(fieldsOf(document['definitions']))),
  ]);
}
