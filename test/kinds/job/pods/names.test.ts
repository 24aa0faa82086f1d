// R5: names are computed from what a pod is for, one to one, in the reference's pattern.
import { describe, expect, test } from '@jest/globals';
import { namePrefixOf, podNameOf } from '../../../../lib/kinds/job/pods/names.ts';
import { nextChildren } from '../../../../lib/kinds/job/pods/numbers.ts';
import { aJob, anIndexedJob, aPod } from '../builders.ts';
import { actionsOf, planOf } from '../outcome.ts';

/** 27 characters in 5 places. */
const NAMES_PER_SLOT = 27 ** 5;
const job = aJob();
const indexed = anIndexedJob({ completions: 10 });

describe('R5: names', () => {
  test('are the same each time they are computed', () => expect(podNameOf(job, 3, 3)).toBe(podNameOf(structuredClone(job), 3, 3)));

  test.each([
    ['of a Job', job, /^demo-[bcdfghjklmnpqrstvwxz2456789]{5}$/],
    ['of an Indexed Job', indexed, /^demo-4-[bcdfghjklmnpqrstvwxz2456789]{5}$/],
  ])('%s keep the pattern', (_, owner, pattern) => {
    for (let number = 0; number < 100; number += 1) expect(podNameOf(owner, 4, number)).toMatch(pattern);
  });

  test('of different numbers differ: 20,000 in a row', () => {
    const names = new Set(Array.from({ length: 20_000 }, (_, number) => podNameOf(job, number, number)));
    expect(names.size).toBe(20_000);
  });

  test('at the end of the range still differ from the first ones, and then come again', () => {
    const late = Array.from({ length: 1000 }, (_, at) => podNameOf(job, 0, NAMES_PER_SLOT - 1 - at));
    const early = Array.from({ length: 1000 }, (_, at) => podNameOf(job, 0, at));
    expect(new Set([...late, ...early]).size).toBe(2000);
    expect(podNameOf(job, 0, NAMES_PER_SLOT)).toBe(podNameOf(job, 0, 0));
  });

  test('of another Job of that name are others', () => {
    const other = aJob({}, { metadata: { uid: 'another' } });
    const shared = Array.from({ length: 1000 }, (_, number) => podNameOf(job, number, number) === podNameOf(other, number, number));
    expect(shared.filter(Boolean)).toEqual([]);
  });

  test('of a long Job name keep index and end', () => {
    const long = anIndexedJob({ completions: 100_000 }, { metadata: { name: 'a'.repeat(57) } });
    const name = podNameOf(long, 99_999, 0);
    expect(name).toHaveLength(63);
    expect(name).toMatch(/^a{51}-99999-[a-z2-9]{5}$/);
    expect(podNameOf(aJob({}, { metadata: { name: 'a'.repeat(63) } }), 0, 0)).toHaveLength(63);
  });

  test.each([
    ['demo', undefined, 'demo-'],
    ['demo', 7, 'demo-7-'],
    ['x'.repeat(63), 0, `${'x'.repeat(55)}-0-`],
  ])('generateName of %s, index %j', (name, index, wanted) => expect(namePrefixOf(name, index)).toBe(wanted));
});

const numbers = (owner: typeof job, pods: ReturnType<typeof aPod>[], start: number[], ordinal = 0) =>
  nextChildren(owner, pods, { start, ordinal }).map(({ slot, number }) => [slot, number]);

describe('R5: numbers', () => {
  test('all pods of a Job without indexes are one series', () =>
    expect(numbers(job, [aPod({ number: 4 }), aPod({ number: 2 })], [0, 0])).toEqual([
      [5, 5],
      [6, 6],
    ]));
  test('each index has its own', () =>
    expect(numbers(indexed, [aPod({ index: '3', number: 4 }), aPod({ index: '5', number: 0 })], [3, 5, 6])).toEqual([
      [3, 5],
      [5, 1],
      [6, 0],
    ]));
  test('a number that vanished is not taken again: the ordinal is the lowest', () =>
    expect(numbers(job, [aPod({ number: 1 })], [0], 9)).toEqual([[9, 9]]));
  test('the name of a pod that somebody else named is left out', () => {
    const taken = aPod({ name: podNameOf(job, 0, 0) });
    expect(numbers(job, [taken], [0])).toEqual([[1, 1]]);
  });
  test('are on the pod, and in the action', () => {
    const [first] = actionsOf(planOf({ job: indexed, pods: [aPod({ index: '0', number: 2, phase: 'Failed', createdAt: 1 })] }), 'create');
    expect(first).toMatchObject({ child: { slot: 0, number: 3 }, object: { metadata: { annotations: { 'farloop.dev/number': '3' } } } });
    expect(first?.object.metadata.name).toBe(podNameOf(indexed, 0, 3));
  });
});
