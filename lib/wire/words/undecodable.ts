// Why a message or an item could not be read, or was not written.
/** A message cannot be read. Nobody guesses at it; it ends as a dead letter. */
export class UndecodableMessageError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'UndecodableMessageError';
  }
}

/** A message is, or unpacks to, more than its reader takes. Another reader may take more. */
export class TooMuchError extends UndecodableMessageError {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'TooMuchError';
  }
}

/** A later build wrote the message. This build leaves it to functions that know it (decision 8). */
export class LaterBuildError extends UndecodableMessageError {}

/** A message about a kind that this build does not know. It is treated as one of a later version. */
export class UnknownKindError extends LaterBuildError {
  constructor(what: string, kind: string) {
    super(`${what} of kind ${kind}, which this build does not know`);
    this.name = 'UnknownKindError';
  }
}

/** A message of a version that a later build writes. */
export class NewerVersionError extends LaterBuildError {
  constructor(what: string, version: number, known: number) {
    super(`${what} of version ${version}; this build reads up to version ${known}`);
    this.name = 'NewerVersionError';
  }
}

/** Readers would refuse a message of that size: the sender must divide it. */
export class MessageTooLargeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MessageTooLargeError';
  }
}
