// `farloop plan` of a node: all pods that wait for room are decided in one pass, oldest first.
import { describe, expect, test } from '@jest/globals';
import { aNode, anAgent, aPod, planned } from '../virtual-pod/documents.ts';

const workload = 'Node/virtual';
const at = (time: string) => ({ metadata: { creationTimestamp: `2026-05-01T${time}Z` } });
const half = { requests: { cpu: '500m' } };

describe('a node', () => {
  test('admits what fits, oldest first, and rejects the rest; it acts on nothing itself', () => {
    const pods = [aPod('a/third', { ...half, ...at('08:02:00') }), aPod('a/first', half), aPod('b/second', { ...half, ...at('08:01:00') })];
    const { actions, admission, outcome, why, workload: planOf } = planned([aNode(), ...pods], { workload });
    expect(planOf).toMatchObject({ kind: 'VirtualNode', name: 'virtual' });
    expect(why).toEqual([
      'virtual admits a/first',
      'virtual admits b/second',
      "virtual rejects a/third: Node didn't have enough resource: cpu, requested: 500, used: 1000, capacity: 1000",
    ]);
    expect({ actions, outcome }).toEqual({ actions: [], outcome: 'acted' });
    expect(admission).toMatchObject({
      pods: [{ name: 'first' }, { name: 'second' }, { name: 'third', state: 'rejected', reason: 'OutOfcpu' }],
    });
  });

  test('counts what runs as decided, and decides on nothing twice', () => {
    const runs = aPod('a/runs', { ...half, status: { phase: 'Running', startTime: '2026-05-01T08:00:01Z' } });
    expect(planned([aNode(), runs], { workload })).toMatchObject({ outcome: 'converged', why: ['virtual has decided on all its pods'] });
    expect(planned([aNode(), runs, aPod('a/new', half)], { workload }).why).toEqual(['virtual admits a/new']);
  });

  test('two critical pods together never evict the same pod, and none more than they need', () => {
    const running = { phase: 'Running', startTime: '2026-05-01T08:00:01Z' };
    const small = ['one', 'two'].map((name) => aPod(`a/${name}`, { ...half, status: running }));
    const critical = ['x', 'y'].map((name) =>
      anAgent({
        requests: { cpu: '500m' },
        metadata: { namespace: 'kube-system', name, uid: `uid-of-${name}`, creationTimestamp: '2026-05-01T09:00:00Z' },
      }),
    );
    const { admission, requeueAfterSeconds } = planned([aNode(), ...small, ...critical], { workload });
    const { pods } = admission as { pods: { name: string; victims?: string[]; evictedFor?: string }[] };
    expect(pods.flatMap(({ victims = [] }) => victims).toSorted()).toEqual(['uid-of-one', 'uid-of-two']);
    expect(
      pods
        .filter(({ evictedFor }) => evictedFor !== undefined)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['one', 'two']);
    expect(requeueAfterSeconds).toBe(45);
  });

  test('passes over pods of other nodes, and is one of several', () => {
    const elsewhere = aPod('a/elsewhere', { ...half, spec: { nodeName: 'other' } });
    expect(planned([aNode(), aNode(undefined, 'other'), elsewhere], { workload }).outcome).toBe('converged');
    expect(planned([aNode(), aNode(undefined, 'other'), elsewhere], { workload: 'node/other' }).why).toEqual(['other admits a/elsewhere']);
  });

  test.each([
    ['a node without allocatable', [aNode(null)], 'status.allocatable: expected the amounts that the node has for pods'],
    ['a pod with a negative amount', [aNode(), aPod('a/odd', { requests: { cpu: '-1' } })], 'expected a quantity of 0 or more'],
    ['a node that is not there', [aNode()], 'no workload is named Node/none; there are Node/virtual'],
  ])('%s: one sentence', (name, objects, says) => {
    expect(() => planned(objects, { workload: name.includes('not there') ? 'Node/none' : workload })).toThrow(says);
  });
});
