// Asks `reconcile`, which may reach clusters, and waits for its sealed answers in the table. For functions that hold no credentials.
import type { Ports } from '../../ports/ports.ts';
import type { Outcome } from '../../wire/command-answers.ts';
import { encodeQuestions } from '../../wire/messages.ts';
import { readAnswerParts, togetherInMessages, type Question } from '../../wire/questions.ts';

/** API Gateway waits 29 s, and a call of a pass lives 10 s; in between lie a queue and a cold start. */
const ANSWERED_WITHIN_MS = 20_000;
const FIRST_LOOK_MS = 100;
const LONGEST_LOOK_MS = 500;

/** @returns the outcome of each question at its place; undefined: it was not answered in time */
export async function askReconcile(
  { queue, store, clock }: Pick<Ports, 'queue' | 'store' | 'clock'>,
  cluster: string,
  questions: readonly Question[],
): Promise<(Outcome | undefined)[]> {
  const untilMs = clock.nowMs() + ANSWERED_WITHIN_MS;
  const begunAtMs = clock.monotonicMs();
  const sent = togetherInMessages(questions).map((together) => {
    const [id, secret] = [clock.randomId(), clock.randomId() + clock.randomId()];
    return { id, secret, questions: together, parts: [] as Uint8Array[], outcomes: undefined as Outcome[] | undefined };
  });
  await queue.send(
    'wakes',
    // Each in a group of its own: none waits for another.
    sent.map(({ id, secret, questions: together }) => ({
      body: encodeQuestions({ look: 'questions', cluster, id, secret, untilMs, questions: together }),
      groupId: `questions:${id}`,
      deduplicationId: `questions:${id}`,
    })),
  );
  for (let lookAgainMs = FIRST_LOOK_MS; ; lookAgainMs = Math.min(lookAgainMs * 1.3, LONGEST_LOOK_MS)) {
    const open = sent.filter(({ outcomes }) => outcomes === undefined);
    await Promise.all(
      open.map(async (one) => {
        one.outcomes = await readAnswerParts(one, async (part) => await store.readAnswer(cluster, one.id, part));
      }),
    );
    if (sent.every(({ outcomes }) => outcomes !== undefined) || clock.monotonicMs() - begunAtMs >= ANSWERED_WITHIN_MS) break;
    await clock.wait(lookAgainMs);
  }
  return sent.flatMap(({ questions: together, outcomes }) => together.map((_, at) => outcomes?.find((outcome) => outcome.at === at)));
}
