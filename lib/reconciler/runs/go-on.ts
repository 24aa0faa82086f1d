// One wake of a run: it is brought as far as it goes without waiting, and a timer goes on with it. Nothing is kept in the process.
import { isOver } from '../../kinds/run-once/run.ts';
import type { Ports } from '../../ports/ports.ts';
import type { DrivenRuns } from '../../ports/runs.ts';
import type { RunLookMessage, RunMoment } from '../../wire/words/observations.ts';
import { advance, type Advanced } from './advance.ts';
import { sendRunTimer } from './run-messages.ts';

/** No function lives long enough to be told of changes by a provider: waiting tasks are looked at so often, which spends no retry. */
const LOOK_AGAIN_MS = 10_000;

export async function goOnWithRun(
  { clock, queue, drivenRuns: { records, providerOf } }: Pick<Ports, 'clock' | 'queue'> & { drivenRuns: DrivenRuns },
  { run: id, moment }: RunLookMessage,
  hasTime: () => boolean,
): Promise<void> {
  const advanced = await advance(id, { runs: records, clock, providerOf }, { looksAtAll: true, hasTime });
  if (!advanced || isOver(advanced.run)) return;
  await sendRunTimer({ queue, clock }, id, nextMoment(advanced, moment, clock.nowMs()));
}

/** The same for each function that comes from the same state: then two timers lead to one wake. */
function nextMoment({ run, version, dueAtMs = Infinity }: Advanced, before: RunMoment | undefined, nowMs: number): RunMoment {
  const looks = Math.floor((nowMs - run.createdAtMs) / LOOK_AGAIN_MS) + 1;
  const next = { follows: version, dueAtMs: Math.min(Math.ceil(dueAtMs), run.createdAtMs + looks * LOOK_AGAIN_MS) };
  // By this clock it has not come yet. A wake for the same moment would be dropped by the queue.
  const isSame = before?.follows === next.follows && before.dueAtMs === next.dueAtMs;
  return { ...next, turn: isSame ? before.turn + 1 : 0 };
}
