// The worked cases E1 to E14: what pods take of their node.
import { expect, test } from '@jest/globals';
import type { Container, PodSpec } from '../../../lib/objects/kubernetes.ts';
import { effectiveRequestsOf, victimRequestsOf } from '../../../lib/objects/pods/pod-requests.ts';
import { podOf } from './fixtures.ts';

const asks = (requests: Record<string, string>, restartPolicy?: string): Container => ({
  name: 'c',
  resources: { requests },
  ...(restartPolicy !== undefined && { restartPolicy }),
});
const cpu = (text: string, restartPolicy?: string): Container => asks({ cpu: text }, restartPolicy);
const sidecar = (text: string): Container => cpu(text, 'Always');
const effective = (spec: Partial<PodSpec>, resource = 'cpu'): bigint | undefined => effectiveRequestsOf(podOf('a', { spec })).get(resource);

const GIBIBYTE = 2n ** 30n;
const MEBIBYTE = 2n ** 20n;

test.each<[string, Container[], Container[], bigint]>([
  ['E1', [cpu('100m'), cpu('200m')], [], 300n],
  ['E2', [cpu('100m')], [cpu('500m')], 500n],
  ['E3', [cpu('100m')], [cpu('50m'), cpu('80m')], 100n],
  ['E4', [cpu('100m')], [sidecar('200m')], 300n],
  ['E5', [cpu('100m')], [sidecar('200m'), cpu('300m')], 500n],
  ['E6', [cpu('100m')], [cpu('300m'), sidecar('200m')], 300n],
  ['E7', [cpu('100m')], [sidecar('200m'), cpu('300m'), sidecar('50m')], 500n],
  ['E13', [cpu('1500u')], [], 2n],
])('%s: cpu', (_, containers, initContainers, expected) => expect(effective({ containers, initContainers })).toBe(expected));

test('E8: overhead is added', () => {
  const spec = { containers: [asks({ cpu: '100m', memory: '1Gi' })], overhead: { cpu: '250m', memory: '120Mi' } };
  expect([effective(spec), effective(spec, 'memory')]).toEqual([350n, GIBIBYTE + 120n * MEBIBYTE]);
});

test('E9: overhead on nothing counts for the fit alone', () => {
  const spec = { containers: [asks({})], overhead: { cpu: '250m' } };
  expect(effective(spec)).toBe(250n);
  expect(victimRequestsOf(podOf('a', { spec })).get('cpu') ?? 0n).toBe(0n);
});

test('E10: what the pod asks for itself', () => {
  expect(effective({ containers: [cpu('100m')], resources: { requests: { cpu: '1' } } })).toBe(1000n);
});

test('E11: what the pod does not ask for itself counts for the fit alone', () => {
  const spec = { containers: [asks({ memory: '1Gi', 'nvidia.com/gpu': '1' })], resources: { requests: { cpu: '1' } } };
  const names = ['cpu', 'memory', 'nvidia.com/gpu'];
  expect(names.map((name) => effective(spec, name))).toEqual([1000n, GIBIBYTE, 1n]);
  expect(names.map((name) => victimRequestsOf(podOf('a', { spec })).get(name) ?? 0n)).toEqual([1000n, 0n, 0n]);
});

test('E12: each pod is one', () => expect(victimRequestsOf(podOf('a')).get('pods')).toBe(1n));

test('E14: memory in whole bytes', () => expect(effective({ containers: [asks({ memory: '1500m' })] }, 'memory')).toBe(2n));

test('sums are rounded, not what they are made of', () => {
  const spec = { containers: [asks({ memory: '1500m' }), asks({ memory: '1500m' })] };
  expect(effective(spec, 'memory')).toBe(3n);
  expect(victimRequestsOf(podOf('a', { spec })).get('memory')).toBe(3n);
});
