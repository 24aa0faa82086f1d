// Delayed wakes come due. A timer is a hint: the planner decides again whether it is (R11).
import type { WorkloadKey } from '../objects/workload.ts';
import { parseKey } from '../objects/workload.ts';
import type { Ports } from '../ports/ports.ts';
import { decodeTimer } from '../wire/messages.ts';
import type { TimerMessage } from '../wire/observations.ts';
import type { Delivery } from './unreadable.ts';
import { giveBackUnreadable } from './unreadable.ts';
import { sendWake } from './wake.ts';

/** @returns ids of the messages that must come back */
export async function fireTimers(
  deliveries: readonly Delivery[],
  ports: Pick<Ports, 'queue' | 'store' | 'clock' | 'telemetry'>,
): Promise<string[]> {
  const undone: string[] = [];
  await Promise.all(
    deliveries.map(async (delivery) => {
      const { messageId, body } = delivery;
      let read: ReturnType<typeof timerIn>;
      try {
        read = timerIn(body);
      } catch (error) {
        await giveBackUnreadable(ports, 'timers', delivery, { error });
        undone.push(messageId);
        return;
      }
      try {
        await fire(read, ports);
      } catch (error) {
        ports.telemetry.error('timer not fired', { messageId, error });
        undone.push(messageId);
      }
    }),
  );
  return undone;
}

/** @throws UndecodableMessageError; Error when its key is none */
function timerIn(body: string): { timer: TimerMessage; key: WorkloadKey } {
  const timer = decodeTimer(body);
  const key = parseKey(timer.key);
  if (!key) throw new Error(`"${timer.key}" is not the key of a workload`);
  return { timer, key };
}

async function fire(
  { timer, key }: { timer: TimerMessage; key: WorkloadKey },
  ports: Pick<Ports, 'queue' | 'store' | 'clock'>,
): Promise<void> {
  const head = await ports.store.readHead(key);
  // Forgotten since: there is nothing to look at.
  if (!head) return;
  if (head.queued === head.fence) return;
  // A pass has opened since: what this timer was for, it has seen, and set its own.
  if (head.fence !== timer.follows && !(head.wake && head.wake.dueAtMs <= ports.clock.nowMs())) {
    if (head.wake === undefined || head.wake.dueAtMs !== timer.dueAtMs) return;
  }
  // The queue has waited as long as was asked of it. Where it is early by this clock, the two clocks differ, and to wait for the difference
  // as well would cost as much: the pass decides by the cluster's time (R12).
  // `queued` is not set: the head's wake record says as much, and a second wake with this fence is dropped by the queue (R9).
  await sendWake(ports, key, head.fence);
}
