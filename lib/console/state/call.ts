// Requests to the API, in the name of who has signed in.
import { signal } from '@preact/signals';
import { shownData } from '../../objects/values/shown-text.ts';
import { lastFailure, noteAnswered, noteAsked } from './freshness.ts';
import { keptToken } from './token.ts';

/** On AWS the gateway's time-out is shorter, so a later answer cannot come. */
const LONGEST_ANSWER_MS = 35_000;

/** Whether somebody must sign in before anything else can be shown. */
export const isSignInNeeded = signal(false);

/** The API's own sentence. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Nobody answered; the next poll asks again. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

export interface Answer<Data> {
  /** Absent: the same as the one with this tag. */
  data?: Data;
  tag?: string;
}

interface Request {
  method?: 'GET' | 'POST';
  body?: unknown;
  /** Of an earlier answer to the same request. */
  tag?: string | undefined;
  signal?: AbortSignal;
}

/** Statuses of a proxy before an API that does not answer. */
const SILENT_STATUSES: readonly number[] = [502, 503, 504];

/**
 * @param path as in `v1/workloads?limit=5`: relative, so that it holds below any prefix
 * @throws RefusedError for what the API refuses; SilenceError without an answer
 */
export async function ask<Data>(path: string, { method = 'GET', body, tag, signal: given }: Request = {}): Promise<Answer<Data>> {
  noteAsked();
  const endings = [AbortSignal.timeout(LONGEST_ANSWER_MS), ...(given ? [given] : [])];
  try {
    const response = await fetch(path, {
      method,
      signal: AbortSignal.any(endings),
      headers: {
        authorization: `Bearer ${keptToken()}`,
        accept: 'application/json',
        ...(tag !== undefined && { 'if-none-match': tag }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (response.status === 304) {
      noteAnswered();
      return {};
    }
    const text = await response.text();
    const parsed: unknown = shownData(JSON.parse(text));
    if (response.ok) {
      noteAnswered();
      isSignInNeeded.value = false;
      const found = response.headers.get('etag');
      return { data: parsed as Data, ...(found !== null && { tag: found }) };
    }
    const sentence = sentenceIn(parsed) ?? `the API answered ${response.status}`;
    if (SILENT_STATUSES.includes(response.status) && method === 'GET') throw new SilenceError(sentence);
    noteAnswered();
    if (response.status === 401) isSignInNeeded.value = true;
    throw new RefusedError(response.status, sentence);
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    lastFailure.value = message;
    throw error instanceof SilenceError ? error : new SilenceError(message, { cause: error });
  }
}

/** The sentence of a refusal: `detail` of problem+json, or `error`. */
function sentenceIn(parsed: unknown): string | undefined {
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  for (const name of ['detail', 'error', 'message'] as const) {
    const found: unknown = Reflect.get(parsed, name);
    if (typeof found === 'string' && found !== '') return found;
  }
  return undefined;
}

export async function post<Data>(path: string, body: unknown): Promise<Data | undefined> {
  return (await ask<Data>(path, { method: 'POST', body })).data;
}
