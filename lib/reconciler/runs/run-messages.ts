// Wakes and timers of runs. Each may be lost or come twice: the record's due time is what counts, and sweep finds the runs that are past it.
import type { Clock } from '../../ports/clock.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Queue } from '../../ports/queue.ts';
import { encodeRunLook, encodeRunTimer } from '../../wire/messages.ts';
import type { RunMoment } from '../../wire/words/observations.ts';
import { LONGEST_DELAY_SECONDS } from '../head/wake.ts';
import { STALE_MS, SWEEP_EVERY_MS } from '../head/timeouts.ts';

type Sends = { queue: Pick<Queue, 'send'> };

const groupOf = (id: string): string => `run:${id}`;

/** For each request one: the queue must not take it for an earlier one. */
export async function wakeRun({ queue, clock }: Sends & { clock: Pick<Clock, 'randomId'> }, id: string): Promise<void> {
  const body = encodeRunLook({ look: 'run', run: id });
  await queue.send('wakes', [{ body, groupId: groupOf(id), deduplicationId: `run:${id}:${clock.randomId()}` }]);
}

/** Two wakes for one moment are one. */
export async function wakeRunAt({ queue }: Sends, id: string, moment: RunMoment): Promise<void> {
  const { follows, dueAtMs, turn } = moment;
  const body = encodeRunLook({ look: 'run', run: id, moment });
  await queue.send('wakes', [{ body, groupId: groupOf(id), deduplicationId: `run:${id}:${follows}:${dueAtMs}:${turn}` }]);
}

/** A run has no wait that a queue could not delay; a longer one is gone on with too early, and waits again. */
export async function sendRunTimer({ queue, clock }: Sends & { clock: Clock }, id: string, moment: RunMoment): Promise<void> {
  const delaySeconds = Math.min(Math.ceil(Math.max(moment.dueAtMs - clock.nowMs(), 0) / 1_000), LONGEST_DELAY_SECONDS);
  await queue.send('timers', [{ body: encodeRunTimer({ look: 'run', run: id, moment }), groupId: 'runs', delaySeconds }]);
}

/** Of one sweep. The next finds the others, for these are not past their time by then. */
const MOST_OVERDUE = 200;

/** Wakes the runs whose messages must be lost, the longest due first. @returns how many */
export async function wakeOverdueRuns({ queue, clock, drivenRuns }: Pick<Ports, 'queue' | 'clock' | 'drivenRuns'>): Promise<number> {
  const nowMs = clock.nowMs();
  const overdue = (await drivenRuns?.records.dueBefore(nowMs - STALE_MS, MOST_OVERDUE)) ?? [];
  if (overdue.length === 0) return 0;
  // Two sweeps at the same time send one wake.
  const halfMinute = Math.floor(nowMs / (SWEEP_EVERY_MS / 2));
  await queue.send(
    'wakes',
    overdue.map((id) => ({
      body: encodeRunLook({ look: 'run', run: id }),
      groupId: groupOf(id),
      deduplicationId: `run:${id}:overdue:${halfMinute}`,
    })),
  );
  return overdue.length;
}
