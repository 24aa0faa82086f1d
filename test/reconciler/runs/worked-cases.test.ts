// The worked cases of a run that are about the loop around its step: requests that are repeated, writers that meet, starts that fail.
import { describe, expect, test } from '@jest/globals';
import { EmbeddedRuns } from '../../../lib/adapters/embedded/runs.ts';
import { summaryOf } from '../../../lib/kinds/run-once/results.ts';
import type { RunState } from '../../../lib/kinds/run-once/run.ts';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import type { Task } from '../../../lib/objects/task.ts';
import type { Provider } from '../../../lib/ports/provider.ts';
import type { Runs } from '../../../lib/ports/runs.ts';
import { advance, cancelRun } from '../../../lib/reconciler/runs/advance.ts';
import { beginRun } from '../../../lib/reconciler/runs/begin-run.ts';
import { drive } from '../../../lib/reconciler/runs/drive.ts';
import type { RunPorts } from '../../../lib/reconciler/runs/run-ports.ts';
import { failureOf } from '../../claims.ts';
import { aNode, aPod, RUNNING } from '../../kinds/run-once/run-world.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';

/** A provider whose tasks run `seconds` after they were ordered. */
class Tasks {
  readonly ordered = new Map<string, number>();
  readonly stopped: string[] = [];
  calls = 0;
  readonly #clock: VirtualClock;
  readonly #startsAfterMs: number;

  constructor(clock: VirtualClock, startsAfterSeconds = 0) {
    this.#clock = clock;
    this.#startsAfterMs = startsAfterSeconds * 1_000;
  }

  provider(): Provider {
    return {
      start: async ({ uid, attempt }) => {
        this.calls += 1;
        const name = `${uid}-${attempt}`;
        if (!this.ordered.has(name)) this.ordered.set(name, this.#clock.nowMs());
      },
      update: async () => {},
      stop: async ({ uid, attempt }) => {
        this.stopped.push(`${uid}-${attempt}`);
        this.ordered.delete(`${uid}-${attempt}`);
      },
      look: async (names) => names.map((name) => this.#shown(name)),
      list: async () => ({ tasks: [] }),
      health: async () => ({}),
      limits: () => ({ cannot: [] }),
    };
  }

  #shown(name: { uid: string; attempt: number }): Task | undefined {
    const at = this.ordered.get(`${name.uid}-${name.attempt}`);
    if (at === undefined) return undefined;
    const isRunning = this.#clock.nowMs() - at >= this.#startsAfterMs;
    return { ...name, namespace: 'ns', name: name.uid, hasEnded: false, status: isRunning ? RUNNING : { phase: 'Pending' } };
  }
}

interface World {
  clock: VirtualClock;
  tasks: Tasks;
  ports: RunPorts;
  given: (pods: readonly Pod[] | undefined, id?: string) => Parameters<typeof beginRun>[0];
}

function aWorld({ startsAfterSeconds = 0, maxRetries = 10 } = {}): World {
  const clock = new VirtualClock();
  const tasks = new Tasks(clock, startsAfterSeconds);
  const ports: RunPorts = { runs: EmbeddedRuns.open(), clock, providerOf: () => tasks.provider() };
  return {
    clock,
    tasks,
    ports,
    given: (pods, id = 'one') => ({ id, provider: 'simulated', node: aNode(), pods, options: { maxRetries } }),
  };
}

/** Lets time pass until the work is done. */
async function passed<Value>(clock: VirtualClock, work: Promise<Value>): Promise<Value> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  done.catch(() => {});
  for (let timers = 0; timers < 10_000; timers += 1) {
    await clock.advance(0);
    if (isDone) break;
    await clock.advanceToNextTimer();
  }
  return await done;
}

/** The port with some of its methods replaced. */
const overriding = (runs: Runs, changes: Partial<Runs>): Runs =>
  new Proxy(runs, {
    get: (target, property) => {
      const member: unknown = Reflect.get(changes, property) ?? Reflect.get(target, property);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });

const withoutUid = (name: string): Pod => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'bar' }] } });

const resultsOf = (run: RunState | undefined): (string | undefined)[] =>
  run ? summaryOf(run).results.map(({ pod, error }) => `${pod.name} ${error ?? 'ok'}`) : [];

describe('a request that is repeated', () => {
  test('RO10: where the start cannot be prepared, its error comes as it is, and nothing was begun', async () => {
    const { ports, given } = aWorld();
    const runs = overriding(ports.runs, {
      putPart: async () => {
        throw new Error('denied');
      },
    });
    expect(((await failureOf(beginRun(given([aPod('a')]), { ...ports, runs }))) as Error).message).toBe('denied');
    expect(await ports.runs.get('one')).toBeUndefined();
  });

  test('RO25: a second manifest while the run goes on changes nothing of it', async () => {
    const { ports, given, clock, tasks } = aWorld();
    await beginRun(given([aPod('a')]), ports);
    await failureOf(beginRun(given([aPod('b')]), ports));
    expect(resultsOf(await passed(clock, drive('one', ports)))).toEqual(['a ok']);
    expect([...tasks.ordered.keys()]).toEqual(['a-1']);
  });

  test('RO33: a start that is delivered again admits nothing twice, and starts nothing twice', async () => {
    const { ports, given, tasks } = aWorld();
    const pods = [aPod('a'), aPod('b')];
    await beginRun(given(pods), ports);
    await advance('one', ports);
    expect((await beginRun(given(pods), ports)).isNew).toBe(false);
    await Promise.all([advance('one', ports), advance('one', ports)]);
    expect([...tasks.ordered.keys()]).toEqual(['a-1', 'b-1']);
    expect(tasks.calls).toBe(2);
  });

  test('RO34: the same id with the same manifest is the run that is there', async () => {
    const { ports, given, clock } = aWorld();
    const first = await beginRun(given([aPod('a')]), ports);
    await passed(clock, drive('one', ports));
    const again = await beginRun(given([aPod('a')]), ports);
    expect([first.isNew, again.isNew, again.run.stage]).toEqual([true, false, 'done']);
  });

  test('the id of a run whose time is over is free, though the table has not dropped it: the pods are new ones', async () => {
    const { ports, given, clock, tasks } = aWorld();
    await beginRun(given([withoutUid('a')]), ports);
    await passed(clock, drive('one', ports));
    await clock.advance(24 * 3_600_000 - 1);
    expect((await beginRun(given([withoutUid('a')]), ports)).isNew).toBe(false);
    await clock.advance(1);
    expect(await cancelRun('one', ports)).toBeUndefined();
    const again = await Promise.all([1, 2].map(async () => await beginRun(given([withoutUid('a')]), ports)));
    expect(again.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(resultsOf(await passed(clock, drive('one', ports)))).toEqual(['a ok']);
    // A provider keeps what has ended: the former task must not be taken for the new one.
    expect(tasks.ordered.size).toBe(2);
  });

  test('RO35: the same id with another manifest is refused', async () => {
    const { ports, given } = aWorld();
    await beginRun(given([aPod('a')]), ports);
    const error = await failureOf(beginRun(given([aPod('b')]), ports));
    expect(error).toMatchObject({ name: 'RunConflictError', message: 'run one already exists with a different manifest' });
  });

  test('a pod without a uid gets the same one at each start, and another one in another run', async () => {
    const { ports, given } = aWorld();
    const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'bar' }] } };
    const uidOf = ({ run }: { run: RunState }) => run.pods[0]?.uid;
    const first = uidOf(await beginRun(given([pod]), ports));
    expect(first).toMatch(/^run-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(uidOf(await beginRun(given([pod]), { ...ports, runs: EmbeddedRuns.open() }))).toBe(first);
    expect(uidOf(await beginRun(given([pod], 'two'), ports))).not.toBe(first);
  });
});

describe('writers that meet', () => {
  test('RO31: a crash between a start and its record: the same name is started again, and no second task is there', async () => {
    const { ports, given, clock, tasks } = aWorld({ startsAfterSeconds: 3 });
    await beginRun(given([aPod('a')]), ports);
    let puts = 0;
    const runs = overriding(ports.runs, {
      put: async (...written: Parameters<typeof ports.runs.put>) => {
        puts += 1;
        // The admission and the intent are stored, and then the process ends.
        if (puts > 2) throw new Error('killed');
        return await ports.runs.put(...written);
      },
    });
    await failureOf(advance('one', { ...ports, runs }));
    expect([...tasks.ordered.keys()]).toEqual(['a-1']);
    expect(resultsOf(await passed(clock, drive('one', ports)))).toEqual(['a ok']);
    expect([...tasks.ordered.keys()]).toEqual(['a-1']);
  });

  test('RO32: of two pods that end at once, by two processes, each has a number of its own, and the run ends once', async () => {
    const { ports, given, clock } = aWorld();
    await beginRun(given([aPod('a'), aPod('b')]), ports);
    const ended: RunState[] = [];
    const onStep = (run: RunState): void => void (run.finishedAtMs !== undefined && ended.push(run));
    const two = await passed(clock, Promise.all([drive('one', ports, { onStep }), drive('one', ports, { onStep })]));
    expect(two[0]?.pods.map(({ completion }) => completion).toSorted()).toEqual([1, 2]);
    expect(two[0]).toEqual(two[1]);
    expect(ended).toHaveLength(1);
  });

  test('a cancellation that another process writes down is heeded by the one that drives the run', async () => {
    const { ports, given, clock, tasks } = aWorld({ startsAfterSeconds: 10_000 });
    await beginRun(given([aPod('a')]), ports);
    const driven = drive('one', ports);
    void clock.wait(5_000).then(async () => await cancelRun('one', ports));
    const run = await passed(clock, driven);
    expect([run?.stage, resultsOf(run), tasks.stopped]).toEqual(['cancelled', ['a run cancelled'], ['a-1']]);
    expect(await cancelRun('one', ports)).toEqual(run);
  });

  test('a manifest larger than a part comes back whole, also beyond ASCII', async () => {
    const { ports, given, clock } = aWorld();
    const pods = Array.from({ length: 20 }, (_, at) => {
      const pod = aPod(`p${at}`);
      return { ...pod, metadata: { ...pod.metadata, annotations: { long: 'é☃😀'.repeat(10_000) } } };
    });
    await beginRun(given(pods), ports);
    expect(resultsOf(await passed(clock, drive('one', ports)))).toHaveLength(20);
  });
});
