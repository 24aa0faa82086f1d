// Fields of custom resources that the definitions of their kinds do not have, and what was meant by them. A definition is made of tables: loading them takes
// a while, so only commands that meet a training job load this file.
import { kindDefinitions } from '../../kinds/definitions.ts';
import { fieldsOf, type Fields } from '../../objects/values/untyped-fields.ts';
import { unknownFieldsIn } from '../../sandbox/custom/pruning.ts';
import { definitionSchemaOf } from '../../sandbox/schema/definition-schema.ts';
import { fieldSchemaOf, itemsOf, type JsonSchema } from '../../sandbox/schema/json-schema.ts';
import { stepsOf } from './field-steps.ts';
import type { UnknownField } from './manifest-types.ts';

interface Definition {
  spec: { group: string; names: { kind: string }; versions: { name: string; schema: { openAPIV3Schema: JsonSchema } }[] };
}

let schemas: Map<string, JsonSchema> | undefined;

function schemaFor({ apiVersion, kind }: Fields): JsonSchema | undefined {
  schemas ??= new Map(
    (kindDefinitions(definitionSchemaOf) as unknown as Definition[]).flatMap(({ spec: { group, names, versions } }) =>
      versions.map(({ name, schema }) => [`${group}/${name} ${names.kind}`, schema.openAPIV3Schema]),
    ),
  );
  return schemas.get(`${String(apiVersion)} ${String(kind)}`);
}

/** @returns nothing for an object without a definition of ours */
export function unknownDefinedFields(document: Fields): UnknownField[] {
  const schema = schemaFor(document);
  if (!schema) return [];
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = document;
  return unknownFieldsIn(rest, schema).map((path) => ({ path, siblings: siblingsOf(path, schema) }));
}

/** Names of the fields that may stand beside the one at the end of a path. */
function siblingsOf(path: string, schema: JsonSchema): string[] {
  const parents = stepsOf(path).slice(0, -1);
  const parent = parents.reduce(
    (at: JsonSchema | undefined, step) => at && (typeof step === 'number' ? itemsOf(at) : fieldSchemaOf(at, step)),
    schema,
  );
  return Object.keys(fieldsOf(parent?.properties));
}
