// What a relay is asked through its own queue: to tell again of everything, or of one workload.
import type { Clock } from '../ports/clock.ts';
import type { Queue } from '../ports/queue.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { giveBackUnreadable } from '../reconciler/unreadable.ts';
import { decodeAsk, UndecodableMessageError } from '../wire/messages.ts';
import type { RelayAsk } from '../wire/observations.ts';

export interface AsksSetup {
  queue: Queue;
  clock: Clock;
  telemetry: Telemetry;
  cluster: string;
  answer: (ask: RelayAsk) => Promise<void>;
  signal: AbortSignal;
}

const WAIT_SECONDS = 20;
const VISIBILITY_SECONDS = 60;
const FAILED_WAIT_MS = 5_000;

/** Receives and answers until the signal fires. What cannot be answered comes back, what cannot be read ends as a dead letter. */
export async function answerAsks({ queue, clock, telemetry, cluster, answer, signal }: AsksSetup): Promise<void> {
  const name = `relay-${cluster}` as const;
  while (!signal.aborted) {
    try {
      const messages = await queue.receive(name, { max: 10, waitSeconds: WAIT_SECONDS, visibilitySeconds: VISIBILITY_SECONDS, signal });
      for (const message of messages) {
        const ask = askIn(message.body);
        if (ask instanceof Error) {
          // It stops none of those that came along with it.
          await giveBackUnreadable({ queue, telemetry }, name, message, { error: ask });
          continue;
        }
        await answer(ask);
        await queue.delete(name, [message.receiptHandle]);
      }
    } catch (error) {
      if (signal.aborted) return;
      telemetry.warn('ask not answered', { cluster, error });
      await clock.wait(FAILED_WAIT_MS, signal);
    }
  }
}

/** @returns what is wrong with it when it cannot be read */
function askIn(body: string): RelayAsk | UndecodableMessageError {
  try {
    return decodeAsk(body);
  } catch (error) {
    if (error instanceof UndecodableMessageError) return error;
    throw error;
  }
}
