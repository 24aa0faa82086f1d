// The words in which a port tells of a failure: whatever came to harm, nothing else may reach its caller.
import {
  ConflictError,
  ExpiredError,
  NotDoneError,
  NotFoundError,
  TerminalError,
  ThrottledError,
  UnknownOutcomeError,
} from '../../lib/ports/errors.ts';

export const WORDS = [ConflictError, ExpiredError, NotDoneError, NotFoundError, TerminalError, ThrottledError, UnknownOutcomeError];
