// Worked cases 89 to 98 and corrections of the reference.
import { describe, expect, test } from '@jest/globals';
import { nameKeyOf } from '../../../lib/kinds/rows/plan.ts';
import { mpi } from '../../../lib/kinds/training/frameworks/mpi.ts';
import { mxnet } from '../../../lib/kinds/training/frameworks/mxnet.ts';
import { pytorch } from '../../../lib/kinds/training/frameworks/pytorch.ts';
import { tensorflow } from '../../../lib/kinds/training/frameworks/tensorflow.ts';
import { xgboost } from '../../../lib/kinds/training/frameworks/xgboost.ts';
import { AUTOSCALERS } from '../../../lib/kinds/training/objects/autoscaler.ts';
import { PODS, type Resource, SERVICES } from '../../../lib/objects/resources.ts';
import {
  aCondition,
  actionsOf,
  at,
  aTraining,
  countsIn,
  created,
  deleted,
  NOW,
  now,
  planFor,
  podsOf,
  reasonsTold,
  states,
  told,
  type Situation,
} from './builders.ts';

const status = { conditions: [aCondition(tensorflow, 'Created'), aCondition(tensorflow, 'Running')], startTime: at(-30) };
const after = (plan: ReturnType<typeof planFor>, situation: Situation = {}, when = now) =>
  planFor({ ...situation, status: plan.status, kept: plan.head.kept as object }, when);

test('case 89, B-01: a pod out of range goes, and is never counted', () => {
  const plan = planFor({ pods: 'Worker: R R', status });
  expect([deleted(plan), countsIn(plan), states(plan)]).toEqual([['j-worker-1'], { Worker: '1/0/0' }, 'Created=True Running=True']);
  const going = podsOf(aTraining(), tensorflow, 'Worker: R T');
  const next = after(plan, { pods: going, services: [] });
  expect([deleted(next), countsIn(next), states(next)]).toEqual([[], { Worker: '1/0/0' }, 'Created=True Running=True']);
  expect(reasonsTold(plan).filter((reason) => reason === 'SuccessfulDeletePod')).toHaveLength(1);
});

test('B-09: an empty slot below a pod out of range is not filled, nor has it a service', () => {
  const plan = planFor({ replicas: { Worker: 2 }, pods: 'Worker: R0 R5', status });
  expect([created(plan), created(plan, 'Service')]).toEqual([['j-worker-1'], ['j-worker-1']]);
  expect([deleted(plan), deleted(plan, 'Service')]).toEqual([['j-worker-5'], ['j-worker-5']]);
});

test('case 90, B-06: no replicas, no pods', () => {
  const replicas = { Master: 1, Worker: 0 };
  expect(created(planFor({ replicas }))).toEqual(['j-master-0']);
  expect(created(planFor({ replicas, pods: 'Master: R' }))).toEqual([]);
  expect(deleted(planFor({ replicas, pods: 'Master: R; Worker: R R', status }))).toEqual(['j-worker-0', 'j-worker-1']);
});

test('case 91, B-08: of two pods in a slot the older one stays', () => {
  const [old, young] = podsOf(aTraining(), tensorflow, 'Worker: R0 P0');
  if (!old || !young) throw new Error('two pods were asked for');
  const pods = [{ ...young, createdAt: NOW - 1, name: 'other' }, old];
  const plan = planFor({ pods, services: [], status });
  expect([deleted(plan), countsIn(plan), states(plan)]).toEqual([['other'], { Worker: '1/0/0' }, 'Created=True Running=True']);
  expect(told(plan)).toContain('Warning TooManyPods: We have too many pods for worker 0');
  expect(reasonsTold(after(plan, { pods, services: [] }))).not.toContain('TooManyPods');
  const done = { ...young, name: 'other', phase: 'Succeeded' };
  expect(deleted(planFor({ replicas: { Worker: 2 }, pods: [old, done], services: [], status }))).toEqual([old.name]);
});

test('a pod that a view still knows does not count beside the one that has its name now', () => {
  const [gone, there] = podsOf(aTraining(), tensorflow, 'Worker: F0 R0');
  if (!gone || !there) throw new Error('two pods were asked for');
  const later = { ...there, createdAt: gone.createdAt + 5 };
  const plan = planFor({ policy: 'ExitCode', pods: [gone, later], status });
  expect([deleted(plan), countsIn(plan)]).toEqual([[], { Worker: '1/0/0' }]);
  const sameSecond = [
    { ...there, resourceVersion: '1001' },
    { ...gone, resourceVersion: '999' },
  ];
  expect(deleted(planFor({ policy: 'ExitCode', pods: sameSecond, status }))).toEqual([]);
});

test('case 92, B-10, B-23: an evicted pod is made anew, told once however often it is seen', () => {
  const first = planFor({ policy: 'ExitCode', pods: 'Worker: F', status });
  expect([deleted(first), reasonsTold(first)]).toEqual([['j-worker-0'], ['ExitedWithCode', 'SuccessfulDeletePod', 'TFJobRestarting']]);
  expect(told(first)[0]).toBe('Normal ExitedWithCode: Pod: default.j-worker-0 ended without an exit code');
  let last = first;
  for (let pass = 0; pass < 10; pass += 1) {
    const pods = podsOf(aTraining({ policy: 'ExitCode' }), tensorflow, 'Worker: F').map((pod) => ({ ...pod, deletedAt: NOW + 30 }));
    last = after(last, { policy: 'ExitCode', pods });
    expect(last.actions).toEqual([]);
  }
  expect(created(after(last, { policy: 'ExitCode', pods: [], services: [] }))).toEqual(['j-worker-0']);
});

test('case 93: pods in any order make the same plan', () => {
  const pods = podsOf(aTraining({ replicas: { Worker: 4, PS: 2 } }), tensorflow, 'Worker: R F(1) S; PS: P');
  const situation = { replicas: { Worker: 4, PS: 2 }, policy: 'OnFailure', status };
  expect(planFor({ ...situation, pods: pods.toReversed(), services: [] }).status).toEqual(
    planFor({ ...situation, pods, services: [] }).status,
  );
});

test('case 96, B-03: a create without an answer blocks its own slot alone', () => {
  const head = { expectations: { create: ['j-worker-0'], delete: [], strip: [] } };
  expect(created(planFor({ replicas: { Worker: 3 }, head }))).toEqual(['j-worker-1', 'j-worker-2']);
});

test('an evicted pod under OnFailure is made anew with two events: its exit code decides nothing', () => {
  const pods = podsOf(aTraining({ policy: 'OnFailure' }), tensorflow, 'Worker: F');
  expect(reasonsTold(planFor({ policy: 'OnFailure', pods, status }))).toEqual(['SuccessfulDeletePod', 'TFJobRestarting']);
});

test('B-02: a delete that was asked for is not asked for again', () => {
  const pods = podsOf(aTraining({ policy: 'OnFailure' }), tensorflow, 'Worker: F');
  const head = { expectations: { create: [], delete: pods.map(({ uid }) => uid), strip: [] } };
  expect(deleted(planFor({ policy: 'OnFailure', pods, head, status }))).toEqual([]);
});

test('case 97, B-41: a slot that is done stays done though its pod is gone', () => {
  const replicas = { Worker: 2 };
  const first = planFor({ replicas, pods: 'Worker: R S', status });
  const next = after(first, { replicas, pods: 'Worker: R' });
  expect([created(next), countsIn(next)]).toEqual([[], { Worker: '1/1/0' }]);
  expect(actionsOf(next, 'patch').map(({ patch }) => patch)).toEqual([
    { metadata: { annotations: { 'farloop.dev/completed-slots': '1:1' } } },
  ]);
  // The head is lost, the annotation is not.
  const metadata = { annotations: { 'farloop.dev/completed-slots': '1:1' } };
  const cold = planFor({
    replicas,
    metadata: { name: 'j', namespace: 'default', ...metadata },
    pods: [],
    services: [],
    status: next.status,
  });
  expect(created(cold)).toEqual(['j-worker-0']);
  expect(countsIn(cold)).toEqual({ Worker: '0/1/0' });
});

test('B-41: a slot whose pod succeeded and was deleted before any pass has looked stays done', () => {
  const replicas = { Worker: 2 };
  const pods = podsOf(aTraining({ replicas }), tensorflow, 'Worker: R S');
  const [running, succeeded] = pods;
  if (!running || !succeeded) throw new Error('two pods are expected');
  const plan = planFor({ replicas, pods: [running], ended: [succeeded], status });
  expect([created(plan), countsIn(plan)]).toEqual([[], { Worker: '1/1/0' }]);
  expect(created(planFor({ replicas, pods: [running], status }))).toEqual(['j-worker-1']);
});

test('B-41: a suspension forgets what was done', () => {
  const metadata = { name: 'j', namespace: 'default', annotations: { 'farloop.dev/completed-slots': '1:1' } };
  const plan = planFor({ metadata, runPolicy: { suspend: true }, status });
  expect(actionsOf(plan, 'patch').map(({ patch }) => patch)).toEqual([
    { metadata: { annotations: { 'farloop.dev/completed-slots': null } } },
  ]);
});

describe('case 98, B-11: a name that somebody else has', () => {
  const held = (isTerminating: boolean) => new Map([[nameKeyOf(PODS, 'j-worker-0'), { uid: 'other', isTerminating }]]);

  test('it is waited for without a word while it goes', () => {
    const plan = planFor({ replicas: { Worker: 2 }, held: held(true) });
    expect([created(plan), reasonsTold(plan).includes('FailedCreatePod'), plan.requeueAfterSeconds]).toEqual([['j-worker-1'], false, 5]);
  });

  test('one that stays is told of once, and the others go on', () => {
    const plan = planFor({ replicas: { Worker: 2 }, held: held(false) });
    expect(created(plan)).toEqual(['j-worker-1']);
    expect(told(plan)[0]).toBe('Warning FailedCreatePod: Error creating: pods "j-worker-0" already exists and belongs to somebody else');
    expect(reasonsTold(after(plan, { replicas: { Worker: 2 }, held: held(false) }))).not.toContain('FailedCreatePod');
  });

  test('pods of another job are never counted nor deleted', () => {
    const pods = podsOf(aTraining(), tensorflow, 'Worker: R').map((pod) => ({
      ...pod,
      controller: { apiVersion: 'v1', kind: 'X', name: 'j', uid: 'o' },
    }));
    const plan = planFor({ pods, services: [], runPolicy: { suspend: true }, status });
    expect([deleted(plan), countsIn(plan)]).toEqual([[], {}]);
  });
});

test('B-13, B-25: an invalid job is told of once, and left until it changes', () => {
  const situation = { replicas: { Chief: 1, Master: 1 } };
  const plan = planFor(situation);
  const message = 'TFJob failed validation because TFJobSpec is not valid: more than 1 chief/master found';
  expect([told(plan), plan.status, plan.outcome, plan.requeueAfterSeconds]).toEqual([
    [`Warning TFJobFailedValidation: ${message}`],
    {},
    'parked',
    undefined,
  ]);
  const again = planFor({ ...situation, kept: plan.head.kept as object, isWhole: false });
  expect([again.actions, again.outcome, again.why]).toEqual([[], 'parked', [message]]);
  const changed = { ...situation, kept: plan.head.kept as object, metadata: { name: 'j', generation: 2 } };
  expect(planFor({ ...changed, isWhole: false }).wants).toEqual([{ owner: 'whole' }]);
  expect(told(planFor(changed))).toHaveLength(1);
});

test('templates are read before a pod is made', () => {
  const checked = { generation: 1 };
  const plan = planFor({ kept: { checked }, isWhole: false });
  expect([plan.actions, plan.wants]).toEqual([[], [{ owner: 'whole' }]]);
});

test('case 69: a job of another manager', () => {
  const plan = planFor({ runPolicy: { managedBy: 'kueue.x-k8s.io/multikueue' } });
  expect([plan.actions, plan.status, plan.outcome]).toEqual([[], {}, 'notOurs']);
  expect(planFor({ runPolicy: { managedBy: 'kubeflow.org/training-operator' } }).outcome).toBe('acted');
});

describe('B-15: events about pods are told once', () => {
  const waiting = () =>
    podsOf(aTraining(), tensorflow, 'Worker: P').map((pod) => ({
      ...pod,
      containers: [{ name: 'tensorflow', role: 'container' as const, restarts: 0 }],
      containerWords: [
        { container: 'tensorflow', state: 'waiting' as const, reason: 'ImagePullBackOff', message: 'Back-off pulling image' },
      ],
    }));

  test('12.4: of a waiting container', () => {
    const plan = planFor({ pods: waiting(), status });
    expect(told(plan)).toEqual([
      'Warning ImagePullBackOff: Error pod j-worker-0 container tensorflow waiting message: Back-off pulling image',
    ]);
    expect(told(after(plan, { pods: waiting() }))).toEqual([]);
    const well = after(plan, { pods: 'Worker: R' });
    expect(told(after(well, { pods: waiting() }))).toHaveLength(1);
  });

  test('12.4: of an ended container, and of a pod that is not scheduled', () => {
    const [pod] = podsOf(aTraining({ replicas: { Worker: 2 } }), tensorflow, 'Worker: R(3)');
    const [other] = podsOf(aTraining({ replicas: { Worker: 2 } }), tensorflow, 'Worker: P1');
    if (!pod || !other) throw new Error('two pods were asked for');
    const pods = [
      { ...pod, containerWords: [{ container: 'tensorflow', state: 'terminated' as const, reason: 'OOMKilled', message: 'too much' }] },
      { ...other, unmetCondition: { type: 'PodScheduled', reason: 'Unschedulable', message: 'no node' } },
    ];
    expect(told(planFor({ replicas: { Worker: 2 }, pods, status })).filter((event) => event.startsWith('Warning'))).toEqual([
      'Warning OOMKilled: Error pod j-worker-0 container tensorflow exitCode: 3 terminated message: too much',
      'Warning Unschedulable: Error pod j-worker-1 condition message: no node',
    ]);
  });
});

describe('B-42: a pod that is deleted by somebody else', () => {
  test.each([
    ['Never', 'Running=False Failed=True', ['TFJobFailed']],
    ['OnFailure', 'Restarting=True', ['TFJobRestarting']],
    ['Always', 'Restarting=True', ['TFJobRestarting']],
    ['ExitCode', 'Restarting=True', ['TFJobRestarting']],
  ])('policy %s', (policy, wanted, reasons) => {
    const plan = planFor({ replicas: { Worker: 2 }, policy, pods: 'Worker: R T', status });
    // A replica that still runs brings Running back, as it comes before the failure.
    expect(states(plan)).toBe(`Created=True ${wanted}`);
    expect([reasonsTold(plan), countsIn(plan)]).toEqual([reasons, { Worker: '1/0/1' }]);
    if (policy !== 'Never') expect(reasonsTold(after(plan, { replicas: { Worker: 2 }, policy, pods: 'Worker: R T' }))).toEqual([]);
  });

  test('stuck on its node, it is told of once, five minutes after its grace period', () => {
    const pods = podsOf(aTraining({ policy: 'OnFailure' }), tensorflow, 'Worker: T').map((pod) => ({ ...pod, deletedAt: NOW, node: 'n1' }));
    const plan = planFor({ policy: 'OnFailure', pods, status });
    expect(plan.requeueAfterSeconds).toBe(300);
    const late = new Date((NOW + 300) * 1000);
    const next = after(plan, { policy: 'OnFailure', pods }, late);
    expect(told(next)).toEqual([
      'Warning PodStuckTerminating: Pod j-worker-0 on node n1 does not end, though its grace period is over. Its slot waits until it is gone.',
    ]);
    expect(told(after(next, { policy: 'OnFailure', pods }, late))).toEqual([]);
  });
});

test.each([
  ['MXJob', mxnet, { Scheduler: 1, Worker: 1 }, 'Scheduler: R; Worker: F'],
  ['XGBoostJob', xgboost, { Master: 1, Worker: 1 }, 'Master: R; Worker: F'],
] as const)('B-36: a replica of a %s that restarts does not fail it', (_, framework, replicas, pods) => {
  for (const policy of ['OnFailure', 'Always', 'ExitCode']) {
    const plan = planFor({ framework, replicas, policy, pods });
    expect([states(plan), reasonsTold(plan).filter((reason) => reason.endsWith('Restarting')).length]).toEqual([
      'Created=True Restarting=True',
      1,
    ]);
  }
});

test('B-21: a PyTorchJob with an exit code that is not retryable fails, without an event of a restart', () => {
  const plan = planFor({ framework: pytorch, replicas: { Master: 1, Worker: 1 }, policy: 'ExitCode', pods: 'Master: R; Worker: F(1)' });
  expect([states(plan), reasonsTold(plan)]).toEqual(['Created=True Failed=True', ['ExitedWithCode', 'PyTorchJobFailed']]);
});

test('B-35: the deciding type comes first', () => {
  const plan = planFor({ framework: pytorch, replicas: { Worker: 1, Master: 1 }, policy: 'Never', pods: 'Master: S(0); Worker: F(1)' });
  expect(states(plan)).toBe('Created=True Succeeded=True');
});

describe('a large job is made over several passes', () => {
  test.each([
    [tensorflow, { Worker: 1_200 }, 500],
    [tensorflow, { Worker: 3_500 }, 500],
    [pytorch, { Worker: 40_000 }, 50],
    [mpi, { Launcher: 1, Worker: 1_200 }, 500],
  ])('%#', (framework, replicas, count) => {
    const plan = planFor({ framework, replicas });
    expect([created(plan).length, created(plan)[0], plan.requeueAfterSeconds, plan.continues]).toEqual([count, 'j-worker-0', 1, undefined]);
    expect(created(plan, 'Service').length).toBe(framework.objects ? 0 : count);
  });
});

describe('B-11: a name of another object that somebody else has', () => {
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }];
  test.each<[string, Situation, Resource, string]>([
    ['a service', { replicas: { Worker: 1 } }, SERVICES, 'j-worker-0'],
    [
      'an autoscaler',
      { framework: pytorch, replicas: { Worker: 1 }, spec: { elasticPolicy: { minReplicas: 1, maxReplicas: 2, metrics } } },
      AUTOSCALERS,
      'j',
    ],
  ])('%s: told of once, and tried again', (_, parts, resource, name) => {
    const held = (isTerminating: boolean) => new Map([[nameKeyOf(resource, name), { uid: 'another', isTerminating }]]);
    const situation: Situation = { ...parts, pods: 'Worker: R', ...(resource === SERVICES && { services: [] }) };
    const taken = planFor({ ...situation, held: held(false) });
    expect(told(taken)).toContain(
      `Warning FailedCreate${resource.kind}: Error creating: ${resource.plural} "${name}" already exists and belongs to somebody else`,
    );
    expect([created(taken, resource.kind), taken.requeueAfterSeconds]).toEqual([[], 10]);
    const tried = after(taken, situation);
    expect(created(tried, resource.kind)).toEqual([name]);
    expect(reasonsTold(after(tried, { ...situation, held: held(false) }))).not.toContain(`FailedCreate${resource.kind}`);
    expect(reasonsTold(planFor({ ...situation, held: held(true) }))).not.toContain(`FailedCreate${resource.kind}`);
  });
});

test('one reason for all pods of a type, so that explain has one line for them', () => {
  const whys = (framework: typeof tensorflow, replicas: Record<string, number>) =>
    new Set(actionsOf(planFor({ framework, replicas }), 'create').flatMap(({ resource, why }) => (resource === PODS ? [why] : [])));
  expect([...whys(tensorflow, { PS: 2, Worker: 3 })]).toEqual(['a slot of PS has no pod', 'a slot of Worker has no pod']);
  expect([...whys(mpi, { Launcher: 1, Worker: 3 })]).toEqual(['a slot of Worker has no pod']);
});

test('a head that knows of 256 replicas takes few bytes', () => {
  const replicas = { Master: 1, Worker: 256 };
  const pods = `Master: R; Worker: ${Array.from({ length: 256 }, (_, index) => `${'SFR'.charAt(index % 3)}(137)`).join(' ')}`;
  const bytesOf = (text: string): number =>
    JSON.stringify(planFor({ framework: pytorch, replicas, policy: 'OnFailure', pods: text }).head.kept ?? {}).length;
  expect(bytesOf(`Master: R; Worker: ${Array.from({ length: 256 }, () => 'R').join(' ')}`)).toBeLessThan(100);
  expect(bytesOf(`Master: R; Worker: ${Array.from({ length: 256 }, () => 'S(0)').join(' ')}`)).toBeLessThan(200);
  expect(bytesOf(pods)).toBeLessThan(600);
});
