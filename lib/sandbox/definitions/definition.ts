// A CustomResourceDefinition, read once for the parts that serve its objects.
import { fieldsAt, isFields, listAt, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { ScalePaths } from '../rows/resource-row.ts';
import type { JsonSchema } from '../schema/json-schema.ts';

export interface DefinedNames {
  plural: string;
  singular: string;
  kind: string;
  listKind: string;
  shortNames: readonly string[];
  categories: readonly string[];
}

export interface DefinedVersion {
  name: string;
  isServed: boolean;
  isStorage: boolean;
  isDeprecated: boolean;
  /** Said instead of the usual sentence. */
  deprecationWarning?: string;
  schema: JsonSchema;
  hasStatus: boolean;
  scale?: ScalePaths;
  /** As `additionalPrinterColumns` has them. */
  columns: readonly Fields[];
  /** Paths such as `.spec.color`. */
  selectablePaths: readonly string[];
}

export interface Definition {
  group: string;
  namespaced: boolean;
  names: DefinedNames;
  versions: readonly DefinedVersion[];
  /** Whether nothing is created any more: its objects are on their way out. */
  isTerminating: () => boolean;
}

const textsAt = (of: Fields, key: string): string[] => {
  const value = of[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
};

export function namesIn(names: Fields): DefinedNames {
  return {
    plural: textAt(names, 'plural'),
    singular: textAt(names, 'singular'),
    kind: textAt(names, 'kind'),
    listKind: textAt(names, 'listKind'),
    shortNames: textsAt(names, 'shortNames'),
    categories: textsAt(names, 'categories'),
  };
}

/** The field names of a path such as `.spec.replicas`. */
export const wordsOfPath = (path: string): string[] => path.replace(/^\./, '').split('.');

function scaleIn(subresources: Fields): ScalePaths | undefined {
  const { scale } = subresources;
  if (!isFields(scale)) return undefined;
  const texts = { spec: textAt(scale, 'specReplicasPath'), status: textAt(scale, 'statusReplicasPath') };
  const selector = textAt(scale, 'labelSelectorPath');
  return {
    spec: wordsOfPath(texts.spec),
    status: wordsOfPath(texts.status),
    ...(selector && { selector: wordsOfPath(selector) }),
    texts: { ...texts, ...(selector && { selector }) },
  };
}

/** The schema of a version. What stands there was read as a schema, and judged as one, before it was stored. */
export function schemaIn(version: Fields): JsonSchema | undefined {
  const schema = fieldsAt(version, 'schema')['openAPIV3Schema'];
  return isFields(schema) ? schema : undefined;
}

function versionIn(version: Fields): DefinedVersion {
  const subresources = fieldsAt(version, 'subresources');
  const scale = scaleIn(subresources);
  const warning = version['deprecationWarning'];
  return {
    name: textAt(version, 'name'),
    isServed: version['served'] === true,
    isStorage: version['storage'] === true,
    isDeprecated: version['deprecated'] === true,
    ...(typeof warning === 'string' && { deprecationWarning: warning }),
    schema: schemaIn(version) ?? {},
    hasStatus: isFields(subresources['status']),
    ...(scale && { scale }),
    columns: listAt(version, 'additionalPrinterColumns'),
    selectablePaths: listAt(version, 'selectableFields').map((field) => textAt(field, 'jsonPath')),
  };
}

/** @param object a definition that the rules let through @param names those that are accepted */
export function definitionIn({ spec = {} }: ApiObject, names: DefinedNames, isTerminating: () => boolean): Definition {
  return {
    group: textAt(spec, 'group'),
    namespaced: textAt(spec, 'scope') === 'Namespaced',
    names,
    versions: listAt(spec, 'versions').map(versionIn),
    isTerminating,
  };
}

/** Newest and stablest first, as clients prefer them: v2, v1, v1beta2, v1beta1, v1alpha1, then other names by the alphabet. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left && right) {
    for (const [at, value] of left.entries()) if (value !== right[at]) return (right[at] ?? 0) - value;
    return 0;
  }
  if (left || right) return left ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function rankOf(version: string): number[] | undefined {
  const [, major, stage = '', minor = '0'] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  if (major === undefined) return undefined;
  return [stage === '' ? 2 : stage === 'beta' ? 1 : 0, Number(major), Number(minor)];
}
