// Critical pods of a run with `capacity: node`: whom they evict, and how long they wait.
import { describe, expect, test } from '@jest/globals';
import { aNode, aPod, asking, play, RUNNING, type WorldGiven } from './run-world.ts';

const critical = (name: string, cpu: string) => aPod(name, { priority: 2_000_000_000, ...asking(cpu) });
const victim = aPod('v', { terminationGracePeriodSeconds: 4, ...asking('800m') });
const base: WorldGiven = {
  pods: [critical('a', '500m')],
  node: aNode('1'),
  others: [victim],
  evictable: ['v'],
  options: { capacity: 'node', preempt: true },
  behaviours: { a: { look: (check) => (check > 1 ? RUNNING : undefined) } },
};

describe('a critical pod without room', () => {
  test('starts once its victim has ended, which the summary names', () => {
    const { results, evictions, starts, summary, seconds } = play({ ...base, stays: (_uid, at) => at < 3 });
    expect([results, evictions, starts, seconds]).toEqual([['a ok'], ['v 0'], ['a-1'], 4]);
    expect(summary.warnings).toEqual(['pod "v_ns(v)" was evicted to make room for pod "a_ns(a)"']);
  });

  test('orders the eviction again each 5 s, and waits 10 s at most for a victim of a short grace', () => {
    const { results, evictions, starts, seconds } = play({ ...base, stays: () => true });
    expect([results, evictions, starts, seconds]).toEqual([['a ok'], ['v 0', 'v 5'], ['a-1'], 11]);
  });

  test.each([
    ['preemption is off', { options: { capacity: 'node' as const } }],
    ['nobody says which pods may go', { evictable: undefined }],
    ['the other pod is critical itself', { others: [{ ...victim, spec: { ...victim.spec, priority: 2_000_000_000 } }] }],
    ['the other pod is a task of another run', { evictable: [] }],
  ])('is rejected where %s', (_name, change) => {
    const { summary, evictions, starts } = play({ ...base, ...change } as WorldGiven);
    expect(summary.results[0]?.rejected?.reason).toBe('UnexpectedAdmissionError');
    expect([evictions, starts]).toEqual([[], []]);
  });
});

test('a second critical pod does not count on the room of a victim that the first one took', () => {
  const { summary, evictions } = play({ ...base, pods: [critical('a', '900m'), critical('b', '900m')] });
  expect(summary.results.map(({ pod, rejected }) => [pod.name, rejected?.reason])).toEqual([
    ['b', 'UnexpectedAdmissionError'],
    ['a', undefined],
  ]);
  expect(evictions).toEqual(['v 0']);
});

test('a pod of the run itself is never evicted for another one', () => {
  const { summary } = play({ ...base, others: [], pods: [aPod('plain', asking('900m')), critical('a', '900m')] });
  expect(summary.results.map(({ pod, rejected }) => [pod.name, rejected?.reason])).toEqual([
    ['a', 'UnexpectedAdmissionError'],
    ['plain', undefined],
  ]);
});
