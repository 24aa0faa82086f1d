// The `why` of a pass: the state of the job, and what the pass decides by it.
import { expect, test } from '@jest/globals';
import { mpi } from '../../../../lib/kinds/training/frameworks/mpi.ts';
import { pytorch } from '../../../../lib/kinds/training/frameworks/pytorch.ts';
import { tensorflow } from '../../../../lib/kinds/training/frameworks/tensorflow.ts';
import { aCondition, aTraining, at, planFor, podsOf, type Situation } from '../builders.ts';

const twoWorkers = aTraining({ replicas: { Worker: 2 } });
const orphans = podsOf(twoWorkers, tensorflow, 'Worker: R R').map(({ controller: _controller, ...rest }) => rest);

const cases: { name: string; situation: Situation; why: string[] }[] = [
  {
    name: 'a new job makes its pods and services',
    situation: { replicas: { Worker: 2 } },
    why: ['0 of 2 replicas are active, 0 have succeeded', 'it makes 2 Pods and 2 Services'],
  },
  {
    name: 'a job with all its pods decides nothing',
    situation: { replicas: { Worker: 2 }, pods: 'Worker: R R' },
    why: ['2 of 2 replicas are active, 0 have succeeded'],
  },
  {
    name: 'a failed replica is deleted, to be made anew',
    situation: { framework: pytorch, replicas: { Master: 1, Worker: 1 }, policy: 'OnFailure', pods: 'Master: R; Worker: F(1)' },
    why: ['1 of 2 replicas are active, 0 have succeeded', 'it deletes 1 Pod'],
  },
  {
    name: 'a slot that is not wanted any more',
    situation: { replicas: { Worker: 1 }, pods: 'Worker: R R' },
    why: ['1 of 1 replicas are active, 0 have succeeded', 'it deletes 1 Pod and 1 Service'],
  },
  {
    name: 'an MPIJob makes its objects and its workers',
    situation: { framework: mpi, replicas: { Launcher: 1, Worker: 2 } },
    why: ['0 of 3 replicas are active, 0 have succeeded', 'it makes 1 ServiceAccount, 1 ConfigMap, 1 Role, 1 RoleBinding and 2 Pods'],
  },
  {
    name: 'pods that wait for their group',
    situation: { replicas: { Worker: 2 }, options: { 'gang-scheduler': 'volcano' } },
    why: ['its pods wait for their group', 'it makes 1 PodGroup'],
  },
  {
    name: 'a suspended job',
    situation: { replicas: { Worker: 2 }, runPolicy: { suspend: true }, pods: 'Worker: R R' },
    why: ['the job is suspended', 'it deletes 2 Pods and 2 Services'],
  },
  {
    name: 'a finished job whose time is over',
    situation: {
      replicas: { Worker: 1 },
      runPolicy: { cleanPodPolicy: 'All', ttlSecondsAfterFinished: 1 },
      pods: 'Worker: S(0)',
      status: { conditions: [aCondition(tensorflow, 'Succeeded')], completionTime: at(-10) },
    },
    why: ['the job is finished', 'it deletes 1 Pod, 1 Service and 1 TFJob'],
  },
  {
    name: 'a job beyond its deadline',
    situation: { replicas: { Worker: 1 }, runPolicy: { activeDeadlineSeconds: 5 }, pods: 'Worker: R', status: { startTime: at(-10) } },
    why: ['Job j has failed because it was active longer than specified deadline', 'it deletes 1 Pod and 1 Service'],
  },
  {
    name: 'pods that nobody controls',
    situation: { job: twoWorkers, pods: orphans, services: [] },
    why: ['it settles first which pods and services are its own', 'it adopts 2 Pods'],
  },
  {
    name: 'a replica that is done loses its pod',
    situation: {
      replicas: { Worker: 2 },
      pods: podsOf(twoWorkers, tensorflow, 'Worker: R S1(0)').map((pod) => (pod.phase === 'Succeeded' ? { ...pod, deletedAt: 1 } : pod)),
    },
    why: ['1 of 2 replicas are active, 1 have succeeded', 'it remembers the replicas that are done'],
  },
];

test.each(cases)('$name', ({ situation, why }) => expect(planFor(situation).why).toEqual(why));
