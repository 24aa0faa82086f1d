// Mirror pods of runs, and tasks of runs, as the passes of virtual pods meet them: they leave them alone.
import { describe, expect, test } from '@jest/globals';
import { virtualPodRow } from '../../../lib/kinds/virtual-pod/row.ts';
import { admitted, aPod, planOf, running } from './pod-pass.ts';

const annotations = { 'kubernetes.io/config.mirror': 'run-1' };
const aMirror = (change: { metadata?: object; status?: object } = {}) => aPod({ ...change, metadata: { ...change.metadata, annotations } });

describe('a mirror pod of a run', () => {
  test('is neither started nor written, though its node has admitted it', () => {
    expect(planOf({ pod: aMirror() }).actions).toEqual([]);
    expect(planOf({ pod: aMirror(), task: running() }).actions).toEqual([]);
  });

  test('that its node has not decided on wakes the node, for it takes room', () => {
    expect(planOf({ pod: aMirror(), decision: { ...admitted, uid: 'another' } }).tells).toMatchObject([
      { kind: 'VirtualNode', name: 'edge' },
    ]);
  });

  test('that is deleted goes at once, for nothing of it runs here', () => {
    const pod = aMirror({ metadata: { deletionTimestamp: '2026-05-01T09:59:00Z', deletionGracePeriodSeconds: 30 } });
    expect(planOf({ pod }).actions).toMatchObject([{ verb: 'delete', gracePeriodSeconds: 0 }]);
  });

  test('that has ended gives its room back', () => {
    const { actions, kept, tells } = planOf({ pod: aMirror({ status: { phase: 'Succeeded' } }) });
    expect([actions, kept.ended, tells?.length]).toEqual([[], { wasKilled: false }, 1]);
  });
});

test('R5: the task of a run that a provider tells of is not stopped, though no pod of its uid is there', () => {
  const leftBehind = { kept: undefined, options: { 'virtual-node': 'edge=simulated' }, nowMs: 0 };
  const key = { cluster: 'c', kind: 'VirtualPod', namespace: 'default', name: 'a', uid: 'run-1' };
  expect(virtualPodRow.planner.afterOwner?.({ ...leftBehind, key } as never)).toMatchObject({ actions: [], isDone: true });
  expect(virtualPodRow.planner.afterOwner?.({ ...leftBehind, key: { ...key, uid: '1' } } as never)).toMatchObject({ isDone: false });
});
