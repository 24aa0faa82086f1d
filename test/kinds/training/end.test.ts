// Worked cases 17 to 29: clean-up, limits, time after the end.
import { describe, expect, test } from '@jest/globals';
import { tensorflow } from '../../../lib/kinds/training/frameworks/tensorflow.ts';
import { pytorch } from '../../../lib/kinds/training/frameworks/pytorch.ts';
import {
  aCondition,
  actionsOf,
  at,
  deleted,
  ended,
  NOW,
  now,
  planFor,
  podsOf,
  aTraining,
  states,
  told,
  type Situation,
} from './builders.ts';

const done = (type: string) => ({
  status: { conditions: [aCondition(tensorflow, type)], startTime: at(-90), completionTime: at(-9), replicaStatuses: {} },
});
const AB = 'Worker: R S';
const BOTH = ['j-worker-0', 'j-worker-1'];

describe('clean-up', () => {
  test.each([
    ['case 17', done('Succeeded'), { cleanPodPolicy: 'Running' }, ['j-worker-0']],
    ['case 18', {}, { cleanPodPolicy: 'Running', suspend: true }, BOTH],
    ['case 19', done('Succeeded'), { cleanPodPolicy: 'All' }, BOTH],
    ['case 20', done('Failed'), { cleanPodPolicy: 'None' }, []],
    ['case 21', {}, { cleanPodPolicy: 'None', suspend: true }, BOTH],
    ['11.2: unset is None', done('Failed'), {}, []],
    ['11.2: empty is All', done('Failed'), { cleanPodPolicy: '' }, BOTH],
  ])('%s', (_, status, runPolicy, gone) => {
    const plan = planFor({ replicas: { Worker: 2 }, pods: AB, runPolicy, ...status });
    expect([deleted(plan), deleted(plan, 'Service')]).toEqual([gone, gone]);
    expect(told(plan).filter((event) => event.includes('Deleted pod'))).toEqual(
      gone.map((name) => `Normal SuccessfulDeletePod: Deleted pod: ${name}`),
    );
  });

  test.each([
    ['R R R R', 'R R', 'All', 6],
    ['R R R R', 'R R', 'Running', 6],
    ['S S S S', 'S S', 'Running', 0],
    ['R R R R', 'R R', 'None', 0],
  ])('case 25: workers %s, PS %s, policy %s: %i go', (workers, servers, cleanPodPolicy, count) => {
    const pods = `Worker: ${workers}; PS: ${servers}`;
    const plan = planFor({ replicas: { Worker: 4, PS: 2 }, pods, runPolicy: { cleanPodPolicy }, ...done('Succeeded') });
    expect([deleted(plan).length, deleted(plan, 'Service').length]).toEqual([count, count]);
  });

  test('B-16: a service goes without its pod', () => {
    const job = aTraining({ replicas: { Worker: 2 } });
    const services = podsOf(job, tensorflow, 'Worker: R R');
    const children = services.map(({ name, labels }) => ({
      resource: 'services',
      uid: name,
      namespace: 'default',
      name,
      resourceVersion: '1',
      labels,
      part: { revision: 1, facts: null },
    }));
    const plan = planFor({
      replicas: { Worker: 2 },
      pods: 'Worker: S0',
      services: children,
      runPolicy: { cleanPodPolicy: 'Running' },
      ...done('Succeeded'),
    });
    expect([deleted(plan), deleted(plan, 'Service')]).toEqual([[], ['j-worker-1']]);
    const none = planFor({
      replicas: { Worker: 2 },
      pods: '',
      services: children,
      runPolicy: { cleanPodPolicy: 'None' },
      ...done('Succeeded'),
    });
    expect(deleted(none, 'Service')).toEqual([]);
  });

  test('10.3: active replicas of a job that has succeeded count as succeeded, once', () => {
    const status = { ...done('Succeeded').status, replicaStatuses: { Worker: { active: 2, succeeded: 1 } } };
    const plan = planFor({ replicas: { Worker: 3 }, pods: 'Worker: S R R', status });
    expect(plan.status.replicaStatuses).toEqual({ Worker: { succeeded: 3 } });
    expect(planFor({ replicas: { Worker: 3 }, pods: 'Worker: S R R', status: plan.status }).actions).toEqual([]);
  });
});

const STARTED = {
  conditions: [aCondition(tensorflow, 'Created'), aCondition(tensorflow, 'Running')],
  startTime: at(-30),
  replicaStatuses: {},
};
const restarted = (text: string, restarts: number, policy = 'OnFailure') => {
  const job = aTraining({ replicas: { Worker: 4, PS: 2 }, policy });
  return podsOf(job, tensorflow, text).map((pod) => ({
    ...pod,
    containers: [{ name: 'tensorflow', role: 'container' as const, restarts }],
  }));
};
const isOverLimit = (situation: Situation): boolean =>
  told(planFor({ replicas: { Worker: 4, PS: 2 }, status: STARTED, ...situation })).some((event) => event.includes('has failed because it'));

describe('limits', () => {
  test.each<[string, Situation, boolean]>([
    ['case 22: limit 0, no restarts', { pods: 'Worker: R S', policy: 'OnFailure', runPolicy: { backoffLimit: 0 } }, false],
    ['case 23: as many as the limit', { pods: restarted('Worker: R', 3), policy: 'OnFailure', runPolicy: { backoffLimit: 3 } }, true],
    ['fewer than the limit', { pods: restarted('Worker: R', 2), policy: 'OnFailure', runPolicy: { backoffLimit: 3 } }, false],
    ['restarts under Never do not count', { pods: restarted('Worker: R', 3), policy: 'Never', runPolicy: { backoffLimit: 3 } }, false],
    [
      'restarts of pods that do not run do not count',
      { pods: restarted('Worker: P', 3), policy: 'OnFailure', runPolicy: { backoffLimit: 3 } },
      false,
    ],
    ['limit 0, one restart', { pods: restarted('Worker: R', 1), policy: 'OnFailure', runPolicy: { backoffLimit: 0 } }, true],
    ['12.1: limit 0, a failed pod', { pods: 'Worker: F R', policy: 'Never', runPolicy: { backoffLimit: 0 } }, true],
    ['case 24: deadline 0', { status: { ...STARTED, startTime: at(0) }, runPolicy: { activeDeadlineSeconds: 0 } }, true],
    ['case 24: deadline 2', { status: { ...STARTED, startTime: at(0) }, runPolicy: { activeDeadlineSeconds: 2 } }, false],
    ['case 26: no deadline', { pods: 'Worker: R R R R; PS: R R' }, false],
    [
      'case 26: deadline 2',
      { pods: 'Worker: R R R R; PS: R R', status: { ...STARTED, startTime: at(-2) }, runPolicy: { activeDeadlineSeconds: 2 } },
      true,
    ],
    ['case 27', { pods: restarted('Worker: R R R R', 1), policy: 'OnFailure', runPolicy: { backoffLimit: 4 } }, true],
    [
      'B-01: pods out of range do not count',
      { pods: restarted('Worker: R7', 9), policy: 'OnFailure', runPolicy: { backoffLimit: 3 } },
      false,
    ],
  ])('%s', (_, situation, isOver) => {
    expect(isOverLimit(situation)).toBe(isOver);
  });

  test('cases 26 and 27: all pods and services go, then the job has failed, told once', () => {
    const message = 'Job j has failed because it was active longer than specified deadline';
    const runPolicy = { activeDeadlineSeconds: 2, cleanPodPolicy: 'None', ttlSecondsAfterFinished: 0 };
    const plan = planFor({ replicas: { Worker: 4, PS: 2 }, pods: 'Worker: R R R R; PS: R S', status: STARTED, runPolicy });
    expect([deleted(plan).length, deleted(plan, 'Service').length, states(plan)]).toEqual([6, 6, 'Created=True Running=False Failed=True']);
    expect(plan.status).toMatchObject({ completionTime: at(0), startTime: at(-30) });
    expect(told(plan).filter((event) => event.includes('TFJobFailed'))).toEqual([`Normal TFJobFailed: ${message}`]);
    expect(plan.failure).toEqual({ reason: 'TFJobFailed', message });
    const verbs = plan.actions.map(({ verb }) => verb);
    expect(verbs.lastIndexOf('delete')).toBeLessThan(verbs.indexOf('status'));
  });

  test('B-44: a job whose TTL is 0 goes in a pass after that which stores why it failed', () => {
    const runPolicy = { activeDeadlineSeconds: 2, ttlSecondsAfterFinished: 0 };
    const plan = planFor({ pods: 'Worker: R', status: STARTED, runPolicy });
    expect([states(plan), deleted(plan, 'TFJob')]).toEqual(['Created=True Running=False Failed=True', []]);
    expect(deleted(planFor({ status: plan.status, runPolicy }), 'TFJob')).toEqual(['j']);
  });

  test('a verdict of a pass that was cut short stands, though its pods are gone', () => {
    const failure = { reason: 'TFJobFailed', message: 'Job j has failed because it has reached the specified backoff limit' };
    const plan = planFor({ pods: [], status: STARTED, head: { failure } });
    expect([states(plan), actionsOf(plan, 'create')]).toEqual(['Created=True Running=False Failed=True', []]);
  });

  test('12.1: a Failed condition waits until refused deletes are due again', () => {
    const head = { deleteHoldUntilMs: NOW * 1000 + 4000 };
    const plan = planFor({ pods: 'Worker: R', status: STARTED, runPolicy: { activeDeadlineSeconds: 1 }, head });
    expect([deleted(plan), states(plan), plan.requeueAfterSeconds]).toEqual([[], 'Created=True Running=True', 4]);
  });

  test('B-20: the job is woken when its deadline is due', () => {
    const plan = planFor({ pods: 'Worker: R', status: STARTED, runPolicy: { activeDeadlineSeconds: 100 } });
    expect(plan.requeueAfterSeconds).toBe(70);
  });
});

describe('case 28: time after the end', () => {
  const over = (completionTime: string | undefined, ttl?: number, more: object = {}) => {
    const { completionTime: _time, ...status } = done('Succeeded').status;
    return planFor({
      runPolicy: { ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }), ...more },
      status: { ...status, ...(completionTime !== undefined && { completionTime }) },
    });
  };

  test.each([
    ['without one it stays', over(at(-9)), [], 'converged'],
    ['without completionTime it stays', over(undefined, 10), [], 'parked'],
    ['a day ago', over(at(-86_400), 180), ['j'], 'acted'],
    ['at once', over(at(0), 0), ['j'], 'acted'],
    ['not yet', over(at(-9), 10), [], 'waiting'],
  ])('%s', (_, plan, gone, outcome) => {
    expect([deleted(plan, 'TFJob'), plan.outcome]).toEqual([gone, outcome]);
  });

  test('without completionTime it says why', () => {
    expect(over(undefined, 10).why).toContain('job completion time is nil, cannot cleanup');
  });

  test('the rest is waited for, and the deletion told by the kind’s reason', () => {
    expect(over(at(-9), 10).requeueAfterSeconds).toBe(1);
    expect(told(over(at(0), 0))).toEqual(['Normal SuccessfulDeleteJob: Deleted job: j']);
    const conditions = [aCondition(pytorch, 'Failed')];
    const plan = planFor({ framework: pytorch, runPolicy: { ttlSecondsAfterFinished: 0 }, status: { conditions, completionTime: at(-1) } });
    expect(told(plan)).toEqual(['Normal SuccessfulDeletePod: Deleted job: j']);
  });

  test.each([[undefined], [0]])('B-17: a suspended job with a time of %s stays', (ttl) => {
    const plan = planFor({ runPolicy: { suspend: true, ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }) } });
    expect([deleted(plan, 'TFJob'), plan.outcome]).toEqual([[], 'acted']);
  });
});

test('case 94: with limit 2 the third failed pod fails the job', () => {
  const parts = { policy: 'ExitCode', runPolicy: { backoffLimit: 2 }, status: STARTED };
  const failedPod = (slotFailures: number) =>
    podsOf(aTraining(parts), tensorflow, 'Worker: F').map((pod) => ({
      ...pod,
      containers: [ended('tensorflow', 137)],
      slotFailures,
      jobFailures: slotFailures,
    }));
  const first = planFor({ ...parts, pods: failedPod(0) });
  expect([deleted(first), states(first)]).toEqual([['j-worker-0'], 'Created=True Restarting=True']);
  const again = planFor({ ...parts, pods: [], status: first.status, kept: first.head.kept as object });
  const [made] = actionsOf(again, 'create');
  expect(made?.object.metadata.annotations).toMatchObject({ 'farloop.dev/slot-failures': '1', 'farloop.dev/job-failures': '1' });
  // The head may be lost: the pods carry the count.
  expect(states(planFor({ ...parts, pods: failedPod(1) }))).toBe('Created=True Restarting=True');
  const third = planFor({ ...parts, pods: failedPod(2) });
  expect([states(third), actionsOf(third, 'create')]).toEqual(['Created=True Running=False Failed=True', []]);
  expect(third.status.conditions?.at(-1)?.message).toBe('Job j has failed because it has reached the specified backoff limit');
});

test('the limit is the job’s: two slots that failed once each reach a limit of 1, also when the head was lost in between', () => {
  const parts = { replicas: { Worker: 2 }, policy: 'ExitCode', runPolicy: { backoffLimit: 1 }, status: STARTED };
  const pods = podsOf(aTraining(parts), tensorflow, 'Worker: R F(137)').map((pod, index) =>
    index === 0 ? { ...pod, slotFailures: 1, jobFailures: 1 } : pod,
  );
  const plan = planFor({ ...parts, pods, kept: {} });
  expect([states(plan), actionsOf(plan, 'create')]).toEqual(['Created=True Running=False Failed=True', []]);
});

test('failures of a slot that has no pod while the head is lost count by what pods of the others carry', () => {
  const parts = { replicas: { Worker: 2 }, policy: 'ExitCode', status: STARTED };
  const [failed] = podsOf(aTraining(parts), tensorflow, 'Worker: R F(137)').slice(1);
  if (!failed) throw new Error('no failed pod');
  // Each slot had failed once when it was made.
  const pods = [{ ...failed, slotFailures: 1, jobFailures: 2 }];
  const planAt = (backoffLimit: number) => planFor({ ...parts, runPolicy: { backoffLimit }, pods, kept: {} });
  expect(states(planAt(2))).toBe('Created=True Running=False Failed=True');
  expect(states(planAt(3))).toBe('Created=True Restarting=True');
});

test('B-19: one failed pod counts once, however often it is seen', () => {
  let kept: object = {};
  for (let pass = 0; pass < 10; pass += 1) {
    const pods = podsOf(aTraining({ policy: 'ExitCode' }), tensorflow, 'Worker: F(137)').map((pod) => ({
      ...pod,
      ...(pass > 0 && { deletedAt: NOW + 9 }),
    }));
    const plan = planFor({ policy: 'ExitCode', runPolicy: { backoffLimit: 1 }, pods, kept, status: STARTED }, now);
    expect(states(plan)).toBe('Created=True Restarting=True');
    kept = plan.head.kept ?? {};
  }
  expect(kept).toMatchObject({ failed: 1 });
});
