// Statuses that the API server takes from a Job's controller, and those it refuses.
import type { Condition, Job, JobStatus } from '../../../lib/objects/kubernetes.ts';
import { aJob, anIndexedJob } from './judge.ts';
import type { JobCase } from './judge.ts';

const startTime = '2026-01-02T03:04:05Z';
const completionTime = '2026-01-02T03:05:05Z';
const condition = (type: string, status = 'True'): Condition => ({ type, status, lastTransitionTime: startTime, lastProbeTime: startTime });
const are = (...types: string[]): Condition[] => types.map((type) => condition(type));

const started: JobStatus = { startTime };
const met: JobStatus = { startTime, succeeded: 1, conditions: are('SuccessCriteriaMet') };
const complete: JobStatus = { startTime, completionTime, succeeded: 1, conditions: are('SuccessCriteriaMet', 'Complete') };
const failing: JobStatus = { startTime, failed: 1, conditions: are('FailureTarget') };
const failed: JobStatus = { startTime, failed: 1, conditions: are('FailureTarget', 'Failed') };
const [conditionsField, completionField] = ['status.conditions', 'status.completionTime'];

const taken = (name: string, status: JobStatus, { job = aJob(), before = [] }: { job?: Job; before?: JobStatus[] } = {}): JobCase => ({
  name,
  job,
  before,
  status,
  code: 200,
});
const refused = (
  name: string,
  status: JobStatus,
  fields: string[],
  { job = aJob(), before = [] }: { job?: Job; before?: JobStatus[] } = {},
): JobCase => ({ name, job, before, status, code: 422, fields: fields.toSorted() });

const perIndex = (): Job => anIndexedJob({ backoffLimitPerIndex: 1 });
const withSuccessPolicy = (): Job => anIndexedJob({ successPolicy: { rules: [{ succeededCount: 1 }] } });

const counters: JobCase[] = [
  taken('nothing', {}),
  taken('a start', { startTime, active: 1, ready: 0, terminating: 0 }),
  refused('negative active', { active: -1 }, ['status.active']),
  refused('negative succeeded', { succeeded: -1 }, ['status.succeeded']),
  refused('negative failed', { failed: -1 }, ['status.failed']),
  refused('negative ready', { ready: -1 }, ['status.ready']),
  refused('negative terminating', { terminating: -1 }, ['status.terminating']),
  refused('more ready than active', { active: 1, ready: 2 }, ['status.ready']),
  refused('fewer active than were ready', { active: 1, ready: 2 }, ['status.ready'], { before: [{ active: 2, ready: 2 }] }),
  refused('fewer failed', { failed: 1 }, ['status.failed'], { before: [{ failed: 2 }] }),
  refused('fewer succeeded', { succeeded: 1 }, ['status.succeeded'], { before: [{ succeeded: 2 }] }),
  refused('fewer succeeded of an Indexed Job', { succeeded: 1 }, ['status.succeeded'], { job: anIndexedJob(), before: [{ succeeded: 2 }] }),
  taken(
    'fewer succeeded of an elastic one',
    { succeeded: 1 },
    { job: anIndexedJob({ completions: 5, parallelism: 5 }), before: [{ succeeded: 2 }] },
  ),
  taken('uncounted pods', { uncountedTerminatedPods: { succeeded: ['a'], failed: ['b'] } }),
  refused('an uncounted pod twice', { uncountedTerminatedPods: { succeeded: ['a', 'a'] } }, [
    'status.uncountedTerminatedPods.succeeded[1]',
  ]),
  refused('an uncounted pod in both lists', { uncountedTerminatedPods: { succeeded: ['a'], failed: ['a'] } }, [
    'status.uncountedTerminatedPods.failed[0]',
  ]),
  refused('an empty uid', { uncountedTerminatedPods: { failed: [''] } }, ['status.uncountedTerminatedPods.failed[0]']),
];

const ends: JobCase[] = [
  taken('success is near', met, { before: [started] }),
  taken('success', complete, { before: [met] }),
  taken('success in one write', complete),
  taken('failure is near', failing, { before: [started] }),
  taken('failure', failed, { before: [failing] }),
  taken('failure in one write', failed),
  taken('a terminal condition that is False', { startTime, conditions: [condition('Failed', 'False')] }),
  refused('success without its interim condition', { ...complete, conditions: are('Complete') }, [conditionsField]),
  refused('failure without its interim condition', { ...failed, conditions: are('Failed') }, [conditionsField]),
  refused('both ends', { ...complete, conditions: are('SuccessCriteriaMet', 'Complete', 'FailureTarget', 'Failed') }, [conditionsField]),
  refused('both interim conditions', { startTime, conditions: are('SuccessCriteriaMet', 'FailureTarget') }, [conditionsField]),
  refused('success with the other interim condition', { ...complete, conditions: are('FailureTarget', 'Complete') }, [conditionsField]),
  refused('failure with the other interim condition', { startTime, conditions: are('SuccessCriteriaMet', 'Failed') }, [conditionsField]),
  refused('success that is near, then failure that is near', failing, [conditionsField, 'status.succeeded'], { before: [met] }),
  refused('Complete goes', met, [conditionsField, completionField].slice(0, 1), { before: [complete] }),
  refused(
    'Complete turns False',
    { ...complete, conditions: [...are('SuccessCriteriaMet'), condition('Complete', 'False')] },
    [conditionsField, completionField],
    { before: [complete] },
  ),
  refused('Failed goes', failing, [conditionsField], { before: [failed] }),
  refused('FailureTarget goes', { ...failing, conditions: [] }, [conditionsField], { before: [failing] }),
  refused('SuccessCriteriaMet goes', { ...met, conditions: [] }, [conditionsField], { before: [met] }),
  refused('SuccessCriteriaMet goes from a complete Job', { ...complete, conditions: are('Complete') }, [conditionsField], {
    before: [complete],
  }),
  taken('success by a policy', { ...complete, completedIndexes: '0' }, { job: withSuccessPolicy() }),
  taken('success is near by a policy', { ...met, completedIndexes: '0' }, { job: withSuccessPolicy() }),
  taken('a doubled condition, one of them True', {
    startTime,
    conditions: [condition('FailureTarget', 'False'), condition('FailureTarget')],
  }),
  taken('failure by a doubled condition', {
    startTime,
    conditions: [condition('FailureTarget', 'False'), condition('FailureTarget'), condition('Failed')],
  }),
];

const times: JobCase[] = [
  refused('complete without a time', { startTime, conditions: complete.conditions ?? [] }, [completionField]),
  refused('a time of completion of a running Job', { startTime, completionTime }, [completionField]),
  refused('a time of completion of a failed Job', { ...failed, completionTime }, [completionField]),
  refused('completion before the start', { ...complete, startTime: completionTime, completionTime: startTime }, [completionField]),
  taken('completion at the start', { ...complete, completionTime: startTime }),
  refused('another time of completion', { ...complete, completionTime: '2026-01-02T03:06:05Z' }, [completionField], { before: [complete] }),
  taken(
    'the same time of completion in another zone',
    { ...complete, completionTime: '2026-01-02T04:05:05+01:00' },
    { before: [complete] },
  ),
  refused('no time of completion any more', { startTime, succeeded: 1, conditions: complete.conditions ?? [] }, [completionField], {
    before: [complete],
  }),
  refused('complete without a start', { completionTime, conditions: complete.conditions ?? [] }, ['status.startTime']),
  refused('failed without a start', { conditions: failed.conditions ?? [] }, ['status.startTime']),
  taken(
    'a suspended Job without completions ends unstarted',
    { completionTime, conditions: complete.conditions ?? [] },
    { job: aJob({ suspend: true, completions: 0 }) },
  ),
  refused('a suspended Job with completions does not', { completionTime, conditions: complete.conditions ?? [] }, ['status.startTime'], {
    job: aJob({ suspend: true, completions: 1 }),
  }),
  refused('another start', { startTime: completionTime }, ['status.startTime'], { before: [started] }),
  refused('no start any more', {}, ['status.startTime'], { before: [started] }),
  taken('no start any more of a suspended Job', {}, { job: aJob({ suspend: true }), before: [started] }),
  taken('another start of a suspended Job', { startTime: completionTime }, { job: aJob({ suspend: true }), before: [started] }),
  taken(
    'another start with the end of a suspension',
    { startTime: completionTime, conditions: [condition('Suspended', 'False')] },
    { before: [{ startTime, conditions: are('Suspended') }] },
  ),
  refused(
    'another start with a suspension that goes on',
    { startTime: completionTime, conditions: are('Suspended') },
    ['status.startTime'],
    { before: [{ startTime, conditions: are('Suspended') }] },
  ),
];

const finished: JobCase[] = [
  refused('with active pods', { ...complete, active: 1 }, ['status.active']),
  refused('with terminating pods', { ...failed, terminating: 1 }, ['status.terminating']),
  taken('with no terminating pods', { ...failed, terminating: 0, ready: 0 }),
  refused('with uncounted pods', { ...failed, uncountedTerminatedPods: { failed: ['a'] } }, ['status.uncountedTerminatedPods']),
  taken('with empty lists of uncounted pods', { ...failed, uncountedTerminatedPods: {} }),
  refused('pods that come back', { ...failed, active: 1 }, ['status.active'], { before: [failed] }),
  refused('pods that terminate afterwards', { ...failed, terminating: 2 }, ['status.terminating'], { before: [failed] }),
  refused(
    'pods that are uncounted afterwards',
    { ...failed, uncountedTerminatedPods: { succeeded: ['a'] } },
    ['status.uncountedTerminatedPods'],
    { before: [failed] },
  ),
  refused('everything wrong at once', { active: 1, ready: 2, terminating: 1, conditions: are('Complete') }, [
    'status.active',
    completionField,
    conditionsField,
    'status.ready',
    'status.startTime',
    'status.terminating',
  ]),
];

const indexes: JobCase[] = [
  taken('completed ones', { startTime, succeeded: 3, completedIndexes: '0,2-4' }, { job: anIndexedJob() }),
  refused('completed ones without indexes', { startTime, completedIndexes: '0' }, ['status.completedIndexes']),
  refused('completed ones out of range', { completedIndexes: '5' }, ['status.completedIndexes'], { job: anIndexedJob() }),
  refused('completed ones out of order', { completedIndexes: '2,1' }, ['status.completedIndexes'], { job: anIndexedJob() }),
  refused('completed ones that are no numbers', { completedIndexes: 'a-b' }, ['status.completedIndexes'], { job: anIndexedJob() }),
  taken('failed ones', { failedIndexes: '0-2' }, { job: perIndex() }),
  taken('no failed ones', { failedIndexes: '' }, { job: perIndex() }),
  refused('failed ones without a backoff per index', { failedIndexes: '' }, ['status.failedIndexes'], { job: anIndexedJob() }),
  refused('failed ones out of range', { failedIndexes: '3-5' }, ['status.failedIndexes'], { job: perIndex() }),
  refused('an index both completed and failed', { completedIndexes: '0-2', failedIndexes: '2' }, ['status.failedIndexes'], {
    job: perIndex(),
  }),
  refused('an index that completes after it failed', { completedIndexes: '2', failedIndexes: '2' }, ['status.failedIndexes'], {
    job: perIndex(),
    before: [{ failedIndexes: '2' }],
  }),
  taken('beside each other', { completedIndexes: '0-1,4', failedIndexes: '2,3' }, { job: perIndex() }),
  refused('two unreadable texts', { completedIndexes: 'x', failedIndexes: 'y' }, ['status.completedIndexes', 'status.failedIndexes'], {
    job: perIndex(),
  }),
];

export const jobStatuses: JobCase[] = [...counters, ...ends, ...times, ...finished, ...indexes];
