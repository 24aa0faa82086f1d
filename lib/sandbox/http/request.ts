// A request: its path taken apart, its query read.
import type { Readable } from 'node:stream';
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfPathSegment } from '../../objects/names.ts';
import { badRequest, invalid } from '../objects/api-error.ts';
import type { Asker } from '../objects/asker.ts';
import { quoted } from '../objects/go-text.ts';

/** In bytes. */
const longestManager = 128;

/** A request without its socket. Header names in lower case. */
export interface ApiRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | undefined>>;
  body: string;
  /** The body as it was sent. */
  bytes?: Buffer;
  /** The sender of the request; the administrator where it does not say. */
  asker?: Asker;
  /** Calls a function once the client is gone, or has its whole answer. */
  onLeave?: (run: () => void) => void;
}

/** Receives a stream: texts as they come, then the end. */
export interface Sink {
  write: (text: string) => void;
  end: () => void;
  /** Takes all of a stream of bytes, no faster than the client does, and ends. A sink without it takes texts. */
  pipe?: (bytes: Readable) => void;
}

/** A whole answer, or one that goes on: `stream` begins it and gives the way to break it off. */
export type ApiResponse =
  | { status: number; headers: Record<string, string>; body: string }
  | { status: number; headers: Record<string, string>; stream: (sink: Sink) => () => void };

/** `/apis/batch/v1/namespaces/default/jobs/a/status` taken apart. */
export interface ResourcePath {
  group: string;
  version: string;
  /** Empty where the path leaves it empty: all of them. */
  namespace: string | undefined;
  plural: string;
  name: string | undefined;
  subresource: string | undefined;
  /** After the subresource, for proxies. */
  rest: string[];
}

/**
 * A path taken apart: slashes at its end count for nothing, those between for an empty word.
 * @throws ApiError 400 for bad escapes
 */
export function wordsOf(path: string): string[] {
  const text = decoded(path);
  let end = text.length;
  while (end > 1 && text[end - 1] === '/') end -= 1;
  return end <= 1 ? [] : text.slice(1, end).split('/');
}

/** @returns undefined for a path that names no resource (`/version`, `/apis/batch/v1`, `/api/v1//pods`) @throws ApiError 400 for bad escapes */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const [root, ...words] = wordsOf(path);
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'apis' ? (words.shift() ?? '') : '';
  if (root === 'apis' && group === '') return undefined;
  const version = words.shift();
  if (!version || words.length === 0) return undefined;
  // `namespaces/x/y` is about y in x, but for the namespace's own subresources.
  const scoped = words[0] === 'namespaces' && words.length > 2 && words[2] !== 'status' && words[2] !== 'finalize';
  const namespace = scoped ? words[1] : undefined;
  const about = scoped ? words.slice(2) : words;
  if (about.includes('')) return undefined;
  const [plural = '', name, subresource, ...rest] = about;
  return { group, version, namespace, plural, name, subresource, rest };
}

/** @throws ApiError 400 for a name that no object can have, since no path leads to it */
export function checkPathName(name: string): void {
  const problems = problemsOfPathSegment(name);
  if (problems.length > 0) throw badRequest(`Name parameter invalid: ${quoted(name)}: ${problems.join(';')}`);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw badRequest('the path holds a broken escape');
  }
}

/** Whether a parameter is there and says yes: any word does but `0` and `false`. */
export function flagIn(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

/** A whole number of the query, undefined if absent. @throws ApiError 400 for other texts, an empty one too */
export function numberIn(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const isNumber = /^[+-]?\d+$/.test(value);
  // Nothing longer is of 64 bits; leading zeros do not get that far.
  if (isNumber && value.length <= longestNumber && BigInt.asIntN(64, wholeOf(value)) === wholeOf(value)) return Number(value);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: ${isNumber ? 'value out of range' : 'invalid syntax'}`);
}

const longestNumber = 100;
const wholeOf = (text: string): bigint => BigInt(text.replace(/^\+/, ''));
const nanosecondsInSecond = 1_000_000_000n;

/**
 * `timeoutSeconds` in milliseconds, 0 where it says nothing. Below 0 it is over at once: a real server counts in nanoseconds of 64 bits, of
 * which 292 years are too many.
 */
export function timeoutMsIn(query: URLSearchParams): number {
  const seconds = numberIn(query, 'timeoutSeconds') === undefined ? 0n : wholeOf(query.get('timeoutSeconds') ?? '0');
  return Number(BigInt.asIntN(64, seconds * nanosecondsInSecond)) / 1_000_000;
}

/** A resourceVersion of the query, undefined if absent. @throws ApiError 400 for what this server never gave out */
export function versionIn(query: URLSearchParams, name = 'resourceVersion'): number | undefined {
  const value = query.get(name);
  if (value === null || value === '') return undefined;
  const version = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(version)) {
    throw badRequest(`Invalid value: ${JSON.stringify(value)}: strconv.ParseUint: parsing ${JSON.stringify(value)}: invalid syntax`);
  }
  return version;
}

/** The kind of the options in which a write's parameters stand. */
const optionsKinds: Readonly<Record<string, string>> = { POST: 'CreateOptions', PATCH: 'PatchOptions' };
export const optionsKindOf = ({ method }: ApiRequest): string => optionsKinds[method] ?? 'UpdateOptions';

/**
 * The name under which a write is recorded: the parameter, else the first word of the client's User-Agent.
 * @throws ApiError 422 for a name that is too long or cannot be printed
 */
export function fieldManagerOf(request: ApiRequest): string {
  const { query, headers } = request;
  const named = query.get('fieldManager');
  if (named) {
    const about = { group: 'meta.k8s.io', kind: optionsKindOf(request), name: '' };
    if (Buffer.byteLength(named) > longestManager) {
      const message = `Too long: may not be more than ${longestManager} bytes`;
      throw invalid(about, [{ reason: 'FieldValueTooLong', field: 'fieldManager', message }]);
    }
    if (/\p{C}/u.test(named)) {
      const message = `Invalid value: ${JSON.stringify(named)}: should only contain printable characters`;
      throw invalid(about, [{ reason: 'FieldValueInvalid', field: 'fieldManager', message }]);
    }
    return named;
  }
  return headers['user-agent']?.split('/')[0]?.slice(0, longestManager) || 'unknown';
}

/**
 * Whether the write is only tried.
 * @param options the kind of options that the values stand in
 * @throws ApiError 422 for another value than `All`
 */
export function isDryRun(values: readonly string[], options: string): boolean {
  const problems = problemsOfDryRun(values);
  if (problems.length > 0) throw invalid({ group: 'meta.k8s.io', kind: options, name: '' }, problems);
  return values.length > 0;
}

export function problemsOfDryRun(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === 'All')) return [];
  const message = `Unsupported value: ${JSON.stringify(values)}: supported values: "All"`;
  return [{ reason: 'FieldValueNotSupported', field: 'dryRun', message }];
}
