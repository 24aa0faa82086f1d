// What is waited for, and forgiven, where faults do more together than each by itself.
import { describe, expect, test } from '@jest/globals';
import { JOBS, PODS, type Resource } from '../../lib/objects/resources.ts';
import type { Call } from './calls.ts';
import { WAITS } from './faults.ts';
import { Process, undisturbed, type Invocation } from './process.ts';
import { Scheduler } from './scheduler.ts';
import { Together } from './together.ts';

const scheduler = new Scheduler(0);
const process = new Process(
  'reconcile-1',
  1,
  undisturbed(scheduler, () => 0),
);

const passOver = (job: string): Invocation => ({
  function: 'reconcile',
  clusters: new Set<string>(),
  key: { cluster: 'west', kind: 'Job', namespace: 'work', name: job, uid: job },
  beganAtMs: 0,
  beganAtWallMs: 0,
  isLost: false,
  intents: undefined,
  live: new Map(),
  writes: 0,
});

const patchIn = (invocation: Invocation, resource: Resource, atMs: number): Call => ({
  number: 1,
  atMs,
  process,
  invocation,
  port: 'cluster',
  method: 'patch',
  args: [resource],
  cluster: 'west',
});

describe('writes of a status by another hand', () => {
  test.each([
    { name: 'three, one soon after another', atMs: [6_000, 8_000, 9_000], isFight: true },
    { name: 'three, minutes apart', atMs: [6_000, 200_000, 499_000], isFight: true },
    { name: 'two', atMs: [6_000, 8_000], isFight: false },
    { name: 'three, the last of which comes when the others are forgiven', atMs: [6_000, 8_000, 308_000], isFight: false },
    { name: 'three, of two Jobs', atMs: [6_000, 8_000], atMsOfAnother: [9_000], isFight: false },
  ])('$name: a fight is $isFight', ({ atMs: times, atMsOfAnother = [], isFight }) => {
    const together = new Together();
    for (const atMs of times) together.struck('otherController', patchIn(passOver('a'), JOBS, atMs), 'west');
    for (const atMs of atMsOfAnother) together.struck('otherController', patchIn(passOver('b'), JOBS, atMs), 'west');
    expect([together.waitMs, [...together.fights]]).toEqual(isFight ? [WAITS.park.ms, ['a']] : [0, []]);
  });
});

describe('writes of a status that the API server finds invalid', () => {
  const [first, second] = [passOver('a'), passOver('a')];
  test.each([
    { name: 'two in one pass park the Job', patches: [patchIn(first, JOBS, 1), patchIn(first, JOBS, 2)], waitMs: WAITS.park.ms },
    { name: 'three do once', patches: [1, 2, 3].map((atMs) => patchIn(first, JOBS, atMs)), waitMs: WAITS.park.ms },
    { name: 'one in each of two passes does not', patches: [patchIn(first, JOBS, 1), patchIn(second, JOBS, 2)], waitMs: 0 },
    { name: 'a pod beside a status does not', patches: [patchIn(first, PODS, 1), patchIn(first, JOBS, 2)], waitMs: 0 },
  ])('$name', ({ patches, waitMs }) => {
    const together = new Together();
    for (const call of patches) together.struck('apiFindsItInvalid', call, 'west');
    expect(together.waitMs).toBe(waitMs);
  });
});

describe('R1: a lost workload is left alone until no earlier pass can be at work on it', () => {
  const key = { cluster: 'west', kind: 'Job', namespace: 'work', name: 'a', uid: 'a' };
  test.each([
    { name: 'both clocks are right', creatorSkewMs: 0, passSkewsMs: [0, 0], waitMs: 0 },
    { name: 'the creator of its head is ahead', creatorSkewMs: 120_000, passSkewsMs: [0, 0], waitMs: 120_000 },
    { name: 'a pass is behind', creatorSkewMs: 0, passSkewsMs: [-120_000, 0], waitMs: 120_000 },
    { name: 'both are', creatorSkewMs: 120_000, passSkewsMs: [-120_000, 0], waitMs: 240_000 },
    { name: 'the creator is behind', creatorSkewMs: -120_000, passSkewsMs: [0], waitMs: 0 },
  ])('$name: for $waitMs ms longer', ({ creatorSkewMs, passSkewsMs, waitMs }) => {
    const together = new Together();
    const creator = new Process(
      'ingest-1',
      1,
      undisturbed(scheduler, () => 0),
    );
    creator.skewMs = creatorSkewMs;
    together.effected({ ...patchIn(passOver('a'), JOBS, 1), process: creator, port: 'store', method: 'createHead', args: [{ key }] });
    for (const skewMs of passSkewsMs) together.passed({ key, outcome: 'unknown' }, { skewMs });
    together.passed({ key, outcome: 'done' }, { skewMs: -120_000 });
    expect(together.waitMs).toBe(waitMs);
  });
});
