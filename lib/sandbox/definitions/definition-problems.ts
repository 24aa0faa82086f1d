// Problems of a CustomResourceDefinition: names, versions, paths, and changes of immutable fields. Each names the field as its author wrote it.
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfDnsSubdomain, problemsOfOlderDnsLabel } from '../../objects/names.ts';
import {
  duplicateValue,
  fieldIsImmutable,
  forbidden,
  invalidValue,
  requiredValue,
  tooMany,
  unsupportedValue,
} from '../../objects/refusals.ts';
import { fieldsAt, isFields, isSame, listAt, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { ruleProblemsOfSchema } from '../cel/schema-rules.ts';
import { schemaProblems } from '../custom/schema-problems.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { approvalAnnotation, approvalOf, isProtectedGroup } from './api-approval.ts';
import { isTrue } from './conditions.ts';
import { schemaIn } from './definition.ts';

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
      ? [
          invalidValue(
            'spec.preserveUnknownFields',
            true,
            'cannot set to true, set x-kubernetes-preserve-unknown-fields in the schema instead',
          ),
        ]
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
    ...deprecationProblems(version, `${path}.deprecationWarning`),
    ...rootProblems(version, `${path}.schema.openAPIV3Schema`),
    ...scaleProblems(version, `${path}.subresources.scale`),
    ...columnProblems(version, `${path}.additionalPrinterColumns`),
    ...selectableProblems(version, `${path}.selectableFields`),
  ];
}

function deprecationProblems(version: Fields, field: string): FieldError[] {
  const warning = version['deprecationWarning'];
  if (typeof warning !== 'string') return [];
  if (version['deprecated'] !== true) return [invalidValue(field, warning, 'can only be set for deprecated versions')];
  const isPrintable = !/(?! )[\p{C}\p{Z}]/u.test(warning);
  return warning !== '' && Buffer.byteLength(warning) <= longestWarningBytes && isPrintable
    ? []
    : [invalidValue(field, warning, `must be 1 to ${longestWarningBytes} bytes of printable characters`)];
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
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function columnProblems(version: Fields, path: string): FieldError[] {
  return listAt(version, 'additionalPrinterColumns').flatMap((column, at) => {
    const [name = '', type = '', format = ''] = ['name', 'type', 'format'].map((field) => textAt(column, field));
    const field = `${path}[${at}]`;
    const unknown = (word: string, value: string, values: readonly string[]): FieldError[] =>
      values.includes(value) ? [] : [invalidValue(`${field}.${word}`, value, `must be one of ${values.join(',')}`)];
    return [
      ...(name === '' ? [requiredValue(`${field}.name`)] : []),
      ...(type === '' ? [requiredValue(`${field}.type`)] : unknown('type', type, columnTypes)),
      ...(format === '' ? [] : unknown('format', format, columnFormats)),
      ...pathProblems(`${field}.jsonPath`, textAt(column, 'jsonPath')),
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
    if (known.has(jsonPath)) return [duplicateValue(field, jsonPath)];
    known.add(jsonPath);
    const found = schemaAt(schema, jsonPath);
    if (!found) return [invalidValue(field, jsonPath, 'is an invalid path: it does not refer to a field of the schema')];
    if (/^\.metadata(\.|$)/.test(jsonPath)) return [invalidValue(field, jsonPath, 'must not point to fields in metadata')];
    return ['string', 'boolean', 'integer'].includes(found.type ?? '')
      ? []
      : [invalidValue(field, jsonPath, 'must point to a field of type string, boolean or integer')];
  });
  return known.size > mostSelectableFields ? [...problems, tooMany(path, { count: known.size, limit: mostSelectableFields })] : problems;
}

/** The schema of the field to which a path such as `.spec.color` leads. */
function schemaAt(schema: JsonSchema, path: string): JsonSchema | undefined {
  if (!path.startsWith('.')) return undefined;
  return path
    .slice(1)
    .split('.')
    .reduce<JsonSchema | undefined>((at, name) => at?.properties?.[name], schema);
}

function conversionProblems(conversion: unknown, path: string): FieldError[] {
  if (!isFields(conversion)) return [];
  const strategy = textAt(conversion, 'strategy');
  const { clientConfig, conversionReviewVersions = [] } = fieldsAt(conversion, 'webhook');
  const versions = Array.isArray(conversionReviewVersions) ? conversionReviewVersions : [];
  const problems = oneOf(`${path}.strategy`, strategy, ['None', 'Webhook']);
  if (strategy !== 'Webhook')
    return conversion['webhook'] === undefined
      ? problems
      : [...problems, forbidden(`${path}.webhook`, 'may be set for the strategy Webhook alone')];
  const isOneWay = isFields(clientConfig) && (clientConfig['url'] === undefined) !== (clientConfig['service'] === undefined);
  if (!isOneWay) problems.push(requiredValue(`${path}.webhook.clientConfig`, 'exactly one of url or service is required'));
  if (!versions.includes('v1') && !versions.includes('v1beta1'))
    problems.push(requiredValue(`${path}.webhook.conversionReviewVersions`, 'must include at least one of v1, v1beta1'));
  return problems;
}

function storedVersionProblems(status: Fields, spec: Fields): FieldError[] {
  const field = 'status.storedVersions';
  const stored = status['storedVersions'];
  if (!Array.isArray(stored) || stored.length === 0) return [invalidValue(field, null, 'must have at least one stored version')];
  const versions = listAt(spec, 'versions');
  const lacking = versions.filter(({ name, storage }) => storage === true && !stored.includes(name));
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
