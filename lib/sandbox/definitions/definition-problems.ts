// Problems of a CustomResourceDefinition, in the API server's words: names, versions, paths, and changes of immutable fields.
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfDnsSubdomain, problemsOfOlderDnsLabel } from '../../objects/names.ts';
import { duplicateValue, fieldIsImmutable, invalidValue, requiredValue, tooMany, unsupportedValue } from '../../objects/refusals.ts';
import { fieldsAt, isFields, isSame, listAt, textAt } from '../api-object.ts';
import type { ApiObject, Fields } from '../api-object.ts';
import { ruleProblemsOfSchema } from '../cel/schema-rules.ts';
import { schemaProblems } from '../custom/schema-problems.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { approvalAnnotation, approvalOf, isProtectedGroup } from './api-approval.ts';
import { isTrue } from './conditions.ts';
import { schemaIn } from './definition.ts';
import { conversionProblems } from './conversion-problems.ts';

const mostSelectableFields = 8;
const longestWarningBytes = 256;

/** The problems of a new definition, but for those of its metadata that every object may have. */
export function definitionProblems(object: ApiObject): FieldError[] {
  const { metadata, spec = {}, status = {} } = object;
  const { name = '', generateName = '' } = metadata;
  const wanted = `${textAt(fieldsAt(spec, 'names'), 'plural')}.${textAt(spec, 'group')}`;
  const mustBe = 'must be spec.names.plural+"."+spec.group';
  return [
    ...(generateName === '' ? [] : [invalidValue('metadata.generateName', generateName, mustBe)]),
    ...(name === wanted ? [] : [invalidValue('metadata.name', name, mustBe)]),
    ...specProblems(spec),
    ...storedVersionProblems(status, spec),
    ...approvalProblems(object, undefined),
    ...preservingProblems(spec),
  ];
}

/** The problems of a changed definition. @param before as it is stored */
export function definitionUpdateProblems(object: ApiObject, before: ApiObject): FieldError[] {
  const { spec = {}, status = {} } = object;
  const old = before.spec ?? {};
  const [names, oldNames] = [fieldsAt(spec, 'names'), fieldsAt(old, 'names')];
  const fixed = (field: string, value: unknown, previous: unknown): FieldError[] =>
    isSame(value, previous) ? [] : [invalidValue(field, value, fieldIsImmutable)];
  return [
    ...specProblems(spec),
    ...(isTrue(before, 'Established')
      ? [...fixed('spec.scope', spec['scope'], old['scope']), ...fixed('spec.names.kind', names['kind'], oldNames['kind'])]
      : []),
    ...fixed('spec.group', spec['group'], old['group']),
    ...fixed('spec.names.plural', names['plural'], oldNames['plural']),
    ...storedVersionProblems(status, spec),
    ...approvalProblems(object, before),
    ...preservingProblems(spec),
  ];
}

function specProblems(spec: Fields): FieldError[] {
  const versions = listAt(spec, 'versions');
  const names = fieldsAt(spec, 'names');
  // A field that all versions say alike counts as said once, for the whole definition.
  const shared = (field: string): boolean => {
    const [first, ...others] = versions.map((version) => version[field]);
    const isThere = Array.isArray(first) ? first.length > 0 : first !== undefined;
    return isThere && others.every((other) => isSame(other, first));
  };
  const [first = {}] = versions;
  const isStatusShared = shared('subresources');
  const isEverywhere = { schema: shared('schema'), columns: shared('additionalPrinterColumns'), selectable: shared('selectableFields') };
  const anyStatus = versions.some(hasStatus);
  return [
    ...groupProblems(textAt(spec, 'group')),
    ...scopeProblems(textAt(spec, 'scope')),
    ...versions.flatMap((version, at) => (schemaIn(version) ? [] : [requiredValue(`spec.versions[${at}].schema.openAPIV3Schema`)])),
    ...versions.flatMap((version, at) => {
      const path = `spec.versions[${at}]`;
      return [
        ...older(`${path}.name`, textAt(version, 'name')),
        ...deprecationProblems(version, path),
        ...(isEverywhere.schema ? [] : validationProblems(version, `${path}.schema`, hasStatus(version))),
        ...(isStatusShared ? [] : subresourceProblems(version, `${path}.subresources`)),
        ...(isEverywhere.columns ? [] : columnProblems(version, `${path}.additionalPrinterColumns`)),
        ...(isEverywhere.selectable ? [] : selectableProblemsOf(version, `${path}.selectableFields`, isEverywhere.schema)),
      ];
    }),
    ...versionSetProblems(spec, versions),
    // The first version is the definition's own, in the API server's form of it.
    ...(versions.length > 0 ? older('spec.version', textAt(first, 'name')) : []),
    ...['plural', 'singular', 'kind', 'listKind'].flatMap((name) =>
      textAt(names, name) === '' ? [requiredValue(`spec.names.${name}`)] : [],
    ),
    ...nameProblems(names, 'spec.names'),
    ...(isEverywhere.schema ? validationProblems(first, 'spec.validation', anyStatus) : []),
    ...(isStatusShared ? subresourceProblems(first, 'spec.subresources') : []),
    ...(isEverywhere.columns ? columnProblems(first, 'spec.additionalPrinterColumns') : []),
    ...(isEverywhere.selectable ? selectableProblems(first, 'spec.selectableFields') : []),
    ...conversionProblems(spec['conversion']),
  ];
}

/** A version with selectable fields of its own needs a schema of its own. */
const selectableProblemsOf = (version: Fields, path: string, isSchemaShared: boolean): FieldError[] =>
  isSchemaShared && listAt(version, 'selectableFields').length > 0
    ? [invalidValue(path, '', 'may only be set when `version.schema.openAPIV3Schema` is not included')]
    : selectableProblems(version, path);

const hasStatus = (version: Fields): boolean => isFields(fieldsAt(version, 'subresources')['status']);

const older = (field: string, value: string, before = ''): FieldError[] => {
  const problems = problemsOfOlderDnsLabel(before === '' ? value : value.toLowerCase());
  return problems.length === 0 ? [] : [invalidValue(field, value, before + problems.join(','))];
};

function groupProblems(group: string): FieldError[] {
  if (group === '') return [requiredValue('spec.group')];
  const problems = problemsOfDnsSubdomain(group);
  if (problems.length > 0) return [invalidValue('spec.group', group, problems.join(','))];
  return group.includes('.') ? [] : [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

function scopeProblems(scope: string): FieldError[] {
  if (scope === '') return [requiredValue('spec.scope')];
  return scope === 'Cluster' || scope === 'Namespaced' ? [] : [unsupportedValue('spec.scope', scope, ['Cluster', 'Namespaced'])];
}

function deprecationProblems(version: Fields, path: string): FieldError[] {
  const warning = version['deprecationWarning'];
  if (typeof warning !== 'string') return [];
  const field = `${path}.deprecationWarning`;
  if (version['deprecated'] !== true) return [invalidValue(field, warning, 'can only be set for deprecated versions')];
  const at = Array.from(warning).findIndex((character) => /[\p{C}\p{Z}]/u.test(character) && character !== ' ');
  return [
    ...(Buffer.byteLength(warning) > longestWarningBytes ? [`must be <= ${longestWarningBytes} characters long`] : []),
    ...(warning === '' ? ['must not be an empty string'] : []),
    ...(at >= 0 ? [`must only contain printable UTF-8 characters; non-printable character found at index ${at}`] : []),
  ].map((problem) => invalidValue(field, warning, problem));
}

function versionSetProblems(spec: Fields, versions: readonly Fields[]): FieldError[] {
  const given = spec['versions'] ?? null;
  const named = new Set(versions.map(({ name }) => name));
  const stored = versions.filter(({ storage }) => storage === true);
  return [
    ...(named.size < versions.length ? [invalidValue('spec.versions', given, 'must contain unique version names')] : []),
    ...(stored.length === 1 ? [] : [invalidValue('spec.versions', given, 'must have exactly one version marked as storage version')]),
  ];
}

function nameProblems(names: Fields, path: string): FieldError[] {
  const mixed = 'may have mixed case, but should otherwise match: ';
  const [kind, listKind] = [textAt(names, 'kind'), textAt(names, 'listKind')];
  const unlessEmpty = (name: string, before = ''): FieldError[] => {
    const value = textAt(names, name);
    return value === '' ? [] : older(`${path}.${name}`, value, before);
  };
  const each = (name: string): FieldError[] => {
    const values: unknown = names[name];
    return Array.isArray(values) ? values.flatMap((value, at) => older(`${path}.${name}[${at}]`, String(value))) : [];
  };
  return [
    ...unlessEmpty('plural'),
    ...unlessEmpty('singular'),
    ...unlessEmpty('kind', mixed),
    ...unlessEmpty('listKind', mixed),
    ...each('shortNames'),
    ...(kind !== '' && kind === listKind ? [invalidValue(`${path}.listKind`, listKind, 'kind and listKind may not be the same')] : []),
    ...each('categories'),
  ];
}

/** Fields allowed at the root of a schema whose status is checked apart. */
const allowedAtRoot = new Set(
  `description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems
  multipleOf required items properties externalDocs example x-kubernetes-preserve-unknown-fields x-kubernetes-validations`.split(/\s+/),
);

function validationProblems(version: Fields, path: string, withStatus: boolean): FieldError[] {
  const schema = schemaIn(version);
  if (!schema) return [];
  const root = `${path}.openAPIV3Schema`;
  const ofSchema = schemaProblems(schema, root);
  const odd = Object.keys(schema).find((key) => !allowedAtRoot.has(key));
  const only = 'if the status subresource is enabled';
  return [
    ...(withStatus && schema.type !== undefined && schema.type !== 'object'
      ? [invalidValue(`${root}.type`, schema.type, `only "object" is allowed as the type at the root of the schema ${only}`)]
      : []),
    ...(withStatus && odd !== undefined
      ? [invalidValue(root, odd, `only [${[...allowedAtRoot].join(' ')}] fields are allowed at the root of the schema ${only}`)]
      : []),
    ...(ofSchema.length > 0 ? ofSchema : ruleProblemsOfSchema(schema, root)),
  ];
}

function pathProblems(field: string, path: string, roots: readonly string[] = []): FieldError[] {
  if (path === '') return [requiredValue(field)];
  if (!path.startsWith('.')) return [invalidValue(field, path, 'must be a simple json path starting with .')];
  if (roots.length === 0 || roots.some((root) => path.startsWith(`.${root}.`))) return [];
  const where = roots.length === 1 ? `.${roots[0]}` : `either ${roots.map((root) => `.${root}`).join(' or ')}`;
  return [invalidValue(field, path, `should be a json path under ${where}`)];
}

function subresourceProblems(version: Fields, path: string): FieldError[] {
  const scale = fieldsAt(version, 'subresources')['scale'];
  if (!isFields(scale)) return [];
  const selector = textAt(scale, 'labelSelectorPath');
  return [
    ...pathProblems(`${path}.scale.specReplicasPath`, textAt(scale, 'specReplicasPath'), ['spec']),
    ...pathProblems(`${path}.scale.statusReplicasPath`, textAt(scale, 'statusReplicasPath'), ['status']),
    ...(selector === '' ? [] : pathProblems(`${path}.scale.labelSelectorPath`, selector, ['spec', 'status'])),
  ];
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function columnProblems(version: Fields, path: string): FieldError[] {
  return listAt(version, 'additionalPrinterColumns').flatMap((column, at) => {
    const [name, type, format] = ['name', 'type', 'format'].map((field) => textAt(column, field));
    const field = `${path}[${at}]`;
    const mustBe = `must be one of ${columnTypes.join(',')}`;
    return [
      ...(name === '' ? [requiredValue(`${field}.name`)] : []),
      ...(type === '' ? [requiredValue(`${field}.type`, mustBe)] : []),
      ...(type && !columnTypes.includes(type) ? [invalidValue(`${field}.type`, type, mustBe)] : []),
      ...(format && !columnFormats.includes(format)
        ? [invalidValue(`${field}.format`, format, `must be one of ${columnFormats.join(',')}`)]
        : []),
      ...pathProblems(`${field}.JSONPath`, textAt(column, 'jsonPath')),
    ];
  });
}

function selectableProblems(version: Fields, path: string): FieldError[] {
  const schema = schemaIn(version) ?? {};
  const known = new Set<string>();
  const problems = listAt(version, 'selectableFields').flatMap((selectable, at) => {
    const field = `${path}[${at}].jsonPath`;
    const jsonPath = textAt(selectable, 'jsonPath');
    if (jsonPath === '') return [requiredValue(field)];
    const found = schemaAt(schema, jsonPath);
    if (!found) return [invalidValue(field, jsonPath, `is an invalid path: ${problemOfPath(jsonPath)}`)];
    const isTwice = known.has(jsonPath);
    known.add(jsonPath);
    const allowed = 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
    return [
      ...(/^\.metadata(\.|$)/.test(jsonPath) ? [invalidValue(field, jsonPath, 'must not point to fields in metadata')] : []),
      ...(['string', 'boolean', 'integer'].includes(found.type ?? '') ? [] : [invalidValue(field, jsonPath, allowed)]),
      ...(isTwice ? [duplicateValue(field, jsonPath)] : []),
    ];
  });
  return known.size > mostSelectableFields ? [...problems, tooMany(path, { count: known.size, limit: mostSelectableFields })] : problems;
}

function problemOfPath(path: string): string {
  if (!path.startsWith('.')) return `expected [ or . but got: ${/^[^.[]*/.exec(path)?.[0]}`;
  return path.includes('[') ? 'array notation is not allowed' : 'does not refer to a valid field';
}

/** The schema of the field to which a path such as `.spec.color` leads. */
function schemaAt(schema: JsonSchema, path: string): JsonSchema | undefined {
  if (!path.startsWith('.')) return undefined;
  return path
    .slice(1)
    .split('.')
    .reduce<JsonSchema | undefined>((at, name) => at?.properties?.[name], schema);
}

function storedVersionProblems(status: Fields, spec: Fields): FieldError[] {
  const field = 'status.storedVersions';
  const stored = status['storedVersions'];
  if (!Array.isArray(stored) || stored.length === 0) return [invalidValue(field, null, 'must have at least one stored version')];
  const versions = listAt(spec, 'versions');
  // Each stored version answers for one version of that name.
  const lacking = versions.filter(
    ({ name, storage }, at) => storage === true && (!stored.includes(name) || versions.findIndex((other) => other['name'] === name) < at),
  );
  return [
    ...lacking.map(({ name }) => invalidValue(field, stored, `must have the storage version ${String(name)}`)),
    ...stored.flatMap((name: unknown, at) => {
      if (versions.some((version) => version['name'] === name)) return [];
      const gone = `missing from spec.versions; ${String(name)} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${String(name)} and removes ${String(name)} from status.storedVersions`;
      return [invalidValue(`${field}[${at}]`, name, gone)];
    }),
  ];
}

/** An approval that was missing or invalid before may stay so. */
function approvalProblems({ metadata, spec = {} }: ApiObject, before: ApiObject | undefined): FieldError[] {
  if (!isProtectedGroup(textAt(spec, 'group'))) return [];
  const { state, reason } = approvalOf(metadata.annotations);
  if (before && approvalOf(before.metadata.annotations).state === state) return [];
  const field = `metadata.annotations[${approvalAnnotation}]`;
  if (state === 'missing') return [requiredValue(field, reason)];
  return state === 'invalid' ? [invalidValue(field, metadata.annotations?.[approvalAnnotation], reason)] : [];
}

const preservingProblems = (spec: Fields): FieldError[] =>
  spec['preserveUnknownFields'] === true
    ? [
        invalidValue(
          'spec.preserveUnknownFields',
          true,
          'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
        ),
      ]
    : [];
