// The worked cases of a run (RO1 to RO29), played from its pure step. RO30 to RO42 are about the loop around it and its timers.
import { describe, expect, test } from '@jest/globals';
import { aNode, aPod, asking, exitedWith, foo, play, RUNNING, running, statusWith } from './run-world.ts';

const TIMEOUT = 'timeout error: pod "foo_new(12345678)" containers not running after 10 retries';
const FAILED = 'error running pods: [foo_new(12345678)]';
const WAITS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

describe('one pod', () => {
  test('RO1: running at the first check: no sync, no wait', () => {
    const { results, checks, syncs, waits, summary } = play({ pods: [foo()], behaviours: { foo: { look: () => RUNNING } } });
    expect([results, checks, syncs, waits, summary.error]).toEqual([['foo ok'], { foo: 1 }, {}, {}, undefined]);
  });

  test('RO2: absent at check 1, running at check 2: one sync and a wait of 1 s', () => {
    const look = (check: number) => (check === 2 ? RUNNING : undefined);
    const { results, syncs, waits, seconds } = play({ pods: [foo()], behaviours: { foo: { look } } });
    expect([results, syncs, waits, seconds]).toEqual([['foo ok'], { foo: 1 }, { foo: [1] }, 1]);
  });

  test('RO3: running at check 5: four syncs, waits of 1, 2, 4 and 8 s', () => {
    const look = (check: number) => (check === 5 ? RUNNING : undefined);
    const { results, syncs, waits } = play({ pods: [foo()], behaviours: { foo: { look } } });
    expect([results, syncs, waits]).toEqual([['foo ok'], { foo: 4 }, { foo: [1, 2, 4, 8] }]);
  });

  test('RO4: never running: 11 checks, 11 syncs, waits of 1023 s in all, then the timeout', () => {
    const played = play({ pods: [foo()], behaviours: { foo: { look: () => undefined } } });
    expect(played).toMatchObject({ results: [`foo: ${TIMEOUT}`], checks: { foo: 11 }, syncs: { foo: 11 }, waits: { foo: WAITS } });
    expect([played.seconds, played.summary.error]).toEqual([1023, FAILED]);
    // A start that is repeated has the same name: the provider makes one task.
    expect(new Set(played.starts)).toEqual(new Set(['12345678-1']));
  });

  test('RO5: the status cannot be read at check 1: the error, and no sync', () => {
    const { results, syncs, summary } = play({ pods: [foo()], behaviours: { foo: { look: () => 'boom' } } });
    expect(results).toEqual(['foo: unable to get status for pod "foo_new(12345678)": boom']);
    expect([syncs, summary.error]).toEqual([{}, FAILED]);
  });

  test('RO6: the first sync fails: the error, and no wait', () => {
    const { results, waits, summary } = play({
      pods: [foo()],
      behaviours: { foo: { look: () => undefined, sync: () => 'no image' } },
    });
    expect([results, waits]).toEqual([['foo: error syncing pod "foo_new(12345678)": no image'], {}]);
    expect(summary.error).toBe(FAILED);
  });

  test('RO7: sync 11 fails: its error, and not the timeout', () => {
    const sync = (at: number) => (at === 11 ? 'no image' : undefined);
    const { results, syncs } = play({ pods: [foo()], behaviours: { foo: { look: () => undefined, sync } } });
    expect([results, syncs]).toEqual([['foo: error syncing pod "foo_new(12345678)": no image'], { foo: 11 }]);
  });

  test('RO11: without containers it is running at once, without a sync', () => {
    const { results, syncs } = play({ pods: [foo({ containers: [] })], behaviours: { foo: { look: () => undefined } } });
    expect([results, syncs]).toEqual([['foo ok'], {}]);
  });

  test('RO12: of two containers only one ever runs: the timeout', () => {
    const pod = foo({ containers: [{ name: 'bar' }, { name: 'baz' }] });
    const { results, checks, syncs } = play({ pods: [pod], behaviours: { foo: { look: () => running('bar') } } });
    expect([results, checks, syncs]).toEqual([[`foo: ${TIMEOUT}`], { foo: 11 }, { foo: 11 }]);
  });

  test('a container of another name does not count', () => {
    const { results } = play({ pods: [foo()], behaviours: { foo: { look: () => running('other') } } });
    expect(results).toEqual([`foo: ${TIMEOUT}`]);
  });

  test('RO13: a container that ended with 0 is not running: the timeout, and no container failed', () => {
    const { results, summary, starts } = play({
      pods: [foo({ restartPolicy: 'Never' })],
      behaviours: { foo: { look: () => exitedWith(0), hasEnded: true } },
    });
    expect([results, summary.results[0]?.failedContainers, summary.error]).toEqual([[`foo: ${TIMEOUT}`], [], FAILED]);
    // A task that has ended is never started again.
    expect(starts).toEqual([]);
  });

  test('RO14: a container that ended with 3: the timeout, and its name', () => {
    const { results, summary } = play({ pods: [foo()], behaviours: { foo: { look: () => exitedWith(3) } } });
    expect([results, summary.results[0]?.failedContainers]).toEqual([[`foo: ${TIMEOUT}`], ['bar']]);
  });

  test('RO15: an init container that ended with 1 is among the failed containers', () => {
    const status = statusWith({ bar: { waiting: { reason: 'PodInitializing' } } }, 'Pending', {
      initContainerStatuses: [{ name: 'setup', state: { terminated: { exitCode: 1 } } }],
    });
    const { results, summary } = play({ pods: [foo()], behaviours: { foo: { look: () => status } } });
    expect([results, summary.results[0]?.failedContainers]).toEqual([[`foo: ${TIMEOUT}`], ['setup']]);
  });

  test('RO24: mirror pods are created at every pass, and a failure of that changes nothing', () => {
    const look = (check: number) => (check === 3 ? RUNNING : undefined);
    const { results, mirrors } = play({ pods: [foo()], behaviours: { foo: { look } }, options: { mirror: true } });
    expect([results, mirrors]).toEqual([['foo ok'], 2]);
  });
});

describe('a run', () => {
  test('RO8: without a document there are no results, and the error says so', () => {
    const { results, summary } = play({ pods: undefined });
    expect([results, summary.error, summary.cause, summary.state]).toEqual([
      [],
      'no pod manifest update after 1s',
      'manifest contains no pods',
      'done',
    ]);
  });

  test('RO9: an update with zero pods is a success', () => {
    const { results, summary } = play({ pods: [] });
    expect([results, summary.error, summary.state]).toEqual([[], undefined, 'done']);
  });

  test('RO16: a rejected pod has no error; its status says why, and a Warning is emitted', () => {
    const { results, summary, events } = play({ pods: [aPod('a', asking('2')), aPod('b')] });
    expect([results, summary.error, events]).toEqual([['a ok', 'b ok'], undefined, ['Warning OutOfcpu']]);
    expect(summary.results[0]).toMatchObject({
      status: {
        phase: 'Failed',
        reason: 'OutOfcpu',
        message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 2000, used: 0, capacity: 1000",
      },
      rejected: { reason: 'OutOfcpu' },
    });
  });

  test('RO17: rejections come first, then the others as they came to their end', () => {
    const { results } = play({
      pods: [aPod('a'), aPod('b'), aPod('c', asking('2'))],
      behaviours: { a: { look: (_check, seconds) => (seconds >= 3 ? RUNNING : undefined) } },
    });
    expect(results).toEqual(['c ok', 'b ok', 'a ok']);
  });

  test('RO18: failed pods are listed in the order in which they failed', () => {
    const { results, summary } = play({
      pods: [aPod('a', { uid: '1' }), aPod('b', { uid: '2' }), aPod('c', { uid: '3' })],
      behaviours: { a: { look: () => undefined }, b: { look: () => undefined, sync: () => 'no image' }, c: { look: () => RUNNING } },
    });
    expect(summary.error).toBe('error running pods: [b_ns(2) a_ns(1)]');
    expect(results.map((each) => each.slice(0, 2))).toEqual(['c ', 'b:', 'a:']);
    expect(results.at(-1)).toContain('containers not running after 10 retries');
  });

  test('RO19: where all are rejected the run is a success', () => {
    const { results, summary } = play({ pods: [aPod('a', asking('2')), aPod('b', asking('3'))] });
    expect([results, summary.error, summary.state]).toEqual([['a ok', 'b ok'], undefined, 'done']);
  });

  test('RO20: the second of two pods of 600m on 1000m is rejected', () => {
    const { summary } = play({ pods: [aPod('a', asking('600m')), aPod('b', asking('600m'))] });
    expect(summary.results.map(({ pod, rejected }) => [pod.name, rejected?.message])).toEqual([
      ['b', "Node didn't have enough resource: cpu, requested: 600, used: 600, capacity: 1000"],
      ['a', undefined],
    ]);
  });

  test('RO21: a static pod is critical, and nobody is evicted for it', () => {
    const isStatic = (name: string) => {
      const pod = aPod(name, asking('600m'));
      return { ...pod, metadata: { ...pod.metadata, annotations: { 'kubernetes.io/config.source': 'file' } } };
    };
    const { summary } = play({ pods: [isStatic('a'), isStatic('b')] });
    expect(summary.results[0]?.rejected).toEqual({
      reason: 'UnexpectedAdmissionError',
      message:
        'Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 200), ]',
    });
    expect(summary.error).toBeUndefined();
  });

  test('RO22: with capacity of the run, other pods of the node take no room', () => {
    const { summary } = play({ pods: [aPod('a', asking('600m'))], others: [aPod('x', asking('900m'))] });
    expect(summary.results[0]?.rejected).toBeUndefined();
  });

  test('RO23: with capacity of the node they do', () => {
    const { summary } = play({
      pods: [aPod('a', asking('600m'))],
      others: [aPod('x', asking('900m'))],
      options: { capacity: 'node' },
    });
    expect(summary.results[0]?.rejected).toMatchObject({ reason: 'OutOfcpu', message: expect.stringContaining('used: 900') });
  });

  test('RO26: rejected: fail makes a rejection an error of the run', () => {
    const { results, summary } = play({ pods: [aPod('a', { uid: '1', ...asking('2') })], options: { rejected: 'fail' } });
    expect(results[0]).toMatch(/^a: pod "a_ns\(1\)" was rejected: OutOfcpu: Node didn't have enough resource: /);
    expect(summary.error).toBe('error running pods: [a_ns(1)]');
  });
});

describe('until', () => {
  test('RO27: completed: a container that exits with 0 after 20 s succeeds', () => {
    const look = (_check: number, seconds: number) => (seconds >= 20 ? exitedWith(0) : RUNNING);
    const { results, summary } = play({
      pods: [foo({ restartPolicy: 'Never' })],
      behaviours: { foo: { look, hasEnded: (seconds) => seconds >= 20 } },
      options: { until: 'completed' },
    });
    expect([results, summary.results[0]?.status, summary.error]).toEqual([['foo ok'], { phase: 'Succeeded' }, undefined]);
  });

  test('RO28: completed: exit code 3 with restart policy Never fails the pod, and names the container', () => {
    const { results, summary } = play({
      pods: [foo({ restartPolicy: 'Never' })],
      behaviours: { foo: { look: () => exitedWith(3, { reason: 'Error', message: 'it broke' }), hasEnded: true } },
      options: { until: 'completed' },
    });
    expect(results).toEqual(['foo: pod "foo_new(12345678)" failed: Error: it broke']);
    expect([summary.results[0]?.failedContainers, summary.error]).toEqual([['bar'], FAILED]);
    expect(summary.results[0]?.containers).toEqual([{ name: 'bar', state: 'terminated', exitCode: 3 }]);
  });

  test('RO29: started: a container that ended with 0 before the first check is a success', () => {
    const { results } = play({ pods: [foo()], behaviours: { foo: { look: () => exitedWith(0) } }, options: { until: 'started' } });
    expect(results).toEqual(['foo ok']);
  });

  test('started: another exit code fails a pod that is never restarted', () => {
    const { results } = play({
      pods: [foo({ restartPolicy: 'Never' })],
      behaviours: { foo: { look: () => exitedWith(4) } },
      options: { until: 'started' },
    });
    expect(results).toEqual(['foo: container "bar" of pod "foo_new(12345678)" exited with code 4']);
  });
});

test('parallelism: as many pods are started at once as it says', () => {
  const { waits } = play({
    pods: [aPod('a'), aPod('b')],
    behaviours: {
      a: { look: (check) => (check === 3 ? RUNNING : undefined) },
      b: { look: (_check, seconds) => (seconds >= 4 ? RUNNING : undefined) },
    },
    options: { parallelism: 1 },
    node: aNode('4'),
  });
  // The second one begins when the first is done, after 3 s.
  expect(waits).toEqual({ a: [1, 2], b: [1] });
});
