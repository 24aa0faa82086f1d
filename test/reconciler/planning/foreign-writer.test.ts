// Another controller that writes the same status is not fought: the workload is parked, with a reason, and everything else goes on.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Job } from '../../../lib/objects/kubernetes.ts';
import { JOBS } from '../../../lib/objects/resources.ts';
import { foreignWriterOf } from '../../../lib/reconciler/planning/foreign-writer.ts';
import { initialState } from '../../../lib/reconciler/head/pass-state.ts';
import { expectCompleted } from '../../world/right.ts';
import { aJob, conditionsOf, World } from '../../world/world.ts';

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString().replace('.000Z', 'Z');
const writtenAt = (...entries: { manager: string; seconds: number; subresource?: string }[]): Job => ({
  ...aJob('demo'),
  metadata: {
    name: 'demo',
    managedFields: entries.map(({ manager, seconds, subresource = 'status' }) => ({
      manager,
      operation: 'Update',
      time: at(seconds),
      subresource,
    })),
  },
});
const state = initialState();
const sinceMs = Date.parse(at(10));
/** Seen a second after the latest of those writes. */
const seenAt = (seconds: number) => ({ sinceMs, nowMs: Date.parse(at(seconds + 1)) });

describe('who else writes the status', () => {
  test('nobody, as long as only we do, or others wrote before us, or other things', () => {
    expect(foreignWriterOf(writtenAt({ manager: 'farloop', seconds: 20 }), state, seenAt(20))).toBeUndefined();
    expect(foreignWriterOf(writtenAt({ manager: 'kube-controller-manager', seconds: 9 }), state, seenAt(9))).toBeUndefined();
    expect(foreignWriterOf(writtenAt({ manager: 'kubectl', seconds: 30, subresource: '' }), state, seenAt(30))).toBeUndefined();
  });

  test('one write is a workload that changed hands, three within minutes are a fight', () => {
    let seen = state;
    const verdicts: boolean[] = [];
    for (const seconds of [11, 12, 13]) {
      const writer = foreignWriterOf(writtenAt({ manager: 'kube-controller-manager', seconds }), seen, seenAt(seconds));
      verdicts.push(writer?.isFight ?? false);
      if (writer) seen = { ...seen, foreign: writer.state };
      // The same write is counted once.
      expect(foreignWriterOf(writtenAt({ manager: 'kube-controller-manager', seconds }), seen, seenAt(seconds))).toBeUndefined();
    }
    expect(verdicts).toEqual([false, false, true]);
  });

  test('an old strike is forgiven', () => {
    const seen = { ...state, foreign: { strikes: 2, seenAtMs: Date.parse(at(11)) } };
    expect(foreignWriterOf(writtenAt({ manager: 'other', seconds: 11 + 301 }), seen, seenAt(11 + 301))?.isFight).toBe(false);
  });

  test('whoever has been quiet for half a minute does not fight any more, and its last write is a strike all the same', () => {
    const seen = { ...state, foreign: { strikes: 3, seenAtMs: Date.parse(at(20)) } };
    const job = writtenAt({ manager: 'other', seconds: 22 });
    expect(foreignWriterOf(job, seen, seenAt(50))).toMatchObject({ isFight: true, state: { strikes: 4 } });
    expect(foreignWriterOf(job, seen, seenAt(51))).toMatchObject({ isFight: false, state: { strikes: 4 } });
  });
});

describe('R13: a Job that the built-in controller runs too', () => {
  let world: World;
  beforeEach(async () => {
    world = new World();
    await world.watch();
  });
  afterEach(() => world.close());

  test('R13: is parked, others go on', async () => {
    await world.apply(aJob('demo', { completions: 200, parallelism: 3 }));
    await world.apply(aJob('other', { completions: 3, parallelism: 1 }));
    for (let second = 0; second < 40; second++) {
      await world.elapse(1);
      // It has its own opinion of how many run.
      await world.as('PATCH', JOBS, {
        namespace: 'default',
        name: 'demo',
        subresource: 'status',
        body: { status: { ready: second % 2 } },
        type: 'application/merge-patch+json',
      });
    }
    expect(world.passes.findLast(({ key }) => key.name === 'demo')).toMatchObject({
      outcome: 'parked',
      why: expect.arrayContaining([expect.stringContaining('somebody writes the status of this Job too')]) as unknown,
    });
    const writes = world.cluster.writes.filter(({ name }) => name.startsWith('demo')).length;
    await world.elapse(20);
    expect(world.cluster.writes.filter(({ name }) => name.startsWith('demo'))).toHaveLength(writes);
    await world.until(async () => conditionsOf(await world.job('other')).includes('Complete'));
    await world.elapse(3);
    await expectCompleted(world, 'other', { succeeded: 3, mostActive: 1 });
  });

  test('R13: whoever edits it while it is parked does not make it wait longer', async () => {
    await world.apply(aJob('demo', { completions: 200, parallelism: 3 }));
    const patch = async (body: object, subresource?: string): Promise<void> =>
      void (await world.as('PATCH', JOBS, {
        namespace: 'default',
        name: 'demo',
        body,
        type: 'application/merge-patch+json',
        ...(subresource !== undefined && { subresource }),
      }));
    const isParked = (): boolean => world.passes.at(-1)?.outcome === 'parked';
    for (let second = 0; second < 40 && !isParked(); second++) {
      await world.elapse(1);
      await patch({ status: { ready: second % 2 } }, 'status');
    }
    await patch({ status: { ready: 3 } }, 'status');
    await patch({ spec: { parallelism: 2 } });
    await world.elapse(2);
    expect(isParked()).toBe(true);
    const { length } = world.passes;
    await world.elapse(62);
    expect(world.passes.slice(length).some(({ outcome }) => outcome !== 'parked')).toBe(true);
  });
});
