// A failure that came as data, as the error of the port that it was.
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

export function errorOf({
  kind,
  message,
  conflict = 'precondition',
  retryAfterSeconds = 1,
  code,
  reason,
  causes = [],
  said,
}: Failure): Error {
  switch (kind) {
    case 'NotFound':
      return new NotFoundError(message);
    case 'Conflict':
      return new ConflictError(message, { reason: conflict });
    case 'Throttled':
      return new ThrottledError(message, { retryAfterSeconds });
    case 'Terminal':
      return new TerminalError(message, {
        ...(code !== undefined && { code }),
        ...(reason !== undefined && { reason }),
        causes: causes.map((cause) => definedOf(cause)),
        said,
      });
    case 'NotDone':
      return new NotDoneError(message);
    case 'Expired':
      return new ExpiredError(message);
    case 'UnknownOutcome':
    default:
      return new UnknownOutcomeError(message, { said });
  }
}

const definedOf = ({
  reason,
  message,
  field,
}: NonNullable<Failure['causes']>[number]): { reason?: string; message?: string; field?: string } => ({
  ...(reason !== undefined && { reason }),
  ...(message !== undefined && { message }),
  ...(field !== undefined && { field }),
});
