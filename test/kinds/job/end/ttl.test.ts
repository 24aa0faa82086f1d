// Deleting a finished Job when its time is over: the reference's table, and what a pass does about it.
import { describe, expect, test } from '@jest/globals';
import type { Condition, Job } from '../../../../lib/objects/kubernetes.ts';
import { cleanupOf, expiryOf, needsCleanup } from '../../../../lib/kinds/job/end/ttl.ts';
import { jobShown } from '../../../../lib/kinds/job/shown.ts';
import { explainPlan } from '../../../../lib/kinds/planning/plan-text.ts';
import { aCondition, aJob, at, now, podsOf } from '../builders.ts';
import { actionsOf, orderOf, planOf } from '../outcome.ts';

const endedAt = (type: 'Complete' | 'Failed', time: string): Condition => ({ ...aCondition(type, 'True'), lastTransitionTime: time });

/** A Job with these conditions. */
const aFinishedJob = (ttlSecondsAfterFinished: number | undefined, conditions: Condition[]): Job =>
  aJob(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }, { status: { conditions } });

describe('section 17: how long still', () => {
  const refused = 'job default/demo should not be cleaned up';
  const cases: { name: string; ttl: number | undefined; conditions: Condition[]; left: number | string }[] = [
    { name: 'row 1: not finished', ttl: 100, conditions: [], left: refused },
    { name: 'row 2: completed now, no TTL', ttl: undefined, conditions: [endedAt('Complete', at(0))], left: refused },
    { name: 'row 2: failed now, no TTL', ttl: undefined, conditions: [endedAt('Failed', at(0))], left: refused },
    { name: 'row 3: completed now, TTL 0', ttl: 0, conditions: [endedAt('Complete', at(0))], left: 0 },
    { name: 'row 3: failed now, TTL 0', ttl: 0, conditions: [endedAt('Failed', at(0))], left: 0 },
    { name: 'row 4: completed now, TTL 10', ttl: 10, conditions: [endedAt('Complete', at(0))], left: 10 },
    { name: 'row 4: failed now, TTL 10', ttl: 10, conditions: [endedAt('Failed', at(0))], left: 10 },
    { name: 'row 5: completed 10 s ago, TTL 15', ttl: 15, conditions: [endedAt('Complete', at(-10))], left: 5 },
    { name: 'row 5: failed 10 s ago, TTL 15', ttl: 15, conditions: [endedAt('Failed', at(-10))], left: 5 },
    { name: 'expired a while ago', ttl: 5, conditions: [endedAt('Complete', at(-10))], left: -5 },
    {
      name: 'the first terminal condition that is True tells when',
      ttl: 20,
      conditions: [{ ...endedAt('Failed', at(-1)), status: 'False' }, endedAt('Complete', at(-4)), endedAt('Failed', at(-2))],
      left: 16,
    },
    {
      name: 'an end without a time',
      ttl: 10,
      conditions: [{ type: 'Complete', status: 'True' }],
      left: 'unable to find the time when the Job default/demo finished',
    },
    { name: 'one that lies ahead of the clock counts from there', ttl: 10, conditions: [endedAt('Complete', at(3))], left: 13 },
  ];
  test.each(cases)('$name', ({ ttl, conditions, left }) => {
    const job = aFinishedJob(ttl, conditions);
    if (typeof left === 'string') expect(() => expiryOf(job, now)).toThrow(left);
    else {
      const { remainingMs, expiresAtMs } = expiryOf(job, now);
      expect(remainingMs).toBe(left * 1000);
      expect(expiresAtMs).toBe(now.getTime() + left * 1000);
    }
  });

  test('one that is being deleted needs no cleanup', () => {
    const job = aFinishedJob(0, [endedAt('Complete', at(-10))]);
    expect(needsCleanup(job)).toBe(true);
    job.metadata.deletionTimestamp = at(-1);
    expect(needsCleanup(job)).toBe(false);
    expect(cleanupOf(job, now)).toBeUndefined();
  });
});

describe('a pass over a finished Job', () => {
  test('waits for its time and says when it is deleted', () => {
    const plan = planOf({ job: aFinishedJob(90, [endedAt('Complete', at(-30))]) });
    expect(plan).toMatchObject({ actions: [], outcome: 'waiting', requeueAfterSeconds: 60 });
    expect(explainPlan('Job/default/demo', plan, { shown: jobShown })).toContain(`is deleted at ${at(60)}`);
  });

  test('R8: deletes it in the foreground, with its uid and the version that was judged', () => {
    const plan = planOf({ job: aFinishedJob(30, [endedAt('Failed', at(-30))]) });
    expect(plan).toMatchObject({
      outcome: 'acted',
      actions: [
        {
          verb: 'delete',
          kind: 'Job',
          name: 'demo',
          uid: '6b1f0d4e-0000-4000-8000-00000000a0b1',
          resourceVersion: '100',
          propagationPolicy: 'Foreground',
        },
      ],
    });
    expect(plan.requeueAfterSeconds).toBeUndefined();
    expect(actionsOf(plan, 'delete')[0]?.why).toContain('ttlSecondsAfterFinished 30');
    expect(explainPlan('Job/default/demo', plan, { shown: jobShown })).toContain('delete Job: demo');
  });

  test('lets its pods go first', () => {
    const plan = planOf({ job: aFinishedJob(0, [endedAt('Complete', at(-1))]), pods: '2S' });
    expect(orderOf(plan)).toEqual(['strip', 'delete']);
  });

  test('tells a wrong clock', () => {
    const plan = planOf({ job: aFinishedJob(10, [endedAt('Complete', at(3))]), pods: podsOf('') });
    expect(plan.why.join()).toContain('a clock is wrong');
    expect(plan.requeueAfterSeconds).toBe(13);
  });

  test('is parked where nobody can tell when it finished', () => {
    const plan = planOf({ job: aFinishedJob(10, [{ type: 'Failed', status: 'True' }]) });
    expect(plan).toMatchObject({ outcome: 'parked', actions: [] });
    expect(plan.why).toContain('unable to find the time when the Job default/demo finished');
  });

  test('without a TTL has nothing to do', () => {
    expect(planOf({ job: aFinishedJob(undefined, [endedAt('Complete', at(-9000))]) })).toMatchObject({ actions: [], outcome: 'converged' });
  });
});
