// What comes through a relay's own queue: asks, to tell again of everything or of one workload; and commands, where it carries them out.
import type { Clock } from '../ports/clock.ts';
import { TerminalError } from '../ports/errors.ts';
import type { Queue, ReceivedMessage } from '../ports/queue.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { findFacts } from '../kinds/facts.ts';
import type { KindFacts } from '../kinds/kind.ts';
import { giveBackUnreadable } from '../reconciler/unreadable.ts';
import { isCommands } from '../wire/commands.ts';
import { decodeAsk } from '../wire/messages.ts';
import { UndecodableMessageError, UnknownKindError } from '../wire/undecodable.ts';
import type { RelayAsk } from '../wire/observations.ts';
import type { Commands } from './commands.ts';
import { HandedOut } from './handed-out.ts';

export interface AsksSetup {
  queue: Queue;
  clock: Clock;
  telemetry: Telemetry;
  cluster: string;
  answer: (ask: RelayAsk) => Promise<void>;
  /** Kinds that the relay reports on, beside those that this build knows. */
  kinds?: readonly KindFacts[];
  /** Of a cluster that passes reach by themselves: none, and commands are refused. */
  commands?: Commands | undefined;
  signal: AbortSignal;
}

const WAIT_SECONDS = 20;
const VISIBILITY_SECONDS = 60;
const FAILED_WAIT_MS = 5_000;

/** Receives and answers until the signal fires. What cannot be answered comes back, what cannot be read ends as a dead letter. */
export async function answerAsks(setup: AsksSetup): Promise<void> {
  const { queue, clock, telemetry, cluster, answer, signal } = setup;
  const name = `relay-${cluster}` as const;
  const handedOut = new HandedOut();
  while (!signal.aborted) {
    try {
      const messages = await queue.receive(name, { max: 10, waitSeconds: WAIT_SECONDS, visibilitySeconds: VISIBILITY_SECONDS, signal });
      if (signal.aborted) return await leaveToOthers(setup, messages);
      const asks = await startCommands(setup, messages, handedOut);
      for (const message of asks) {
        const ask = askIn(message.body, setup.kinds);
        if (ask instanceof Error) {
          // It stops none of those that came along with it.
          await giveBackUnreadable({ queue, telemetry }, name, message, { error: ask });
          continue;
        }
        try {
          await answer(ask);
        } catch (error) {
          // What is refused of one workload says nothing of another (R13); a server that does not answer is asked later, with the rest.
          if (!(error instanceof TerminalError)) throw error;
          telemetry.warn('ask not answered', { cluster, error });
          continue;
        }
        await queue.delete(name, [message.receiptHandle]);
      }
    } catch (error) {
      if (signal.aborted) return;
      telemetry.warn('ask not answered', { cluster, error });
      await clock.wait(FAILED_WAIT_MS, signal);
    }
  }
}

/** Another replica sends by now: what came at the last moment is its business, and lies there for it at once. */
async function leaveToOthers({ queue, cluster, telemetry }: AsksSetup, messages: readonly ReceivedMessage[]): Promise<void> {
  for (const { receiptHandle } of messages)
    await queue
      .changeVisibility(`relay-${cluster}`, receiptHandle, 0)
      .catch((error: unknown) => telemetry.warn('ask not given back', { cluster, error }));
}

/** Begins with the commands among them, which are not waited for. @returns the others */
async function startCommands(
  { queue, clock, telemetry, cluster, commands }: AsksSetup,
  messages: readonly ReceivedMessage[],
  handedOut: HandedOut,
): Promise<ReceivedMessage[]> {
  const name = `relay-${cluster}` as const;
  const nowMs = clock.monotonicMs();
  // Of all that came together, asks too: the more often the clocks are compared, the better.
  const times = messages.flatMap(({ receivedAtMs, receiveCount }) =>
    receivedAtMs === undefined || receiveCount > 1 ? [] : [receivedAtMs],
  );
  const arrival = { monotonicMs: times.length === 0 ? nowMs : handedOut.at(Math.max(...times), nowMs) };
  const taken: ReceivedMessage[] = [];
  for (const message of messages) {
    if (!isCommands(message.body)) continue;
    try {
      if (commands) void commands.take(message, arrival);
      else telemetry.error('commands refused: this relay does not carry out any, see docs/clusters.md', { cluster });
      taken.push(message);
    } catch (error) {
      await giveBackUnreadable({ queue, telemetry }, name, message, { error });
    }
  }
  // Whatever becomes of them, they are never begun again: whoever sent them looks, and sends others.
  if (taken.length > 0)
    await queue
      .delete(
        name,
        taken.map(({ receiptHandle }) => receiptHandle),
      )
      .catch((error: unknown) => telemetry.warn('commands not deleted', { cluster, error }));
  return messages.filter(({ body }) => !isCommands(body));
}

/** @returns what is wrong with it when it cannot be read */
function askIn(body: string, kinds: readonly KindFacts[] = []): RelayAsk | UndecodableMessageError {
  try {
    const ask = decodeAsk(body);
    // Nothing is known of it here, and that must not be taken for its absence.
    const isKnown = (name: string): boolean => findFacts(name) !== undefined || kinds.some(({ kind }) => kind === name);
    if (ask.ask === 'workload' && !isKnown(ask.owner.kind)) return new UnknownKindError('an ask', ask.owner.kind);
    return ask;
  } catch (error) {
    if (error instanceof UndecodableMessageError) return error;
    throw error;
  }
}
