// Whatever a status says, edited by hand or left by another controller: no plan throws, and what it writes the API server takes.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatIndexes, indexSetOf } from '../../../../lib/objects/values/index-text.ts';
import { validateJobStatusUpdate } from '../../../../lib/admission/job/job-validation.ts';
import type { Condition, Job, JobSpec, JobStatus } from '../../../../lib/objects/kubernetes.ts';
import type { PodFacts } from '../../../../lib/objects/pods/pod-facts.ts';
import type { PlanHead } from '../../../../lib/kinds/rows/plan.ts';
import { aCondition, aJob, anIndexedJob, aPod, at, ended, NOW } from '../builders.ts';
import { outcomeOf, planOf, writtenBy } from '../outcome.ts';

const UIDS = ['a', 'b', 'c', 'd', 'e', 'gone'];
const LIVE = UIDS.slice(0, 5);

const some = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> => fc.option(value, { nil: undefined, freq: 2 });
const condition = (type: string, status: 'True' | 'False'): Condition => aCondition(type, status, 'R', 'm');

/** Mostly such as an API server could hold, for this spec. */
function statusesFor({ completionMode, backoffLimitPerIndex, completions = 0 }: JobSpec): fc.Arbitrary<JobStatus> {
  const indexed = completionMode === 'Indexed';
  const state = fc.constantFrom('none', 'none', 'completed', 'failed');
  const plain = fc.record(
    {
      active: fc.nat(4),
      terminating: fc.nat(3),
      failed: fc.nat(8),
      startTime: fc.constantFrom(at(-60), at(-10_000), at(100)),
      conditions: fc.constantFrom<Condition[]>(
        [],
        [condition('Suspended', 'True')],
        [condition('Suspended', 'False')],
        [condition('FailureTarget', 'True')],
        [condition('FailureTarget', 'False')],
        [condition('SuccessCriteriaMet', 'True')],
        [condition('Suspended', 'True'), condition('SuccessCriteriaMet', 'False'), condition('Failed', 'False')],
      ),
    },
    { requiredKeys: [] },
  );
  return fc
    .tuple(
      plain,
      fc.array(state, { minLength: 7, maxLength: 7 }),
      fc.nat(4),
      fc.nat(8),
      some(fc.array(state, { minLength: 6, maxLength: 6 })),
    )
    .map(([status, indexes, ready, succeeded, uids]): JobStatus => {
      const textOf = (wanted: string): string =>
        formatIndexes(indexSetOf(indexes.flatMap((is, index) => (is === wanted && index < completions ? [index] : []))));
      const uidsOf = (wanted: string): string[] => UIDS.filter((_, place) => uids?.[place] === wanted);
      return {
        ...status,
        ready: Math.min(ready, status.active ?? 0),
        succeeded,
        ...(indexed && { completedIndexes: textOf('completed') }),
        ...(indexed && backoffLimitPerIndex !== undefined && { failedIndexes: textOf('failed') }),
        ...(uids && { uncountedTerminatedPods: { succeeded: uidsOf('completed'), failed: uidsOf('failed') } }),
      };
    });
}

const specs: fc.Arbitrary<JobSpec> = fc
  .record({
    parallelism: fc.nat(4),
    completions: some(fc.nat(6)),
    completionMode: fc.constantFrom('Indexed', 'NonIndexed'),
    backoffLimit: fc.nat(6),
    suspend: fc.boolean(),
    podReplacementPolicy: fc.constantFrom('Failed', 'TerminatingOrFailed'),
    backoffLimitPerIndex: some(fc.nat(2)),
    activeDeadlineSeconds: some(fc.constantFrom(1, 10_000)),
    podFailurePolicy: some(
      fc.constantFrom('FailJob', 'FailIndex', 'Ignore', 'Count').map((action) => ({
        rules: [{ action, onExitCodes: { operator: 'In', values: [1] } }],
      })),
    ),
    successPolicy: some(
      fc.constantFrom<NonNullable<JobSpec['successPolicy']>>(
        { rules: [{ succeededIndexes: '0-1', succeededCount: 1 }] },
        { rules: [{ succeededCount: 2 }] },
      ),
    ),
  })
  .map(({ completions, backoffLimitPerIndex, activeDeadlineSeconds, podFailurePolicy, successPolicy, ...spec }) => {
    const indexed = spec.completionMode === 'Indexed';
    return {
      ...spec,
      ...((indexed || completions !== undefined) && { completions: completions ?? 3 }),
      ...(indexed && backoffLimitPerIndex !== undefined && { backoffLimitPerIndex }),
      ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
      ...(podFailurePolicy && { podFailurePolicy }),
      ...(indexed && successPolicy && { successPolicy }),
    };
  });

const pods: fc.Arbitrary<PodFacts[]> = fc.subarray(LIVE).chain((uids) => fc.tuple(...uids.map((uid) => podOf(uid))));

const podOf = (uid: string): fc.Arbitrary<PodFacts> =>
  fc
    .record({
      phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
      tracked: fc.boolean(),
      deleted: fc.boolean(),
      index: fc.constantFrom('0', '1', '2', '3', '9', 'x'),
      failureCount: fc.constantFrom('0', '1', '5', 'x'),
      secondsAgo: fc.constantFrom(0, 5, 4000),
    })
    .map(({ phase, tracked, deleted, index, failureCount, secondsAgo }) =>
      aPod({
        uid,
        phase,
        tracked,
        index,
        failureCount,
        containers: phase === 'Failed' || phase === 'Succeeded' ? [ended(phase === 'Failed' ? 1 : 0, secondsAgo)] : [],
        ...(deleted && { deletedAt: NOW - secondsAgo }),
      }),
    );

/** What earlier passes left open, and what was refused to them a moment ago. */
const heads: fc.Arbitrary<Partial<PlanHead>> = fc.record(
  {
    expectations: fc.record({
      create: fc.subarray(['demo-unseen']),
      delete: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.subarray(LIVE) }),
      strip: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.subarray(LIVE) }),
    }),
    holdUntilMs: fc.constant((NOW + 8) * 1000),
    deleteHoldUntilMs: fc.constant((NOW + 8) * 1000),
  },
  { requiredKeys: [] },
);

/** One that an API server could hold. */
const isHeld = (job: Job): boolean => validateJobStatusUpdate(job, { ...job, status: {} }).length === 0;

describe('statuses', () => {
  test('no plan throws, and the API server takes what is written', () => {
    let held = 0;
    fc.assert(
      fc.property(
        specs.chain((spec) => fc.tuple(fc.constant(spec), statusesFor(spec))),
        pods,
        heads,
        fc.boolean(),
        ([spec, given], facts, head, isDeleting) => {
          const job: Job = { ...aJob(spec, isDeleting ? { metadata: { deletionTimestamp: at(-5) } } : {}), status: given };
          const plan = planOf({ job, pods: facts, head });
          if (!isHeld(job)) return;
          held += 1;
          let before = job;
          for (const status of writtenBy(plan)) {
            const next = { ...before, status };
            expect(validateJobStatusUpdate(next, before)).toEqual([]);
            before = next;
          }
        },
      ),
      { numRuns: 1500 },
    );
    expect(held).toBeGreaterThan(300);
  });

  test('a suspended Job that fails gets the start time that a finished one must have', () => {
    const { startTime: _, ...status } = { ...aJob().status, failed: 3 };
    const plan = planOf({ job: { ...aJob({ suspend: true, backoffLimit: 1 }), status } });
    expect(outcomeOf(plan).conditions).toEqual(['FailureTarget', 'Failed']);
    expect(plan.status.startTime).toBe(at(0));
  });

  test('an index that succeeded in one pod and failed for good in another has succeeded', () => {
    const job = anIndexedJob({ completions: 3, backoffLimitPerIndex: 0 });
    expect(outcomeOf(planOf({ job, pods: 'S1 F1[0]' }))).toMatchObject({ completed: '1', failedIndexes: '' });
  });

  test('an index that the status calls failed stays so', () => {
    const job = anIndexedJob({ completions: 3, backoffLimitPerIndex: 0 }, { status: { failedIndexes: '1', failed: 1 } });
    expect(outcomeOf(planOf({ job, pods: 'S1' }))).toMatchObject({ completed: '', failedIndexes: '1', strips: 1 });
  });

  test('its success changes nothing, so nothing is written', () => {
    const status = { failedIndexes: '1', failed: 1, ready: 0, terminating: 0 };
    const job = anIndexedJob({ parallelism: 0, completions: 3, backoffLimitPerIndex: 0 }, { status });
    expect(outcomeOf(planOf({ job, pods: 'S1' }))).toMatchObject({ writes: 0, strips: 1 });
  });

  test('a Job never ends before it started, whatever the clocks say', () => {
    const plan = planOf({ job: aJob({ completions: 1 }, { status: { startTime: at(5) } }), pods: '1S' });
    expect(plan.status.completionTime).toBe(at(5));
  });
});
