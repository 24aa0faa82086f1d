// Several reports of one batch as few pieces of news.
import { describe, expect, test } from '@jest/globals';
import { mergedReports } from '../../../lib/reconciler/view/merged-reports.ts';
import type { PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import type { ChildObservation, PodObservation, WorkloadReport } from '../../../lib/wire/words/observations.ts';
import { podsIn, toldOthers, toldPods } from '../../wire/told-children.ts';

const owner = { kind: 'Job' as const, namespace: 'default', name: 'demo', uid: 'u' };
const pod = (uid: string, heardAt: string, deleted = false): PodObservation => ({
  heardAt,
  presence: deleted ? 'deleted' : 'there',
  child: { uid, resourceVersion: heardAt } as PodFacts,
});
const observed = (heardAt: string) => ({ heardAt, deleted: false, object: {} }) as NonNullable<WorkloadReport['observed']>;

describe('R2: reports of one workload in one batch', () => {
  test('become one, of each object the latest that was heard', () => {
    const one = { owner, observed: observed('7'), children: [toldPods([pod('a', '9'), pod('b', '10')])] };
    const other = { owner, observed: observed('12'), children: [toldPods([pod('a', '11'), pod('c', '8', true)])] };
    const expected = [{ owner, observed: observed('12'), children: [toldPods([pod('a', '11'), pod('b', '10'), pod('c', '8', true)])] }];
    expect(mergedReports([one, other])).toEqual(expected);
    // In whatever order they come.
    expect(mergedReports([other, one]).flatMap(podsIn)).toEqual(expect.arrayContaining(expected.flatMap(podsIn)));
  });

  test('gone stays the last word, whatever was heard later of that uid', () => {
    const gone = { owner, children: [toldPods([pod('a', '9', true)])] };
    const there = { owner, children: [toldPods([pod('a', '12')])] };
    for (const reports of [
      [gone, there],
      [there, gone],
    ])
      expect(mergedReports(reports)).toEqual([gone]);
  });

  test('of each child the latest counts too, in whatever order the reports come', () => {
    const child = (heardAt: string, presence: 'there' | 'deleted', terminating?: true): ChildObservation =>
      ({
        heardAt,
        presence,
        child: { resource: 'services', uid: 's', name: 's', ...(terminating && { terminating }) },
      }) as ChildObservation;
    const reports = [child('8', 'there'), child('9', 'there', true), child('10', 'deleted')].map((each) => ({
      owner,
      children: toldOthers([each]),
    }));
    for (const order of [reports, reports.toReversed()])
      expect(mergedReports(order)[0]?.children).toEqual(toldOthers([child('10', 'deleted')]));
    expect(mergedReports(reports.slice(0, 2))[0]?.children).toEqual(toldOthers([child('9', 'there', true)]));
  });

  test('R19: whole lists stay as they came, each for its own range', () => {
    const lists = [0, 40].map((from) => ({ owner, children: [toldPods([], { floor: '5', slots: { from, to: from + 40 } })] }));
    const news = { owner, children: [toldPods([pod('a', '9')])] };
    expect(mergedReports([lists[0], news, lists[1]].filter((report) => report !== undefined))).toEqual([...lists, news]);
  });
});
