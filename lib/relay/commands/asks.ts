// Receives from a relay's own queue. A message is an ask, which requests a new report of everything or of one workload, or it holds
// commands, which the relay carries out if its cluster needs that.
import type { Clock } from '../../ports/clock.ts';
import { TerminalError } from '../../ports/errors.ts';
import type { Queue, ReceivedMessage } from '../../ports/queue.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { findFacts } from '../../kinds/facts.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { giveBackUnreadable } from '../../reconciler/invocation/unreadable.ts';
import { decodeAnswer, isAnswer, type AnswerPart } from '../../wire/command-answers.ts';
import { isCommands } from '../../wire/commands.ts';
import { decodeAsk } from '../../wire/messages.ts';
import { UndecodableMessageError, UnknownKindError } from '../../wire/words/undecodable.ts';
import type { RelayAsk } from '../../wire/words/observations.ts';
import type { Commands } from './commands.ts';
import { HandedOut } from './handed-out.ts';

export interface AsksSetup {
  queue: Queue;
  clock: Clock;
  telemetry: Telemetry;
  cluster: string;
  answer: (ask: RelayAsk) => Promise<void>;
  /** Kinds that the relay reports on, in addition to the kinds that this build knows. */
  kinds?: readonly KindFacts[];
  /** Given each answer of the functions to what this relay has asked. */
  hear?: ((answer: AnswerPart) => void) | undefined;
  /** Undefined for a cluster whose API server passes call directly. Commands are then refused. */
  commands?: Commands | undefined;
  signal: AbortSignal;
}

const WAIT_SECONDS = 20;
const VISIBILITY_SECONDS = 60;
const FAILED_WAIT_MS = 5_000;

/** Receives and answers until the signal fires. The queue redelivers an ask that failed. An undecodable ask ends as a dead letter. */
export async function answerAsks(setup: AsksSetup): Promise<void> {
  const { queue, clock, telemetry, cluster, answer, signal } = setup;
  const name = `relay-${cluster}` as const;
  const handedOut = new HandedOut();
  while (!signal.aborted) {
    try {
      const messages = await queue.receive(name, { max: 10, waitSeconds: WAIT_SECONDS, visibilitySeconds: VISIBILITY_SECONDS, signal });
      if (signal.aborted) return await leaveToOthers(setup, messages);
      const asks = await takeAnswers(setup, await startCommands(setup, messages, handedOut));
      for (const message of asks) {
        const ask = askIn(message.body, setup.kinds);
        if (ask instanceof Error) {
          // Continue: an undecodable ask must not stop the others of its batch.
          await giveBackUnreadable({ queue, telemetry }, name, message, { error: ask });
          continue;
        }
        try {
          await answer(ask);
        } catch (error) {
          // A refusal concerns this workload alone, so the next ask is answered (R13). Any other error means that the API server does not
          // answer. The ask and the rest of its batch are then redelivered.
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

/** Another replica leads by now. Makes messages that arrived at the last moment visible to it at once. */
async function leaveToOthers({ queue, cluster, telemetry }: AsksSetup, messages: readonly ReceivedMessage[]): Promise<void> {
  for (const { receiptHandle } of messages)
    await queue
      .changeVisibility(`relay-${cluster}`, receiptHandle, 0)
      .catch((error: unknown) => telemetry.warn('ask not given back', { cluster, error }));
}

/** Starts the commands among the messages and does not wait for them. @returns the other messages */
async function startCommands(
  { queue, clock, telemetry, cluster, commands }: AsksSetup,
  messages: readonly ReceivedMessage[],
  handedOut: HandedOut,
): Promise<ReceivedMessage[]> {
  const name = `relay-${cluster}` as const;
  const nowMs = clock.monotonicMs();
  // Take the times of asks too, not of commands alone: each one is a comparison of the two clocks, and more of them are better.
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
  // Delete the commands whatever their outcome: they are never started again. The pass that sent them looks at the cluster itself.
  if (taken.length > 0)
    await queue
      .delete(
        name,
        taken.map(({ receiptHandle }) => receiptHandle),
      )
      .catch((error: unknown) => telemetry.warn('commands not deleted', { cluster, error }));
  return messages.filter(({ body }) => !isCommands(body));
}

/** Hands on the answers among the messages. One that cannot be read ends as a dead letter. @returns the other messages */
async function takeAnswers(
  { queue, telemetry, cluster, hear }: AsksSetup,
  messages: readonly ReceivedMessage[],
): Promise<ReceivedMessage[]> {
  const name = `relay-${cluster}` as const;
  for (const message of messages.filter(({ body }) => isAnswer(body)))
    try {
      hear?.(decodeAnswer(message.body));
      await queue
        .delete(name, [message.receiptHandle])
        .catch((error: unknown) => telemetry.warn('answers not deleted', { cluster, error }));
    } catch (error) {
      await giveBackUnreadable({ queue, telemetry }, name, message, { error });
    }
  return messages.filter(({ body }) => !isAnswer(body));
}

/** @returns the error if the ask cannot be decoded */
function askIn(body: string, kinds: readonly KindFacts[] = []): RelayAsk | UndecodableMessageError {
  try {
    const ask = decodeAsk(body);
    // Do not answer for an unknown kind: the relay knows nothing of it, and the answer would read as proof that the workload is gone.
    const isKnown = (name: string): boolean => findFacts(name) !== undefined || kinds.some(({ kind }) => kind === name);
    if (ask.ask === 'workload' && !isKnown(ask.owner.kind)) return new UnknownKindError('an ask', ask.owner.kind);
    return ask;
  } catch (error) {
    if (error instanceof UndecodableMessageError) return error;
    throw error;
  }
}
