// A failed call as data, for answers that go through queue and table.
import {
  ConflictError,
  ExpiredError,
  NotDoneError,
  NotFoundError,
  TerminalError,
  ThrottledError,
  UnknownOutcomeError,
} from '../../ports/errors.ts';
import type { Failure } from '../../wire/command-answers.ts';

export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof NotFoundError) return { kind: 'NotFound', message };
  if (error instanceof ConflictError) return { kind: 'Conflict', message, conflict: error.reason };
  if (error instanceof ThrottledError) return { kind: 'Throttled', message, retryAfterSeconds: error.retryAfterSeconds };
  if (error instanceof TerminalError) {
    const { code, reason, causes, said } = error;
    return { kind: 'Terminal', message, code, reason, causes: causes.map((cause) => ({ ...cause })), said };
  }
  if (error instanceof NotDoneError) return { kind: 'NotDone', message };
  if (error instanceof ExpiredError) return { kind: 'Expired', message };
  if (error instanceof UnknownOutcomeError) return { kind: 'UnknownOutcome', message, said: error.said };
  return { kind: 'UnknownOutcome', message: `unexpected: ${message}` };
}
