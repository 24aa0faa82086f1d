// The closed list of reasons: a table of cases for each of them, and a line in the documentation.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { jobFactsOf } from '../../../../lib/kinds/job/terms/owner-facts.ts';
import type { Job } from '../../../../lib/objects/kubernetes.ts';
import type { PodFacts } from '../../../../lib/objects/pods/pod-facts.ts';
import type { PlanHead } from '../../../../lib/kinds/rows/plan.ts';
import { JOB_REASONS, type JobReasonCode } from '../../../../lib/kinds/job/reasons/reason-codes.ts';
import { reasonsOf } from '../../../../lib/kinds/job/reasons/reasons.ts';
import { COMMON_REASONS, type Circumstances, type Reason } from '../../../../lib/kinds/rows/reasons.ts';
import { aCondition, aJob, anIndexedJob, aPod, aSnapshot, at, ended, NOW, now, podsOf } from '../builders.ts';

interface Case {
  code: JobReasonCode;
  name: string;
  job: Job;
  pods?: readonly PodFacts[];
  head?: Partial<PlanHead>;
  manages?: readonly string[];
  circumstances?: Circumstances;
  /** What the reason holds beside its code. */
  holds?: Partial<Reason>;
  says?: string;
}

const finished = (
  type: 'Complete' | 'Failed',
  reason: string,
  message: string,
  rest: { spec?: Job['spec']; status?: Job['status'] } = {},
): Job => aJob(rest.spec ?? {}, { status: { ...rest.status, conditions: [aCondition(type, 'True', reason, message)] } });
const failedPod = (exitCode: number, secondsAgo: number): PodFacts =>
  aPod({ name: 'demo-x', phase: 'Failed', containers: [ended(exitCode, secondsAgo)] });
const pulling = (name: string): PodFacts =>
  aPod({ name, phase: 'Pending', reasons: [{ reason: 'ImagePullBackOff', message: 'no such image', container: 'main' }] });
const FAIL_JOB = 'Container main for pod default/demo-x failed with exit code 5 matching FailJob rule at index 1';

const cases: Case[] = [
  {
    code: 'Completed',
    name: 'as many as were wanted',
    job: finished('Complete', 'CompletionsReached', '', { status: { succeeded: 5 } }),
    says: '5 succeeded',
  },
  { code: 'Completed', name: 'by an older controller, without a reason', job: finished('Complete', '', '') },
  {
    code: 'SuccessPolicyMet',
    name: 'its rule',
    job: finished('Complete', 'SuccessPolicy', 'Matched rules at index 2'),
    holds: { rule: 2 },
  },
  {
    code: 'BackoffLimitExceeded',
    name: 'the pod that failed last, and its exit code',
    job: finished('Failed', 'BackoffLimitExceeded', '', { spec: { backoffLimit: 1 }, status: { failed: 2 } }),
    pods: [failedPod(3, 10), aPod({ phase: 'Failed', containers: [ended(1, 60)] })],
    holds: { pods: ['demo-x'], exitCode: 3 },
    says: '2 pods failed, 1 may',
  },
  {
    code: 'BackoffLimitExceeded',
    name: 'that restarts count with OnFailure, and which pod restarted most',
    job: finished('Failed', 'BackoffLimitExceeded', '', {
      spec: { ...aJob().spec, template: { ...aJob().spec.template, spec: { restartPolicy: 'OnFailure', containers: [] } } },
      status: { failed: 1 },
    }),
    pods: [
      aPod({ name: 'demo-a', deletedAt: 1, containers: [{ name: 'main', role: 'container', restarts: 2 }] }),
      aPod({ name: 'demo-b', deletedAt: 1, containers: [{ name: 'main', role: 'container', restarts: 4 }] }),
    ],
    holds: { pods: ['demo-b'] },
    says: 'restarted 6 times or more',
  },
  {
    code: 'DeadlineExceeded',
    name: 'how long it might',
    job: finished('Failed', 'DeadlineExceeded', '', { spec: { activeDeadlineSeconds: 9 } }),
    says: '9 s',
  },
  {
    code: 'PodFailurePolicyMatched',
    name: 'pod, exit code and rule',
    job: finished('Failed', 'PodFailurePolicy', FAIL_JOB),
    holds: { pods: ['demo-x'], exitCode: 5, rule: 1 },
  },
  {
    code: 'PodFailurePolicyMatched',
    name: 'an exit code below zero',
    job: finished('Failed', 'PodFailurePolicy', FAIL_JOB.replace('code 5', 'code -1').replace('index 1', 'index 10')),
    holds: { pods: ['demo-x'], exitCode: -1, rule: 10 },
  },
  {
    code: 'PodFailurePolicyMatched',
    name: 'pod and rule of a condition',
    job: finished('Failed', 'PodFailurePolicy', 'Pod default/demo-y has condition ConfigIssue matching FailJob rule at index 0'),
    holds: { pods: ['demo-y'], rule: 0 },
  },
  {
    code: 'FailedIndexes',
    name: 'which',
    job: finished('Failed', 'FailedIndexes', '', { spec: { completions: 9 }, status: { failedIndexes: '1-3' } }),
    holds: { index: '1-3' },
    says: '3 indexes',
  },
  {
    code: 'FailedIndexes',
    name: 'one alone',
    job: finished('Failed', 'FailedIndexes', '', { spec: { completions: 9 }, status: { failedIndexes: '7' } }),
    holds: { index: '7' },
    says: '1 index failed',
  },
  {
    code: 'MaxFailedIndexesExceeded',
    name: 'which, and how many may',
    job: finished('Failed', 'MaxFailedIndexesExceeded', '', {
      spec: { completions: 9, maxFailedIndexes: 1 },
      status: { failedIndexes: '1,4' },
    }),
    holds: { index: '1,4' },
    says: '1 may',
  },
  { code: 'EndedOtherwise', name: 'for a reason that objects inherit', job: finished('Failed', 'constructor', 'by hand'), says: 'by hand' },
  { code: 'EndedOtherwise', name: 'by somebody else', job: finished('Failed', 'Stopped', 'by hand'), says: 'by hand' },
  {
    code: 'Expires',
    name: 'how long still',
    job: finished('Complete', 'CompletionsReached', '', { spec: { ttlSecondsAfterFinished: 90 } }),
    holds: { remainingSeconds: 60 },
    says: 'is deleted in 60 s',
  },
  {
    code: 'Expires',
    name: 'no longer',
    job: finished('Complete', 'CompletionsReached', '', { spec: { ttlSecondsAfterFinished: 1 } }),
    holds: { remainingSeconds: 0 },
    says: 'deleted now',
  },
  { code: 'ManagedBySomebodyElse', name: 'who', job: aJob({ managedBy: 'example.com/x' }), says: 'example.com/x' },
  { code: 'ManagedBySomebodyElse', name: 'the built-in controller', job: aJob(), manages: ['jobs'], says: 'built-in' },
  { code: 'UnknownCompletionMode', name: 'which', job: aJob({ completionMode: 'Sorted' }), says: 'Sorted' },
  {
    code: 'UnreadableSelector',
    name: 'why',
    job: aJob({ selector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } }),
    says: 'Like',
  },
  {
    code: 'Parked',
    name: 'what for, how long',
    job: aJob(),
    circumstances: { parked: { reason: 'no template', remainingMs: 4_200 } },
    holds: { remainingSeconds: 5 },
    says: 'no template',
  },
  {
    code: 'Unreachable',
    name: 'since when, how so, and when it is asked again',
    job: aJob(),
    circumstances: { unreachable: { sinceMs: Date.UTC(2026, 0, 2, 3, 4, 5), reason: 'connection refused', remainingMs: 11_500 } },
    holds: { remainingSeconds: 12 },
    says: 'no answer from the cluster since 2026-01-02 03:04:05 UTC: connection refused; tried again in 12 s',
  },
  {
    code: 'Unreachable',
    name: 'that it is being asked',
    job: aJob(),
    circumstances: { unreachable: { sinceMs: 0, reason: 'Unauthorized', isRefused: true, remainingMs: 0 } },
    says: "the cluster refuses Farloop's credentials since 1970-01-01 00:00:00 UTC: Unauthorized; tried again now",
  },
  {
    code: 'Unreachable',
    name: 'that no pass of it is on its way',
    job: aJob(),
    circumstances: { unreachable: { sinceMs: 0, reason: 'connection refused' } },
    says: 'connection refused; tried again when something happens',
  },
  {
    code: 'ClusterNotObserved',
    name: 'why',
    job: aJob(),
    circumstances: { unobserved: 'its API server does not let the relay watch pods' },
    says: 'does not let the relay watch pods',
  },
  { code: 'Forbidden', name: 'what', job: aJob(), circumstances: { forbidden: 'pods is forbidden' }, says: 'pods is forbidden' },
  { code: 'RelaySilent', name: 'for how long', job: aJob(), circumstances: { relaySilentMs: 300_000 }, says: 'for 5 min' },
  {
    code: 'ClusterDrained',
    name: 'of one that has not begun',
    job: { ...aJob(), status: {} },
    circumstances: { isDrained: true },
    says: 'none is begun',
  },
  {
    code: 'WaitsAfterLoss',
    name: 'how long still',
    job: aJob(),
    circumstances: { leftAloneMs: 12_300 },
    holds: { remainingSeconds: 13 },
    says: '13 s',
  },
  {
    code: 'WriteBudgetSpent',
    name: 'how long still',
    job: aJob(),
    circumstances: { throttledMs: 2_000 },
    holds: { remainingSeconds: 2 },
    says: 'in 2 s',
  },
  { code: 'NotYetSeen', name: 'before the first pass', job: { ...aJob(), status: {} } },
  {
    code: 'TooLargeForView',
    name: 'what is left of it in the view',
    job: jobFactsOf(aJob({ selector: { matchLabels: { far: 'x'.repeat(70_000) } } })),
    says: 'read',
  },
  {
    code: 'BeingDeleted',
    name: 'what is left',
    job: aJob({}, { metadata: { deletionTimestamp: at(-5) } }),
    pods: podsOf('1R 1T'),
    says: '2 of its pods',
  },
  {
    code: 'BeingDeleted',
    name: 'of one that has ended, what holds it still',
    job: aJob(
      {},
      {
        metadata: { deletionTimestamp: at(-5), finalizers: ['foregroundDeletion', 'example.com/x'] },
        status: { conditions: [aCondition('Complete', 'True', 'CompletionsReached', '')] },
      },
    ),
    says: 'finalizers are off: foregroundDeletion, example.com/x',
  },
  {
    code: 'Succeeding',
    name: 'while pods go',
    job: aJob({}, { status: { conditions: [aCondition('SuccessCriteriaMet', 'True', 'SuccessPolicy')] } }),
    pods: podsOf('1T'),
    says: '1 of its pods has yet to go',
  },
  {
    code: 'Failing',
    name: 'while pods go: which pod, exit code and rule',
    job: aJob({}, { status: { conditions: [aCondition('FailureTarget', 'True', 'PodFailurePolicy', FAIL_JOB)] } }),
    pods: podsOf('1T'),
    holds: { exitCode: 5, rule: 1 },
  },
  {
    code: 'Failing',
    name: 'though its status does not say so yet',
    job: aJob({ backoffLimit: 0 }),
    pods: podsOf('1A 1T'),
    head: { failure: { reason: 'DeadlineExceeded', message: 'too long' } },
    says: 'it fails (DeadlineExceeded: too long); 2 of its pods have yet to go',
  },
  { code: 'Suspended', name: 'until it changes', job: aJob({ suspend: true }) },
  { code: 'NoParallelism', name: 'no pods allowed', job: aJob({ parallelism: 0 }) },
  {
    code: 'RefusedByApiServer',
    name: 'how long still',
    job: aJob(),
    head: { holdUntilMs: now.getTime() + 8_000 },
    holds: { remainingSeconds: 8 },
  },
  {
    code: 'RefusedByApiServer',
    name: 'in its words',
    job: aJob(),
    head: { holdUntilMs: now.getTime() + 8_000 },
    circumstances: { refusal: 'exceeded quota: small' },
    says: 'exceeded quota: small; tried again in 8 s',
  },
  ...[
    { name: 'suspended', job: aJob({ suspend: true }) },
    { name: 'failing', job: aJob({}, { status: { conditions: [aCondition('FailureTarget', 'True', 'DeadlineExceeded', '')] } }) },
    { name: 'succeeding', job: aJob({}, { status: { conditions: [aCondition('SuccessCriteriaMet', 'True', 'SuccessPolicy', '')] } }) },
    { name: 'finished', job: finished('Failed', 'DeadlineExceeded', '') },
  ].map(({ name, job }): Case => ({
    code: 'RefusedByApiServer',
    name: `that the pods of one that is ${name} may not be deleted`,
    job,
    pods: podsOf('2R'),
    head: { deleteHoldUntilMs: now.getTime() + 8_000 },
    circumstances: { refusal: 'denied by a webhook' },
    says: 'refused to delete a pod: denied by a webhook; tried again in 8 s',
  })),
  {
    code: 'RefusedByApiServer',
    name: 'what is done to a pod',
    job: aJob({ completions: 2 }),
    circumstances: { hindered: { what: 'adopt demo-x', reason: 'denied', remainingMs: 4_000 } },
    holds: { remainingSeconds: 4 },
    says: 'refused to adopt demo-x: denied; tried again in 4 s',
  },
  {
    code: 'RefusedByApiServer',
    name: 'that a finished Job be deleted',
    job: finished('Complete', 'CompletionsReached', '', { spec: { ttlSecondsAfterFinished: 1 } }),
    circumstances: { hindered: { what: 'delete demo', reason: 'denied', remainingMs: 4_000 } },
    says: 'refused to delete demo: denied; tried again in 4 s',
  },
  {
    code: 'Unreachable',
    name: 'a finished Job’s that is to be deleted',
    job: finished('Complete', 'CompletionsReached', '', { spec: { ttlSecondsAfterFinished: 1 } }),
    circumstances: { unreachable: { sinceMs: 0, reason: 'connection refused' } },
  },
  {
    code: 'PodsRunning',
    name: 'of a suspended Job, still',
    job: aJob({ suspend: true }),
    pods: podsOf('1R'),
    says: '1 pod runs',
  },
  {
    code: 'BackingOff',
    name: 'which pod, exit code, how long still',
    job: aJob({ parallelism: 1, completions: 1 }),
    pods: [failedPod(7, 4)],
    holds: { pods: ['demo-x'], exitCode: 7, remainingSeconds: 6 },
    says: '1 of at most 6 failures',
  },
  {
    code: 'BackingOff',
    name: 'from the record alone',
    job: aJob({ parallelism: 1, completions: 1 }),
    head: { backoff: { failures: 3, lastFailureTime: at(-10) } },
    holds: { remainingSeconds: 30 },
  },
  {
    code: 'IndexBackingOff',
    name: 'which index, pod, how long still',
    job: anIndexedJob({ completions: 2, backoffLimitPerIndex: 1 }),
    pods: [{ ...failedPod(1, 3), index: '0', failureCount: '0' }, ...podsOf('R1')],
    holds: { index: '0', pods: ['demo-x'], exitCode: 1, remainingSeconds: 7 },
  },
  {
    code: 'IndexBackingOff',
    name: 'the one that waits, however many before it wait no longer',
    job: anIndexedJob({ completions: 8, parallelism: 1, backoffLimitPerIndex: 1 }),
    pods: [
      ...Array.from({ length: 6 }, (_, index) => ({ ...failedPod(1, 60), uid: `u${index}`, index: String(index), failureCount: '0' })),
      { ...failedPod(1, 3), index: '6', failureCount: '0' },
      { ...aPod({ phase: 'Running' }), index: '7' },
    ],
    holds: { index: '6', remainingSeconds: 7 },
  },
  {
    code: 'Failing',
    name: 'for a failure more than may be, before a pass has written it',
    job: aJob({ parallelism: 1, completions: 1, backoffLimit: 0 }),
    pods: [failedPod(7, 1)],
    holds: { pods: ['demo-x'], exitCode: 7 },
    says: 'more often than backoffLimit 0 allows',
  },
  {
    code: 'WaitsForTerminatingPods',
    name: 'which',
    job: aJob({ completions: 5, podReplacementPolicy: 'Failed' }),
    pods: [aPod({ name: 'demo-t', deletedAt: 1 })],
    holds: { pods: ['demo-t'] },
  },
  {
    code: 'PodsPending',
    name: 'which, and whether on a node',
    job: aJob({ completions: 2 }),
    pods: [aPod({ name: 'demo-p', phase: 'Pending', assigned: false })],
    holds: { pods: ['demo-p'] },
    says: '1 pod has not started, 1 of them not on a node',
  },
  {
    code: 'PodsPending',
    name: 'none that cannot be read: nobody knows whether that one has started',
    job: aJob({ completions: 2, parallelism: 2 }),
    pods: [aPod({ name: 'demo-p', phase: 'Pending' }), aPod({ name: 'demo-x', phase: '', unreadable: 'its status is too large' })],
    holds: { pods: ['demo-p'] },
    says: '1 pod has not started',
  },
  {
    code: 'PodsUnknown',
    name: 'which',
    job: aJob({ completions: 3 }),
    pods: [aPod({ name: 'demo-u', phase: 'Unknown' }), ...podsOf('1R')],
    holds: { pods: ['demo-u'] },
    says: 'whether 1 pod runs',
  },
  {
    code: 'PodsWaiting',
    name: 'in the words of the scheduler, and how many pods',
    job: aJob({ completions: 2 }),
    pods: ['a', 'b'].map((name) =>
      aPod({ name, phase: 'Pending', assigned: false, reasons: [{ reason: 'Unschedulable', message: '0/3 nodes are available' }] }),
    ),
    holds: { pods: ['a', 'b'], podReason: 'Unschedulable', text: 'Unschedulable: 0/3 nodes are available (2 pods)' },
  },
  {
    code: 'PodsWaiting',
    name: 'which container',
    job: aJob({ completions: 2 }),
    pods: [pulling('demo-i')],
    holds: { pods: ['demo-i'], podReason: 'ImagePullBackOff', text: 'ImagePullBackOff (container main): no such image' },
  },
  {
    code: 'PodsDisrupted',
    name: 'who ends a pod that still runs',
    job: aJob({ completions: 2 }),
    pods: [aPod({ name: 'demo-d', reasons: [{ reason: 'PreemptionByScheduler', message: 'for another pod' }] })],
    holds: { pods: ['demo-d'], podReason: 'PreemptionByScheduler', text: 'PreemptionByScheduler: for another pod' },
  },
  {
    code: 'BackoffLimitExceeded',
    name: 'that the pod was evicted',
    job: finished('Failed', 'BackoffLimitExceeded', '', { spec: { backoffLimit: 0 }, status: { failed: 1 } }),
    pods: [aPod({ name: 'demo-e', phase: 'Failed', reasons: [{ reason: 'Evicted', message: 'The node was low on resource: memory.' }] })],
    holds: { pods: ['demo-e'], podReason: 'Evicted: The node was low on resource: memory.' },
  },
  {
    code: 'NodeLost',
    name: 'which pods hold up the end, and for how long',
    job: aJob({ completions: 5, podReplacementPolicy: 'Failed' }),
    pods: [aPod({ name: 'demo-l', deletedAt: NOW - 300 }), aPod({ name: 'demo-m', deletedAt: NOW - 30 })],
    holds: { pods: ['demo-l'] },
    says: '1 terminating pod has been due to end for up to 5 min',
  },
  {
    code: 'PodsUnknown',
    name: 'a pod whose readiness no node tells',
    job: aJob({ completions: 3 }),
    pods: [aPod({ name: 'demo-u', phase: 'Running', ready: 'Unknown' })],
    holds: { pods: ['demo-u'] },
  },
  { code: 'PodsRunning', name: 'how many are ready', job: aJob({ completions: 2 }), pods: podsOf('1A 1R'), says: '2 pods run, 1 of them' },
  {
    code: 'DeadlineAhead',
    name: 'how long still',
    job: aJob({ completions: 2, activeDeadlineSeconds: 100 }),
    pods: podsOf('2R'),
    holds: { remainingSeconds: 40 },
  },
  {
    code: 'PodsEnded',
    name: 'those that have ended, while none runs',
    job: aJob({ completions: 3 }),
    pods: podsOf('2S'),
    says: '2 pods have ended: the next pass counts them',
  },
  { code: 'AboutToStartPods', name: 'nothing holds it up', job: aJob({ completions: 2 }) },
];

const REASONS = Object.keys({ ...COMMON_REASONS, ...JOB_REASONS });

describe('why a Job is running or not', () => {
  test.each(cases)('$code: $name', ({ code, job, pods = [], head, manages, circumstances, holds = {}, says = '' }) => {
    const snapshot = { ...aSnapshot(job, pods, head), ...(manages && { manages }) };
    const reasons = reasonsOf(snapshot, now, circumstances);
    const reason = reasons.find((one) => one.code === code);
    expect(reason).toMatchObject(holds);
    expect(reason?.text).toContain(says);
  });

  test('each reason of the list has a case, and no case another', () => {
    // Told without a snapshot, where there is no Job, or of each that waits on a cluster that leaves: test/api has those.
    const elsewhere: JobReasonCode[] = ['LettingPodsGo', 'ClusterLeaving', 'Unreadable'];
    expect([...new Set([...cases.map(({ code }) => code), ...elsewhere])].toSorted()).toEqual(REASONS.toSorted());
  });

  test('each reason of the list is explained in docs/explain.md', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../../docs/explain.md'), 'utf8');
    expect(REASONS.filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
  });

  test('where something holds it up, none says that nothing does', () => {
    for (const { job, pods = [], head, circumstances } of cases.filter((one) => one.circumstances !== undefined)) {
      const codes = reasonsOf(aSnapshot(job, pods, head), now, circumstances).map(({ code }) => code);
      expect(codes.filter((code) => code === 'AboutToStartPods' || code === 'NotYetSeen')).toEqual([]);
    }
  });

  test('a drained cluster holds up nothing that has begun', () => {
    const codes = [aSnapshot(aJob(), podsOf('1R')), aSnapshot({ ...aJob(), status: { startTime: at(-5) } }, [])].map((snapshot) =>
      reasonsOf(snapshot, now, { isDrained: true }).map(({ code }) => code),
    );
    expect(codes.flat()).not.toContain('ClusterDrained');
  });

  test('what is missing nothing waits for nothing: a work queue that empties, pods that end beside as many as are wanted', () => {
    const { completions: _, ...queue } = aJob({ parallelism: 3 }).spec;
    const emptying = aSnapshot({ ...aJob(), spec: queue }, [aPod({ phase: 'Succeeded' }), failedPod(1, 2), ...podsOf('1R')]);
    const scaled = aSnapshot(aJob({ parallelism: 2, podReplacementPolicy: 'Failed' }), [...podsOf('2R'), aPod({ deletedAt: 1 })]);
    const codes = [emptying, scaled].map((snapshot) => reasonsOf(snapshot, now).map(({ code }) => code));
    expect(codes).toEqual([['PodsRunning'], ['PodsRunning']]);
  });

  test('of pods whose node does not say whether they run, none is said not to have started', () => {
    const codes = reasonsOf(aSnapshot(aJob({ completions: 1, parallelism: 1 }), [aPod({ phase: 'Unknown' })]), now).map(({ code }) => code);
    expect(codes).toEqual(['PodsUnknown']);
  });

  test('of pods that wait for many things each is told of, or counted, those first of which most is said', () => {
    const pods = Array.from({ length: 12 }, (_, which) =>
      aPod({
        name: `p${which}`,
        phase: 'Pending',
        reasons: [{ reason: 'ErrImagePull', message: `image ${which < 3 ? 0 : which}`, container: 'main' }],
      }),
    );
    const told = reasonsOf(aSnapshot(aJob({ completions: 12, parallelism: 12 }), pods), now);
    expect(told.map(({ code }) => code)).toEqual(Array.from({ length: 5 }, () => 'PodsWaiting'));
    expect(told[0]?.text).toBe('ErrImagePull (container main): image 0 (3 pods)');
    expect(told[4]).toMatchObject({ text: 'ErrImagePull (6 more pods)', pods: ['p6', 'p7', 'p8', 'p9', 'p10'] });
  });

  test('a pod of phase Running whose containers all wait to be started again does not run', () => {
    const containers = ['main', 'other'].map((name) => ({ name, role: 'container' as const, restarts: 3 }));
    const crashing = (names: string[]): PodFacts =>
      aPod({ containers, reasons: names.map((container) => ({ reason: 'CrashLoopBackOff', container })) });
    const codesOf = (pod: PodFacts): string[] =>
      reasonsOf(aSnapshot(aJob({ completions: 1, parallelism: 1 }), [pod]), now).map(({ code }) => code);
    expect(codesOf(crashing(['main', 'other']))).toEqual(['PodsWaiting', 'PodsWaiting']);
    expect(codesOf(crashing(['main']))).toEqual(['PodsRunning', 'PodsWaiting']);
  });

  test('of many indexes that wait each is told of, or counted', () => {
    const textsOf = (count: number): string[] => {
      const pods = Array.from({ length: count }, (_, index) => ({
        ...failedPod(1, index % 2),
        uid: `u${index}`,
        index: String(index),
        failureCount: '0',
      }));
      const job = anIndexedJob({ completions: count, parallelism: count, backoffLimitPerIndex: 1 });
      return reasonsOf(aSnapshot(job, pods), now)
        .filter(({ code }) => code === 'IndexBackingOff')
        .map(({ text }) => text);
    };
    expect(textsOf(5).map((text) => text.slice(0, 7))).toEqual(['index 0', 'index 1', 'index 2', 'index 3', 'index 4']);
    const many = textsOf(12);
    expect(many).toHaveLength(5);
    expect(many[4]).toBe('8 more indexes failed and are tried again, the first of them in 9 s');
  });

  test('of a finished Job that nothing more is wanted of, nothing holds it up', () => {
    const circumstances = { unreachable: { sinceMs: 0, reason: 'connection refused' }, relaySilentMs: 600_000 };
    const kept = finished('Complete', 'CompletionsReached', '');
    const foreign = finished('Complete', 'CompletionsReached', '', { spec: { ttlSecondsAfterFinished: 1, managedBy: 'example.com/x' } });
    const codes = [kept, foreign].map((job) => reasonsOf(aSnapshot(job, []), now, circumstances).map(({ code }) => code));
    expect(codes).toEqual([['Completed'], ['Completed', 'Expires']]);
  });

  test('on a cluster that is being removed a finished Job keeps its end, and is not said to be deleted by us, nor tried again', () => {
    const circumstances = { isLeaving: true, hindered: { what: 'delete demo', reason: 'denied by a webhook', remainingMs: 20_000 } };
    const done = (spec: object): Job => finished('Complete', 'CompletionsReached', '', { spec });
    const jobs = [done({}), done({ ttlSecondsAfterFinished: 300 }), done({ ttlSecondsAfterFinished: 300, managedBy: 'example.com/x' })];
    const codes = jobs.map((job) => reasonsOf(aSnapshot(job, []), now, circumstances).map(({ code }) => code));
    expect(codes).toEqual([['Completed'], ['Completed', 'ClusterLeaving'], ['Completed', 'Expires']]);
  });

  test('there is always one', () => {
    for (const { job, pods = [], head } of cases) expect(reasonsOf(aSnapshot(job, pods, head), now).length).toBeGreaterThan(0);
  });
});
