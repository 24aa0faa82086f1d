// The running instance's HTTP API, as the other commands ask it.
import { fieldsOf, textOf } from '../objects/untyped-fields.ts';
import { FailedError } from './exit.ts';
import { readInstance, stateFolderPath } from './instance-file.ts';

const ANSWER_WITHIN_MS = 30_000;

export interface ApiClient {
  /** @returns what the API answered, unchecked: it is this very version's own. @throws FailedError with the API's sentence */
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body: object): Promise<Answer>;
}

/** @param state as given by --state. @throws FailedError when no instance runs there */
export function connectToInstance(state: string | undefined): ApiClient {
  const folder = stateFolderPath(state);
  const instance = readInstance(folder);
  const absent = (cause?: unknown): FailedError =>
    new FailedError(`no Farloop is running with the state folder ${folder}: start one with "farloop up", or name its folder with --state`, {
      cause,
    });
  if (!instance) throw absent();

  const call = async <Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> => {
    const { status, text } = await fetchText(new URL(path, instance.url), {
      method,
      headers: { authorization: `Bearer ${instance.token}` },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      // A refused connection: the note was left by an instance that was killed.
      throw absent(error);
    });
    if (status !== 200) throw new FailedError(sentenceIn(text));
    const answer: Answer = JSON.parse(text);
    return answer;
  };
  return {
    get: async (path) => await call('GET', path),
    post: async (path, body) => await call('POST', path, body),
  };
}

async function fetchText(url: URL, init: RequestInit): Promise<{ status: number; text: string }> {
  const response = await fetch(url, init);
  return { status: response.status, text: await response.text() };
}

function sentenceIn(text: string): string {
  try {
    return textOf(fieldsOf(JSON.parse(text))['error']) || text;
  } catch {
    return `the API answered something unexpected: ${text.slice(0, 200)}`;
  }
}
