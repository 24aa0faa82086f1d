// The word for where a workload stands: a table of cases, one word at least once.
import { describe, expect, test } from '@jest/globals';
import type { Job } from '../../../lib/objects/kubernetes.ts';
import type { PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import { reasonsOf } from '../../../lib/kinds/job/reasons/reasons.ts';
import type { PlanHead } from '../../../lib/kinds/rows/plan.ts';
import type { Circumstances } from '../../../lib/kinds/rows/reasons.ts';
import { shownFor } from '../../../lib/kinds/shown.ts';
import { standingOf, type Known } from '../../../lib/kinds/rows/kind-shown.ts';
import { STATES, type Standing } from '../../../lib/kinds/rows/state.ts';
import { aCondition, aJob, anIndexedJob, aPod, aSnapshot, at, ended, now, NOW, podsOf } from '../job/builders.ts';

interface Case {
  name: string;
  job?: Job;
  pods?: readonly PodFacts[];
  head?: Partial<PlanHead>;
  manages?: readonly string[];
  circumstances?: Circumstances;
  known?: Partial<Known>;
  stands: Standing;
}

const one = { parallelism: 1, completions: 1 };
const unbegun = { ...aJob(one), status: {} };
const finished = (type: string, reason: string): Job => aJob(one, { status: { conditions: [aCondition(type, 'True', reason)] } });
const failedNow = aPod({ phase: 'Failed', containers: [ended(1, 3)] });
const unplaced = aPod({ phase: 'Pending', assigned: false, reasons: [{ reason: 'Unschedulable', message: '0/3 nodes' }] });
const waitsFor = (reason: string, phase = 'Pending'): PodFacts =>
  aPod({ phase, containers: [{ name: 'main', role: 'container', restarts: 2 }], reasons: [{ reason, container: 'main' }] });

const cases: Case[] = [
  { name: 'no pass has looked at it', job: unbegun, stands: { state: 'Pending' } },
  { name: 'its first pods are about to be made', stands: { state: 'Pending' } },
  { name: 'its pod exists and has not started', pods: podsOf('1P'), stands: { state: 'Pending' } },
  { name: 'its pod is on a node and has not started', pods: [aPod({ phase: 'Pending' })], stands: { state: 'Pending' } },
  {
    name: 'a pod has succeeded, and the next ones are on their way',
    job: aJob({ completions: 3 }, { status: { succeeded: 1, active: 2, ready: 0 } }),
    pods: podsOf('2P'),
    stands: { state: 'Running' },
  },
  // As after a first pod that ran: "Pending" between two times "Running" is not true.
  {
    name: 'its pods have ended, and no pass has counted them yet',
    job: aJob({ completions: 3 }),
    pods: podsOf('2S'),
    stands: { state: 'Running' },
  },
  {
    name: 'one has ended, uncounted, and the next has not started',
    job: aJob({ completions: 3 }),
    pods: podsOf('1S 1P'),
    stands: { state: 'Running' },
  },
  {
    name: 'one has ended, uncounted, and the next finds no node',
    job: aJob({ completions: 3 }),
    pods: [...podsOf('1S'), unplaced],
    stands: { state: 'Waiting', reason: 'Unschedulable' },
  },
  { name: 'a pod runs', pods: podsOf('1A'), stands: { state: 'Running' } },
  {
    name: 'one runs, another finds no node',
    job: aJob({ completions: 2 }),
    pods: [...podsOf('1R'), unplaced],
    stands: { state: 'Running', reason: '1 of 2: Unschedulable' },
  },
  {
    name: 'one runs while the next one backs off',
    job: aJob({ completions: 3 }),
    pods: [...podsOf('1R'), failedNow],
    stands: { state: 'Running' },
  },
  {
    name: 'a pod runs, a deadline lies ahead',
    job: aJob({ ...one, activeDeadlineSeconds: 90 }),
    pods: podsOf('1R'),
    stands: { state: 'Running' },
  },
  { name: 'its pod failed, and the next one waits', pods: [failedNow], stands: { state: 'BackingOff' } },
  {
    name: 'its pod failed, and no other may follow',
    job: aJob({ ...one, backoffLimit: 0 }),
    pods: [failedNow],
    stands: { state: 'Waiting', reason: 'Failing' },
  },
  {
    name: 'its pod was evicted, and no other may follow',
    job: aJob({ ...one, backoffLimit: 0 }),
    pods: [{ ...failedNow, reasons: [{ reason: 'Evicted', message: 'low on memory' }] }],
    stands: { state: 'Waiting', reason: 'Failing' },
  },
  {
    name: 'an index failed, and waits',
    job: anIndexedJob({ completions: 1, parallelism: 1, backoffLimitPerIndex: 1 }),
    pods: [{ ...failedNow, index: '0', failureCount: '0' }],
    stands: { state: 'BackingOff' },
  },
  {
    name: 'its container starts again later',
    pods: [waitsFor('CrashLoopBackOff', 'Running')],
    stands: { state: 'BackingOff', reason: 'CrashLoopBackOff' },
  },
  { name: 'no node takes its pod', pods: [unplaced], stands: { state: 'Waiting', reason: 'Unschedulable' } },
  { name: 'an image cannot be pulled', pods: [waitsFor('ImagePullBackOff')], stands: { state: 'Waiting', reason: 'ImagePullBackOff' } },
  { name: 'a node does not say whether it runs', pods: [aPod({ ready: 'Unknown' })], stands: { state: 'Waiting', reason: 'PodsUnknown' } },
  { name: 'it may have no pods', job: aJob({ ...one, parallelism: 0 }), stands: { state: 'Waiting', reason: 'NoParallelism' } },
  {
    name: 'a quota refuses its pods',
    head: { holdUntilMs: NOW * 1000 + 8_000 },
    stands: { state: 'Waiting', reason: 'RefusedByApiServer' },
  },
  {
    name: 'terminating pods hold their places',
    job: aJob({ ...one, podReplacementPolicy: 'Failed' }),
    pods: [aPod({ deletedAt: NOW + 20 })],
    stands: { state: 'Waiting', reason: 'WaitsForTerminatingPods' },
  },
  {
    name: 'it fails, and its pods have yet to go',
    job: aJob(one, { status: { conditions: [aCondition('FailureTarget', 'True', 'DeadlineExceeded')] } }),
    pods: [aPod({ deletedAt: NOW + 20 })],
    stands: { state: 'Waiting', reason: 'Failing' },
  },
  {
    name: 'its cluster does not answer',
    circumstances: { unreachable: { sinceMs: 0, reason: 'refused' } },
    stands: { state: 'Waiting', reason: 'Unreachable' },
  },
  {
    name: 'it runs where the cluster does not answer',
    pods: podsOf('1R'),
    circumstances: { unreachable: { sinceMs: 0, reason: 'refused' } },
    stands: { state: 'Running' },
  },
  {
    name: 'its cluster is drained',
    job: unbegun,
    circumstances: { isDrained: true },
    stands: { state: 'Waiting', reason: 'ClusterDrained' },
  },
  { name: 'somebody else manages it', job: aJob(), manages: ['jobs'], stands: { state: 'Waiting', reason: 'ManagedBySomebodyElse' } },
  { name: 'it is suspended', job: aJob({ ...one, suspend: true }), stands: { state: 'Suspended' } },
  {
    name: 'it is suspended, and its pods still run',
    job: aJob({ ...one, suspend: true }),
    pods: podsOf('1R'),
    stands: { state: 'Suspended' },
  },
  { name: 'it is complete', job: finished('Complete', 'CompletionsReached'), stands: { state: 'Succeeded', reason: 'CompletionsReached' } },
  { name: 'it failed', job: finished('Failed', 'BackoffLimitExceeded'), stands: { state: 'Failed', reason: 'BackoffLimitExceeded' } },
  {
    name: 'it is deleted',
    job: aJob(one, { metadata: { deletionTimestamp: at(-3) } }),
    pods: podsOf('1R'),
    stands: { state: 'Terminating' },
  },
  { name: 'a person must act', pods: podsOf('1R'), known: { parked: 'its selector' }, stands: { state: 'Parked', reason: 'its selector' } },
  {
    name: 'no Job owns the pod',
    known: { shown: shownFor('OrphanPod'), isOwnerless: true, owner: undefined },
    stands: { state: 'Orphan' },
  },
  { name: 'its Job is not known', known: { owner: undefined }, stands: { state: 'Unknown' } },
  { name: 'what its passes keep cannot be read', known: { isKnown: false }, stands: { state: 'Unknown' } },
  {
    name: 'it is too large for the view, and pods are ready',
    job: aJob(one, { status: { ready: 1, active: 1 }, metadata: { annotations: { 'farloop.dev/read-live': 'true' } } }),
    stands: { state: 'Running' },
  },
];

describe('the word for where a workload stands', () => {
  for (const { name, job = aJob(one), pods = [], head, manages, circumstances, known = {}, stands } of cases)
    test(`${stands.state}: ${name}`, () => {
      const reasons = reasonsOf({ ...aSnapshot(job, pods, head), ...(manages && { manages }) }, now, circumstances);
      expect(standingOf({ shown: shownFor('Job'), isOwnerless: false, owner: job, isKnown: true, reasons, ...known })).toEqual(stands);
    });

  test('each word has a case', () => {
    // Unreadable is what is said where none can be decided: test/api/unreadable-workloads.test.ts.
    expect([...new Set(cases.map(({ stands }) => stands.state))].toSorted()).toEqual(
      STATES.filter((state) => state !== 'Unreadable').toSorted(),
    );
  });
});
