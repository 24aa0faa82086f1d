// The words for failure that every adapter translates into. A call on a cluster has four outcomes (R6): done (it returns),
// refused (NotFound, Conflict, Throttled, Terminal), not done (NotDoneError), unknown (UnknownOutcomeError).
// Anything else that is thrown: redeliver.

class PortError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The very thing that was asked for does not exist; for a delete, success. */
export class NotFoundError extends PortError {}

/** Somebody else was first: read again, plan again. */
export class ConflictError extends PortError {
  /** `alreadyExists`: the name is taken. `precondition`: uid or version differ. */
  readonly reason: 'alreadyExists' | 'precondition';
  constructor(message: string, options: { cause?: unknown; reason?: 'alreadyExists' | 'precondition' } = {}) {
    super(message, options);
    this.reason = options.reason ?? 'precondition';
  }
}

/** Not done; ask again after so many seconds. */
export class ThrottledError extends PortError {
  readonly retryAfterSeconds: number;
  constructor(message: string, options: { cause?: unknown; retryAfterSeconds: number }) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Refused for a reason that time alone does not mend: a person must act. */
export class TerminalError extends PortError {
  /** HTTP status, where there was one. */
  readonly code: number | undefined;
  /** The API server's own words: `reason`, `causes` and `message` of its Status. */
  readonly reason: string | undefined;
  readonly causes: readonly { reason?: string; message?: string; field?: string }[];
  /** Its message, without what was asked of whom. */
  readonly said: string | undefined;
  constructor(
    message: string,
    options: {
      cause?: unknown;
      code?: number;
      reason?: string;
      causes?: readonly { reason?: string; message?: string; field?: string }[];
      said?: string | undefined;
    } = {},
  ) {
    super(message, options);
    this.code = options.code;
    this.reason = options.reason;
    this.causes = options.causes ?? [];
    this.said = options.said;
  }
}

/** `reason` of the error where an object is too large to be read; the word that travels where only words do. */
export const UNREADABLE = 'Unreadable';

/** There is such an object, and what it is cannot be read. */
export class UnreadableObjectError extends TerminalError {
  /** @param what names the object; @param why as a sentence goes on after "cannot be read:" */
  constructor(what: string, why: string) {
    super(`${what} cannot be read: ${why}`, { reason: UNREADABLE });
  }
}

/** A file that somebody gave cannot be used as it is; nothing was asked of anyone yet. */
export class UnusableInputError extends TerminalError {}

/** Certain not to have been carried out: no connection, a deadline that had passed before sending. */
export class NotDoneError extends PortError {}

/** A time-out, a reset, a 5xx: it may or may not have taken effect (R6). Look it up or repeat it idempotently. */
export class UnknownOutcomeError extends PortError {
  /** The API server's own words, where it was one that answered. */
  readonly said: string | undefined;
  constructor(message: string, options: { cause?: unknown; said?: string | undefined } = {}) {
    super(message, options);
    this.said = options.said;
  }
}

/** What was asked for lies before the window that the server still remembers (410): list anew. */
export class ExpiredError extends PortError {}
