// The HTTP API as the other commands ask it: of the instance that runs here, or of an installation anywhere.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Option } from 'commander';
import { Client, type KeptAnswers, type Send } from '../../api-client/client.ts';
import { SILENT_MS } from '../../api-client/live.ts';
import { ApiProblem } from '../../api-client/problems.ts';
import { fieldsOf, textOf } from '../../objects/values/untyped-fields.ts';
import { FailedError, UsageError } from '../terminal/exit.ts';
import { printProblem } from '../terminal/output.ts';
import { readInstance, stateFolderPath } from './instance-file.ts';
import { isLoopback } from '../../objects/values/loopback.ts';

const ANSWER_WITHIN_MS = 30_000;

export interface ApiClient {
  /** An answer of the type that the route declares. @throws FailedError with the API's sentence */
  ask: Client['ask'];
  /** @returns what the API answered, unchecked: it is this very version's own. @throws FailedError with the API's sentence */
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body: unknown): Promise<Answer>;
  /** As `Client.changes`. @throws ApiProblem */
  changes(signal: AbortSignal): AsyncIterable<void>;
}

/** How a command asks that asks again and again. */
export interface AskingAgain {
  kept: KeptAnswers;
  /** That the server is silent is said elsewhere. */
  isQuiet: true;
  /** Ends all requests. */
  signal: AbortSignal;
}

/** The API refused, or failed at it: which status says so. */
export class ApiFailedError extends FailedError {
  readonly status: number | undefined;
  constructor(message: string, { status, ...options }: ErrorOptions & { status: number | undefined }) {
    super(message, options);
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
  headers: (request: { method: string; url: URL; body: string }) => Promise<Record<string, string>>;
  /** The error where nothing answers. */
  absent: (cause?: unknown) => FailedError;
}

/**
 * `--endpoint` first, then `--state`, then FARLOOP_ENDPOINT, then the instance on this machine.
 * @throws FailedError when no instance runs there; UsageError for an unusable endpoint
 */
export function connectToInstance({ state, endpoint }: ApiOptions, environment: Environment = process.env, again?: AskingAgain): ApiClient {
  const url = endpoint ?? (state === undefined ? environment['FARLOOP_ENDPOINT'] || undefined : undefined);
  const access = url === undefined ? localAccess(state) : remoteAccess(url, environment);
  const client = new Client(sendBy(access, again), again?.kept);
  return {
    ask: async (...asked) => await inSentences(access, client.ask(...asked)),
    get: async <Answer>(path: string) => (await inSentences(access, client.get(path))) as Answer,
    post: async <Answer>(path: string, body: unknown) => (await inSentences(access, client.post(path, body))) as Answer,
    changes: (signal) => client.changes(signal),
  };
}

const sendBy =
  ({ base, headers: shownBy }: Access, again: AskingAgain | undefined): Send =>
  async ({ method, path, headers, body, signal, isStream }) => {
    const target = new URL(`${base.pathname.replace(/\/$/, '')}${path}`, base);
    const signals = [signal, again?.signal, isStream ? undefined : AbortSignal.timeout(ANSWER_WITHIN_MS)].filter(
      (each) => each !== undefined,
    );
    const silent = again?.isQuiet
      ? undefined
      : setTimeout(
          () =>
            printProblem(
              `farloop: ${base.origin} has been silent for ${SILENT_MS / 1_000} s; waiting for it up to ${ANSWER_WITHIN_MS / 1_000} s`,
            ),
          SILENT_MS,
        );
    try {
      const own = await shownBy({ method, url: target, body: body ?? '' });
      // Credentials go to this endpoint alone.
      const init = { method, headers: { ...headers, ...own }, redirect: 'manual', signal: AbortSignal.any(signals) } as const;
      const response = await fetch(target, { ...init, ...(body !== undefined && { body }) });
      // Its time is that of the whole answer.
      return isStream ? response : new Response(hasBody(response) ? await response.text() : null, response);
    } catch (error) {
      if (error instanceof FailedError) throw error;
      if (error instanceof DOMException && error.name === 'TimeoutError')
        throw new ApiProblem('silent', `it has not answered within ${ANSWER_WITHIN_MS / 1_000} s`, { cause: error });
      throw new ApiProblem('unreachable', causeText(error), { cause: error });
    } finally {
      clearTimeout(silent);
    }
  };

/** Statuses without a body must get none. */
const hasBody = ({ status }: Response): boolean => ![204, 205, 304].includes(status);

/** @throws FailedError for people */
async function inSentences<Answer>(access: Access, asking: Promise<Answer>): Promise<Answer> {
  try {
    return await asking;
  } catch (error) {
    throw error instanceof ApiProblem ? failedOf(error, access) : error;
  }
}

function failedOf(problem: ApiProblem, { base: { origin }, absent }: Access): FailedError {
  const { kind, status, message, detail, cause } = problem;
  const options = { cause: problem, status };
  if (kind === 'unreachable') return absent(cause);
  if (kind === 'silent') return new ApiFailedError(`${origin} ${message.replace(/^it /, '')}: it is busy or hangs, so ask again`, options);
  if (kind === 'foreign')
    return new ApiFailedError(
      `${origin} ${message.replace(/^it /, '')}: ${
        status === undefined ? 'check that the address is not that of a proxy, a login page or another program' : 'give the address itself'
      }`,
      options,
    );
  if (detail === undefined && (status === 401 || status === 403)) {
    const said = message.startsWith('the API answered something unexpected') ? '' : `: ${message}`;
    return new ApiFailedError(
      `the API does not let you in (${status}${said}): check your credentials, and that they may call execute-api:Invoke`,
      options,
    );
  }
  return new ApiFailedError(message, options);
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
      const [{ DynamoDBClient: AnyClient }, { signatureHeaders }] = await Promise.all([
        import('@aws-sdk/client-dynamodb'),
        import('../../adapters/aws/request-signature.ts'),
      ]);
      // Any client knows the way to credentials.
      client ??= new AnyClient({ region });
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
