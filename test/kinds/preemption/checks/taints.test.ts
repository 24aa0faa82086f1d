// Which pods a taint drives away, and which tolerations keep them.
import { expect, test } from '@jest/globals';
import { isDrivenAway } from '../../../../lib/kinds/preemption/checks/taints.ts';
import { FILE_SOURCE, podOf } from '../fixtures.ts';

const tainted = { metadata: { name: 'vn-0' }, spec: { taints: [{ key: 'x', value: 'y', effect: 'NoExecute' }] } };
const tolerating = (...tolerations: object[]): boolean => isDrivenAway(podOf('a', { spec: { tolerations } }), tainted);

test.each<[string, object, boolean]>([
  ['all', { operator: 'Exists' }, false],
  ['the key', { key: 'x', operator: 'Exists' }, false],
  ['key and effect', { key: 'x', operator: 'Exists', effect: 'NoExecute' }, false],
  ['the value', { key: 'x', operator: 'Equal', value: 'y' }, false],
  ['the value, which is what is meant unless said', { key: 'x', value: 'y' }, false],
  ['another value', { key: 'x', value: 'z' }, true],
  ['no value', { key: 'x' }, true],
  ['another key', { key: 'z', operator: 'Exists' }, true],
  ['another effect', { key: 'x', operator: 'Exists', effect: 'NoSchedule' }, true],
  ['by an operator that nobody knows', { key: 'x', operator: 'Near', value: 'y' }, true],
])('tolerates %s', (_, toleration, expected) => expect(tolerating(toleration)).toBe(expected));

test('each taint needs a toleration', () => {
  const twice = { ...tainted, spec: { taints: [...tainted.spec.taints, { key: 'z', effect: 'NoExecute' }] } };
  const pod = podOf('a', { spec: { tolerations: [{ key: 'x', operator: 'Exists' }] } });
  expect([isDrivenAway(pod, tainted), isDrivenAway(pod, twice)]).toEqual([false, true]);
});

test('a static pod stays, and a taint against scheduling drives nobody away', () => {
  expect(isDrivenAway(podOf('a', { annotations: FILE_SOURCE }), tainted)).toBe(false);
  expect(isDrivenAway(podOf('a'), { metadata: {}, spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } })).toBe(false);
  expect(isDrivenAway(podOf('a'), { metadata: {} })).toBe(false);
});
