// Why a run stands as it does, and its next step: told by the step itself, without a call.
import { describe, expect, test } from '@jest/globals';
import { newRun, podsToRun } from '../../../lib/kinds/run-once/new-run.ts';
import { nextStepOf, type NextStep } from '../../../lib/kinds/run-once/next-step.ts';
import type { RunOptions } from '../../../lib/kinds/run-once/options.ts';
import { summaryOf } from '../../../lib/kinds/run-once/results.ts';
import { cancelled, stepOf } from '../../../lib/kinds/run-once/step.ts';
import type { RunSeen } from '../../../lib/kinds/run-once/step-words.ts';
import { aNode, aPod, RUNNING, START_MS } from './run-world.ts';

const at = (seconds: number): Date => new Date(START_MS + seconds * 1_000);

function begun(names: readonly string[], options: Partial<RunOptions> = {}) {
  const given = { id: 'one', provider: 'simulated', node: aNode('2'), pods: names.map((name) => aPod(name)), options };
  const pods = podsToRun(given);
  let run = newRun(given, at(0));
  return {
    cancel: () => (run = cancelled(run, at(0))),
    step: (seen: RunSeen, seconds: number) => ({ run } = stepOf({ run, pods, seen }, at(seconds))).run,
    next: (seconds: number): NextStep => nextStepOf({ run, pods }, at(seconds)),
    told: () => summaryOf(run),
  };
}
const missed: RunSeen = { looks: new Map([[0, { task: undefined }]]) };
const accepted: RunSeen = { syncs: new Map([[0, {}]]) };
const refused: RunSeen = { syncs: new Map([[0, { problem: { message: 'no connection', passes: true } }]]) };
const shows = (uid: string): RunSeen => ({
  looks: new Map([[0, { task: { uid, attempt: 1, namespace: 'ns', name: 'a', hasEnded: false, status: RUNNING } }]]),
});
const waits = ({ openPods }: ReturnType<typeof summaryOf>): string[] => openPods.map(({ waitsFor }) => waitsFor);

describe('a pod without an outcome says what it waits for', () => {
  test('admission, its turn, a look, its start, its containers', () => {
    const { told, step } = begun(['a', 'b'], { parallelism: 1 });
    expect(waits(told())).toEqual(['its admission to the node', 'its admission to the node']);
    step({}, 0);
    const turn = 'its turn: one pod is started at a time';
    expect(waits(told())).toEqual(['a look at its status', turn]);
    step(missed, 0);
    expect(waits(told())).toEqual(['the answer of the provider to its start', turn]);
    step(refused, 0);
    expect(waits(told())).toEqual(['another call of the provider: its start has failed once', turn]);
    step(accepted, 1);
    expect(waits(told())).toEqual(['its containers to run, 1 of 10 retries used', turn]);
    expect(told().why).toBe('ns/a waits for its containers to run, 1 of 10 retries used, and 1 more pod is open');
    step({}, 2);
    step(shows('a'), 2);
    expect(waits(told())).toEqual(['a look at its status']);
  });

  test('the list of its node, where others take room', () => {
    const { told } = begun(['a'], { capacity: 'node' });
    expect(waits(told())).toEqual(['the list of all that runs on its node']);
  });

  test('when the run goes on: at the pod’s next look, or with nothing said at once', () => {
    const { told, step, cancel } = begun(['a', 'b'], { parallelism: 1, until: 'completed' });
    expect(told().nextAt).toBeUndefined();
    step({}, 0);
    step(missed, 0);
    expect(told().nextAt).toBeUndefined();
    step(accepted, 0);
    expect(told().nextAt).toBe(at(5).toISOString());
    cancel();
    expect(told().nextAt).toBeUndefined();
  });

  test('a run that waits for a stop names the pod', () => {
    const { told, step, cancel } = begun(['a'], { until: 'completed' });
    step({}, 0);
    step(missed, 0);
    step(accepted, 0);
    expect(waits(told())).toEqual(['its end']);
    cancel();
    step({}, 0);
    expect([told().state, told().why]).toEqual(['cancelled', 'all outcomes are known: the provider deletes ns/a']);
  });
});

describe('the next step', () => {
  test('is now where a call is due, and at the end of the wait where not', () => {
    const { next, step } = begun(['a'], { retryDelayMs: 1_200_000 });
    expect(next(0)).toMatchObject({ atMs: START_MS, actions: [{ verb: 'look' }], isLast: false });
    step({}, 0);
    step(missed, 0);
    expect(next(0)).toMatchObject({ actions: [{ verb: 'sync', why: expect.stringContaining('the same start is sent again') }] });
    step(accepted, 0);
    // Two timers: one of 900 s, and the rest.
    expect(next(1)).toMatchObject({ atMs: START_MS + 1_200_000, actions: [{ verb: 'look', why: 'its status is due' }] });
  });

  test('of a run that is over there is not', () => {
    const { next, step, told } = begun(['a']);
    step({}, 0);
    step(shows('a'), 0);
    expect([next(0), told().why, told().nextAt]).toEqual([{ actions: [], isLast: true }, 'every pod came up', undefined]);
  });
});
