// Why a message or an item could not be read, or was not written.
/** A message that cannot be read: it is never guessed at, and ends as a dead letter. */
export class UndecodableMessageError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'UndecodableMessageError';
  }
}

/** It is, or unpacks to, more than its reader takes: another reader may take more. */
export class TooMuchError extends UndecodableMessageError {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'TooMuchError';
  }
}

/** A later build wrote it: whole, but not for this reader; a message is left for functions that know it (decision 8). */
export class LaterBuildError extends UndecodableMessageError {}

/** It is about a kind that this build does not know, which is to it what a later version is. */
export class UnknownKindError extends LaterBuildError {
  constructor(what: string, kind: string) {
    super(`${what} of kind ${kind}, which this build does not know`);
    this.name = 'UnknownKindError';
  }
}

/** It is of a version that a later build writes. */
export class NewerVersionError extends LaterBuildError {
  constructor(what: string, version: number, known: number) {
    super(`${what} of version ${version}; this build reads up to version ${known}`);
    this.name = 'NewerVersionError';
  }
}

/** Whoever reads it would refuse it: what is to be told must be told in several messages. */
export class MessageTooLargeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MessageTooLargeError';
  }
}
