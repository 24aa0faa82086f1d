// Translates errors of the AWS SDK into those of ports/errors.ts.
import { NotDoneError, ThrottledError, UnknownOutcomeError } from '../../ports/errors.ts';

const THROTTLED = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'Throttling',
  'RequestLimitExceeded',
  'RequestThrottled',
  'TooManyRequestsException',
  'KmsThrottled',
  'OverLimit',
]);

/** Never left this machine. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'CredentialsProviderError']);

const CUT_OFF = new Set(['TimeoutError', 'RequestTimeout', 'RequestTimeoutException', 'AbortError', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

const RETRY_AFTER_SECONDS = 1;

const fieldOf = (error: unknown, field: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;

/** The service's or the system's own word: `ConditionalCheckFailedException`, `ECONNRESET`. */
export const nameOf = (error: unknown): string => {
  const [code, name] = [fieldOf(error, 'code'), fieldOf(error, 'name')];
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) return code;
  // An error that the SDK does not know as one is wrapped by it, and only its text is left.
  if (name === 'Error') return wrappedCodeOf(error) ?? name;
  return typeof name === 'string' ? name : 'Error';
};

const wrappedCodeOf = (error: unknown): string | undefined => {
  const message = fieldOf(error, 'message');
  if (typeof message !== 'string') return undefined;
  return message.includes('socket hang up') ? 'ECONNRESET' : /\bE[A-Z_]{4,}\b/.exec(message)?.[0];
};

const statusOf = (error: unknown): number => Number(fieldOf(fieldOf(error, '$metadata'), 'httpStatusCode') ?? 0);

/**
 * @param what the request in words, as `write of the head c/Job/n/j/u`; the sentence begins with it
 * @param isWrite whether a request that was cut off may have taken effect (R6); a read is simply not done
 */
export function translated(error: unknown, what: string, isWrite: boolean): Error {
  const name = nameOf(error);
  const message = fieldOf(error, 'message');
  const because = `${what}: ${name}${typeof message === 'string' && message !== '' ? `: ${message}` : ''}`;
  if (THROTTLED.has(name)) return new ThrottledError(because, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
  if (NOT_SENT.has(name)) return new NotDoneError(because, { cause: error });
  if (CUT_OFF.has(name) || statusOf(error) >= 500)
    return isWrite ? new UnknownOutcomeError(because, { cause: error }) : new NotDoneError(because, { cause: error });
  return new Error(because, { cause: error });
}

/** The error of a failed read: a read has changed nothing, however it ended. */
export const readFailed = (error: unknown, what: string): never => {
  throw translated(error, what, false);
};
