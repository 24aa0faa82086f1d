// The HTTP API as the other commands ask it: of the instance that runs here, or of an installation anywhere.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Option } from 'commander';
import { fieldsOf, isFields, jsonIn, textOf, type Fields } from '../../objects/values/untyped-fields.ts';
import { FailedError, UsageError } from '../terminal/exit.ts';
import { printProblem } from '../terminal/output.ts';
import { readInstance, stateFolderPath } from './instance-file.ts';
import { isLoopback } from '../../objects/values/loopback.ts';

const ANSWER_WITHIN_MS = 30_000;
/** Longer than that a person wonders. */
const SILENT_AFTER_MS = 3_000;

export interface ApiClient {
  /** @returns what the API answered, unchecked: it is this very version's own. @throws FailedError with the API's sentence */
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body: unknown): Promise<Answer>;
}

/** The API has refused, with its own sentence. */
export class AnsweredError extends FailedError {
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

export interface ApiOptions {
  /** Folder of the instance's state, as given by --state. */
  state?: string | undefined;
  /** URL of an installation's API, as given by --endpoint. */
  endpoint?: string | undefined;
}

export const endpointOption = (): Option =>
  new Option(
    '--endpoint <url>',
    'API of an installation elsewhere (default: $FARLOOP_ENDPOINT, else the instance on this machine)',
  ).conflicts('state');

/** One request's way: where to, and what shows who asks. */
interface Access {
  base: URL;
  headers(request: { method: string; url: URL; body: string }): Promise<Record<string, string>>;
  /** The error where nothing answers. */
  absent(cause?: unknown): FailedError;
}

/**
 * `--endpoint` first, then `--state`, then FARLOOP_ENDPOINT, then the instance on this machine.
 * @throws FailedError when no instance runs there; UsageError for an unusable endpoint
 */
export function connectToInstance({ state, endpoint }: ApiOptions, environment: Environment = process.env): ApiClient {
  const url = endpoint ?? (state === undefined ? environment['FARLOOP_ENDPOINT'] || undefined : undefined);
  const access = url === undefined ? localAccess(state) : remoteAccess(url, environment);
  const call = async <Answer>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> => {
    const target = new URL(`${access.base.pathname.replace(/\/$/, '')}${path}`, access.base);
    const text = body === undefined ? '' : JSON.stringify(body);
    const silent = setTimeout(
      () =>
        printProblem(
          `farloop: ${access.base.origin} has been silent for ${SILENT_AFTER_MS / 1_000} s; waiting for it up to ${ANSWER_WITHIN_MS / 1_000} s`,
        ),
      SILENT_AFTER_MS,
    );
    const headers = await access.headers({ method, url: target, body: text });
    const answer = await fetchText(target, {
      method,
      headers,
      // Credentials go to this endpoint alone.
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      ...(body !== undefined && { body: text }),
    })
      .catch((error: unknown) => {
        if (error instanceof DOMException && error.name === 'TimeoutError')
          throw new FailedError(
            `${access.base.origin} has not answered within ${ANSWER_WITHIN_MS / 1_000} s: it is busy or hangs, so ask again`,
            { cause: error },
          );
        throw access.absent(error);
      })
      .finally(() => clearTimeout(silent));
    if (answer.status >= 300 && answer.status < 400)
      throw new FailedError(
        `${access.base.origin} sends elsewhere, which is not followed (redirect ${answer.status}): give the address itself`,
      );
    const parsed = jsonIn(answer.text);
    if (answer.status !== 200) throw new AnsweredError(sentenceIn(answer, fieldsOf(parsed)), answer.status);
    if (!isFields(parsed))
      throw new FailedError(
        `${access.base.origin} answers ${/^\s*</.test(answer.text) ? 'HTML' : 'something else'} where Farloop's API answers JSON: check that the address is not that of a proxy, a login page or another program`,
      );
    return parsed as Answer;
  };
  return {
    get: async (path) => await call('GET', path),
    post: async (path, body) => await call('POST', path, body),
  };
}

type Environment = Record<string, string | undefined>;

function localAccess(state: string | undefined): Access {
  const folder = stateFolderPath(state);
  const instance = readInstance(folder);
  const absent = (cause?: unknown): FailedError =>
    // A refused connection: the note was left by an instance that was killed.
    new FailedError(`no Farloop is running with the state folder ${folder}: start one with "farloop up", or name its folder with --state`, {
      cause,
    });
  if (!instance) throw absent();
  const { url, token } = instance;
  return { base: new URL(url), headers: async () => ({ authorization: `Bearer ${token}` }), absent };
}

function remoteAccess(endpoint: string, environment: Environment): Access {
  const base = endpointOf(endpoint);
  const absent = (cause?: unknown): FailedError =>
    new FailedError(`nothing answers at ${base.origin}: check --endpoint or FARLOOP_ENDPOINT (${causeText(cause)})`, { cause });
  const token = environment['FARLOOP_TOKEN'];
  if (token) return { base, headers: async () => ({ authorization: `Bearer ${token}` }), absent };
  const region = /\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$/.exec(base.hostname)?.[1] ?? environment['AWS_REGION'];
  if (!region)
    throw new UsageError(
      `${base.origin}: who asks is not known: set FARLOOP_TOKEN, or AWS_REGION and AWS credentials to sign requests with`,
    );
  // Kept, for it keeps what it found: `console` asks again and again.
  let client: DynamoDBClient | undefined;
  return {
    base,
    async headers(request) {
      const [{ DynamoDBClient: Client }, { signatureHeaders }] = await Promise.all([
        import('@aws-sdk/client-dynamodb'),
        import('../../adapters/aws/request-signature.ts'),
      ]);
      // Any client knows the way to credentials.
      client ??= new Client({ region });
      const key = await client.config.credentials().catch((error: unknown) => {
        throw new FailedError(
          'there are no AWS credentials to sign with: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; or FARLOOP_TOKEN',
          { cause: error },
        );
      });
      return await signatureHeaders(key, { ...request, region, service: 'execute-api', nowMs: Date.now() });
    },
    absent,
  };
}

/** @throws UsageError; a token must not go over a network in the clear */
function endpointOf(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError(`${JSON.stringify(text)} is no endpoint: expected a URL such as https://ID.execute-api.REGION.amazonaws.com`);
  if (url.protocol === 'http:' && !isLoopback(url))
    throw new UsageError(`${text} is plain http, which would show to others who asks: only https is taken beyond this machine`);
  return url;
}

/** fetch hides what happened one step below. */
const causeText = (error: unknown): string => {
  const { cause, message } = fieldsOf(error);
  return textOf(fieldsOf(cause)['message']) || textOf(message);
};

async function fetchText(url: URL, init: RequestInit): Promise<{ status: number; text: string }> {
  const response = await fetch(url, init);
  return { status: response.status, text: await response.text() };
}

/** The API's own sentence, also of the version before, or its gateway's. @param fields what the text holds as JSON */
function sentenceIn({ status, text }: { status: number; text: string }, fields: Fields): string {
  const own = textOf(fields['detail']) || textOf(fields['error']);
  const said = own || textOf(fields['message']);
  if (own === '' && (status === 401 || status === 403))
    return `the API does not let you in (${status}${said && `: ${said}`}): check your credentials, and that they may call execute-api:Invoke`;
  return said || `the API answered something unexpected (${status}): ${text.slice(0, 200)}`;
}
