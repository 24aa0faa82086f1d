// `activeDeadlineSeconds` (sections 10 e, 23.2).
import { describe, expect, test } from '@jest/globals';
import { aCondition, aJob, at, NOW } from '../builders.ts';
import { claimed, outcomeOf, planOf, type Case } from '../outcome.ts';

const FAILED = ['FailureTarget', 'Failed'];

const cases: Case[] = [
  {
    name: 'case 53: deadline passed',
    job: aJob({ parallelism: 1, completions: 2, activeDeadlineSeconds: 10 }, { status: { startTime: at(-15) } }),
    pods: '1A 1S',
    deletes: 1,
    strips: 2,
    status: '0/0/1/1/1',
    conditions: ['FailureTarget'],
  },
  {
    name: 'case 54: deadline passed, no pods',
    job: aJob({ parallelism: 1, completions: 1, activeDeadlineSeconds: 10 }, { status: { startTime: at(-15) } }),
    status: '0/0/0/0/0',
    conditions: FAILED,
    events: ['DeadlineExceeded'],
  },
  {
    name: 'case 55: the limit before the deadline',
    job: aJob({ parallelism: 1, completions: 1, backoffLimit: 0, activeDeadlineSeconds: 1 }, { status: { startTime: at(-15) } }),
    pods: '1F',
    conditions: FAILED,
    events: ['BackoffLimitExceeded'],
  },
  {
    name: 'case 56: no deadline while suspended',
    job: aJob({ parallelism: 1, suspend: true, activeDeadlineSeconds: 10 }, { status: { startTime: at(-15) } }),
    conditions: ['Suspended'],
    requeue: undefined,
  },
  {
    name: 'case 57: deadline ahead',
    job: aJob({ parallelism: 1, completions: 1, activeDeadlineSeconds: 100 }, { status: { startTime: at(-40) } }),
    pods: '1A',
    deletes: 0,
    conditions: [],
    requeue: 60,
  },
  {
    name: 'case 58: deadline exactly reached',
    job: aJob({ parallelism: 1, completions: 1, activeDeadlineSeconds: 10 }, { status: { startTime: at(-10) } }),
    pods: '1A',
    deletes: 1,
    conditions: ['FailureTarget'],
  },
  {
    name: 'a deadline of more nanoseconds than 64 bits hold is over at once where it wraps around to below 0, as in the reference',
    job: aJob({ parallelism: 1, completions: 1, activeDeadlineSeconds: 10_000_000_000 }, { status: { startTime: at(-10) } }),
    conditions: FAILED,
    events: ['DeadlineExceeded'],
  },
  {
    name: 'and where it does not, it is as far ahead as it is there',
    job: aJob({ parallelism: 1, completions: 1, activeDeadlineSeconds: 10_000_000_000_000 }, { status: { startTime: at(-10) } }),
    pods: '1A',
    conditions: [],
    requeue: 1_864_712_039.423_024_2,
  },
];

describe('deadline', () => {
  test.each(cases)('$name', (row) => {
    const [found, wanted] = claimed(row, planOf(row));
    expect(found).toEqual(wanted);
  });

  test('case 54: the words of a missed deadline', () => {
    const plan = planOf({ job: aJob({ parallelism: 1, activeDeadlineSeconds: 10 }, { status: { startTime: at(-15) } }) });
    expect(plan.status.conditions?.[0]).toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
    });
  });

  test('a missed deadline stays what the Job fails for, whatever was deleted for it since, until its status says something', () => {
    const failure = { reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
    const spec = { parallelism: 3, completions: 3, backoffLimit: 0, activeDeadlineSeconds: 10 };
    const status = { startTime: at(-15) };
    expect(planOf({ job: aJob(spec, { status }), pods: '3A' }).failure).toEqual(failure);
    const next = planOf({ job: aJob(spec, { status }), pods: '1A 2T', head: { failure } });
    expect(next).toMatchObject({ failure, status: { conditions: [{ type: 'FailureTarget', ...failure }] } });
    expect(outcomeOf(next)).toMatchObject({ deletes: 1, events: [] });
    const conditions = [aCondition('FailureTarget', 'True', 'BackoffLimitExceeded', 'over')];
    const told = planOf({ job: aJob(spec, { status: { ...status, conditions } }), pods: '1A 2T', head: { failure } });
    expect(told.failure).toBeUndefined();
    expect(told.status.conditions).toEqual(conditions);
    const success = [aCondition('SuccessCriteriaMet', 'True', 'SuccessPolicy', 'enough')];
    const succeeds = planOf({ job: aJob(spec, { status: { ...status, conditions: success } }), pods: '2T', head: { failure } });
    expect(outcomeOf(succeeds).conditions).toEqual(['SuccessCriteriaMet']);
  });

  test('R12: a deadline is not taken as passed while a fraction of a second is left', () => {
    const job = aJob({ parallelism: 1, completions: 1, activeDeadlineSeconds: 10 }, { status: { startTime: at(-10) } });
    const plan = planOf({ job, pods: '1A' }, new Date(NOW * 1000 - 1));
    expect(outcomeOf(plan)).toMatchObject({ deletes: 0, requeue: 0.001 });
  });

  test('a Job resumed with the start of long ago is judged by that', () => {
    const conditions = [aCondition('Suspended', 'True', 'JobSuspended', 'Job suspended')];
    const job = aJob({ completions: 5, activeDeadlineSeconds: 10 }, { status: { conditions, startTime: at(-15) } });
    expect(outcomeOf(planOf({ job })).conditions).toEqual(['Suspended', 'FailureTarget', 'Failed']);
  });
});
