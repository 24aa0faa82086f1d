// Questions of a relay to the functions: an answer comes in parts, in any order, or not at all.
import { expect, test } from '@jest/globals';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { Questions } from '../../../lib/relay/nodes/questions.ts';
import { NotDoneError, NotFoundError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import { sealOutcomes, type Outcome } from '../../../lib/wire/command-answers.ts';
import { decodeRelayQuestions, type RelayQuestions } from '../../../lib/wire/questions.ts';
import { failureOf, until } from '../../claims.ts';

const real = new SystemClock();
const nonce = 'n'.repeat(22);

interface Asking {
  questions: Questions;
  sent: RelayQuestions[];
  /** Hands over an answer to the question of that place. */
  answer: (place: number, outcome: Outcome, order?: (parts: number[]) => number[]) => void;
}

function asking(waitMs?: number): Asking {
  const sent: RelayQuestions[] = [];
  const questions = new Questions({
    queue: { send: async (_queue, messages) => void sent.push(...messages.map(({ body }) => decodeRelayQuestions(body))) },
    clock:
      waitMs === undefined
        ? real
        : Object.assign(Object.create(real), { wait: async (_ms: number, signal?: AbortSignal) => await real.wait(waitMs, signal) }),
    cluster: 'east',
    kubeSystemUid: () => 'kube-system-uid',
  });
  const answer: Asking['answer'] = (place, outcome, order = (parts) => parts) => {
    const { id = '', secret = '' } = sent[place] ?? {};
    const parts = sealOutcomes({ relayMs: 0, outcomes: [outcome] }, secret, nonce);
    for (const part of order([...parts.keys()])) questions.take({ id, part, bytes: parts[part] ?? new Uint8Array() });
  };
  return { questions, sent, answer };
}

const FIGURES = { about: 'figures', node: 'edge' } as const;
// It does not pack well, so that it takes several parts.
const large = Array.from({ length: 60_000 }, () => Math.random().toString(36)).join('');

test('a large answer comes in parts, in whatever order, and each asker gets its own', async () => {
  const { questions, sent, answer } = asking();
  const [one, other] = [questions.ask(FIGURES), questions.ask(FIGURES)];
  await until('both are sent', () => sent.length === 2, 5_000);
  answer(1, { at: 0, dateMs: 0, object: { metadata: {}, mine: 'other' } });
  answer(0, { at: 0, dateMs: 0, object: { metadata: {}, large } }, (parts) => parts.toReversed());
  expect([await one, await other]).toEqual([
    { metadata: {}, large },
    { metadata: {}, mine: 'other' },
  ]);
});

test('a failure is told in the words of the port', async () => {
  const { questions, sent, answer } = asking();
  const asked = failureOf(questions.ask(FIGURES));
  await until('it is sent', () => sent.length === 1, 5_000);
  answer(0, { at: 0, failure: { kind: 'NotFound', message: 'pod not found' } });
  expect(await asked).toEqual(new NotFoundError('pod not found'));
});

test('an answer that was not sealed for the question is none', async () => {
  const { questions, sent } = asking();
  const asked = failureOf(questions.ask(FIGURES));
  await until('it is sent', () => sent.length === 1, 5_000);
  const [bytes = new Uint8Array()] = sealOutcomes({ relayMs: 0, outcomes: [] }, 'another secret', nonce);
  questions.take({ id: sent[0]?.id ?? '', part: 0, bytes });
  expect(String(await asked)).toMatch(/not sealed with the secret/);
});

test('functions that are silent are told of in a sentence, and what comes later is passed over', async () => {
  const { questions, answer } = asking(5);
  expect(await failureOf(questions.ask(FIGURES))).toEqual(new UnknownOutcomeError('the functions have not answered within 20 s'));
  answer(0, { at: 0, dateMs: 0, object: { metadata: {} } });
});

test('no more are asked at once than functions are to be started for: the next one waits for its turn', async () => {
  const { questions, sent, answer } = asking();
  const asked = Array.from({ length: 17 }, async () => await questions.ask(FIGURES));
  await until('as many are asked as may be', () => sent.length === 16);
  answer(3, { at: 0, dateMs: 0, object: { metadata: {}, figures: [] } });
  await until('the next one is asked', () => sent.length === 17);
  for (const place of sent.keys()) answer(place, { at: 0, dateMs: 0, object: { metadata: {}, figures: [] } });
  expect(await Promise.all(asked)).toHaveLength(17);
});

test('a turn that does not come is told of in a sentence', async () => {
  const { questions } = asking(50);
  const asked = Array.from({ length: 40 }, async () => await failureOf(questions.ask(FIGURES)));
  const failures = await Promise.all(asked);
  expect(failures.filter((error) => error instanceof UnknownOutcomeError).length).toBeGreaterThanOrEqual(16);
  expect(failures.filter((error) => error instanceof NotDoneError && error.message.includes('try again in a moment'))).not.toEqual([]);
  expect(failures).toHaveLength(40);
});
