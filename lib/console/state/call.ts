// Requests to the API, in the name of who has signed in, by the client that commands use, too.
import { effect } from '@preact/signals';
import { Client, type ApiRequest, type KeptAnswers } from '../../api-client/client.ts';
import { ApiProblem } from '../../api-client/problems.ts';
import { shownData } from '../../objects/values/shown-text.ts';
import { lastFailure, noteAnswered, noteAsked, noteClock, noteHeard } from './freshness.ts';
import { patched } from './patched.ts';
import { isSignInNeeded, keptToken } from './token.ts';
import { noteBytes } from './traffic.ts';

/** On AWS the gateway's time-out is shorter, so a later answer cannot come. */
const LONGEST_ANSWER_MS = 35_000;

/** Statuses of a proxy before an API that does not answer. */
const SILENT_STATUSES: readonly number[] = [502, 503, 504];

/** Nobody answered: the same may be answered later. */
export const isSilence = ({ kind, status }: ApiProblem): boolean =>
  kind === 'unreachable' || kind === 'silent' || (status !== undefined && SILENT_STATUSES.includes(status));

const kept: KeptAnswers = new Map();
/** Paths are relative, so that they hold below any prefix. */
export const client = new Client(send, kept);

/** @throws ApiProblem */
async function send({ method, path, headers, body, signal: given, isStream }: ApiRequest): Promise<Response> {
  if (isStream !== true) noteAsked();
  const endings = [isStream === true ? undefined : AbortSignal.timeout(LONGEST_ANSWER_MS), given].filter((each) => each !== undefined);
  const token = keptToken();
  try {
    const response = await fetch(path.replace(/^\//, ''), {
      method,
      signal: AbortSignal.any(endings),
      headers: { ...headers, authorization: `Bearer ${token}`, accept: isStream === true ? 'text/event-stream' : 'application/json' },
      ...(body !== undefined && { body }),
    });
    // Another one may have been given since it was asked.
    if (response.status === 401 && token === keptToken()) isSignInNeeded.value = true;
    noteClock(response.headers.get('date'));
    if (isStream === true) return heard(response);
    const { status } = response;
    // Its time is that of the whole answer.
    const text = status === 304 ? null : await response.text();
    if (method === 'POST' || !SILENT_STATUSES.includes(status)) noteAnswered();
    return new Response(text, response);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (given?.aborted !== true && isStream !== true) lastFailure.value = message;
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    throw new ApiProblem(isLate ? 'silent' : 'unreachable', message, { cause: error });
  }
}

/** The stream, whose every sign of life is one of the server's. */
function heard(response: Response): Response {
  const { body, status } = response;
  if (!body || status !== 200) return response;
  const noted = body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        noteHeard();
        noteBytes(chunk.byteLength);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(noted, response);
}

/** Resolves when somebody is signed in. Never when the signal comes first. */
async function signedIn(ending: AbortSignal | undefined): Promise<void> {
  if (!isSignInNeeded.value) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = effect(() => {
    if (!isSignInNeeded.value) resolve();
  });
  ending?.addEventListener('abort', stop, { once: true });
  await promise.finally(stop);
}

/**
 * `GET path`, such as `v1/workloads?limit=5`. Parts that did not change since the same was read are the same objects as before.
 * @throws ApiProblem
 */
export async function read<Data extends object>(path: string, ending?: AbortSignal): Promise<Data> {
  // Who is not signed in is asked to, not the server again and again.
  await signedIn(ending);
  const before = kept.get(path)?.answer;
  const answer = await client.get(path, ending);
  if (answer === before) return answer as Data;
  const shown: object = patched(before, shownData(answer));
  const entry = kept.get(path);
  if (entry) entry.answer = shown;
  return shown as Data;
}

/** The same for what is never asked for again. @throws ApiProblem */
export async function readOnce<Data extends object>(path: string, ending?: AbortSignal): Promise<Data> {
  const answer = await read<Data>(path, ending);
  kept.delete(path);
  return answer;
}

/** Texts as they are: whoever shows them makes them safe. @throws ApiProblem */
export async function readRaw<Data extends object>(path: string, ending?: AbortSignal): Promise<Data> {
  await signedIn(ending);
  const answer = await client.get(path, ending);
  kept.delete(path);
  return answer as Data;
}

/** @throws ApiProblem */
export async function post<Data>(path: string, body: unknown, ending?: AbortSignal): Promise<Data> {
  await signedIn(ending);
  return shownData(await client.post(path, body, ending)) as Data;
}
