// Section 15: pod groups of Volcano and of scheduler-plugins.
import { describe, expect, test } from '@jest/globals';
import { groupPartOf, PRIORITY_CLASSES } from '../../../../lib/kinds/training/objects/gang.ts';
import { mxnet } from '../../../../lib/kinds/training/frameworks/mxnet.ts';
import { tensorflow } from '../../../../lib/kinds/training/frameworks/tensorflow.ts';
import { readKeyOf } from '../../../../lib/kinds/rows/plan.ts';
import { trainingPlanner } from '../../../../lib/kinds/training/engine/planner.ts';
import type { KubernetesObject, PodTemplate } from '../../../../lib/objects/kubernetes.ts';
import {
  aChild,
  aCondition,
  actionsOf,
  at,
  created,
  createdObject,
  deleted,
  now,
  planFor,
  snapshotOf,
  told,
  type Situation,
} from '../builders.ts';

const VOLCANO = 'podgroups.scheduling.volcano.sh';
const PLUGINS = 'podgroups.scheduling.x-k8s.io';
const templateOf = (cpu: string, spec: object = {}): PodTemplate => ({
  spec: { ...spec, containers: [{ name: 'tensorflow', image: 'x', resources: { requests: { cpu } } }] },
});
const volcano: Situation = {
  replicas: { Worker: { replicas: 2, template: templateOf('500m') }, PS: { replicas: 1, template: templateOf('2') } },
  options: { 'gang-scheduler': 'Volcano' },
};
const plugins: Situation = { ...volcano, options: { 'gang-scheduler': 'my-scheduler' } };

function withGroup(situation: Situation, { phase = '', spec = {} }: { phase?: string; spec?: object } = {}): Situation {
  const group = createdObject(planFor(situation), 'j', 'PodGroup');
  const facts = groupPartOf({ ...group, spec: { ...group.spec, ...spec }, status: { phase } } as KubernetesObject);
  const key = situation === plugins ? PLUGINS : VOLCANO;
  return { ...situation, children: { [key]: [aChild(key, 'j', { part: { revision: 1, facts } })] } };
}

describe('the group', () => {
  test('15.3: of Volcano, and pods wait for it', () => {
    const plan = planFor(volcano);
    expect(createdObject(plan, 'j', 'PodGroup')).toMatchObject({
      apiVersion: 'scheduling.volcano.sh/v1beta1',
      spec: { minMember: 3, queue: 'default', minResources: { cpu: '3' } },
      metadata: { ownerReferences: [{ kind: 'TFJob' }] },
    });
    expect([created(plan), plan.status.startTime, plan.status.lastReconcileTime, plan.requeueAfterSeconds]).toEqual([
      [],
      undefined,
      at(0),
      60,
    ]);
  });

  test('15.3: of scheduler-plugins, and pods do not wait', () => {
    const situation = {
      ...plugins,
      runPolicy: { schedulingPolicy: { minAvailable: 2, scheduleTimeoutSeconds: 9, queue: 'q', priorityClass: 'p' } },
    };
    const plan = planFor(situation);
    expect(createdObject(plan, 'j', 'PodGroup')).toMatchObject({ apiVersion: 'scheduling.x-k8s.io/v1alpha1' });
    expect(createdObject(plan, 'j', 'PodGroup').spec).toEqual({
      minMember: 2,
      minResources: { cpu: '2500m' },
      scheduleTimeoutSeconds: 9,
    });
    expect(created(plan)).toHaveLength(3);
    expect(createdObject(plan, 'j-ps-0')).toMatchObject({
      spec: { schedulerName: 'my-scheduler' },
      metadata: { labels: { 'scheduling.x-k8s.io/pod-group': 'j' } },
    });
  });

  test.each([
    ['', 0],
    ['Pending', 0],
    ['Inqueue', 3],
    ['Running', 3],
    ['Unknown', 3],
    ['Completed', 3],
  ])('15.3: in phase %j of its group %i pods are made', (phase, count) => {
    const plan = planFor(withGroup(volcano, { phase }));
    expect([created(plan).length, created(plan, 'PodGroup')]).toEqual([count, []]);
  });

  test('15.4: pods of Volcano', () => {
    expect(createdObject(planFor(withGroup(volcano, { phase: 'Running' })), 'j-worker-1')).toMatchObject({
      spec: { schedulerName: 'volcano' },
      metadata: { annotations: { 'scheduling.k8s.io/group-name': 'j', 'volcano.sh/task-spec': 'worker' } },
    });
  });

  test('15.4: a scheduler that a template names stays, and is told of', () => {
    const replicas = { Worker: { replicas: 1, template: templateOf('1', { schedulerName: 'other' }) } };
    const plan = planFor({ ...plugins, replicas });
    expect(createdObject(plan, 'j-worker-0')).toMatchObject({ spec: { schedulerName: 'other' } });
    const warning =
      'Warning SetPodTemplateSchedulerName: Another scheduler is specified when gang-scheduling is enabled and it will not be overwritten';
    expect(told(plan)).toContain(warning);
  });
});

describe('B-31: the group is put right only where it differs', () => {
  test('nothing is written while it is as it should be', () => {
    const situation = withGroup(volcano, { phase: 'Running' });
    expect(actionsOf(planFor(situation), 'patch')).toEqual([]);
  });

  test('a queue that is there stays', () => {
    expect(actionsOf(planFor(withGroup(volcano, { phase: 'Running', spec: { queue: 'theirs' } })), 'patch')).toEqual([]);
  });

  test('a group that is known and as it should be needs no templates', () => {
    const situation = withGroup(volcano, { phase: 'Pending', spec: { queue: 'theirs' } });
    const { head } = planFor(situation);
    const plan = planFor({ ...situation, kept: head.kept as object, isWhole: false });
    expect([plan.wants, plan.requeueAfterSeconds]).toEqual([undefined, 60]);
  });

  test('another number of members', () => {
    const [patch] = actionsOf(planFor(withGroup(volcano, { phase: 'Running', spec: { minMember: 9, queue: 'theirs' } })), 'patch');
    expect(patch?.patch).toEqual({
      spec: { minMember: 3, minResources: { cpu: '3' }, priorityClassName: null, scheduleTimeoutSeconds: null, queue: 'theirs' },
    });
  });

  test('an MXJob, as in the base release, has the queue of its policy or none', () => {
    const template: PodTemplate = { spec: { containers: [{ name: 'mxnet', image: 'x' }] } };
    const plan = planFor({ framework: mxnet, replicas: { Worker: { template } }, options: { 'gang-scheduler': 'volcano' } });
    expect(createdObject(plan, 'j', 'PodGroup').spec).toEqual({ minMember: 1, queue: '' });
  });
});

test('B-39: the most urgent pods are those that must start together', () => {
  const replicas = {
    Worker: { replicas: 2, template: templateOf('1', { priorityClassName: 'low' }) },
    PS: { replicas: 2, template: templateOf('10', { priorityClassName: 'high' }) },
  };
  const situation: Situation = { ...volcano, replicas, runPolicy: { schedulingPolicy: { minAvailable: 3 } } };
  const wants = ['low', 'high'].map((name) => ({ resource: PRIORITY_CLASSES, name }));
  expect(
    planFor(situation)
      .wants?.map((want) => ('name' in want ? want.name : ''))
      .toSorted(),
  ).toEqual(['high', 'low']);
  const read = new Map(
    wants.map((want) => [
      readKeyOf(want, 'default'),
      { objects: [{ metadata: { name: want.name }, value: want.name === 'high' ? 100 : 1 } as KubernetesObject] },
    ]),
  );
  const plan = trainingPlanner(tensorflow).plan({ ...snapshotOf(situation), read }, now);
  expect(createdObject(plan, 'j', 'PodGroup')).toMatchObject({ spec: { minResources: { cpu: '21' } } });
});

test.each<[string, Situation]>([
  ['finished', { status: { conditions: [aCondition(tensorflow, 'Failed')], completionTime: at(-1) } }],
  ['suspended', { runPolicy: { suspend: true } }],
  [
    'over a limit',
    { status: { conditions: [aCondition(tensorflow, 'Created')], startTime: at(-9) }, runPolicy: { activeDeadlineSeconds: 1 } },
  ],
])('11.1: the group of a job that is %s goes, told once', (_, more) => {
  const plan = planFor({ ...withGroup(volcano, { phase: 'Running' }), ...more });
  expect(deleted(plan, 'PodGroup')).toEqual(['j']);
  expect(told(plan).filter((event) => event.includes('PodGroup'))).toEqual([
    'Normal JobTerminated: Job has been terminated. Deleting PodGroup',
    'Normal SuccessfulDeletePodGroup: Deleted PodGroup: j',
  ]);
  expect(told(planFor({ ...volcano, ...more })).filter((event) => event.includes('PodGroup'))).toEqual([]);
});
