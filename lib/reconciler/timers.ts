// Sends delayed wakes that are due, of runs too, looks again at digest mismatches, and looks for stuck heads. A timer is a hint: the planner decides
// again whether it is due (R11).
import type { WorkloadKey } from '../objects/workload.ts';
import { formatKey } from '../objects/workload.ts';
import type { Ports } from '../ports/ports.ts';
import type { Head } from '../ports/store.ts';
import { decodeTimer } from '../wire/messages.ts';
import type { DelayedMessage, RunLookMessage, TimerMessage } from '../wire/words/observations.ts';
import { lookAgain } from './cluster/digest-mismatch.ts';
import { readHeadsOf } from './head/heads.ts';
import { decodeState } from './head/pass-state.ts';
import { readMarker } from './cluster/heartbeats.ts';
import { SendsTogether } from './invocation/send-batcher.ts';
import { wakeStale } from './head/stuck-heads.ts';
import { readKey } from './invocation/known-kinds.ts';
import type { Delivery } from './invocation/unreadable.ts';
import { giveBackUnreadable } from './invocation/unreadable.ts';
import { sendWake, type Sends, type WakePorts } from './head/wake.ts';
import { decodeTold, FIGURES_EVERY_MS } from './summary/told.ts';
import { wakeRun, wakeRunAt } from './runs/run-messages.ts';

/** Workloads of one look for stuck heads. The next sweep looks at more. */
const STALE_AT_ONCE = 500;

type TimersPorts = Pick<Ports, 'queue' | 'store' | 'clock' | 'clusters' | 'telemetry'>;

/** @returns ids of the messages that must come back */
export async function fireTimers(deliveries: readonly Delivery[], ports: TimersPorts): Promise<string[]> {
  const undone: string[] = [];
  const readable: (Readable & { messageId: string })[] = [];
  for (const delivery of deliveries) {
    const { messageId, body } = delivery;
    try {
      readable.push({ messageId, ...messageIn(body) });
    } catch (error) {
      await giveBackUnreadable(ports, 'timers', delivery, { error });
      undone.push(messageId);
    }
  }
  const due = readable.flatMap(({ key, message }) => (key && 'key' in message ? [key] : []));
  const heads = await readHeadsOf(ports, due);
  const sends = new SendsTogether(ports.queue, ports.clock);
  await Promise.all(
    readable.map(async ({ messageId, message, key }) => {
      try {
        if ('look' in message && message.look === 'run') await sends.task(async () => await wakeRunOf({ ...ports, queue: sends }, message));
        else if ('look' in message || !key) await wakeStale(ports, STALE_AT_ONCE, async (cluster) => await ports.clusters.get(cluster));
        else if ('doubt' in message) await lookAgain(ports, key, message);
        else await sends.task(async () => await wakeDue({ ...ports, queue: sends }, { key, timer: message }, heads.get(formatKey(key))));
      } catch (error) {
        ports.telemetry.error('timer not fired', { messageId, error });
        undone.push(messageId);
      }
    }),
  );
  return undone;
}

/** The step decides by its own clock whether the moment has come. */
const wakeRunOf = async (ports: Pick<Ports, 'clock'> & Sends, { run, moment }: RunLookMessage): Promise<void> =>
  await (moment ? wakeRunAt(ports, run, moment) : wakeRun(ports, run));

interface Readable {
  message: DelayedMessage;
  key: WorkloadKey | undefined;
}

/** @throws UndecodableMessageError */
function messageIn(body: string): Readable {
  const message = decodeTimer(body);
  if ('look' in message) return { message, key: undefined };
  return { message, key: readKey('doubt' in message ? message.doubt : message.key) };
}

/** A burst of changes has ended, and its last figures are in no summary yet. */
function hasOldFigures({ state }: Head, nowMs: number): boolean {
  const told = decodeTold(decodeState(state)?.told);
  return told !== undefined && told.isBehind && nowMs >= told.atMs + FIGURES_EVERY_MS;
}

/** @param known the head as read a moment ago; if it has changed, the only consequence is one wake too many */
async function wakeDue(
  ports: WakePorts,
  { key, timer }: { key: WorkloadKey; timer: TimerMessage },
  known: { head: Head | undefined } | undefined,
): Promise<void> {
  const { head } = known ?? { head: await ports.store.readHead(key) };
  if (!head) {
    // The head is gone. Usually the workload was forgotten and there is nothing to look at. But if the relay's marker is gone too, the
    // table was lost, and nothing else may report a workload of a silent cluster before the next heartbeat (R1). So a pass finds out which of
    // the two it is.
    if ((await readMarker(ports, key.cluster)) === undefined) await sendWake(ports, key, ports.clock.randomId());
    return;
  }
  if (head.queued === head.fence) return;
  // A pass has acquired the head since. It saw the reason for this timer and set its own.
  if (head.fence !== timer.follows && !(head.wake && head.wake.dueAtMs <= ports.clock.nowMs())) {
    const isOurs = head.wake !== undefined && head.wake.dueAtMs === timer.dueAtMs;
    if (!isOurs && !hasOldFigures(head, ports.clock.nowMs())) return;
  }
  // The queue has delayed the message as long as it was asked to. If it seems early by this clock, the two clocks differ, and waiting for
  // the difference would delay the wake by as much. The pass decides by the cluster's time (R12).
  // `queued` is not set: the head's wake record says as much, and the queue drops a second wake with this fence (R9).
  // A pass that has acquired the head since has seen the change, so the lag is not measured from it.
  await sendWake(ports, key, head.fence, head.fence === timer.follows ? timer.toldAtMs : undefined);
}
