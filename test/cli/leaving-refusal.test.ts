// What is said of fewer namespaces: Jobs that are left there, or only pods that outlive theirs.
import { expect, test } from '@jest/globals';
import { leavingRefusal } from '../../lib/cli/cluster-administration.ts';

const pods = (count: number) =>
  Array.from({ length: count }, (_none, at) => ({ metadata: { namespace: 'etl', name: `pod-${at}` }, spec: { containers: [] } }));

test('an unfinished Job is to end first', () => {
  expect(leavingRefusal({ unfinished: ['etl/late'], tracked: pods(2) })).toMatch(
    /^1 Job is unfinished: etl\/late, which --namespaces leaves out: .*let Jobs end there first/,
  );
});

test('pods alone are waited for, the first ten by name', () => {
  expect(leavingRefusal({ unfinished: [], tracked: pods(1) })).toMatch(/^1 pod keeps the finalizer .*: etl\/pod-0, which --namespaces/);
  expect(leavingRefusal({ unfinished: [], tracked: pods(12) })).toMatch(
    /^12 pods keep .*, etl\/pod-7 and 2 more, which .*again in a minute/,
  );
});

test('where nothing is left nothing is refused', () => {
  expect(leavingRefusal({ unfinished: [], tracked: [] })).toBeUndefined();
});
