// Problems of a CustomResourceDefinition: names, versions, paths, and changes of immutable fields. Each names the field as its author wrote it.
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfDnsSubdomain, problemsOfOlderDnsLabel } from '../../objects/names.ts';
import { duplicateValue, fieldIsImmutable, invalidValue, requiredValue, tooMany, unsupportedValue } from '../../objects/refusals.ts';
import { fieldsAt, hasCondition, isFields, isSame, listAt, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { ruleProblemsOfSchema } from '../cel/schema-rules.ts';
import { schemaProblems } from '../custom/schema-problems.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { schemaIn, wordsOfPath } from './definition.ts';

const mostSelectableFields = 8;

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
    ...(hasCondition(before, 'Established')
      ? [...fixed('spec.scope', spec['scope'], old['scope']), ...fixed('spec.names.kind', names['kind'], oldNames['kind'])]
      : []),
    ...fixed('spec.group', spec['group'], old['group']),
    ...fixed('spec.names.plural', names['plural'], oldNames['plural']),
    ...storedVersionProblems(status, spec),
  ];
}

function specProblems(spec: Fields): FieldError[] {
  const given = spec['versions'] ?? null;
  const versions = listAt(spec, 'versions');
  const names = new Set(versions.map(({ name }) => name));
  const stored = versions.filter(({ storage }) => storage === true);
  return [
    ...groupProblems(textAt(spec, 'group')),
    ...oneOf('spec.scope', textAt(spec, 'scope'), ['Cluster', 'Namespaced']),
    ...versions.flatMap((version, at) => versionProblems(version, `spec.versions[${at}]`)),
    ...(names.size < versions.length ? [invalidValue('spec.versions', given, 'must contain unique version names')] : []),
    ...(stored.length === 1 ? [] : [invalidValue('spec.versions', given, 'must have exactly one version marked as storage version')]),
    ...nameProblems(fieldsAt(spec, 'names'), 'spec.names'),
    ...conversionProblems(spec['conversion'], 'spec.conversion'),
    ...(spec['preserveUnknownFields'] === true
      ? [invalidValue('spec.preserveUnknownFields', true, 'set x-kubernetes-preserve-unknown-fields in the schema instead')]
      : []),
  ];
}

const oneOf = (field: string, value: string, values: readonly string[]): FieldError[] =>
  value === '' ? [requiredValue(field)] : values.includes(value) ? [] : [unsupportedValue(field, value, values)];

function groupProblems(group: string): FieldError[] {
  if (group === '') return [requiredValue('spec.group')];
  const problems = problemsOfDnsSubdomain(group);
  if (problems.length > 0) return [invalidValue('spec.group', group, problems.join(','))];
  return group.includes('.') ? [] : [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

const labelProblems = (field: string, value: string): FieldError[] => {
  const problems = problemsOfOlderDnsLabel(value);
  return problems.length === 0 ? [] : [invalidValue(field, value, problems.join(','))];
};

function nameProblems(names: Fields, path: string): FieldError[] {
  const [kind, listKind] = [textAt(names, 'kind'), textAt(names, 'listKind')];
  const ofName = (name: string): FieldError[] => {
    const value = textAt(names, name);
    if (value === '') return [requiredValue(`${path}.${name}`)];
    const mixed = name.toLowerCase().endsWith('kind') ? 'may have mixed case, but should otherwise match: ' : '';
    const problems = problemsOfOlderDnsLabel(mixed === '' ? value : value.toLowerCase());
    return problems.length === 0 ? [] : [invalidValue(`${path}.${name}`, value, mixed + problems.join(','))];
  };
  const each = (name: string): FieldError[] => {
    const values: unknown = names[name];
    return Array.isArray(values) ? values.flatMap((value, at) => labelProblems(`${path}.${name}[${at}]`, String(value))) : [];
  };
  return [
    ...['plural', 'singular', 'kind', 'listKind'].flatMap(ofName),
    ...each('shortNames'),
    ...each('categories'),
    ...(kind !== '' && kind === listKind ? [invalidValue(`${path}.listKind`, listKind, 'kind and listKind may not be the same')] : []),
  ];
}

function versionProblems(version: Fields, path: string): FieldError[] {
  return [
    ...labelProblems(`${path}.name`, textAt(version, 'name')),
    ...rootProblems(version, `${path}.schema.openAPIV3Schema`),
    ...scaleProblems(version, `${path}.subresources.scale`),
    ...columnProblems(version, `${path}.additionalPrinterColumns`),
    ...selectableProblems(version, `${path}.selectableFields`),
  ];
}

/** Fields allowed at the root of a schema whose status is checked apart. */
const allowedAtRoot = new Set(
  `description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems
  multipleOf required items properties externalDocs example x-kubernetes-preserve-unknown-fields x-kubernetes-validations`.split(/\s+/),
);

function rootProblems(version: Fields, path: string): FieldError[] {
  const schema = schemaIn(version);
  if (!schema) return [requiredValue(path)];
  const hasStatus = isFields(fieldsAt(version, 'subresources')['status']);
  const odd = hasStatus ? Object.keys(schema).find((key) => !allowedAtRoot.has(key)) : undefined;
  if (odd !== undefined) return [invalidValue(path, odd, 'is not allowed at the root of the schema if the status subresource is enabled')];
  const problems = schemaProblems(schema, path);
  return problems.length > 0 ? problems : ruleProblemsOfSchema(schema, path);
}

/** @param roots the fields under which it must lead, if not all are */
function pathProblems(field: string, path: string, roots: readonly string[] = []): FieldError[] {
  if (path === '') return [requiredValue(field)];
  if (!path.startsWith('.')) return [invalidValue(field, path, 'must be a simple json path starting with .')];
  if (roots.length === 0 || roots.some((root) => path.startsWith(`.${root}.`))) return [];
  return [invalidValue(field, path, `should be a json path under ${roots.map((root) => `.${root}`).join(' or ')}`)];
}

function scaleProblems(version: Fields, path: string): FieldError[] {
  const scale = fieldsAt(version, 'subresources')['scale'];
  if (!isFields(scale)) return [];
  const selector = textAt(scale, 'labelSelectorPath');
  return [
    ...pathProblems(`${path}.specReplicasPath`, textAt(scale, 'specReplicasPath'), ['spec']),
    ...pathProblems(`${path}.statusReplicasPath`, textAt(scale, 'statusReplicasPath'), ['status']),
    ...(selector === '' ? [] : pathProblems(`${path}.labelSelectorPath`, selector, ['spec', 'status'])),
  ];
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];

function columnProblems(version: Fields, path: string): FieldError[] {
  return listAt(version, 'additionalPrinterColumns').flatMap((column, at) => {
    const [field, type] = [`${path}[${at}]`, textAt(column, 'type')];
    return [
      ...(textAt(column, 'name') === '' ? [requiredValue(`${field}.name`)] : []),
      ...(columnTypes.includes(type)
        ? []
        : type === ''
          ? [requiredValue(`${field}.type`)]
          : [invalidValue(`${field}.type`, type, 'is unknown')]),
      ...pathProblems(`${field}.jsonPath`, textAt(column, 'jsonPath')),
    ];
  });
}

function selectableProblems(version: Fields, path: string): FieldError[] {
  const selectable = listAt(version, 'selectableFields').map((each) => textAt(each, 'jsonPath'));
  const problems = selectable.flatMap((jsonPath, at) => {
    const field = `${path}[${at}].jsonPath`;
    if (jsonPath === '') return [requiredValue(field)];
    if (selectable.indexOf(jsonPath) < at) return [duplicateValue(field, jsonPath)];
    const found = schemaAt(schemaIn(version) ?? {}, jsonPath);
    return !/^\.metadata(\.|$)/.test(jsonPath) && ['string', 'boolean', 'integer'].includes(found?.type ?? '')
      ? []
      : [invalidValue(field, jsonPath, 'must point to a field of the schema, of type string, boolean or integer, not in metadata')];
  });
  const count = new Set(selectable).size;
  return count > mostSelectableFields ? [...problems, tooMany(path, { count, limit: mostSelectableFields })] : problems;
}

/** The schema of the field to which a path such as `.spec.color` leads. */
const schemaAt = (schema: JsonSchema, path: string): JsonSchema | undefined =>
  wordsOfPath(path).reduce<JsonSchema | undefined>((at, name) => at?.properties?.[name], schema);

/** Nobody is asked: what a webhook says of itself is kept as it is. */
const conversionProblems = (conversion: unknown, path: string): FieldError[] =>
  isFields(conversion) ? oneOf(`${path}.strategy`, textAt(conversion, 'strategy'), ['None', 'Webhook']) : [];

/** Objects may be stored in each of these versions. */
function storedVersionProblems(status: Fields, spec: Fields): FieldError[] {
  const field = 'status.storedVersions';
  const stored: unknown[] = Array.isArray(status['storedVersions']) ? status['storedVersions'] : [];
  const versions = listAt(spec, 'versions');
  return [
    ...(stored.length === 0 ? [invalidValue(field, null, 'must have at least one stored version')] : []),
    ...versions
      .filter(({ name, storage }) => storage === true && !stored.includes(name))
      .map(({ name }) => invalidValue(field, stored, `must have the storage version ${String(name)}`)),
    ...stored.flatMap((name, at) =>
      versions.some((version) => version['name'] === name)
        ? []
        : [invalidValue(`${field}[${at}]`, name, 'missing from spec.versions, though objects may be stored in this version')],
    ),
  ];
}
