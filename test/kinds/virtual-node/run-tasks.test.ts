// Tasks of runs at the provider of a virtual node: no cluster has pods for them, and the node's pass leaves them alone.
import { expect, test } from '@jest/globals';
import type { Node } from '../../../lib/objects/kubernetes.ts';
import type { Task } from '../../../lib/objects/task.ts';
import { MADE_BY } from '../../../lib/kinds/virtual-pod/node-options.ts';
import { plan } from '../../../lib/kinds/virtual-node/plan.ts';
import { readKeyOf, sightKeyOf } from '../../../lib/kinds/rows/plan.ts';

const NOW = new Date('2026-05-01T10:00:00Z');
const NODE: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'edge', uid: 'uid-of-edge', annotations: { [MADE_BY]: 'simulated' } },
};
const taskOf = (uid: string): Task => ({ uid, attempt: 1, namespace: 'default', name: uid, hasEnded: false, status: { phase: 'Running' } });

/** The tells of the second of two passes: a task must be missed by both. */
function told(tasks: readonly Task[]): string[] {
  const given = { owner: NODE, isWhole: true, options: { 'virtual-node': 'edge=simulated' } };
  const first = plan(given as never, NOW);
  const state = { cannot: [] };
  const sights = new Map<string, unknown>();
  const read = new Map<string, unknown>();
  for (const want of first.wants ?? []) {
    if ('sight' in want) sights.set(sightKeyOf(want), want.sight === 'provider' ? state : [...tasks]);
    else if ('resource' in want) read.set(readKeyOf(want, ''), { objects: [] });
  }
  const once = plan({ ...given, sights, read, kept: { decision: { latest: 0, told: 0, pods: [] } } } as never, NOW);
  const twice = plan({ ...given, sights, read, kept: once.head?.kept } as never, NOW);
  return (twice.tells ?? []).map(({ uid }) => uid);
}

test('a task whose pod is gone is looked for, a task of a run is not', () => {
  expect(told([taskOf('11111111'), taskOf('run-22222222')])).toEqual(['11111111']);
});
