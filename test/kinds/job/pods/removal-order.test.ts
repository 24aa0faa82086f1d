// Which pods go first (sections 12.4, 23.10).
import { expect, test } from '@jest/globals';
import type { PodFacts } from '../../../../lib/objects/pods/pod-facts.ts';
import { compareForRemoval } from '../../../../lib/kinds/job/pods/removal-order.ts';
import { aPod, NOW } from '../builders.ts';

const restarted = (restarts: number, role: 'container' | 'sidecar' = 'container') => [{ name: 'main', role, restarts }];

const ready = (minutes: number, facts: Partial<PodFacts> = {}) => aPod({ ready: 'True', readySince: NOW - minutes * 60, ...facts });

test('removal order', () => {
  const wanted = [
    aPod({ phase: 'Pending', assigned: false }),
    aPod({ phase: 'Pending' }),
    aPod({ phase: 'Unknown' }),
    aPod({ containers: restarted(3) }),
    aPod({ containers: restarted(3, 'sidecar') }),
    aPod({ createdAt: NOW - 1 }),
    aPod({ createdAt: NOW - 100 }),
    ready(1),
    ready(10, { createdAt: NOW - 1 }),
    ready(10, { createdAt: NOW - 100 }),
  ];
  for (const shuffled of [wanted.toReversed(), [...wanted.slice(5), ...wanted.slice(0, 5)]]) {
    expect(shuffled.toSorted(compareForRemoval).map(({ uid }) => uid)).toEqual(wanted.map(({ uid }) => uid));
  }
});

test('a phase that bears the name of what objects inherit is one that nobody knows', () => {
  expect(compareForRemoval(aPod({ phase: 'constructor' }), aPod({ phase: 'Running' }))).toBe(-2);
});
