// Snapshots of passes: small for the Jobs there are most of, whole whatever a Job is called, and nothing else is believed.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { childNameOf } from '../../lib/objects/child-names.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import type { ChildState } from '../../lib/objects/child-state.ts';
import type { PodFacts } from '../../lib/objects/pods/pod-facts.ts';
import { jobPlanner } from '../../lib/kinds/job/plan.ts';
import { jobRow } from '../../lib/kinds/job/row.ts';
import { EMPTY_HEAD } from '../../lib/kinds/rows/plan.ts';
import { PodSet } from '../../lib/kinds/rows/pod-set.ts';
import { replay, snapshotOf } from '../../lib/reconciler/report/recorded-plan.ts';
import { open } from '../../lib/wire/packing/envelope.ts';
import { packSnapshot, unpackSnapshot, type RecordedPlan, type SnapshotKind } from '../../lib/wire/snapshot.ts';
import { NewerVersionError, UndecodableMessageError } from '../../lib/wire/words/undecodable.ts';
import { aJob } from '../world/world.ts';
import { jobFacts } from '../../lib/kinds/job/facts.ts';
import { shareOf } from '../storm-share.ts';

const RECORDED_JOB = { ...jobFacts, ...jobRow };

/** A kind that believes every owner, with and without texts of its own. */
const WITH_TEXTS: SnapshotKind = { texts: jobRow.recordedTexts, faultOf: () => undefined };
const PLAIN: SnapshotKind = { faultOf: () => undefined };

const packed = (plan: RecordedPlan): Uint8Array => packSnapshot(plan, jobRow.recordedTexts);
const again = (plan: RecordedPlan, kind = WITH_TEXTS): RecordedPlan => unpackSnapshot(packSnapshot(plan, kind.texts), kind);

const UID = '6f9619ff-8b86-d011-b42d-00cf4fc964ff';
const CREATED = '2027-03-14T15:09:26Z';
const NOW_MS = Date.parse('2027-03-14T15:11:59.265Z');
const NOW_SECONDS = Math.floor(NOW_MS / 1000);

const CHILD: ChildState = {
  resource: 'services',
  uid: UID,
  namespace: 'default',
  name: 'render-0',
  resourceVersion: '7',
  labels: { app: 'render' },
  part: { revision: 2, facts: { ports: [80] } },
};

const recorded = (change: Partial<Job['metadata']> = {}, nowMs = NOW_MS): RecordedPlan => ({
  owner: {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'render', namespace: 'default', uid: UID, resourceVersion: '99', creationTimestamp: CREATED, ...change },
    spec: { completions: 1 },
    status: {},
  },
  pods: [],
  head: { expectations: { create: [], delete: [], strip: [] }, backoff: { failures: 0 }, ordinal: 0 },
  manages: ['jobs'],
  nowMs,
  decided: { outcome: 'waiting', why: [], actions: [], status: {} },
});

/** A Job of one pod as an API server has it, before its first pass or, its pod succeeded, before its last. */
function snapshotOfOnePod(completionMode: 'Indexed' | 'NonIndexed', when: 'first' | 'last'): Uint8Array {
  const job = aJob('nightly-render-28937', { completions: 1, parallelism: 1, completionMode });
  const labels = {
    'batch.kubernetes.io/controller-uid': UID,
    'batch.kubernetes.io/job-name': 'nightly-render-28937',
    'controller-uid': UID,
    'job-name': 'nightly-render-28937',
  };
  Object.assign(job.metadata, { uid: UID, resourceVersion: '48151623', creationTimestamp: CREATED, generation: 1, labels });
  job.spec.selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': UID } };
  if (job.spec.template) job.spec.template.metadata = { labels };
  const isLast = when === 'last';
  if (isLast) job.status = { startTime: CREATED, active: 1, terminating: 0, ready: 0, uncountedTerminatedPods: {} };
  const index = completionMode === 'Indexed' ? 0 : undefined;
  const controller = { apiVersion: 'batch/v1', kind: 'Job', name: 'nightly-render-28937', uid: UID };
  const pod: PodFacts = {
    uid: '0b4b2c2e-7a5c-4d7e-9f10-5a3b6c8d9e01',
    name: childNameOf(controller, { index, number: 0 }),
    namespace: 'default',
    resourceVersion: '48151642',
    controller,
    labels,
    ...(index !== undefined && { index: String(index) }),
    number: 0,
    tracked: true,
    phase: 'Succeeded',
    createdAt: NOW_SECONDS - 150,
    assigned: true,
    ready: 'False',
    readySince: NOW_SECONDS - 10,
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type, at) => ({
      type,
      status: at % 3 === 1 ? 'True' : 'False',
    })),
    containers: [{ name: 'main', role: 'container', restarts: 0, exitCode: 0, finishedAt: NOW_SECONDS - 11 }],
  };
  const given = { owner: job, pods: PodSet.byPlace(isLast ? [pod] : []), head: EMPTY_HEAD, manages: ['all-jobs'] };
  const snapshot = snapshotOf({ given, nowMs: NOW_MS, plan: jobPlanner.plan(given, new Date(NOW_MS)) }, RECORDED_JOB);
  if (!snapshot) throw new Error('no snapshot');
  return snapshot;
}

describe('snapshots of a Job of one pod', () => {
  test.each(['Indexed', 'NonIndexed'] as const)('are small, %s, whatever it is called and whenever it ran', (mode) => {
    const [first, last] = [snapshotOfOnePod(mode, 'first'), snapshotOfOnePod(mode, 'last')];
    expect(replay('Job', first)).toMatchObject({ differences: [], recorded: { outcome: 'acted' } });
    expect(replay('Job', last).recorded.why[0]).toContain('CompletionsReached');
    expect(first.length).toBeLessThan(125);
    expect(last.length).toBeLessThan(190);
  });
});

describe('snapshots', () => {
  test('pods that are gone and had succeeded come back apart from those that are there', () => {
    const { pods } = unpackSnapshot(snapshotOfOnePod('Indexed', 'last'), WITH_TEXTS);
    const [first] = pods;
    if (!first) throw new Error('a pod is expected');
    const plan = { ...recorded(), pods };
    const read = again({ ...plan, ended: [{ ...first, uid: '6f9619ff-8b86-d011-b42d-00cf4fc96400', name: 'gone' }] });
    expect([read.pods, read.ended?.map(({ name }) => name)]).toEqual([pods, ['gone']]);
    expect(again(plan).ended).toBeUndefined();
  });

  test('hold children other than pods where a kind has some, under a mark of their own; others stay what they are', () => {
    const withChildren = { ...recorded(), children: [CHILD, { ...CHILD, uid: 'no-uuid', name: 'stage', resource: 'stages.example.com' }] };
    expect(again(withChildren)).toEqual(withChildren);
    expect([recorded(), withChildren].map((each) => packed(each)[0])).toEqual([66, 67]);
  });

  test('of a kind without texts of its own have marks of their own, so that it may get some', () => {
    const withChildren = { ...recorded(), children: [CHILD] };
    for (const plan of [recorded(), withChildren]) expect(again(plan, PLAIN)).toEqual(plan);
    expect([recorded(), withChildren].map((plan) => packSnapshot(plan, undefined)[0])).toEqual([68, 69]);
    const later = unpackSnapshot(packSnapshot(withChildren, undefined), WITH_TEXTS);
    expect(later).toEqual(withChildren);
    expect(() => unpackSnapshot(packed(recorded()), PLAIN)).toThrow('version 66 is not known here; known are 1, 2, 68, 69');
  });

  test('hold what only a kind knows: details of a failure, what it keeps, names of somebody else', () => {
    const head = { ...recorded().head, failure: { reason: 'MasterFailed', message: 'exit 1', replica: 'Master-0' } };
    const kept = { failures: { 3: [1, 2] }, at: null };
    const held = { 'services/render-0': { uid: 'of-another', isTerminating: true } };
    const plan = { ...recorded(), head, kept, held, options: { 'gang-scheduler': 'on' } };
    expect(again(plan)).toEqual(plan);
  });

  test('of an owner that its kind does not believe are refused', () => {
    const kind: SnapshotKind = { ...WITH_TEXTS, faultOf: () => ({ field: 'spec.size', expected: 'a whole number' }) };
    expect(() => again(recorded(), kind)).toThrow(
      new UndecodableMessageError("the snapshot's owner has an unusable spec.size: expected a whole number"),
    );
  });

  test('come back whole, whatever name, uid and times the owner has', () => {
    const named = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.constantFrom('', 'a', '"', '\ud800', 'x'.repeat(1_000)));
    const timed = fc.oneof(fc.constantFrom('', 'soon', CREATED, '1969-07-20T20:17:40Z', '9999-12-31T23:59:59Z'), fc.string());
    const nowMs = fc.oneof(fc.integer({ min: -1e15, max: 9e15 }), fc.constantFrom(0, 0.5, NOW_MS, -1.25, 1e300));
    fc.assert(
      fc.property(
        named,
        fc.oneof(fc.constant(UID), fc.constant(UID.toUpperCase()), named),
        timed,
        nowMs,
        (name, uid, creationTimestamp, ms) => {
          const plan = recorded({ name, uid, creationTimestamp }, ms);
          expect(again(plan)).toEqual(plan);
        },
      ),
      { seed: 42, numRuns: shareOf(300, 6) },
    );
  });

  test('of an owner without a creation time come back whole', () => {
    const { creationTimestamp: _none, ...metadata } = recorded().owner.metadata;
    const plan = { ...recorded(), owner: { ...recorded().owner, metadata } };
    expect(again(plan)).toEqual(plan);
  });

  test('tell what is decided already, and how long what was refused waits', () => {
    const head = { ...recorded().head, deleteHoldUntilMs: NOW_MS, failure: { reason: 'DeadlineExceeded', message: 'too long' } };
    expect(again({ ...recorded(), head })).toMatchObject({ head });
  });

  test('are no later version of a message to a build that knows no such mark, but unreadable in one sentence', () => {
    const reading = (): unknown => open(packed(recorded()), { bytes: 1_000, unpackedBytes: 10_000 });
    expect(reading).toThrow(new UndecodableMessageError('version 66 is not known here; known are 1, 2'));
    expect(reading).not.toThrow(NewerVersionError);
  });

  test('that are damaged are refused as such, wherever the damage is', () => {
    const whole = packed(recorded());
    const outcomeOf = (bytes: Uint8Array): string => {
      try {
        unpackSnapshot(bytes, WITH_TEXTS);
        return 'read';
      } catch (error) {
        return error instanceof UndecodableMessageError ? 'refused' : String(error);
      }
    };
    for (let at = 0; at < whole.length; at += 1) {
      expect(outcomeOf(whole.subarray(0, at))).toBe('refused');
      for (const mask of [0x01, 0x80, 0xff]) {
        const damaged = whole.map((byte, place) => (place === at ? byte ^ mask : byte));
        expect(['read', 'refused']).toContain(outcomeOf(damaged));
      }
    }
  });
});
