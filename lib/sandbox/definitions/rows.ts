// The rows of a definition: one for each version that it serves, over the same stored objects.
import { createHash } from 'node:crypto';
import type { FieldError } from '../../objects/field-error.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { ruleProblems, rulesNotLookedAt } from '../cel/object-rules.ts';
import { hasRules } from '../cel/schema-rules.ts';
import { objectProblems, statusProblems } from '../custom/object-problems.ts';
import { customRow } from '../rows/custom-resource.ts';
import type { Defined, ResourceRow } from '../rows/resource-row.ts';
import { goText } from '../objects/go-text.ts';
import { columnsOf } from './columns.ts';
import { decodeObject, pruned, readStored } from './decoding.ts';
import { compareVersions } from './definition.ts';
import type { DefinedVersion, Definition } from './definition.ts';
import { jsonPath } from './json-path.ts';
import { scaleSpecProblems, scaleStatusProblems } from './scale-values.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { shapeOf } from '../schema/structural.ts';

/** The rows of the versions that are served, the one that clients prefer first. */
export const rowsOf = (definition: Definition): ResourceRow[] =>
  definition.versions
    .filter(({ isServed }) => isServed)
    .toSorted((a, b) => compareVersions(a.name, b.name))
    .map((version) => rowOf(definition, version));

/** The row through which objects are written to storage, served or not. @param served the rows of the same definition */
export function storageRowOf(definition: Definition, served: readonly ResourceRow[]): ResourceRow | undefined {
  const version = definition.versions.find(({ isStorage }) => isStorage);
  return version && (served.find((row) => row.version === version.name) ?? rowOf(definition, version));
}

function rowOf(definition: Definition, version: DefinedVersion): ResourceRow {
  const { group, namespaced, names, isTerminating } = definition;
  const { name, schema, scale, hasStatus, selectablePaths } = version;
  const { plural, singular, kind, listKind, shortNames, categories } = names;
  const apiVersion = `${group}/${name}`;
  const storage = definition.versions.find(({ isStorage }) => isStorage)?.schema ?? schema;
  const reader = readerOf({ stored: storage, shown: schema });
  const selectable = selectablePaths.map((path) => ({ name: path.replace(/^\./, ''), path: jsonPath(path) }));
  let digest: string | undefined;
  const whole = (object: ApiObject): Fields => ({ apiVersion, kind, ...object });
  return customRow({
    group,
    version: name,
    plural,
    singular,
    kind,
    shortNames,
    categories,
    namespaced,
    hasStatus,
    schema: shapeOf(schema, [...group.split('.').toReversed(), name, kind].join('.')),
    columns: columnsOf(version.columns),
    selectable: selectable.map((each) => each.name),
    fieldsOf: (object) => Object.fromEntries(selectable.map((each) => [each.name, selectedText(each.path(object)[0])])),
    defined: {
      listKind,
      schema,
      // Made for those who ask for OpenAPI only: schemas are large.
      get digest() {
        return (digest ??= createHash('sha256').update(JSON.stringify(schema)).digest('hex'));
      },
      ...(scale && { scale }),
      warnings: warningsOf(definition, version),
      isTerminating,
      brokenRules: (next, previous) => ruleProblems(schema, whole(next), whole(previous)).warnings,
      decode: (body, refuse) => decodeObject(schema, body, refuse),
      read: reader.read,
      wrote: reader.wrote,
      store: (object) => (version.isStorage ? object : pruned(storage, object)),
    },
    rules: {
      validate: (object) => withRules(version, [...valueProblems(version, whole(object)), ...scaled(version, object)], whole(object)),
      validateUpdate: (next, previous) => {
        const old = whole(previous);
        return withRules(version, [...valueProblems(version, whole(next), old), ...scaled(version, next)], whole(next), old);
      },
      validateStatus: (next, previous) => {
        const problems = [...statusProblems(whole(next), schema, whole(previous)), ...(scale ? scaleStatusProblems(next, scale) : [])];
        return withRules(version, problems, whole(next), whole(previous));
      },
    },
  });
}

const valueProblems = ({ schema }: DefinedVersion, object: Fields, old?: Fields): FieldError[] => objectProblems(object, schema, { old });

const scaled = ({ scale }: DefinedVersion, object: ApiObject): FieldError[] =>
  scale ? [...scaleSpecProblems(object, scale), ...scaleStatusProblems(object, scale)] : [];

/** Problems that leave rules nothing to go by. */
const blocking = new Set<FieldError['reason']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** The problems of an object with those that the rules of its schema find. */
function withRules({ schema }: DefinedVersion, problems: FieldError[], object: Fields, previous?: Fields): FieldError[] {
  if (!problems.some(({ reason }) => blocking.has(reason))) return [...problems, ...ruleProblems(schema, object, previous).problems];
  return hasRules(schema) ? [...problems, rulesNotLookedAt] : problems;
}

const selectedText = (value: unknown): string => (value === undefined || value === null ? '' : goText(value));

/** Each stored object is read once. */
function readerOf(schemas: { stored: JsonSchema; shown: JsonSchema }): Pick<Defined, 'read' | 'wrote'> {
  const known = new WeakMap<ApiObject, ApiObject>();
  const wrote = (object: ApiObject): void => void known.set(object, object);
  return {
    wrote,
    read: (object) => {
      const read = known.get(object) ?? readStored(schemas, object);
      known.set(object, read);
      wrote(read);
      return read;
    },
  };
}

function warningsOf({ group, names, versions }: Definition, { name, isDeprecated, deprecationWarning }: DefinedVersion): string[] {
  if (!isDeprecated) return [];
  if (deprecationWarning !== undefined) return [deprecationWarning];
  const [better] = versions
    .filter((each) => each.isServed && !each.isDeprecated && compareVersions(each.name, name) < 0)
    .toSorted((a, b) => compareVersions(a.name, b.name));
  const instead = better ? `; use ${group}/${better.name} ${names.kind}` : '';
  return [`${group}/${name} ${names.kind} is deprecated${instead}`];
}
