// One wake of a run after another: which timer each leaves, so that no run is forgotten and none is gone on with twice as often.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EmbeddedRuns } from '../../../lib/adapters/embedded/runs.ts';
import { SimulatedProvider } from '../../../lib/adapters/providers/simulated.ts';
import type { OutgoingMessage } from '../../../lib/ports/queue.ts';
import { beginRun } from '../../../lib/reconciler/runs/begin-run.ts';
import { goOnWithRun } from '../../../lib/reconciler/runs/go-on.ts';
import { wakeOverdueRuns, wakeRunAt } from '../../../lib/reconciler/runs/run-messages.ts';
import { decodeTimer, decodeWake } from '../../../lib/wire/messages.ts';
import type { RunMoment } from '../../../lib/wire/words/observations.ts';
import { aNode, aPod } from '../../kinds/run-once/run-world.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';

const POD = aPod('a', { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i', command: ['sleep', '600'] }] });

let clock: VirtualClock;
let runs: EmbeddedRuns;
let simulated: SimulatedProvider;
let sent: { queue: string; message: OutgoingMessage }[];
const queue = {
  send: async (name: string, messages: readonly OutgoingMessage[]): Promise<void> =>
    void sent.push(...messages.map((message) => ({ queue: name, message }))),
};

beforeEach(async () => {
  clock = new VirtualClock();
  runs = EmbeddedRuns.open();
  // Its pods take no steps by themselves.
  simulated = SimulatedProvider.open({ clock, later: () => () => {} });
  sent = [];
  await beginRun({ id: 'r', provider: 'simulated', node: aNode('64'), pods: [POD], options: { until: 'completed' } }, { runs, clock });
});
afterEach(() => {
  runs.close();
  simulated.close();
});

const ports = (): Parameters<typeof goOnWithRun>[0] => ({
  clock,
  queue: queue as never,
  drivenRuns: { records: runs, providerOf: () => simulated.of('edge') },
});
/** @returns the moment that its timer names, and the delay */
async function goOn(moment?: RunMoment): Promise<RunMoment & { delaySeconds: number | undefined }> {
  sent = [];
  await goOnWithRun(ports(), { look: 'run', run: 'r', moment }, () => true);
  const [timer] = sent;
  const message = decodeTimer(timer?.message.body ?? '');
  if (!('look' in message) || message.look !== 'run' || !message.moment) throw new Error('no timer');
  expect([sent.length, timer?.queue, message.run]).toEqual([1, 'timers', 'r']);
  return { ...message.moment, delaySeconds: timer?.message.delaySeconds };
}
async function deduplicationOf({ follows, dueAtMs, turn }: RunMoment): Promise<string | undefined> {
  const moment = { follows, dueAtMs, turn };
  sent = [];
  await wakeRunAt({ queue }, 'r', moment);
  expect(decodeWake(sent[0]?.message.body ?? '')).toMatchObject({ look: 'run', run: 'r', moment });
  return sent[0]?.message.deduplicationId;
}

describe('the timer of a run', () => {
  test('two wakes that come from the same state leave timers for one moment: one wake follows', async () => {
    // It has seen what there is to see.
    await goOn();
    const first = await goOn();
    await clock.advance(1_000);
    const second = await goOn();
    expect(await deduplicationOf(second)).toBe(await deduplicationOf(first));
  });

  test('RO42: a clock that is behind sets the same moment again, as a message that the queue does not drop', async () => {
    const ids = new Set<string | undefined>();
    await goOn();
    let moment = await goOn();
    for (const turn of [0, 1, 2]) {
      expect(moment).toMatchObject({ turn });
      ids.add(await deduplicationOf(moment));
      moment = await goOn(moment);
    }
    expect(ids.size).toBe(3);
  });

  test('waiting tasks are looked at every 10 s, however long the wait, and no retry is spent by it', async () => {
    let moment = await goOn();
    const delays: (number | undefined)[] = [];
    for (let looks = 0; looks < 12; looks += 1) {
      delays.push(moment.delaySeconds);
      await clock.advance((moment.delaySeconds ?? 0) * 1_000);
      moment = await goOn(moment);
    }
    expect(Math.max(...delays.map(Number))).toBe(10);
    expect([...simulated.starts.values()]).toEqual([1]);
  });

  test('of a run that is over, or is not there, there is no timer', async () => {
    await goOnWithRun(ports(), { look: 'run', run: 'nowhere' }, () => true);
    expect(sent).toEqual([]);
  });
});

test('a call that there is no time for is not made, and is made by the next wake', async () => {
  let calls = 0;
  // Time for the looks of the first step, and not for the starts of the second.
  await goOnWithRun(ports(), { look: 'run', run: 'r' }, () => (calls += 1) < 4);
  const before = [...simulated.starts.values()];
  await goOn();
  expect([before, [...simulated.starts.values()]]).toEqual([[], [1]]);
});

test('sweep reads a bounded number of runs that are past their time', async () => {
  const asked: [number, number][] = [];
  const records = { dueBefore: async (timeMs: number, limit: number) => (asked.push([timeMs - clock.nowMs(), limit]), ['r']) } as never;
  expect(await wakeOverdueRuns({ clock, queue: queue as never, drivenRuns: { records, providerOf: () => simulated.of('edge') } })).toBe(1);
  expect(asked).toEqual([[-36_000, 200]]);
  expect(sent.map(({ message }) => message.groupId)).toEqual(['run:r']);
});
