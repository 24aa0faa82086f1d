// Worked cases 30 to 52: passes over a TFJob, and its status.
import { describe, expect, test } from '@jest/globals';
import { isWorker0Completed, tensorflow } from '../../../lib/kinds/training/frameworks/tensorflow.ts';
import { judge } from '../../../lib/kinds/training/engine/judging.ts';
import type { Situation as JobSituation } from '../../../lib/kinds/training/engine/situation.ts';
import { presentIn } from '../../../lib/kinds/training/objects/present-pods.ts';
import { termsOf } from '../../../lib/kinds/training/terms/terms.ts';
import {
  aCondition,
  at,
  aTraining,
  countsIn,
  created,
  createdObject,
  deleted,
  JOB_UID,
  planFor,
  podsOf,
  reasonsTold,
  snapshotOf,
  states,
  told,
  type Situation,
} from './builders.ts';

interface Case {
  name: string;
  situation: Situation;
  creates?: string[];
  counts?: Record<string, string>;
  states?: string;
}

const workers = (count: number): string[] => Array.from({ length: count }, (_, index) => `j-worker-${index}`);
const FOUR_TWO = { Worker: 4, PS: 2 };
const status = { conditions: [aCondition(tensorflow, 'Created')], startTime: at(-30) };

const passes: Case[] = [
  { name: 'case 30: 1/0, nothing', situation: {}, creates: ['j-worker-0'], counts: { Worker: '0/0/0' }, states: 'Created=True' },
  { name: 'case 31: 4/2, nothing', situation: { replicas: FOUR_TWO }, creates: ['j-ps-0', 'j-ps-1', ...workers(4)] },
  {
    name: 'case 32: all Pending',
    situation: { replicas: FOUR_TWO, pods: 'Worker: P P P P; PS: P P' },
    creates: [],
    states: 'Created=True',
  },
  {
    name: 'case 33: all Running',
    situation: { replicas: FOUR_TWO, pods: 'Worker: R R R R; PS: R R' },
    creates: [],
    counts: { Worker: '4/0/0', PS: '2/0/0' },
    states: 'Created=True Running=True',
  },
  {
    name: 'case 34: 2 workers and 1 PS Pending',
    situation: { replicas: FOUR_TWO, pods: 'Worker: P P; PS: P' },
    creates: ['j-ps-1', 'j-worker-2', 'j-worker-3'],
  },
  {
    name: 'case 35: 2 Pending, 1 Running',
    situation: { replicas: FOUR_TWO, pods: 'Worker: P P R; PS: P' },
    creates: ['j-ps-1', 'j-worker-3'],
    counts: { Worker: '1/0/0', PS: '0/0/0' },
    states: 'Created=True Running=True',
  },
  {
    name: 'case 36: a worker Succeeded',
    situation: { replicas: FOUR_TWO, pods: 'Worker: P P S; PS: P' },
    creates: ['j-ps-1', 'j-worker-3'],
    counts: { Worker: '0/1/0', PS: '0/0/0' },
    states: 'Created=True',
  },
  {
    name: 'case 37: all Succeeded',
    situation: { replicas: FOUR_TWO, pods: 'Worker: S S S S; PS: S S' },
    creates: [],
    counts: { Worker: '0/4/0', PS: '0/2/0' },
    states: 'Created=True Succeeded=True',
  },
  { name: 'case 43: W0 present', situation: { replicas: { Worker: 3 }, pods: 'Worker: R' }, creates: ['j-worker-1', 'j-worker-2'] },
];

describe('passes', () => {
  test.each(passes)('$name', ({ situation, creates, counts, states: wanted }) => {
    const plan = planFor({ ...situation, status });
    const found = {
      ...(creates && { creates: [created(plan).toSorted(), created(plan, 'Service').toSorted()] }),
      ...(counts && { counts: countsIn(plan) }),
      ...(wanted !== undefined && { states: states(plan) }),
    };
    expect(found).toEqual({
      ...(creates && { creates: [creates, creates] }),
      ...(counts && { counts }),
      ...(wanted !== undefined && { states: wanted }),
    });
  });

  test('case 31: each has the owner reference', () => {
    const plan = planFor({ replicas: FOUR_TWO });
    const owner = { apiVersion: 'kubeflow.org/v1', kind: 'TFJob', name: 'j', uid: JOB_UID, controller: true, blockOwnerDeletion: true };
    for (const kind of ['Pod', 'Service'])
      for (const name of created(plan, kind)) expect(createdObject(plan, name, kind).metadata.ownerReferences).toEqual([owner]);
    expect(told(plan).filter((event) => event.endsWith('j-ps-0'))).toEqual([
      'Normal SuccessfulCreatePod: Created pod: j-ps-0',
      'Normal SuccessfulCreateService: Created service: j-ps-0',
    ]);
  });

  test('case 33: the reason and the start', () => {
    const plan = planFor({ replicas: FOUR_TWO, pods: 'Worker: R R R R; PS: R R' });
    expect(plan.status).toMatchObject({
      startTime: at(0),
      conditions: [{ message: 'TFJob j is created.' }, { reason: 'TFJobRunning', message: 'TFJob default/j is running.' }],
    });
  });

  test('case 38: label and annotation of the template', () => {
    const template = {
      metadata: { labels: { label1: '1', 'training.kubeflow.org/job-name': 'other' }, annotations: { annotation1: '1' } },
      spec: { containers: [{ name: 'tensorflow', image: 'x' }] },
    };
    const { metadata } = createdObject(planFor({ replicas: { Worker: { template } } }), 'j-worker-0');
    expect(metadata.labels).toEqual({
      label1: '1',
      'training.kubeflow.org/operator-name': 'tfjob-controller',
      'training.kubeflow.org/job-name': 'j',
      'training.kubeflow.org/replica-type': 'worker',
      'training.kubeflow.org/replica-index': '0',
      'training.kubeflow.org/job-role': 'master',
    });
    expect(metadata.annotations).toMatchObject({ annotation1: '1', 'farloop.dev/number': '0' });
  });

  test('case 40: exit 130 under ExitCode', () => {
    const plan = planFor({ policy: 'ExitCode', pods: 'Worker: F(130)', status });
    expect([deleted(plan), states(plan)]).toEqual([['j-worker-0'], 'Created=True Restarting=True']);
    expect(told(plan)).toEqual([
      'Normal ExitedWithCode: Pod: default.j-worker-0 exited with code 130',
      'Normal SuccessfulDeletePod: Deleted pod: j-worker-0',
      'Warning TFJobRestarting: job j is restarting because Worker replica(s) failed.',
    ]);
  });

  test('case 41, B-21: exit 1 under ExitCode', () => {
    const plan = planFor({ policy: 'ExitCode', pods: 'Worker: F(1)', status });
    expect([deleted(plan), states(plan), plan.status.completionTime]).toEqual([[], 'Created=True Failed=True', at(0)]);
    expect(told(plan).slice(1)).toEqual(['Warning TFJobFailed: job "j" is failing because "Worker" replica(s) failed.']);
    expect(plan.status.conditions?.at(-1)?.reason).toBe('TFJobFailed');
  });

  test('case 42: a worker too many', () => {
    const plan = planFor({ replicas: { Worker: 2 }, spec: { enableDynamicWorker: true }, pods: 'Worker: R R R', status });
    expect([deleted(plan), deleted(plan, 'Service')]).toEqual([['j-worker-2'], ['j-worker-2']]);
  });

  test('case 44: a service', () => {
    const service = createdObject(planFor({ port: 2222 }), 'j-worker-0', 'Service');
    const labels = {
      'training.kubeflow.org/job-name': 'j',
      'training.kubeflow.org/operator-name': 'tfjob-controller',
      'training.kubeflow.org/replica-index': '0',
      'training.kubeflow.org/replica-type': 'worker',
    };
    expect(service.metadata.labels).toEqual(labels);
    expect(service.spec).toEqual({ clusterIP: 'None', selector: labels, ports: [{ name: 'tfjob-port', port: 2222 }] });
  });

  test('13.4: a restart policy in the template is overwritten, and told', () => {
    const template = { spec: { restartPolicy: 'Always', containers: [{ name: 'tensorflow', image: 'x' }] } };
    const plan = planFor({ replicas: { Worker: { replicas: 2, template } } });
    expect(reasonsTold(plan).filter((reason) => reason === 'SetPodTemplateRestartPolicy')).toHaveLength(1);
    expect(createdObject(plan, 'j-worker-1')).toMatchObject({ spec: { restartPolicy: 'Never' } });
  });

  test('19.7: a pass over what is as it should be does nothing', () => {
    const before = planFor({ replicas: FOUR_TWO, pods: 'Worker: R R R R; PS: R R', status });
    const plan = planFor({
      replicas: FOUR_TWO,
      pods: 'Worker: R R R R; PS: R R',
      status: before.status,
      kept: before.head.kept as object,
      isWhole: false,
    });
    expect([plan.actions, plan.outcome]).toEqual([[], 'converged']);
  });
});

const CHIEF = { Chief: 1, Worker: 4, PS: 2 };
const rules: [string, Situation, string][] = [
  ['case 45: chief S', { replicas: CHIEF, pods: 'Chief: S' }, 'Succeeded=True'],
  ['case 45: chief A', { replicas: CHIEF, pods: 'Chief: R' }, 'Running=True'],
  ['case 45: chief F', { replicas: CHIEF, pods: 'Chief: F(1)' }, 'Failed=True'],
  ['case 46: worker F', { pods: 'Worker: F(1)' }, 'Failed=True'],
  ['case 46: worker S', { pods: 'Worker: S(0)' }, 'Succeeded=True'],
  ['case 46: worker A', { pods: 'Worker: R' }, 'Running=True'],
  ['case 47: S2 A2', { replicas: FOUR_TWO, pods: 'Worker: R R S S; PS: R R' }, 'Running=True'],
  ['case 47: F2 A2', { replicas: FOUR_TWO, pods: 'Worker: R R F F; PS: R R' }, 'Running=False Failed=True'],
  ['case 47: F2 S2', { replicas: FOUR_TWO, pods: 'Worker: F F S S; PS: R R' }, 'Failed=True'],
  ['case 47: worker 0 completed', { replicas: FOUR_TWO, pods: 'Worker: S(0) R R R; PS: R R' }, 'Succeeded=True'],
  [
    'case 48: worker 0 completed',
    { replicas: FOUR_TWO, spec: { successPolicy: 'AllWorkers' }, pods: 'Worker: S(0) R R R; PS: R R' },
    'Running=True',
  ],
  ['case 48: S4', { replicas: FOUR_TWO, spec: { successPolicy: 'AllWorkers' }, pods: 'Worker: S S S S; PS: R R' }, 'Succeeded=True'],
  [
    'case 48: S1 A2 F1',
    { replicas: FOUR_TWO, spec: { successPolicy: 'AllWorkers' }, pods: 'Worker: S R R F; PS: R R' },
    'Running=False Failed=True',
  ],
  ['case 49: chief A, workers F', { replicas: CHIEF, pods: 'Chief: R; Worker: F F F F; PS: R R' }, 'Running=False Failed=True'],
  ['case 49: chief A, workers S', { replicas: CHIEF, pods: 'Chief: R; Worker: S S S S; PS: R R' }, 'Running=True'],
  ['case 49: chief A, a PS F', { replicas: CHIEF, pods: 'Chief: R; Worker: R R R R; PS: R F' }, 'Running=False Failed=True'],
  ['case 50: chief F, workers S', { replicas: CHIEF, pods: 'Chief: F(1); Worker: S S S S; PS: R R' }, 'Failed=True'],
  ['case 50, B-22: chief S, workers F', { replicas: CHIEF, pods: 'Chief: S; Worker: F F F F; PS: R R' }, 'Succeeded=True'],
  [
    'case 51: chief F with 130',
    { replicas: CHIEF, policy: 'ExitCode', pods: 'Chief: F(130); Worker: R R R R; PS: R R' },
    'Restarting=True',
  ],
  [
    '19.1: a failed worker of a dynamic job',
    { replicas: CHIEF, spec: { enableDynamicWorker: true }, pods: 'Chief: R; Worker: F R R R; PS: R R' },
    'Running=True',
  ],
];

test.each(rules)('%s', (_, situation, wanted) => {
  expect(states(planFor({ ...situation, status }))).toBe(`Created=True ${wanted}`);
});

test('B-22: one end is told, and nothing of a restart', () => {
  const plan = planFor({ replicas: { Chief: 1, Worker: 1 }, policy: 'OnFailure', pods: 'Chief: S(0); Worker: F(137)', status });
  expect(told(plan).filter((event) => event.includes('TFJob'))).toEqual(['Normal TFJobSucceeded: TFJob default/j successfully completed.']);
  expect(deleted(plan)).toEqual([]);
});

test.each([
  [{ Worker: 1, PS: 1 }, 'Worker: R; PS: R', false],
  [{ Worker: 1 }, 'Worker: S(0)', true],
  [{ Worker: 1 }, 'Worker: S', false],
  [{ Master: 1 }, 'Master: R', true],
  [{ Chief: 1 }, 'Chief: R', true],
  [{ Worker: 2 }, 'Worker: S(0) F(1)', true],
  [{ Worker: 2 }, 'Worker: F(1) R', false],
] as [Record<string, number>, string, boolean][])('case 52: worker 0 of %j with %s is completed: %s', (replicas, text, isSo) => {
  const job = aTraining({ replicas });
  const terms = termsOf(tensorflow, job);
  const given = snapshotOf({ job, pods: text });
  const pass = { given, terms, present: presentIn(terms, podsOf(job, tensorflow, text)) } as JobSituation;
  expect(isWorker0Completed(judge(pass, { kept: {}, conditions: [], startedAt: undefined }).counts)).toBe(isSo);
});
