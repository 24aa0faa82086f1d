// Waits of a run are due times: a timer is a hint, and a step that comes too early spends nothing (R11).
import { describe, expect, test } from '@jest/globals';
import type { PodStatus } from '../../../lib/objects/kubernetes.ts';
import { newRun, podsToRun } from '../../../lib/kinds/run-once/new-run.ts';
import { deadlineMsOf, USUAL_OPTIONS, type RunOptions } from '../../../lib/kinds/run-once/options.ts';
import type { RunState } from '../../../lib/kinds/run-once/run.ts';
import { cancelled, stepOf, type RunStep } from '../../../lib/kinds/run-once/step.ts';
import type { RunSeen } from '../../../lib/kinds/run-once/step-words.ts';
import { aNode, exitedWith, foo, RUNNING, START_MS } from './run-world.ts';

const at = (seconds: number): Date => new Date(START_MS + seconds * 1_000);
const begun = (options: Partial<RunOptions> = {}) => {
  const given = { id: 'one', provider: 'simulated', node: aNode(), pods: [foo()], options };
  return { run: newRun(given, at(0)), pods: podsToRun(given) };
};
const nothing: RunSeen = { looks: new Map([[0, { task: undefined }]]) };
const started: RunSeen = { syncs: new Map([[0, {}]]) };
const shows = (status: PodStatus): RunSeen => ({
  looks: new Map([[0, { task: { uid: '12345678', attempt: 1, namespace: 'new', name: 'foo', hasEnded: false, status } }]]),
});

/** One wait later: the first start is accepted, and the pod waits. */
function waiting(options?: Partial<RunOptions>): {
  pods: ReturnType<typeof podsToRun>;
  step: RunStep;
  again: (seen: RunSeen, seconds: number) => RunStep;
} {
  const { run, pods } = begun(options);
  let step = stepOf({ run, pods }, at(0));
  const again = (seen: RunSeen, seconds: number, changed?: ReadonlySet<number>): RunStep =>
    (step = stepOf({ run: step.run, pods, seen, ...(changed && { changed }) }, at(seconds)));
  again(nothing, 0);
  again(started, 0);
  return { pods, step, again };
}
const foosOf = ({ pods: [pod] }: RunState) => pod;

describe('waits', () => {
  test('RO30: a pass that is delivered twice changes nothing: one wait follows, and the delay doubles once', () => {
    const { step, again } = waiting();
    const once = again({}, 1);
    expect(once.actions).toMatchObject([{ verb: 'look' }]);
    const synced = again(nothing, 1);
    expect(synced.actions).toMatchObject([{ verb: 'sync', task: { attempt: 1 } }]);
    const waits = again(started, 1);
    const twice = again(started, 1);
    expect(twice).toMatchObject({ isChanged: false, actions: [] });
    expect(foosOf(waits.run)).toMatchObject({ retry: 2, delayMs: 4_000 });
    expect(foosOf(step.run)).toMatchObject({ retry: 1, delayMs: 2_000 });
  });

  test('RO36: a message is lost: at the deadline the open pod fails with the timeout, and the run is done', () => {
    const { step, again } = waiting();
    const deadline = (step.run.deadlineAtMs - START_MS) / 1_000;
    expect(deadline).toBe(1023 + 200);
    const late = again({}, deadline);
    const done = again({ looks: new Map([[0, { task: undefined }]]) }, deadline);
    expect(late.actions).toMatchObject([{ verb: 'look' }]);
    expect(done.run).toMatchObject({ stage: 'done', error: 'error running pods: [foo_new(12345678)]' });
    expect(foosOf(done.run)?.error).toBe('timeout error: pod "foo_new(12345678)" containers not running after 10 retries');
  });

  test('RO37: a change at the provider ends a wait, and the later pass finds a final state', () => {
    const { step, again, pods } = waiting();
    expect(stepOf({ run: step.run, pods, changed: new Set([0]) }, at(0.3)).actions).toMatchObject([{ verb: 'look' }]);
    const done = again(shows(RUNNING), 0.3);
    expect(done.run).toMatchObject({ stage: 'done' });
    expect(foosOf(done.run)?.error).toBeUndefined();
    expect(again({}, 1)).toMatchObject({ isChanged: false, actions: [] });
  });

  test('RO38: a task that stopped changes nothing while the pod is to run: no retry is spent', () => {
    const { step, again } = waiting();
    const { dueAtMs, retry, delayMs } = foosOf(step.run) ?? {};
    expect(foosOf(again(shows(exitedWith(1)), 0.3).run)).toMatchObject({ phase: 'wait', dueAtMs, retry, delayMs });
  });

  test('RO40: a wait of 512 s is one timer', () => {
    const { step } = waiting({ retryDelayMs: 512_000 });
    expect(step.dueAtMs).toBe(START_MS + 512_000);
  });

  test('RO41: a wait above 900 s is set in pieces, and the due time holds', () => {
    const { step, again } = waiting({ retryDelayMs: 2_000_000, deadlineSeconds: 10_000 });
    expect(step.dueAtMs).toBe(START_MS + 900_000);
    expect(again({}, 900)).toMatchObject({ isChanged: false, actions: [], dueAtMs: START_MS + 1_800_000 });
    expect(again({}, 1_800)).toMatchObject({ actions: [], dueAtMs: START_MS + 2_000_000 });
    expect(again({}, 2_000).actions).toMatchObject([{ verb: 'look' }]);
  });

  test('RO42: a pass that comes before the due time is put off, and spends no retry', () => {
    const { step, again } = waiting();
    expect(again({}, 0.5)).toMatchObject({ isChanged: false, actions: [], dueAtMs: step.dueAtMs });
  });

  test('the deadline is 24 h at most', () => {
    expect(deadlineMsOf({ ...USUAL_OPTIONS, retryDelayMs: 10_000_000 })).toBe(24 * 3_600_000);
  });
});

describe('calls that fail by themselves', () => {
  const passing = { problem: { message: 'too many requests', passes: true as const } };

  test('a throttled look is sent again three times before it counts', () => {
    const { run, pods } = begun();
    let step = stepOf({ run, pods }, at(0));
    for (let tries = 1; tries <= 3; tries += 1) {
      step = stepOf({ run: step.run, pods, seen: { looks: new Map([[0, passing]]) } }, at(tries * 10));
      expect(foosOf(step.run)?.error).toBeUndefined();
      step = stepOf({ run: step.run, pods }, at(tries * 10 + 5));
      expect(step.actions).toMatchObject([{ verb: 'look' }]);
    }
    step = stepOf({ run: step.run, pods, seen: { looks: new Map([[0, passing]]) } }, at(50));
    expect(foosOf(step.run)?.error).toBe('unable to get status for pod "foo_new(12345678)": too many requests');
  });

  test('R5: the start that a crash left unanswered is sent again under the same name', () => {
    const { run, pods } = begun();
    const ordered = stepOf({ run: stepOf({ run, pods }, at(0)).run, pods, seen: nothing }, at(0));
    expect(ordered.isChanged).toBe(true);
    const afterCrash = stepOf({ run: ordered.run, pods }, at(60));
    expect(afterCrash.actions).toEqual([expect.objectContaining({ verb: 'sync', starts: true, task: { uid: '12345678', attempt: 1 } })]);
  });

  test('a task that was seen is gone only after two looks that are ten seconds apart: then it is started as a new attempt', () => {
    const { again } = waiting();
    again({}, 1);
    again(shows(exitedWith(0)), 1);
    again({}, 3);
    expect(again(nothing, 3).actions).toMatchObject([{ verb: 'sync', starts: false }]);
    again({}, 7);
    expect(again(nothing, 7).actions).toMatchObject([{ verb: 'sync', starts: false }]);
    again({}, 15);
    // A call of the first attempt may still be on its way.
    expect(again(nothing, 15).actions).toMatchObject([{ verb: 'sync', starts: false }]);
    again({}, 31);
    expect(again(nothing, 31).actions).toMatchObject([{ verb: 'sync', starts: true, task: { attempt: 2 } }]);
  });
});

describe('the end of a run', () => {
  test('RO39: cancelled during a wait: open pods end with `run cancelled`, and their tasks are deleted', () => {
    const { step, pods } = waiting();
    const asked = stepOf({ run: cancelled(step.run, at(0.5)), pods }, at(0.5));
    expect(asked.run).toMatchObject({ stage: 'cancelled', pods: [{ error: 'run cancelled' }] });
    expect(asked.actions).toMatchObject([{ verb: 'stop', task: { uid: '12345678', attempt: 1 } }]);
    const accepted = stepOf({ run: asked.run, pods, seen: { stops: new Map([[0, {}]]) } }, at(0.6));
    expect(accepted.actions).toMatchObject([{ verb: 'look' }]);
    expect(accepted.run.finishedAtMs).toBeUndefined();
    const over = stepOf({ run: accepted.run, pods, seen: nothing }, at(0.7));
    expect(over.run).toMatchObject({
      stage: 'cancelled',
      finishedAtMs: at(0.7).getTime(),
      error: 'error running pods: [foo_new(12345678)]',
    });
    expect(cancelled(over.run, at(9))).toBe(over.run);
  });

  test('R17: a stop that finds nothing is repeated while the start may still be on its way', () => {
    const { run, pods } = begun();
    const ordered = stepOf({ run: stepOf({ run, pods }, at(0)).run, pods, seen: nothing }, at(0));
    const asked = stepOf({ run: cancelled(ordered.run, at(1)), pods }, at(1));
    const gone: RunSeen = { stops: new Map([[0, { problem: { message: 'pod not found', isNotFound: true } }]]) };
    const waits = stepOf({ run: asked.run, pods, seen: gone }, at(1));
    expect(waits).toMatchObject({ actions: [], dueAtMs: START_MS + 30_000 });
    const again = stepOf({ run: waits.run, pods }, at(30));
    expect(again.actions).toMatchObject([{ verb: 'stop' }]);
    expect(stepOf({ run: again.run, pods, seen: gone }, at(30)).run.finishedAtMs).toBe(START_MS + 30_000);
  });

  test('cleanup: always deletes the tasks before the run is done, and a failure of that is a warning', () => {
    const { again } = waiting({ cleanup: 'always' });
    const ending = again(shows(RUNNING), 0.3);
    expect(ending.actions).toMatchObject([{ verb: 'stop' }]);
    expect(ending.run.stage).toBe('waiting');
    const done = again({ stops: new Map([[0, { problem: { message: 'not allowed' } }]]) }, 0.4);
    expect(done.run).toMatchObject({ stage: 'done', warnings: ['pod "foo_new(12345678)" could not be deleted: not allowed'] });
    expect(done.run.error).toBeUndefined();
  });

  test('a pod that outlives its activeDeadlineSeconds fails, and its task is stopped before the run is done', () => {
    const given = {
      id: 'one',
      provider: 'simulated',
      node: aNode(),
      pods: [foo({ activeDeadlineSeconds: 8 })],
      options: { until: 'completed' as const },
    };
    const pods = podsToRun(given);
    let step = stepOf({ run: newRun(given, at(0)), pods }, at(0));
    const again = (seen: RunSeen, seconds: number): RunStep => (step = stepOf({ run: step.run, pods, seen }, at(seconds)));
    again(nothing, 0);
    again(started, 0);
    again({}, 5);
    expect(again(shows(RUNNING), 5).run.pods[0]?.error).toBeUndefined();
    again({}, 15);
    const late = again(shows(RUNNING), 15);
    expect(late.run.pods[0]?.error).toBe(
      'pod "foo_new(12345678)" failed: DeadlineExceeded: Pod was active on the node longer than the specified deadline',
    );
    expect([late.actions.map(({ verb }) => verb), late.run.stage]).toEqual([['stop'], 'waiting']);
    again({ stops: new Map([[0, {}]]) }, 15);
    expect(again(nothing, 16).run).toMatchObject({ stage: 'done', error: 'error running pods: [foo_new(12345678)]' });
  });

  test('cleanup: onFailure keeps the tasks of a run that succeeded', () => {
    const { again } = waiting({ cleanup: 'onFailure' });
    expect(again(shows(RUNNING), 0.3)).toMatchObject({ actions: [], run: { stage: 'done' } });
  });
});

test('a stop that no process came to call is called by the next one, however late: only a provider that took it is given up', () => {
  const { again, pods } = waiting({ until: 'started', cleanup: 'always' });
  const ordered = again(shows(RUNNING), 1);
  expect(ordered.actions.map(({ verb }) => verb)).toEqual(['stop']);
  const late = stepOf({ run: ordered.run, pods }, at(1_000));
  expect([late.actions.map(({ verb }) => verb), late.run.warnings]).toEqual([['stop'], []]);
  const taken = stepOf({ run: late.run, pods, seen: { stops: new Map([[0, {}]]) } }, at(1_000));
  const givenUp = stepOf({ run: taken.run, pods, seen: shows(RUNNING) }, at(1_070));
  expect(stepOf({ run: givenUp.run, pods }, at(1_072)).run.warnings).toEqual([expect.stringContaining('had not ended')]);
});
