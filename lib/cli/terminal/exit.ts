// Errors that end a command with an exit code of their own: 0 done, 1 failed, 2 unusable input or usage, 3 more than one match,
// 4 a replay decides otherwise, 5 not in time, 130 interrupted. The message is the one line that a person sees.

export class ExitError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The command did not succeed. */
export class FailedError extends ExitError {
  override readonly name = 'FailedError';
  constructor(message: string, options?: ErrorOptions) {
    super(message, 1, options);
  }
}

/** Input or usage that cannot be used: what, where, what was expected. */
export class UsageError extends ExitError {
  override readonly name = 'UsageError';
  constructor(message: string, options?: ErrorOptions) {
    super(message, 2, options);
  }
}

/** More than one thing matches, and nobody said which. */
export class AmbiguousError extends ExitError {
  override readonly name = 'AmbiguousError';
  constructor(message: string, options?: ErrorOptions) {
    super(message, 3, options);
  }
}

/** Something that was waited for has not come about in time. */
export class LateError extends ExitError {
  override readonly name = 'LateError';
  constructor(message: string, options?: ErrorOptions) {
    super(message, 5, options);
  }
}
