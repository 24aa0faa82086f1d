// Why a training job waits, runs or has ended: what `explain` says first.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Circumstances } from '../../../lib/kinds/rows/reasons.ts';
import { standingOf } from '../../../lib/kinds/rows/kind-shown.ts';
import type { PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import { trainingShown } from '../../../lib/kinds/training/shown.ts';
import { MPI, PYTORCH, TENSORFLOW } from '../../../lib/kinds/training/names/framework-names.ts';
import { mpi } from '../../../lib/kinds/training/frameworks/mpi.ts';
import { pytorch } from '../../../lib/kinds/training/frameworks/pytorch.ts';
import { tensorflow } from '../../../lib/kinds/training/frameworks/tensorflow.ts';
import { REASONS, trainingReasons } from '../../../lib/kinds/training/reasons.ts';
import { aCondition, at, aTraining, NOW, now, podsOf, snapshotOf, type Situation } from './builders.ts';

const reasons = (situation: Situation, circumstances: Circumstances = {}) =>
  trainingReasons(situation.framework === pytorch ? PYTORCH : TENSORFLOW, snapshotOf(situation), now, circumstances).map(
    ({ code, text }) => `${code}: ${text}`,
  );

const running = { conditions: [aCondition(tensorflow, 'Created'), aCondition(tensorflow, 'Running')], startTime: at(-30) };

test.each<[string, Situation, Circumstances, string[]]>([
  ['nothing yet', {}, {}, ['NoReplicasYet: none of its replicas has a pod']],
  ['a running replica', { pods: 'Worker: R' }, {}, ['ReplicasRunning: 1 of 1 replica runs']],
  [
    'a silent cluster',
    { pods: 'Worker: R' },
    { forbidden: 'pods is forbidden' },
    ['Forbidden: its cluster does not allow what Farloop needs: pods is forbidden', 'ReplicasRunning: 1 of 1 replica runs'],
  ],
  [
    'a drained cluster',
    {},
    { isDrained: true },
    ['ClusterDrained: its cluster is drained: work that has begun is finished, none is begun'],
  ],
  [
    'a quota',
    { head: { holdUntilMs: (NOW + 8) * 1000 } },
    { refusal: 'exceeded quota: gpus' },
    ['RefusedByApiServer: the API server refused to create a pod: exceeded quota: gpus; tried again in 8 s'],
  ],
  [
    'an invalid spec',
    { kept: { checked: { generation: 1, problem: 'PyTorchReplicaType is Wrong' } } },
    { parked: { reason: 'PyTorchReplicaType is Wrong', remainingMs: 60_000 } },
    ['JobInvalid: it is invalid, and left alone until its spec changes: PyTorchReplicaType is Wrong'],
  ],
  [
    'an invalid spec of before',
    { metadata: { generation: 2 }, kept: { checked: { generation: 1, problem: 'PyTorchReplicaType is Wrong' } } },
    {},
    ['NoReplicasYet: none of its replicas has a pod'],
  ],
  [
    'names of somebody else',
    { kept: { told: { taken: '1:0-1' } } },
    {},
    ['NamesTaken: 2 pods cannot be made: objects of somebody else have the names, as its events say'],
  ],
  [
    'names of other objects',
    { pods: 'Worker: R', kept: { told: { takenService: '1:0', takenScaler: '0:0' } } },
    {},
    [
      'NamesTaken: 1 service, the autoscaler cannot be made: objects of somebody else have the names, as its events say',
      'ReplicasRunning: 1 of 1 replica runs',
    ],
  ],
  [
    'its group',
    {
      options: { 'gang-scheduler': 'volcano' },
      status: { conditions: [aCondition(tensorflow, 'Created')], lastReconcileTime: at(-5) },
      kept: { checked: { generation: 1, group: 'x' } },
    },
    {},
    ['WaitsForGroup: its pods are made when the gang scheduler volcano has taken up its PodGroup'],
  ],
  [
    'restarts',
    {
      runPolicy: { backoffLimit: 3 },
      status: { ...running, conditions: [aCondition(tensorflow, 'Created'), aCondition(tensorflow, 'Restarting')] },
      kept: { failed: 2 },
    },
    {},
    ['ReplicasRestarting: TFJob j is Restarting. 2 failures so far, 3 may be (backoffLimit).'],
  ],
  [
    'a pod that goes',
    { replicas: { Worker: 2 }, pods: 'Worker: R T' },
    {},
    ['ReplicasRunning: 1 of 2 replicas runs', 'ReplicasTerminating: 1 pod terminates and holds its slot until it is gone'],
  ],
  [
    'a deadline',
    { runPolicy: { activeDeadlineSeconds: 90 }, status: running, pods: 'Worker: R' },
    {},
    ['ReplicasRunning: 1 of 1 replica runs', 'DeadlineAhead: it fails in 60 s if it has not ended by then'],
  ],
  [
    'its end',
    {
      runPolicy: { ttlSecondsAfterFinished: 100 },
      status: { conditions: [aCondition(tensorflow, 'Succeeded')], completionTime: at(-40) },
    },
    {},
    ['JobSucceeded: it succeeded: TFJob j is Succeeded.', 'Expires: it is deleted in 60 s (ttlSecondsAfterFinished 100)'],
  ],
  [
    'another manager',
    { runPolicy: { managedBy: 'kueue.x-k8s.io/multikueue' } },
    {},
    ['ManagedBySomebodyElse: it is managed by kueue.x-k8s.io/multikueue; Farloop does nothing about it'],
  ],
  [
    'its deletion',
    { metadata: { deletionTimestamp: at(-1) }, pods: 'Worker: R' },
    {},
    ['BeingDeleted: the TFJob itself is being deleted, and all that it owns with it'],
  ],
])('%s', (_, situation, circumstances, expected) => {
  expect(reasons(situation, circumstances)).toEqual(expected);
});

test('a pod that waits is in the state that its cluster tells', () => {
  const situation: Situation = { replicas: { Worker: 1 } };
  const [pod] = podsOf(aTraining(situation), tensorflow, 'Worker: P');
  if (!pod) throw new Error('no pod');
  const given = snapshotOf({ ...situation, pods: [{ ...pod, reasons: [{ reason: 'ImagePullBackOff', message: 'no such image' }] }] });
  const told = trainingReasons(TENSORFLOW, given, now, {});
  expect(told.map(({ code, text }) => `${code}: ${text}`)).toEqual(['PodsWaiting: ImagePullBackOff: no such image']);
  const known = { shown: trainingShown(TENSORFLOW), isOwnerless: false, owner: given.owner, isKnown: true, reasons: told };
  expect(standingOf(known)).toEqual({ state: 'Waiting', reason: 'ImagePullBackOff' });
});

describe('replicas of which some have trouble', () => {
  const waiting = (pod: PodFacts, reason: string, container = 'tensorflow'): PodFacts => ({ ...pod, reasons: [{ reason, container }] });
  const situation: Situation = { replicas: { Worker: 4 } };
  const four = (): PodFacts[] => podsOf(aTraining(situation), tensorflow, 'Worker: R R P P');
  const of = (pods: PodFacts[]): { texts: string[]; standing: ReturnType<typeof standingOf> } => {
    const given = snapshotOf({ ...situation, pods });
    const told = trainingReasons(TENSORFLOW, given, now, {});
    const known = { shown: trainingShown(TENSORFLOW), isOwnerless: false, owner: given.owner, isKnown: true, reasons: told };
    return { texts: told.map(({ code, text, pods: named = [] }) => `${code}: ${text} [${named.join(' ')}]`), standing: standingOf(known) };
  };

  test('those that wait are grouped by their own reason, and the state says how many wait', () => {
    const [a, b, c, d] = four();
    if (!a || !b || !c || !d) throw new Error('four pods are expected');
    expect(of([a, b, waiting(c, 'ImagePullBackOff'), waiting(d, 'CreateContainerConfigError')])).toEqual({
      texts: [
        'ReplicasRunning: 2 of 4 replicas run [j-worker-0 j-worker-1]',
        'PodsWaiting: ImagePullBackOff (container tensorflow) [j-worker-2]',
        'PodsWaiting: CreateContainerConfigError (container tensorflow) [j-worker-3]',
      ],
      standing: { state: 'Running', reason: '2 of 4: ImagePullBackOff' },
    });
  });

  test('one that crashes again and again does not run, though its pod is of phase Running', () => {
    const pods = podsOf(aTraining({ replicas: { Worker: 1 } }), tensorflow, 'Worker: R').map((pod) => ({
      ...waiting(pod, 'CrashLoopBackOff'),
      containers: [{ name: 'tensorflow', role: 'container' as const, restarts: 3 }],
    }));
    const { texts, standing } = of(pods);
    expect(texts).toEqual(['PodsWaiting: CrashLoopBackOff (container tensorflow) [j-worker-0]']);
    expect(standing).toEqual({ state: 'BackingOff', reason: 'CrashLoopBackOff' });
  });

  test('a failed job names the replica, its exit code and the reason', () => {
    const status = { conditions: [aCondition(tensorflow, 'Failed')] };
    const pods = podsOf(aTraining(situation), tensorflow, 'Worker: R F(137)').map((pod) =>
      pod.phase === 'Failed' ? { ...pod, reasons: [{ reason: 'OOMKilled', container: 'tensorflow' }] } : pod,
    );
    const [end] = trainingReasons(TENSORFLOW, snapshotOf({ ...situation, status, pods }), now, {});
    expect(end).toMatchObject({ code: 'JobFailed', pods: ['j-worker-1'], exitCode: 137, podReason: 'OOMKilled' });
  });
});

test('a pod of a lost node is named with it', () => {
  const situation: Situation = { framework: pytorch, replicas: { Worker: 1 } };
  const [pod] = podsOf(aTraining(situation), pytorch, 'Worker: T');
  if (!pod) throw new Error('no pod');
  expect(reasons({ ...situation, pods: [{ ...pod, deletedAt: NOW - 400, node: 'n1' }] })).toEqual([
    'NodeLost: 1 pod was due to end minutes ago, the first on node n1: each holds its slot until it is gone',
  ]);
});

describe('docs/explain.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/explain.md'), 'utf8');
  test.each(Object.keys(REASONS))('explains %s', (code) => {
    expect(text).toContain(`| \`${code}\` |`);
  });
});

test.each([
  ['All', 0],
  ['Running', 0],
  ['None', 3],
])('of a job that has failed, and whose cleanPodPolicy is %s, %i replicas are shown as active', (cleanPodPolicy, active) => {
  const job = aTraining({
    spec: { runPolicy: { cleanPodPolicy } },
    status: { conditions: [aCondition(tensorflow, 'Failed')], replicaStatuses: { Worker: { active: 3, failed: 1 } } },
  });
  expect(trainingShown(TENSORFLOW).figuresOf(job)).toContainEqual({ name: 'active', value: active });
});

test('an MPIJob that has succeeded has all that it wanted to succeed: its launcher', () => {
  const job = aTraining({
    framework: mpi,
    replicas: { Launcher: 1, Worker: 2 },
    status: { conditions: [aCondition(mpi, 'Succeeded')], replicaStatuses: { Launcher: { succeeded: 1 }, Worker: {} } },
  });
  expect(trainingShown(MPI).figuresOf(job)).toContainEqual({ name: 'succeeded', value: 1, of: 1 });
});
