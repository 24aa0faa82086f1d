// Worked cases 1 to 11: small rules.
import { describe, expect, test } from '@jest/globals';
import { isOver, withCondition, type NewCondition } from '../../../lib/kinds/training/status/conditions.ts';
import { secondsToDeletion } from '../../../lib/kinds/training/status/deadlines.ts';
import { hasForeignScheduler } from '../../../lib/kinds/training/objects/gang.ts';
import type { JobCondition } from '../../../lib/kinds/training/terms/job-types.ts';
import { slotSetIn, slotText } from '../../../lib/kinds/training/memory/slot-sets.ts';
import { countsOf } from '../../../lib/kinds/training/status/replica-statuses.ts';
import { answerToFailure, exitCodeOf, isRetryable, podRestartPolicy } from '../../../lib/kinds/training/status/restarts.ts';
import { nameOfSlot, ofType, REPLICA_INDEX, REPLICA_TYPE, slotsOf } from '../../../lib/kinds/training/names/slots.ts';
import { at, ended, NOW } from './builders.ts';

const labelled = (...indexes: (number | string)[]) =>
  indexes.map((index) => ({ labels: { [REPLICA_TYPE]: 'worker', [REPLICA_INDEX]: String(index) } }));

describe('slots', () => {
  test.each([
    ['1/2/3/4/5', 'worker', '1-2-3-4-5-worker-1'],
    ['1/2/3/4/5', 'WORKER', '1-2-3-4-5-worker-1'],
  ])('case 1: %s, type %s', (job, type, name) => {
    expect(nameOfSlot(job, { type, index: 1 })).toBe(name);
  });

  test.each([
    [[0, 1, 2], 3, 3],
    [[0, 1, 2], 4, 4],
    [[0, 1, 2], 2, 3],
    [[0, 1, 2, 4], 3, 5],
  ])('case 2: of indexes %j with %i wanted there are %i slots', (indexes, wanted, size) => {
    expect(slotsOf(labelled(...indexes), { type: 'Worker', wanted }).size).toBe(size);
  });

  test('case 3: of one type, in order', () => {
    const pods = ['foo', 'bar', 'foo', 'bar', 'foo'].map((type, index) => ({ index, labels: { [REPLICA_TYPE]: type } }));
    expect(ofType(pods, 'foo').map(({ index }) => index)).toEqual([0, 2, 4]);
  });

  test.each([
    ['-1', [], 1],
    ['999999999', [], 1],
    ['x', [], 0],
    ['', [], 0],
    ['+1', [], 0],
    ['1', [1], 0],
  ])('B-07: index %j', (index, inRange, outOfRange) => {
    const slots = slotsOf(labelled(index), { type: 'Worker', wanted: 3 });
    expect([[...slots.inRange.keys()], slots.outOfRange.length]).toEqual([inRange, outOfRange]);
  });

  test.each([
    [[], ''],
    [[0, 1, 2, 1_000_005], '0:0-2;1:5'],
    [[3_000_001, 3_000_003], '3:1,3'],
  ])('the set %j is the text %j', (slots, text) => {
    expect([slotText(slots), [...slotSetIn(text)]]).toEqual([text, slots]);
  });

  test('a text that somebody made up names few slots', () => {
    expect(slotSetIn('0:0-999999999;x:1;;1').size).toBe(100_000);
  });
});

describe('restarts', () => {
  test.each([
    ['ExitCode', 'Never'],
    ['Never', 'Never'],
    ['Always', 'Always'],
    ['OnFailure', 'OnFailure'],
  ])('case 4: a pod of policy %s restarts %s', (policy, own) => {
    expect(podRestartPolicy(policy)).toBe(own);
  });

  test.each([
    [0, false],
    [1, false],
    [2, false],
    [3, false],
    [127, false],
    [128, true],
    [130, true],
    [138, true],
    [300, true],
    ['none', true],
  ] as const)('case 6, B-10: code %s is retryable: %s', (code, isSo) => {
    expect(isRetryable(code)).toBe(isSo);
  });

  test.each([
    ['Always', 1, 'restart'],
    ['OnFailure', 'none', 'restart'],
    ['Never', 137, 'stay'],
    ['ExitCode', 137, 'restart'],
    ['ExitCode', 0, 'fail'],
    ['ExitCode', 1, 'fail'],
  ] as const)('13.3: a failed pod of policy %s with code %s: %s', (policy, code, answer) => {
    expect(answerToFailure(policy, code)).toBe(answer);
  });

  test('the default container decides', () => {
    const containers = [ended('sidecar', 1), ended('tensorflow', 137)];
    expect([exitCodeOf(containers, 'tensorflow'), exitCodeOf([], 'tensorflow'), exitCodeOf([ended('foo', 3)], 'mpi')]).toEqual([
      137,
      'none',
      3,
    ]);
  });
});

test.each([
  [[], false],
  [['test-gang-scheduler'], false],
  [[''], false],
  [['other-scheduler'], true],
])('case 5: templates that name %j: foreign is %s', (names, isSo) => {
  const replicas = names.map((schedulerName) => ({ template: { spec: { containers: [], schedulerName } } }));
  expect(hasForeignScheduler(replicas, { name: 'test-gang-scheduler' })).toBe(isSo);
});

test('case 7: counts by phase', () => {
  const phases = ['Failed', 'Failed', 'Succeeded', 'Succeeded', 'Succeeded', 'Running', 'Pending', 'Unknown'];
  const pods = [...phases.map((phase) => ({ phase })), { phase: 'Running', deletedAt: NOW }];
  expect(countsOf(pods, { terminatingFails: true })).toEqual({ failed: 3, succeeded: 3, active: 1 });
  // As an MPIJob counts.
  expect(countsOf(pods, { terminatingFails: false })).toEqual({ failed: 2, succeeded: 3, active: 2 });
});

const condition = (type: NewCondition['type'], status: 'True' | 'False' = 'True', reason = `TFJob${type}`): NewCondition => ({
  type,
  status,
  reason,
  message: `${type}.`,
});
const after = (...wanted: NewCondition[]): JobCondition[] =>
  wanted.reduce((list: JobCondition[], each, step) => withCondition(list, each, at(step)), []);
const shown = (list: readonly JobCondition[]): string => list.map(({ type, status }) => `${type}=${status}`).join(' ');

describe('conditions', () => {
  test.each([
    ['Succeeded', true],
    ['Failed', true],
    ['Suspended', false],
  ] as const)('case 8: finished by %s: %s', (type, isSo) => {
    expect(isOver(after(condition(type)))).toBe(isSo);
  });

  test('case 9: the order of the list', () => {
    const first = [condition('Created'), condition('Running'), condition('Restarting')];
    expect(shown(after(...first))).toBe('Created=True Restarting=True');
    expect(shown(after(...first, condition('Running')))).toBe('Created=True Running=True');
    expect(shown(after(...first, condition('Running'), condition('Failed')))).toBe('Created=True Running=False Failed=True');
  });

  test('6: nothing follows a failure', () => {
    expect(shown(after(condition('Failed'), condition('Running'), condition('Succeeded')))).toBe('Failed=True');
  });

  test('6: status and reason decide, and a transition keeps its time while the status stays', () => {
    const [same] = withCondition(after(condition('Running')), { ...condition('Running'), message: 'other' }, at(9));
    expect(same).toMatchObject({ message: 'Running.', lastUpdateTime: at(0) });
    const [other] = withCondition(after(condition('Running')), condition('Running', 'True', 'Other'), at(9));
    expect(other).toMatchObject({ reason: 'Other', lastUpdateTime: at(9), lastTransitionTime: at(0) });
  });

  test('6: Running=False drops Restarting too', () => {
    expect(shown(after(condition('Restarting'), condition('Running', 'False')))).toBe('Running=False');
  });

  test('6: an end leaves the reason of Running alone', () => {
    expect(after(condition('Running'), condition('Succeeded'))[0]).toMatchObject({
      status: 'False',
      reason: 'TFJobRunning',
      lastUpdateTime: at(0),
    });
  });
});

test.each([
  [undefined, at(-4), undefined],
  [5, at(4), 9],
  [5, at(6), 11],
  [5, undefined, { problem: 'job completion time is nil, cannot cleanup' }],
])('case 11: a stay of %s s that began at %s', (ttlSecondsAfterFinished, completionTime, left) => {
  const policy = ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished };
  expect(secondsToDeletion(policy, completionTime === undefined ? {} : { completionTime }, NOW * 1000)).toEqual(left);
});
