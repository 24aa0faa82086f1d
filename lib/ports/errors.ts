// The words for failure, into which every adapter translates. A call on a cluster has four outcomes (R6): done (it returns),
// refused (NotFound, Conflict, Throttled, Terminal), not done (NotDoneError), unknown (UnknownOutcomeError).
// After any other error the message comes back.

class PortError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The object that the call named does not exist. For a delete that is success. */
export class NotFoundError extends PortError {}

/** Another writer was first: read again, plan again. */
export class ConflictError extends PortError {
  /** `alreadyExists`: the name is taken. `precondition`: uid or version differ. */
  readonly reason: 'alreadyExists' | 'precondition';
  constructor(message: string, options: { cause?: unknown; reason?: 'alreadyExists' | 'precondition' } = {}) {
    super(message, options);
    this.reason = options.reason ?? 'precondition';
  }
}

/** The server did nothing and asks to be called again after so many seconds. */
export class ThrottledError extends PortError {
  readonly retryAfterSeconds: number;
  constructor(message: string, options: { cause?: unknown; retryAfterSeconds: number }) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Refused for a reason that does not pass by itself: a person must act. */
export class TerminalError extends PortError {
  /** HTTP status, where there was one. */
  readonly code: number | undefined;
  /** The API server's own words: `reason`, `causes` and `message` of its Status. */
  readonly reason: string | undefined;
  readonly causes: readonly { reason?: string; message?: string; field?: string }[];
  /** The API server's message alone, without method and object. */
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

/** `reason` of the error for an object that is too large to be read. Relayed answers carry this word in the error's place. */
export const UNREADABLE = 'Unreadable';

/** The object exists and cannot be read. */
export class UnreadableObjectError extends TerminalError {
  /** @param what names the object; @param why as a sentence goes on after "cannot be read:" */
  constructor(what: string, why: string) {
    super(`${what} cannot be read: ${why}`, { reason: UNREADABLE });
  }
}

/** A person's file cannot be used as it is. No call was made yet. */
export class UnusableInputError extends TerminalError {}

/** Certainly not carried out: no connection was made, or the deadline had passed before sending. */
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

/** The resourceVersion is older than what the server still remembers (410): list again. */
export class ExpiredError extends PortError {}

/** Asked again, it may be done. */
export const mayPass = (error: unknown): error is ThrottledError | NotDoneError | UnknownOutcomeError =>
  error instanceof ThrottledError || error instanceof NotDoneError || error instanceof UnknownOutcomeError;
