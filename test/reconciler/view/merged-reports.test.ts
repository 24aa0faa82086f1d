// Several reports of one batch as few pieces of news.
import { describe, expect, test } from '@jest/globals';
import { mergedReports } from '../../../lib/reconciler/view/merged-reports.ts';
import type { PodFacts } from '../../../lib/objects/pod-facts.ts';
import type { PodObservation, WorkloadReport } from '../../../lib/wire/observations.ts';

const owner = { kind: 'Job' as const, namespace: 'default', name: 'demo', uid: 'u' };
const pod = (uid: string, heardAt: string, deleted = false): PodObservation => ({
  heardAt,
  deleted,
  pod: { uid, resourceVersion: heardAt } as PodFacts,
});
const observed = (heardAt: string) => ({ heardAt, deleted: false, object: {} }) as NonNullable<WorkloadReport['observed']>;

describe('R2: reports of one workload in one batch', () => {
  test('become one, of each object the latest that was heard', () => {
    const one = { owner, observed: observed('7'), pods: [pod('a', '9'), pod('b', '10')] };
    const other = { owner, observed: observed('12'), pods: [pod('a', '11'), pod('c', '8', true)] };
    const expected = [{ owner, observed: observed('12'), pods: [pod('a', '11'), pod('b', '10'), pod('c', '8', true)] }];
    expect(mergedReports([one, other])).toEqual(expected);
    // In whatever order they come.
    expect(mergedReports([other, one]).flatMap(({ pods }) => pods)).toEqual(expect.arrayContaining(expected[0]?.pods ?? []));
  });

  test('gone stays the last word, whatever was heard later of that uid', () => {
    const gone = { owner, pods: [pod('a', '9', true)] };
    const there = { owner, pods: [pod('a', '12')] };
    for (const reports of [
      [gone, there],
      [there, gone],
    ])
      expect(mergedReports(reports)[0]?.pods).toEqual(gone.pods);
  });

  test('R19: whole lists stay as they came, each for its own range', () => {
    const lists = [0, 40].map((from) => ({ owner, pods: [], whole: { floor: '5', slots: { from, to: from + 40 } } }));
    const news = { owner, pods: [pod('a', '9')] };
    expect(mergedReports([lists[0], news, lists[1]].filter((report) => report !== undefined))).toEqual([...lists, news]);
  });
});
