// The HTTP API for programs in TypeScript: requests by the names of routes, answers with the types that the routes declare. It knows no way
// to the server and no token: `Send` does, in the command line as in a browser.
import type { Answer, Body, Query, RouteName } from '../api/routes/route-table.ts';
import { answerIn, ApiProblem, problemOf } from './problems.ts';
import { serverEvents } from './server-events.ts';

export interface ApiRequest {
  method: 'GET' | 'POST';
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  /** JSON. */
  body?: string;
  signal?: AbortSignal | undefined;
  /** The answer goes on: there is no time within which all of it comes. */
  isStream?: true;
}

/** @throws ApiProblem when nothing answers; or an error of its own */
export type Send = (request: ApiRequest) => Promise<Response>;

type PartsOf<Name extends string> = Name extends `${string}{${infer Part}}${infer Rest}` ? Part | PartsOf<Rest> : never;
/** As in `/v1/clusters/{cluster}/…`: a word for each part in braces. */
type InPath<Name extends RouteName> = [PartsOf<Name>] extends [never] ? { path?: undefined } : { path: Record<PartsOf<Name>, string> };

export type Asked<Name extends RouteName> = InPath<Name> & {
  /** A parameter that is undefined is left out. */
  query?: { [Parameter in keyof Query<Name>]?: string | undefined };
  signal?: AbortSignal;
} & (Name extends `POST ${string}` ? { body?: Body<Name> } : { body?: undefined });

/** Answers that are kept, to be asked for again: of each path its tag. */
export type KeptAnswers = Map<string, { tag: string; answer: object }>;

/** More are asked for anew. */
const MOST_KEPT = 100;
/** A server that is there says so once a second. */
const STREAM_SILENT_MS = 3_000;

export class Client {
  readonly #send: Send;
  readonly #kept: KeptAnswers;

  /** @param kept shared by clients that ask again and again; an answer that did not change is then the same object as before */
  constructor(send: Send, kept: KeptAnswers = new Map()) {
    this.#send = send;
    this.#kept = kept;
  }

  /** @throws ApiProblem; what `send` throws */
  async ask<Name extends RouteName>(
    name: Name,
    ...[asked]: object extends Asked<Name> ? [Asked<Name>?] : [Asked<Name>]
  ): Promise<Answer<Name>> {
    const { path, query, body, signal }: { path?: object | undefined; query?: object; body?: unknown; signal?: AbortSignal } = asked ?? {};
    const [method, pattern = ''] = name.split(' ');
    const given = Object.entries(query ?? {}).flatMap(([parameter, value]): [string, string][] =>
      value === undefined ? [] : [[parameter, String(value)]],
    );
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
    const target = `${pattern.replaceAll(/\{(\w+)\}/g, (_, part) => encodeURIComponent(String(Reflect.get(path ?? {}, part))))}${search}`;
    return (method === 'POST' ? await this.post(target, body, signal) : await this.get(target, signal)) as Answer<Name>;
  }

  /** @param path with its query. @throws ApiProblem; what `send` throws */
  async get(path: string, signal?: AbortSignal): Promise<object> {
    const before = this.#kept.get(path);
    const response = await this.#send({ method: 'GET', path, headers: before ? { 'if-none-match': before.tag } : {}, signal });
    if (response.status === 304 && before) return before.answer;
    const answer = await answerOf(response);
    const tag = response.headers.get('etag');
    this.#kept.delete(path);
    if (tag !== null) this.#kept.set(path, { tag, answer });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return answer;
  }

  /** @throws ApiProblem; what `send` throws */
  async post(path: string, body: unknown, signal?: AbortSignal): Promise<object> {
    return await answerOf(
      await this.#send({
        method: 'POST',
        path,
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal,
      }),
    );
  }

  /**
   * Yields once the stream is open, and then when something has changed.
   * @throws ApiProblem of status 404 or 501 where the server has no stream, `silent` where nothing is heard of it any more
   */
  async *changes(signal: AbortSignal): AsyncGenerator<void> {
    const response = await this.#send({ method: 'GET', path: '/v1/stream', headers: {}, signal, isStream: true });
    const { body, status, headers } = response;
    if (status !== 200) throw problemOf({ status, text: await response.text() });
    if (!body || headers.get('content-type')?.startsWith('text/event-stream') !== true)
      throw new ApiProblem('foreign', 'it answers something else where Farloop streams events');
    for await (const { name } of serverEvents(body, STREAM_SILENT_MS)) if (name === 'changed') yield;
  }
}

async function answerOf(response: Response): Promise<object> {
  const text = await response.text();
  if (response.status !== 200) throw problemOf({ status: response.status, text });
  return answerIn(text);
}
