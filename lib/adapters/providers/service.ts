// An HTTP service that runs tasks: requests to it as calls of a provider, with the errors of one.
import { jsonIn } from '../../objects/values/untyped-fields.ts';
import { hasPassed, type Clock, type Deadline } from '../../ports/clock.ts';
import { NotDoneError, NotFoundError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../ports/errors.ts';
import type { Authentication } from '../kubernetes/access.ts';
import { AnswerTooLongError, Connection, type Incoming, type Outgoing } from '../kubernetes/connection.ts';

/** A request's whole life (R17). */
const CALL_MS = 10_000;
const CALLS_AT_ONCE = 16;
/** A node has 1,000 pods at most; 8 KB each. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** An answer that is no sentence is cut. */
const LONGEST_MESSAGE = 1_000;
const AGAIN_SECONDS = 5;

/** The service has no such call (501). */
export class NotOfferedError extends UnknownOutcomeError {}

export interface ServiceOptions {
  /** Of its root. Checked by `problemOfProviderAddress`. */
  address: string;
  node: string;
  auth: Authentication;
  /** Whether an address to which the host's name resolves must not be dialled. */
  refuses?: (address: string) => boolean;
  clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
}

export class Service {
  readonly #connection: Connection;
  readonly #clock: ServiceOptions['clock'];

  /** @throws TerminalError the address cannot be used */
  constructor({ address, auth, refuses, clock }: ServiceOptions) {
    this.#connection = new Connection(
      { server: address, auth, ...(refuses && { refuses }) },
      { connections: CALLS_AT_ONCE, timeoutMs: CALL_MS, answerBytesMax: ANSWER_BYTES_MAX, peer: 'provider' },
    );
    this.#clock = clock;
  }

  close(): void {
    this.#connection.close();
  }

  /** @param body an object as JSON, or a text as it is. @returns the answer's text. @throws the errors of errors.ts; the text of a failure is the provider's own */
  async call(
    method: Outgoing['method'],
    path: string,
    { deadline, body }: { deadline?: Deadline; body?: unknown } = {},
  ): Promise<Pick<Incoming, 'text' | 'headers'>> {
    const incoming = await this.#connection
      .call({
        method,
        path,
        accept: 'application/json',
        isTooLate: () => deadline !== undefined && hasPassed(deadline, this.#clock),
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body), contentType: 'application/json' }),
      })
      .catch((error: unknown) => {
        if (!(error instanceof AnswerTooLongError)) throw error;
        throw new UnknownOutcomeError(`${method} ${path} answers with more than ${ANSWER_BYTES_MAX / 1024 / 1024} MB`, { cause: error });
      });
    if (incoming.status < 200 || incoming.status >= 300) throw failureOf(`${method} ${path}`, incoming);
    return incoming;
  }

  /**
   * Bytes of an answer as they come, for as long as they do; nothing is read ahead of a slow reader. Ends when the signal fires.
   * @throws as `call`, at the first step
   */
  async *stream(path: string, { signal, body }: { signal: AbortSignal; body?: unknown }): AsyncIterable<Uint8Array> {
    const { response, refusal } = await this.#connection.stream({
      method: 'GET',
      path,
      accept: 'text/plain',
      isTooLate: () => false,
      signal,
      ...(body !== undefined && { body: JSON.stringify(body), contentType: 'application/json' }),
    });
    if (refusal) throw failureOf(`GET ${path.split('?')[0]}`, refusal);
    const leave = (): unknown => response.destroy();
    signal.addEventListener('abort', leave, { once: true });
    try {
      for await (const chunk of response) yield chunk as Uint8Array;
    } catch (error) {
      if (!signal.aborted) throw new UnknownOutcomeError(`GET ${path.split('?')[0]} broke off`, { cause: error });
    } finally {
      signal.removeEventListener('abort', leave);
      response.destroy();
    }
  }

  /** @param isWanted whether the parsed answer is what was asked for. @throws UnknownOutcomeError otherwise, and as `call` */
  async read<Answer>(
    path: string,
    isWanted: (answer: unknown) => answer is Answer,
    { what, ...given }: { what: string; deadline?: Deadline; body?: unknown },
  ): Promise<Answer> {
    const { text, headers } = await this.call('GET', path, given);
    const answer = jsonIn(text);
    if (isWanted(answer)) return answer;
    throw new UnknownOutcomeError(
      answer === undefined
        ? `GET ${path} answers with ${headers['content-type'] ?? 'a text'}: expected JSON`
        : `GET ${path} answers with something that is ${what}`,
    );
  }
}

function failureOf(call: string, { status, headers, text }: Incoming): Error {
  const isPage = /html/.test(headers['content-type'] ?? '');
  const said = isPage ? '' : text.trim().slice(0, LONGEST_MESSAGE);
  const message = said === '' ? `${call} answered ${status}${isPage ? ' with a page' : ''}` : said;
  if (status === 404) return new NotFoundError(message);
  if (status === 400) return new TerminalError(message);
  if (status >= 300 && status < 400)
    return new NotDoneError(`${call} answered ${status}, which leads elsewhere: give the address that answers itself`);
  if (status === 429) return new ThrottledError(message, { retryAfterSeconds: Number(headers['retry-after']) || AGAIN_SECONDS });
  if (status === 501) return new NotOfferedError(message);
  return status < 500 ? new NotDoneError(message) : new UnknownOutcomeError(message);
}

/** That nothing answers at an address that names no pod says nothing about a pod. */
export const noWordOfPods = (error: unknown): unknown =>
  error instanceof NotFoundError ? new NotDoneError(error.message, { cause: error }) : error;

/** Where a service has no bound of its own, or none beside others. @param limitBytes undefined: all */
export async function* firstBytes(stream: AsyncIterable<Uint8Array>, limitBytes: number | undefined): AsyncIterable<Uint8Array> {
  let left = limitBytes ?? Number.POSITIVE_INFINITY;
  for await (const chunk of stream) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

/** A page of the tasks, by their uids. @param after the uid with which the page before ended */
export function pageOf<Listed extends { uid: string }>(
  all: readonly Listed[],
  { limit, after = '' }: { limit: number; after?: string },
): { tasks: Listed[]; next?: string } {
  const left = all.filter(({ uid }) => uid > after).toSorted((one, other) => (one.uid < other.uid ? -1 : 1));
  const tasks = left.slice(0, limit);
  const last = tasks.at(-1);
  return { tasks, ...(left.length > limit && last && { next: last.uid }) };
}

/** One read for all who ask at the same time: each gets one that was begun no sooner than it asked. */
export class SharedRead<Value> {
  readonly #read: () => Promise<Value>;
  readonly #clock: ServiceOptions['clock'];
  #reading: Promise<unknown> | undefined;
  #next: Promise<Value> | undefined;

  constructor(read: () => Promise<Value>, clock: ServiceOptions['clock']) {
    this.#read = read;
    this.#clock = clock;
  }

  /** @throws NotDoneError it took longer than until the deadline, and the errors of reading */
  async get(deadline?: Deadline): Promise<Value> {
    this.#next ??= this.#afterThis();
    const value = await this.#next;
    if (deadline !== undefined && hasPassed(deadline, this.#clock)) throw new NotDoneError('the provider answered too late');
    return value;
  }

  async #afterThis(): Promise<Value> {
    await this.#reading?.catch(() => {});
    this.#next = undefined;
    const reading = this.#read();
    this.#reading = reading;
    return await reading;
  }
}
