// Asks the functions what only they can know: a provider lets in passes alone. A question goes by the events queue, and its answer comes back, sealed with
// the question's secret, by the relay's own.
import type { Clock } from '../../ports/clock.ts';
import { errorOf } from '../../adapters/sqs/failed-answer.ts';
import { NotDoneError, UnknownOutcomeError } from '../../ports/errors.ts';
import type { Queue } from '../../ports/queue.ts';
import { isLastPart, openOutcomes, type AnswerPart } from '../../wire/command-answers.ts';
import { encodeRelayQuestions, type RelayQuestions } from '../../wire/questions.ts';

export interface QuestionsSetup {
  queue: Pick<Queue, 'send'>;
  clock: Clock;
  cluster: string;
  kubeSystemUid: () => string;
}

/** Queue, function, provider and queue again; a function may have to start first. */
const ANSWER_MS = 20_000;
/** Each is a call of a function and of a provider. More wait for their turn as long as for an answer. */
const MOST_AT_ONCE = 16;

interface Waiting {
  secret: string;
  parts: Map<number, Uint8Array>;
  settle: (answer: object) => void;
  fail: (error: Error) => void;
}

export class Questions {
  readonly #setup: QuestionsSetup;
  readonly #waiting = new Map<string, Waiting>();
  /** Of those that wait for their turn, the first one first. */
  readonly #turns = new Set<() => void>();
  #asking = 0;

  constructor(setup: QuestionsSetup) {
    this.#setup = setup;
  }

  /** @returns the answer, unchecked but for its seal. @throws the errors of ports/errors.ts */
  async ask(question: RelayQuestions['questions'][number], signal?: AbortSignal): Promise<object> {
    await this.#turn(signal);
    try {
      return await this.#ask(question, signal);
    } finally {
      // The place goes to the next one, if any: nobody can come between.
      const [next] = this.#turns;
      if (next && this.#turns.delete(next)) next();
      else this.#asking -= 1;
    }
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#asking < MOST_AT_ONCE) {
      this.#asking += 1;
      return;
    }
    const over = new AbortController();
    const isTaken = await new Promise<boolean>((resolve) => {
      const take = (): void => resolve(true);
      this.#turns.add(take);
      void this.#setup.clock.wait(ANSWER_MS, AbortSignal.any([over.signal, ...(signal ? [signal] : [])])).then(() => {
        if (this.#turns.delete(take)) resolve(false);
      });
    });
    over.abort();
    if (!isTaken) throw new NotDoneError(`${MOST_AT_ONCE} questions about virtual nodes wait for their answers: try again in a moment`);
  }

  async #ask(question: RelayQuestions['questions'][number], signal: AbortSignal | undefined): Promise<object> {
    const { queue, clock, cluster, kubeSystemUid } = this.#setup;
    const [id, secret] = [clock.randomId(), clock.randomId()];
    const answer = new Promise<object>((settle, fail) => this.#waiting.set(id, { secret, parts: new Map(), settle, fail }));
    answer.catch(() => {});
    const over = new AbortController();
    try {
      const untilMs = clock.nowMs() + ANSWER_MS;
      const asked: RelayQuestions = {
        look: 'questions',
        cluster,
        id,
        secret,
        untilMs,
        questions: [question],
        kubeSystemUid: kubeSystemUid(),
      };
      await queue.send('events', [{ body: encodeRelayQuestions(asked), groupId: cluster }]);
      const tooLate = clock.wait(ANSWER_MS, AbortSignal.any([over.signal, ...(signal ? [signal] : [])])).then(() => {
        throw new UnknownOutcomeError(`the functions have not answered within ${ANSWER_MS / 1_000} s`);
      });
      tooLate.catch(() => {});
      return await Promise.race([answer, tooLate]);
    } finally {
      over.abort();
      this.#waiting.delete(id);
    }
  }

  /** A part of an answer; of those that nobody waits for any more nothing is kept. */
  take({ id, part, bytes }: Pick<AnswerPart, 'id' | 'part' | 'bytes'>): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    waiting.parts.set(part, bytes);
    const parts = [...waiting.parts.entries()].toSorted(([one], [other]) => one - other);
    const last = parts.at(-1);
    if (!last || !isLastPart(last[1]) || parts.length !== last[0] + 1) return;
    try {
      const [outcome] = openOutcomes(
        parts.map(([, each]) => each),
        waiting.secret,
      ).outcomes;
      if (outcome && 'object' in outcome && outcome.object) waiting.settle(outcome.object);
      else
        waiting.fail(outcome && 'failure' in outcome ? errorOf(outcome.failure) : new UnknownOutcomeError('the functions gave no answer'));
    } catch (error) {
      waiting.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
