// Another operator at work on a job: seen in the job's managed fields, told of once, and not fought.
import { describe, expect, test } from '@jest/globals';
import { ObjectStream } from '../../../../lib/adapters/kubernetes/json/object-stream.ts';
import { LONG_VALUE_BYTES } from '../../../../lib/adapters/kubernetes/json/window.ts';
import { PYTORCH } from '../../../../lib/kinds/training/names/framework-names.ts';
import { pytorch } from '../../../../lib/kinds/training/frameworks/pytorch.ts';
import type { TrainingJob } from '../../../../lib/kinds/training/terms/job-types.ts';
import type { Kept } from '../../../../lib/kinds/training/memory/kept.ts';
import { otherOperatorIn, SILENCE_SECONDS } from '../../../../lib/kinds/training/status/other-operator.ts';
import { ownerFields, trainingFactsOf, trainingFaultOf } from '../../../../lib/kinds/training/owner-facts.ts';
import { trainingReasons } from '../../../../lib/kinds/training/reasons.ts';
import type { ManagedFieldsEntry } from '../../../../lib/objects/kubernetes.ts';
import { actionsOf, at, aTraining, created, NOW, now, planFor, snapshotOf, told, type Situation } from '../builders.ts';

const wrote = (manager: string, seconds: number, subresource = 'status'): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  apiVersion: 'kubeflow.org/v1',
  time: at(seconds),
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:status': { 'f:conditions': {} } },
  ...(subresource !== '' && { subresource }),
});
const parts = (managedFields: ManagedFieldsEntry[]): Situation => ({
  framework: pytorch,
  replicas: { Master: 1 },
  metadata: { ...aTraining().metadata, managedFields },
});

describe('who is at work', () => {
  const cases: [string, ManagedFieldsEntry[], string | undefined][] = [
    ['nobody else has ever written the status', [wrote('farloop', -5), wrote('sdk', -1, '')], undefined],
    ['an operator wrote a moment ago, Farloop never', [wrote('manager', -5)], 'manager'],
    ['it wrote after Farloop did', [wrote('farloop', -9), wrote('manager', -5)], 'manager'],
    ['both wrote in one second', [wrote('farloop', -5), wrote('manager', -5)], 'manager'],
    ['Farloop wrote after it did', [wrote('farloop', -4), wrote('manager', -5)], undefined],
    ['the latest of two others counts', [wrote('old', -70), wrote('farloop', -60), wrote('training-operator', -5)], 'training-operator'],
    ['it is silent for two minutes', [wrote('manager', -SILENCE_SECONDS)], undefined],
    ['a second less', [wrote('manager', 1 - SILENCE_SECONDS)], 'manager'],
    ['a person wrote the status by hand', [wrote('kubectl-edit', -1)], undefined],
  ];
  test.each(cases)('%s', (_name, managedFields, manager) => {
    expect(otherOperatorIn({ managedFields }, NOW)?.manager).toBe(manager);
  });

  test('no wait is longer than the silence, whatever the clocks say', () => {
    expect(otherOperatorIn({ managedFields: [wrote('manager', 9_000)] }, NOW)?.remainingSeconds).toBe(SILENCE_SECONDS);
    expect(otherOperatorIn({ managedFields: [{ manager: 'manager', subresource: 'status', time: 'never' }] }, NOW)).toBeUndefined();
  });

  test('a view keeps of the managed fields who else wrote the status and when, and nothing where nobody did', () => {
    const given = aTraining(parts([wrote('sdk', -90, ''), wrote('farloop', -9), wrote('older', -60), wrote('manager', -5)]));
    const facts = trainingFactsOf(PYTORCH, given);
    expect(facts.metadata.managedFields).toEqual([
      { manager: 'manager', subresource: 'status', time: at(-5) },
      { manager: 'farloop', subresource: 'status', time: at(-9) },
    ]);
    expect(trainingFactsOf(PYTORCH, facts)).toEqual(facts);
    expect(trainingFaultOf(PYTORCH, facts)).toBeUndefined();
    expect(trainingFactsOf(PYTORCH, aTraining(parts([wrote('sdk', -90, ''), wrote('farloop', -9)]))).metadata).not.toHaveProperty(
      'managedFields',
    );
  });
});

test('of what the API server sends, only who wrote what and when is read', () => {
  const stream = new ObjectStream(ownerFields(PYTORCH));
  const note = { 'example.com/note': 'x'.repeat(LONG_VALUE_BYTES) };
  const sent = aTraining(parts([wrote('sdk', -90, ''), wrote('manager', -5)]));
  stream.take(Buffer.from(JSON.stringify({ ...sent, metadata: { ...sent.metadata, annotations: note } })));
  expect((stream.end() as TrainingJob).metadata.managedFields).toEqual([
    { manager: 'sdk', time: at(-90) },
    { manager: 'manager', subresource: 'status', time: at(-5) },
  ]);
});

describe('what is done about it', () => {
  const sentence =
    'another operator, whose writes are signed "manager", works on this PyTorchJob: Farloop writes nothing for it until that one has been silent for 2 minutes';
  const situation = parts([wrote('manager', -5)]);

  test('nothing is written; one event tells of it, and the job is looked at when the silence would be over', () => {
    const plan = planFor(situation);
    expect(told(plan)).toEqual([expect.stringContaining(`Warning OtherOperatorAtWork: ${sentence}. Scale that operator down`)]);
    expect(plan.actions).toHaveLength(1);
    expect(plan).toMatchObject({ outcome: 'waiting', yieldsTo: 'manager', requeueAfterSeconds: SILENCE_SECONDS - 5 });
    expect(planFor({ ...situation, kept: plan.head.kept as Kept }).actions).toEqual([]);
  });

  test('what was kept, and a failure whose status is not written yet, outlive it', () => {
    const failure = { reason: 'PyTorchJobFailed', message: 'too many' };
    const plan = planFor({ ...situation, kept: { failed: 2 }, head: { failure } });
    expect(plan.head.kept).toEqual({ failed: 2, operator: 'manager' });
    expect(plan.failure).toEqual(failure);
  });

  test('after the silence the work begins, and a second spell of the same operator is not told of again', () => {
    const later = new Date((NOW + SILENCE_SECONDS) * 1000);
    const plan = planFor({ ...situation, kept: { operator: 'manager' } }, later);
    expect(created(plan)).toEqual(['j-master-0']);
    expect(plan.head.kept).toMatchObject({ operator: 'manager' });
    expect(actionsOf(plan, 'status')).toHaveLength(1);
  });

  test('explain says it before all else', () => {
    const reasons = trainingReasons(PYTORCH, snapshotOf({ ...situation, pods: 'Master: R' }), now, {});
    expect(reasons).toEqual([
      { code: 'OtherOperatorAtWork', text: `${sentence}; its latest write was at ${at(-5)}`, remainingSeconds: SILENCE_SECONDS - 5 },
    ]);
  });
});
