// What is waited for, and forgiven, where faults do more together than each by itself.
import { describe, expect, test } from '@jest/globals';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import { WAITS } from './faults.ts';
import { Process, undisturbed } from './process.ts';
import { Scheduler } from './scheduler.ts';
import { Together } from './together.ts';

describe('writes of a status by another hand', () => {
  test.each([
    { name: 'three, one soon after another', atMs: [6_000, 8_000, 9_000], isFight: true },
    { name: 'three, minutes apart', atMs: [6_000, 200_000, 499_000], isFight: true },
    { name: 'two', atMs: [6_000, 8_000], isFight: false },
    { name: 'three, the last of which comes when the others are forgiven', atMs: [6_000, 8_000, 308_000], isFight: false },
    { name: 'three, of two Jobs', atMs: [6_000, 8_000], atMsOfAnother: [9_000], isFight: false },
  ])('$name: a fight is $isFight', ({ atMs: times, atMsOfAnother = [], isFight }) => {
    const together = new Together();
    const scheduler = new Scheduler(0);
    const process = new Process(
      'reconcile-1',
      1,
      undisturbed(scheduler, () => 0),
    );
    const write = (job: string, atMs: number): void => {
      const key: WorkloadKey = { cluster: 'west', kind: 'Job', namespace: 'work', name: job, uid: job };
      const invocation = {
        function: 'reconcile',
        clusters: new Set<string>(),
        key,
        beganAtMs: 0,
        beganAtWallMs: 0,
        isLost: false,
        intents: undefined,
        live: new Map(),
        writes: 0,
      };
      const call = { number: 1, atMs, process, invocation, port: 'cluster' as const, method: 'patch', args: [], cluster: 'west' };
      together.struck('otherController', call, 'west');
    };
    for (const atMs of times) write('a', atMs);
    for (const atMs of atMsOfAnother) write('b', atMs);
    expect([together.waitMs, [...together.fights]]).toEqual(isFight ? [WAITS.park.ms, ['a']] : [0, []]);
  });
});
