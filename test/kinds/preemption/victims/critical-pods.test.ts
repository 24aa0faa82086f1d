// The worked cases C1 to C11, N1 to N7 and R1 to R8: which pods are critical, and which may go for which.
import { expect, test } from '@jest/globals';
import { isCritical, isMirror, isNodeCritical, isPreemptable, isStatic } from '../../../../lib/kinds/preemption/victims/critical-pods.ts';
import { FILE_SOURCE, MIRRORED, podOf, SYSTEM_CRITICAL, type PodGiven } from '../fixtures.ts';

const CLASS = { priorityClassName: 'system-node-critical' };
const file: PodGiven = { annotations: FILE_SOURCE };
const mirror: PodGiven = { annotations: MIRRORED };
const fromApi: PodGiven = { annotations: { 'kubernetes.io/config.source': 'api' } };
const upper = SYSTEM_CRITICAL + 1000;

test.each<[string, PodGiven, boolean]>([
  ['C1', file, true],
  ['C2', mirror, true],
  ['C3', { priority: SYSTEM_CRITICAL }, true],
  ['C4', { priority: upper }, true],
  ['C5', fromApi, false],
  ['C6', {}, false],
  ['C7', { priority: 1_000_000_000 }, false],
  ['C8', { priority: SYSTEM_CRITICAL - 1 }, false],
  ['C9', CLASS, false],
])('%s: critical', (_, given, expected) => expect(isCritical(podOf('a', given))).toBe(expected));

test('C10: static', () => {
  const sources = ['file', 'http', 'api'].map((source) => podOf('a', { annotations: { 'kubernetes.io/config.source': source } }));
  expect(sources.map(isStatic)).toEqual([true, true, false]);
  expect(isStatic(podOf('a'))).toBe(false);
});

test('C11: mirror', () => expect([podOf('a', mirror), podOf('a')].map(isMirror)).toEqual([true, false]));

test.each<[string, PodGiven, boolean]>([
  ['N1', { ...file, ...CLASS }, true],
  ['N2', { ...mirror, ...CLASS }, true],
  ['N3', { priority: SYSTEM_CRITICAL, ...CLASS }, true],
  ['N4', { priority: upper, ...CLASS }, true],
  ['N5', { ...fromApi, ...CLASS }, false],
  ['N6', CLASS, false],
  ['N7', {}, false],
])('%s: node-critical', (_, given, expected) => expect(isNodeCritical(podOf('a', given))).toBe(expected));

test.each<[string, PodGiven, PodGiven, boolean]>([
  ['R1', file, {}, true],
  ['R2', { ...file, priority: upper }, { ...file, priority: SYSTEM_CRITICAL }, true],
  ['R3', { ...fromApi, priority: upper }, { ...file, priority: SYSTEM_CRITICAL }, true],
  ['R4', { ...file, priority: SYSTEM_CRITICAL }, { ...file, priority: upper }, false],
  ['R5', file, file, false],
  ['R6', { ...file, priority: SYSTEM_CRITICAL }, { ...file, priority: SYSTEM_CRITICAL }, false],
  ['R7', { priority: 5 }, { priority: 4 }, true],
  ['R8', { priority: 5 }, {}, false],
])('%s: may go for the other', (_, preemptor, pod, expected) =>
  expect(isPreemptable(podOf('a', preemptor), podOf('b', pod))).toBe(expected),
);
