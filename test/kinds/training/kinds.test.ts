// Worked cases 58 to 65 and 74: the life of a job of each kind.
import { describe, expect, test } from '@jest/globals';
import type { Framework } from '../../../lib/kinds/training/terms/framework.ts';
import { FRAMEWORKS } from '../../../lib/kinds/training/frameworks/all.ts';
import { jax } from '../../../lib/kinds/training/frameworks/jax.ts';
import { mpi } from '../../../lib/kinds/training/frameworks/mpi.ts';
import { mxnet } from '../../../lib/kinds/training/frameworks/mxnet.ts';
import { paddle } from '../../../lib/kinds/training/frameworks/paddle.ts';
import { pytorch } from '../../../lib/kinds/training/frameworks/pytorch.ts';
import { tensorflow } from '../../../lib/kinds/training/frameworks/tensorflow.ts';
import { xgboost } from '../../../lib/kinds/training/frameworks/xgboost.ts';
import { autoscalerPartOf } from '../../../lib/kinds/training/objects/autoscaler.ts';
import { problemOf } from '../../../lib/kinds/training/terms/validation.ts';
import {
  aChild,
  aCondition,
  actionsOf,
  at,
  aTraining,
  countsIn,
  created,
  createdObject,
  deleted,
  NOW,
  planFor,
  podsOf,
  reasonsTold,
  states,
  told,
  type Situation,
} from './builders.ts';

interface Life {
  framework: Framework;
  replicas: Record<string, number>;
  pods: string[];
  running: string;
  /** All run. */
  runs: string;
  /** It succeeds. */
  done: string;
  succeeded: string;
}

const lives: Life[] = [
  {
    framework: mxnet,
    replicas: { Scheduler: 1, Server: 1, Worker: 1 },
    pods: ['j-scheduler-0', 'j-server-0', 'j-worker-0'],
    runs: 'Scheduler: R; Server: R; Worker: R',
    running: 'MXJob j is running.',
    done: 'Scheduler: S; Server: R; Worker: S',
    succeeded: 'MXJob j is successfully completed.',
  },
  {
    framework: xgboost,
    replicas: { Master: 1, Worker: 1 },
    pods: ['j-master-0', 'j-worker-0'],
    runs: 'Master: R; Worker: R',
    running: 'XGBoostJob j is running.',
    done: 'Master: S; Worker: R',
    succeeded: 'XGBoostJob j is successfully completed.',
  },
  {
    framework: paddle,
    replicas: { Master: 1, Worker: 1 },
    pods: ['j-master-0', 'j-worker-0'],
    runs: 'Master: R; Worker: R',
    running: 'PaddleJob j is running.',
    done: 'Master: S; Worker: R',
    succeeded: 'PaddleJob j is successfully completed.',
  },
  {
    framework: pytorch,
    replicas: { Master: 1, Worker: 1 },
    pods: ['j-master-0', 'j-worker-0'],
    runs: 'Master: R; Worker: R',
    running: 'PyTorchJob j is running.',
    done: 'Master: S; Worker: R',
    succeeded: 'PyTorchJob j is successfully completed.',
  },
  {
    framework: tensorflow,
    replicas: { Chief: 1, Worker: 1 },
    pods: ['j-worker-0', 'j-chief-0'],
    runs: 'Chief: R; Worker: R',
    running: 'TFJob default/j is running.',
    done: 'Chief: S; Worker: R',
    succeeded: 'TFJob default/j successfully completed.',
  },
  {
    framework: mpi,
    replicas: { Launcher: 1, Worker: 1 },
    pods: ['j-worker-0'],
    runs: 'Launcher: R; Worker: R',
    running: 'MPIJob j is running.',
    done: 'Launcher: S; Worker: R',
    succeeded: 'MPIJob j is successfully completed.',
  },
  {
    framework: jax,
    replicas: { Worker: 2 },
    pods: ['j-worker-0', 'j-worker-1'],
    runs: 'Worker: R R',
    running: 'JAXJob default/j is running.',
    done: 'Worker: S S',
    succeeded: 'JAXJob default/j successfully completed.',
  },
];

test('every kind has its life here', () => {
  expect(new Set(lives.map(({ framework }) => framework))).toEqual(new Set(FRAMEWORKS));
});

describe.each(lives.map((life) => [life.framework.kind, life] as const))('case 74: %s', (kind, life) => {
  const { framework, replicas, pods, running, runs, done, succeeded } = life;
  const base: Situation = { framework, replicas };
  const suspended: Situation = { ...base, runPolicy: { suspend: true } };
  const started = planFor({ ...base, pods: runs });

  test('the job is valid', () => {
    expect(problemOf(framework, aTraining({ framework, replicas }))).toBeUndefined();
  });

  test('it starts and runs', () => {
    expect(created(planFor(base))).toEqual(pods);
    expect(states(started)).toBe('Created=True Running=True');
    expect(started.status.conditions?.map(({ message }) => message)).toEqual([`${kind} j is created.`, running]);
  });

  test('case 61: created suspended', () => {
    const plan = planFor(suspended);
    expect([plan.status.startTime, created(plan), created(plan, 'Service')]).toEqual([undefined, [], []]);
    expect(plan.status.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message])).toEqual([
      ['Created', 'True', `${kind}Created`, `${kind} j is created.`],
      ['Suspended', 'True', `${kind}Suspended`, `${kind} j is suspended.`],
    ]);
    expect(told(plan)).toEqual([`Normal ${kind}Suspended: ${kind} j is suspended.`]);
    expect(planFor({ ...suspended, status: plan.status, kept: plan.head.kept as object }).actions).toEqual([]);
  });

  test('case 62: suspended while it runs', () => {
    const present = podsOf(aTraining(base), framework, runs);
    const plan = planFor({ ...suspended, pods: present, status: started.status });
    expect(deleted(plan).toSorted()).toEqual(present.map(({ name }) => name).toSorted());
    expect(plan.status.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`)).toEqual([
      `Created=True ${kind}Created`,
      `Running=False ${kind}Suspended`,
      `Suspended=True ${kind}Suspended`,
    ]);
    expect(plan.status.startTime).toBe(at(0));
    expect(Object.values(countsIn(plan))).toEqual(Object.keys(replicas).map(() => '0/0/0'));
  });

  test('case 63: resumed', () => {
    const stopped = planFor({ ...suspended, pods: runs, status: started.status });
    const later = new Date((NOW + 60) * 1000);
    const resumed = planFor({ ...base, status: stopped.status, metadata: { name: 'j', namespace: 'default', generation: 2 } }, later);
    expect([created(resumed), resumed.status.startTime]).toEqual([pods, at(60)]);
    expect(told(resumed)).toContain(`Normal ${kind}Resumed: ${kind} j is resumed.`);
    const again = planFor({ ...base, pods: runs, status: resumed.status }, later);
    expect(again.status.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`)).toEqual([
      `Created=True ${kind}Created`,
      `Suspended=False ${kind}Resumed`,
      `Running=True ${kind}Running`,
    ]);
    expect(again.status.conditions?.at(-1)?.message).toBe(running);
    expect(reasonsTold(again)).not.toContain(`${kind}Resumed`);
  });

  test('pods from before a suspension do not fail the job that is resumed at once', () => {
    const stopped = planFor({ ...suspended, pods: runs, status: started.status });
    const leaving = podsOf(aTraining(base), framework, runs).map((pod) => ({ ...pod, createdAt: NOW - 10, deletedAt: NOW + 25 }));
    const resumed = planFor({ ...base, policy: 'Never', pods: leaving, status: stopped.status });
    expect([states(resumed), created(resumed)]).toEqual(['Created=True Running=False Suspended=False', []]);
    const young = leaving.map((pod) => ({ ...pod, createdAt: NOW + 1 }));
    // A running pod that somebody deletes fails every job but an MPIJob, which counts by phase alone.
    const failed = states(planFor({ ...base, policy: 'Never', pods: young, status: resumed.status })).endsWith(' Failed=True');
    expect(failed).toBe(framework.kind !== 'MPIJob');
  });

  test('pods that went for a suspension do not fail the job that is resumed before its status says so', () => {
    const stopping = planFor({ ...suspended, pods: runs, status: started.status });
    const kept = stopping.head.kept as object;
    const leaving = podsOf(aTraining(base), framework, runs).map((pod) => ({ ...pod, createdAt: NOW - 10, deletedAt: NOW + 25 }));
    const resumed = planFor({ ...base, policy: 'Never', pods: leaving, status: started.status, kept });
    expect([states(resumed), created(resumed)]).toEqual(['Created=True Running=True', []]);
    // Anew, as soon as they are gone.
    const next = planFor({ ...base, policy: 'Never', pods: [], status: resumed.status, kept: resumed.head.kept as object });
    expect([created(next), Object.keys(next.head.kept ?? {})]).toEqual([pods, expect.not.arrayContaining(['suspendedAt'])]);
    const young = leaving.map((pod) => ({ ...pod, createdAt: NOW + 1 }));
    const failed = planFor({ ...base, policy: 'Never', pods: young, status: started.status, kept });
    expect(states(failed).endsWith(' Failed=True')).toBe(framework.kind !== 'MPIJob');
  });

  test('it succeeds, which is told once', () => {
    const plan = planFor({ ...base, pods: done, status: started.status });
    expect([states(plan), plan.status.completionTime]).toEqual(['Created=True Running=False Succeeded=True', at(0)]);
    expect(told(plan).filter((event) => event.startsWith(`Normal ${kind}Succeeded`))).toEqual([`Normal ${kind}Succeeded: ${succeeded}`]);
    expect(reasonsTold(planFor({ ...base, pods: done, status: plan.status }))).toEqual([]);
  });

  test('a failed replica of policy Never fails it', () => {
    const first = Object.keys(replicas)[0] ?? '';
    const plan = planFor({ ...base, policy: 'Never', pods: runs.replace(`${first}: R`, `${first}: F(1)`), status: started.status });
    expect([states(plan).endsWith('Running=False Failed=True'), plan.status.completionTime]).toEqual([true, at(0)]);
    expect(plan.status.conditions?.at(-1)?.reason).toBe(`${kind}Failed`);
  });

  test('a suspended job has neither running pods nor a time after its end', () => {
    const plan = planFor({ ...suspended, runPolicy: { suspend: true, ttlSecondsAfterFinished: 0 } });
    expect(actionsOf(plan, 'delete')).toEqual([]);
  });
});

test('case 58: the master has its service and succeeds', () => {
  const situation: Situation = { framework: pytorch, replicas: { Master: 1, Worker: 2 }, port: 8080 };
  expect(createdObject(planFor(situation), 'j-master-0', 'Service')).toMatchObject({
    spec: { ports: [{ name: 'pytorchjob-port', port: 8080 }] },
    metadata: { ownerReferences: [{ kind: 'PyTorchJob', name: 'j' }] },
  });
  const plan = planFor({ ...situation, pods: 'Master: S(0); Worker: R R' });
  expect([countsIn(plan)['Master'], states(plan)]).toEqual(['0/1/0', 'Created=True Succeeded=True']);
  expect(plan.status.replicaStatuses?.['Worker']?.selector).toBe(
    'training.kubeflow.org/job-name=j,training.kubeflow.org/operator-name=pytorchjob-controller,training.kubeflow.org/replica-type=worker',
  );
});

describe('cases 64, 65: the autoscaler', () => {
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }];
  const situation: Situation = {
    framework: pytorch,
    replicas: { Worker: 1 },
    spec: { elasticPolicy: { minReplicas: 1, maxReplicas: 3, metrics } },
  };
  const kind = 'HorizontalPodAutoscaler';
  const key = 'horizontalpodautoscalers.autoscaling';
  const made = createdObject(planFor(situation), 'j', kind);
  const present = aChild(key, 'j', { part: { revision: 1, facts: autoscalerPartOf(made) } });

  test('case 64: it is made, and stays', () => {
    expect(made).toMatchObject({
      spec: { minReplicas: 1, maxReplicas: 3, metrics, scaleTargetRef: { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', name: 'j' } },
    });
    const plan = planFor({ ...situation, pods: 'Worker: R', children: { [key]: [present] } });
    expect([created(plan, kind), actionsOf(plan, 'patch')]).toEqual([[], []]);
  });

  test.each([
    ['no metrics, which the API server fills in', [], metrics],
    [
      'a quantity that it writes in another way',
      [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: 2 } } }],
      [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '2' } } }],
    ],
    [
      'a quantity of thousandths',
      [{ type: 'Object', object: { target: { type: 'Value', value: '2000m' } } }],
      [{ type: 'Object', object: { target: { type: 'Value', value: '2' } } }],
    ],
  ])('B-31: %s: it stays as it is', (_, asked, stored) => {
    const job = { ...situation, spec: { elasticPolicy: { minReplicas: 1, maxReplicas: 3, metrics: asked } } };
    const scaler = createdObject(planFor(job), 'j', kind);
    const facts = autoscalerPartOf({ ...scaler, spec: { ...scaler.spec, metrics: stored } } as typeof scaler);
    const plan = planFor({ ...job, pods: 'Worker: R', children: { [key]: [aChild(key, 'j', { part: { revision: 1, facts } })] } });
    expect([created(plan, kind), actionsOf(plan, 'patch')]).toEqual([[], []]);
  });

  test('case 64: one worker that has succeeded ends the job', () => {
    const plan = planFor({ ...situation, replicas: { Worker: 2 }, pods: 'Worker: R S(0)' });
    expect([countsIn(plan), states(plan)]).toEqual([{ Worker: '1/1/0' }, 'Created=True Succeeded=True']);
  });

  test('one that an operator has made is labelled, so that it is watched', () => {
    const { labels: _labels, ...unlabelled } = present;
    const patches = actionsOf(planFor({ ...situation, pods: 'Worker: R', children: { [key]: [unlabelled] } }), 'patch');
    expect(patches.map(({ name, patch }) => ({ name, patch }))).toEqual([
      { name: 'j', patch: { metadata: { labels: { 'farloop.dev/training-job': 'j' } } } },
    ]);
  });

  test('one that differs is put right', () => {
    const other = aChild(key, 'j', { part: { revision: 1, facts: { digest: 'other' } } });
    const [patch] = actionsOf(planFor({ ...situation, children: { [key]: [other] } }), 'patch');
    expect(patch?.patch).toMatchObject({ spec: { maxReplicas: 3, metrics } });
  });

  test.each<[string, Situation]>([
    ['case 65: suspended', { runPolicy: { suspend: true } }],
    ['B-14: finished', { status: { conditions: [aCondition(pytorch, 'Succeeded')], completionTime: at(-1) } }],
    ['without metrics', { spec: { elasticPolicy: { minReplicas: 1 } } }],
  ])('%s: it goes', (_, more) => {
    expect(deleted(planFor({ ...situation, ...more, children: { [key]: [present] } }), kind)).toEqual(['j']);
  });
});
