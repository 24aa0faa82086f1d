// Which nodes a pod may run on, by the labels and names that it asks for.
import { describe, expect, test } from '@jest/globals';
import { matchesNode } from '../../../lib/objects/placement/node-affinity.ts';
import { podOf } from '../../kinds/preemption/fixtures.ts';

const node = { name: 'vn-0', labels: { zone: 'a', generation: '5', 'kubernetes.io/os': 'linux' } };
const selected = (nodeSelector: object): boolean => matchesNode(podOf('a', { spec: { nodeSelector } }), node);
const required = (selector?: object): boolean => {
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: selector };
  return matchesNode(podOf('a', { spec: { affinity: { nodeAffinity } } }), node);
};
const terms = (...nodeSelectorTerms: object[]): boolean => required({ nodeSelectorTerms });
const expression = (key: string, operator: string, ...values: string[]): object => ({
  matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }],
});
const field = (key: string, operator: string, ...values: string[]): object => ({ matchFields: [{ key, operator, values }] });

test('a pod that asks for nothing', () => expect([matchesNode(podOf('a'), node), required()]).toEqual([true, true]));

test('a selector: each label with its value', () => {
  expect(selected({ zone: 'a', generation: '5' })).toBe(true);
  expect(selected({ zone: 'a', generation: '6' })).toBe(false);
  expect(selected({ constructor: 'a' })).toBe(false);
});

test.each<[string, string, string[], boolean]>([
  ['zone', 'In', ['b', 'a'], true],
  ['zone', 'In', ['b'], false],
  ['disk', 'In', ['a'], false],
  ['zone', 'NotIn', ['a'], false],
  ['disk', 'NotIn', ['a'], true],
  ['zone', 'Exists', [], true],
  ['disk', 'Exists', [], false],
  ['zone', 'DoesNotExist', [], false],
  ['disk', 'DoesNotExist', [], true],
  ['generation', 'Gt', ['4'], true],
  ['generation', 'Gt', ['5'], false],
  ['generation', 'Lt', ['6'], true],
  ['zone', 'Lt', ['6'], false],
  ['disk', 'Gt', ['1'], false],
])('%s %s %j: %j', (key, operator, values, expected) => expect(terms(expression(key, operator, ...values))).toBe(expected));

describe('terms', () => {
  test('one of them is enough', () => expect(terms(expression('zone', 'In', 'b'), expression('zone', 'In', 'a'))).toBe(true));
  test('none are met by no node', () => expect([terms(), required({})]).toEqual([false, false]));
  test('one that says nothing is met by no node', () => expect(terms({})).toBe(false));
  test('one that cannot be read is met by no node, and the others count', () => {
    expect(terms(expression('zone', 'Near', 'a'))).toBe(false);
    expect(terms(expression('generation', 'Gt', 'x'), expression('zone', 'Exists'))).toBe(true);
  });
  test('names: one, this one or another', () => {
    expect([terms(field('metadata.name', 'In', 'vn-0')), terms(field('metadata.name', 'NotIn', 'vn-0'))]).toEqual([true, false]);
    expect([terms(field('metadata.name', 'In', 'vn-1')), terms(field('metadata.name', 'NotIn', 'vn-1'))]).toEqual([false, true]);
    expect([terms(field('metadata.name', 'In', 'vn-0', 'vn-1')), terms(field('metadata.uid', 'In', 'vn-0'))]).toEqual([false, false]);
  });
  test('a selector counts beside them', () => {
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [expression('zone', 'Exists')] } },
    };
    expect(matchesNode(podOf('a', { spec: { nodeSelector: { zone: 'b' }, affinity } }), node)).toBe(false);
  });
});
