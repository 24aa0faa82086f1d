// Worked cases of counting, creating and ending; NonIndexed.
import { describe, expect, test } from '@jest/globals';
import { aCondition, aJob, aPod, at, now, podsOf } from '../builders.ts';
import { actionsOf, claimed, orderOf, outcomeOf, planOf, stripsOf, writtenBy, type Case } from '../outcome.ts';

const holdUntilMs = now.getTime() + 4000;
const ENDED = ['SuccessCriteriaMet', 'Complete'];

const cases: Case[] = [
  { name: 'case 1: start', job: aJob({ completions: 5 }), creates: 2, deletes: 0, strips: 0, status: '2/0/0/0/0' },
  { name: 'case 2: start of a work queue', job: aJob(), creates: 2, status: '2/0/0/0/0' },
  { name: 'case 3: nothing to do', job: aJob({ completions: 5 }), pods: '2P', creates: 0, deletes: 0, strips: 0, status: '2/0/0/0/0' },
  {
    name: 'case 4: ready count',
    job: aJob({ parallelism: 3, completions: 5 }),
    pods: '1A 2R',
    creates: 0,
    deletes: 0,
    status: '3/2/0/0/0',
  },
  { name: 'case 5: replace a finished pod', job: aJob({ completions: 5 }), pods: '1A 1S', creates: 1, strips: 1, status: '2/0/1/0/0' },
  { name: 'case 6: mixed results', job: aJob({ completions: 5 }), pods: '1A 1S 1F', creates: 1, strips: 2, status: '2/0/1/1/0' },
  {
    name: 'case 7: cap by the remaining completions',
    job: aJob({ completions: 5 }),
    pods: '4S',
    creates: 1,
    strips: 4,
    status: '1/0/4/0/0',
  },
  { name: 'case 8: a work queue winds down', job: aJob(), pods: '1A 1S', creates: 0, strips: 1, status: '1/0/1/0/0', conditions: [] },
  {
    name: 'case 9: completion',
    job: aJob({ completions: 5 }),
    pods: '5S',
    strips: 5,
    status: '0/0/5/0/0',
    conditions: ENDED,
    events: ['Completed'],
  },
  { name: 'case 10: a work queue is complete', job: aJob(), pods: '2S', strips: 2, status: '0/0/2/0/0', conditions: ENDED },
  {
    name: 'case 11: a work queue is complete with a failure',
    job: aJob(),
    pods: '1S 1F',
    strips: 2,
    status: '0/0/1/1/0',
    conditions: ENDED,
  },
  {
    name: 'case 12: a work queue with failures alone goes on',
    job: aJob({ parallelism: 1 }),
    pods: '1F',
    creates: 1,
    strips: 1,
    status: '1/0/0/1/0',
    conditions: [],
  },
  {
    name: 'case 13: too many successes',
    job: aJob({ completions: 2 }),
    pods: '3S',
    strips: 3,
    status: '0/0/3/0/0',
    conditions: ENDED,
    events: ['TooManySucceededPods', 'Completed'],
  },
  { name: 'case 14: too many active', job: aJob({ completions: 5 }), pods: '3A', deletes: 1, strips: 1, status: '2/0/0/0/1' },
  { name: 'case 15: far too many active', job: aJob({ completions: 5 }), pods: '10A', deletes: 8, strips: 8, status: '2/0/0/0/8' },
  {
    name: 'case 16: too many for the rest',
    job: aJob({ parallelism: 3, completions: 4 }),
    pods: '3A 2S',
    creates: 0,
    deletes: 1,
    strips: 3,
    status: '2/0/2/0/1',
  },
  {
    name: 'case 17: parallelism 0',
    job: aJob({ parallelism: 0, completions: 5 }),
    pods: '2R',
    deletes: 2,
    strips: 2,
    status: '0/0/0/0/2',
    conditions: [],
  },
  {
    name: 'case 18: complete with surplus active',
    job: aJob({ completions: 2 }),
    pods: '1A 2S',
    deletes: 1,
    strips: 3,
    status: '0/0/2/0/1',
    conditions: ['SuccessCriteriaMet'],
    events: [],
  },
  { name: 'case 19: at most 500 creates', job: aJob({ parallelism: 1000, completions: 1000 }), creates: 500, status: '500/0/0/0/0' },
  {
    name: 'case 24: creates whose outcome is not seen',
    job: aJob({ completions: 5 }),
    head: { expectations: { create: ['demo-b', 'demo-c'], delete: [], strip: [] } },
    creates: 0,
    status: '0/0/0/0/0',
  },
  {
    name: 'case 26: the Job is being deleted',
    job: aJob({ completions: 5 }, { metadata: { deletionTimestamp: at(-1) } }),
    pods: '1P 1A 1S',
    creates: 0,
    deletes: 0,
    strips: 3,
    status: '2/0/1/0/0',
  },
  {
    name: 'case 27: a pod that shows up clears what was expected of it',
    job: aJob({ parallelism: 1, completions: 1 }),
    pods: [aPod({ name: 'demo-b' })],
    head: { expectations: { create: ['demo-b'], delete: [], strip: [] } },
    creates: 0,
    status: '1/0/0/0/0',
  },
  {
    name: 'case 29: unknown completion mode',
    job: aJob({ completionMode: 'Other' }),
    pods: '1S',
    strips: 0,
    writes: 0,
    events: ['UnknownCompletionMode'],
  },
];

describe('counting and creating', () => {
  test.each(cases)('$name', (row) => {
    const [found, wanted] = claimed(row, planOf(row));
    expect(found).toEqual(wanted);
  });

  test('case 9: the end has reason, message and completion time', () => {
    const { status } = planOf({ job: aJob({ completions: 5 }), pods: '5S' });
    expect(status.completionTime).toBe(at(0));
    expect(status.conditions).toMatchObject([
      { type: 'SuccessCriteriaMet', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' },
      { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods', lastTransitionTime: at(0) },
    ]);
  });

  test('case 18: no finalizer is taken off twice', () => {
    expect(stripsOf(planOf({ job: aJob({ completions: 2 }), pods: '1A 2S' }))).toHaveLength(3);
  });

  test('a delete that shows as done is no longer waited for', () => {
    const pods = podsOf('2A 1T');
    const head = { expectations: { create: [], delete: [pods[2]?.uid ?? '', 'gone'], strip: [] } };
    expect(outcomeOf(planOf({ job: aJob({ parallelism: 3, completions: 5 }), pods, head })).creates).toBe(1);
  });

  test('deletes that a pass intended and does not see keep it from deleting again for scale-down', () => {
    const pods = podsOf('3A');
    const head = { expectations: { create: [], delete: [pods[0]?.uid ?? ''], strip: [] } };
    const outcome = outcomeOf(planOf({ job: aJob({ completions: 5 }), pods, head }));
    expect(outcome).toMatchObject({ deletes: 0, status: '3/0/0/0/0' });
  });

  test('case 28: a finished Job', () => {
    const plan = planOf({ job: aJob({ completions: 1 }, { status: { conditions: [aCondition('Complete', 'True')] } }) });
    expect(plan).toMatchObject({ actions: [], outcome: 'converged' });
  });

  test('a finished Job: the finalizers that are left come off, and a pod that runs all the same goes first', () => {
    const plan = planOf({ job: aJob({}, { status: { conditions: [aCondition('Failed', 'True')] } }), pods: '1S 1A' });
    expect(outcomeOf(plan)).toMatchObject({ strips: 1, deletes: 1, writes: 0 });
  });

  test('case 29: an unknown mode is parked', () => expect(planOf({ job: aJob({ completionMode: 'Other' }) }).outcome).toBe('parked'));
});

describe('writes', () => {
  test('R18: the write that ends a Job counts directly, and the finalizers come off behind it', () => {
    const plan = planOf({ job: aJob({ completions: 2 }), pods: '2S 1F' });
    expect(orderOf(plan)).toEqual(['status', 'strip']);
    expect(plan.status).toMatchObject({ succeeded: 2, failed: 1, uncountedTerminatedPods: {} });
  });

  test('R1: what is not the end is recorded, stripped, counted', () => {
    const plan = planOf({ job: aJob({ completions: 5 }), pods: [aPod(), ...podsOf('1F'), aPod({ uid: 'done', phase: 'Succeeded' })] });
    expect(orderOf(plan)).toEqual(['create', 'status', 'strip', 'status']);
    const [first, second] = writtenBy(plan);
    expect(first?.uncountedTerminatedPods?.succeeded).toEqual(['done']);
    expect(first?.succeeded).toBeUndefined();
    expect(second).toMatchObject({ succeeded: 1, failed: 1, uncountedTerminatedPods: {} });
  });

  test('R16: a pass in which nothing changes writes nothing', () => {
    const job = aJob({ completions: 5 });
    const pods = podsOf('2R');
    const { status } = planOf({ job, pods });
    expect(planOf({ job: { ...job, status }, pods })).toMatchObject({ actions: [], outcome: 'converged' });
  });

  test('R8: strips carry the uid, deletes of active pods the version', () => {
    const [pod] = podsOf('1A');
    const plan = planOf({ job: aJob({ parallelism: 0, completions: 1 }), pods: pod ? [pod] : [] });
    expect(actionsOf(plan, 'patch')).toMatchObject([
      {
        purpose: 'strip',
        type: 'strategic',
        uid: pod?.uid,
        patch: { metadata: { uid: pod?.uid, '$deleteFromPrimitiveList/finalizers': ['batch.kubernetes.io/job-tracking'] } },
      },
    ]);
    expect(actionsOf(plan, 'delete')).toMatchObject([{ uid: pod?.uid, active: true, resourceVersion: pod?.resourceVersion }]);
    expect(orderOf(plan)).toEqual(['strip', 'delete', 'status']);
  });

  test('R8: the finalizer of a pod that still runs comes off only if the pod is still in that state', () => {
    const [pod] = podsOf('1A');
    const plan = planOf({ job: aJob({}, { metadata: { deletionTimestamp: at(-1) } }), pods: pod ? [pod] : [] });
    expect(actionsOf(plan, 'patch')).toMatchObject([{ patch: { metadata: { uid: pod?.uid, resourceVersion: pod?.resourceVersion } } }]);
  });

  test('creates held: nothing is started, what ended is counted, and the plan says when again', () => {
    const plan = planOf({ job: aJob({ parallelism: 6, completions: 8 }), pods: '4A 1S', head: { holdUntilMs } });
    expect(outcomeOf(plan)).toMatchObject({ creates: 0, deletes: 0, strips: 1, status: '4/0/1/0/0', requeue: 4 });
  });

  test('creates held: pods too many go, and the pods of a Job that is over', () => {
    const surplus = planOf({ job: aJob({ completions: 5 }), pods: '4A 1S', head: { holdUntilMs } });
    expect(outcomeOf(surplus)).toMatchObject({ creates: 0, deletes: 2, status: '2/0/1/0/2' });
    const over = planOf({ job: aJob({ backoffLimit: 0 }), pods: '1A 1F', head: { holdUntilMs } });
    expect(outcomeOf(over)).toMatchObject({ deletes: 1, conditions: ['FailureTarget'] });
  });

  test('deletes held: nothing is deleted, and no end is told while pods are left that should go', () => {
    const surplus = planOf({ job: aJob({ completions: 5 }), pods: '4A 1S', head: { deleteHoldUntilMs: holdUntilMs } });
    expect(outcomeOf(surplus)).toMatchObject({ creates: 0, deletes: 0, strips: 1, status: '4/0/1/0/0', requeue: 4 });
    const over = planOf({ job: aJob({ backoffLimit: 0 }), pods: '1A 1F', head: { deleteHoldUntilMs: holdUntilMs } });
    expect(outcomeOf(over)).toMatchObject({ deletes: 0, status: '1/0/0/1/0', conditions: [], requeue: 4 });
    const left = planOf({ job: aJob({ backoffLimit: 0 }), pods: '1F', head: { deleteHoldUntilMs: holdUntilMs } });
    expect(outcomeOf(left)).toMatchObject({ conditions: ['FailureTarget', 'Failed'] });
  });

  test('deletes held: pods that are missing are started', () => {
    const plan = planOf({ job: aJob({ parallelism: 2, completions: 5 }), pods: '1A', head: { deleteHoldUntilMs: holdUntilMs } });
    expect(outcomeOf(plan)).toMatchObject({ creates: 1, status: '2/0/0/0/0' });
  });

  test('a template without labels parks the Job, for its pods could not be told from others', () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } };
    const plan = planOf({ job: aJob({ completions: 3, template }), pods: '1S' });
    expect(plan).toMatchObject({ outcome: 'parked', why: expect.arrayContaining(['unable to create pods, no labels']) });
    expect(outcomeOf(plan)).toMatchObject({ creates: 0, strips: 1, status: '0/0/1/0/0' });
  });

  test('a Job from a view, without its template, is planned all the same', () => {
    const plan = planOf({ job: aJob({ completions: 3, template: { spec: { containers: [], restartPolicy: 'Never' } } }), pods: '1S' });
    expect(outcomeOf(plan)).toMatchObject({ creates: 2, strips: 1, status: '2/0/1/0/0' });
  });
});
