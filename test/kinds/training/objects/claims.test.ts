// Which pods and services are a job's (8.1): by controller and labels.
import { describe, expect, test } from '@jest/globals';
import { pytorch } from '../../../../lib/kinds/training/frameworks/pytorch.ts';
import { tensorflow } from '../../../../lib/kinds/training/frameworks/tensorflow.ts';
import { JOB_NAME } from '../../../../lib/kinds/training/names/slots.ts';
import { termsOf } from '../../../../lib/kinds/training/terms/terms.ts';
import type { ChildState } from '../../../../lib/objects/child-state.ts';
import type { PodFacts } from '../../../../lib/objects/pods/pod-facts.ts';
import { aChild, actionsOf, aTraining, aTrainingPod, at, created, JOB_UID, NOW, planFor, type Situation } from '../builders.ts';

const job = aTraining({ replicas: { Worker: 2 } });
const terms = termsOf(tensorflow, job);
const foreign = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'another' };

const workerPod = (index: number, facts: Partial<PodFacts> = {}): PodFacts => aTrainingPod(terms, { type: 'Worker', index }, facts);
const orphanPod = (index: number, facts: Partial<PodFacts> = {}): PodFacts => {
  const { controller: _controller, ...rest } = workerPod(index, facts);
  return rest;
};
const unlike = (labels: Readonly<Record<string, string>>): Record<string, string> => ({ ...labels, [JOB_NAME]: 'other' });
const workerService = (index: number, more: Partial<ChildState> = {}): ChildState => {
  const { name, labels } = workerPod(index);
  return aChild('services', name, { labels, ...more });
};

const claims = (situation: Situation): string[] =>
  actionsOf(planFor({ job, services: [], ...situation }), 'patch').map(({ purpose, kind, name }) => `${purpose} ${kind} ${name}`);

describe('case 15: claims by labels', () => {
  const deleted = aTraining({ replicas: { Worker: 2 }, metadata: { ...job.metadata, deletionTimestamp: at(-1) } });
  const other = orphanPod(1, { labels: unlike(workerPod(1).labels) });
  const lost = workerPod(1, { labels: unlike(workerPod(1).labels) });

  test('(a) an orphan whose labels do not match is left alone', () => expect(claims({ pods: [workerPod(0), other] })).toEqual([]));
  test('(b, c) a job that is being deleted adopts nothing', () =>
    expect(claims({ job: deleted, pods: [workerPod(0), orphanPod(1)] })).toEqual([]));
  test('(d) a pod of another controller is left alone, and is nobody that counts', () => {
    const situation = { job, pods: [workerPod(0), workerPod(1, { name: 'foreign', controller: foreign })] };
    expect(claims(situation)).toEqual([]);
    expect(created(planFor(situation))).toEqual(['j-worker-1']);
  });
  test('(e, f) one of its own that no longer matches is let go, terminating or not', () => {
    expect(claims({ pods: [workerPod(0), lost] })).toEqual(['release Pod j-worker-1']);
    expect(claims({ pods: [workerPod(0, { deletedAt: NOW }), { ...lost, deletedAt: NOW }] })).toEqual(['release Pod j-worker-1']);
  });
  test('a job that is being deleted lets nothing go', () => expect(claims({ job: deleted, pods: [lost] })).toEqual([]));

  test('orphans with its labels are adopted, unless they are being deleted', () => {
    expect(claims({ pods: [orphanPod(0), orphanPod(1, { deletedAt: NOW })] })).toEqual(['adopt Pod j-worker-0']);
  });

  test('services: the same', () => {
    const orphaned = true as const;
    const services = [
      workerService(0),
      workerService(1, { orphaned }),
      workerService(2, { orphaned, terminating: true }),
      workerService(3, { orphaned, labels: unlike(workerPod(3).labels) }),
      workerService(4, { labels: unlike(workerPod(4).labels) }),
    ];
    expect(claims({ services })).toEqual(['adopt Service j-worker-1', 'release Service j-worker-4']);
    expect(claims({ job: deleted, services })).toEqual([]);
  });
});

test('claims come before all else, state the uid, and have the job read live first', () => {
  const plan = planFor({ job, pods: [orphanPod(0)], services: [] });
  expect(plan.continues).toBe(true);
  expect(created(plan)).toEqual([]);
  const [adoption] = actionsOf(plan, 'patch');
  const reference = { apiVersion: 'kubeflow.org/v1', kind: 'TFJob', name: 'j', uid: JOB_UID, controller: true, blockOwnerDeletion: true };
  expect(adoption).toMatchObject({ type: 'strategic', canBeTakenBack: false });
  expect(adoption?.patch).toEqual({ metadata: { uid: adoption?.uid, ownerReferences: [reference] } });
});

test('a job of another kind and the same name adopts nothing of it', () => {
  const torch = aTraining({ framework: pytorch, replicas: { Worker: 2 } });
  expect(claims({ framework: pytorch, job: torch, pods: [orphanPod(0)] })).toEqual([]);
});
