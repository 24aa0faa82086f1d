// What is said of fewer namespaces: Jobs that are left there, or only pods that outlive theirs.
import { expect, test } from '@jest/globals';
import { leavingRefusal, unknownWordsSentence, workloadsSentence } from '../../lib/cli/cluster/cluster-administration.ts';

const pods = (count: number) =>
  Array.from({ length: count }, (_none, at) => ({ metadata: { namespace: 'etl', name: `pod-${at}` }, spec: { containers: [] } }));

const jobs = (...names: string[]) => ({ kinds: ['Job'], found: names.map((name) => ({ kind: 'Job', name })) });

test('an unfinished Job is to end first', () => {
  expect(leavingRefusal({ unfinished: jobs('etl/late'), tracked: pods(2) }, ['--namespaces'])).toMatch(
    /^1 Job is unfinished: etl\/late, which --namespaces leaves out: .*let Jobs end there first/,
  );
});

test('pods alone are waited for, the first ten by name', () => {
  expect(leavingRefusal({ unfinished: jobs(), tracked: pods(1) }, ['--namespaces'])).toMatch(
    /^1 pod keeps the finalizer .*: etl\/pod-0, which --namespaces/,
  );
  expect(leavingRefusal({ unfinished: jobs(), tracked: pods(12) }, ['--namespaces'])).toMatch(
    /^12 pods keep .*, etl\/pod-7 and 2 more, which .*again in a minute/,
  );
});

test('where nothing is left nothing is refused', () => {
  expect(leavingRefusal({ unfinished: jobs(), tracked: [] }, [])).toBeUndefined();
});

test('a kind that is not managed any more is left as a namespace is', () => {
  const unfinished = { kinds: ['Job', 'Ensemble'], found: [{ kind: 'Ensemble', name: 'etl/choir' }] };
  expect(leavingRefusal({ unfinished, tracked: [] }, ['--namespaces', '--manage'])).toMatch(
    /^1 Ensemble is unfinished: etl\/choir, which --namespaces or --manage leaves out: .*let Jobs and Ensembles end there first/,
  );
});

test.each([
  { kinds: ['Job'], found: [], says: 'no Job is running' },
  { kinds: ['Job', 'Ensemble'], found: [], says: 'no Job or Ensemble is running' },
  { kinds: [], found: [], says: 'no workload is running' },
  { kinds: ['Job'], found: ['Job a/one', 'Job a/two'], says: '2 Jobs are running: a/one, a/two' },
  {
    kinds: ['Job', 'Ensemble'],
    found: ['Job a/one', 'Job a/two', 'Ensemble a/one'],
    says: '2 Jobs and 1 Ensemble are running: Job a/one, Job a/two, Ensemble a/one',
  },
])('$says', ({ kinds, found, says }) => {
  const named = found.map((each) => ({ kind: each.split(' ')[0] ?? '', name: each.split(' ')[1] ?? '' }));
  expect(workloadsSentence({ kinds, found: named }, 'running')).toBe(says);
});

test('a record that manages a kind which this build does not know is said so, in one sentence', () => {
  expect(unknownWordsSentence({ name: 'far', manages: ['jobs'] })).toBeUndefined();
  expect(unknownWordsSentence({ name: 'far', manages: ['jobs', 'choirs'] })).toMatch(
    /^far is registered with --manage choirs, which this version/,
  );
});
