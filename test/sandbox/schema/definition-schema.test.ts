import { expect, test } from '@jest/globals';
import { definitionSchemaOf } from '../../../lib/sandbox/schema/definition-schema.ts';
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';
import { itemsOf, propertyOf } from '../../../lib/sandbox/schema/json-schema.ts';

/** @param path fields, with `*` for the elements of a list */
const at = (name: string, path: string): JsonSchema | undefined =>
  path
    .split('.')
    .reduce<JsonSchema | undefined>(
      (schema, word) => schema && (word === '*' ? itemsOf(schema) : propertyOf(schema, word)),
      definitionSchemaOf(name),
    );

test('lists that are merged by keys say so, and their keys must be given or have defaults', () => {
  expect(at('PodTemplateSpec', 'spec.containers.*.ports')).toMatchObject({
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
    items: { required: ['containerPort'], properties: { protocol: { type: 'string', default: 'TCP' } } },
  });
});

test('quantities are numbers or texts of their form', () => {
  const { pattern = '' } = (at('ResourceRequirements', 'limits')?.additionalProperties ?? {}) as JsonSchema;
  const form = new RegExp(pattern);
  expect(['1', '-0.5', '+.5', '1.', '100m', '2Gi', '1e3', '1E-2', '4k'].filter((text) => !form.test(text))).toEqual([]);
  expect(['', '1 Gi', 'Gi', '1ki', '1e', '1.2.3', 'a1', '1mi'].filter((text) => form.test(text))).toEqual([]);
});

test('metadata of a template is what its objects take over', () => {
  expect(Object.keys(at('PodTemplateSpec', 'metadata')?.properties ?? {})).toEqual([
    'annotations',
    'finalizers',
    'labels',
    'name',
    'namespace',
  ]);
});

test('what belongs to its owner as a whole is marked', () => {
  expect(at('PodSpec', 'nodeSelector')).toMatchObject({ 'x-kubernetes-map-type': 'atomic' });
  expect(at('PodSpec', 'tolerations')).not.toHaveProperty('x-kubernetes-list-type');
});
