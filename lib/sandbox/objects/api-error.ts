// Refusals: each is a `Status` object with the code, reason and details that a client decides by.
import type { FieldError } from '../../objects/field-error.ts';
import type { Status } from '../../objects/kubernetes.ts';

/** Whom a refusal is about, in the words of `Status.details`. */
export interface Subject {
  group: string;
  /** Plural resource name (`pods`), or the kind where validation speaks (`Pod`). */
  kind: string;
  name: string;
}

type Details = NonNullable<Status['details']>;
type Cause = NonNullable<Details['causes']>[number];

/** Thrown anywhere while a request is handled; becomes its answer. */
export class ApiError extends Error {
  readonly status: Status & { code: number; metadata: Record<string, string> };
  readonly headers: Record<string, string>;

  constructor(code: number, reason: string, message: string, details?: Details, headers: Record<string, string> = {}) {
    super(message);
    this.name = 'ApiError';
    this.headers = headers;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason && { reason }),
      ...(details && { details }),
      code,
    };
  }
}

const about = ({ name, group, kind }: Subject): Details => ({ ...(name && { name }), ...(group && { group }), ...(kind && { kind }) });

const qualified = ({ group, kind }: Subject): string => (group ? `${kind}.${group}` : kind);

export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message);

export const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized', 'Unauthorized');

export const notFound = (subject: Subject): ApiError =>
  new ApiError(404, 'NotFound', `${qualified(subject)} "${subject.name}" not found`, about(subject));

/** A path that no resource answers. */
export const noSuchPath = (): ApiError => new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});

export const methodNotAllowed = (subject: Subject, verb: string): ApiError =>
  new ApiError(405, 'MethodNotAllowed', `${verb} is not supported on resources of kind "${qualified(subject)}"`, about(subject));

/** A method that a path does not know at all. */
export const methodRefused = (): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const alreadyExists = (subject: Subject, { before = '', after = '' } = {}): ApiError =>
  new ApiError(409, 'AlreadyExists', `${before}${qualified(subject)} "${subject.name}" already exists${after}`, about(subject));

export const conflict = (subject: Subject, why: string): ApiError =>
  new ApiError(409, 'Conflict', `Operation cannot be fulfilled on ${qualified(subject)} "${subject.name}": ${why}`, about(subject));

export const staleVersion = (subject: Subject): ApiError =>
  conflict(subject, 'the object has been modified; please apply your changes to the latest version and try again');

export const forbidden = (subject: Subject, why: string, causes?: Cause[]): ApiError =>
  new ApiError(403, 'Forbidden', `${qualified(subject)} "${subject.name}" is forbidden: ${why}`, {
    ...about(subject),
    ...(causes && { causes }),
  });

/** 422 with one cause per field. @param subject with the kind, not the resource name */
export function invalid(subject: Subject, errors: readonly FieldError[]): ApiError {
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  const text = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new ApiError(422, 'Invalid', `${qualified(subject)} "${subject.name}" is invalid: ${text}`, {
    ...about(subject),
    causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
  });
}

/** The answer to a patch that cannot be applied: a real server does not say why either. */
export const unprocessable = (): ApiError =>
  new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

export const expired = (message: string): ApiError => new ApiError(410, 'Expired', message);

export const tooOldVersion = (asked: number, oldest: number): ApiError => expired(`too old resource version: ${asked} (${oldest})`);

/** The client knows a newer resourceVersion than this server. */
export const versionAhead = (asked: number, current: number): ApiError =>
  new ApiError(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${asked}, current: ${current}`,
    { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], retryAfterSeconds: 1 },
    { 'Retry-After': '1' },
  );

export const unsupportedMediaType = (accepted: readonly string[]): ApiError =>
  new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

export const notAcceptable = (offered: readonly string[]): ApiError =>
  new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${offered.join(', ')}`);

/** @param why such as `limit is 3145728` */
export const tooLarge = (why: string): ApiError => new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: ${why}`);

/** The refusal by a real server's storage of an object that is too large for it. */
export const tooLargeToStore = (): ApiError => new ApiError(500, '', 'etcdserver: request is too large');

export const internalError = (message: string): ApiError =>
  new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
