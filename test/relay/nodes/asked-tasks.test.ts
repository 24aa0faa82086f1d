// A log that a relay asks for: what has begun goes on over failures that pass, and ends with the container.
import { expect, test } from '@jest/globals';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import type { LogRequest } from '../../../lib/objects/log-request.ts';
import { NotFoundError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import { askedTasks } from '../../../lib/relay/nodes/asked-tasks.ts';
import { failureOf } from '../../claims.ts';

const real = new SystemClock();
const clock = Object.assign(Object.create(real), { wait: async () => await real.wait(1) }) as SystemClock;
const TASK = { namespace: 'default', name: 'a', uid: 'uid-a', attempt: 1 };

/** Each answer is a piece of the log, or an error; before the last one the container runs. */
async function logOf(answers: readonly (string | Error)[], wanted: Partial<LogRequest> = { follow: true }): Promise<string> {
  const left = [...answers];
  const running = { state: { running: { startedAt: '2026-01-02T03:04:05Z' } } };
  const tasks = askedTasks({
    node: 'edge',
    clock,
    cluster: {
      get: async () =>
        ({
          object: {
            metadata: { name: 'a', uid: 'uid-a' },
            spec: { containers: [{ name: 'main' }] },
            status: { phase: 'Running', containerStatuses: [{ name: 'main', ...(left.length > 1 ? running : { state: {} }) }] },
          },
        }) as never,
    },
    questions: {
      ask: async () => {
        const next = left.shift() ?? '';
        if (next instanceof Error) throw next;
        return { metadata: {}, log: next, isCut: false };
      },
    },
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of tasks.logs?.(TASK, { container: 'main', ...wanted }, new AbortController().signal) ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const T = '2026-01-02T03:04:05.00';
const SILENT = new UnknownOutcomeError('the functions have not answered within 20 s');

test('a log that is followed goes on after questions that failed', async () => {
  const failed = Array.from({ length: 5 }, () => SILENT);
  expect(await logOf([`${T}1Z one\n`, ...failed, `${T}1Z one\n${T}2Z two`, `${T}1Z one\n${T}2Z two\n${T}3Z three`])).toBe(
    'one\ntwo\nthree',
  );
});

test('and is broken off after six, and at once where the task is gone', async () => {
  expect(await failureOf(logOf([`${T}1Z one\n`, ...Array.from({ length: 6 }, () => SILENT), '']))).toBe(SILENT);
  const gone = new NotFoundError('pod not found');
  expect(await failureOf(logOf([`${T}1Z one\n`, gone, '']))).toBe(gone);
});

test('a log of which nothing was given is refused, not waited for', async () => {
  expect(await failureOf(logOf([SILENT, `${T}1Z one\n`]))).toBe(SILENT);
});

test('a log that is not followed is one answer, with a last line that has no line break', async () => {
  expect(await logOf([`${T}1Z one\n${T}2Z > `, ''], {})).toBe('one\n> ');
});
