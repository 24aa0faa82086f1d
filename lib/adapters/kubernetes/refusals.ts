// An API server's answer other than success → the words of ports/errors.ts (R6, R8, R19).
import type { Status } from '../../objects/kubernetes.ts';
import { textOf } from '../../objects/values/untyped-fields.ts';
import {
  ConflictError,
  ExpiredError,
  NotDoneError,
  NotFoundError,
  TerminalError,
  ThrottledError,
  UnknownOutcomeError,
} from '../../ports/errors.ts';
import type { Incoming } from './connection.ts';

/** The request, as far as the meaning of a refusal depends on it. */
export interface Asked {
  verb: 'get' | 'list' | 'watch' | 'create' | 'delete' | 'patch';
  /** `https://host:port` */
  server: string;
  /** `pods`, with the group where there is one; as `details` of a Status have them. */
  plural: string;
  group: string;
  namespace?: string | undefined;
  name?: string | undefined;
}

/** Of a server's words: they go into logs, records and notes. */
const LONGEST_MESSAGE = 4_000;

const wordsOf = (status: Status | undefined, otherwise: string): string =>
  (textOf(status?.message) || textOf(otherwise)).slice(0, LONGEST_MESSAGE);

const isWrite = ({ verb }: Asked): boolean => verb !== 'get' && verb !== 'list' && verb !== 'watch';

function describe({ verb, server, plural, namespace, name }: Asked): string {
  // The namespace of a cluster's own objects is empty.
  const object = [namespace, name].filter((part) => part !== undefined && part !== '').join('/');
  return `${verb} ${plural}${object === '' ? '' : ` ${object}`} at ${server}`;
}

/** The error that an answer with this HTTP status means. */
export function errorOf(asked: Asked, { status: code, headers, text }: Incoming): Error {
  const what = describe(asked);
  if (code >= 300 && code < 400)
    return new NotDoneError(
      `${what}: the server redirects to ${headers.location ?? 'elsewhere'}, which is not followed: give the API server's own address`,
    );
  if (code === 401)
    return new TerminalError(`${what}: the token is refused or expired (401): renew the credentials of this cluster`, {
      code,
      reason: 'Unauthorized',
    });
  const status = statusIn(text);
  if (code === 429) return throttled(what, status, headers['retry-after']);
  if (!status) return notAnApiServer(asked, { code, headers, text });
  return errorOfStatus(asked, status, { code, retryAfter: headers['retry-after'] });
}

/** The error that a Status means; those in a watch's ERROR events have no HTTP answer of their own. */
export function errorOfStatus(
  asked: Asked,
  status: Status,
  { code = status.code ?? 0, retryAfter }: { code?: number; retryAfter?: string | undefined } = {},
): Error {
  const what = describe(asked);
  const sentence = `${what}: ${wordsOf(status, status.reason ?? `HTTP status ${code}`)}`;
  const causes = status.details?.causes ?? [];
  const terminal = (): TerminalError =>
    new TerminalError(sentence, {
      code,
      causes,
      said: wordsOf(status, '') || undefined,
      ...(status.reason !== undefined && { reason: status.reason }),
    });
  switch (code) {
    case 404:
      return isAbout(asked, status) ? new NotFoundError(sentence) : terminal();
    case 409:
      // A create has no precondition: somebody else was first at what admission looks at, as at a quota that many write.
      if (asked.verb === 'create' && status.reason !== 'AlreadyExists') return terminal();
      return new ConflictError(sentence, { reason: status.reason === 'AlreadyExists' ? 'alreadyExists' : 'precondition' });
    case 410:
      return new ExpiredError(sentence);
    case 422:
      return isFailedPrecondition(asked, status) ? new ConflictError(sentence, { reason: 'precondition' }) : terminal();
    case 429:
      return throttled(what, status, retryAfter);
    default:
      // The server lags behind the version asked for: it will have caught up in a moment, and nothing was done.
      if (causes.some(({ reason }) => reason === 'ResourceVersionTooLarge')) return throttled(what, status, retryAfter);
      return code >= 500 ? new UnknownOutcomeError(sentence, { said: wordsOf(status, '') || undefined }) : terminal();
  }
}

/** Only a Status about that very object proves that it is not there (R19). */
const isAbout = ({ plural, group, name }: Asked, { reason, details }: Status): boolean =>
  reason === 'NotFound' && name !== undefined && details?.name === name && details.kind === plural && (details.group ?? '') === group;

/** A patch that carries another uid tries to change it. */
const isFailedPrecondition = ({ verb }: Asked, { details }: Status): boolean =>
  verb === 'patch' && (details?.causes ?? []).some(({ field }) => field === 'metadata.uid');

function throttled(what: string, status: Status | undefined, retryAfter: string | undefined): ThrottledError {
  const seconds = Number(retryAfter ?? status?.details?.retryAfterSeconds ?? 1);
  const retryAfterSeconds = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 300) : 1;
  return new ThrottledError(`${what}: ${wordsOf(status, 'too many requests')}; again in ${retryAfterSeconds} s`, { retryAfterSeconds });
}

/** HTML of a proxy, a login page, plain text. A read has learnt nothing; the outcome of a write is unknown. */
export function notAnApiServer(asked: Asked, { code, headers, text }: { code: number; headers: Incoming['headers']; text: string }): Error {
  // The API server itself answers so for an API group that it does not have.
  if (code === 404 && text.startsWith('404 page not found'))
    return new TerminalError(
      `${describe(asked)}: the API server has no such resource: check its version, and that what brings the resource is installed`,
      { code, reason: 'NotFound' },
    );
  const type = headers['content-type']?.split(';')[0] ?? 'no content type';
  const kind = /^\s*</.test(text)
    ? 'HTML'
    : type === 'application/json'
      ? 'JSON that is neither an object nor a Status of Kubernetes'
      : type;
  const sentence = `${describe(asked)}: the server answers ${kind} (HTTP status ${code}) where Kubernetes would answer JSON: check that the address is that of an API server and not of a proxy or a login page`;
  return isWrite(asked) ? new UnknownOutcomeError(sentence) : new NotDoneError(sentence);
}

function statusIn(text: string): Status | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return isStatus(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the API server answered with a `Status` instead of an object. */
export const isStatus = (value: unknown): value is Status =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
