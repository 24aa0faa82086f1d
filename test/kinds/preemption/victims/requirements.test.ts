// The worked cases D1 to D6, S1 to S6 and M1 to M6: how far a pod is from enough, what is left, and which is smaller.
import { expect, test } from '@jest/globals';
import type { Pod } from '../../../../lib/objects/kubernetes.ts';
import { victimRequestsOf } from '../../../../lib/objects/pods/pod-requests.ts';
import { distanceTo, requirementsText, subtracted, type Requirement } from '../../../../lib/kinds/preemption/victims/requirements.ts';
import { isAtMost } from '../../../../lib/kinds/preemption/victims/victims.ts';
import { asking, fixtures, needing, podOf } from '../fixtures.ts';

const { b, be } = fixtures;

test.each<[string, Requirement[], Pod, number]>([
  ['D1', [], b, 0],
  ['D2', needing(100, 100, 1), be, 2],
  ['D3', needing(100, 100, 1), b, 0],
  ['D4', needing(50, 50, 0), b, 0],
  ['D5', needing(200, 100, 0), b, 0.25],
  ['D6', needing(400, 200, 2), b, 1.0625],
])('%s: distance', (_, needs, pod, expected) => expect(distanceTo(needs, victimRequestsOf(pod))).toBe(expected));

test.each<[string, Requirement[], Pod[], Requirement[]]>([
  ['S1', [], [b], []],
  ['S2', needing(100, 100, 1), [be], needing(100, 100, 0)],
  ['S3', needing(100, 100, 1), [b], []],
  ['S4', needing(50, 50, 0), [b], []],
  ['S5', needing(200, 200, 1), [b], needing(100, 100, 0)],
  ['S6', needing(250, 0, 3), [b, be, be], needing(150, 0, 0)],
])('%s: what is left', (_, needs, pods, expected) => expect(subtracted(needs, pods.map(victimRequestsOf))).toEqual(expected));

const storage = (quantity: string): Pod => podOf('a', { requests: { 'ephemeral-storage': quantity } });
const small = (cpu: number, mebibytes: number): Pod => podOf('a', { requests: asking(cpu, mebibytes) });

test.each<[string, Pod, Pod, boolean]>([
  ['M1', small(100, 50), be, false],
  ['M2', small(100, 50), small(100, 200), true],
  ['M3', small(100, 200), small(200, 50), false],
  ['M4', b, b, true],
  ['M5', storage('300Mi'), storage('200Mi'), true],
  ['M6', small(50, 100), small(100, 100), true],
])('%s: smaller', (_, one, other, expected) => expect(isAtMost(victimRequestsOf(one), victimRequestsOf(other))).toBe(expected));

test('requirements as a text', () => {
  expect(requirementsText(needing(10, 1, 0))).toBe('[(res: cpu, q: 10), (res: memory, q: 1048576), ]');
  expect(requirementsText([])).toBe('[]');
});
