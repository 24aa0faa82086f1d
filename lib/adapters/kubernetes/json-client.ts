// Plain calls with JSON to one API server, whatever the path: what the simulated node and tests talk with.
import type { IncomingMessage } from 'node:http';
import { fieldsOf, jsonIn, textOf } from '../../objects/values/untyped-fields.ts';
import { UnknownOutcomeError } from '../../ports/errors.ts';
import type { ClusterAccess } from './access.ts';
import type { Incoming, Outgoing } from './connection.ts';
import { Connection } from './connection.ts';
import { explainConnectionFault } from './connection-faults.ts';

export interface JsonClient {
  /** @returns status: of HTTP; body: undefined where the answer is not JSON. @throws one sentence when no answer came */
  request: (request: JsonRequest) => Promise<{ status: number; body: unknown }>;
  /** The lines of an answer, parsed, until it ends or `signal` is aborted. @throws AnswerError it is not 200; one sentence when it broke */
  watch: (request: { path: string; signal: AbortSignal }) => AsyncIterable<unknown>;
  close: () => void;
}

/** Something else than what was asked for; `status` is HTTP's. */
export class AnswerError extends UnknownOutcomeError {
  readonly status: number;

  constructor(call: string, { status, text }: Incoming) {
    const message = textOf(fieldsOf(jsonIn(text))['message']) || text;
    super(`${call} answered ${status}${message === '' ? '' : ` (${message.slice(0, 500)})`}`);
    this.status = status;
  }
}

export interface JsonRequest extends Pick<Outgoing, 'method' | 'path'> {
  body?: unknown;
  contentType?: string;
}

const CALLS_AT_ONCE = 32;
const CALL_MS = 30_000;
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;
const LINE_BYTES_MAX = 64 * 1024 * 1024;
/** Well above the minute between two bookmarks: a watch that is silent for longer is a broken one. */
const SILENT_WATCH_MS = 150_000;
const NEWLINE = 0x0a;

/** Opens nothing yet. @throws TerminalError the server's address cannot be used */
export function openJsonClient(access: ClusterAccess): JsonClient {
  const connection = new Connection(access, { connections: CALLS_AT_ONCE, timeoutMs: CALL_MS, answerBytesMax: ANSWER_BYTES_MAX });
  return {
    async request({ method, path, body, contentType }) {
      const { status, headers, text } = await connection.call({
        method,
        path,
        isTooLate: () => false,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(contentType !== undefined && { contentType }),
      });
      const isJson = (headers['content-type'] ?? '').startsWith('application/json');
      const answered: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
      return { status, body: answered };
    },
    async *watch({ path, signal }) {
      const { response, refusal } = await connection.stream({ method: 'GET', path, isTooLate: () => signal.aborted, signal });
      if (refusal) throw new AnswerError(`GET ${path}`, refusal);
      response.setTimeout(SILENT_WATCH_MS, () => {
        response.destroy(new Error(`nothing came for ${SILENT_WATCH_MS / 1000} s, not even a bookmark`));
      });
      const stop = (): void => {
        response.destroy();
      };
      signal.addEventListener('abort', stop, { once: true });
      try {
        for await (const lines of linesOf(response)) for (const line of lines) yield JSON.parse(line) as unknown;
      } catch (error) {
        if (signal.aborted) return;
        throw new UnknownOutcomeError(`watch at ${connection.server}: ${explainConnectionFault(error)}`, { cause: error });
      } finally {
        signal.removeEventListener('abort', stop);
        response.destroy();
      }
    },
    close: () => connection.close(),
  };
}

/** The lines that each chunk ends: a step of a generator for each line would cost as much as what is done with it. */
async function* linesOf(response: IncomingMessage): AsyncGenerator<string[]> {
  // The begun line in pieces: to join them with each chunk would copy a long line over and over.
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const isWhole = begun.length === 0;
      const line = isWhole ? chunk.toString('utf8', from, end) : Buffer.concat([...begun, chunk.subarray(from, end)]).toString('utf8');
      if (!isWhole) begun = [];
      begunBytes = 0;
      from = end + 1;
      if (line !== '') lines.push(line);
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
    begunBytes += chunk.length - from;
    if (lines.length > 0) yield lines;
    if (begunBytes > LINE_BYTES_MAX) throw new Error(`an event is longer than ${LINE_BYTES_MAX} bytes`);
  }
}
